//! Bare lines of JSON: what is on stdout, what the end of stdin does.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Setup;

/// Longer than anything here takes on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A server of which every line on stdout is looked at.
pub(super) struct Bare {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Bare {
    fn start(setup: &Setup) -> Bare {
        Bare::serving(setup, &["--no-watch"])
    }

    /// Starts a server with these options.
    pub(super) fn serving(setup: &Setup, options: &[&str]) -> Bare {
        let mut command = setup.pkb();
        command.arg("serve").args(options);
        Bare::run(command)
    }

    /// Starts the server that this command is.
    pub(super) fn run(mut command: Command) -> Bare {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if send.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Bare {
            child,
            stdin,
            lines,
        }
    }

    /// Starts a server and shakes hands with it.
    fn connected(setup: &Setup) -> Bare {
        let mut server = Bare::start(setup);
        let client = json!({"name": "bare", "version": "0"});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.request(0, "initialize", hello);
        let hello = server.message();
        assert_eq!(hello["result"]["serverInfo"]["name"], "pkb", "{hello}");
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18", "{hello}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        server
    }

    pub(super) fn send(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn request(&mut self, id: u32, method: &str, params: Value) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let meta = json!({"progressToken": format!("of {id}")});
        self.request(
            id,
            "tools/call",
            json!({"name": tool, "arguments": arguments, "_meta": meta}),
        );
    }

    /// The next line, which has to be a message.
    pub(super) fn message(&self) -> Value {
        self.message_within(PATIENCE)
            .expect("the server says something")
    }

    /// The same; none where none comes in that time.
    pub(super) fn message_within(&self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        let message: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{line:?} on stdout: {error}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// The answer to `id`, and the progress before it.
    fn answer(&self, id: u32) -> (Value, Vec<Value>) {
        let mut progress = Vec::new();
        loop {
            let message = self.message();
            if message["id"] == id {
                return (message, progress);
            }
            if message["method"] == "notifications/resources/list_changed" {
                continue;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            progress.push(message["params"].clone());
        }
    }

    /// Closes stdin and waits: what the server still says, and its exit code.
    pub(super) fn end(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let began = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if began.elapsed() > PATIENCE => {
                    self.child.kill().unwrap();
                    panic!("the server does not end with its stdin");
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        let rest = self
            .lines
            .iter()
            .map(|line| serde_json::from_str(&line).expect("messages only"))
            .collect();
        (rest, status.code())
    }
}

#[test]
fn stdout_holds_messages_only_and_the_server_ends_with_stdin() {
    let setup = Setup::small();
    let mut server = Bare::connected(&setup);
    server.call(1, "sync_knowledge_base", json!({}));
    let (synced, progress) = server.answer(1);
    assert_eq!(synced["result"]["isError"], false, "{synced}");
    assert_eq!(
        synced["result"]["structuredContent"]["sources"][0]["added"], 4,
        "{synced}"
    );
    let steps: Vec<f64> = progress
        .iter()
        .map(|update| update["progress"].as_f64().unwrap())
        .collect();
    assert!(
        steps.len() >= 2 && steps.is_sorted_by(|a, b| a < b),
        "{progress:?}"
    );
    assert!(
        progress
            .iter()
            .all(|update| update["progressToken"] == "of 1"),
        "{progress:?}"
    );
    assert!(
        progress
            .iter()
            .any(|update| update["message"] == "reading: 4 of 4 items"),
        "{progress:?}"
    );

    // What is no message is answered so; what comes after it counts.
    server.send("this is no message");
    let wrong = server.message();
    assert_eq!(
        (&wrong["error"]["code"], &wrong["id"]),
        (&json!(-32700), &Value::Null)
    );
    server.request(2, "ping", json!({}));
    assert_eq!(server.answer(2).0["result"], json!({}));
    let (rest, code) = server.end();
    assert_eq!((rest, code), (Vec::new(), Some(0)));
}

#[test]
fn a_connection_without_a_word_ends_well() {
    let (rest, code) = Bare::start(&Setup::small()).end();
    assert_eq!((rest, code), (Vec::new(), Some(0)));
}

#[test]
fn the_end_of_stdin_stops_a_sync() {
    let setup = Setup::large();
    let mut server = Bare::connected(&setup);
    server.call(1, "sync_knowledge_base", json!({}));
    assert_eq!(server.message()["method"], "notifications/progress");
    let (rest, code) = server.end();
    assert_eq!(code, Some(0));
    let answer = rest.last().expect("the sync says that it was stopped");
    assert_eq!(
        answer["result"]["structuredContent"]["stopped"], true,
        "{answer}"
    );
}

#[test]
fn a_sync_can_be_cancelled_and_two_cannot_run_at_once() {
    let setup = Setup::large();
    let mut server = Bare::connected(&setup);
    server.call(1, "sync_knowledge_base", json!({}));
    assert_eq!(server.message()["method"], "notifications/progress");
    server.call(2, "sync_knowledge_base", json!({}));
    let (busy, _) = server.answer(2);
    assert_eq!(busy["result"]["isError"], true, "{busy}");
    let text = busy["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("syncing this home") && text.contains("health_check"),
        "{text}"
    );

    let cancel = json!({"requestId": 1, "reason": "the user changed their mind"});
    server.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
            .to_string(),
    );
    // It is over when another one may begin; a cancelled request has no
    // answer, so none with its id may come.
    let began = Instant::now();
    let mut id = 3;
    let synced = loop {
        assert!(
            began.elapsed() < PATIENCE,
            "the cancelled sync does not stop"
        );
        server.call(id, "sync_knowledge_base", json!({}));
        let (answer, _) = server.answer(id);
        if answer["result"]["isError"] == false {
            break answer;
        }
        thread::sleep(Duration::from_millis(50));
        id += 1;
    };
    let counts = &synced["result"]["structuredContent"]["sources"][0];
    let sum = counts["added"].as_u64().unwrap() + counts["unchanged"].as_u64().unwrap();
    assert_eq!(sum, 6000, "{counts}");
    assert_eq!(server.end().1, Some(0));
}
