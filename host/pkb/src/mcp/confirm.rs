//! Asking the user before something that cannot be undone.
//!
//! Clients from 2026-07-28 on are answered that input is required, and call
//! again with it; older ones are asked while the call waits. What a client
//! brings back is believed only with the seal of the question that was asked:
//! a model cannot answer for its user.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, ErrorData, InputRequest, InputRequests,
    InputRequiredResult, RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer};
use serde_json::Value;

use super::tool::{Question, Said};
use crate::access::Grant;

/// The name of the one question.
const KEY: &str = "confirm";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Seals that were used and could be used again, at most: more than a user can
/// answer in that time.
const MOST_USED: usize = 10_000;

/// Makes and opens the seals of questions, each of which is good for one answer.
pub(super) struct Seals {
    pub(super) codec: RequestStateCodec,
    /// What tells those apart that were used, with when, the oldest first.
    used: Mutex<VecDeque<(Instant, u64)>>,
    next: AtomicU64,
}

impl Seals {
    pub(super) fn new(codec: RequestStateCodec) -> Seals {
        Seals {
            codec,
            used: Mutex::default(),
            next: AtomicU64::new(0),
        }
    }

    /// Whether this is the first use of a seal; from here on it is used.
    fn is_first_use(&self, number: u64) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while (used.front()).is_some_and(|(when, _)| when.elapsed() > PATIENCE)
            || used.len() > MOST_USED
        {
            used.pop_front();
        }
        let first = used.iter().all(|(_, known)| *known != number);
        if first {
            used.push_back((Instant::now(), number));
        }
        first
    }
}

/// Whether a client can show its user a form.
pub(super) fn can_ask(client: Option<&ClientCapabilities>) -> bool {
    let asking = client.and_then(|client| client.elicitation.as_ref());
    // Before there were forms and addresses there were forms only.
    asking.is_some_and(|asking| asking.form.is_some() || asking.url.is_none())
}

/// The question as a form with one box to tick.
fn form(question: &Question) -> Result<ElicitRequestParams, ErrorData> {
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
fn agreed(result: &ElicitResult) -> bool {
    result.action == ElicitationAction::Accept
        && result
            .content
            .as_ref()
            .and_then(|content| content.get(KEY))
            .and_then(Value::as_bool)
            == Some(true)
}

/// What came of asking while the call waits.
pub(super) enum Asked {
    /// The user was asked, and said this.
    Said(Said),
    /// They could not be asked.
    Unasked,
    /// Nobody waits for the call any more.
    Over,
}

/// Asks the user of a client that takes requests. `gone` ends when the client
/// is gone.
///
/// # Errors
/// Where the question makes no form.
pub(super) async fn ask(
    context: &RequestContext<RoleServer>,
    question: &Question,
    gone: impl Future<Output = ()>,
) -> Result<Asked, ErrorData> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(question)?));
    let options = PeerRequestOptions::no_options();
    let mut handle = match (context.peer)
        .send_request_with_option(request, options)
        .await
    {
        Ok(handle) => handle,
        Err(error) => {
            tracing::info!("the user could not be asked: {error}");
            return Ok(Asked::Unasked);
        }
    };
    let (asked, why) = tokio::select! {
        answer = &mut handle.rx => {
            return Ok(match answer {
                Ok(Ok(ClientResult::ElicitResult(result))) => Asked::Said(Said {
                    to: question.digest(),
                    agreed: agreed(&result),
                }),
                other => {
                    tracing::info!("the client did not ask its user: {other:?}");
                    Asked::Unasked
                }
            });
        }
        () = tokio::time::sleep(PATIENCE) => (Asked::Unasked, "no answer came in time"),
        () = context.ct.cancelled() => (Asked::Over, "the call was cancelled"),
        () = gone => return Ok(Asked::Over),
    };
    // What the user says from here on counts for nothing: the form can go.
    if let Err(error) = handle.cancel(Some(why.to_owned())).await {
        tracing::debug!("the question cannot be taken back: {error}");
    }
    Ok(asked)
}

/// The question as an answer that asks for another call.
///
/// # Errors
/// Where the question makes no form.
pub(super) fn required(
    seal: &Seals,
    grant: &Grant,
    request: &CallToolRequestParams,
    question: &Question,
) -> Result<InputRequiredResult, ErrorData> {
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let state = sealed(seal, grant, request, question, PATIENCE);
    Ok(InputRequiredResult::new(
        Some(InputRequests::from([(KEY.to_owned(), asked)])),
        Some(state),
    ))
}

fn sealed(
    seal: &Seals,
    grant: &Grant,
    request: &CallToolRequestParams,
    question: &Question,
    ttl: Duration,
) -> String {
    let number = seal.next.fetch_add(1, Ordering::Relaxed);
    seal.codec.seal_with(
        format!("{number}:{}", question.digest()).as_bytes(),
        &SealOptions::new()
            .associated_data(&bound(grant, request))
            .ttl(ttl),
    )
}

/// What the user said in an earlier round of this call, and to what; none in
/// the first.
///
/// # Errors
/// Wrong parameters, where the seal is not ours, too old, or of another call.
pub(super) fn brought_back(
    seal: &Seals,
    grant: &Grant,
    request: &CallToolRequestParams,
) -> Result<Option<Said>, ErrorData> {
    let Some(state) = &request.request_state else {
        return Ok(None);
    };
    let wrong = |what: &str| {
        ErrorData::invalid_params(
            format!("{what}; call the tool again without requestState to be asked anew"),
            None,
        )
    };
    let asked = (seal.codec)
        .open_with(state, &bound(grant, request))
        .map_err(|error| wrong(&format!("this requestState is not valid here: {error}")))?;
    let asked = String::from_utf8(asked).ok();
    let asked = asked.as_deref().and_then(|asked| {
        let (number, to) = asked.split_once(':')?;
        Some((number.parse().ok()?, to.to_owned()))
    });
    let Some((number, to)) = asked else {
        return Err(wrong("this requestState is damaged"));
    };
    let Some(answer) = request
        .input_responses
        .as_ref()
        .and_then(|answers| answers.get(KEY))
    else {
        return Ok(None);
    };
    let result: ElicitResult = serde_json::from_value(answer.clone())
        .map_err(|error| wrong(&format!("inputResponses.{KEY} is no answer: {error}")))?;
    if !seal.is_first_use(number) {
        return Err(wrong("this requestState was answered before"));
    }
    Ok(Some(Said {
        to,
        agreed: agreed(&result),
    }))
}

/// What a seal holds for: this tool with these arguments, called by the same
/// client.
fn bound(grant: &Grant, request: &CallToolRequestParams) -> Vec<u8> {
    let call = (&grant.name, &request.name, &request.arguments);
    // Names and arguments come from JSON, and go back to it.
    serde_json::to_vec(&call).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(arguments: Value) -> CallToolRequestParams {
        CallToolRequestParams::new("delete_item")
            .with_arguments(arguments.as_object().unwrap().clone())
    }

    fn question() -> Question {
        Question {
            message: "Delete it?".into(),
            about: "1".into(),
            otherwise: String::new(),
        }
    }

    #[test]
    fn a_seal_that_is_too_old_or_of_another_server_or_client_is_not_believed() {
        let seal = Seals::new(RequestStateCodec::try_new(vec![1; 32]).unwrap());
        let mut request = call(json!({"items": ["1"]}));
        let answer = json!({"action": "accept", "content": {"confirm": true}});
        request.input_responses = Some([(KEY.to_owned(), answer)].into());
        assert_eq!(brought_back(&seal, &Grant::OWNER, &request).unwrap(), None);

        request.request_state = Some(sealed(
            &seal,
            &Grant::OWNER,
            &request,
            &question(),
            PATIENCE,
        ));
        let said = brought_back(&seal, &Grant::OWNER, &request)
            .unwrap()
            .unwrap();
        assert_eq!((said.to, said.agreed), (question().digest(), true));
        let again = brought_back(&seal, &Grant::OWNER, &request).unwrap_err();
        assert!(again.message.contains("answered before"), "{again:?}");
        let other = Seals::new(RequestStateCodec::try_new(vec![2; 32]).unwrap());
        assert!(brought_back(&other, &Grant::OWNER, &request).is_err());
        let somebody = Grant {
            name: "somebody else".into(),
            ..Grant::OWNER
        };
        assert!(brought_back(&seal, &somebody, &request).is_err());

        request.request_state = Some(sealed(
            &seal,
            &Grant::OWNER,
            &request,
            &question(),
            Duration::ZERO,
        ));
        std::thread::sleep(Duration::from_millis(2));
        let error = brought_back(&seal, &Grant::OWNER, &request).unwrap_err();
        assert!(error.message.contains("expired"), "{error:?}");
    }

    #[test]
    fn a_question_is_told_from_others_by_all_it_is_about() {
        let other = |message: &str, about: &str| Question {
            message: message.into(),
            about: about.into(),
            otherwise: String::new(),
        };
        assert_eq!(question().digest(), other("Delete it?", "1").digest());
        assert_ne!(question().digest(), other("Delete it?", "2").digest());
        assert_ne!(question().digest(), other("Delete it?1", "").digest());
    }

    #[test]
    fn only_a_ticked_box_that_was_sent_means_yes() {
        let said = |value: Value| agreed(&serde_json::from_value(value).unwrap());
        assert!(said(
            json!({"action": "accept", "content": {"confirm": true}})
        ));
        for no in [
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {"confirm": false}}),
            json!({"action": "accept", "content": {"confirm": "true"}}),
            json!({"action": "accept", "content": {"other": true}}),
            json!({"action": "accept", "content": true}),
            json!({"action": "decline", "content": {"confirm": true}}),
            json!({"action": "cancel", "content": {"confirm": true}}),
        ] {
            assert!(!said(no.clone()), "{no}");
        }
    }
}
