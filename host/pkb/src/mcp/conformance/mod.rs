//! What the official conformance suite asks of a server: tools, resources and
//! prompts that show each form an answer can have. They stand beside the real
//! ones, so that all else the suite looks at is the server that people have.
//! For tests only; no build that people get has any of it.

#![expect(
    deprecated,
    reason = "older versions of the protocol have what newer ones deprecate"
)]

mod content;
mod rounds;
mod tasks;
mod tools;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::broadcast::{self, error::RecvError};

use super::handler::Handler;
use super::service::Service;

/// The real connection, and what the suite asks for.
pub(crate) struct Fixture {
    real: Handler,
    service: Arc<Service>,
}

/// A list that a tool of the suite says has changed.
#[derive(Clone, Copy, PartialEq)]
enum Changed {
    Tools,
    Prompts,
}

/// Each request over HTTP has a connection of its own; this reaches them all.
static CHANGES: LazyLock<broadcast::Sender<Changed>> = LazyLock::new(|| broadcast::channel(16).0);

impl Fixture {
    /// As [`Handler::new`].
    pub(crate) fn new(service: Arc<Service>, client_left: Arc<AtomicBool>) -> Fixture {
        Fixture {
            real: Handler::new(service.clone(), client_left),
            service,
        }
    }

    /// The real capabilities, and those that only the suite's tools need.
    fn extended(mut capabilities: ServerCapabilities) -> ServerCapabilities {
        capabilities.logging = Some(Default::default());
        capabilities.tools.get_or_insert_default().list_changed = Some(true);
        capabilities.prompts.get_or_insert_default().list_changed = Some(true);
        capabilities
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.real.get_info();
        info.capabilities = Self::extended(info.capabilities);
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.real.initialize(request, context).await?;
        info.capabilities = Self::extended(info.capabilities);
        Ok(info)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut found = self.real.discover(context).await?;
        found.capabilities = Self::extended(found.capabilities);
        Ok(found)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.real.list_tools(request, context).await?;
        if list.next_cursor.is_none() {
            list.tools.extend(tools::all()?);
        }
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.real.get_tool(name).or_else(|| {
            let all = tools::all().unwrap_or_default();
            all.into_iter().find(|tool| tool.name == name)
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match tools::call(&self.service, &request, &context).await {
            Some(answer) => answer,
            None => self.real.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.real.list_resources(request, context).await?;
        if list.next_cursor.is_none() {
            list.resources.extend(content::resources()?);
        }
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.real.list_resource_templates(request, context).await?;
        if list.next_cursor.is_none() {
            list.resource_templates.push(content::template()?);
        }
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match content::read(&request.uri) {
            Some(contents) => contents.map(ReadResourceResponse::Complete),
            None => self.real.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.real.list_prompts(request, context).await?;
        if list.next_cursor.is_none() {
            list.prompts.extend(content::prompts()?);
        }
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match content::prompt(&self.service, &request, &context) {
            Some(prompt) => prompt,
            None => self.real.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match content::complete(&request) {
            Some(values) => values,
            None => self.real.complete(request, context).await,
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = self
            .real
            .accepted_subscription_filter(requested)
            .unwrap_or_default();
        accepted.tools_list_changed = requested.tools_list_changed;
        accepted.prompts_list_changed = requested.prompts_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        let mut changes = CHANGES.subscribe();
        let tell = async {
            loop {
                let told = match changes.recv().await {
                    Ok(Changed::Tools) if sink.accepted().tools_list_changed == Some(true) => {
                        sink.notify_tool_list_changed().await
                    }
                    Ok(Changed::Prompts) if sink.accepted().prompts_list_changed == Some(true) => {
                        sink.notify_prompt_list_changed().await
                    }
                    Err(RecvError::Closed) => break,
                    Ok(_) | Err(RecvError::Lagged(_)) => Ok(()),
                };
                if told.is_err() {
                    break;
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            ended = self.real.listen(context) => ended,
            ended = tell => ended,
        }
    }

    /// Takes any level: the suite's tools say what they say at one.
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == content::WATCHED {
            return Ok(());
        }
        self.real.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == content::WATCHED {
            return Ok(());
        }
        self.real.unsubscribe(request, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.real.on_initialized(context).await;
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.real.on_custom_request(request, context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.real.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.real.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.real.cancel_task(request, context).await
    }
}

/// What the suite has in words, as the protocol's types.
fn of<T: DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| {
        ErrorData::internal_error(format!("the fixture is not as it must be: {error}"), None)
    })
}
