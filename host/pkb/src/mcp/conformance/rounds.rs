//! What asks the client and is called again with its answers.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ErrorData, GetPromptRequestParams,
    GetPromptResponse, InputRequiredResult, InputResponses, SealOptions,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};

use super::super::service::Service;
use super::{content, of, tools};

/// A prompt that asks before it is given.
pub(super) const PROMPT: &str = "test_input_required_result_prompt";

/// Tools that ask, and what for in each round.
pub(super) const TOOLS: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// What came of a round.
pub(super) enum Round {
    /// The client is asked.
    Ask(InputRequiredResult),
    /// All is answered.
    Done(InputResponses),
}

/// What a caller brings back.
pub(super) struct Brought<'a> {
    pub(super) name: &'a str,
    pub(super) answers: Option<&'a InputResponses>,
    pub(super) state: Option<&'a str>,
}

pub(super) fn call(
    service: &Service,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let brought = Brought {
        name: &request.name,
        answers: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Ok(match round(service, &brought, context)? {
        Round::Ask(question) => question.into(),
        Round::Done(answers) => tools::said(&greeting(&answers))?.into(),
    })
}

pub(super) fn prompt(
    service: &Service,
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let brought = Brought {
        name: &request.name,
        answers: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Ok(match round(service, &brought, context)? {
        Round::Ask(question) => question.into(),
        Round::Done(answers) => {
            let text = format!("With the context {}.", json!(answers));
            content::messages(vec![json!({"type": "text", "text": text})])?.into()
        }
    })
}

/// Greets by name where one was given, and says what was answered.
pub(super) fn greeting(answers: &InputResponses) -> String {
    match answers
        .values()
        .find_map(|answer| answer.pointer("/content/name")?.as_str())
    {
        Some(name) => format!("Hello, {name}!"),
        None => format!("state-ok: {}", json!(answers)),
    }
}

/// Goes on where the caller is: asks what is not answered, the same again where
/// an answer is none.
///
/// # Errors
/// Wrong parameters, where the state was tampered with; and where the client
/// has nothing of what would be asked of it.
pub(super) fn round(
    service: &Service,
    brought: &Brought<'_>,
    context: &RequestContext<RoleServer>,
) -> Result<Round, ErrorData> {
    let rounds = questions(brought.name);
    let sealed = rounds.sealed;
    let bound = SealOptions::new().associated_data(brought.name.as_bytes());
    let at = match brought.state {
        Some(state) if sealed => {
            let opened = service
                .seal
                .codec
                .open_with(state, brought.name.as_bytes())
                .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
            usize::from(opened.first().copied().unwrap_or_default())
        }
        _ => 0,
    };
    let client = context.client_capabilities().unwrap_or_default();
    let asked = |at: usize| -> Map<String, Value> {
        let all = rounds.asked.get(at).and_then(Value::as_object);
        let all = all.cloned().unwrap_or_default();
        all.into_iter()
            .filter(|(_, question)| has(&client, method(question)))
            .collect()
    };
    let now = asked(at);
    if now.is_empty() {
        let required = of(json!({"elicitation": {}}))?;
        return Err(ErrorData::missing_required_client_capability(required));
    }
    let known = !sealed || brought.state.is_some();
    let answers = brought.answers.filter(|answers| {
        let answered = |key: &String| {
            (answers.get(key)).is_some_and(|answer| answers_to(method(&now[key]), answer))
        };
        known && now.keys().all(answered)
    });
    let next = match answers {
        Some(answers) if at + 1 == rounds.asked.len() => return Ok(Round::Done(answers.clone())),
        Some(_) => at + 1,
        None => at,
    };
    let state = sealed.then(|| service.seal.codec.seal_with(&[next as u8], &bound));
    let mut question = json!({"resultType": "input_required", "inputRequests": asked(next)});
    if let Some(state) = state {
        question["requestState"] = state.into();
    }
    of(question).map(Round::Ask)
}

struct Questions {
    /// By name, for each round.
    asked: Vec<Value>,
    /// Whether the round is kept with the client, under a seal.
    sealed: bool,
}

fn questions(name: &str) -> Questions {
    let form = |message: &str, field: &str, kind: &str| {
        let schema =
            json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
        json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
    };
    let sample = |text: &str| {
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
    };
    let roots = || json!({"method": "roots/list"});
    let name_of_user = || form("What is your name?", "name", "string");
    let confirm = || json!({"confirm": form("Please confirm", "ok", "boolean")});
    let several = || json!({"user_name": name_of_user(), "greeting": sample("Generate a greeting"), "client_roots": roots()});
    let (asked, sealed) = match name {
        "test_input_required_result_sampling" => (
            vec![json!({"capital_question": sample("What is the capital of France?")})],
            false,
        ),
        "test_input_required_result_list_roots" => (vec![json!({"client_roots": roots()})], false),
        "test_input_required_result_request_state" => (vec![confirm()], true),
        "test_input_required_result_tampered_state" => (vec![confirm()], true),
        "test_input_required_result_multiple_inputs" => (vec![several()], true),
        "test_input_required_result_capabilities" => (vec![several()], false),
        "test_input_required_result_multi_round" => (
            vec![
                json!({"step1": form("Step 1: What is your name?", "name", "string")}),
                json!({"step2": form("Step 2: What is your favorite color?", "color", "string")}),
            ],
            true,
        ),
        PROMPT => (
            vec![
                json!({"user_context": form("What context should the prompt use?", "context", "string")}),
            ],
            false,
        ),
        _ => (vec![json!({"user_name": name_of_user()})], false),
    };
    Questions { asked, sealed }
}

fn method(question: &Value) -> &str {
    question["method"].as_str().unwrap_or_default()
}

/// Whether a client can be asked by this method.
fn has(client: &ClientCapabilities, method: &str) -> bool {
    match method {
        "elicitation/create" => client.elicitation.is_some(),
        "sampling/createMessage" => client.sampling.is_some(),
        _ => client.roots.is_some(),
    }
}

/// Whether this is an answer to that method at all.
fn answers_to(method: &str, answer: &Value) -> bool {
    match method {
        "elicitation/create" => answer["action"].is_string(),
        "sampling/createMessage" => !answer["content"].is_null(),
        _ => answer["roots"].is_array(),
    }
}
