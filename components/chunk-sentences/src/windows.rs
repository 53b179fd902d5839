//! Filling windows with sentences, and checking them.

use std::ops::Range;

use crate::atoms::{self, Atom};
use crate::counter::Counter;
use crate::settings::Sizes;
use crate::{Failure, pieces};

/// A window whose parts add up to at most this fraction of the size is not
/// counted again as a whole: joining texts at white space does not make them
/// grow by a tenth.
const SURE_SHARE: (usize, usize) = (9, 10);

/// A chunk in the making.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    /// The end of the sentence before that is too long to repeat whole.
    tail: Option<Range<usize>>,
    /// How many of the atoms are repeated from the window before.
    repeated: usize,
    /// Which atoms it holds; at least one.
    atoms: Range<usize>,
    /// Whether it is known to fit.
    sure: bool,
}

impl Window {
    /// Its bytes without white space at the end.
    fn span(&self, text: &str, atoms: &[Atom]) -> Range<usize> {
        let atoms = &atoms[self.atoms.clone()];
        let start = atoms.first().map_or(0, |atom| atom.span.start);
        let end = atoms.last().map_or(start, |atom| atom.trimmed(text).end);
        self.tail.as_ref().map_or(start, |tail| tail.start)..end
    }

    /// Whether the counts of its parts leave no doubt that it fits as a whole.
    fn fits(&self, text: &str, atoms: &[Atom], sizes: &Sizes) -> bool {
        let atoms = &atoms[self.atoms.clone()];
        let tokens: usize = atoms.iter().map(|atom| atom.tokens).sum();
        self.tail.is_none()
            && tokens * SURE_SHARE.1 <= sizes.window * SURE_SHARE.0
            && atoms
                .windows(2)
                .all(|pair| text[..pair[1].span.start].ends_with(char::is_whitespace))
    }
}

/// Puts measured atoms into windows: as many as fit, then on from the last of
/// them that fit the overlap. Every window has an atom that none before has.
pub(crate) fn fill(text: &str, atoms: &[Atom], sizes: &Sizes) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut tail: Option<Range<usize>> = None;
    // The first atom of the window, the first that is new in it, and the
    // tokens of what it repeats.
    let (mut first, mut new, mut repeated) = (0, 0, 0);
    while new < atoms.len() {
        let mut size = repeated + atoms[new].tokens;
        let mut end = new + 1;
        while end < atoms.len() && size + atoms[end].tokens <= sizes.window && !atoms[end].apart {
            size += atoms[end].tokens;
            end += 1;
        }
        let mut window = Window {
            tail: tail.take(),
            repeated: new - first,
            atoms: first..end,
            sure: false,
        };
        window.sure = window.fits(text, atoms, sizes);
        windows.push(window);

        let Some(next) = atoms.get(end) else { break };
        let mut start = end;
        repeated = 0;
        if !next.apart {
            // What is repeated leaves room for the next atom.
            let room = sizes.overlap.min(sizes.window.saturating_sub(next.tokens));
            while start > first + 1 && repeated + atoms[start - 1].tokens <= room {
                start -= 1;
                repeated += atoms[start].tokens;
            }
            if start == end && room == sizes.overlap {
                tail = part_of_end(text, &atoms[end - 1], room);
                repeated = if tail.is_some() { room } else { 0 };
            }
        }
        (first, new) = (start, end);
    }
    windows
}

/// The last words of an atom, fewer than `most` tokens of it by their share of
/// its bytes. None where the atom is not longer.
fn part_of_end(text: &str, atom: &Atom, most: usize) -> Option<Range<usize>> {
    if most == 0 || atom.tokens <= most {
        return None;
    }
    let cuts = pieces::divide(text, atom.trimmed(text), 2 * atom.tokens.div_ceil(most));
    cuts.last().map(|&start| start..atom.trimmed(text).end)
}

/// The bytes of each window; counts those that may be too large, and makes
/// them smaller until they are not.
pub(crate) fn checked(
    text: &str,
    mut atoms: Vec<Atom>,
    mut windows: Vec<Window>,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<Vec<Range<usize>>, Failure> {
    while windows.iter().any(|window| !window.sure) {
        let mut texts = Vec::new();
        for window in windows.iter().filter(|window| !window.sure) {
            texts.push(&text[window.span(text, &atoms)]);
            texts.extend(window.tail.clone().map(|tail| &text[tail]));
        }
        let mut counts = counter.count(&texts)?.into_iter();
        let mut next = Vec::with_capacity(windows.len());
        for mut window in windows {
            if !window.sure {
                // There is a count for each; without one it would be cut.
                let whole = counts.next().unwrap_or(usize::MAX);
                let tail = match window.tail {
                    Some(_) => counts.next().unwrap_or(usize::MAX),
                    None => 0,
                };
                if whole <= sizes.window && tail <= sizes.overlap {
                    window.sure = true;
                } else if window.tail.take().is_none() {
                    if window.repeated == 0 {
                        cut(text, &mut atoms, window, whole, sizes, &mut next);
                        continue;
                    }
                    window.atoms.start += window.repeated.div_ceil(2);
                    window.repeated /= 2;
                }
            }
            next.push(window);
        }
        windows = next;
    }
    Ok(windows
        .iter()
        .map(|window| window.span(text, &atoms))
        .collect())
}

/// Pushes the parts of a window of `tokens` tokens that repeats nothing: two
/// halves, or the pieces of its only atom, which are added to `atoms`.
fn cut(
    text: &str,
    atoms: &mut Vec<Atom>,
    window: Window,
    tokens: usize,
    sizes: &Sizes,
    parts: &mut Vec<Window>,
) {
    let mut push = |atoms, sure| {
        parts.push(Window {
            tail: None,
            repeated: 0,
            atoms,
            sure,
        });
    };
    let Range { start, end } = window.atoms;
    if end - start > 1 {
        let middle = start + (end - start) / 2;
        push(start..middle, false);
        push(middle..end, false);
        return;
    }
    let whole = Atom {
        tokens,
        ..atoms[start].clone()
    };
    let pieces = atoms::divide(text, &whole, sizes.window);
    // A single character is as small as a chunk gets.
    let sure = pieces.len() == 1;
    for piece in pieces {
        atoms.push(piece);
        push(atoms.len() - 1..atoms.len(), sure);
    }
}
