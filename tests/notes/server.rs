//! The same over MCP: bare lines to `pkb serve`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use pkb_tests::Library;
use serde_json::{Value, json};

use crate::marks::{NAME, Pair, SECRETS};

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    id: u32,
    /// What it said first.
    hello: Value,
}

impl Server {
    fn start(library: &Library, options: &[&str]) -> Server {
        let mut arguments = vec!["serve", "--no-watch"];
        arguments.extend(options);
        let mut child = library
            .command(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server {
            child,
            stdin,
            stdout,
            id: 0,
            hello: Value::Null,
        };
        let client = json!({"name": "bare", "version": "0"});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.hello = server.request("initialize", hello);
        writeln!(
            server.stdin,
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .unwrap();
        server
    }

    /// The whole answer to a request.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin, "{request}").unwrap();
        loop {
            let mut line = String::new();
            assert!(
                self.stdout.read_line(&mut line).unwrap() > 0,
                "{method}: no answer"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Asks for several calls of a tool before any is answered.
    fn send(&mut self, tool: &str, all: &[Value]) {
        for arguments in all {
            self.id += 1;
            let params = json!({"name": tool, "arguments": arguments});
            let request =
                json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params});
            writeln!(self.stdin, "{request}").unwrap();
        }
    }

    /// The answers to so many calls, in any order.
    fn answers(&mut self, count: usize) -> Vec<Value> {
        let mut answers = Vec::new();
        while answers.len() < count {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no answer");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"].is_number() && message["result"].is_object() {
                answers.push(message["result"].clone());
            }
        }
        answers
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// What a tool found, which must have succeeded.
    fn found(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// What a tool says that must have failed.
    fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_model_adds_a_note_finds_it_and_changes_it() {
    let library = Library::new();
    let mut server = Server::start(&library, &[]);
    let added = server.found(
        "add_note",
        json!({"title": "Call: Ada", "text": "She agreed to the zephyrine plan.", "tags": ["calls"], "folder": "Log", "source": ""}),
    );
    assert_eq!(added["path"], "notes/Log/Call Ada.md", "{added}");
    let found = server.found("search_knowledge", json!({"query": "zephyrine"}));
    assert!(found.to_string().contains("Log/Call Ada.md"), "{found}");
    let updated = server.found(
        "update_document",
        json!({"item": added["path"], "title": "Call with Ada", "add_tags": ["may"], "remove_tags": ["calls"]}),
    );
    assert_eq!(updated["title"], "Call with Ada");
    assert_eq!(updated["tags"], json!(["may"]));
    let note = fs::read_to_string(library.notes.path().join("Log/Call Ada.md")).unwrap();
    assert!(
        note.starts_with("---\ntitle: \"Call with Ada\"\ntags: [may]\ncreated: ")
            && note.ends_with("---\n\nShe agreed to the zephyrine plan.\n"),
        "{note}"
    );
    // Models fill in what they do not mean.
    let same = server.found(
        "update_document",
        json!({"item": added["path"], "title": "Call with Ada", "tags": [], "add_tags": []}),
    );
    assert_eq!(same["tags"], json!(["may"]));
    let says = server.fails(
        "add_note",
        json!({"title": "x", "text": "y", "folder": "../z"}),
    );
    assert!(says.contains("not a folder inside the source"), "{says}");
    let says = server.fails(
        "update_document",
        json!({"item": added["path"], "tags": ["a"], "add_tags": ["b"]}),
    );
    assert!(says.contains("tags alone"), "{says}");
    // What is on this machine is not a page of the web.
    let says = server.fails("clip_url", json!({"url": "http://127.0.0.1:9/"}));
    assert!(says.contains("not on the public internet"), "{says}");
}

#[test]
fn of_updates_at_once_through_two_servers_none_is_lost() {
    let library = Library::new();
    library.write("Heron.md", "---\ntags: [old]\n---\nIt stands.\n");
    library.sync();
    let mut servers = [Server::start(&library, &[]), Server::start(&library, &[])];
    let mut wanted = vec!["old".to_owned()];
    for (at, server) in servers.iter_mut().enumerate() {
        let tags: Vec<String> = (0..8).map(|tag| format!("tag-{at}-{tag}")).collect();
        let all: Vec<Value> = tags
            .iter()
            .map(|tag| json!({"item": "notes/Heron.md", "add_tags": [tag]}))
            .collect();
        server.send("update_document", &all);
        wanted.extend(tags);
    }
    for server in &mut servers {
        for answer in server.answers(8) {
            assert_eq!(answer["isError"], false, "{answer}");
        }
    }
    let note = fs::read_to_string(library.notes.path().join("Heron.md")).unwrap();
    let list = note
        .strip_prefix("---\ntags: [")
        .and_then(|rest| rest.strip_suffix("]\n---\nIt stands.\n"))
        .unwrap_or_else(|| panic!("{note}"));
    let mut tags: Vec<&str> = list.split(", ").collect();
    tags.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(tags, wanted);
    drop(servers);
    library.sync();
    assert_eq!(library.run(&["list", "--tag", "tag-1-7"])["total"], 1);
    library.assert_sound();
}

#[test]
fn a_refused_clip_leaves_no_source_behind() {
    let library = Library::new();
    let mut server = Server::start(&library, &[]);
    let says = server.fails("clip_url", json!({"url": "http://127.0.0.1:9/"}));
    assert!(
        says.contains("the user can clip") && says.contains("pkb clip"),
        "{says}"
    );
    let sources = library.run(&["source", "list"]).to_string();
    assert!(
        sources.contains("notes") && !sources.contains("clips"),
        "{sources}"
    );
    assert!(!library.home.path().join("clips").exists());
}

#[test]
fn the_tools_that_write_say_so_in_few_words() {
    let library = Library::new();
    let mut server = Server::start(&library, &[]);
    let tools = server.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    for (name, destructive, idempotent, open) in [
        ("add_note", false, false, false),
        ("clip_url", false, true, true),
        ("update_document", true, true, false),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let hints = &tool["annotations"];
        assert_eq!(
            (
                &hints["readOnlyHint"],
                &hints["destructiveHint"],
                &hints["idempotentHint"],
                &hints["openWorldHint"]
            ),
            (
                &json!(false),
                &json!(destructive),
                &json!(idempotent),
                &json!(open)
            ),
            "{name}"
        );
    }
    drop(server);
    let mut server = Server::start(&library, &["--read-only"]);
    let tools = server.request("tools/list", json!({}));
    for name in ["add_note", "clip_url", "update_document"] {
        assert!(
            !tools.to_string().contains(&format!("\"{name}\"")),
            "{name}"
        );
        let answer = server.call(
            name,
            json!({"title": "x", "text": "y", "url": "https://x.example", "item": 1}),
        );
        assert!(
            answer["error"].is_object() || answer["result"]["isError"] == true,
            "{answer}"
        );
    }
}

/// Everything that a client can ask for, with what the private source holds.
fn questions() -> Vec<(&'static str, Value)> {
    let tool = |name: &str, arguments: Value| {
        ("tools/call", json!({"name": name, "arguments": arguments}))
    };
    let mut all = vec![
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "pkb://status"})),
        ("resources/read", json!({"uri": "pkb://item/5"})),
        ("resources/read", json!({"uri": "pkb://source/diary"})),
        tool(
            "search_knowledge",
            json!({"query": "heron harbour", "explain": true}),
        ),
        tool(
            "search_knowledge",
            json!({"query": "heron", "mode": "lexical"}),
        ),
        tool("search_knowledge", json!({"query": "source:diary heron"})),
        tool(
            "search_knowledge",
            json!({"query": "heron", "sources": ["diary"]}),
        ),
        tool("browse_knowledge", json!({})),
        tool("browse_knowledge", json!({"order": "title"})),
        tool("browse_knowledge", json!({"status": "deleted"})),
        tool("browse_knowledge", json!({"count_only": true})),
        tool("list_sources", json!({})),
        tool("list_deleted", json!({})),
        tool("health_check", json!({})),
        tool("get_coverage", json!({})),
        tool("sync_knowledge_base", json!({})),
        tool("sync_knowledge_base", json!({"sources": ["diary"]})),
        tool(
            "add_note",
            json!({"title": "x", "text": "y", "source": "diary"}),
        ),
        tool(
            "clip_url",
            json!({"url": "https://x.example", "source": "diary"}),
        ),
        tool("delete_item", json!({"items": ["6"]})),
        tool("delete_item", json!({"items": ["Quixotik page"]})),
        tool("delete_item", json!({"items": ["qzfil"], "hard": true})),
        tool("restore_item", json!({"items": ["gone"]})),
        tool("search", json!({"query": "heron"})),
        tool("fetch", json!({"id": "5"})),
    ];
    for item in [
        "5",
        "Boats",
        "Herons",
        "page",
        "Quixotik page",
        "qzfil",
        "pkb://item/5",
        "https://zq.example/page",
    ] {
        all.push(tool("get_document", json!({"item": item})));
        all.push(tool("similar_documents", json!({"item": item})));
        all.push(tool("get_links", json!({"item": item})));
        all.push(tool(
            "update_document",
            json!({"item": item, "add_tags": ["seen"]}),
        ));
    }
    for name in ["source", "name"] {
        let reference = json!({"type": "ref/resource", "uri": "pkb://source/{name}"});
        let argument = json!({"name": name, "value": "di"});
        all.push((
            "completion/complete",
            json!({"ref": reference, "argument": argument}),
        ));
    }
    all
}

/// Whether a request itself names a secret, and so may be repeated.
fn is_asked(question: &Value, secret: &str) -> bool {
    question
        .to_string()
        .to_lowercase()
        .contains(&secret.to_lowercase())
}

#[test]
fn no_answer_to_a_client_shows_anything_of_a_private_source() {
    let pair = Pair::new();
    let mut server = Server::start(&pair.marked, &["--chatgpt"]);
    let mut answers = vec![(json!("initialize"), server.hello.clone())];
    for (method, params) in questions() {
        let answer = server.request(method, params.clone());
        answers.push((json!([method, params]), answer));
    }
    // Also when the source is asked for by its name: that is no naming.
    for (tool, arguments) in [
        (
            "search_knowledge",
            json!({"query": format!("source:{NAME} heron")}),
        ),
        (
            "search_knowledge",
            json!({"query": "heron", "sources": [NAME]}),
        ),
        ("browse_knowledge", json!({"sources": [NAME]})),
        ("get_document", json!({"item": format!("{NAME}/qzfile.md")})),
        ("get_coverage", json!({"source": NAME})),
        ("sync_knowledge_base", json!({"sources": [NAME]})),
        (
            "add_note",
            json!({"title": "Written", "text": "y", "source": NAME}),
        ),
    ] {
        let answer = server.call(tool, arguments.clone());
        answers.push((json!([tool, arguments]), answer));
    }
    for (question, answer) in &answers {
        let text = answer.to_string().to_lowercase();
        for secret in SECRETS.iter().filter(|secret| !is_asked(question, secret)) {
            assert!(
                !text.contains(&secret.to_lowercase()),
                "{question}: {secret} in {answer}"
            );
        }
    }
    assert!(!pair.secret.path().join("Written.md").exists());
    let kept = fs::read_to_string(pair.secret.path().join("qzfile.md")).unwrap();
    assert!(!kept.contains("seen"), "{kept}");
    let found = |server: &mut Server| {
        let found = server.found("search_knowledge", json!({"query": "xylofrond page"}));
        found.to_string().contains("qzfile")
    };
    assert!(!found(&mut server));
    drop(server);
    // Unless the user says so on the command line.
    let mut server = Server::start(&pair.marked, &["--private", NAME]);
    assert!(server.hello.to_string().contains(NAME), "{}", server.hello);
    assert!(found(&mut server));
}

#[test]
fn a_mark_counts_from_the_next_request_on() {
    let pair = Pair::new();
    pair.marked.run(&["source", "set", NAME, "--visible"]);
    let mut server = Server::start(&pair.marked, &[]);
    let mut found = || {
        let found = server.found("search_knowledge", json!({"query": "xylofrond page"}));
        found.to_string().contains("qzfile")
    };
    assert!(found());
    pair.marked.run(&["source", "set", NAME, "--private"]);
    assert!(!found());
}
