//! Prompts: what a person picks from their client's menu.

use std::sync::Arc;

use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, JsonObject, ListPromptsResult, Prompt,
    PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::render::line;
use super::service::Service;
use crate::access::Grant;
use crate::filters::When;

pub(super) const ASK: &str = "ask-with-citations";
pub(super) const REVIEW: &str = "weekly-review";
pub(super) const RELATED: &str = "find-related";

/// An argument, and whether it must be given.
struct Takes {
    name: &'static str,
    about: &'static str,
    required: bool,
}

struct Known {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    takes: &'static [Takes],
}

const SOURCE: Takes = Takes {
    name: "source",
    about: "Only from this source; all when left out",
    required: false,
};

const ALL: [Known; 3] = [
    Known {
        name: ASK,
        title: "Ask, with citations",
        about: "Answers a question from what you saved, citing each place",
        takes: &[
            Takes {
                name: "question",
                about: "What you want to know",
                required: true,
            },
            SOURCE,
        ],
    },
    Known {
        name: REVIEW,
        title: "Weekly review",
        about: "Sums up what you saved lately, and what is left open in it",
        takes: &[
            Takes {
                name: "since",
                about: "How far back, such as 7d, last-week or 2026-11-01; 7d when left out",
                required: false,
            },
            SOURCE,
        ],
    },
    Known {
        name: RELATED,
        title: "Find related items",
        about: "Shows what else you saved that belongs to an item, and how",
        takes: &[Takes {
            name: "item",
            about: "Title, path or number of the item",
            required: true,
        }],
    },
];

pub(super) fn list() -> ListPromptsResult {
    ListPromptsResult {
        prompts: ALL.iter().map(prompt).collect(),
        ..ListPromptsResult::default()
    }
}

fn prompt(known: &Known) -> Prompt {
    let arguments = known.takes.iter().map(|takes| {
        PromptArgument::new(takes.name)
            .with_description(takes.about)
            .with_required(takes.required)
    });
    Prompt::new(known.name, Some(known.about), Some(arguments.collect())).with_title(known.title)
}

/// Whether a prompt of that name takes such an argument.
pub(super) fn takes(prompt: &str, argument: &str) -> bool {
    ALL.iter()
        .any(|known| known.name == prompt && known.takes.iter().any(|takes| takes.name == argument))
}

/// # Errors
/// Where there is no such prompt, or an argument is missing or unknown.
pub(super) fn get(
    service: &Arc<Service>,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let wrong = |what: String| Err(ErrorData::invalid_params(what, None));
    let Some(known) = ALL.iter().find(|known| known.name == request.name) else {
        let names: Vec<&str> = ALL.iter().map(|known| known.name).collect();
        return wrong(format!(
            "there is no prompt called {:?}; there are: {}",
            request.name,
            names.join(", ")
        ));
    };
    let none = JsonObject::new();
    let given = request.arguments.as_ref().unwrap_or(&none);
    for (name, value) in given {
        if !known.takes.iter().any(|takes| takes.name == name) {
            return wrong(format!(
                "the prompt {} takes no argument {name:?}",
                known.name
            ));
        }
        if !value.is_string() {
            return wrong(format!("the argument {name} is to be a string"));
        }
    }
    let argument = |name: &str| {
        given
            .get(name)
            .and_then(Value::as_str)
            .map(line)
            .filter(|text| !text.is_empty())
    };
    for takes in known.takes {
        if takes.required && argument(takes.name).is_none() {
            return wrong(format!(
                "the prompt {} needs {}: {}",
                known.name, takes.name, takes.about
            ));
        }
    }
    let source = argument("source");
    if let Some(name) = &source {
        service.engine.source(name).map_err(|error| {
            ErrorData::invalid_params(
                super::render::error(&error, service.offers_changes(&Grant::OWNER)),
                None,
            )
        })?;
    }
    if let Some(since) = argument("since") {
        since
            .parse::<When>()
            .map_err(|error| ErrorData::invalid_params(format!("since: {error}"), None))?;
    }
    let only = source
        .map(|name| format!(" with sources: [{}]", Value::String(name)))
        .unwrap_or_default();
    let text = match known.name {
        ASK => format!(
            "Answer this from my own knowledge base: {}\n\n\
             Search it with search_knowledge{only}; search again in other words where the first hits do not answer, \
             and read on with get_document where a snippet is not enough. Base the answer on what you find there and \
             cite each claim: title, path and lines, or the url. Where the evidence is partial or none, say so; where \
             sources disagree, show both. Do not fill gaps from elsewhere without saying that you do.",
            argument("question").unwrap_or_default()
        ),
        REVIEW => format!(
            "Review what I saved since {since}.\n\n\
             List it with browse_knowledge{only}, after: {after}, sort: ingested; go on through all pages. Then read \
             with get_document what looks important. Tell me: 1. what it was about, by theme, with links to the items; \
             2. decisions, deadlines and open questions in it, each with its place; 3. what belongs together with older \
             items (similar_documents); 4. three things worth doing next. Be brief and cite titles and paths.",
            since = argument("since").unwrap_or_else(|| "7d".into()),
            after = Value::String(argument("since").unwrap_or_else(|| "7d".into())),
        ),
        _ => format!(
            "Show me what else in my knowledge base belongs to this item: {}\n\n\
             Read it with get_document, then use get_links for what links to it and from it, similar_documents for \
             what is near in meaning, and search_knowledge for its main subjects. Group what you find by how it is \
             related, say in one sentence each why, and cite titles and paths. Leave out what is only loosely near.",
            argument("item").unwrap_or_default()
        ),
    };
    Ok(
        GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
            .with_description(known.about),
    )
}
