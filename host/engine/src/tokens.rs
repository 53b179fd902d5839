//! How many tokens a text is to a client's model, whichever that is.
//!
//! What a client counts with is not known, so this errs on the high side: it
//! counts ASCII with the built-in tokenizer component and takes all else, and
//! what that tokenizer passes over, by weights that were measured against the
//! tokenizers of four families of models. host/pkb/src/mcp/README.md has the
//! figures.

use std::sync::Arc;
use std::thread;

use crate::engine::Engine;
use crate::error::Error;

/// Letters and digits in a row from which they are no word but data: the
/// tokenizer takes a long one as a single unknown token.
const DATA_FROM: usize = 20;
/// Bytes that a token of such data has.
const DATA_BYTES: f64 = 1.3;
/// By how much other tokenizers exceed this one in words that it knows whole.
const MARGIN: f64 = 1.1;
/// What a break between `camelCase` parts adds.
const CASE: f64 = 0.25;

impl Engine {
    /// Begins to load what counts tokens on a thread of its own: whoever serves
    /// needs it for the first answer, which is not to wait for it.
    pub fn preload_tokenizer(self: &Arc<Self>) {
        let engine = self.clone();
        let load = move || {
            if let Err(error) = engine.count_tokens(&["a"]) {
                // Whoever counts is told.
                tracing::debug!("the tokenizer cannot be loaded: {error}");
            }
        };
        let thread = thread::Builder::new().name("load-tokenizer".into());
        if let Err(error) = thread.spawn(load) {
            tracing::debug!("no thread to load the tokenizer: {error}");
        }
    }

    /// How many tokens each of the texts is, counted so that no tokenizer in
    /// use finds more in text that people write; of JSON and code it is up to a
    /// half more than most find.
    ///
    /// # Errors
    /// When the tokenizer cannot be loaded or fails.
    pub fn count_tokens(&self, texts: &[&str]) -> Result<Vec<u32>, Error> {
        let _span = tracing::debug_span!("tokens.count").entered();
        let (plain, weights): (Vec<String>, Vec<f64>) =
            texts.iter().map(|text| weigh(text)).unzip();
        let counts = self.components().tokenizer(None)?.count(&plain)?;
        let all = counts.iter().zip(&weights).zip(texts);
        Ok(all
            .map(|((count, weight), text)| {
                let tokens = (f64::from(*count) * MARGIN + weight).ceil();
                // A token is a byte at least.
                tokens.min(text.len() as f64) as u32
            })
            .collect())
    }
}

/// The part of a text that the tokenizer is to count, and what the rest weighs
/// in tokens.
fn weigh(text: &str) -> (String, f64) {
    let mut plain = String::with_capacity(text.len());
    let mut weight = 0.0;
    // Letters and digits in a row, and the white space before this.
    let mut run = 0;
    let mut space = Space::default();
    let mut before = ' ';
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            weight += end_of_run(&mut plain, &mut run);
        }
        weight += space.add(c);
        match c {
            _ if c.is_ascii_alphanumeric() => {
                if before.is_ascii_lowercase() && c.is_ascii_uppercase() {
                    weight += CASE;
                }
                run += 1;
                plain.push(c);
            }
            ' '..='~' => plain.push(c),
            _ => {
                if !matches!(c, '\n' | '\r' | '\t') {
                    weight += of(c);
                }
                plain.push(' ');
            }
        }
        before = c;
    }
    weight += end_of_run(&mut plain, &mut run);
    (plain, weight)
}

/// Takes out what is data rather than a word; what that weighs.
fn end_of_run(plain: &mut String, run: &mut usize) -> f64 {
    let bytes = std::mem::take(run);
    if bytes < DATA_FROM {
        return 0.0;
    }
    plain.truncate(plain.len() - bytes);
    bytes as f64 / DATA_BYTES
}

/// White space other than one space between words: a tokenizer for prose passes
/// over it, others do not.
#[derive(Default)]
struct Space {
    last: char,
    length: u32,
}

impl Space {
    fn add(&mut self, c: char) -> f64 {
        let c = if c == '\r' { '\n' } else { c };
        let more = c == self.last;
        self.length = if more { self.length + 1 } else { 1 };
        self.last = c;
        match c {
            ' ' if self.length == 2 => 1.1,
            ' ' if more => 0.1,
            ' ' => 0.0,
            '\n' if more => 0.25,
            '\t' if more => 0.6,
            '\n' | '\t' => 1.0,
            _ => 0.0,
        }
    }
}

/// What a character beyond printable ASCII weighs, by its script: as much as
/// the tokenizer needs that knows the script least.
fn of(c: char) -> f64 {
    match u32::from(c) {
        0..=0x7f => 1.0,
        0x80..=0x9f => 2.0,
        // Latin with accents; other letters of the alphabet.
        0xa0..=0xff => 1.0,
        0x100..=0x24f => 1.75,
        // Cyrillic, then Greek, Hebrew, Arabic and others of two bytes.
        0x400..=0x52f => 1.1,
        0x250..=0x7ff => 1.75,
        // Dashes, quotation marks, dots.
        0x2010..=0x202f => 1.5,
        // Kana, Han, Hangul, and forms of full width.
        0x3000..=0x30ff | 0x4e00..=0x9fff => 1.6,
        0xac00..=0xd7af => 1.8,
        0xff00..=0xffef => 1.5,
        // Thai, Devanagari and others of three bytes.
        0x800..=0x1fff => 2.0,
        0x2000..=0xffff => 3.0,
        0x1f000..=0x1ffff => 3.0,
        _ => 4.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_left_to_the_tokenizer() {
        assert_eq!(
            weigh("Keep notes, please."),
            ("Keep notes, please.".into(), 0.0)
        );
        assert_eq!(weigh(""), (String::new(), 0.0));
    }

    #[test]
    fn data_is_no_word() {
        let hash = "0123456789abcdef".repeat(4);
        let (plain, weight) = weigh(&format!("sha {hash} end"));
        assert_eq!(plain, "sha  end");
        assert!((weight - 64.0 / DATA_BYTES).abs() < 1e-9, "{weight}");
        // What ends the text is looked at too.
        assert!(weigh(&hash).1 > 40.0);
    }

    #[test]
    fn white_space_that_lays_out_counts() {
        let (plain, weight) = weigh("a\n\n    b\tc");
        assert_eq!(plain, "a      b c");
        assert!((weight - (1.25 + 1.3 + 1.0)).abs() < 1e-9, "{weight}");
    }

    #[test]
    fn scripts_weigh_what_the_worst_tokenizer_needs() {
        assert_eq!(weigh("Straße").0, "Stra e");
        for (text, least) in [("日本", 3.0), ("ภาษา", 8.0), ("🙂", 3.0), ("…", 1.0)] {
            assert!(weigh(text).1 >= least, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_but_plain_ascii_is_left_to_the_tokenizer(text in "\\PC{0,80}") {
            let (plain, weight) = weigh(&text);
            prop_assert!(plain.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            prop_assert!(weight >= 0.0);
        }
    }
}
