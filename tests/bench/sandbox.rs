//! What the sandbox costs: the same chunking and tokenizing, sandboxed and
//! native, on the same texts.

use std::sync::Arc;

use pkb_runtime::{Origin, Sandbox, Settings, TokenCounter};
use pkb_tests::texts;

use crate::{heading, in_turns, line};

const TOKENIZER: &[u8] = include_bytes!("../../components/tokenize/data/minilm/tokenizer.json");
const RUNS: usize = 5;
const BUDGET: u32 = 254;

pub(crate) fn measure() {
    heading("Sandbox (target: at most 1.2x native)");
    let Some(texts) = texts("obsidian-help-en", 200) else {
        return;
    };
    let bytes: usize = texts.iter().map(String::len).sum();
    let sandbox = Sandbox::new(&Settings::default()).unwrap();
    let boxed = Arc::new(
        sandbox
            .tokenizer(&Origin::Builtin("tokenize".into()), TOKENIZER.into())
            .unwrap(),
    );
    let native = tokenize::Tokenizer::load(TOKENIZER).unwrap();
    let tokens: u64 = native
        .count(&texts)
        .unwrap()
        .into_iter()
        .map(u64::from)
        .sum();
    assert_eq!(
        tokens,
        boxed
            .count(&texts)
            .unwrap()
            .into_iter()
            .map(u64::from)
            .sum::<u64>()
    );

    let (inside, outside) = in_turns(
        RUNS,
        || drop(boxed.encode(&texts).unwrap()),
        || drop(native.encode(&texts).unwrap()),
    );
    report(
        "tokenizing",
        inside,
        outside,
        tokens as f64 / 1e6,
        "M tokens/s",
    );

    // Chunking alone: both count words, so that the tokenizer, measured above,
    // does not hide the chunker.
    struct Words;
    impl TokenCounter for Words {
        fn count(&self, texts: &[String]) -> Result<Vec<u32>, String> {
            Ok(texts.iter().map(|text| words(text)).collect())
        }
    }
    let chunker = sandbox
        .chunker(&Origin::Builtin("chunk-markdown".into()))
        .unwrap();
    let words_counter: Arc<dyn TokenCounter> = Arc::new(Words);
    let options = chunk_markdown::Options {
        budget: BUDGET,
        settings: chunk_markdown::Settings::default(),
    };
    let (inside, outside) = in_turns(
        RUNS,
        || {
            for text in &texts {
                chunker
                    .split("", text, BUDGET, "{}", words_counter.clone())
                    .unwrap();
            }
        },
        || {
            for text in &texts {
                chunk_markdown::split("", text, &options, &mut |texts| {
                    texts.iter().map(|text| words(text)).collect()
                })
                .unwrap();
            }
        },
    );
    report(
        "chunking, words counted",
        inside,
        outside,
        bytes as f64 / 1e6,
        "MB/s",
    );

    let counter: Arc<dyn TokenCounter> = boxed;
    let (inside, outside) = in_turns(
        RUNS,
        || {
            for text in &texts {
                chunker
                    .split("", text, BUDGET, "{}", counter.clone())
                    .unwrap();
            }
        },
        || {
            for text in &texts {
                chunk_markdown::split("", text, &options, &mut |texts| {
                    native.count(texts).unwrap()
                })
                .unwrap();
            }
        },
    );
    report(
        "chunking, tokens counted",
        inside,
        outside,
        bytes as f64 / 1e6,
        "MB/s",
    );
}

fn words(text: &str) -> u32 {
    u32::try_from(text.split_whitespace().count()).unwrap()
}

fn report(
    what: &str,
    inside: std::time::Duration,
    outside: std::time::Duration,
    work: f64,
    unit: &str,
) {
    let ratio = inside.as_secs_f64() / outside.as_secs_f64();
    line(
        what,
        format!(
            "{ratio:.2}x native ({:.2} {unit} in the sandbox)",
            work / inside.as_secs_f64()
        ),
    );
}
