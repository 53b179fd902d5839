//! Asking the user before something that cannot be undone.
//!
//! Clients from 2026-07-28 on are answered that input is required, and call
//! again with it; older ones are asked while the call waits. What a client
//! brings back is believed only with the seal of the question that was asked:
//! a model cannot answer for its user.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ErrorData, InputRequest, InputRequests,
    InputRequiredResult, SealOptions,
};
use serde_json::Value;

use super::service::Service;
use super::tool::Question;

/// The name of the one question.
const KEY: &str = "confirm";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Whether a client can show its user a form.
pub(super) fn can_ask(client: Option<&ClientCapabilities>) -> bool {
    let asking = client.and_then(|client| client.elicitation.as_ref());
    // Before there were forms and addresses there were forms only.
    asking.is_some_and(|asking| asking.form.is_some() || asking.url.is_none())
}

/// The question as a form with one box to tick.
pub(super) fn form(question: &Question) -> Result<ElicitRequestParams, ErrorData> {
    let schema = ElicitationSchema::builder()
        .required_bool_with(KEY, |tick| {
            tick.title("Do it")
                .description("Tick to agree; leave it to keep everything as it is.")
        })
        .build()
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: schema,
    })
}

/// Whether what the user did with the form means yes.
pub(super) fn agreed(result: &ElicitResult) -> bool {
    result.action == ElicitationAction::Accept
        && result
            .content
            .as_ref()
            .and_then(|content| content.get(KEY))
            .and_then(Value::as_bool)
            == Some(true)
}

/// The question as an answer that asks for another call.
pub(super) fn required(
    service: &Service,
    request: &CallToolRequestParams,
    question: &Question,
) -> Result<InputRequiredResult, ErrorData> {
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let state = service.seal.seal_with(
        question.message.as_bytes(),
        &SealOptions::new()
            .associated_data(&bound(request))
            .ttl(PATIENCE),
    );
    Ok(InputRequiredResult::new(
        Some(InputRequests::from([(KEY.to_owned(), asked)])),
        Some(state),
    ))
}

/// What the user said in an earlier round of this call, and to what; none in
/// the first.
///
/// # Errors
/// Wrong parameters, where the seal is not ours, too old, or of another call.
pub(super) fn brought_back(
    service: &Service,
    request: &CallToolRequestParams,
) -> Result<Option<(String, bool)>, ErrorData> {
    let Some(state) = &request.request_state else {
        return Ok(None);
    };
    let wrong = |what: &str| {
        ErrorData::invalid_params(
            format!("{what}; call the tool again without it to be asked anew"),
            None,
        )
    };
    let asked = service
        .seal
        .open_with(state, &bound(request))
        .map_err(|error| wrong(&format!("this requestState is not valid here: {error}")))?;
    let asked = String::from_utf8(asked).map_err(|_| wrong("this requestState is damaged"))?;
    let Some(answer) = request
        .input_responses
        .as_ref()
        .and_then(|answers| answers.get(KEY))
    else {
        return Ok(None);
    };
    let result: ElicitResult = serde_json::from_value(answer.clone())
        .map_err(|error| wrong(&format!("inputResponses.{KEY} is no answer: {error}")))?;
    Ok(Some((asked, agreed(&result))))
}

/// What a seal holds for: this tool with these arguments.
fn bound(request: &CallToolRequestParams) -> Vec<u8> {
    let arguments = serde_json::to_string(&request.arguments).unwrap_or_default();
    format!("{}\0{arguments}", request.name).into_bytes()
}
