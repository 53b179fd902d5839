//! Tools of the suite that take their time, as tasks of the real server.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult,
    ErrorData,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::{Value, json};

use super::super::service::Service;
use super::rounds::{self, Brought, Round};
use super::{of, tools};
use crate::access::Grant;

pub(super) const GREET: &str = "greet";
pub(super) const SLOW: &str = "slow_compute";
pub(super) const CONFIRM: &str = "confirm_delete";

/// Tools without arguments.
pub(super) const PLAIN: [&str; 4] = [FAILING, BROKEN, SEVERAL, AFTERWARDS];

/// Only ever a task; says that it failed.
const FAILING: &str = "failing_job";
/// Only ever a task; ends in an error of the protocol.
const BROKEN: &str = "protocol_error_job";
/// Asks two things at once.
const SEVERAL: &str = "multi_input";
/// Asks before it becomes a task.
const AFTERWARDS: &str = "test_tool_with_task";

/// What one of these tools answers; none where the tool is another.
pub(super) async fn call(
    service: &Service,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let client = context.client_capabilities().unwrap_or_default();
    let name = tools::argument(request, "name").to_owned();
    let seconds = request
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.get("seconds")?.as_f64())
        .unwrap_or_default();
    Some(match request.name.as_ref() {
        GREET => tools::said(&format!("Hello, {name}!")).map(Into::into),
        SLOW if !client.supports_tasks() => {
            tokio::time::sleep(length(seconds)).await;
            tools::said("Computed.").map(Into::into)
        }
        SLOW => Ok(begin(service, move |task| compute(task, length(seconds)))),
        CONFIRM => only_as_task(&client, || {
            begin(service, |task| async move {
                let answer = ask(&task, "confirm").await?;
                Ok(tools::said(&answer.to_string())?)
            })
        }),
        SEVERAL => only_as_task(&client, || {
            begin(service, |task| async move {
                let (one, other) = tokio::try_join!(ask(&task, "one"), ask(&task, "other"))?;
                Ok(tools::said(&format!("{one} {other}"))?)
            })
        }),
        FAILING => only_as_task(&client, || {
            begin(service, |_| async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok(tools::failed("This job fails on purpose.")?)
            })
        }),
        BROKEN => only_as_task(&client, || {
            begin(service, |_| async {
                Err(ErrorData::internal_error("This job breaks off on purpose.", None).into())
            })
        }),
        AFTERWARDS => escalate(service, request, context, &client),
        _ => return None,
    })
}

fn length(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Begins a task; its state can be asked for before this returns.
fn begin<F, W>(service: &Service, work: F) -> CallToolResponse
where
    F: FnOnce(TaskContext) -> W,
    W: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
{
    let task = service
        .tasks
        .spawn(TaskOptions::new(), |task| Box::pin(work(task)));
    // The suite asks from this machine and without a token.
    let owner = Grant::of_this_machine();
    let (tasks, owners) = (&service.tasks, &service.owners);
    owners.note(tasks, &task.task_id, &owner, Vec::new());
    CreateTaskResult::new(task).into()
}

fn only_as_task(
    client: &ClientCapabilities,
    begin: impl FnOnce() -> CallToolResponse,
) -> Result<CallToolResponse, ErrorData> {
    if client.supports_tasks() {
        return Ok(begin());
    }
    let required = ClientCapabilities::builder().enable_tasks().build();
    Err(ErrorData::missing_required_client_capability(required))
}

async fn compute(task: TaskContext, length: Duration) -> Result<CallToolResult, TaskExit> {
    tokio::select! {
        () = tokio::time::sleep(length) => Ok(tools::said("Computed.")?),
        () = task.cancelled() => Err(TaskExit::Cancelled),
    }
}

async fn ask(task: &TaskContext, key: &str) -> Result<Value, TaskExit> {
    let schema = json!({"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]});
    let params = json!({"mode": "form", "message": "Are you sure?", "requestedSchema": schema});
    let question = of(json!({"method": "elicitation/create", "params": params}))?;
    task.request_input(key, question).await
}

/// Asks for a name, and greets in a task.
fn escalate(
    service: &Service,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    client: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    let brought = Brought {
        name: AFTERWARDS,
        answers: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    match rounds::round(service, &brought, context)? {
        Round::Ask(question) => Ok(question.into()),
        Round::Done(answers) => only_as_task(client, || {
            let greeting = rounds::greeting(&answers);
            begin(service, |_| async move { Ok(tools::said(&greeting)?) })
        }),
    }
}
