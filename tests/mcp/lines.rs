//! What stands on stdout, whatever stands on stdin, in the log and in plugins.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pkb_tests::guest_component;
use serde_json::{Value, json};

use crate::Setup;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server of which every byte on stdout is looked at.
struct Raw {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Reads stdout; gives what stood there.
    reader: JoinHandle<Vec<u8>>,
    /// Reads stderr.
    log: JoinHandle<String>,
}

impl Raw {
    fn start(mut command: Command) -> Raw {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let mut stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (send, messages) = channel();
        let reader = thread::spawn(move || {
            let (mut all, mut begun) = (Vec::new(), 0);
            let mut part = [0; 1 << 16];
            loop {
                let read = stdout.read(&mut part).unwrap();
                if read == 0 {
                    return all;
                }
                all.extend_from_slice(&part[..read]);
                while let Some(end) = all[begun..].iter().position(|byte| *byte == b'\n') {
                    // What is no JSON is found when all is looked at.
                    if let Ok(message) = serde_json::from_slice(&all[begun..begun + end]) {
                        let _ = send.send(message);
                    }
                    begun += end + 1;
                }
            }
        });
        let log = thread::spawn(move || {
            let mut all = Vec::new();
            stderr.read_to_end(&mut all).unwrap();
            String::from_utf8_lossy(&all).into_owned()
        });
        Raw {
            child,
            stdin,
            messages,
            reader,
            log,
        }
    }

    /// Sends a line of any bytes.
    fn send(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
    }

    fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes());
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            assert!(message["method"].is_string(), "nobody asked for {message}");
        }
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        let meta = json!({"progressToken": id});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.request(id, "tools/call", params)["result"].clone()
    }

    fn next(&self) -> Value {
        self.messages
            .recv_timeout(PATIENCE)
            .expect("the server says something")
    }

    fn shake_hands(&mut self) {
        let client = json!({"name": "raw", "version": "0"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let hello = self.request(0, "initialize", hello);
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Ends the server with its stdin; gives its log. Each byte on stdout has to
    /// be one of a line that is a message.
    fn end(mut self) -> String {
        drop(self.stdin.take());
        let status = self.child.wait().unwrap();
        let stdout = self.reader.join().unwrap();
        assert!(status.success(), "{status}: {}", self.log.join().unwrap());
        let stdout = String::from_utf8(stdout).expect("messages are UTF-8");
        assert!(stdout.ends_with('\n'), "the last message is a whole line");
        for line in stdout.lines() {
            let message: Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{line:?} on stdout: {error}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            let kinds = ["method", "result", "error"].map(|key| message.get(key).is_some());
            assert_eq!(kinds.into_iter().filter(|is| *is).count(), 1, "{line}");
        }
        self.log.join().unwrap()
    }
}

fn serve(setup: &Setup, more: &[&str]) -> Command {
    let mut command = setup.pkb();
    command.args(more).args(["serve", "--no-watch"]);
    command
}

/// A source whose chunker prints, panics and exits as its notes say.
fn add_attacks(setup: &Setup) {
    let notes = setup.folder.path().join("attacks");
    fs::create_dir_all(&notes).unwrap();
    for attack in [
        "stdout",
        "trap",
        "unreachable",
        "exit",
        "escapes",
        "recursion",
    ] {
        let text = format!("attack: {attack}\nA text about krakens.\n");
        fs::write(notes.join(format!("{attack}.md")), text).unwrap();
    }
    let run = |arguments: &[&Path]| {
        let done = setup.pkb().args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    let path = Path::new;
    run(&[path("plugin"), path("add"), &guest_component("attacks")]);
    let chunker = [path("--chunker"), path("attacks")];
    run(&[&[path("add"), &notes][..], &chunker].concat());
}

#[test]
fn stdout_holds_messages_only_whatever_is_logged_and_whatever_plugins_do() {
    let mut lengths = Vec::new();
    for level in ["error", "warn", "info", "debug", "trace"] {
        for format in ["text", "json"] {
            let setup = Setup::small();
            add_attacks(&setup);
            let mut server = Raw::start(serve(&setup, &["--log", level, "--log-format", format]));
            server.shake_hands();
            let synced = server.call(1, "sync_knowledge_base", json!({}));
            let counts = &synced["structuredContent"]["sources"];
            let of_attacks = counts.as_array().unwrap().iter();
            let failed: u64 = of_attacks
                .filter_map(|source| source["failed"].as_u64())
                .sum();
            assert_eq!(failed, 5, "{counts}");
            server.call(
                2,
                "search_knowledge",
                json!({"query": "krakens", "explain": true}),
            );
            server.call(3, "get_document", json!({"item": "no such item"}));
            server.call(4, "health_check", json!({}));
            server.request(5, "tools/call", json!({"name": "no_such_tool"}));
            server.request(6, "no/such/method", json!({}));
            let log = server.end();
            assert!(!log.contains("guest-was-here"), "{log}");
            if format == "text" {
                lengths.push(log.lines().count());
            }
        }
    }
    assert!(
        lengths.is_sorted() && lengths.first() < lengths.last(),
        "each level says what it says on stderr: {lengths:?}"
    );
}

#[test]
fn a_panic_inside_a_tool_is_an_answer_and_the_server_goes_on() {
    let setup = Setup::small();
    let mut command = serve(&setup, &[]);
    command.env("FAILPOINTS", "before-commit store items=panic(on purpose)");
    let mut server = Raw::start(command);
    server.shake_hands();
    let synced = server.call(1, "sync_knowledge_base", json!({}));
    assert_eq!(synced["isError"], true, "{synced}");
    let found = server.call(2, "search_knowledge", json!({"query": "zephyrine"}));
    assert_eq!(found["structuredContent"]["hits"], json!([]), "{found}");
    assert_eq!(server.request(3, "ping", json!({}))["result"], json!({}));
    let log = server.end();
    assert!(log.contains("on purpose"), "{log}");
}

/// What is no request, the error that JSON-RPC has for it, and whose it is.
fn refused() -> Vec<(Vec<u8>, i64, Value)> {
    let text = |line: &str| line.as_bytes().to_vec();
    let invalid = -32600;
    vec![
        (text("this is no message"), -32700, Value::Null),
        (
            text(r#"{"jsonrpc":"2.0","id":1,"method":"ping""#),
            -32700,
            Value::Null,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(),
            -32700,
            Value::Null,
        ),
        (text("\u{0}\u{1b}[2J"), -32700, Value::Null),
        (text(&"[".repeat(100_000)), -32700, Value::Null),
        (vec![b'x'; 20 << 20], invalid, Value::Null),
        (text("42"), invalid, Value::Null),
        (text("null"), invalid, Value::Null),
        (text("\"ping\""), invalid, Value::Null),
        (text("{}"), invalid, Value::Null),
        (text("[]"), invalid, Value::Null),
        (
            text(r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#),
            invalid,
            Value::Null,
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            invalid,
            Value::Null,
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#),
            invalid,
            Value::Null,
        ),
        (
            text(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#),
            invalid,
            json!(7),
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":8,"method":5}"#),
            invalid,
            json!(8),
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":"nine","method":"no/such"}"#),
            -32601,
            json!("nine"),
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{}}"#),
            -32602,
            json!(10),
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{}}"#),
            -32602,
            json!(11),
        ),
    ]
}

#[test]
fn a_line_that_is_no_request_is_refused_by_its_code_and_the_next_is_served() {
    let setup = Setup::small();
    let mut server = Raw::start(serve(&setup, &[]));
    server.shake_hands();
    for (at, (line, code, id)) in refused().into_iter().enumerate() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        server.send(&line);
        let answer = server.next();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
        assert_eq!(answer["id"], id, "{shown}: {answer}");
        let ping = server.request(1000 + at as u32, "ping", json!({}));
        assert_eq!(ping["result"], json!({}), "after {shown}");
    }
    server.end();
}

#[test]
fn lines_that_say_nothing_are_passed_over() {
    let setup = Setup::small();
    let mut server = Raw::start(serve(&setup, &[]));
    server.shake_hands();
    for line in [
        "",
        "   \t",
        "\r",
        r#"{"jsonrpc":"2.0","method":"notifications/unheard"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        r#"{"jsonrpc":"2.0","id":78,"result":{}}"#,
    ] {
        server.send(line.as_bytes());
    }
    assert_eq!(server.request(1, "ping", json!({}))["result"], json!({}));
    server.end();
}

#[test]
fn methods_that_the_newest_revision_has_no_more_are_not_found() {
    let setup = Setup::small();
    let mut server = Raw::start(serve(&setup, &[]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = server.request(0, "server/discover", json!({"_meta": meta}));
    assert!(found["result"].is_object(), "{found}");
    let gone = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ];
    for (id, method) in (1..).zip(gone) {
        let answer = server.request(id, method, json!({"_meta": meta}));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    server.end();
}

#[test]
fn a_client_that_begins_badly_may_begin_again() {
    let setup = Setup::small();
    let mut server = Raw::start(serve(&setup, &[]));
    server.send(b"hello?");
    assert_eq!(server.next()["error"]["code"], -32700);
    server.send(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert_eq!(server.next()["error"]["code"], -32602);
    server.shake_hands();
    assert_eq!(server.request(2, "ping", json!({}))["result"], json!({}));
    server.end();
}
