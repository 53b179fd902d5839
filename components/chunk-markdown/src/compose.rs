//! From groups of atoms to chunks: context, and the last check of sizes.

use std::ops::Range;

use crate::atoms::{Atom, Grain};
use crate::context::{Context, Contexts};
use crate::counter::Counter;
use crate::outline::Outline;
use crate::params::{FORCED, SURE_SHARE};
use crate::settings::Sizes;
use crate::structure::Structure;
use crate::{Chunk, Failure, pieces};

/// How far a plan has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Without context yet.
    Fresh,
    /// To be counted as a whole.
    Unsure,
    /// Known to fit.
    Sure,
}

/// A chunk in the making.
#[derive(Debug)]
pub(crate) struct Plan {
    /// At least one.
    pub(crate) atoms: Vec<Atom>,
    /// The heading path where it begins.
    pub(crate) path: Vec<usize>,
    pub(crate) context: Context,
    stage: Stage,
}

impl Plan {
    fn new(outline: &Outline, atoms: Vec<Atom>) -> Self {
        Self {
            path: path(outline, &atoms),
            context: Context::default(),
            stage: Stage::Fresh,
            atoms,
        }
    }

    /// Tokens of its atoms, counted one by one.
    pub(crate) fn text_tokens(&self) -> usize {
        self.atoms.iter().map(|atom| atom.tokens).sum()
    }

    /// Whether the counts of its parts leave no doubt that it fits as a whole.
    /// Parts that white space does not part may make other tokens together.
    fn fits(&self, text: &str, sizes: &Sizes) -> bool {
        let tokens = self.text_tokens() + self.context.tokens;
        tokens * SURE_SHARE.1 <= sizes.budget * SURE_SHARE.0
            && self.atoms.windows(2).all(|pair| {
                let at = pair[1].span.start;
                text[..at].ends_with(char::is_whitespace)
                    || text[at..].starts_with(char::is_whitespace)
            })
    }

    fn chunk(&self, text: &str, structure: &Structure) -> Chunk {
        Chunk {
            span: span(text, &self.atoms),
            headings: names(&structure.outline, &self.path),
            context: self.context.text(structure),
        }
    }
}

/// The chunk that all `atoms` make; there is at least one.
pub(crate) fn whole(text: &str, outline: &Outline, atoms: &[Atom]) -> Chunk {
    Chunk {
        span: span(text, atoms),
        headings: names(outline, &path(outline, atoms)),
        context: None,
    }
}

/// Gives each group its context, counts what may be over the budget, and cuts
/// what is.
pub(crate) fn chunks(
    text: &str,
    structure: &Structure,
    groups: Vec<Vec<Atom>>,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<Vec<Chunk>, Failure> {
    let mut plans: Vec<Plan> = groups
        .into_iter()
        .map(|atoms| Plan::new(&structure.outline, atoms))
        .collect();
    let mut contexts = Contexts::default();
    while plans.iter().any(|plan| plan.stage != Stage::Sure) {
        if sizes.context {
            let fresh = plans.iter_mut().filter(|plan| plan.stage == Stage::Fresh);
            contexts.add(text, structure, fresh, sizes, counter)?;
        }
        for plan in &mut plans {
            if plan.stage == Stage::Fresh {
                plan.stage = if plan.fits(text, sizes) {
                    Stage::Sure
                } else {
                    Stage::Unsure
                };
            }
        }
        plans = check(text, structure, plans, sizes, counter)?;
    }
    Ok(plans
        .iter()
        .map(|plan| plan.chunk(text, structure))
        .collect())
}

/// The bytes of a chunk of `atoms`, without white space around.
fn span(text: &str, atoms: &[Atom]) -> Range<usize> {
    let (Some(first), Some(last)) = (atoms.first(), atoms.last()) else {
        return 0..0;
    };
    let whole = &text[first.span.start..last.span.end];
    let start = first.span.start + (whole.len() - whole.trim_start().len());
    start..start + whole.trim().len()
}

/// The heading path where a chunk of `atoms` begins: where it opens with
/// headings each under the one before, that of the innermost.
fn path(outline: &Outline, atoms: &[Atom]) -> Vec<usize> {
    let level = |atom: &Atom| {
        atom.section
            .filter(|_| atom.opens_section)
            .map(|section| outline.headings[section].level)
    };
    let mut deepest = atoms.first();
    for pair in atoms.windows(2) {
        match (level(&pair[0]), level(&pair[1])) {
            (Some(above), Some(below)) if below > above => deepest = Some(&pair[1]),
            _ => break,
        }
    }
    outline.path(deepest.and_then(|atom| atom.section))
}

fn names(outline: &Outline, path: &[usize]) -> Vec<String> {
    path.iter()
        .map(|&heading| outline.headings[heading].text.clone())
        .collect()
}

/// Counts the chunks that are not sure. One that is over the budget loses its
/// context part by part, then is cut.
fn check(
    text: &str,
    structure: &Structure,
    plans: Vec<Plan>,
    sizes: &Sizes,
    counter: &mut Counter<'_>,
) -> Result<Vec<Plan>, Failure> {
    let embedded: Vec<String> = plans
        .iter()
        .filter(|plan| plan.stage == Stage::Unsure)
        .map(|plan| {
            let own = &text[span(text, &plan.atoms)];
            match plan.context.text(structure) {
                Some(context) => format!("{context}\n{own}"),
                None => own.to_owned(),
            }
        })
        .collect();
    let texts: Vec<&str> = embedded.iter().map(String::as_str).collect();
    let mut counts = counter.count(&texts)?.into_iter();
    let mut checked = Vec::with_capacity(plans.len());
    for mut plan in plans {
        if plan.stage == Stage::Unsure {
            // There is a count for each; without one it would be cut.
            let tokens = counts.next().unwrap_or(usize::MAX);
            if tokens <= sizes.budget {
                plan.stage = Stage::Sure;
            } else if !plan.context.drop_part() {
                cut(text, &structure.outline, plan, tokens, sizes, &mut checked);
                continue;
            }
        }
        checked.push(plan);
    }
    Ok(checked)
}

/// Pushes the parts of a chunk of `tokens` tokens: two halves, or the pieces
/// of its only atom.
fn cut(
    text: &str,
    outline: &Outline,
    plan: Plan,
    tokens: usize,
    sizes: &Sizes,
    parts: &mut Vec<Plan>,
) {
    let counted = plan.text_tokens();
    let mut atoms = plan.atoms;
    if atoms.len() > 1 {
        for atom in &mut atoms {
            // Its parts were counted too low, so they are taken for more.
            atom.tokens = atom.tokens.saturating_mul(tokens).div_ceil(counted);
        }
        let rest = atoms.split_off(middle(&atoms));
        parts.push(Plan::new(outline, atoms));
        parts.push(Plan::new(outline, rest));
        return;
    }
    let Some(atom) = atoms.pop() else { return };
    let own = span(text, std::slice::from_ref(&atom));
    let cuts = pieces::divide(text, own, tokens.div_ceil(sizes.target));
    let mut bounds = vec![atom.span.start];
    bounds.extend(&cuts);
    bounds.push(atom.span.end);
    for (index, bound) in bounds.windows(2).enumerate() {
        let mut piece = Atom {
            span: bound[0]..bound[1],
            grain: Grain::Piece,
            tokens: tokens / (bounds.len() - 1),
            ..atom.clone()
        };
        if index > 0 {
            piece.quality = FORCED;
            piece.opens_section = false;
        }
        let mut plan = Plan::new(outline, vec![piece]);
        if cuts.is_empty() {
            // A single character is as small as a chunk gets.
            plan.stage = Stage::Sure;
        }
        parts.push(plan);
    }
}

/// Where to cut a chunk of at least two atoms in two: at the best cut, one
/// near the middle preferred.
fn middle(atoms: &[Atom]) -> usize {
    let total: usize = atoms.iter().map(|atom| atom.tokens).sum();
    let mut before = 0;
    let mut best = (f64::NEG_INFINITY, 1);
    for index in 1..atoms.len() {
        before += atoms[index - 1].tokens;
        let off = (before as f64 / total as f64 - 0.5).abs() * 2.0;
        let value = f64::from(atoms[index].quality) - off;
        if value > best.0 {
            best = (value, index);
        }
    }
    best.1
}
