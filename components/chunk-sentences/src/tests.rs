//! What the chunks of a plain text have to be like.

mod limits;
mod properties;
mod vaults;
mod windows;

use crate::{Chunk, Options, Settings, split};

/// Counts words between white space.
fn words(texts: &[&str]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| text.split_whitespace().count() as u32)
        .collect()
}

/// Counts characters that are no white space.
fn characters(texts: &[&str]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| text.chars().filter(|c| !c.is_whitespace()).count() as u32)
        .collect()
}

fn options(budget: u32, tokens: u32, overlap: u32) -> Options {
    Options {
        budget,
        settings: Settings { tokens, overlap },
    }
}

/// Splits `text` and checks what holds for every text.
fn checked(text: &str, options: &Options, count: fn(&[&str]) -> Vec<u32>) -> Vec<Chunk> {
    let chunks = split("title", text, options, &mut |texts| count(texts)).unwrap();
    assert_sound(text, &chunks, options, count);
    chunks
}

fn assert_sound(text: &str, chunks: &[Chunk], options: &Options, count: fn(&[&str]) -> Vec<u32>) {
    let most = options.budget.min(options.settings.tokens);
    let (mut start, mut end) = (0, 0);
    for (index, chunk) in chunks.iter().enumerate() {
        let own = &text[chunk.span.clone()];
        assert!(!own.is_empty(), "a chunk is empty at {}", chunk.span.start);
        assert_eq!(own.trim(), own, "a chunk has white space around");
        assert!(
            index == 0 || (chunk.span.start > start && chunk.span.end > end),
            "no progress after {start}..{end}: {:?}",
            chunk.span
        );
        if chunk.span.start > end {
            let left_out = &text[end..chunk.span.start];
            assert!(left_out.trim().is_empty(), "left out: {left_out:?}");
        } else {
            let repeated = count(&[&text[chunk.span.start..end]])[0];
            assert!(
                repeated <= options.settings.overlap,
                "{repeated} tokens repeated"
            );
        }
        let tokens = count(&[own])[0];
        assert!(
            tokens <= most || own.chars().count() == 1,
            "{tokens} tokens, {most} allowed: {own:?}"
        );
        (start, end) = (chunk.span.start, chunk.span.end);
    }
    let left_out = &text[end..];
    assert!(left_out.trim().is_empty(), "left out: {left_out:?}");
}

/// The texts of the chunks.
fn texts<'a>(text: &'a str, chunks: &[Chunk]) -> Vec<&'a str> {
    chunks
        .iter()
        .map(|chunk| &text[chunk.span.clone()])
        .collect()
}

/// `count` words on one line, without the end of a sentence.
fn prose(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// `count` sentences of ten words each on one line.
fn sentences(count: usize) -> String {
    (0..count)
        .map(|number| format!("Sentence {number} {} end. ", prose(7)))
        .collect()
}
