//! What stands before a chunk's text when it is embedded.

use std::collections::BTreeMap;

use crate::Failure;
use crate::compose::Plan;
use crate::counter::Counter;
use crate::outline::shorten;
use crate::params::{CONTEXT_SHARE, SHORTEST_HEADING};
use crate::settings::Sizes;
use crate::structure::Structure;

/// Tokens that ` > ` between two headings is taken to have.
const SEPARATOR_TOKENS: usize = 2;

/// The context of one chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// Headings, joined.
    pub(crate) headings: Option<String>,
    /// Table header or opening fence: an index into the leads.
    pub(crate) lead: Option<usize>,
    /// What both are taken to have, with the line breaks after them.
    pub(crate) tokens: usize,
}

impl Context {
    /// The text of it, without a line break at the end.
    pub(crate) fn text(&self, structure: &Structure) -> Option<String> {
        let lead = self.lead.map(|lead| structure.leads[lead].as_str());
        match (self.headings.as_deref(), lead) {
            (Some(headings), Some(lead)) => Some(format!("{headings}\n{lead}")),
            (one, other) => one.or(other).map(str::to_owned),
        }
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
        let texts: Vec<&str> = unknown
            .iter()
            .map(|&heading| headings[heading].text.as_str())
            .collect();
        let counts = counter.count(&texts)?;
        self.heading_tokens.extend(unknown.into_iter().zip(counts));
        for plan in plans {
            plan.context = self.of(structure, plan, sizes);
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

/// The headings of a chunk's path that stand before the chunk.
fn outside(structure: &Structure, plan: &Plan) -> Vec<usize> {
    let start = plan.atoms.first().map_or(0, |atom| atom.span.start);
    plan.path
        .iter()
        .copied()
        .filter(|&heading| structure.outline.headings[heading].span.start < start)
        .collect()
}
