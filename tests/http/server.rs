//! A server to test, and ways to speak with it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pkb_tests::pkb;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home with a few notes.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// With three notes, synced.
    pub(crate) fn new() -> Place {
        let place = Place::bare();
        place.write(
            "sky.md",
            "# Sky\n\nThe Zephyrine telescope gathers faint light.\n",
        );
        place.write("bread.md", "# Bread\n\nFlour, water, salt.\n");
        place.write("tides.md", "# Tides\n\nThe moon draws the sea.\n");
        place.add();
        place.run(&["sync", "--no-embed"]);
        place
    }

    /// With notes that take seconds to sync, not synced.
    pub(crate) fn large() -> Place {
        let place = Place::bare();
        for number in 0..6000 {
            let words = format!("note {number} speaks of this and that. ").repeat(30);
            place.write(
                &format!("{:02}/{number}.md", number % 50),
                &format!("# {number}\n\n{words}\n"),
            );
        }
        place.add();
        place
    }

    /// With nothing in it.
    pub(crate) fn bare() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("notes").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn add(&self) {
        let notes = self.path("notes");
        self.run(&["add", notes.to_str().unwrap(), "--name", "notes"]);
    }

    /// Settings for HTTP.
    pub(crate) fn settings(&self, text: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::write(self.home().join("settings.toml"), text).unwrap();
    }

    /// What a command that succeeds prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = pkb(&self.home()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a command that fails says, and its code.
    pub(crate) fn fail(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = pkb(&self.home()).args(arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// A new token.
    pub(crate) fn token(&self, name: &str, scope: &str) -> String {
        let made = self.run(&["token", "new", "--name", name, "--scope", scope]);
        made.trim().to_owned()
    }

    /// A server at any free port of this machine.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        self.serve_at("127.0.0.1:0", arguments)
    }

    pub(crate) fn serve_at(&self, address: &str, arguments: &[&str]) -> Server {
        let log = self.path("log");
        let mut command = pkb(&self.home());
        command
            .args([
                "--json",
                "--log",
                "trace",
                "serve",
                "--no-watch",
                "--http",
                address,
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.ends_with("}\n") {
            let read = stdout.read_line(&mut text).unwrap();
            assert!(read > 0, "{text}{}", fs::read_to_string(&log).unwrap());
        }
        let said: Value = serde_json::from_str(&text).unwrap();
        let url = said["url"].as_str().unwrap().to_owned();
        let host = url.split('/').nth(2).unwrap();
        let port = host.rsplit(':').next().unwrap().parse().unwrap();
        Server {
            child,
            said,
            url,
            at: SocketAddr::from(([127, 0, 0, 1], port)),
            log,
        }
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    /// What it said when it began.
    pub(crate) said: Value,
    pub(crate) url: String,
    pub(crate) at: SocketAddr,
    log: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer, as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    /// From all bytes of an answer.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Reply> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        Some(Reply {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &str| {
            line.split_once(": ")
                .filter(|(key, _)| *key == name)
                .is_some()
        };
        let line = self.head.lines().find(|line| named(line))?;
        line.split_once(": ").map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        let body = match self.header("transfer-encoding") {
            Some(_) => self.body.lines().nth(1).unwrap_or_default(),
            None => &self.body,
        };
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// JSON-RPC's code of the error in it.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{self:?}"))
    }
}

impl Server {
    /// `127.0.0.1:PORT`.
    pub(crate) fn host(&self) -> String {
        self.at.to_string()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What comes back for these bytes until the connection ends.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // It may be closed before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// The answer to a request; `host` stands for the right one where the
    /// headers name none.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text.push_str(&format!("host: {}\r\n", self.host()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        text.push_str(&format!("\r\n{body}"));
        let answer = self.raw(text.as_bytes());
        Reply::parse(&answer)
            .unwrap_or_else(|| panic!("{text:?}: {:?}", String::from_utf8_lossy(&answer)))
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.ask("GET", path, headers, "")
    }

    /// A message of the newest revision, with more headers.
    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Reply {
        let mut message = message.clone();
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let method = message["method"].as_str().unwrap().to_owned();
        let name = message["params"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let mut all = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method.as_str()),
        ];
        if !name.is_empty() {
            all.push(("mcp-name", name.as_str()));
        }
        all.extend(headers);
        self.ask("POST", "/mcp", &all, &message.to_string())
    }

    /// A search.
    pub(crate) fn search(&self, headers: &[(&str, &str)]) -> Reply {
        self.post(
            &call("search_knowledge", json!({ "query": "telescope" })),
            headers,
        )
    }

    /// One of the numbers of `/metrics`.
    pub(crate) fn metric(&self, name: &str, headers: &[(&str, &str)]) -> f64 {
        let reply = self.get("/metrics", headers);
        assert_eq!(reply.status, 200, "{reply:?}");
        let line = reply
            .body
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        // What never happened is not there.
        line.map_or(0.0, |number| number.parse().unwrap())
    }

    /// Waits until the number is as expected.
    pub(crate) fn wait_for(&self, name: &str, expected: f64) {
        let began = Instant::now();
        loop {
            let number = self.metric(name, &[]);
            if number == expected {
                return;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{name} stays {number}\n{}",
                self.log()
            );
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Memory that it takes now, in bytes; none where the system does not say.
    pub(crate) fn memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Asks it to stop, as a service manager does.
    #[cfg(unix)]
    pub(crate) fn stop(&self) {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "it does not end\n{}",
                self.log()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A call of a tool.
pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    })
}

/// What the files of a folder hold, for what must not be in them.
pub(crate) fn contents(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.extend(fs::read(path).unwrap_or_default());
        }
    }
    all
}
