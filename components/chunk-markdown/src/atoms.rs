//! Cutting a text into atoms: the smallest stretches that packing moves.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use crate::params::{AFTER_COLON, GLUED, HEADING, RECORD_WEIGHT, SENTENCE, SENTENCE_BYTES};
use crate::sentences;
use crate::settings::Sizes;
use crate::structure::{Solid, SolidKind, Structure};

/// How small a stretch an atom is; a later one is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grain {
    /// As the structure gives it: a block, a line, a table row.
    Block,
    /// A line of something larger.
    Line,
    Sentence,
    /// Words, or less.
    Piece,
    /// A single character.
    Character,
}

/// A stretch of text that goes into one chunk as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Atom {
    /// From its first character, which is no white space, to that of the next
    /// atom.
    pub(crate) span: Range<usize>,
    /// How well a chunk may begin with it; [`GLUED`] if it should not.
    pub(crate) quality: f32,
    /// 0 while it has not been measured, then at least 1.
    pub(crate) tokens: usize,
    pub(crate) grain: Grain,
    /// Code block, table row or formula: whole where the budget allows.
    pub(crate) solid: Option<SolidKind>,
    /// What a chunk that begins with it repeats: an index into the leads.
    pub(crate) lead: Option<usize>,
    /// Tokens of that.
    pub(crate) lead_tokens: usize,
    /// The innermost section it is in, its own where it is a heading.
    pub(crate) section: Option<usize>,
    /// Whether it is the heading of `section`.
    pub(crate) opens_section: bool,
    /// Whether it is any heading.
    pub(crate) heading: bool,
    /// Whether much white space stands before it, which no chunk should hold.
    pub(crate) apart: bool,
    /// How many times its tokens count against the target.
    pub(crate) weight: usize,
}

/// More white space than this between two atoms, in bytes, keeps them in
/// different chunks.
const WIDE_GAP: usize = 256;

impl Atom {
    /// Whether so much white space stands at its end that what follows goes
    /// into another chunk.
    pub(crate) fn ends_wide(&self, text: &str) -> bool {
        let whole = &text[self.span.clone()];
        whole.len() - whole.trim_end().len() > WIDE_GAP
    }

    /// Its text without white space at the end, but for what may follow it in
    /// the same chunk.
    pub(crate) fn counted<'a>(&self, text: &'a str) -> &'a str {
        let whole = &text[self.span.clone()];
        if self.ends_wide(text) {
            whole.trim_end()
        } else {
            whole
        }
    }
}

/// Cuts `text`; no atoms where it is only white space.
pub(crate) fn cut(text: &str, structure: &Structure, sizes: &Sizes) -> Vec<Atom> {
    let first = text.len() - text.trim_start().len();
    if first == text.len() {
        return Vec::new();
    }
    let cuts = cuts(text, structure, sizes, first);
    let mut scan = Scan::new(structure);
    let mut atoms: Vec<Atom> = Vec::with_capacity(cuts.len());
    for (index, &(start, quality)) in cuts.iter().enumerate() {
        let end = cuts.get(index + 1).map_or(text.len(), |next| next.0);
        let mut atom = scan.atom(start..end, quality);
        if let Some(before) = atoms.last() {
            adjust(text, before, &mut atom);
        }
        atoms.push(atom);
    }
    atoms
}

/// Lowers the quality of `atom` by what stands before it.
fn adjust(text: &str, before: &Atom, atom: &mut Atom) {
    atom.apart = before.ends_wide(text);
    if before.heading {
        atom.quality = GLUED;
    } else if atom.quality < HEADING[HEADING.len() - 1]
        && atom.quality > 0.0
        && text[before.span.clone()].trim_end().ends_with([':', '：'])
    {
        atom.quality *= AFTER_COLON;
    }
}

/// All cuts, ascending, the first at `first`.
fn cuts(text: &str, structure: &Structure, sizes: &Sizes, first: usize) -> Vec<(usize, f32)> {
    let mut coarse: Vec<(usize, f32)> = vec![(first, HEADING[0])];
    let mut beside = structure.beside_math.iter().copied().peekable();
    for (at, quality) in structure.lines.cuts(text) {
        while let Some(math) = beside.next_if(|&math| math <= at) {
            push(&mut coarse, math, SENTENCE);
        }
        push(&mut coarse, at, quality);
    }
    for math in beside {
        push(&mut coarse, math, SENTENCE);
    }

    let longest = sizes.target * SENTENCE_BYTES;
    let mut scan = Scan::new(structure);
    let mut fine = Vec::with_capacity(coarse.len());
    for (index, &(start, quality)) in coarse.iter().enumerate() {
        fine.push((start, quality));
        let end = coarse.get(index + 1).map_or(text.len(), |next| next.0);
        let (solid, heading) = (scan.solid(start), scan.heading(start));
        if end - start > longest && solid.is_none() && heading.is_none() {
            let mut checked = start;
            let mut worth = false;
            for offset in sentences::starts(&text[start..end]) {
                let at = start + offset;
                // What a cut leaves behind has to have a letter: a list number
                // alone is no sentence.
                worth = worth || text[checked..at].chars().any(char::is_alphabetic);
                checked = at;
                if worth && structure.inline_around(at).is_none() && !begins_line(text, at) {
                    fine.push((at, SENTENCE));
                    worth = false;
                }
            }
        }
    }
    fine
}

fn push(cuts: &mut Vec<(usize, f32)>, at: usize, quality: f32) {
    if cuts.last().is_some_and(|last| last.0 < at) {
        cuts.push((at, quality));
    }
}

/// Whether only blanks stand before `at` on its line: there the structure has
/// decided.
fn begins_line(text: &str, at: usize) -> bool {
    text[..at]
        .trim_end_matches([' ', '\t'])
        .ends_with(['\n', '\r'])
}

/// Walks solids, headings and sections beside ascending offsets.
struct Scan<'a> {
    structure: &'a Structure,
    solids: Peekable<Iter<'a, Solid>>,
    headings: Peekable<Iter<'a, Range<usize>>>,
    /// How many headings of the outline have begun.
    sections: usize,
}

impl<'a> Scan<'a> {
    fn new(structure: &'a Structure) -> Self {
        Self {
            structure,
            solids: structure.solids.iter().peekable(),
            headings: structure.heading_lines.iter().peekable(),
            sections: 0,
        }
    }

    /// The solid that holds the byte at `at`.
    fn solid(&mut self, at: usize) -> Option<&'a Solid> {
        while self.solids.next_if(|solid| solid.span.end <= at).is_some() {}
        self.solids
            .peek()
            .copied()
            .filter(|solid| solid.span.start <= at)
    }

    /// The lines of the heading that holds the byte at `at`.
    fn heading(&mut self, at: usize) -> Option<&'a Range<usize>> {
        let lines = &self.structure.lines;
        while self
            .headings
            .next_if(|heading| lines.span(heading).end <= at)
            .is_some()
        {}
        self.headings
            .peek()
            .copied()
            .filter(|heading| lines.span(heading).start <= at)
    }

    fn atom(&mut self, span: Range<usize>, quality: f32) -> Atom {
        let headings = &self.structure.outline.headings;
        while headings
            .get(self.sections)
            .is_some_and(|heading| heading.span.start <= span.start || heading.span.end <= span.end)
        {
            self.sections += 1;
        }
        let section = self.sections.checked_sub(1);
        let solid = self.solid(span.start);
        Atom {
            quality,
            tokens: 0,
            grain: Grain::Block,
            solid: solid.map(|solid| solid.kind),
            lead: solid
                .filter(|solid| solid.kind == SolidKind::TableRow)
                .and_then(|solid| solid.lead),
            lead_tokens: 0,
            section,
            opens_section: section
                .is_some_and(|section| headings[section].span.contains(&span.start)),
            heading: self.heading(span.start).is_some(),
            apart: false,
            weight: if self.structure.is_record(span.start) {
                RECORD_WEIGHT
            } else {
                1
            },
            span,
        }
    }
}
