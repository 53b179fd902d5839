//! Items, sources and the state of the index as resources: what a person picks
//! for their client to read.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pkb_engine::{BrowseRequest, Engine, Error, Item, Order, Part, ReadRequest, Test};
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, MetaObject, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, SubscriptionFilter,
};
use serde_json::json;

use super::cursor::Mark;
use super::render::{NOTICE, date, line, uri};
use super::service::Service;

/// The address of what [`Service`] knows of itself.
pub(super) const STATUS: &str = "pkb://status";
/// What the addresses of sources begin with.
pub(super) const SOURCE: &str = "pkb://source/";
/// What the addresses of items begin with.
pub(super) const ITEM: &str = "pkb://item/";
/// Items on one page of the list.
const PAGE: u64 = 100;
/// Bytes of a text, at most: a client shows all of it to its model.
const MOST_BYTES: usize = 200_000;

/// What an address names.
enum Named {
    Status,
    Source(String),
    Item(i64),
}

fn named(uri: &str) -> Option<Named> {
    if uri == STATUS {
        return Some(Named::Status);
    }
    if let Some(name) = uri.strip_prefix(SOURCE) {
        let name = percent_encoding::percent_decode_str(name)
            .decode_utf8()
            .ok()?;
        return (!name.is_empty()).then(|| Named::Source(name.into_owned()));
    }
    let number = uri.strip_prefix(ITEM)?.parse().ok()?;
    Some(Named::Item(number))
}

fn source_uri(name: &str) -> String {
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("{SOURCE}{name}")
}

/// The index and its sources, then the items, those changed last first.
pub(super) fn list(
    service: &Arc<Service>,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let engine = &service.engine;
    let offset: u64 = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            ErrorData::invalid_params("this cursor is none that resources/list gave", None)
        })?,
    };
    let mut resources = Vec::new();
    if offset == 0 {
        resources.push(
            Resource::new(STATUS, "status")
                .with_title("State of the knowledge base")
                .with_description("Sources, counts, model, and what is to be done.")
                .with_mime_type("application/json"),
        );
        for source in engine.sources().map_err(internal)? {
            let name = line(&source.spec.name);
            resources.push(
                Resource::new(source_uri(&source.spec.name), format!("source {name}"))
                    .with_title(name)
                    .with_description(format!("A source: {}", line(&source.spec.kind)))
                    .with_mime_type("application/json"),
            );
        }
    }
    let page = recent(engine, offset, PAGE).map_err(internal)?;
    resources.extend(page.entries.iter().map(item_resource));
    let next = offset + page.entries.len() as u64;
    let more = !page.entries.is_empty() && next < page.total;
    Ok(ListResourcesResult {
        resources,
        next_cursor: more.then(|| next.to_string()),
        ..ListResourcesResult::default()
    })
}

fn recent(engine: &Engine, offset: u64, limit: u64) -> Result<pkb_engine::Page<Item>, Error> {
    engine.browse(&BrowseRequest {
        order: Order::Recent,
        offset,
        limit,
        ..BrowseRequest::default()
    })
}

fn item_resource(item: &Item) -> Resource {
    Resource::new(uri(item.id.0), line(&item.external_id))
        .with_title(line(&item.title))
        .with_description(format!("{} of {}", line(&item.kind), line(&item.source)))
        .with_mime_type("text/markdown")
        .with_size(item.size)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let resource_templates = vec![
        ResourceTemplate::new(format!("{ITEM}{{id}}"), "item")
            .with_title("One item")
            .with_description("The text of an item, by the number that searches give.")
            .with_mime_type("text/markdown"),
        ResourceTemplate::new(format!("{SOURCE}{{name}}"), "source")
            .with_title("One source")
            .with_description("What a source is, and what came of reading it.")
            .with_mime_type("application/json"),
    ];
    ListResourceTemplatesResult {
        resource_templates,
        ..ListResourceTemplatesResult::default()
    }
}

/// # Errors
/// Where the address names nothing, or what it names cannot be read.
pub(super) fn read(service: &Arc<Service>, address: &str) -> Result<ReadResourceResult, ErrorData> {
    let engine = &service.engine;
    let (text, mime) = match named(address) {
        Some(Named::Status) => {
            let health = engine.health().map_err(internal)?;
            (pretty(&health)?, "application/json")
        }
        Some(Named::Source(name)) => (source(engine, &name, address)?, "application/json"),
        Some(Named::Item(number)) => {
            let request = ReadRequest {
                part: Part::Whole,
                around: None,
            };
            let reading = engine
                .read_item(&uri(number), &request)
                .map_err(|error| not_found(error, address))?;
            let mut text = reading.text;
            if text.len() > MOST_BYTES {
                text.truncate(text.floor_char_boundary(MOST_BYTES));
                text.push_str("\n\n(cut here: the tool get_document reads on)\n");
            }
            (text, "text/markdown")
        }
        None => return Err(unknown(address)),
    };
    let mut contents = ResourceContents::text(text, address).with_mime_type(mime);
    // The text itself stays as it is: people read it too.
    if let Some(Named::Item(_)) = named(address) {
        let mut meta = MetaObject::new();
        meta.insert("notice".into(), NOTICE.into());
        contents = contents.with_meta(meta);
    }
    Ok(ReadResourceResult::new(vec![contents]))
}

fn source(engine: &Arc<Engine>, name: &str, uri: &str) -> Result<String, ErrorData> {
    let source = engine.source(name).map_err(|error| not_found(error, uri))?;
    let items = count(engine, name).map_err(internal)?;
    let last = engine.last_sync(name).map_err(internal)?;
    pretty(&json!({
        "name": source.spec.name,
        "kind": source.spec.kind,
        "location": source.spec.location,
        "items": items,
        "synced": last.and_then(date),
    }))
}

fn count(engine: &Engine, name: &str) -> Result<u64, Error> {
    let page = engine.browse(&BrowseRequest {
        filter: Test::Source(vec![name.to_owned()]).into(),
        count_only: true,
        ..BrowseRequest::default()
    })?;
    Ok(page.total)
}

fn pretty(data: &impl serde::Serialize) -> Result<String, ErrorData> {
    serde_json::to_string_pretty(data)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// What of a wanted subscription there is to tell.
pub(super) fn listenable(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::new();
    filter.resources_list_changed = requested.resources_list_changed;
    filter.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
        (uris.iter().filter(|uri| named(uri).is_some()))
            .cloned()
            .collect()
    });
    filter
}

/// What a resource was at some time, to be compared only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State(Option<u64>);

impl State {
    /// Before anybody looked, or where there is nothing.
    pub(super) const UNKNOWN: State = State(None);
    /// Something else than what is there, and than nothing.
    pub(super) const FORMER: State = State(Some(0));

    fn of(what: impl Hash) -> State {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        State(Some(hasher.finish()))
    }
}

/// # Errors
/// Where the address names nothing.
pub(super) fn state(service: &Arc<Service>, uri: &str) -> Result<State, ErrorData> {
    match state_of(&service.engine, uri) {
        State::UNKNOWN => Err(unknown(uri)),
        state => Ok(state),
    }
}

/// What is there now; what is gone or cannot be read is unknown.
pub(super) fn state_of(engine: &Arc<Engine>, address: &str) -> State {
    match named(address) {
        Some(Named::Status) => whole(engine).unwrap_or(State::UNKNOWN),
        Some(Named::Source(name)) => {
            let known = engine.source(&name).and_then(|source| {
                let synced = engine.last_sync(&name)?;
                Ok(State::of((
                    source.spec.location,
                    count(engine, &name)?,
                    synced,
                )))
            });
            known.unwrap_or(State::UNKNOWN)
        }
        Some(Named::Item(number)) => match engine.find_item(&uri(number)) {
            Ok(item) => State::of((
                item.title,
                item.external_id,
                item.content_hash,
                item.status as u8,
                item.deleted,
            )),
            Err(_) => State::UNKNOWN,
        },
        None => State::UNKNOWN,
    }
}

/// What clients see of the index, as far as its newest items, its length and
/// its sources tell.
pub(super) fn seen(engine: &Engine) -> Mark {
    whole(engine).map_or_else(|_| Mark::default(), |state| Mark::of(&state.0))
}

/// The state of everything that is not private. The number of the index's state
/// grows with work on private sources too.
fn whole(engine: &Engine) -> Result<State, Error> {
    let page = recent(engine, 0, PAGE)?;
    let items: Vec<_> = (page.entries.iter())
        .map(|item| {
            (
                item.id.0,
                &item.title,
                &item.external_id,
                &item.content_hash,
            )
        })
        .collect();
    let mut sources = Vec::new();
    for source in engine.sources()? {
        let name = source.spec.name;
        let synced = engine.last_sync(&name)?;
        let totals = engine.ledger_totals(Some(&name))?;
        sources.push((name, synced, totals.indexed, totals.skipped, totals.failed));
    }
    Ok(State::of((page.total, items, sources)))
}

/// What the list is now, as far as its first page and its length tell.
pub(super) fn list_state(engine: &Engine) -> State {
    let known = recent(engine, 0, PAGE).and_then(|page| {
        let items: Vec<_> = (page.entries.iter())
            .map(|item| (item.id.0, &item.title, &item.external_id))
            .collect();
        let sources = engine.sources()?;
        let sources: Vec<_> = sources.iter().map(|source| &source.spec.name).collect();
        Ok(State::of((page.total, items, sources)))
    });
    known.unwrap_or(State::UNKNOWN)
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("there is no resource {uri:?}; there are {ITEM}NUMBER, {SOURCE}NAME and {STATUS}"),
        Some(json!({ "uri": uri })),
    )
}

fn not_found(error: Error, uri: &str) -> ErrorData {
    match error {
        Error::NotFound { .. } => unknown(uri),
        error => internal(error),
    }
}

fn internal(error: Error) -> ErrorData {
    ErrorData::internal_error(super::render::error(&error, true), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_what_they_say() {
        assert!(matches!(named("pkb://status"), Some(Named::Status)));
        assert!(matches!(named("pkb://item/12"), Some(Named::Item(12))));
        let name = "Léa's notes/2026 ü";
        match named(&source_uri(name)) {
            Some(Named::Source(read)) => assert_eq!(read, name),
            _ => panic!("{}", source_uri(name)),
        }
        for wrong in [
            "pkb://item/",
            "pkb://item/x",
            "pkb://source/",
            "pkb://source/%ff",
            "file:///etc/passwd",
            "",
        ] {
            assert!(named(wrong).is_none(), "{wrong}");
        }
    }
}
