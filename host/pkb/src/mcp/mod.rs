//! The MCP server: the engine for AI clients, over stdin and stdout.
//!
//! Everything here translates; what is found, read and synced is the engine's
//! business. A tool that cannot do what it was asked answers with an error
//! that a model can read and act on; protocol errors are for calls of tools
//! that do not exist.

mod browse;
mod citation;
mod documents;
mod health;
mod input;
mod instructions;
mod links;
mod progress;
mod render;
mod schema;
mod search;
mod similar;
mod sync;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::Context;
use pkb_engine::{Engine, Error};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::{JoinError, spawn_blocking};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use self::input::Watched;
use crate::access::Scope;
use crate::http::Metrics;

/// Serves one client on stdin and stdout until stdin ends. Nothing but
/// protocol messages is written to stdout. Calls `connected` once the client
/// has begun.
///
/// # Errors
/// When the client does not begin as the protocol says, or stdout fails.
pub(crate) async fn serve(engine: Arc<Engine>, connected: impl FnOnce()) -> anyhow::Result<()> {
    let client_left = Arc::new(AtomicBool::new(false));
    let (stdin, stdout) = stdio_pipes();
    let stdin = Watched::new(stdin, client_left.clone());
    let server = Server {
        engine,
        client_left,
        metrics: None,
    };
    let running = match server.serve((stdin, stdout)).await {
        Ok(running) => running,
        // Whoever opened the connection had nothing to say.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(error).context("the MCP client did not begin as the protocol says");
        }
    };
    connected();
    running
        .waiting()
        .await
        .context("the MCP server broke off")?;
    Ok(())
}

/// One connection.
#[derive(Clone)]
pub(crate) struct Server {
    engine: Arc<Engine>,
    /// Set when stdin ends: nobody waits for long work any more.
    client_left: Arc<AtomicBool>,
    /// What calls are counted in, where somebody asks for it.
    metrics: Option<Metrics>,
}

/// What a tool asks of who calls it.
pub(crate) fn needs(tool: &str) -> Scope {
    static READING: OnceLock<Vec<Tool>> = OnceLock::new();
    let all = READING.get_or_init(tools);
    let hints = all
        .iter()
        .find(|one| one.name == tool)
        .and_then(|one| one.annotations.as_ref());
    match hints {
        Some(hints) if hints.read_only_hint != Some(true) => Scope::Write,
        _ => Scope::Read,
    }
}

/// What a tool answers.
struct Answer<T> {
    /// For a reader.
    text: String,
    /// The same as data.
    data: T,
}

impl Server {
    /// For a connection that ends otherwise than by the end of stdin.
    pub(crate) fn new(engine: Arc<Engine>, metrics: Option<Metrics>) -> Self {
        Server {
            engine,
            client_left: Arc::default(),
            metrics,
        }
    }

    /// Runs a tool that is done soon.
    async fn call<A, T, F>(&self, arguments: JsonObject, tool: F) -> CallToolResult
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        T: Serialize + Send + 'static,
        F: FnOnce(&Engine, A) -> Result<Answer<T>, Error> + Send + 'static,
    {
        let arguments = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(wrong) => return failure(&wrong),
        };
        let engine = self.engine.clone();
        let span = Span::current();
        result(spawn_blocking(move || span.in_scope(|| tool(&engine, arguments))).await)
    }

    async fn instructions(&self) -> String {
        let engine = self.engine.clone();
        // What an index cannot say now, a tool says when it is called.
        spawn_blocking(move || instructions::of(&engine))
            .await
            .unwrap_or_default()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("pkb", env!("CARGO_PKG_VERSION"))
            .with_title("pkb, the personal knowledge base")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let info = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(info.with_instructions(self.instructions().await))
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_instructions(self.instructions().await);
        Ok(DiscoverResult::from_server_info(
            self.supported_protocol_versions().into_owned(),
            info,
        ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult {
            tools: tools(),
            ..ListToolsResult::default()
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A name that a client made up is not kept.
        let known = NAMES.into_iter().find(|name| *name == request.name);
        let tool = known.unwrap_or("unknown");
        let span = tracing::info_span!("mcp.request", tool, outcome = Empty);
        let began = Instant::now();
        let answer = self.answer(request, context).instrument(span.clone());
        let answer = answer.await;
        let outcome = match &answer {
            Ok(result) if result.is_error != Some(true) => "answered",
            _ => "failed",
        };
        span.record("outcome", outcome);
        if let Some(metrics) = &self.metrics {
            metrics.record(tool, outcome, began.elapsed());
        }
        answer.map(Into::into)
    }
}

impl Server {
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match request.name.as_ref() {
            search::NAME => {
                let engine = self.engine.clone();
                let search = move |_: &Engine, asked| search::search(&engine, asked);
                self.call(arguments, search).await
            }
            documents::GET => self.call(arguments, documents::get).await,
            similar::NAME => self.call(arguments, similar::similar).await,
            links::NAME => self.call(arguments, links::links).await,
            browse::NAME => self.call(arguments, browse::browse).await,
            sync::NAME => sync::sync(self, arguments, context).await,
            health::NAME => {
                let engine = self.engine.clone();
                let check = move |_: &Engine, asked| health::check(&engine, asked);
                self.call(arguments, check).await
            }
            unknown => {
                let names: Vec<String> = tools()
                    .into_iter()
                    .map(|tool| tool.name.into_owned())
                    .collect();
                let message = format!(
                    "there is no tool called {unknown:?}; there are: {}",
                    names.join(", ")
                );
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(result)
    }
}

/// Names of all tools, the one to begin with first.
const NAMES: [&str; 7] = [
    search::NAME,
    documents::GET,
    similar::NAME,
    links::NAME,
    browse::NAME,
    sync::NAME,
    health::NAME,
];

/// All tools, in that order.
fn tools() -> Vec<Tool> {
    vec![
        search::definition(),
        documents::get_definition(),
        similar::definition(),
        links::definition(),
        browse::definition(),
        sync::definition(),
        health::definition(),
    ]
}

/// A tool that takes `A` and answers with `T`.
fn tool<A, T>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    hints: ToolAnnotations,
) -> Tool
where
    A: JsonSchema,
    T: JsonSchema,
{
    Tool::new(name, description, schema::input::<A>())
        .with_title(title)
        .with_raw_output_schema(schema::output::<T>())
        .with_annotations(hints)
}

/// Hints for a tool that changes nothing and looks at this machine only.
fn reads_only() -> ToolAnnotations {
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

/// The protocol's form of what a tool came to.
fn result<T: Serialize>(outcome: Result<Result<Answer<T>, Error>, JoinError>) -> CallToolResult {
    let answer = match outcome {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return failure(&render::error(&error)),
        Err(error) => {
            tracing::error!("a tool broke off: {error}");
            return failure(
                "pkb broke off while it worked on this. Its log on stderr says more; `pkb doctor` checks the index.",
            );
        }
    };
    match serde_json::to_value(answer.data) {
        Ok(data) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(data);
            result
        }
        Err(error) => failure(&format!("The answer cannot be written as JSON: {error}.")),
    }
}

fn failure(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_tool_says_what_it_takes_gives_and_does() {
        let tools = tools();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(
            names,
            [
                "search_knowledge",
                "get_document",
                "similar_documents",
                "get_links",
                "browse_knowledge",
                "sync_knowledge_base",
                "health_check"
            ]
        );
        assert_eq!(names, NAMES);
        for tool in tools {
            let output = tool.output_schema.unwrap();
            for schema in [&tool.input_schema, &output] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                assert!(schema["properties"].is_object(), "{}", tool.name);
                let text = serde_json::to_string(schema).unwrap();
                assert!(
                    !text.contains("$ref") && !text.contains("\"format\""),
                    "{text}"
                );
            }
            let hints = tool.annotations.unwrap();
            let writes = tool.name == "sync_knowledge_base";
            assert_eq!(hints.read_only_hint, Some(!writes));
            assert_eq!(hints.destructive_hint, Some(writes));
            assert_eq!(hints.idempotent_hint, Some(true));
            assert_eq!(hints.open_world_hint, Some(false));
            assert!(tool.description.unwrap().len() > 100);
        }
    }

    #[test]
    fn every_argument_and_field_is_described() {
        for tool in tools() {
            for schema in [&tool.input_schema, &tool.output_schema.unwrap()] {
                for (name, property) in schema["properties"].as_object().unwrap() {
                    assert!(
                        property["description"].is_string(),
                        "{}: {name}: {property}",
                        tool.name
                    );
                }
            }
        }
    }

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
        let nulls = json!({"query": "a", "limit": null, "mode": null, "sources": null, "path": null, "after": null});
        assert!(parse::<search::Arguments>(arguments(nulls)).is_ok());
    }
}
