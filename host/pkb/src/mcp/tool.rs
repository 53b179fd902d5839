//! What a tool is, and how one is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pkb_engine::{Engine, Error, Job, Stage};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Definition, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::budget::{self, MaxTokens};
use super::cursor::{Cursor, Mark};
use super::progress::Teller;
use super::render;
use super::schema;
use super::service::Service;
use crate::access::{Grant, Scope};

/// A tool: what a client is told of it, and what it does. [`super::tools`]
/// lists them all.
///
/// Its names, arguments and answers are promises: clients remember them. Every
/// field of its arguments and of what it answers has a doc comment, which is
/// what a model reads. Ten tools together are to be below 2,500 tokens, with
/// schemas, names and hints, as every conversation of a client begins with
/// them: a test adds them up and prints a table. So a sentence says when to use
/// the tool, an example follows, comments are a few words long, and entries of
/// lists in answers are [`schema::Object`]s, with their fields in the comment
/// of the list.
///
/// No answer is beyond the budget of its call, be it the usual one or what the
/// argument `max_tokens` says; a tool that can answer at length takes that
/// argument as [`MaxTokens`] and makes its answer with [`budget::list`] or
/// [`budget::fit`], which leave out what does not fit in good order and have
/// the tool say, with a [`Cursor`](super::cursor::Cursor), how to get the rest.
/// What is too long all the same is cut as it comes.
pub(super) trait Tool: 'static {
    /// What calls name.
    const NAME: &'static str;
    /// What people see.
    const TITLE: &'static str;
    /// When to use it, with an example; that what it returns from items is
    /// quoted material.
    const DESCRIPTION: &'static str;
    /// What a caller must be allowed to do. Others are not shown the tool.
    const NEEDS: Scope;
    /// What it takes: an object that refuses fields it does not know.
    type Arguments: DeserializeOwned + JsonSchema;
    /// What it answers as data.
    type Found: Serialize + JsonSchema;

    /// What a client may assume of it.
    fn hints() -> ToolAnnotations;

    /// Whether a call can take so long that a client which has tasks is given
    /// one.
    fn is_long(_arguments: &JsonObject) -> bool {
        false
    }

    /// Does it, on a thread for blocking work. May be run again from the start
    /// with what the user said to a question.
    ///
    /// # Errors
    /// What went wrong, for the model to read and act on.
    fn call(call: &Call, arguments: Self::Arguments) -> Result<Outcome<Self::Found>, Error>;
}

/// What a tool came to.
pub(super) enum Outcome<T> {
    /// It is done.
    Done(Answer<T>),
    /// It needs the user's word first.
    Ask(Question),
}

/// What a tool answers.
pub(super) struct Answer<T> {
    /// For a reader.
    pub(super) text: String,
    /// The same as data.
    pub(super) data: T,
}

impl<T> From<Answer<T>> for Outcome<T> {
    fn from(answer: Answer<T>) -> Self {
        Outcome::Done(answer)
    }
}

/// What the user is to agree to.
pub(super) struct Question {
    /// What will be done, to what, and whether there is a way back.
    pub(super) message: String,
    /// Everything it will be done to, where the message does not name all of it:
    /// the user's word is for that and nothing else.
    pub(super) about: String,
    /// What to tell the model where the client cannot ask its user: how to say
    /// that the user has agreed.
    pub(super) otherwise: String,
}

impl Question {
    /// What tells it from every other question.
    pub(super) fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update((self.message.len() as u64).to_le_bytes());
        hasher.update(&self.message);
        hasher.update(&self.about);
        let digest: [u8; 32] = hasher.finalize().into();
        digest.map(|byte| format!("{byte:02x}")).concat()
    }
}

/// What the user said to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// The question's digest.
    pub(super) to: String,
    pub(super) agreed: bool,
}

/// One call of a tool.
pub(super) struct Call {
    pub(super) service: Arc<Service>,
    /// What the caller may do.
    pub(super) grant: Grant,
    /// What the user said in an earlier round of this call, if there was one.
    pub(super) said: Option<Said>,
    /// Whether the client can ask its user.
    pub(super) can_ask: bool,
    /// How the call is watched and stopped.
    pub(super) watch: Watch,
    /// What is asked, but for how much of the answer.
    pub(super) asked: Mark,
    /// The size in bytes of an answer that is known to be within the budget.
    pub(super) fitted: AtomicUsize,
}

impl Call {
    /// A call of the tool, with nothing asked of the user yet.
    pub(super) fn new(
        service: Arc<Service>,
        grant: Grant,
        tool: &str,
        arguments: &JsonObject,
        watch: Watch,
    ) -> Call {
        Call {
            service,
            grant,
            said: None,
            can_ask: false,
            watch,
            asked: Mark::of_call(tool, arguments),
            fitted: AtomicUsize::new(0),
        }
    }

    /// Where a list goes on after `shown` entries of it.
    pub(super) fn cursor(&self, shown: u64) -> String {
        let cursor = Cursor {
            at: shown,
            end: 0,
            asked: self.asked,
            state: self.state(),
        };
        cursor.write()
    }

    /// How many entries of a list were shown before, and whether the index has
    /// changed since: the list may be another one then.
    ///
    /// # Errors
    /// When the cursor is none, or was given for something else.
    pub(super) fn shown_before(&self, cursor: Option<&str>) -> Result<(u64, bool), Error> {
        let Some(cursor) = cursor.filter(|cursor| !cursor.trim().is_empty()) else {
            return Ok((0, false));
        };
        let cursor = Cursor::read(cursor, self.asked)?;
        Ok((cursor.at, cursor.state != self.state()))
    }

    fn state(&self) -> Mark {
        self.service.seen()
    }

    /// Whether the caller is offered the tools that change anything.
    pub(super) fn changes(&self) -> bool {
        self.service.offers_changes(&self.grant)
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.service.engine
    }

    /// What the user said to this very question; none where they were not asked
    /// it.
    pub(super) fn answer_to(&self, question: &Question) -> Option<bool> {
        let said = self.said.as_ref()?;
        (said.to == question.digest()).then_some(said.agreed)
    }

    /// For long work: it stops when the client cancels or leaves, and is told
    /// how far it is.
    pub(super) fn job(&self) -> &dyn Job {
        &self.watch
    }
}

/// The client's side of a call.
pub(super) struct Watch {
    /// Whether it is to stop.
    pub(super) stop: Box<dyn Fn() -> bool + Send + Sync>,
    /// None where nobody asked for progress.
    pub(super) progress: Option<Teller>,
}

impl Job for Watch {
    fn stop(&self) -> bool {
        (self.stop)()
    }

    fn progress(&self, stage: Stage, done: u64, total: Option<u64>) {
        if let Some(teller) = &self.progress {
            teller.tell(stage, done, total);
        }
    }
}

/// A tool of the table.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) needs: Scope,
    pub(super) is_long: fn(&JsonObject) -> bool,
    pub(super) definition: fn() -> Definition,
    pub(super) run: fn(&Call, JsonObject) -> Ran,
}

/// What came of a call, as the protocol has it.
pub(super) enum Ran {
    Result(CallToolResult),
    Ask(Question),
}

impl Entry {
    pub(super) const fn of<T: Tool>() -> Entry {
        Entry {
            name: T::NAME,
            needs: T::NEEDS,
            is_long: T::is_long,
            definition: definition::<T>,
            run: run::<T>,
        }
    }
}

fn definition<T: Tool>() -> Definition {
    Definition::new(T::NAME, T::DESCRIPTION, schema::input::<T::Arguments>())
        .with_title(T::TITLE)
        .with_raw_output_schema(schema::output::<T::Found>())
        .with_annotations(T::hints())
}

fn run<T: Tool>(call: &Call, arguments: JsonObject) -> Ran {
    let most = MaxTokens::of(&arguments);
    let mut ran = answer::<T>(call, arguments).unwrap_or_else(|wrong| Ran::Result(failure(&wrong)));
    if let Ran::Result(result) = &mut ran {
        budget::enforce(call, most, result);
    }
    ran
}

fn answer<T: Tool>(call: &Call, arguments: JsonObject) -> Result<Ran, String> {
    let arguments = parse(arguments)?;
    let called = T::call(call, arguments);
    let answer = match called.map_err(|error| render::error(&error, call.changes()))? {
        Outcome::Done(answer) => answer,
        Outcome::Ask(question) => return Ok(Ran::Ask(question)),
    };
    let data = serde_json::to_value(answer.data)
        .map_err(|error| format!("The answer cannot be written as JSON: {error}."))?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = Some(data);
    Ok(Ran::Result(result))
}

/// An answer that says what went wrong, for a model to read.
pub(super) fn failure(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// Hints for a tool that changes nothing and looks at this machine only.
pub(super) fn reads_only() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// The arguments of a call, or what is wrong with them. An argument that is
/// null is one that is not given.
fn parse<A: DeserializeOwned + JsonSchema>(mut arguments: JsonObject) -> Result<A, String> {
    arguments.retain(|_, value| !value.is_null());
    serde_json::from_value(arguments.into()).map_err(|error| {
        let mut wrong = error.to_string();
        // Where filters are among the arguments, serde does not name them.
        if wrong.starts_with("unknown field") && !wrong.contains("expected") {
            let schema = schema::input::<A>();
            let names = schema.get("properties").and_then(|names| names.as_object());
            let names: Vec<&str> = names
                .into_iter()
                .flat_map(|names| names.keys().map(String::as_str))
                .collect();
            wrong.push_str(&format!("; there are: {}", names.join(", ")));
        }
        format!("The arguments are not as the tool's input schema says: {wrong}.")
    })
}

/// Whether work is to stop because its client is gone or wants it no more.
pub(super) fn stopper(
    cancelled: tokio_util::sync::CancellationToken,
    client_left: Arc<std::sync::atomic::AtomicBool>,
) -> Box<dyn Fn() -> bool + Send + Sync> {
    Box::new(move || cancelled.is_cancelled() || client_left.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::super::tools::{documents, search};
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_arguments_are_explained() {
        let arguments = |value: serde_json::Value| value.as_object().unwrap().clone();
        let wrong = parse::<search::Arguments>(arguments(json!({})))
            .err()
            .unwrap();
        assert!(wrong.contains("missing field `query`"));
        let wrong = parse::<search::Arguments>(arguments(json!({"query": "a", "top_k": 3})))
            .err()
            .unwrap();
        assert!(wrong.contains("unknown field `top_k`; there are: "));
        let wrong = parse::<documents::GetArguments>(arguments(json!({"item": true})))
            .err()
            .unwrap();
        assert!(wrong.contains("number, path or title"));
        let nulls = json!({"query": "a", "limit": null, "mode": null, "sources": null, "filter": null, "after": null});
        assert!(parse::<search::Arguments>(arguments(nulls)).is_ok());
    }
}
