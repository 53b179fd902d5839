//! Whatever happens to a folder, and whenever a sync looks at it or is cut off:
//! after each sync that is through, the index says what a fresh one would.
//!
//! `PROPTEST_CASES` runs more cases than usual. What ever failed is kept in
//! `regressions.txt`, and tried first.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod steps;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pkb_tests::model_folder;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

use crate::steps::steps;
use crate::world::{Index, World};

fn run(cases: u32, index: &Index, fresh: &Index, embeds: bool) {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/model/regressions.txt");
    let mut config = Config {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(kept))),
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let mut runner = TestRunner::new(config);
    let result = runner.run(&steps(), |steps| {
        let mut world = World::new(index, fresh, embeds);
        let done = catch_unwind(AssertUnwindSafe(|| world.go(&steps)));
        done.map_err(|panic| match panic.downcast_ref::<String>() {
            Some(said) => proptest::test_runner::TestCaseError::fail(said.clone()),
            None => resume_unwind(panic),
        })
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn after_each_sync_the_index_is_what_a_fresh_one_would_be() {
    run(300, &Index::new(None), &Index::new(None), false);
}

#[test]
fn nothing_that_has_a_vector_is_embedded_again() {
    let Some(model) = model_folder() else { return };
    let models = model.parent().unwrap();
    run(12, &Index::new(Some(models)), &Index::new(None), true);
}
