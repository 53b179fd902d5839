//! The protocol's requests of one connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CreateTaskResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::task_manager::{TaskExit, TaskOptions};
use tokio::task::spawn_blocking;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::changes::{Promise, Subscriptions};
use super::confirm::{self, Asked};
use super::progress::{Teller, Update};
use super::service::{Service, definition};
use super::tool::{Call, Entry, Ran, Said, Watch, failure, stopper};
use super::{completion, instructions, owners, prompts, resources};
use crate::access::Grant;

/// How long a task that is done can be asked after.
const TASK_KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How often a client should ask after a task.
const ASK_AFTER: Duration = Duration::from_secs(2);

/// For how long a client may keep what changes with a new version of pkb only,
/// or with what it is allowed.
const STATIC: Duration = Duration::from_secs(60 * 60);
/// The same for what is said of the index.
const LIVE: Duration = Duration::from_secs(60);
/// The same for the list of resources, which is news when it changes.
const LISTED: Duration = Duration::from_secs(5);

/// One connection; over HTTP also one request, where the protocol has no
/// sessions.
pub(crate) struct Handler {
    service: Arc<Service>,
    /// Set when stdin ends: nobody waits for long work any more.
    client_left: Arc<AtomicBool>,
    subscriptions: Subscriptions,
    promise: Promise,
}

impl Handler {
    /// A connection whose end is noted in `client_left`, where the transport
    /// notices it.
    pub(crate) fn new(service: Arc<Service>, client_left: Arc<AtomicBool>) -> Handler {
        Handler {
            service,
            client_left,
            subscriptions: Subscriptions::default(),
            promise: Promise::default(),
        }
    }

    /// What the caller of a request may do. Over stdin and stdout it is whoever
    /// started the process; over HTTP the request was let in with a grant.
    fn grant(&self, context: &RequestContext<RoleServer>) -> Grant {
        match context.extensions.get::<hyper::http::request::Parts>() {
            Some(parts) => (parts.extensions.get::<Grant>().cloned()).unwrap_or(Grant::READER),
            None => Grant::OWNER,
        }
    }

    /// Runs what blocks, on a thread for that.
    async fn blocking<T, F>(&self, work: F) -> Result<T, ErrorData>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<Service>) -> Result<T, ErrorData> + Send + 'static,
    {
        let service = self.service.clone();
        let span = Span::current();
        spawn_blocking(move || span.in_scope(|| work(&service)))
            .await
            .unwrap_or_else(|error| {
                tracing::error!("a request broke off: {error}");
                Err(ErrorData::internal_error(BROKE_OFF, None))
            })
    }

    /// For how many milliseconds a client may keep an answer; nothing is said of
    /// that to clients that know no such thing.
    fn keep(context: &RequestContext<RoleServer>, time: Duration) -> Option<u64> {
        is_stateless(context).then_some(time.as_millis() as u64)
    }

    async fn instructions(&self, grant: &Grant) -> String {
        let changes = self.service.offers_changes(grant);
        // What an index cannot say now, a tool says when it is called.
        self.blocking(move |service| Ok(instructions::of(&service.engine, changes)))
            .await
            .unwrap_or_default()
    }
}

/// Questions that one call asks its user while it waits.
const MOST_QUESTIONS: usize = 3;
const UNASKED: &str = "Nothing was done: the user could not be asked to the end.";
const CHANGES: &str = "Nothing was done: what was to be confirmed was something else each time the user had answered. \
                       Call the tool again.";
const BROKE_OFF: &str = "pkb broke off while it worked on this. Its log on stderr says more; `pkb doctor` checks the \
                         index.";

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("pkb", env!("CARGO_PKG_VERSION"))
            .with_title("pkb, the personal knowledge base")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(implementation)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let info = self.negotiate_initialize(&request)?;
        self.promise.note(&self.service.engine);
        let grant = self.grant(&context);
        context.peer.set_peer_info(request);
        Ok(info.with_instructions(self.instructions(&grant).await))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let grant = self.grant(&context);
        let info = self
            .get_info()
            .with_instructions(self.instructions(&grant).await);
        Ok(
            DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info)
                .with_ttl_ms(LIVE.as_millis() as u64),
        )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let grant = self.grant(&context);
        Ok(ListToolsResult {
            tools: self.service.tools(&grant).filter_map(definition).collect(),
            ttl_ms: Self::keep(&context, STATIC),
            ..ListToolsResult::default()
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.service
            .tools(&Grant::OWNER)
            .find(|tool| tool.name == name)
            .and_then(definition)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let grant = self.grant(&context);
        let entry = (self.service.tools(&grant)).find(|tool| tool.name == request.name);
        // A name that a client made up is not kept.
        let tool = entry.map_or("unknown", |entry| entry.name);
        let span = tracing::info_span!("mcp.request", tool, outcome = Empty);
        let began = Instant::now();
        let answer = async {
            match entry {
                Some(entry) => self.call(entry, grant, request, context).await,
                None => Err(self.unknown(&grant, &request.name)),
            }
        };
        let answer = answer.instrument(span.clone()).await;
        let outcome = match &answer {
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => "failed",
            Ok(_) => "answered",
            Err(_) => "failed",
        };
        span.record("outcome", outcome);
        self.service.metrics.record(tool, outcome, began.elapsed());
        self.service.answered.notify_one();
        answer
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let mut list = self
            .blocking(move |service| resources::list(service, cursor.as_deref()))
            .await?;
        list.ttl_ms = Self::keep(&context, LISTED);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = resources::templates();
        list.ttl_ms = Self::keep(&context, STATIC);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.blocking(move |service| resources::read(service, &request.uri))
            .await
            .map(Into::into)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.promise.note(&self.service.engine);
        Some(resources::listenable(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.service.changes.tell(&context, &self.promise).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.service
            .changes
            .tell_session(context.peer, self.subscriptions.clone(), &self.promise);
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        let state = self
            .blocking(move |service| resources::state(service, &uri))
            .await?;
        self.subscriptions.add(request.uri, state)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = prompts::list();
        list.ttl_ms = Self::keep(&context, STATIC);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.blocking(move |service| prompts::get(service, &request))
            .await
            .map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.blocking(move |service| completion::complete(service, &request))
            .await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let grant = self.grant(&context);
        let then = self.service.owners.sources(&request.task_id, &grant)?;
        let mut task = self.service.tasks.get_task(&request.task_id)?;
        let now = self
            .blocking(|service| Ok(owners::names(&service.engine)))
            .await?;
        owners::withhold(&mut task, &then, &now);
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let grant = self.grant(&context);
        self.service.owners.sources(&request.task_id, &grant)?;
        self.service
            .tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let grant = self.grant(&context);
        self.service.owners.sources(&request.task_id, &grant)?;
        self.service.tasks.cancel_task(&request.task_id)
    }

    /// What is no request that the protocol knows comes here, and what is one
    /// but has not the parameters for it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        /// Not there since 2026-07-28, whatever the parameters.
        const GONE: [&str; 3] = ["initialize", "resources/subscribe", "resources/unsubscribe"];
        const KNOWN: [&str; 16] = [
            "initialize",
            "server/discover",
            "completion/complete",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "subscriptions/listen",
            "tools/call",
            "tools/list",
            "tasks/get",
            "tasks/update",
            "tasks/cancel",
        ];
        let method = request.method.as_str();
        let newest = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
        Err(
            if KNOWN.contains(&method) && !(newest && GONE.contains(&method)) {
                let message = format!("the params are not as {} takes them", request.method);
                ErrorData::invalid_params(message, None)
            } else {
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)
            },
        )
    }
}

impl Handler {
    async fn call(
        &self,
        entry: &'static Entry,
        grant: Grant,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = context.client_capabilities();
        let arguments = request.arguments.clone().unwrap_or_default();
        // The Inspector says that it has them in the older handshake too, and
        // cannot read one there.
        let has_tasks = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28)
            && (client.as_ref()).is_some_and(|client| client.supports_tasks());
        if has_tasks && (entry.is_long)(&arguments) {
            return self
                .begin_task(entry, grant, arguments)
                .await
                .map(Into::into);
        }
        let mut said = confirm::brought_back(&self.service.seal, &grant, &request)?;
        // What is to be confirmed may be something else once the user answers.
        for _ in 0..MOST_QUESTIONS {
            let ran = self.run(entry, grant.clone(), arguments.clone(), said, &context);
            let question = match ran.await {
                Ran::Result(result) => return Ok(result.into()),
                Ran::Ask(question) => question,
            };
            if !confirm::can_ask(client.as_ref()) {
                return Ok(failure(&question.otherwise).into());
            }
            if is_stateless(&context) {
                let required = confirm::required(&self.service.seal, &grant, &request, &question)?;
                return Ok(required.into());
            }
            said = match confirm::ask(&context, &question, self.left()).await? {
                Asked::Said(said) => Some(said),
                Asked::Unasked => return Ok(failure(&question.otherwise).into()),
                Asked::Over => return Ok(failure(UNASKED).into()),
            };
        }
        Ok(failure(CHANGES).into())
    }

    /// Runs a tool on a thread for blocking work, and tells the client how far
    /// it is where it asked for that.
    async fn run(
        &self,
        entry: &'static Entry,
        grant: Grant,
        arguments: JsonObject,
        said: Option<Said>,
        context: &RequestContext<RoleServer>,
    ) -> Ran {
        let token = context.meta.get_progress_token();
        let (teller, mut updates) = Teller::new();
        let watch = Watch {
            stop: stopper(context.ct.clone(), self.client_left.clone()),
            progress: token.is_some().then_some(teller),
        };
        let mut call = Call::new(self.service.clone(), grant, entry.name, &arguments, watch);
        call.said = said;
        call.can_ask = confirm::can_ask(context.client_capabilities().as_ref());
        let span = Span::current();
        let work = spawn_blocking(move || span.in_scope(|| (entry.run)(&call, arguments)));
        // The work holds the sending end, so this ends when the work does, and
        // each update is out before the answer is.
        while let Some(Update {
            progress,
            total,
            message,
        }) = updates.recv().await
        {
            let Some(token) = token.clone() else { continue };
            // Nobody waits for what was cancelled.
            if context.ct.is_cancelled() {
                continue;
            }
            let mut update = ProgressNotificationParam::new(token, progress).with_message(message);
            update.total = total;
            tokio::select! {
                sent = context.peer.notify_progress(update) => {
                    if let Err(error) = sent {
                        tracing::debug!("progress cannot be sent: {error}");
                    }
                }
                // Once the client is gone nothing takes an update any more, and
                // the answer must not wait for one.
                () = self.left() => {}
            }
        }
        ended(work.await)
    }

    /// Ends when the client is gone.
    async fn left(&self) {
        while !self.client_left.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Runs a long tool as a task, which goes on when the client leaves and is
    /// asked after by its id.
    async fn begin_task(
        &self,
        entry: &'static Entry,
        grant: Grant,
        arguments: JsonObject,
    ) -> Result<CreateTaskResult, ErrorData> {
        let owner = grant.clone();
        let sources = self
            .blocking(|service| Ok(owners::names(&service.engine)))
            .await?;
        let service = self.service.clone();
        let options = TaskOptions::new()
            .with_ttl_ms(Some(TASK_KEPT.as_millis() as u64))
            .with_poll_interval_ms(ASK_AFTER.as_millis() as u64);
        let span = Span::current();
        let task = self.service.tasks.spawn(options, |task| {
            Box::pin(async move {
                let (teller, mut updates) = Teller::new();
                let asked = task.clone();
                let watch = Watch {
                    stop: Box::new(move || asked.is_cancel_requested()),
                    progress: Some(teller),
                };
                let call = Call::new(service, grant, entry.name, &arguments, watch);
                let work = spawn_blocking(move || span.in_scope(|| (entry.run)(&call, arguments)));
                while let Some(update) = updates.recv().await {
                    task.set_status_message(update.message);
                }
                match ended(work.await) {
                    _ if task.is_cancel_requested() => Err(TaskExit::Cancelled),
                    Ran::Result(result) => Ok(result),
                    Ran::Ask(question) => Ok(failure(&question.otherwise)),
                }
            })
        });
        let tasks = &self.service.tasks;
        (self.service.owners).note(tasks, &task.task_id, &owner, sources);
        Ok(CreateTaskResult::new(task))
    }

    /// The error for a tool that this caller is not offered.
    fn unknown(&self, grant: &Grant, name: &str) -> ErrorData {
        let names: Vec<&str> = self.service.tools(grant).map(|tool| tool.name).collect();
        let names = names.join(", ");
        let elsewhere = super::tools::ALL.iter().any(|tool| tool.name == name);
        let message = if elsewhere {
            format!(
                "the tool {name:?} is not offered here, as it changes things; there are: {names}"
            )
        } else {
            format!("there is no tool called {name:?}; there are: {names}")
        };
        ErrorData::invalid_params(message, None)
    }
}

/// Whether a request is of a version of the protocol without sessions.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    (context.protocol_version()).is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn ended(work: Result<Ran, tokio::task::JoinError>) -> Ran {
    work.unwrap_or_else(|error| {
        tracing::error!("a tool broke off: {error}");
        Ran::Result(failure(BROKE_OFF))
    })
}
