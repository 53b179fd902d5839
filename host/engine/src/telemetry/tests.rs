use std::path::Path;

use tracing_subscriber::layer::SubscriberExt;

use super::*;

/// What is measured while `work` runs.
fn measured(home: &Path, work: impl FnOnce()) -> Numbers {
    let telemetry = Telemetry::start(Some(home), None);
    let subscriber = tracing_subscriber::registry().with(telemetry.layers());
    tracing::subscriber::with_default(subscriber, work);
    drop(telemetry);
    Folder::of_home(home).since(jiff::civil::Date::MIN).0
}

#[test]
fn spans_are_measured_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let work = || {
        for number in 0..3_u64 {
            let span = tracing::trace_span!(
                "ingest.read",
                bytes = 100,
                chunks = tracing::field::Empty,
                reason = tracing::field::Empty
            );
            let _entered = span.enter();
            span.record("chunks", number);
            span.record("chunks", number + 1);
            if number == 2 {
                span.record("reason", "encrypted");
            }
        }
        // Not from a crate of pkb, and no span.
        tracing::info_span!(target: "elsewhere", "search").in_scope(|| ());
        tracing::info!(bytes = 5, "search");
    };
    let numbers = measured(home.path(), work);
    let names: Vec<&str> = numbers.stages().map(|(name, _)| name).collect();
    assert_eq!(names, ["ingest.read"]);
    let read = numbers.stage("ingest.read").unwrap();
    assert_eq!(read.calls, 3);
    assert_eq!(read.sum("bytes"), 300);
    assert_eq!(read.sum("chunks"), 6, "a field counts as it was last");
    assert_eq!(read.counted("reason", "encrypted"), 1);
    assert!(read.longest <= read.total);
}

#[test]
fn words_that_may_be_private_are_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let numbers = measured(home.path(), || {
        let _span = tracing::info_span!("search", query = "my secret", path = ?"my secret");
        let _other = tracing::info_span!("mcp.request", tool = "search_knowledge");
    });
    let kept = serde_json::to_string(&numbers).unwrap();
    assert!(!kept.contains("secret"), "{kept}");
    assert!(
        numbers.stage("mcp.request/search_knowledge").is_some(),
        "{kept}"
    );
}

#[test]
fn a_home_that_cannot_be_written_costs_the_numbers_alone() {
    let home = tempfile::tempdir().unwrap();
    // A file where the folder should be.
    std::fs::write(home.path().join("telemetry"), "").unwrap();
    let numbers = measured(home.path(), || {
        tracing::info_span!("search").in_scope(|| ());
    });
    assert!(numbers.is_empty());
}

#[test]
fn what_could_not_be_kept_is_kept_later() {
    let home = tempfile::tempdir().unwrap();
    let blocked = home.path().join("telemetry");
    std::fs::write(&blocked, "").unwrap();
    let telemetry = Telemetry::start(Some(home.path()), None);
    let subscriber = tracing_subscriber::registry().with(telemetry.layers());
    tracing::subscriber::with_default(subscriber, || {
        tracing::info_span!("search").in_scope(|| ());
        telemetry.measured.keep();
        std::fs::remove_file(&blocked).unwrap();
        tracing::info_span!("search").in_scope(|| ());
    });
    drop(telemetry);
    let (numbers, _) = Folder::of_home(home.path()).since(jiff::civil::Date::MIN);
    assert_eq!(numbers.stage("search").unwrap().calls, 2);
}
