//! Resources, prompts and completions of the suite.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Prompt, ReadResourceResult, Reference, Resource, ResourceTemplate,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::super::service::Service;
use super::{of, rounds};

/// One red pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// No sound at all.
pub(super) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// What the suite subscribes to.
pub(super) const WATCHED: &str = "test://watched-resource";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";

pub(super) fn resources() -> Result<Vec<Resource>, ErrorData> {
    of(json!([
        {"uri": TEXT, "name": "static-text", "description": "A text", "mimeType": "text/plain"},
        {"uri": BINARY, "name": "static-binary", "description": "A picture", "mimeType": "image/png"},
        {"uri": WATCHED, "name": "watched-resource", "description": "What is watched", "mimeType": "text/plain"},
    ]))
}

pub(super) fn template() -> Result<ResourceTemplate, ErrorData> {
    of(json!({
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Data by its id",
        "mimeType": "application/json",
    }))
}

/// The contents of a resource; none where it is not the suite's.
pub(super) fn read(uri: &str) -> Option<Result<ReadResourceResult, ErrorData>> {
    let id = uri
        .strip_prefix("test://template/")
        .and_then(|rest| rest.strip_suffix("/data"));
    let contents = match (uri, id) {
        (TEXT, _) => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        (BINARY, _) => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        (WATCHED, _) => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Nothing has changed."})
        }
        (_, Some(id)) => {
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
        _ => return None,
    };
    Some(of(
        json!({"resultType": "complete", "contents": [contents]}),
    ))
}

const SIMPLE: &str = "test_simple_prompt";
const ARGUMENTS: &str = "test_prompt_with_arguments";
const EMBEDDED: &str = "test_prompt_with_embedded_resource";
const IMAGE: &str = "test_prompt_with_image";

pub(super) fn prompts() -> Result<Vec<Prompt>, ErrorData> {
    let argument =
        |name: &str| json!({"name": name, "description": "For a test", "required": true});
    let prompt = |name: &str, arguments: Vec<Value>| json!({"name": name, "description": "For a test", "arguments": arguments});
    of(json!([
        prompt(SIMPLE, vec![]),
        prompt(ARGUMENTS, vec![argument("arg1"), argument("arg2")]),
        prompt(EMBEDDED, vec![argument("resourceUri")]),
        prompt(IMAGE, vec![]),
        prompt(rounds::PROMPT, vec![]),
    ]))
}

/// A prompt; none where it is not the suite's.
pub(super) fn prompt(
    service: &Service,
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let argument = |name: &str| {
        let arguments = request.arguments.as_ref();
        let value = arguments.and_then(|arguments| arguments.get(name)?.as_str());
        value.unwrap_or_default()
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let contents = match request.name.as_str() {
        SIMPLE => vec![text("This is a simple prompt for testing.")],
        ARGUMENTS => vec![text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        EMBEDDED => {
            let resource = json!({
                "uri": argument("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            vec![
                json!({"type": "resource", "resource": resource}),
                text("Please process the embedded resource above."),
            ]
        }
        IMAGE => vec![
            json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
            text("Please analyze the image above."),
        ],
        rounds::PROMPT => return Some(rounds::prompt(service, request, context)),
        _ => return None,
    };
    Some(messages(contents).map(GetPromptResponse::Complete))
}

/// A prompt of messages that the user says.
pub(super) fn messages(contents: Vec<Value>) -> Result<GetPromptResult, ErrorData> {
    let messages: Vec<Value> = contents
        .into_iter()
        .map(|content| json!({"role": "user", "content": content}))
        .collect();
    of(json!({"resultType": "complete", "messages": messages}))
}

/// How an argument of a prompt of the suite goes on.
pub(super) fn complete(
    request: &CompleteRequestParams,
) -> Option<Result<CompleteResult, ErrorData>> {
    let Reference::Prompt(prompt) = &request.r#ref else {
        return None;
    };
    if prompt.name != ARGUMENTS {
        return None;
    }
    let values: Vec<&str> = ["test", "testValue1", "testValue2"]
        .into_iter()
        .filter(|value| value.starts_with(&request.argument.value))
        .collect();
    let completion = json!({"values": values, "total": values.len(), "hasMore": false});
    Some(of(
        json!({"resultType": "complete", "completion": completion}),
    ))
}
