use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use super::*;
use crate::testing::{Net, toml};

fn load(net: &Net, settings: &str) -> (tempfile::TempDir, Model) {
    let folder = tempfile::tempdir().unwrap();
    net.write(folder.path(), settings);
    let model = Model::open(folder.path()).unwrap();
    (folder, model)
}

fn embed(model: &Model, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, Error> {
    model.embed(sequences, &|| false, &|_| ())
}

fn close(actual: &[f32], expected: &[f32]) -> bool {
    let length = expected
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    actual.len() == expected.len()
        && actual
            .iter()
            .zip(expected)
            .all(|(a, e)| (a - e / length).abs() < 1e-6)
}

#[test]
fn a_model_can_be_used_from_many_threads() {
    fn check<T: Send + Sync>() {}
    check::<Model>();
}

#[test]
fn mean_and_cls_pool_as_they_say() {
    let sequence = vec![vec![1, 2, 2, 3]];
    let (_folder, model) = load(&Net::default(), &toml("mean", 8, 3));
    assert!(close(
        &embed(&model, &sequence).unwrap()[0],
        &[1.0, 2.0, 1.0]
    ));
    let (_folder, model) = load(&Net::default(), &toml("cls", 8, 3));
    assert!(close(
        &embed(&model, &sequence).unwrap()[0],
        &[1.0, 0.0, 0.0]
    ));
}

#[test]
fn inputs_may_come_in_any_order_and_number() {
    for inputs in [
        vec!["input_ids"],
        vec!["attention_mask", "input_ids"],
        vec!["input_ids", "token_type_ids", "attention_mask"],
        vec!["token_type_ids", "attention_mask", "input_ids"],
    ] {
        let net = Net {
            inputs: inputs.clone(),
            ..Net::default()
        };
        let (_folder, model) = load(&net, &toml("mean", 8, 3));
        let vectors = embed(&model, &[vec![1, 3, 3]]).unwrap();
        assert!(
            close(&vectors[0], &[1.0, 0.0, 2.0]),
            "{inputs:?}: {vectors:?}"
        );
    }
}

#[test]
fn a_network_that_pools_itself_is_taken_as_it_is() {
    let net = Net {
        pooled: true,
        ..Net::default()
    };
    let (_folder, model) = load(&net, &toml("cls", 8, 3));
    assert!(close(
        &embed(&model, &[vec![1, 2, 2]]).unwrap()[0],
        &[1.0, 2.0, 0.0]
    ));
}

#[test]
fn weights_kept_in_whole_numbers_are_unfolded() {
    let net = Net {
        scale: Some(0.5),
        ..Net::default()
    };
    let (_folder, model) = load(&net, &toml("mean", 8, 3));
    assert!(close(
        &embed(&model, &[vec![1, 2]]).unwrap()[0],
        &[1.0, 1.0, 0.0]
    ));
}

#[test]
fn results_come_in_the_order_of_the_sequences_whatever_their_lengths() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 64, 3));
    // Sequence n holds one token of 1 and n of 2.
    let sequences: Vec<Vec<u32>> = (0..50)
        .map(|n| [vec![1], vec![2; (n * 7) % 50]].concat())
        .collect();
    let vectors = embed(&model, &sequences).unwrap();
    assert_eq!(vectors.len(), sequences.len());
    for (sequence, vector) in sequences.iter().zip(&vectors) {
        assert!(
            close(vector, &[1.0, (sequence.len() - 1) as f32, 0.0]),
            "{sequence:?}"
        );
    }
}

#[test]
fn nothing_in_is_nothing_out() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 8, 3));
    assert!(embed(&model, &[]).unwrap().is_empty());
}

/// Limit 4, so windows of two inner tokens: mean([1] 2 2 [3]) and
/// mean([1] 3 [3]), weighted 2 to 1.
#[test]
fn a_sequence_over_the_limit_is_the_weighted_mean_of_its_windows() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 4, 3));
    let vectors = embed(&model, &[vec![1, 2, 2, 3, 3], vec![2, 2]]).unwrap();
    let window = |counts: [f32; 3], tokens: f32, weight: f32| counts.map(|c| c / tokens * weight);
    let (first, second) = (
        window([1.0, 2.0, 1.0], 4.0, 2.0),
        window([1.0, 0.0, 2.0], 3.0, 1.0),
    );
    let expected: Vec<f32> = first.iter().zip(second).map(|(a, b)| a + b).collect();
    assert!(close(&vectors[0], &expected), "{vectors:?}");
    assert!(close(&vectors[1], &[0.0, 1.0, 0.0]));
}

#[test]
fn progress_counts_sequences_up_to_all() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 4, 3));
    let sequences = vec![vec![1; 9], vec![2], vec![3; 4]];
    let seen = RefCell::new(Vec::new());
    model
        .embed(&sequences, &|| false, &|done| seen.borrow_mut().push(done))
        .unwrap();
    assert_eq!(*seen.borrow(), [1, 2, 3]);
}

#[test]
fn it_stops_when_told() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 4, 3));
    let sequences = vec![vec![1]; 10_000];
    assert!(matches!(
        model.embed(&sequences, &|| true, &|_| ()),
        Err(Error::Stopped)
    ));
    let done = Cell::new(0);
    let result = model.embed(&sequences, &|| done.get() >= 3, &|count| done.set(count));
    assert!(matches!(result, Err(Error::Stopped)));
    assert!(done.get() < 10_000);
}

#[test]
fn bad_sequences_are_errors_that_name_them() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 8, 3));
    let good = vec![1, 2];
    let error = embed(&model, &[good.clone(), vec![]]).unwrap_err();
    assert!(
        matches!(error, Error::EmptySequence { index: 1 }),
        "{error}"
    );
    for (ids, what) in [
        (vec![4, 4], "zero"),
        (vec![1, 5], "not finite"),
        (vec![1, 6], "zero"),
    ] {
        let error = embed(&model, &[good.clone(), good.clone(), ids]).unwrap_err();
        let Error::BadVector {
            index: 2,
            what: actual,
            ..
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!(actual, what);
    }
    for id in [7, 1000, u32::MAX] {
        let error = embed(&model, &[good.clone(), vec![1, id]]).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Run {
                    index: 1,
                    tokens: 2,
                    ..
                }
            ),
            "{error}"
        );
        assert!(
            error.to_string().contains("vocabulary of 7 tokens"),
            "{error}"
        );
        // And the model goes on working.
        assert!(embed(&model, std::slice::from_ref(&good)).is_ok());
    }
}

#[test]
fn wrong_dimensions_name_both_numbers() {
    let (_folder, model) = load(&Net::default(), &toml("mean", 8, 384));
    let message = embed(&model, &[vec![1]]).unwrap_err().to_string();
    assert!(
        message.contains("of 3 dimensions") && message.contains("says 384"),
        "{message}"
    );
    let net = Net {
        pooled: true,
        ..Net::default()
    };
    let (_folder, model) = load(&net, &toml("mean", 8, 384));
    assert!(matches!(
        model.prepare(),
        Err(Error::Dimensions {
            actual: 3,
            stated: 384,
            ..
        })
    ));
}

#[test]
fn networks_that_cannot_be_run_say_why() {
    for (net, part) in [
        (
            Net {
                inputs: vec!["input_ids", "position_ids"],
                ..Net::default()
            },
            "an input `position_ids`",
        ),
        (
            Net {
                inputs: vec!["attention_mask"],
                ..Net::default()
            },
            "missing: input_ids",
        ),
        (
            Net {
                external: true,
                ..Net::default()
            },
            "another file (`table`)",
        ),
        (
            Net {
                last: "NoSuchOperator",
                ..Net::default()
            },
            "NoSuchOperator",
        ),
    ] {
        let (folder, model) = load(&net, &toml("mean", 8, 3));
        let message = model.prepare().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        assert!(message.contains(&folder.path().join("model.onnx").display().to_string()));
    }
}

#[test]
fn damaged_networks_are_errors_not_panics() {
    let sound = Net::default().onnx();
    let mut damaged: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"<html>404</html>".to_vec(),
        vec![0; 4096],
        vec![0xff; 100],
    ];
    damaged.extend(
        (1..sound.len())
            .step_by(7)
            .map(|length| sound[..length].to_vec()),
    );
    let mut refused = 0;
    for bytes in damaged {
        let (folder, _) = load(&Net::default(), &toml("mean", 8, 3));
        std::fs::write(folder.path().join(ONNX), &bytes).unwrap();
        let model = Model::open(folder.path()).unwrap();
        match model.prepare() {
            // What is cut off at the end can be whole in all that is used.
            Ok(()) => assert!(bytes.len() + 20 > sound.len(), "{} bytes", bytes.len()),
            Err(Error::Onnx { remedy, .. }) => {
                assert!(!remedy.is_empty());
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn missing_files_are_named() {
    for file in ["model.onnx", "tokenizer.json", "model.toml"] {
        let (folder, _) = load(&Net::default(), &toml("mean", 8, 3));
        std::fs::remove_file(folder.path().join(file)).unwrap();
        let message = Model::open(folder.path()).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("{file} is missing")),
            "{message}"
        );
    }
}

#[test]
fn files_that_change_under_an_open_model_are_noticed() {
    let (folder, model) = load(&Net::default(), &toml("mean", 8, 3));
    assert_eq!(model.tokenizer_json().unwrap(), b"{}");
    std::fs::write(folder.path().join("tokenizer.json"), "[]").unwrap();
    assert!(matches!(model.tokenizer_json(), Err(Error::Changed { .. })));
    let other = Net {
        pooled: true,
        ..Net::default()
    };
    std::fs::write(folder.path().join("model.onnx"), other.onnx()).unwrap();
    assert!(matches!(model.prepare(), Err(Error::Changed { .. })));
}

#[test]
fn a_model_without_a_name_has_its_folders() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("mine");
    Net::default().write(&folder, &toml("mean", 8, 3));
    assert_eq!(Model::open(&folder).unwrap().info().name, "mine");
}

#[test]
fn unit_vectors_of_the_largest_and_smallest_numbers() {
    assert_eq!(unit(vec![f32::MAX, 0.0]).unwrap(), [1.0, 0.0]);
    assert_eq!(unit(vec![0.0, f32::from_bits(1)]).unwrap(), [0.0, 1.0]);
    assert!(unit(vec![0.0, -0.0]).is_err());
    assert!(unit(vec![f32::INFINITY]).is_err());
}

/// The folder above the workspace, where material for tests lies.
fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(path)
}

/// Bytes of the file that the reference vectors were made with.
const REFERENCE_BYTES: u64 = 22_928_619;

/// The default model, from the folder of models in `PKB_TEST_MODELS`, the least
/// cosine its vectors must have with the reference, and the reference; none,
/// with a message, where they are not there.
fn reference() -> Option<(Model, f64, serde_json::Value)> {
    let data = beside("shared/data/reference/minilm.json");
    let Ok(text) = std::fs::read_to_string(&data) else {
        eprintln!("skipped: {} is not there", data.display());
        return None;
    };
    let models = std::env::var_os("PKB_TEST_MODELS").map(PathBuf::from);
    let Some(folder) = models
        .map(|models| models.join("minilm"))
        .filter(|folder| folder.is_dir())
    else {
        eprintln!("skipped: PKB_TEST_MODELS does not name a folder of models with minilm in it");
        return None;
    };
    // The hub's file has the weights in full, not rounded to 8 bits.
    let same = folder.join(ONNX).metadata().unwrap().len() == REFERENCE_BYTES;
    let least = if same { 0.9999 } else { 0.99 };
    let model = Model::load(&folder).unwrap();
    Some((model, least, serde_json::from_str(&text).unwrap()))
}

#[test]
fn vectors_of_the_reference_model_are_those_of_onnx_runtime() {
    let Some((model, least, reference)) = reference() else {
        return;
    };
    let cases = reference["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    let numbers = |case: &serde_json::Value, key: &str| -> Vec<f64> {
        case[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_f64().unwrap())
            .collect()
    };
    let sequences: Vec<Vec<u32>> = cases
        .iter()
        .map(|case| numbers(case, "ids").iter().map(|id| *id as u32).collect())
        .collect();
    let vectors = embed(&model, &sequences).unwrap();
    for (case, vector) in cases.iter().zip(&vectors) {
        let expected = numbers(case, "vector");
        assert_eq!(expected.len(), vector.len());
        let dot: f64 = expected
            .iter()
            .zip(vector)
            .map(|(e, v)| e * f64::from(*v))
            .sum();
        let length: f64 = expected.iter().map(|e| e * e).sum::<f64>().sqrt();
        assert!(dot / length >= least, "{}: {}", case["text"], dot / length);
    }
}
