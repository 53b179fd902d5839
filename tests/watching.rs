//! Watching, the look before a search, and many processes on one home.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pkb_tests::Library;
use serde_json::{Value, json};

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

#[test]
fn what_changes_is_taken_in_while_watching() {
    let library = Library::new();
    library.write("stays.md", "something that stays");
    library.write("a.md", "aardvark");
    library.write("folder/deep/b.md", "badger");
    let watch = Watch::ready(&library);
    eventually_indexed(&library, "badger", &["notes/folder/deep/b.md"]);

    // New, changed in place, saved by writing another file over it.
    library.write("new folder/c.md", "caracal");
    eventually_indexed(&library, "caracal", &["notes/new folder/c.md"]);
    library.write("new folder/c.md", "cassowary");
    eventually_indexed(&library, "cassowary", &["notes/new folder/c.md"]);
    assert!(indexed(&library, "caracal").is_empty());
    let path = |name: &str| library.notes.path().join(name);
    library.write("a.md.tmp", "anteater");
    fs::rename(path("a.md.tmp"), path("a.md")).unwrap();
    eventually_indexed(&library, "anteater", &["notes/a.md"]);

    // A folder moved, and something written where it is now.
    fs::rename(path("folder"), path("new folder/moved")).unwrap();
    eventually_indexed(&library, "badger", &["notes/new folder/moved/deep/b.md"]);
    library.write("new folder/moved/deep/d.md", "dingo");
    eventually_indexed(&library, "dingo", &["notes/new folder/moved/deep/d.md"]);

    fs::remove_file(path("a.md")).unwrap();
    eventually_indexed(&library, "anteater", &[]);
    fs::remove_dir_all(path("new folder")).unwrap();
    eventually_indexed(&library, "dingo", &[]);

    let status = library.run(&["status"]);
    assert_eq!(status["now"][0]["watched"]["how"], "events", "{status}");
    assert_eq!(status["watching"]["pid"], watch.child.id());
    assert_eq!(status["watching"]["doing"], "watch");
    drop(watch);
    let status = library.run(&["status"]);
    assert!(status["watching"].is_null(), "the dead watch nothing");
    assert!(status["now"][0]["watched"].is_null(), "{status}");
    library.assert_sound();
}

#[test]
fn a_watch_tells_each_change_and_ends_when_asked() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    let watch = Watch::start(&library);
    let watching = watch.next("watching");
    assert_eq!(
        (&watching["source"], &watching["how"]),
        (&json!("notes"), &json!("events"))
    );
    let changed = watch.next("changed");
    assert_eq!(
        changed["changes"],
        json!([{"what": "added", "path": "a.md"}])
    );
    let path = |name: &str| library.notes.path().join(name);
    fs::rename(path("a.md"), path("b.md")).unwrap();
    let changed = watch.next("changed");
    assert_eq!(
        changed["changes"],
        json!([{"what": "moved", "path": "b.md", "from": "a.md"}])
    );
    #[cfg(unix)]
    assert_eq!(watch.interrupt(), Some(0));
}

#[test]
fn a_folder_that_vanishes_is_taken_up_when_it_is_back() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    let watch = Watch::ready(&library);
    eventually_indexed(&library, "aardvark", &["notes/a.md"]);
    let aside = library.home_file("aside");
    fs::rename(library.notes.path(), &aside).unwrap();
    let problem = watch.next("problem");
    assert_eq!(problem["source"], "notes");
    wait_for("status tells of it", || {
        library.run(&["status"])["now"][0]["watched"]["how"] == "gone"
    });
    assert_eq!(indexed(&library, "aardvark"), ["notes/a.md"]);
    fs::write(aside.join("b.md"), "badger").unwrap();
    fs::rename(&aside, library.notes.path()).unwrap();
    watch.next("recovered");
    eventually_indexed(&library, "badger", &["notes/b.md"]);
    library.write("c.md", "caracal");
    eventually_indexed(&library, "caracal", &["notes/c.md"]);
}

#[test]
fn sources_that_come_and_go_are_followed() {
    let library = Library::new();
    let watch = Watch::ready(&library);
    let more = tempfile::tempdir().unwrap();
    fs::write(more.path().join("m.md"), "marmot").unwrap();
    library.run(&["add", &more.path().display().to_string(), "--name", "more"]);
    eventually_indexed(&library, "marmot", &["more/m.md"]);
    fs::write(more.path().join("n.md"), "newt").unwrap();
    eventually_indexed(&library, "newt", &["more/n.md"]);
    library.run(&["remove", "more", "--yes"]);
    assert_eq!(watch.next("forgotten")["source"], "more");
    assert!(indexed(&library, "marmot").is_empty());
}

#[test]
fn looks_that_find_nothing_leave_no_trace_but_their_time() {
    let library = Library::new();
    library.write("a.md", "aardvark");
    library.sync();
    let state = || {
        let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
        let number = |sql: &str| {
            database
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        (
            number("SELECT count(*) FROM sync_runs"),
            number("SELECT value FROM meta WHERE key = 'generation'"),
            number("SELECT looked FROM sources"),
        )
    };
    let (runs, generation, looked) = state();
    for _ in 0..3 {
        let report = library.sync();
        assert_eq!(report["unchanged"], 1);
    }
    let now = state();
    assert_eq!((now.0, now.1), (runs, generation));
    assert!(now.2 > looked);
    let synced = &library.run(&["search", "--as-is", "aardvark"])["freshness"]["last_sync"];
    assert_eq!(synced, &now.2, "what was looked at is fresh");
    // A folder that is not there is recorded once, and so is its return.
    let aside = library.home_file("aside");
    fs::rename(library.notes.path(), &aside).unwrap();
    for _ in 0..3 {
        assert!(!library.output(&["sync"]).status.success());
    }
    assert_eq!(state().0, runs + 1);
    assert_eq!(state().2, now.2, "it was not looked at");
    fs::rename(&aside, library.notes.path()).unwrap();
    library.sync();
    assert_eq!(state().0, runs + 2);
}

#[test]
fn a_note_saved_just_before_a_search_is_found_without_a_watcher() {
    let library = Library::new();
    for n in 0..50 {
        library.write(&format!("{n}.md"), format!("number {n}"));
    }
    library.sync();
    // The look is bounded in time, so that a busy machine may need another.
    let finds = |query: &str, wanted: &[&str]| {
        wait_for(query, || paths(&library.run(&["search", query])) == wanted);
    };
    library.write("new.md", "aardvark");
    finds("aardvark", &["notes/new.md"]);
    library.write("new.md", "badger");
    finds("badger", &["notes/new.md"]);
    // Away and back again, which changes nothing in the file itself.
    let (new, aside) = (
        library.notes.path().join("new.md"),
        library.home_file("aside"),
    );
    fs::rename(&new, &aside).unwrap();
    finds("badger", &[]);
    fs::rename(&aside, &new).unwrap();
    finds("badger", &["notes/new.md"]);
    fs::remove_file(&new).unwrap();
    finds("badger", &[]);
    let answer = library.run(&["search", "number"]);
    assert!(answer["freshness"]["waiting"].is_null(), "{answer}");
    library.assert_sound();
}

#[test]
fn a_search_says_what_it_does_not_know_and_can_be_told_to_wait() {
    let library = Library::new();
    library.write("old.md", "aardvark");
    library.sync();
    for n in 0..300 {
        library.write(&format!("{n}.md"), format!("badger {n}"));
    }
    // Too many for a look to take in.
    wait_for("a look in time", || {
        let answer = library.run(&["search", "aardvark"]);
        assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
        answer["freshness"]["waiting"] == 300
    });
    let told = library.output(&["search", "aardvark"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        told.contains("300 changes waiting") || told.contains("no time to look"),
        "{told}"
    );
    assert_eq!(library.run(&["status"])["now"][0]["waiting"], 300);
    assert_eq!(indexed(&library, "badger").len(), 0);
    let answer = library.run(&["search", "--fresh", "badger", "-n", "100"]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 100);
    assert!(answer["freshness"]["waiting"].is_null(), "{answer}");
    assert_eq!(library.count(), 301);
    assert_eq!(library.run(&["status"])["now"][0]["waiting"], 0);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_searched_and_says_what_is_waiting() {
    use std::os::unix::fs::PermissionsExt as _;

    let library = Library::new();
    library.write("a.md", "aardvark");
    library.sync();
    library.write("b.md", "badger");
    let home = library.home.path();
    let allow = |mode| fs::set_permissions(home, fs::Permissions::from_mode(mode)).unwrap();
    let file = |mode| {
        for entry in fs::read_dir(home).unwrap().flatten() {
            if entry.path().is_file() {
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    };
    file(0o400);
    allow(0o500);
    let is_root = fs::write(home.join("probe"), "x").is_ok();
    if !is_root {
        wait_for("a look in time", || {
            let answer = library.run(&["search", "aardvark"]);
            answer["freshness"]["waiting"] == 1
        });
        let watch = library.output(&["watch"]);
        assert_eq!(watch.status.code(), Some(1), "{watch:?}");
    }
    allow(0o700);
    file(0o600);
    if is_root {
        eprintln!("skipped: this user may write everything");
    }
}

#[test]
fn a_sync_beside_a_watcher_simply_succeeds() {
    let library = Library::new();
    for n in 0..200 {
        library.write(&format!("{n}.md"), format!("aardvark {n}"));
    }
    let watch = Watch::ready(&library);
    for round in 0..5 {
        library.write(&format!("{round}.md"), format!("badger{round}"));
        library.sync();
        let found = indexed(&library, &format!("badger{round}"));
        assert_eq!(found, [format!("notes/{round}.md")]);
    }
    assert_eq!(library.count(), 200);
    drop(watch);
    library.assert_sound();
}

#[test]
fn a_sync_that_finds_another_says_whose_and_waits_if_asked() {
    let library = Library::new();
    for n in 0..2_500 {
        library.write(
            &format!("{n}.md"),
            format!("aardvark {n}\n\n{}", "words and words. ".repeat(80)),
        );
    }
    let mut first = library.spawn(&["sync", "-q"]);
    let pid = first.id();
    wait_for("the first one begins", || {
        let holder = fs::read_to_string(library.home_file("pkb.db.sync-holder"));
        holder.is_ok_and(|holder| holder.starts_with(&pid.to_string()))
    });
    let status = library.run(&["status"]);
    if first.try_wait().unwrap().is_none() {
        assert_eq!(status["syncing"]["pid"], pid, "{status}");
    }
    let second = library.output(&["sync"]);
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    if second.status.code() != Some(0) {
        assert_eq!(second.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("({pid}, pkb sync, for ")), "{said}");
        assert!(said.contains("--wait"), "{said}");
    }
    let third = library.run(&["sync", "--wait"]);
    assert_eq!(third["sources"][0]["unchanged"], 2_500, "{third}");
    assert!(first.wait().unwrap().success());
    // One that was killed leaves its note, which holds up nobody.
    fs::write(
        library.home_file("pkb.db.sync-holder"),
        format!("{pid} 1700000000000 sync\n"),
    )
    .unwrap();
    assert!(library.run(&["status"])["syncing"].is_null());
    assert_eq!(library.sync()["unchanged"], 2_500);
}

#[test]
fn many_processes_start_at_once_on_a_fresh_home() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().join("not yet there");
    let notes: Vec<_> = (0..6).map(|_| tempfile::tempdir().unwrap()).collect();
    let children: Vec<Child> = notes
        .iter()
        .enumerate()
        .map(|(n, folder)| {
            fs::write(folder.path().join("a.md"), format!("aardvark {n}")).unwrap();
            let mut command = pkb_tests::pkb(&home);
            command
                .args(["add", "--name", &format!("n{n}")])
                .arg(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let output = pkb_tests::pkb(&home)
        .args(["sync", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sources"].as_array().unwrap().len(), 6, "{report}");
}

#[test]
fn forty_searches_at_once_succeed_during_a_sync() {
    let library = Library::new();
    library.write("first.md", "the aardvark sleeps");
    library.sync();
    for n in 0..2_000 {
        library.write(
            &format!("note {n}.md"),
            format!("badger {n}\n\n{}", "words and words. ".repeat(80)),
        );
    }
    let mut sync = library.spawn(&["sync", "-q"]);
    let searches: Vec<Child> = (0..40)
        .map(|_| library.spawn(&["--json", "search", "aardvark"]))
        .collect();
    for search in searches {
        let output = search.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hits"][0]["path"], "notes/first.md");
    }
    assert!(sync.wait().unwrap().success());
    assert_eq!(library.count(), 2_001);
}

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
        found["hits"][0]["path"] == "notes/b.md" && found["waiting"] == 0
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

#[test]
fn a_folder_of_notes_that_moves_is_embedded_once() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    for n in 0..40 {
        library.write(
            &format!("there/{n}.md"),
            format!("aardvark number {n} sleeps under tree {}", n * 7),
        );
    }
    let watch = Watch::ready(&library);
    let embedded = watch.next("embedded");
    assert_eq!(embedded["made"], 40, "{embedded}");
    let path = |name: &str| library.notes.path().join(name);
    fs::rename(path("there"), path("here")).unwrap();
    wait_for("the move is taken in", || {
        indexed(&library, "aardvark")
            .iter()
            .all(|path| path.contains("/here/"))
    });
    let vectors = || {
        let database = rusqlite::Connection::open(library.home_file("pkb.db")).unwrap();
        database
            .query_row("SELECT count(*), max(id) FROM vectors", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })
            .unwrap()
    };
    assert_eq!(vectors(), (40, 40), "none was made anew");
    // Something new is found by meaning soon.
    library.write("here/new.md", "The cat sat on the mat.");
    let embedded = watch.next("embedded");
    assert_eq!(
        (&embedded["made"], &embedded["missing"]),
        (&json!(1), &json!(0))
    );
}
