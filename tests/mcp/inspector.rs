//! The MCP Inspector's command line: one process, and one server, for each
//! request.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pkb_tests::{Node, Serving, pkb_binary};
use serde_json::{Value, json};

use crate::Setup;

const INSPECTOR: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How the Inspector reaches a server.
struct Inspector<'a> {
    node: &'a Node,
    setup: &'a Setup,
    /// The handshake: `legacy` or `modern`.
    era: &'a str,
    /// None over stdio.
    server: Option<&'a Serving>,
}

impl Inspector<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.node.program(INSPECTOR);
        command.args(["--cli", "--format", "json", "--protocol-era", self.era]);
        command.args(arguments);
        // It keeps its own things there.
        command.env("HOME", self.setup.folder.path());
        match self.server {
            Some(server) => {
                command.args(["--transport", "http", "--server-url", &server.url]);
            }
            None => self.over_stdio(&mut command),
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn over_stdio(&self, command: &mut Command) {
        command.arg("-e");
        command.arg(format!("PKB_MODELS={}", self.setup.models.display()));
        command.arg("--").arg(pkb_binary());
        command.arg("--home").arg(self.setup.home());
        command.args(["serve", "--no-watch"]);
    }

    fn request(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["result"].clone()
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let arguments = arguments.to_string();
        let words = ["--method", "tools/call", "--tool-name", tool];
        let result = self.request(&[&words[..], &["--tool-args-json", &arguments]].concat());
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    fn everything(&self) {
        // Its own rules for schemas that every model's provider takes.
        let listed = self.request(&["--method", "tools/list", "--strict"]);
        assert!(listed["tools"].as_array().unwrap().len() >= 10, "{listed}");
        let resources = self.request(&["--method", "resources/list"]);
        assert!(resources["resources"].is_array(), "{resources}");
        let prompts = self.request(&["--method", "prompts/list"]);
        assert!(prompts["prompts"].is_array(), "{prompts}");

        let synced = self.call("sync_knowledge_base", json!({"sources": ["vault"]}));
        assert_eq!(synced["complete"], true, "{synced}");
        let found = self.call("search_knowledge", json!({"query": "zephyrine telescope"}));
        assert_eq!(found["hits"][0]["title"], "Star notes", "{found}");
        let part = self.call("get_document", json!({"item": "long.md"}));
        let cursor = &part["next_cursor"];
        assert!(cursor.is_string(), "{part}");
        let next = self.call("get_document", json!({"item": "long.md", "cursor": cursor}));
        assert_ne!(next["text"], part["text"]);

        let quokkas = || {
            let found = self.call(
                "search_knowledge",
                json!({"query": "quokkas", "mode": "lexical"}),
            );
            found["hits"].as_array().unwrap().len()
        };
        let note = json!({"title": "Marsupials", "text": "Quokkas smile.", "source": "vault"});
        let items = json!({"items": [self.call("add_note", note)["path"]]});
        assert_eq!(quokkas(), 1);
        self.call("delete_item", items.clone());
        assert_eq!(quokkas(), 0);
        self.call("restore_item", items);
        assert_eq!(quokkas(), 1);

        let unknown = self.run(&["--method", "tools/call", "--tool-name", "no_such_tool"]);
        assert!(!unknown.status.success(), "{unknown:?}");
        let uri = format!("pkb://item/{}", found["hits"][0]["item"]);
        let read = self.request(&["--method", "resources/read", "--uri", &uri]);
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains("Zephyrine"), "{read}");
        if self.server.is_none() {
            self.cancels();
        }
    }

    /// Who ends it cancels what it asked for, as its server ends with it. Over
    /// HTTP it has no word for that: it lets long work go on as a task.
    fn cancels(&self) {
        let heap = [
            "--method",
            "tools/call",
            "--tool-name",
            "sync_knowledge_base",
        ];
        let mut command =
            self.command(&[&heap[..], &["--tool-args-json", r#"{"sources":["heap"]}"#]].concat());
        let mut begun = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let syncs = || {
            let vault = ["sync", "--source", "vault"];
            self.setup.pkb().args(vault).output().unwrap()
        };
        let taken_in = || {
            let status = self.setup.pkb().args(["--json", "status"]).output();
            let status: Value = serde_json::from_slice(&status.unwrap().stdout).unwrap();
            let mut sources = status["store"]["sources"].as_array().unwrap().iter();
            let heap = sources.find(|source| source["name"] == "heap").unwrap();
            heap["items"].as_u64().unwrap()
        };
        let began = Instant::now();
        while taken_in() == 0 {
            assert!(began.elapsed() < PATIENCE, "the sync does not begin");
        }
        begun.kill().unwrap();
        begun.wait().unwrap();
        while !syncs().status.success() {
            assert!(began.elapsed() < PATIENCE, "the sync does not stop");
        }
        let health = self.call("health_check", json!({}));
        let mut sources = health["sources"].as_array().unwrap().iter();
        let heap = sources.find(|source| source["name"] == "heap").unwrap();
        assert!(
            heap["items"].as_u64() < Some(6000),
            "nothing was cancelled: {heap}"
        );
    }
}

#[test]
fn the_inspector_is_served_over_stdio() {
    let Some(node) = Node::find() else { return };
    for era in ["legacy", "modern"] {
        let setup = Setup::for_a_flow();
        let inspector = Inspector {
            node: &node,
            setup: &setup,
            era,
            server: None,
        };
        inspector.everything();
    }
}

#[test]
fn the_inspector_is_served_over_http() {
    let Some(node) = Node::find() else { return };
    for era in ["legacy", "modern"] {
        let setup = Setup::for_a_flow();
        let server = Serving::start(setup.pkb());
        let inspector = Inspector {
            node: &node,
            setup: &setup,
            era,
            server: Some(&server),
        };
        inspector.everything();
    }
}
