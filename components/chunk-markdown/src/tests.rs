//! What the chunks of a document have to be like.

mod context;
mod limits;
mod properties;
mod structure;
mod vaults;

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

fn options(budget: u32, tokens: u32) -> Options {
    Options {
        budget,
        settings: Settings {
            tokens: Some(tokens),
            context: true,
        },
    }
}

/// Splits `text` and checks what holds for every text.
fn checked(text: &str, options: &Options, count: fn(&[&str]) -> Vec<u32>) -> Vec<Chunk> {
    let chunks = split("title", text, options, &mut |texts| count(texts)).unwrap();
    assert_sound(text, &chunks, options, count);
    chunks
}

fn assert_sound(text: &str, chunks: &[Chunk], options: &Options, count: fn(&[&str]) -> Vec<u32>) {
    let mut end = 0;
    for chunk in chunks {
        assert!(end <= chunk.span.start, "chunks overlap at {end}");
        assert_blank(text, end, chunk.span.start);
        let own = &text[chunk.span.clone()];
        assert!(!own.is_empty(), "a chunk is empty at {}", chunk.span.start);
        assert_eq!(own.trim(), own, "a chunk has white space around");
        let embedded = match &chunk.context {
            Some(context) => format!("{context}\n{own}"),
            None => own.to_owned(),
        };
        let tokens = count(&[&embedded])[0];
        assert!(
            tokens <= options.budget || own.chars().count() == 1,
            "{tokens} tokens, {} allowed: {embedded:?}",
            options.budget
        );
        end = chunk.span.end;
    }
    assert_blank(text, end, text.len());
}

fn assert_blank(text: &str, start: usize, end: usize) {
    let left_out = &text[start..end];
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
    let sentence = format!("The {} end.", prose(8));
    vec![sentence; count].join(" ")
}
