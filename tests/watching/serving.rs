//! `pkb serve`, which watches too.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use pkb_tests::Library;
use serde_json::{Value, json};

use crate::{PATIENCE, eventually_indexed, wait_for};

/// A `pkb serve` with a client that says little.
struct Server {
    child: Child,
    messages: Receiver<Value>,
    next: u32,
}

impl Server {
    fn start(library: &Library, arguments: &[&str], log: &Path) -> Server {
        let mut command = library.command(&["serve"]);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(log).unwrap());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("{line:?} on stdout: {error}"));
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = Server {
            child,
            messages,
            next: 0,
        };
        let client = json!({"name": "test", "version": "0"});
        server.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    fn end(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not end with its stdin");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_watches_unless_told_otherwise_and_another_takes_over() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    let log = |n: u32| library.home_file(&format!("log {n}"));
    let first = Server::start(&library, &[], &log(1));
    eventually_indexed(&library, "aardvark", &["notes/a.md"]);
    let watching = || library.run(&["status"])["watching"]["pid"].clone();
    assert_eq!(watching(), first.child.id());
    let mut second = Server::start(&library, &["--watch"], &log(2));
    let silent = Server::start(&library, &["--no-watch"], &log(3));
    library.write("b.md", "badger");
    eventually_indexed(&library, "badger", &["notes/b.md"]);
    assert_eq!(watching(), first.child.id());
    assert_eq!(first.end(), Some(0));
    wait_for("the second takes over", || watching() == second.child.id());
    library.write("c.md", "caracal");
    eventually_indexed(&library, "caracal", &["notes/c.md"]);
    let health = second.call("health_check", json!({}));
    assert_eq!(health["sources"][0]["watched"], true, "{health}");
    assert_eq!(second.end(), Some(0));
    wait_for("nobody watches", || watching().is_null());
    assert_eq!(silent.end(), Some(0));
    for n in 1..=3 {
        assert_eq!(fs::read_to_string(log(n)).unwrap(), "", "log {n}");
    }
}

#[test]
fn what_a_client_saved_is_found_by_its_next_search() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    library.sync();
    let mut server = Server::start(&library, &["--no-watch"], &library.home_file("log"));
    library.write("b.md", "badger");
    wait_for("a look in time", || {
        let found = server.call("search_knowledge", json!({"query": "badger"}));
        found["hits"][0]["path"] == "notes/b.md" && found["waiting"].as_u64().unwrap_or(0) == 0
    });
    assert_eq!(server.end(), Some(0));
}

/// Two servers that watch, searchers, and a person who saves all the time.
fn constant_edits(time: Duration, searchers: usize) {
    let library = Library::new();
    let notes = 200;
    let note = |n: usize, round: usize| format!("note {n}\n\nround w{n}x{round}y of it\n");
    for n in 0..notes {
        library.write(&format!("{:02}/{n}.md", n % 10), note(n, 0));
    }
    library.sync();
    let log = |n: u32| library.home_file(&format!("log {n}"));
    let servers = [1, 2].map(|n| Server::start(&library, &["--watch"], &log(n)));
    let over = AtomicBool::new(false);
    let searches = AtomicUsize::new(0);
    let most_log = AtomicUsize::new(0);
    let mut rounds = vec![0; notes];
    let mut edits = 0;
    let mut waits = Vec::new();
    thread::scope(|scope| {
        let (library, over, searches) = (&library, &over, &searches);
        for searcher in 0..searchers {
            scope.spawn(move || {
                let mut n = searcher;
                while !over.load(Ordering::Relaxed) {
                    n = (n * 31 + 7) % notes;
                    let answer = library.run(&["search", &format!("\"note {n}\""), "-n", "100"]);
                    let path = format!("notes/{:02}/{n}.md", n % 10);
                    let hits = answer["hits"].as_array().unwrap();
                    let same = hits.iter().filter(|hit| hit["path"] == *path).count();
                    assert_eq!(same, 1, "{path} in {answer}");
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let began = Instant::now();
        while began.elapsed() < time {
            let n = (edits * 17) % notes;
            rounds[n] += 1;
            let path = format!("{:02}/{n}.md", n % 10);
            // By turns in place and by writing another file over it.
            if edits % 2 == 0 {
                library.write(&path, note(n, rounds[n]));
            } else {
                library.write("save.tmp", note(n, rounds[n]));
                fs::rename(
                    library.notes.path().join("save.tmp"),
                    library.notes.path().join(&path),
                )
                .unwrap();
            }
            edits += 1;
            if edits % 10 == 0 {
                let word = format!("w{n}x{}y", rounds[n]);
                let saved = Instant::now();
                eventually_indexed(library, &word, &[&format!("notes/{path}")]);
                waits.push(saved.elapsed());
                let size = fs::metadata(library.home_file("pkb.db-wal"));
                let size = size.map_or(0, |wal| wal.len() as usize);
                most_log.fetch_max(size, Ordering::Relaxed);
            }
            thread::sleep(Duration::from_millis(50));
        }
        over.store(true, Ordering::Relaxed);
    });
    for (n, round) in rounds.iter().enumerate() {
        let path = format!("notes/{:02}/{n}.md", n % 10);
        eventually_indexed(&library, &format!("w{n}x{round}y"), &[&path]);
    }
    assert_eq!(library.count(), notes as u64);
    for server in servers {
        assert_eq!(server.end(), Some(0));
    }
    let logs: u64 = [1, 2]
        .map(|n| fs::metadata(log(n)).unwrap().len())
        .iter()
        .sum();
    let wal = most_log.load(Ordering::Relaxed);
    waits.sort();
    eprintln!(
        "{edits} edits, {} searches, none failed, none missed; logs of {logs} bytes, a write-ahead log of at most \
         {wal} bytes; from save to findable p50 {:?}, most {:?}",
        searches.load(Ordering::Relaxed),
        waits.get(waits.len() / 2),
        waits.last()
    );
    assert_eq!(logs, 0, "{}", fs::read_to_string(log(1)).unwrap());
    assert!(wal < 64 << 20, "the write-ahead log has {wal} bytes");
    library.assert_sound();
}

#[test]
fn two_watching_servers_and_searchers_get_along_with_constant_edits() {
    constant_edits(Duration::from_secs(15), 4);
}

#[test]
#[ignore = "takes five minutes: just soak"]
fn two_watching_servers_and_forty_searchers_for_five_minutes() {
    constant_edits(Duration::from_secs(300), 40);
}
