//! Measuring atoms in tokens, and cutting those that are too large.

use crate::atoms::{Atom, Grain};
use crate::counter::Counter;
use crate::params::{
    FORCED, GLUED, GUESSED_TOKEN_BYTES, LINE, LOOSE_LIMIT, ROW, SENTENCE, TOKEN_BYTES,
};
use crate::settings::Sizes;
use crate::structure::{SolidKind, Structure};
use crate::{Failure, pieces, sentences};

/// An atom of more bytes than this is cut without having been counted.
const COUNTED_BYTES: usize = 1 << 20;

/// Fills in the tokens of `atoms` and of their leads. Atoms over their limit
/// become smaller ones: a code block lines, a line sentences, a sentence
/// words. Each round asks for the counts of all new atoms at once.
pub(crate) fn measure(
    text: &str,
    mut atoms: Vec<Atom>,
    structure: &Structure,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<Vec<Atom>, Failure> {
    let mut leads: Vec<Option<usize>> = vec![None; structure.leads.len()];
    loop {
        count(text, &mut atoms, &mut leads, structure, sizes, counter)?;
        if !atoms.iter().any(|atom| is_too_large(atom, sizes)) {
            return Ok(atoms);
        }
        let mut finer = Vec::with_capacity(atoms.len() + atoms.len() / 4);
        for atom in atoms {
            if is_too_large(&atom, sizes) {
                split(text, atom, structure, sizes, &mut finer);
            } else {
                finer.push(atom);
            }
        }
        atoms = finer;
    }
}

/// The tokens above which an atom is cut.
fn limit(atom: &Atom, sizes: &Sizes) -> usize {
    let whole = atom.solid.is_some() && atom.grain <= Grain::Line;
    if whole || atom.grain == Grain::Character {
        sizes.budget
    } else {
        sizes
            .budget
            .min(sizes.target * LOOSE_LIMIT.0 / LOOSE_LIMIT.1)
    }
}

fn is_too_large(atom: &Atom, sizes: &Sizes) -> bool {
    atom.tokens > limit(atom, sizes)
}

fn count(
    text: &str,
    atoms: &mut [Atom],
    leads: &mut [Option<usize>],
    structure: &Structure,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<(), Failure> {
    let mut asked: Vec<usize> = Vec::new();
    let mut asked_leads: Vec<usize> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    for (index, atom) in atoms.iter_mut().enumerate() {
        if atom.tokens > 0 {
            continue;
        }
        if let Some(lead) = atom.lead.filter(|_| sizes.context)
            && leads[lead].is_none()
        {
            leads[lead] = Some(0);
            asked_leads.push(lead);
        }
        let counted = atom.counted(text);
        atom.tokens = least(counted, limit(atom, sizes));
        if atom.tokens == 0 {
            asked.push(index);
            texts.push(counted);
        }
    }
    texts.extend(
        asked_leads
            .iter()
            .map(|&lead| structure.leads[lead].as_str()),
    );
    let counts = counter.count(&texts)?;
    for (&lead, &tokens) in asked_leads.iter().zip(&counts[asked.len()..]) {
        leads[lead] = Some(tokens.max(structure.leads[lead].len() / TOKEN_BYTES));
    }
    for (&index, &tokens) in asked.iter().zip(&counts) {
        let atom = &mut atoms[index];
        atom.tokens = tokens
            .max(dense_bytes(atom.counted(text)) / TOKEN_BYTES)
            .max(1);
        atom.lead_tokens = match atom.lead.and_then(|lead| leads[lead]) {
            // One more for the line break after it.
            Some(tokens) if (1..sizes.budget / 2).contains(&tokens) => tokens + 1,
            // Nothing to repeat, or so much that little else would fit.
            _ => {
                atom.lead = None;
                0
            }
        };
    }
    Ok(())
}

/// A guess at the tokens of a text that is over `limit` without counting; 0
/// where it has to be counted.
fn least(text: &str, limit: usize) -> usize {
    let over = text.len() > COUNTED_BYTES
        || (text.len() > limit.saturating_mul(TOKEN_BYTES)
            && dense_bytes(text) > limit.saturating_mul(TOKEN_BYTES));
    if over {
        (text.len() / GUESSED_TOKEN_BYTES).max(limit + 1)
    } else {
        0
    }
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

/// Pushes the parts of `atom`, cut at the coarsest grain that cuts it at all.
fn split(text: &str, atom: Atom, structure: &Structure, sizes: &Sizes, parts: &mut Vec<Atom>) {
    let (grain, cuts) = cuts(text, &atom, structure, sizes);
    let whole = Atom {
        grain,
        tokens: 0,
        ..atom
    };
    let Some((&first, &last)) = cuts.first().zip(cuts.last()) else {
        // As small as it gets, whatever it counts; it fills a chunk.
        parts.push(Atom {
            grain: Grain::Character,
            tokens: sizes.budget,
            ..whole
        });
        return;
    };
    let code = whole.solid == Some(SolidKind::Code) && grain == Grain::Line;
    let lead = if code {
        let start = whole.span.start;
        let next = structure
            .solids
            .partition_point(|solid| solid.span.end <= start);
        structure.solids.get(next).and_then(|solid| solid.lead)
    } else {
        whole.lead
    };
    parts.push(Atom {
        span: whole.span.start..first,
        ..whole.clone()
    });
    let quality = quality(&whole, grain);
    for (index, &cut) in cuts.iter().enumerate() {
        // A fence stays with the code it opens or closes.
        let fence = code && lead.is_some() && (cut == first || cut == last);
        let apart = parts.last().is_some_and(|before| before.ends_wide(text));
        parts.push(Atom {
            span: cut..cuts.get(index + 1).copied().unwrap_or(whole.span.end),
            quality: if fence { GLUED } else { quality },
            lead,
            opens_section: false,
            apart,
            ..whole.clone()
        });
    }
}

/// Where to cut an atom, and into what; no cuts only for a single character.
fn cuts(text: &str, atom: &Atom, structure: &Structure, sizes: &Sizes) -> (Grain, Vec<usize>) {
    let start = atom.span.start;
    let span = start..start + text[atom.span.clone()].trim_end().len();
    if atom.grain < Grain::Line {
        let mut cuts: Vec<usize> = structure.lines.starts_in(text, &span).collect();
        cuts.retain(|&cut| structure.inline_around(cut).is_none());
        if !cuts.is_empty() {
            return (Grain::Line, cuts);
        }
    }
    if atom.grain < Grain::Sentence {
        let starts = sentences::starts(&text[span.clone()]);
        let mut cuts: Vec<usize> = starts.into_iter().map(|offset| start + offset).collect();
        cuts.retain(|&cut| structure.inline_around(cut).is_none());
        if !cuts.is_empty() {
            return (Grain::Sentence, cuts);
        }
    }
    let mut cuts = pieces::divide(text, span, atom.tokens.div_ceil(sizes.target));
    let mut before = start;
    for cut in &mut cuts {
        // Before a link or code span rather than inside, if that is a step on.
        if let Some(inline) = structure.inline_around(*cut)
            && inline.start > before
        {
            *cut = inline.start;
        }
        before = *cut;
    }
    (Grain::Piece, cuts)
}

fn quality(atom: &Atom, grain: Grain) -> f32 {
    match grain {
        Grain::Block | Grain::Line if atom.solid == Some(SolidKind::TableRow) => ROW,
        Grain::Block | Grain::Line => LINE,
        Grain::Sentence => SENTENCE,
        Grain::Piece | Grain::Character => FORCED,
    }
}
