//! What people do with a knowledge base, done by each client in turn: sync with
//! progress, search, read on, add a note, delete it, bring it back, cancel.
//!
//! The same in other languages: `tests/clients`.

use std::time::{Duration, Instant};

use pkb_tests::Serving;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::{Value, json};

use crate::Setup;
use crate::rust::{Client, Listener, ask, call, connect, text};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn newest() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::LATEST],
    }
}

async fn connect_http(server: &Serving, lifecycle: ClientLifecycleMode) -> Client {
    // Its HTTP client wants one, though nothing here is encrypted. Another test
    // may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let transport = StreamableHttpClientTransport::from_uri(server.url.as_str());
    serve_client_with_lifecycle(Listener::default(), transport, lifecycle)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_client_does_everything_over_stdio() {
    for lifecycle in [ClientLifecycleMode::Initialize, newest()] {
        let setup = Setup::for_a_flow();
        everything(connect(&setup, lifecycle).await).await;
    }
}

#[tokio::test]
async fn a_client_does_everything_over_http() {
    for lifecycle in [ClientLifecycleMode::Initialize, newest()] {
        let setup = Setup::for_a_flow();
        let server = Serving::start(setup.pkb());
        everything(connect_http(&server, lifecycle).await).await;
    }
}

async fn everything(client: Client) {
    let vault = json!({"sources": ["vault"]});
    let (said, synced) = ask(&client, "sync_knowledge_base", vault.clone()).await;
    assert_eq!(synced["complete"], true, "{said}");
    let steps: Vec<f64> = client
        .service()
        .heard()
        .iter()
        .map(|step| step.progress)
        .collect();
    assert!(
        !steps.is_empty() && steps.is_sorted_by(|a, b| a < b),
        "{steps:?}"
    );

    let (_, found) = ask(
        &client,
        "search_knowledge",
        json!({"query": "zephyrine telescope"}),
    )
    .await;
    assert_eq!(found["hits"][0]["title"], "Star notes", "{found}");
    assert_eq!(long_text(&client).await, 3000);

    let title = "Marsupials";
    let note =
        json!({"title": title, "text": "Quokkas smile.", "tags": ["animals"], "source": "vault"});
    let (_, note) = ask(&client, "add_note", note).await;
    let items = json!({"items": [note["path"]]});
    assert_eq!(found_quokkas(&client).await, 1);
    ask(&client, "delete_item", items.clone()).await;
    assert_eq!(found_quokkas(&client).await, 0);
    let (_, deleted) = ask(&client, "list_deleted", json!({})).await;
    assert!(deleted.to_string().contains(title), "{deleted}");
    ask(&client, "restore_item", items).await;
    assert_eq!(found_quokkas(&client).await, 1);

    let heard = client.service().heard().len();
    let heap = json!({"sources": ["heap"]}).as_object().unwrap().clone();
    let long =
        client.call_tool(CallToolRequestParams::new("sync_knowledge_base").with_arguments(heap));
    tokio::select! {
        // A call whose caller is gone is cancelled.
        () = more(&client, heard) => {}
        answer = long => panic!("the sync ended before it was cancelled: {answer:?}"),
    }
    let began = Instant::now();
    loop {
        assert!(
            began.elapsed() < PATIENCE,
            "the cancelled sync does not stop"
        );
        let again = call(&client, "sync_knowledge_base", vault.clone()).await;
        if again.is_error != Some(true) {
            break;
        }
        assert!(text(&again).contains("syncing this home"), "{again:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (_, health) = ask(&client, "health_check", json!({})).await;
    let heap = health["sources"].as_array().unwrap().iter();
    let heap = heap.filter(|source| source["name"] == "heap");
    let items: Vec<&Value> = heap.map(|source| &source["items"]).collect();
    assert!(
        items[0].as_u64() < Some(6000),
        "nothing was cancelled: {health}"
    );
    client.cancel().await.unwrap();
}

/// Reads the long text to its end: its rows, in several parts.
async fn long_text(client: &Client) -> usize {
    let mut next = json!({"item": "long.md"});
    let (mut whole, mut parts) = (String::new(), 0);
    loop {
        let (_, part) = ask(client, "get_document", next).await;
        whole.push_str(part["text"].as_str().unwrap());
        parts += 1;
        let Some(cursor) = part["next_cursor"].as_str() else {
            break;
        };
        next = json!({"item": "long.md", "cursor": cursor});
    }
    assert!(parts > 1, "the long text came whole");
    whole.matches("of the long ledger.").count()
}

async fn found_quokkas(client: &Client) -> usize {
    let search = json!({"query": "quokkas", "mode": "lexical"});
    let (_, found) = ask(client, "search_knowledge", search).await;
    found["hits"].as_array().unwrap().len()
}

/// Waits until the client has heard of more than `heard` steps.
async fn more(client: &Client, heard: usize) {
    while client.service().heard().len() <= heard {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
