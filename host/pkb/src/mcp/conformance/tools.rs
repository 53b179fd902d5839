//! Tools of the suite, each of which shows one form of answer.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequestParams, ErrorData,
    JsonObject, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProtocolVersion, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::super::service::Service;
use super::content::{PNG, WAV};
use super::{CHANGES, Changed, of, rounds, tasks};

/// Between two things that a tool says; the suite wants to hear them apart.
const PAUSE: Duration = Duration::from_millis(50);

/// Tools that are called without arguments and answer at once or after a while.
const PLAIN: [&str; 15] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_reconnection",
    DEFAULTS,
    ENUMS,
];

const DEFAULTS: &str = "test_elicitation_sep1034_defaults";
const ENUMS: &str = "test_elicitation_sep1330_enums";

/// All tools of the suite.
pub(super) fn all() -> Result<Vec<Tool>, ErrorData> {
    let one = |name: &str, schema: Value| json!({"name": name, "description": "For the conformance suite", "inputSchema": schema});
    let takes = |name: &str, argument: &str, kind: Value| {
        let schema =
            json!({"type": "object", "properties": {argument: kind}, "required": [argument]});
        one(name, schema)
    };
    let text = || json!({"type": "string"});
    let mut tools: Vec<Value> = PLAIN
        .into_iter()
        .chain(rounds::TOOLS)
        .chain(tasks::PLAIN)
        .map(|name| one(name, json!({"type": "object", "properties": {}})))
        .collect();
    tools.extend([
        takes("test_elicitation", "message", text()),
        takes("test_sampling", "prompt", text()),
        takes(
            "test_custom_header",
            "region",
            json!({"type": "string", "x-mcp-header": "Region"}),
        ),
        takes(tasks::GREET, "name", text()),
        takes(tasks::SLOW, "seconds", json!({"type": "number"})),
        takes(tasks::CONFIRM, "filename", text()),
        one("json_schema_2020_12_tool", wide_schema()),
    ]);
    of(Value::Array(tools))
}

/// Words of JSON Schema that must reach the client as they are.
fn wide_schema() -> Value {
    let address = json!({
        "$anchor": "addressDef",
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": address},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// What a tool of the suite answers; none where the tool is not the suite's.
pub(super) async fn call(
    service: &Service,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let name = request.name.as_ref();
    if rounds::TOOLS.contains(&name) {
        return Some(rounds::call(service, request, context));
    }
    if let Some(answer) = tasks::call(service, request, context).await {
        return Some(answer);
    }
    let picture = || json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let resource = |uri: &str, kind: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let answer = match name {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => contents(vec![picture()]),
        "test_audio_content" => contents(vec![
            json!({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
        ]),
        "test_embedded_resource" => contents(vec![resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => contents(vec![
            json!({"type": "text", "text": "Multiple content types test:"}),
            picture(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            ),
        ]),
        "test_error_handling" => failed("This tool intentionally returns an error for testing"),
        "test_tool_with_progress" => progress(context).await,
        "test_tool_with_logging" | "test_logging_tool" => log(context).await,
        "test_missing_capability" => missing(context),
        "test_trigger_tool_change" => changed(Changed::Tools),
        "test_trigger_prompt_change" => changed(Changed::Prompts),
        "test_reconnection" => said("Nothing was lost."),
        "test_custom_header" => said(&format!("In {}.", argument(request, "region"))),
        "json_schema_2020_12_tool" => said("Any of these would do."),
        "test_sampling" => sample(context, argument(request, "prompt")).await,
        "test_elicitation" => {
            let text = |what: &str| json!({"type": "string", "description": what});
            let schema = json!({
                "type": "object",
                "properties": {"username": text("User's response"), "email": text("User's email address")},
                "required": ["username", "email"],
            });
            elicit(
                context,
                "User response",
                argument(request, "message"),
                schema,
            )
            .await
        }
        DEFAULTS => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "John Doe"},
                    "age": {"type": "integer", "default": 30},
                    "score": {"type": "number", "default": 95.5},
                    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                    "verified": {"type": "boolean", "default": true},
                },
            });
            elicit(
                context,
                "Elicitation completed",
                "Look at the defaults",
                schema,
            )
            .await
        }
        ENUMS => elicit(context, "Elicitation completed", "Choose", choices()).await,
        _ => return None,
    };
    Some(answer.map(Into::into))
}

/// The five ways to let one choose.
fn choices() -> Value {
    let titled = |what: &str| {
        json!([
            {"const": "value1", "title": format!("First {what}")},
            {"const": "value2", "title": format!("Second {what}")},
            {"const": "value3", "title": format!("Third {what}")},
        ])
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
    })
}

pub(super) fn argument<'a>(request: &'a CallToolRequestParams, name: &str) -> &'a str {
    let arguments = request.arguments.as_ref();
    let value = arguments.and_then(|arguments| arguments.get(name)?.as_str());
    value.unwrap_or_default()
}

fn contents(contents: Vec<Value>) -> Result<CallToolResult, ErrorData> {
    of(json!({"resultType": "complete", "content": contents}))
}

/// An answer of one text.
pub(super) fn said(text: &str) -> Result<CallToolResult, ErrorData> {
    contents(vec![json!({"type": "text", "text": text})])
}

/// An answer that says what went wrong.
pub(super) fn failed(text: &str) -> Result<CallToolResult, ErrorData> {
    let mut answer = said(text)?;
    answer.is_error = Some(true);
    Ok(answer)
}

fn changed(what: Changed) -> Result<CallToolResult, ErrorData> {
    // Nobody listening is no failure.
    let heard = CHANGES.send(what).unwrap_or_default();
    said(&format!("{heard} were told."))
}

async fn progress(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let update = ProgressNotificationParam::new(token, done).with_total(100.0);
            context.peer.notify_progress(update).await.map_err(broken)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    said("Done.")
}

/// Says three things to the log, where the client may hear of it.
async fn log(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let newest = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
    for text in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        // Since 2026-07-28 each request asks for it.
        if !newest || context.meta.log_level().is_some() {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
            let sent = context.peer.notify_logging_message(message).await;
            sent.map_err(broken)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    said("Logged.")
}

/// Refuses clients that do not let a server sample.
fn missing(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let client = context.client_capabilities().unwrap_or_default();
    if client.sampling.is_none() {
        let required = of(json!({"sampling": {}}))?;
        return Err(ErrorData::missing_required_client_capability(required));
    }
    said("Nothing is missing.")
}

/// Lets the client's model say something; clients before 2026-07-28 only.
async fn sample(
    context: &RequestContext<RoleServer>,
    prompt: &str,
) -> Result<CallToolResult, ErrorData> {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    let asked = of(json!({"messages": [message], "maxTokens": 100}))?;
    match context.peer.create_message(asked).await {
        Ok(answer) => {
            let answer = json!(answer);
            let text = answer.pointer("/content/text").and_then(Value::as_str);
            said(&format!("LLM response: {}", text.unwrap_or_default()))
        }
        Err(error) => failed(&format!("The client did not answer: {error}")),
    }
}

/// Asks the client's user; clients before 2026-07-28 only.
async fn elicit(
    context: &RequestContext<RoleServer>,
    title: &str,
    message: &str,
    schema: Value,
) -> Result<CallToolResult, ErrorData> {
    let asked: ElicitRequestParams =
        of(json!({"mode": "form", "message": message, "requestedSchema": schema}))?;
    match context.peer.create_elicitation(asked).await {
        Ok(answer) => {
            let answer: JsonObject = of(json!(answer))?;
            said(&format!(
                "{title}: action={}, content={}",
                answer
                    .get("action")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
                answer.get("content").unwrap_or(&Value::Null)
            ))
        }
        Err(error) => failed(&format!("The client did not answer: {error}")),
    }
}

fn broken(error: rmcp::ServiceError) -> ErrorData {
    ErrorData::internal_error(format!("the client cannot be told: {error}"), None)
}
