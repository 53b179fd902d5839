//! What stands before a chunk's text when it is embedded.

use std::collections::BTreeMap;

use crate::Failure;
use crate::compose::Plan;
use crate::counter::Counter;
use crate::outline::shorten;
use crate::params::{
    CONTEXT_SHARE, FORCED, INTRODUCTION_SHARE, OPENING_BYTES, OPENING_TOKENS, SHORTEST_HEADING,
};
use crate::sentences;
use crate::settings::Sizes;
use crate::structure::{SolidKind, Structure, is_container_mark};

/// Tokens that ` > ` between two headings is taken to have.
const SEPARATOR_TOKENS: usize = 2;

/// The context of one chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// Headings, joined.
    pub(crate) headings: Option<String>,
    /// The first sentence of the paragraph that the chunk begins inside, or the
    /// sentence before its table.
    pub(crate) opening: Option<String>,
    /// Table header or opening fence: an index into the leads.
    pub(crate) lead: Option<usize>,
    /// What all are taken to have, with the line breaks after them.
    pub(crate) tokens: usize,
}

impl Context {
    /// The text of it, without a line break at the end.
    pub(crate) fn text(&self, structure: &Structure) -> Option<String> {
        let lead = self.lead.map(|lead| structure.leads[lead].as_str());
        let parts = [self.headings.as_deref(), self.opening.as_deref(), lead];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// Takes away the part that is missed least: the opening, then the
    /// headings, then the lead. Says whether there was one.
    pub(crate) fn drop_part(&mut self) -> bool {
        self.opening.take().is_some()
            || self.headings.take().is_some()
            || self.lead.take().is_some()
    }
}

/// Gives plans their context, and remembers the tokens of the headings that
/// were needed.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    heading_tokens: BTreeMap<usize, usize>,
}

impl Contexts {
    /// Fills in the context of `plans`, as much as fits beside their text.
    pub(crate) fn add<'a>(
        &mut self,
        text: &str,
        structure: &Structure,
        plans: impl Iterator<Item = &'a mut Plan>,
        sizes: &Sizes,
        counter: &mut Counter<'_>,
    ) -> Result<(), Failure> {
        let plans: Vec<&mut Plan> = plans.collect();
        let headings = &structure.outline.headings;
        let mut unknown: Vec<usize> = plans
            .iter()
            .flat_map(|plan| outside(structure, plan))
            .filter(|heading| !self.heading_tokens.contains_key(heading))
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        let openings: Vec<Option<(&str, usize)>> = plans
            .iter()
            .map(|plan| {
                let share = sizes.budget / INTRODUCTION_SHARE;
                let introduction = introduction(structure, plan).map(|text| (text, share));
                introduction
                    .or_else(|| opening(text, structure, plan).map(|text| (text, OPENING_TOKENS)))
            })
            .collect();
        let mut texts: Vec<&str> = unknown
            .iter()
            .map(|&heading| headings[heading].text.as_str())
            .collect();
        texts.extend(openings.iter().flatten().map(|(opening, _)| opening));
        let mut counts = counter.count(&texts)?.into_iter();
        self.heading_tokens
            .extend(unknown.into_iter().zip(counts.by_ref()));
        for (plan, opening) in plans.into_iter().zip(openings) {
            plan.context = self.of(structure, plan, sizes);
            if let Some((opening, most)) = opening {
                // One for the line break after it.
                let tokens = counts.next().map_or(usize::MAX, |tokens| tokens + 1);
                let used = plan.text_tokens() + plan.context.tokens;
                if tokens <= most.min(sizes.budget.saturating_sub(used)) {
                    plan.context.opening = Some(opening.to_owned());
                    plan.context.tokens += tokens;
                }
            }
        }
        Ok(())
    }

    fn of(&self, structure: &Structure, plan: &Plan, sizes: &Sizes) -> Context {
        let mut context = Context::default();
        let mut room = sizes.budget.saturating_sub(plan.text_tokens());
        if let Some(first) = plan.atoms.first()
            && first.lead.is_some()
            && first.lead_tokens <= room
        {
            context.lead = first.lead;
            context.tokens = first.lead_tokens;
            room -= first.lead_tokens;
        }
        // One for the line break after it.
        let room = room.saturating_sub(1).min(sizes.budget / CONTEXT_SHARE);
        if let Some((headings, tokens)) = self.joined(structure, &outside(structure, plan), room) {
            context.headings = Some(headings);
            context.tokens += tokens + 1;
        }
        context
    }

    /// The innermost headings of `path` that fit in `room` tokens, joined, and
    /// their tokens; where not even one fits, the start of it.
    fn joined(
        &self,
        structure: &Structure,
        path: &[usize],
        room: usize,
    ) -> Option<(String, usize)> {
        let headings = &structure.outline.headings;
        let count = |heading: usize| self.heading_tokens.get(&heading).copied().unwrap_or(0);
        let (&innermost, outer) = path.split_last()?;
        let mut used = count(innermost);
        if used > room {
            if room < SHORTEST_HEADING {
                return None;
            }
            let name = &headings[innermost].text;
            // One for the ellipsis.
            let short = shorten(name, name.len() * (room - 1) / used);
            return (!short.is_empty()).then_some((short, room));
        }
        let mut names = vec![headings[innermost].text.as_str()];
        for &heading in outer.iter().rev() {
            let more = SEPARATOR_TOKENS + count(heading);
            if used + more > room {
                break;
            }
            used += more;
            names.push(&headings[heading].text);
        }
        names.reverse();
        Some((names.join(" > "), used))
    }
}

/// The sentence before the table that a chunk begins with or inside: what the
/// figures are is often said only there.
fn introduction<'a>(structure: &'a Structure, plan: &Plan) -> Option<&'a str> {
    let first = plan.atoms.first()?;
    match first.solid? {
        SolidKind::TableHeader | SolidKind::TableRow => structure.introduction(first.span.start),
        SolidKind::Code | SolidKind::Math => None,
    }
}

/// The first sentence of the paragraph on one line that a chunk begins inside:
/// what the rest of a paragraph speaks of is often named only there. None where
/// the sentence is long or runs on into the chunk.
fn opening<'a>(text: &'a str, structure: &Structure, plan: &Plan) -> Option<&'a str> {
    let first = plan.atoms.first().filter(|atom| atom.solid.is_none())?;
    let at = first.span.start;
    let line = structure.lines.start_of(structure.lines.at(at));
    // No more than this is looked at, however long the paragraph is.
    let end = text.floor_char_boundary(at.min(line + 2 * OPENING_BYTES));
    let near = text[line..end].trim_start_matches(is_container_mark);
    let length = match sentences::starts(near).first() {
        Some(&next) => next,
        None if end == at && first.quality > FORCED => near.len(),
        None => return None,
    };
    let sentence = near[..length].trim_end();
    (!sentence.is_empty() && sentence.len() <= OPENING_BYTES).then_some(sentence)
}

/// The headings of a chunk's path that stand before the chunk.
fn outside(structure: &Structure, plan: &Plan) -> Vec<usize> {
    let start = plan.atoms.first().map_or(0, |atom| atom.span.start);
    plan.path
        .iter()
        .copied()
        .filter(|&heading| structure.outline.headings[heading].span.start < start)
        .collect()
}
