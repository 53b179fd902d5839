//! Watching, the look before a search, and many processes on one home.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod processes;
mod searching;
mod serving;
mod watch;

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pkb_tests::Library;
use serde_json::Value;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A `pkb watch --json` at work.
struct Watch {
    child: Child,
    events: Receiver<Value>,
}

impl Watch {
    fn start(library: &Library) -> Watch {
        let mut child = library.spawn(&["--json", "watch"]);
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, events) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("{line:?} on stdout: {error}"));
                if send.send(event).is_err() {
                    break;
                }
            }
        });
        Watch { child, events }
    }

    /// Starts, and waits until the folder is watched and was gone through.
    fn ready(library: &Library) -> Watch {
        let watch = Watch::start(library);
        watch.next("watching");
        wait_for("a first look", || {
            library.run(&["status"])["now"][0]["looked"].is_number()
        });
        watch
    }

    /// The next event of that kind; others before it are passed over.
    #[track_caller]
    fn next(&self, kind: &str) -> Value {
        let began = Instant::now();
        let mut others = Vec::new();
        while began.elapsed() < PATIENCE {
            match self.events.recv_timeout(Duration::from_millis(200)) {
                Ok(event) if event["event"] == kind => return event,
                Ok(event) => others.push(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        panic!("no {kind} after {others:?}");
    }

    /// Asks it to end as a user does, and waits.
    #[cfg(unix)]
    fn interrupt(mut self) -> Option<i32> {
        interrupt(&self.child);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("it does not end");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
}

#[track_caller]
fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "{what}: it never happened");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Paths of what an answer holds, sorted.
fn paths(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().unwrap();
    let mut paths: Vec<String> = hits
        .iter()
        .map(|hit| hit["path"].as_str().unwrap().to_owned())
        .collect();
    paths.sort();
    paths
}

/// Paths of what the index holds, without a look at the folder.
fn indexed(library: &Library, query: &str) -> Vec<String> {
    paths(&library.run(&["search", "--as-is", query]))
}

#[track_caller]
fn eventually_indexed(library: &Library, query: &str, paths: &[&str]) {
    wait_for(&format!("{query} in {paths:?}"), || {
        indexed(library, query) == paths
    });
}
