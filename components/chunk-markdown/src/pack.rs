//! Which atoms make a chunk: the cheapest division of a text.
//!
//! Every way to divide the atoms costs the sum over its chunks of how far the
//! chunk's size is from the target, how badly the chunk begins, and which
//! better beginnings it runs on over. The cheapest way is found by going through
//! the atoms once, looking ahead a few chunk sizes.

use crate::atoms::Atom;
use crate::outline::Outline;
use crate::params::{
    CUT_COST, FORCED, GLUE_COST, INNER_COST, INNER_QUALITY, OVER_COST, REACH, STRONG_COST,
    STRONG_FILL, STRONG_LEVEL, UNDER_COST,
};
use crate::settings::Sizes;

/// Divides measured atoms into the atoms of each chunk. No chunk of several
/// atoms has more tokens than the budget, what it repeats included.
pub(crate) fn pack(atoms: Vec<Atom>, outline: &Outline, sizes: &Sizes) -> Vec<Vec<Atom>> {
    let ends = ends(&atoms, outline, sizes);
    let mut groups = Vec::with_capacity(ends.len());
    let mut atoms = atoms.into_iter();
    let mut start = 0;
    for end in ends {
        groups.push(atoms.by_ref().take(end - start).collect());
        start = end;
    }
    groups
}

/// One past the last atom of each chunk, in order.
fn ends(atoms: &[Atom], outline: &Outline, sizes: &Sizes) -> Vec<usize> {
    let mut cheapest = vec![f64::INFINITY; atoms.len() + 1];
    let mut begin = vec![0; atoms.len() + 1];
    cheapest[0] = 0.0;
    for (first, atom) in atoms.iter().enumerate() {
        let mut cost = cheapest[first];
        if first > 0 {
            cost += cut_cost(atom.quality);
        }
        let mut size = atom.lead_tokens;
        let mut weighed = size;
        for (next, atom) in atoms.iter().enumerate().skip(first) {
            if next > first {
                let full = size > REACH * sizes.target || size + atom.tokens > sizes.budget;
                if full || atom.apart {
                    break;
                }
                if atom.quality >= INNER_QUALITY {
                    cost += INNER_COST * (weighed as f64 / sizes.target as f64).min(1.0);
                }
                if is_strong(atom, outline) && size * STRONG_FILL >= sizes.target {
                    cost += STRONG_COST;
                }
            }
            size += atom.tokens;
            weighed = weighed.saturating_add(atom.tokens.saturating_mul(atom.weight));
            let total = cost + size_cost(weighed, sizes.target);
            if total < cheapest[next + 1] {
                cheapest[next + 1] = total;
                begin[next + 1] = first;
            }
        }
    }
    let mut ends = Vec::new();
    let mut end = atoms.len();
    while end > 0 {
        ends.push(end);
        end = begin[end];
    }
    ends.reverse();
    ends
}

fn is_strong(atom: &Atom, outline: &Outline) -> bool {
    atom.opens_section
        && atom
            .section
            .is_some_and(|section| outline.headings[section].level <= STRONG_LEVEL)
}

fn cut_cost(quality: f32) -> f64 {
    if quality < FORCED {
        GLUE_COST
    } else {
        CUT_COST * (1.0 - f64::from(quality))
    }
}

/// Grows with the square of the distance from the target; from twice the
/// target on in proportion, so that one large code block does not outweigh
/// everything around it.
fn size_cost(size: usize, target: usize) -> f64 {
    let off = (size as f64 - target as f64) / target as f64;
    if off <= 0.0 {
        UNDER_COST * off * off
    } else if off <= 1.0 {
        OVER_COST * off * off
    } else {
        OVER_COST * (2.0 * off - 1.0)
    }
}
