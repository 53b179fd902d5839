//! A client of either era of the protocol, as bare lines of JSON.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::Setup;
use crate::bare::{Bare, PATIENCE};

/// What has to be quiet for so long stays quiet.
const QUIET: Duration = Duration::from_millis(1500);

/// Which protocol a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// 2025-11-25: a handshake, then requests of a session.
    Session,
    /// 2026-07-28: requests that each say who sends them.
    Stateless,
}

pub(super) const BOTH: [Era; 2] = [Era::Session, Era::Stateless];

/// A connected client.
pub(super) struct Wire {
    bare: Bare,
    era: Era,
    capabilities: Value,
    last: u32,
    /// What came while something else was waited for.
    passed: VecDeque<Value>,
}

impl Wire {
    /// A client with these capabilities of a server that leaves the sources
    /// alone.
    pub(super) fn connect(setup: &Setup, era: Era, capabilities: Value) -> Wire {
        Wire::serving(setup, era, capabilities, &["--no-watch"])
    }

    pub(super) fn serving(setup: &Setup, era: Era, capabilities: Value, options: &[&str]) -> Wire {
        Wire::over(Bare::serving(setup, options), era, capabilities)
    }

    /// A client of that server.
    pub(super) fn over(bare: Bare, era: Era, capabilities: Value) -> Wire {
        let mut wire = Wire {
            bare,
            era,
            capabilities,
            last: 0,
            passed: VecDeque::new(),
        };
        if era == Era::Session {
            let hello = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": wire.capabilities,
                "clientInfo": {"name": "wire", "version": "0"},
            });
            let id = wire.ask("initialize", hello);
            assert_eq!(wire.answer(id)["result"]["protocolVersion"], "2025-11-25");
            wire.notify("notifications/initialized", json!({}));
        }
        wire
    }

    pub(super) fn era(&self) -> Era {
        self.era
    }

    /// Sends a request and does not wait; gives its id.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> u32 {
        self.last += 1;
        let mut params = params.as_object().cloned().unwrap_or_default();
        if self.era == Era::Stateless {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            let meta: &mut Map<String, Value> = meta.as_object_mut().unwrap();
            let key = |name: &str| format!("io.modelcontextprotocol/{name}");
            meta.insert(key("protocolVersion"), json!("2026-07-28"));
            meta.insert(key("clientInfo"), json!({"name": "wire", "version": "0"}));
            meta.insert(key("clientCapabilities"), self.capabilities.clone());
        }
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.bare.send(&request.to_string());
        self.last
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        let notification = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.bare.send(&notification.to_string());
    }

    pub(super) fn cancel(&mut self, id: u32) {
        self.notify("notifications/cancelled", json!({"requestId": id}));
    }

    /// Answers a request of the server.
    pub(super) fn reply(&mut self, request: &Value, result: Value) {
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        self.bare.send(&answer.to_string());
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.bare.send(&message.to_string());
    }

    /// The first message that is wanted, of those that came and will come.
    pub(super) fn next(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.passed.iter().position(&wanted) {
            return self.passed.remove(at).unwrap();
        }
        loop {
            let message = self.bare.message();
            if wanted(&message) {
                return message;
            }
            self.passed.push_back(message);
        }
    }

    /// The server's next request or notification of that name.
    pub(super) fn said(&mut self, method: &str) -> Value {
        self.next(|message| message["method"] == method)
    }

    /// The answer to a request.
    pub(super) fn answer(&mut self, id: u32) -> Value {
        self.next(|message| message["id"] == id && message.get("method").is_none())
    }

    /// What of that kind came or comes within a moment.
    pub(super) fn stays(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let began = Instant::now();
        while let Some(left) = QUIET.checked_sub(began.elapsed()) {
            if let Some(message) = self.bare.message_within(left) {
                self.passed.push_back(message);
            }
        }
        self.passed
            .iter()
            .filter(|message| wanted(message))
            .cloned()
            .collect()
    }

    /// What came in passing, in order; it is forgotten.
    pub(super) fn passed(&mut self) -> Vec<Value> {
        self.passed.drain(..).collect()
    }

    /// A request and its answer.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// The result of a request.
    pub(super) fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The code and message of the error that a request is answered with.
    pub(super) fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params);
        let error = &answer["error"];
        let code = error["code"].as_i64();
        let code = code.unwrap_or_else(|| panic!("{method}: {answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }

    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// What a tool says and the same as data; it must not be an error.
    pub(super) fn done(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        (text(&result), result["structuredContent"].clone())
    }

    /// What a tool says is wrong.
    pub(super) fn wrong(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    pub(super) fn sync(&mut self) {
        let (said, synced) = self.done("sync_knowledge_base", json!({}));
        assert_eq!(synced["complete"], true, "{said}");
    }

    /// Number of the item that is called so.
    pub(super) fn number(&mut self, item: &str) -> i64 {
        let (_, read) = self.done("get_document", json!({"item": item}));
        read["item"].as_i64().unwrap()
    }

    /// Whether an item can be found.
    pub(super) fn has(&mut self, item: &str) -> bool {
        self.call("get_document", json!({"item": item}))["isError"] != true
    }

    /// Closes stdin and waits, which has to end well and soon.
    pub(super) fn end(self) -> Vec<Value> {
        let began = Instant::now();
        let (rest, code) = self.bare.end();
        assert_eq!(code, Some(0));
        assert!(
            began.elapsed() < PATIENCE / 4,
            "it takes {:?} to end",
            began.elapsed()
        );
        rest
    }
}

/// What a result says to a reader.
pub(super) fn text(result: &Value) -> String {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}
