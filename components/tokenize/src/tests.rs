use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Error, Tokenizer};

fn minilm() -> Tokenizer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/minilm/tokenizer.json");
    Tokenizer::load(&std::fs::read(path).unwrap()).unwrap()
}

fn load(definition: &Value) -> Result<Tokenizer, Error> {
    Tokenizer::load(definition.to_string().as_bytes())
}

/// Texts and the ids that the Python package `tokenizers` gives for them, with
/// padding and truncation off.
const KNOWN: &[(&str, &[u32])] = &[
    ("", &[101, 102]),
    (
        "Notes link to notes.",
        &[101, 3964, 4957, 2000, 3964, 1012, 102],
    ),
    (
        "Crème brûlée — 12,5 €",
        &[
            101, 13675, 21382, 7987, 9307, 2063, 1517, 2260, 1010, 1019, 1574, 102,
        ],
    ),
    ("東京タワー", &[101, 1879, 1755, 1709, 30262, 30265, 102]),
    (
        "don't_stop(x)",
        &[101, 2123, 1005, 1056, 1035, 2644, 1006, 1060, 1007, 102],
    ),
    ("a [MASK] b", &[101, 1037, 103, 1038, 102]),
    ("🙂\tdone\r\n", &[101, 100, 2589, 102]),
];

#[test]
fn known_texts_give_known_ids() {
    let texts: Vec<&str> = KNOWN.iter().map(|(text, _)| *text).collect();
    let ids = minilm().encode(&texts).unwrap();
    for ((text, expected), ids) in KNOWN.iter().zip(ids) {
        assert_eq!(&ids, expected, "{text:?}");
    }
}

#[test]
fn ids_equal_the_reference() {
    let Some(reference) = reference() else {
        eprintln!("skipped: ../shared/data/reference/minilm.json is absent");
        return;
    };
    // The reference feeds the model, which reads 256 tokens at most: the end of
    // a longer text is cut before the closing special token.
    const LIMIT: usize = 256;
    let cases = reference["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    let texts: Vec<&str> = cases.iter().map(|c| c["text"].as_str().unwrap()).collect();
    let ids = minilm().encode(&texts).unwrap();
    for (case, mut ids) in cases.iter().zip(ids) {
        if ids.len() > LIMIT {
            let last = *ids.last().unwrap();
            ids.truncate(LIMIT - 1);
            ids.push(last);
        }
        assert_eq!(json!(ids), case["ids"], "{}", case["text"]);
    }
}

fn reference() -> Option<Value> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let path: PathBuf = workspace.join("../shared/data/reference/minilm.json");
    let bytes = std::fs::read(path).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

#[test]
fn truncation_and_padding_of_the_file_are_off() {
    // The file asks for 128 tokens exactly.
    let tokenizer = minilm();
    let long = "word ".repeat(3_000);
    assert_eq!(tokenizer.count(&[long.as_str()]).unwrap(), [3_000]);
    assert_eq!(tokenizer.encode(&[long.as_str()]).unwrap()[0].len(), 3_002);
    assert_eq!(tokenizer.encode(&["word"]).unwrap()[0].len(), 3);
}

#[test]
fn count_is_encode_without_the_special_tokens() {
    let tokenizer = minilm();
    assert_eq!(tokenizer.special_count(), 2);
    let texts: Vec<&str> = KNOWN.iter().map(|(text, _)| *text).collect();
    let counts = tokenizer.count(&texts).unwrap();
    let expected: Vec<u32> = KNOWN.iter().map(|(_, ids)| ids.len() as u32 - 2).collect();
    assert_eq!(counts, expected);
}

#[test]
fn no_texts_give_no_answers() {
    let none: [&str; 0] = [];
    assert!(minilm().encode(&none).unwrap().is_empty());
    assert!(minilm().count(&none).unwrap().is_empty());
}

/// A byte-level BPE as GPT-2 has it: `Ġ` stands for the space before a word.
fn byte_level() -> Value {
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [{
            "id": 0, "content": "<s>", "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false
        }],
        "normalizer": null,
        "pre_tokenizer": {
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true
        },
        "post_processor": null,
        "decoder": {
            "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true
        },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "ignore_merges": false,
            "vocab": {
                "<s>": 0, "l": 1, "o": 2, "w": 3, "Ġ": 4, "e": 5, "r": 6,
                "lo": 7, "low": 8, "er": 9, "Ġlow": 10, "Ã": 11, "©": 12, "Ã©": 13
            },
            "merges": [["l", "o"], ["lo", "w"], ["e", "r"], ["Ġ", "low"], ["Ã", "©"]]
        }
    })
}

#[test]
fn byte_level_bpe_works() {
    let tokenizer = load(&byte_level()).unwrap();
    assert_eq!(tokenizer.special_count(), 0);
    assert_eq!(
        tokenizer.encode(&["lower low", "é", "<s>low"]).unwrap(),
        [vec![8, 9, 10], vec![13], vec![0, 8]]
    );
    assert_eq!(tokenizer.count(&["lower low", ""]).unwrap(), [3, 0]);
}

#[test]
fn dropout_of_the_file_is_off() {
    let mut definition = byte_level();
    definition["model"]["dropout"] = json!(1.0);
    let tokenizer = load(&definition).unwrap();
    assert_eq!(tokenizer.encode(&["lower low"]).unwrap(), [[8, 9, 10]]);
}

/// A Unigram as T5 has it: `▁` stands for the space before a word, and `</s>`
/// closes a text.
fn unigram() -> Value {
    json!({
        "version": "1.0",
        "truncation": { "max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right" },
        "padding": null,
        "added_tokens": [{
            "id": 1, "content": "</s>", "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false
        }],
        "normalizer": null,
        "pre_tokenizer": {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                { "Sequence": { "id": "A", "type_id": 0 } },
                { "SpecialToken": { "id": "</s>", "type_id": 0 } }
            ],
            "pair": [
                { "Sequence": { "id": "A", "type_id": 0 } },
                { "Sequence": { "id": "B", "type_id": 0 } }
            ],
            "special_tokens": { "</s>": { "id": "</s>", "ids": [1], "tokens": ["</s>"] } }
        },
        "decoder": null,
        "model": {
            "type": "Unigram", "unk_id": 0, "byte_fallback": false,
            "vocab": [
                ["<unk>", 0.0], ["</s>", 0.0], ["▁", -2.0], ["▁note", -3.0], ["s", -2.5],
                ["▁notes", -4.0], ["n", -5.0], ["o", -5.0]
            ]
        }
    })
}

#[test]
fn unigram_works() {
    let tokenizer = load(&unigram()).unwrap();
    assert_eq!(tokenizer.special_count(), 1);
    assert_eq!(
        // The likeliest split wins: ▁notes (-4) over ▁note + s (-5.5).
        tokenizer.encode(&["notes note no Z"]).unwrap(),
        [[5, 3, 2, 6, 7, 2, 0, 1]]
    );
    assert_eq!(tokenizer.count(&["notes note no Z"]).unwrap(), [7]);
}

#[test]
fn word_level_without_an_unknown_token_names_the_text() {
    let definition = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null,
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": { "known": 0 }, "unk_token": "[UNK]" }
    });
    let tokenizer = load(&definition).unwrap();
    assert_eq!(tokenizer.count(&["known known"]).unwrap(), [2]);
    let error = tokenizer.count(&["known", "other"]).unwrap_err();
    assert!(matches!(
        error,
        Error::Text {
            number: 2,
            total: 2,
            ..
        }
    ));
    assert!(error.to_string().contains("text 2 of 2"), "{error}");
}

fn refusal(definition: &[u8]) -> String {
    match Tokenizer::load(definition) {
        Ok(_) => panic!("read {:?}", String::from_utf8_lossy(definition)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn damaged_definitions_are_refused_with_the_reason() {
    let whole = byte_level().to_string();
    // Cut anywhere, it is no longer JSON.
    for end in 1..whole.len() {
        let message = refusal(&whole.as_bytes()[..end]);
        assert!(message.contains("not a sound tokenizer.json"), "{message}");
    }
    assert!(refusal(b"[PAD]\n[UNK]\n").contains("line 1 column"));
    assert!(refusal(b"\xff\xfe").contains("utf-8"));
    assert!(refusal(b"{}").contains("odel"), "{}", refusal(b"{}"));
    assert!(refusal(b"").contains("download it again"));
    assert!(refusal(b"version https://git-lfs.github.com/spec/v1\n").contains("git lfs pull"));
    assert!(refusal(br#"{"version":"7.0"}"#).contains("7.0"));

    let mut missing = byte_level();
    missing["model"]["merges"] = json!([["l", "q"]]);
    assert!(refusal(missing.to_string().as_bytes()).contains("tokenizer.json"));
    let mut unknown = unigram();
    unknown["model"]["unk_id"] = json!(99);
    assert!(refusal(unknown.to_string().as_bytes()).contains("tokenizer.json"));
}
