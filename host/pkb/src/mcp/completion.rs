//! Completing the arguments of prompts and of resource templates.

use std::sync::Arc;

use pkb_engine::{BrowseRequest, Engine, Error, Order, Test};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use super::prompts;
use super::render::line;
use super::resources::{ITEM, SOURCE};
use super::service::Service;
use crate::access::Grant;

/// Stretches of time that people ask for.
const SINCE: [&str; 8] = [
    "7d",
    "14d",
    "30d",
    "yesterday",
    "this-week",
    "last-week",
    "this-month",
    "last-month",
];

/// What an argument can be completed to.
enum Values {
    /// Names of sources.
    Sources,
    /// Numbers of items, by what their titles hold.
    Items,
    /// Titles.
    Titles,
    Since,
}

/// # Errors
/// Where there is no such prompt, template or argument.
pub(super) fn complete(
    service: &Arc<Service>,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument.name.as_str();
    let values = match &request.r#ref {
        Reference::Prompt(prompt) if prompts::takes(&prompt.name, argument) => match argument {
            "source" => Some(Values::Sources),
            "since" => Some(Values::Since),
            "item" | "question" => Some(Values::Titles),
            _ => None,
        },
        Reference::Resource(template) => match (template.uri.as_str(), argument) {
            (uri, "name") if uri == format!("{SOURCE}{{name}}") => Some(Values::Sources),
            (uri, "id") if uri == format!("{ITEM}{{id}}") => Some(Values::Items),
            _ => None,
        },
        _ => None,
    };
    let Some(values) = values else {
        return Err(ErrorData::invalid_params(
            format!("nothing here has an argument {argument:?} that can be completed"),
            None,
        ));
    };
    let (found, total) = values
        .like(&service.engine, &request.argument.value)
        .map_err(|error| {
            ErrorData::internal_error(
                super::render::error(&error, service.offers_changes(&Grant::OWNER)),
                None,
            )
        })?;
    let more = total > found.len() as u64;
    let total = u32::try_from(total).ok();
    let completion = CompletionInfo::with_pagination(found, total, more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

impl Values {
    /// Those that fit what was typed, and how many do.
    fn like(&self, engine: &Engine, typed: &str) -> Result<(Vec<String>, u64), Error> {
        match self {
            Values::Since => Ok(beginning(SINCE.map(str::to_owned).into(), typed)),
            Values::Sources => {
                let sources = engine.sources()?;
                let names = sources.into_iter().map(|source| source.spec.name);
                Ok(beginning(names.collect(), typed))
            }
            Values::Items | Values::Titles => {
                let typed = typed.trim();
                let filter = if typed.is_empty() {
                    pkb_engine::Filter::default()
                } else {
                    Test::Title(typed.to_owned()).into()
                };
                let page = engine.browse(&BrowseRequest {
                    filter,
                    order: Order::Recent,
                    limit: CompletionInfo::MAX_VALUES as u64,
                    ..BrowseRequest::default()
                })?;
                let values = page.entries.iter().map(|item| match self {
                    Values::Items => item.id.0.to_string(),
                    _ => line(&item.title),
                });
                Ok((values.collect(), page.total))
            }
        }
    }
}

/// The values that begin so, in any letter case.
fn beginning(values: Vec<String>, typed: &str) -> (Vec<String>, u64) {
    let typed = typed.trim().to_lowercase();
    let mut fitting: Vec<String> = values
        .into_iter()
        .filter(|value| value.to_lowercase().starts_with(&typed))
        .collect();
    let total = fitting.len() as u64;
    fitting.truncate(CompletionInfo::MAX_VALUES);
    (fitting, total)
}
