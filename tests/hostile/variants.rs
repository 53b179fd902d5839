//! Each format with bits flipped and ends cut off.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pkb_runtime::{CallError, Extractor, FailureKind, Limits, Origin, Sandbox, Settings};

use pkb_tests::Library;

use crate::library::assert_accounted_for;
use crate::samples::{Sample, samples, wordless_samples};

/// Variants of each sample.
const VARIANTS: usize = 1_000;
/// Variants that one thread takes at a time.
const AT_ONCE: usize = 100;

fn all() -> Vec<Sample> {
    let mut all = samples("walnut");
    all.extend(wordless_samples());
    all
}

fn sandbox() -> Sandbox {
    let home = tempfile::tempdir().unwrap();
    Sandbox::new(&Settings {
        cache: Some(pkb_tests::home(home.path(), None).compiled),
        limits: Limits::default(),
    })
    .unwrap()
}

/// Reads all of an input; what went wrong that is no ordinary failure.
fn read(extractor: &Extractor, name: &str, bytes: Vec<u8>) -> Result<usize, String> {
    let ordinary = |error: CallError| match error {
        CallError::Failed {
            kind: FailureKind::Internal,
            ..
        } => Err(format!("internal: {error}")),
        CallError::Failed { .. } => Ok(0),
        other => Err(other.to_string()),
    };
    let mut documents = match extractor.open(name, None, "{}", Arc::new(bytes), None) {
        Ok(documents) => documents,
        Err(error) => return ordinary(error),
    };
    let mut count = 0;
    loop {
        match documents.next_batch() {
            Ok(Some(batch)) => count += batch.documents.iter().flatten().count(),
            Ok(None) => return Ok(count),
            Err(error) => return ordinary(error),
        }
    }
}

#[test]
fn every_damaged_file_ends_in_documents_or_in_a_failure_of_its_own() {
    let sandbox = sandbox();
    let samples = all();
    let mut extractors: BTreeMap<&str, Extractor> = BTreeMap::new();
    for sample in &samples {
        extractors.entry(sample.extractor).or_insert_with(|| {
            sandbox
                .extractor(&Origin::Builtin(sample.extractor.into()))
                .unwrap()
        });
    }
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let took = Mutex::new(BTreeMap::<&str, (Duration, Duration)>::new());
    let read_some = |sample: &Sample, from: usize| {
        let extractor = &extractors[sample.extractor];
        for variant in from..from + AT_ONCE {
            let bytes = sample.variant(variant);
            let began = Instant::now();
            let result = read(extractor, sample.name, bytes);
            let elapsed = began.elapsed();
            let mut took = took.lock().unwrap();
            let (all, longest) = took.entry(sample.name).or_default();
            *all += elapsed;
            *longest = elapsed.max(*longest);
            drop(took);
            if let Err(error) = result {
                let said = format!("{} variant {variant}: {error}", sample.name);
                wrong.lock().unwrap().push(said);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(AT_ONCE, Ordering::Relaxed);
                    let Some(sample) = samples.get(at / VARIANTS) else {
                        break;
                    };
                    read_some(sample, at % VARIANTS);
                }
            });
        }
    });
    for (name, (all, longest)) in took.into_inner().unwrap() {
        eprintln!("{name}: {VARIANTS} variants in {all:.2?}, the longest {longest:.2?}");
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn every_sample_is_sound() {
    let sandbox = sandbox();
    for sample in all() {
        let origin = Origin::Builtin(sample.extractor.into());
        let extractor = sandbox.extractor(&origin).unwrap();
        let count = read(&extractor, sample.name, sample.bytes());
        assert!(
            matches!(count, Ok(1..)),
            "{}: {count:?} documents",
            sample.name
        );
    }
}

#[test]
fn a_folder_of_damaged_files_is_accounted_for() {
    const EACH: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    for sample in all() {
        for variant in 0..EACH {
            // Variants that the other test does not have.
            let name = format!("{variant}-{}", sample.name);
            let bytes = sample.variant(VARIANTS + variant);
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
    }
    std::fs::write(folder.path().join("sound.md"), "# The quince tree").unwrap();
    let library = Library::of(folder);
    library.sync();
    let rows = assert_accounted_for(&library);
    for row in &rows {
        assert!(row.is_ordinary(), "{row:?}");
    }
    assert_eq!(library.found("quince"), ["notes/sound.md"]);
    library.assert_sound();
}
