//! The sentences of a text, measured, and cut where one is longer than a
//! window.

use std::ops::Range;

use crate::counter::Counter;
use crate::settings::Sizes;
use crate::{Failure, pieces, sentences};

/// A text counts as at least one token for so many bytes that are no white
/// space: tokenizers that give up on long words would let a chunk grow without
/// end.
const TOKEN_BYTES: usize = 32;
/// Bytes to a token, assumed only to make the first cut of a text too long to
/// count as one.
const GUESSED_TOKEN_BYTES: usize = 4;
/// A sentence of more bytes than this is cut without having been counted.
const COUNTED_BYTES: usize = 1 << 20;
/// More white space than this between two sentences, in bytes, keeps them in
/// different chunks.
const WIDE_GAP: usize = 256;

/// A sentence, or a piece of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atom {
    /// From its first byte to the first of the next atom; white space at the
    /// end included.
    pub(crate) span: Range<usize>,
    /// 0 while it has not been measured, then at least 1.
    pub(crate) tokens: usize,
    /// Whether much white space stands before it, which no chunk should hold.
    pub(crate) apart: bool,
}

impl Atom {
    /// Its bytes without white space at the end.
    pub(crate) fn trimmed(&self, text: &str) -> Range<usize> {
        let length = text[self.span.clone()].trim_end().len();
        self.span.start..self.span.start + length
    }

    /// What is counted: its text, with what may follow it in the same chunk.
    fn counted<'a>(&self, text: &'a str) -> &'a str {
        if self.span.len() - self.trimmed(text).len() > WIDE_GAP {
            &text[self.trimmed(text)]
        } else {
            &text[self.span.clone()]
        }
    }
}

/// The atoms of `text`, none over the window but single characters. Each round
/// asks for the counts of all new atoms at once.
pub(crate) fn measured(
    text: &str,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<Vec<Atom>, Failure> {
    let starts = sentences::starts(text);
    let mut atoms = between(text, &starts, text.len());
    loop {
        count(text, &mut atoms, sizes, counter)?;
        if atoms.iter().all(|atom| atom.tokens <= sizes.window) {
            return Ok(atoms);
        }
        let mut finer = Vec::with_capacity(atoms.len() * 2);
        for atom in atoms {
            if atom.tokens <= sizes.window {
                finer.push(atom);
                continue;
            }
            finer.extend(divide(text, &atom, sizes.window));
        }
        atoms = finer;
    }
}

/// The pieces of an atom over `window`, unmeasured; a single character as it
/// is, taken to fit.
pub(crate) fn divide(text: &str, atom: &Atom, window: usize) -> Vec<Atom> {
    let mut starts = vec![atom.span.start];
    starts.extend(pieces::divide(
        text,
        atom.trimmed(text),
        atom.tokens.div_ceil(window),
    ));
    let mut parts = between(text, &starts, atom.span.end);
    parts[0].apart = atom.apart;
    if let [only] = &mut parts[..] {
        only.tokens = window;
    }
    parts
}

/// One unmeasured atom from each start to the next.
fn between(text: &str, starts: &[usize], end: usize) -> Vec<Atom> {
    let ends = starts.iter().skip(1).copied().chain([end]);
    let mut atoms: Vec<Atom> = Vec::with_capacity(starts.len());
    for (&start, end) in starts.iter().zip(ends) {
        let apart = atoms
            .last()
            .is_some_and(|before| before.span.end - before.trimmed(text).end > WIDE_GAP);
        atoms.push(Atom {
            span: start..end,
            tokens: 0,
            apart,
        });
    }
    atoms
}

fn count(
    text: &str,
    atoms: &mut [Atom],
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<(), Failure> {
    let mut asked: Vec<usize> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    for (index, atom) in atoms.iter_mut().enumerate() {
        if atom.tokens > 0 {
            continue;
        }
        let counted = atom.counted(text);
        if counted.len() > COUNTED_BYTES || dense_bytes(counted) > sizes.window * TOKEN_BYTES {
            atom.tokens = (counted.len() / GUESSED_TOKEN_BYTES).max(sizes.window + 1);
        } else {
            asked.push(index);
            texts.push(counted);
        }
    }
    let counts = counter.count(&texts)?;
    for (&index, tokens) in asked.iter().zip(counts) {
        let atom = &mut atoms[index];
        let least = dense_bytes(atom.counted(text)) / TOKEN_BYTES;
        atom.tokens = tokens.max(least).max(1);
    }
    Ok(())
}

/// Bytes that are no ASCII white space; 0 for a text so short that it does not
/// matter.
fn dense_bytes(text: &str) -> usize {
    if text.len() < TOKEN_BYTES {
        return 0;
    }
    text.bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count()
}
