//! Both eras of the protocol at one address, spoken by rmcp's client.

use std::sync::Once;

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::{Value, json};

use crate::server::{Place, Server};

type Client = RunningService<RoleClient, ()>;

/// Each era by the way in which its clients begin.
pub(crate) fn eras() -> [ClientLifecycleMode; 2] {
    let newest = vec![ProtocolVersion::V_2026_07_28];
    [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover {
            preferred_versions: newest,
        },
    ]
}

/// A client with a token.
pub(crate) async fn connect(
    server: &Server,
    era: ClientLifecycleMode,
    token: Option<&str>,
) -> Result<Client, String> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        rustls::crypto::ring::default_provider()
            .install_default()
            .unwrap();
    });
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.url.clone());
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    let transport = StreamableHttpClientTransport::from_config(config);
    let client = serve_client_with_lifecycle((), transport, era).await;
    client.map_err(|error| error.to_string())
}

pub(crate) async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_both_eras_are_served_at_one_address() {
    let place = Place::new();
    let server = place.serve(&[]);
    let mut clients = Vec::new();
    for era in eras() {
        let client = connect(&server, era, None).await.unwrap();
        assert!(!client.list_all_tools().await.unwrap().is_empty());
        let found = call(&client, "search_knowledge", json!({ "query": "telescope" })).await;
        let found = found.structured_content.unwrap();
        assert_eq!(found["hits"][0]["path"], "notes/sky.md", "{found}");
        clients.push(client);
    }
    assert_eq!(
        server.metric("pkb_http_sessions", &[]),
        1.0,
        "the newer era has none"
    );
    for client in clients {
        client.cancel().await.unwrap();
    }
    server.wait_for("pkb_http_sessions", 0.0);
    server.wait_for("pkb_http_streams", 0.0);
    server.wait_for("pkb_http_running", 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_work_is_done_and_stopped_in_both_eras() {
    for era in eras() {
        let place = Place::large();
        let server = place.serve(&[]);
        let client = connect(&server, era, None).await.unwrap();
        let arguments = json!({}).as_object().unwrap().clone();
        let request = CallToolRequestParams::new("sync_knowledge_base").with_arguments(arguments);
        let peer = client.peer().clone();
        let call = tokio::spawn(async move { peer.call_tool(request).await });
        server.wait_for("pkb_http_running", 1.0);
        // A client that goes away in the middle takes its work with it.
        client.cancel().await.unwrap();
        let _ = call.await.unwrap();
        server.wait_for("pkb_http_running", 0.0);
        server.wait_for("pkb_http_sessions", 0.0);
        let status: Value = serde_json::from_str(&place.run(&["--json", "status"])).unwrap();
        let items = status["store"]["items"].as_u64().unwrap();
        assert!(items < 6000, "it was not stopped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_lets_a_client_in_and_says_what_it_may_do() {
    let place = Place::new();
    let reader = place.token("reader", "read");
    let writer = place.token("writer", "write");
    let server = place.serve(&[]);
    for era in eras() {
        assert!(connect(&server, era.clone(), None).await.is_err());
        let client = connect(&server, era.clone(), Some(&reader)).await.unwrap();
        let found = call(&client, "search_knowledge", json!({ "query": "salt" })).await;
        assert_eq!(
            found.structured_content.unwrap()["hits"][0]["path"],
            "notes/bread.md"
        );
        let request = CallToolRequestParams::new("sync_knowledge_base");
        assert!(client.call_tool(request).await.is_err());
        let client = connect(&server, era, Some(&writer)).await.unwrap();
        let synced = call(&client, "sync_knowledge_base", json!({})).await;
        assert_eq!(synced.structured_content.unwrap()["complete"], true);
    }
}
