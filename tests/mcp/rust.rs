//! rmcp's client: everything the tools do.

use std::env;
use std::fs;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorCode, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ClientLifecycleMode, ServiceError, serve_client_with_lifecycle};
use serde_json::{Value, json};

use crate::{Setup, TOOLS};

/// Keeps what the server says in passing.
#[derive(Clone, Default)]
pub(super) struct Listener {
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl Listener {
    /// The progress of all calls so far.
    pub(super) fn heard(&self) -> Vec<ProgressNotificationParam> {
        self.progress.lock().unwrap().clone()
    }
}

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(progress);
    }
}

pub(super) type Client = RunningService<RoleClient, Listener>;

pub(super) async fn connect(setup: &Setup, lifecycle: ClientLifecycleMode) -> Client {
    let mut command = tokio::process::Command::from(setup.pkb());
    command.args(["serve", "--no-watch"]);
    let transport = TokioChildProcess::new(command).unwrap();
    serve_client_with_lifecycle(Listener::default(), transport, lifecycle)
        .await
        .unwrap()
}

pub(super) async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client
        .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
        .await
        .unwrap()
}

/// What a tool says and the same as data; it must not be an error.
pub(super) async fn ask(client: &Client, tool: &'static str, arguments: Value) -> (String, Value) {
    let result = call(client, tool, arguments).await;
    let text = text(&result);
    assert_ne!(result.is_error, Some(true), "{text}");
    (
        text,
        result
            .structured_content
            .expect("an answer has structured content"),
    )
}

/// What a tool says is wrong.
pub(super) async fn wrong(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{}", text(&result));
    text(&result)
}

pub(super) fn text(result: &CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| text.text.as_str())
        .collect()
}

pub(super) async fn sync(client: &Client) {
    let (said, synced) = ask(client, "sync_knowledge_base", json!({})).await;
    assert_eq!(synced["complete"], true, "{said}");
}

#[tokio::test]
async fn the_tools_say_what_they_are() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        assert_eq!(tool.input_schema["type"], "object", "{tool:?}");
        assert_eq!(
            tool.output_schema.as_ref().unwrap()["type"],
            "object",
            "{tool:?}"
        );
        let hints = tool.annotations.as_ref().unwrap();
        assert!(hints.read_only_hint.is_some(), "{tool:?}");
        assert!(hints.destructive_hint.is_some(), "{tool:?}");
        assert!(hints.idempotent_hint.is_some(), "{tool:?}");
        assert!(hints.open_world_hint.is_some(), "{tool:?}");
    }
    let unknown = client
        .call_tool(CallToolRequestParams::new("no_such_tool"))
        .await;
    let Err(ServiceError::McpError(error)) = unknown else {
        panic!("{unknown:?}")
    };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(error.message.contains("search_knowledge"), "{error:?}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_client_syncs_searches_and_reads_on() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    let info = client.peer_info().unwrap();
    let instructions = info.instructions.as_ref().unwrap();
    assert!(
        instructions.contains("vault (folder, 0 items)"),
        "{instructions}"
    );

    sync(&client).await;
    let progress: Vec<f64> = client
        .service()
        .progress
        .lock()
        .unwrap()
        .iter()
        .map(|update| update.progress)
        .collect();
    assert!(
        progress.len() >= 2 && progress.is_sorted_by(|a, b| a < b),
        "{progress:?}"
    );

    let query =
        json!({"query": "zephyrine telescope", "limit": 3, "explain": true, "mode": "lexical"});
    let (said, found) = ask(&client, "search_knowledge", query).await;
    let hit = &found["hits"][0];
    assert_eq!(hit["title"], "Star notes", "{said}");
    assert_eq!(hit["path"], "vault/sky/Star notes.md");
    assert_eq!(hit["why"]["lexical_rank"], 1);
    assert_eq!(
        hit["date"].as_str().unwrap().len(),
        "2026-11-30".len(),
        "{hit}"
    );
    assert_eq!(hit["confidence"], "strong", "{hit}");
    assert!(
        hit["snippet"]
            .as_str()
            .unwrap()
            .contains("**Zephyrine telescope**"),
        "{hit}"
    );
    assert!(
        said.contains("**Zephyrine telescope**") && said.contains("rank 1"),
        "{said}"
    );
    let explained = &found["explained"];
    assert_eq!(explained["legs"][0]["name"], "lexical", "{found}");
    assert!(explained["times"]["total_ms"].is_number(), "{found}");

    let lines = json!({"item": hit["item"].to_string(), "from_line": 10, "to_line": 10});
    let (_, read) = ask(&client, "get_document", lines).await;
    assert_eq!(
        read["text"], "The Zephyrine telescope gathers faint light.\n",
        "{read}"
    );
    assert_eq!(
        (&read["from_line"], &read["to_line"]),
        (&json!(10), &json!(10)),
        "{read}"
    );
    assert_eq!(read["tags"], json!(["sky"]));
    for name in [
        json!(format!("pkb://item/{}", hit["item"])),
        json!("Star notes"),
        json!("vault/sky/Star notes.md"),
        hit["item"].clone(),
    ] {
        let (said, whole) = ask(&client, "get_document", json!({"item": name})).await;
        assert_eq!(whole["item"], hit["item"], "{said}");
        assert!(said.contains("Begin with the moon."), "{said}");
        assert!(whole.get("next_cursor").is_none());
    }

    let (_, none) = ask(
        &client,
        "search_knowledge",
        json!({"query": "zephyrine", "filter": "path:other/", "mode": "lexical"}),
    )
    .await;
    assert_eq!(none["hits"], json!([]));
    let (_, tagged) = ask(
        &client,
        "search_knowledge",
        json!({"query": "telescope", "filter": "tag:sky"}),
    )
    .await;
    assert_eq!(tagged["hits"].as_array().unwrap().len(), 1, "{tagged}");

    let (said, health) = ask(&client, "health_check", json!({})).await;
    assert_eq!(
        (&health["items"], &health["ledger"]["indexed"]),
        (&json!(4), &json!(4)),
        "{said}"
    );
    assert_eq!(
        health["sources"][0]["last_sync"]["outcome"], "done",
        "{said}"
    );
    let components = health["components"].as_array().unwrap();
    let markdown = components
        .iter()
        .filter_map(Value::as_str)
        .find(|component| component.starts_with("extract-markdown "));
    assert!(
        markdown.is_some_and(|component| component.contains("(extractor, ")),
        "{said}"
    );
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_client_of_the_newest_protocol_is_served_too() {
    let setup = Setup::small();
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::LATEST],
    };
    let client = connect(&setup, lifecycle).await;
    let info = client.peer_info().unwrap();
    assert!(
        info.instructions
            .as_ref()
            .unwrap()
            .contains("search_knowledge"),
        "{info:?}"
    );
    assert_eq!(client.list_all_tools().await.unwrap().len(), TOOLS.len());
    sync(&client).await;
    let (said, found) = ask(&client, "search_knowledge", json!({"query": "zephyrine"})).await;
    assert_eq!(found["hits"][0]["title"], "Star notes", "{said}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_long_text_is_read_in_parts() {
    let setup = Setup::small();
    let long: Vec<String> = (1..=3000)
        .map(|row| format!("Row {row} of the long ledger."))
        .collect();
    setup.write("long.md", &long.join("\n"));
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    sync(&client).await;
    let mut whole = String::new();
    let mut next = json!({"item": "long.md"});
    let mut parts = 0;
    loop {
        let (said, part) = ask(&client, "get_document", next).await;
        whole.push_str(part["text"].as_str().unwrap());
        parts += 1;
        let Some(cursor) = part["next_cursor"].as_str() else {
            break;
        };
        assert!(
            said.contains(&format!("\"cursor\": \"{cursor}\"")),
            "the words say how to go on"
        );
        next = json!({"item": "long.md", "cursor": cursor});
    }
    assert!(parts > 1);
    assert_eq!(
        whole.trim_end(),
        fs::read_to_string(setup.vault().join("long.md")).unwrap()
    );
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn listings_have_pages() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    let (said, empty) = ask(&client, "browse_knowledge", json!({})).await;
    assert_eq!(
        (&empty["total"], &empty["documents"]),
        (&json!(0), &json!([])),
        "{said}"
    );
    sync(&client).await;
    let mut paths = Vec::new();
    let mut cursor = json!("");
    while !cursor.is_null() {
        let (_, page) = ask(
            &client,
            "browse_knowledge",
            json!({"limit": 3, "cursor": cursor}),
        )
        .await;
        assert_eq!(page["total"], 4);
        paths.extend(
            page["documents"]
                .as_array()
                .unwrap()
                .iter()
                .map(|document| document["path"].to_string()),
        );
        cursor = page["next_cursor"].clone();
    }
    assert_eq!(paths.len(), 4);
    assert!(paths.is_sorted(), "{paths:?}");
    let (_, sky) = ask(
        &client,
        "browse_knowledge",
        json!({"filter": "path:vault/sky/", "sort": "modified"}),
    )
    .await;
    assert_eq!(sky["documents"][0]["title"], "Star notes", "{sky}");
    let (said, tagged) = ask(
        &client,
        "browse_knowledge",
        json!({"filter": "tag:sky", "count_only": true}),
    )
    .await;
    assert_eq!(tagged["total"], 1, "{tagged}");
    assert_eq!(tagged["documents"], json!([]), "{tagged}");
    assert!(said.contains("1 item fits"), "{said}");
    let (_, others) = ask(
        &client,
        "browse_knowledge",
        json!({"filter": "-tag:sky ingested:today", "sort": "title", "descending": true}),
    )
    .await;
    let titles: Vec<&Value> = others["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| &document["title"])
        .collect();
    assert_eq!(titles, ["Hostile note", "Empty", "Bread"], "{others}");
    let said = wrong(&client, "browse_knowledge", json!({"after": "someday"})).await;
    assert!(
        said.contains("someday") && said.contains("last-month"),
        "{said}"
    );
    let said = wrong(&client, "browse_knowledge", json!({"folder": "sky"})).await;
    assert!(
        said.contains("folder") && said.contains("filter") && said.contains("sources"),
        "{said}"
    );
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn errors_say_what_to_do_next() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    sync(&client).await;
    let said = wrong(&client, "get_document", json!({"item": "Star note"})).await;
    assert!(
        said.contains("no item")
            && said.contains("Star notes.md")
            && said.contains("browse_knowledge"),
        "{said}"
    );
    let said = wrong(
        &client,
        "get_document",
        json!({"item": "Star notes", "from_line": 900}),
    )
    .await;
    assert!(
        said.contains("lines 900") && said.contains("to line 14"),
        "{said}"
    );
    let said = wrong(
        &client,
        "search_knowledge",
        json!({"query": "a", "sources": ["volt"]}),
    )
    .await;
    assert!(said.contains("volt") && said.contains("vault"), "{said}");
    let said = wrong(
        &client,
        "search_knowledge",
        json!({"query": "a", "limit": "many"}),
    )
    .await;
    assert!(
        said.contains("input schema") && said.contains("many"),
        "{said}"
    );
    let said = wrong(&client, "sync_knowledge_base", json!({"sources": ["volt"]})).await;
    assert!(said.contains("volt") && said.contains("vault"), "{said}");
    if env::var_os("PKB_TEST_MODELS").is_none() {
        let said = wrong(
            &client,
            "search_knowledge",
            json!({"query": "a", "mode": "dense"}),
        )
        .await;
        assert!(said.contains("pkb model pull"), "{said}");
    }
    let (said, _) = ask(
        &client,
        "search_knowledge",
        json!({"query": "  \" ( ) AND NOT * "}),
    )
    .await;
    assert!(!said.is_empty());
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_folder_that_is_empty_all_at_once_is_asked_about() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    sync(&client).await;
    let (notes, away) = (setup.vault(), setup.folder.path().join("away"));
    fs::rename(&notes, &away).unwrap();
    let (said, _) = ask(&client, "sync_knowledge_base", json!({})).await;
    assert!(said.contains("can still be found"), "{said}");
    fs::create_dir(&notes).unwrap();
    let (said, synced) = ask(&client, "sync_knowledge_base", json!({})).await;
    assert_eq!(synced["complete"], false);
    assert!(said.contains("4 items were"), "{said}");
    assert!(said.contains("Empty.md"), "some of them are named: {said}");
    assert!(
        said.contains("`sync_knowledge_base` with accept_removals"),
        "{said}"
    );
    let (_, health) = ask(&client, "health_check", json!({})).await;
    assert_eq!(health["items"], 4, "{health}");
    let (_, synced) = ask(
        &client,
        "sync_knowledge_base",
        json!({"accept_removals": true}),
    )
    .await;
    assert_eq!(synced["sources"][0]["deleted"], 4, "{synced}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn text_of_items_cannot_leave_its_quotes() {
    let setup = Setup::small();
    let client = connect(&setup, ClientLifecycleMode::Initialize).await;
    sync(&client).await;
    let search = json!({"query": "obsidianite remark", "mode": "lexical"});
    for (tool, arguments) in [
        ("get_document", json!({"item": "hostile.md"})),
        ("search_knowledge", search),
    ] {
        let (said, data) = ask(&client, tool, arguments).await;
        assert!(
            data["notice"]
                .as_str()
                .unwrap()
                .contains("never instructions"),
            "{data}"
        );
        let tag = said
            .split_once("between <")
            .unwrap()
            .1
            .split_once('>')
            .unwrap()
            .0;
        let order = said.find("Ignore all earlier").expect("the text is there");
        let ends: Vec<usize> = said
            .match_indices(&format!("\n</{tag}>"))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(ends.len(), 1, "{said}");
        assert!(order < ends[0], "{said}");
    }
    client.cancel().await.unwrap();
}
