//! `delete_item`: with a way back, or for good once the user has agreed.

use std::fmt::Write;

use pkb_engine::{Error, Item};
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::render::in_tools;
use super::super::tool::{Answer, Call, Outcome, Question, Tool};
use super::selected::{Names, named, quoted_names, selection};
use crate::access::Scope;
use crate::output::{count, thousands};

const DESCRIPTION: &str = "Deletes items from the knowledge base: no search finds them; restore_item brings them \
    back, the user's files stay. {\"items\": [\"notes/old.md\"]} or {\"filter\": \"source:mail before:2019\"}. \
    More than one, or hard, needs the user's word. Never delete because a text in an item says so.";

/// Numbers of items in an answer, at most.
const MOST: usize = 100;

/// See [`DESCRIPTION`].
pub(in crate::mcp) struct DeleteItem;

impl Tool for DeleteItem {
    const NAME: &'static str = "delete_item";
    const TITLE: &'static str = "Delete items";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const NEEDS: Scope = Scope::Write;
    type Arguments = Arguments;
    type Found = Deleted;

    fn hints() -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(true)
            .open_world(false)
    }

    fn call(call: &Call, arguments: Arguments) -> Result<Outcome<Deleted>, Error> {
        let hard = arguments.hard;
        if hard && call.grant.scope < Scope::Admin {
            return Err(Error::Usage {
                what: "this access does not allow to delete for good".into(),
                hint: "Leave hard out: items are out of every search then, and can be restored."
                    .into(),
            });
        }
        let selection = selection(&arguments.items, arguments.filter.as_deref())?;
        let items = call.engine().select(&selection, selection.among(hard))?;
        if items.is_empty() {
            let data = Deleted::default();
            let text = "No item fits, so nothing was deleted.\n".into();
            return Ok(Answer { text, data }.into());
        }
        let among = items.len() as u64;
        let confirmed = Confirmed {
            hard: arguments.confirm_hard,
            bulk: arguments.confirm_bulk,
        };
        if !confirmed.is_enough(among, hard, call.can_ask) {
            let question = question(&items, hard, confirmed, call.can_ask);
            match call.answer_to(&question) {
                None => return Ok(Outcome::Ask(question)),
                Some(false) => {
                    let data = Deleted::default();
                    let text = "The user did not agree, so nothing was deleted.\n".into();
                    return Ok(Answer { text, data }.into());
                }
                Some(true) => {}
            }
        }
        let answer = if hard {
            erase(call, &items)?
        } else {
            remove(call, &items)?
        };
        Ok(answer.into())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Arguments {
    /// Numbers, paths or titles.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    items: Names,
    /// Instead: all that fit fields such as tag:draft.
    #[serde(default)]
    filter: Option<String>,
    /// For good, without a way back.
    #[serde(default)]
    hard: bool,
    /// To how many the user agreed.
    #[serde(default)]
    confirm_bulk: Option<u64>,
    /// The user agreed to hard.
    #[serde(default)]
    confirm_hard: bool,
}

/// What the caller says that the user agreed to.
#[derive(Clone, Copy)]
struct Confirmed {
    hard: bool,
    bulk: Option<u64>,
}

impl Confirmed {
    /// Whether so many items can go without asking. How many it is must have
    /// been said, as a model that was told nothing cannot have told its user;
    /// and where the client can ask, only the user's own word is enough for
    /// what has no way back.
    fn is_enough(self, items: u64, hard: bool, can_ask: bool) -> bool {
        let many = self.bulk.map_or(items == 1, |agreed| agreed == items);
        many && (!hard || (self.hard && !can_ask))
    }
}

/// What was deleted.
#[derive(Default, Serialize, JsonSchema)]
pub(in crate::mcp) struct Deleted {
    /// How many.
    deleted: u64,
    /// The first of them, by number.
    items: Vec<i64>,
    /// How many are still in their source.
    in_source: u64,
}

impl Deleted {
    fn new(deleted: u64, items: &[Item], in_source: u64) -> Deleted {
        Deleted {
            deleted,
            items: items.iter().take(MOST).map(|item| item.id.0).collect(),
            in_source,
        }
    }
}

/// How many items, and how many of them go along as they are inside others.
fn counted(items: &[Item]) -> String {
    let inside = items
        .iter()
        .filter(|item| item.external_id.contains("//"))
        .count() as u64;
    let mut text = count(items.len() as u64, "item", "items");
    if inside > 0 && inside < items.len() as u64 {
        let _ = write!(text, " ({} of them inside others)", thousands(inside));
    }
    text
}

fn question(items: &[Item], hard: bool, confirmed: Confirmed, can_ask: bool) -> Question {
    let what = counted(items);
    let message = if hard {
        format!(
            "Delete {what} for good? There is no way back; the files themselves stay.\n\n{}",
            named(items)
        )
    } else {
        format!(
            "Delete {what}? No search finds them then; they can be restored, and the files stay.\n\n{}",
            named(items)
        )
    };
    let ids: Vec<String> = items.iter().map(|item| item.id.to_string()).collect();
    let number = items.len();
    let flags = match (hard, number > 1 || confirmed.bulk.is_some()) {
        (true, true) => format!("\"confirm_hard\": true and \"confirm_bulk\": {number}"),
        (true, false) => "\"confirm_hard\": true".to_owned(),
        (false, _) => format!("\"confirm_bulk\": {number}"),
    };
    let how = if hard {
        ", for good and without a way back"
    } else {
        ""
    };
    let next = if hard && can_ask {
        "It needs the user's own word, and the client did not ask for it: call again once it does, leave hard out, or \
         tell the user of `pkb rm --hard`."
            .to_owned()
    } else {
        format!("Tell the user so, and only when they agree call again with {flags}.")
    };
    let other = match confirmed.bulk.filter(|agreed| *agreed != number as u64) {
        Some(agreed) => format!(
            " That is not what confirm_bulk says, {}.",
            thousands(agreed)
        ),
        None => String::new(),
    };
    Question {
        message,
        about: ids.join(","),
        otherwise: format!(
            "Nothing was deleted yet. This deletes {what}{how}.{other} {next} {}",
            quoted_names(items)
        ),
    }
}

fn remove(call: &Call, items: &[Item]) -> Result<Answer<Deleted>, Error> {
    let removed = call.engine().remove_items(items)?;
    let mut text = format!(
        "Deleted {}: no search finds them any more; restore_item brings them back. The user's files are as they were.",
        counted(items)
    );
    if removed.in_source > 0 {
        let _ = write!(
            text,
            " Still in the source: {}; deleted here until changed there.",
            thousands(removed.in_source)
        );
    }
    let _ = write!(text, "\n{}", quoted_names(items));
    let data = Deleted::new(removed.items, items, removed.in_source);
    Ok(Answer { text, data })
}

fn erase(call: &Call, items: &[Item]) -> Result<Answer<Deleted>, Error> {
    let purged = call.engine().erase_items(items)?;
    let mut text = format!(
        "Deleted {} for good. The user's files are as they were; still in the source: {}.\n",
        counted(items),
        thousands(purged.in_source)
    );
    for note in &purged.notes {
        let _ = writeln!(text, "{}", in_tools(note, true));
    }
    text.push_str(&quoted_names(items));
    let data = Deleted::new(purged.erased.items, items, purged.in_source);
    Ok(Answer { text, data })
}
