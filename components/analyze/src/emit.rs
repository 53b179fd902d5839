//! Pieces of a text -> its terms.

use std::ops::Range;

use crate::Term;
use crate::camel;
use crate::classes::{Class, class};
use crate::fold::{self, MAX_TERM, fold};
use crate::language::Languages;
use crate::scan::{Atom, Joint, Piece, Scanner};
use crate::stems::Stems;

/// Ends the term of a run's last character.
const LAST: char = '*';

/// What follows an apostrophe in English without being a word of its own.
const ENDINGS: [&str; 6] = ["s", "d", "m", "ll", "re", "ve"];

/// The longest article or pronoun before an apostrophe, in characters: `l'`,
/// `qu'`.
const ELISION: usize = 2;

pub(crate) struct Emitter<'a> {
    text: &'a str,
    languages: Languages,
    stems: &'a mut Stems,
    terms: Vec<Term>,
    position: u32,
    /// Where the terms of the current position begin.
    variants: usize,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(text: &'a str, stems: &'a mut Stems) -> Self {
        Emitter {
            text,
            languages: Languages::of(text),
            stems,
            terms: Vec::with_capacity(text.len() / 4),
            position: 0,
            variants: 0,
        }
    }

    pub(crate) fn terms(mut self) -> Vec<Term> {
        let mut scanner = Scanner::new(self.text);
        while let Some(piece) = scanner.advance() {
            match piece {
                Piece::Compound(span) => self.compound(span, &scanner.atoms),
                Piece::Run { span, tag } => self.run(span, tag),
                Piece::Emoji(span) => self.emoji(span),
            }
        }
        self.terms
    }

    /// Adds a variant to the current position, unless it has that already.
    fn add(&mut self, text: String, span: Range<usize>) {
        let variants = &self.terms[self.variants..];
        if text.is_empty() || variants.iter().any(|term| term.text == text) {
            return;
        }
        self.terms.push(Term {
            text,
            span,
            position: self.position,
        });
    }

    /// Goes on to the next word.
    fn close(&mut self) {
        if self.terms.len() > self.variants {
            self.variants = self.terms.len();
            // A call takes fewer bytes than u32 can count.
            self.position += 1;
        }
    }

    fn compound(&mut self, span: Range<usize>, atoms: &[Atom]) {
        let [first, .., last] = atoms else {
            if let [only] = atoms {
                if span != only.span {
                    self.as_written(span);
                }
                self.word(only.span.clone());
            }
            return;
        };
        let words = first.span.start..last.span.end;
        if span != words || atoms.iter().skip(1).any(|atom| atom.joint == Joint::Path) {
            self.as_written(span);
        }
        let mut from = 0;
        for to in 1..=atoms.len() {
            if atoms.get(to).is_none_or(|atom| atom.joint == Joint::Path) {
                self.name(&atoms[from..to]);
                from = to;
            }
        }
    }

    /// The term for a compound as it is written, symbols and all.
    fn as_written(&mut self, span: Range<usize>) {
        if span.len() <= MAX_TERM {
            self.add(fold(&self.text[span.clone()]), span);
        }
    }

    /// A name of one or more words: joined, and each word.
    fn name(&mut self, atoms: &[Atom]) {
        let [first, .., last] = atoms else {
            return self.elided(atoms);
        };
        if atoms
            .iter()
            .skip(1)
            .all(|atom| atom.joint == Joint::Apostrophe)
        {
            return self.elided(atoms);
        }
        let span = first.span.start..last.span.end;
        if span.len() <= MAX_TERM {
            let joined = self.joined(atoms);
            self.add(joined, span);
            // The parts of `1,000` are no numbers.
            let mut joints = atoms.windows(2).map(|pair| pair[0].span.end);
            if joints.all(|at| self.text.as_bytes()[at] == b',') {
                return self.close();
            }
        }
        let mut from = 0;
        for to in 1..=atoms.len() {
            if atoms
                .get(to)
                .is_none_or(|atom| atom.joint != Joint::Apostrophe)
            {
                self.elided(&atoms[from..to]);
                from = to;
            }
        }
    }

    /// The words of a name without what joins them; between digits it stays.
    fn joined(&self, atoms: &[Atom]) -> String {
        let mut joined = String::new();
        let mut end = None;
        for atom in atoms {
            let word = fold(&self.text[atom.span.clone()]);
            if let Some(end) = end
                && atom.joint == Joint::Name
                && joined.ends_with(|c: char| c.is_ascii_digit())
                && word.starts_with(|c: char| c.is_ascii_digit())
            {
                let joint = &self.text[end..atom.span.start];
                if joint != "," || word.len() != 3 {
                    joined.push_str(joint);
                }
            }
            end = Some(atom.span.end);
            joined.push_str(&word);
            if joined.len() >= MAX_TERM {
                break;
            }
        }
        joined.truncate(fold::head(&joined, MAX_TERM).len());
        joined
    }

    /// Words joined by apostrophes.
    fn elided(&mut self, atoms: &[Atom]) {
        let text = self.text;
        let lower = |atom: &Atom| text[atom.span.clone()].to_lowercase();
        let (atoms, is_negation) = match atoms {
            [rest @ .., last] if !rest.is_empty() => {
                let ending = lower(last);
                if ENDINGS.contains(&ending.as_str()) {
                    (rest, false)
                } else {
                    let is_negation = ending == "t"
                        && rest.len() == 1
                        && text[..rest[0].span.end].ends_with(['n', 'N']);
                    (atoms, is_negation)
                }
            }
            _ => (atoms, false),
        };
        let ([first, ..], [.., last]) = (atoms, atoms) else {
            return;
        };
        if atoms.len() == 1 {
            return self.word(first.span.clone());
        }
        let joined = self.joined(atoms);
        self.add(joined, first.span.start..last.span.end);
        if is_negation {
            return self.close();
        }
        let is_article = text[first.span.clone()].chars().nth(ELISION).is_none();
        for atom in &atoms[usize::from(is_article)..] {
            self.word(atom.span.clone());
        }
    }

    /// One word and the words that its capitals tell apart.
    fn word(&mut self, span: Range<usize>) {
        self.forms(span.clone());
        for part in camel::parts(&self.text[span.clone()]) {
            self.forms(span.start + part.start..span.start + part.end);
            self.close();
        }
        self.close();
    }

    /// A word and its stems.
    fn forms(&mut self, span: Range<usize>) {
        let raw = &self.text[span.clone()];
        let folded = fold(raw);
        let stems = self.stems.of(raw, &folded, &self.languages);
        self.add(folded, span.clone());
        for stem in stems.into_iter().flatten() {
            self.add(stem, span.clone());
        }
    }

    fn run(&mut self, span: Range<usize>, tag: Option<usize>) {
        if let Some(start) = tag
            && span.end - start <= MAX_TERM
        {
            let tag = fold(&self.text[start..span.end]);
            self.add(tag, start..span.end);
        }
        let mut units = Units {
            text: self.text,
            at: span.start,
            end: span.end,
        };
        let Some((mut before, mut start)) = units.next() else {
            return self.close();
        };
        let mut is_first = true;
        for (unit, here) in units {
            if !is_first {
                self.close();
            }
            is_first = false;
            self.add(format!("{before}{unit}"), start.start..here.end);
            (before, start) = (unit, here);
        }
        if !before.is_empty() {
            before.push(LAST);
            self.add(before, start);
        }
        self.close();
    }

    fn emoji(&mut self, span: Range<usize>) {
        let (full, plain) = fold::fold_emoji(&self.text[span.clone()]);
        self.add(full, span.clone());
        self.add(plain, span);
        self.close();
    }
}

/// The characters of a run with their marks, folded.
struct Units<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl Iterator for Units<'_> {
    type Item = (String, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..self.end)?;
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let length = chars
            .find(|&(_, c)| class(c) != Class::Extend)
            .map_or(rest.len(), |(at, _)| at);
        let span = self.at..self.at + length;
        self.at = span.end;
        let unit = if length == first.len_utf8() && is_plain(first) {
            String::from(first)
        } else {
            fold::fold_unit(&rest[..length])
        };
        Some((unit, span))
    }
}

/// Characters that folding leaves as they are.
fn is_plain(c: char) -> bool {
    matches!(
        c,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}' | '\u{e01}'..='\u{e30}'
    )
}
