//! Long work: its progress, its end before the end, jobs and tasks.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Setup;
use crate::bare::PATIENCE;
use crate::wire::{BOTH, Era, Wire};

const SYNC: &str = "sync_knowledge_base";
const PROGRESS: &str = "notifications/progress";

fn has_tasks() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

/// Syncs with a token and does not wait.
fn begin(client: &mut Wire, token: &Value) -> u32 {
    let params = json!({"name": SYNC, "arguments": {}, "_meta": {"progressToken": token}});
    client.ask("tools/call", params)
}

#[test]
fn progress_comes_for_a_token_only_grows_and_ends_before_the_answer() {
    let setup = Setup::small();
    for number in 0..600 {
        setup.write(
            &format!("many/{number:03}.md"),
            &format!("# Number {number}\n\nText.\n"),
        );
    }
    for (era, token) in [(Era::Session, json!("a token")), (Era::Stateless, json!(7))] {
        let mut client = Wire::connect(&setup, era, json!({}));
        let id = begin(&mut client, &token);
        client.answer(id);
        let before = client.passed();
        let told: Vec<&Value> = (before
            .iter()
            .filter(|message| message["method"] == PROGRESS))
        .map(|message| &message["params"])
        .collect();
        let steps: Vec<f64> = told
            .iter()
            .map(|update| update["progress"].as_f64().unwrap())
            .collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "{era:?}: {steps:?}");
        assert!(
            told.iter().all(|update| update["progressToken"] == token),
            "{told:?}"
        );
        if era == Era::Session {
            assert!(steps.len() >= 2, "all was new: {steps:?}");
            let last = told.last().unwrap();
            assert_eq!(last["progress"], last["total"], "{last}");
        }
        let late = client.stays(|message| message["method"] == PROGRESS);
        assert_eq!(late, Vec::<Value>::new(), "after the answer");

        setup.write("more.md", &format!("# More for {era:?}\n"));
        client.call(SYNC, json!({}));
        let told = client.stays(|message| message["method"] == PROGRESS);
        assert_eq!(told, Vec::<Value>::new(), "without a token");
        client.end();
    }
}

#[test]
fn a_cancelled_sync_stops_without_a_word_and_the_server_goes_on() {
    for era in BOTH {
        let setup = Setup::large();
        let mut client = Wire::connect(&setup, era, json!({}));
        let id = begin(&mut client, &json!(1));
        client.said(PROGRESS);
        client.cancel(id);
        // It is over when another one may begin.
        let began = Instant::now();
        let counts = loop {
            assert!(
                began.elapsed() < PATIENCE,
                "the cancelled sync does not stop"
            );
            let result = client.call(SYNC, json!({}));
            if result["isError"] != true {
                break result["structuredContent"]["sources"][0].clone();
            }
            thread::sleep(Duration::from_millis(50));
        };
        let (added, unchanged) = (counts["added"].as_u64(), counts["unchanged"].as_u64());
        assert_eq!(
            added.unwrap() + unchanged.unwrap(),
            6000,
            "{era:?}: {counts}"
        );
        assert!(
            added > Some(0),
            "{era:?}: the first was not stopped: {counts}"
        );
        let answers = client.stays(|message| message["id"] == id);
        assert_eq!(
            answers,
            Vec::<Value>::new(),
            "{era:?}: a cancelled request has no answer"
        );
        client.end();
    }
}

#[test]
fn the_end_of_stdin_ends_a_sync_a_job_and_a_task() {
    let setup = Setup::large();
    let mut client = Wire::connect(&setup, Era::Stateless, json!({}));
    begin(&mut client, &json!(1));
    client.said(PROGRESS);
    client.end();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    client.done(SYNC, json!({"start": true}));
    client.end();
    let mut client = Wire::connect(&setup, Era::Stateless, has_tasks());
    client.call(SYNC, json!({}));
    client.end();
    // Nothing is lost, nothing is torn.
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    client.sync();
    let (_, all) = client.done("browse_knowledge", json!({"count_only": true}));
    assert_eq!(all["total"], 6000);
    client.end();
    let doctor = setup.pkb().arg("doctor").output().unwrap();
    assert!(doctor.status.success(), "{doctor:?}");
}

/// Asks after a job until it is done.
fn done(client: &mut Wire, job: &Value) -> Value {
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < PATIENCE, "{job} is not done");
        let (said, report) = client.done(SYNC, json!({"job": job}));
        assert_eq!(report["job"], *job, "{said}");
        if report["running"] == false {
            return report;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_job_is_started_asked_after_and_stopped() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    let (said, started) = client.done(SYNC, json!({"start": true}));
    assert_eq!(started["running"], true, "{said}");
    let report = done(&mut client, &started["job"]);
    assert_eq!(
        (&report["complete"], &report["sources"][0]["added"]),
        (&json!(true), &json!(4))
    );
    for (arguments, told) in [
        (json!({"job": "job-99"}), "There are: job-1"),
        (json!({"job": "nonsense"}), "no job"),
        (json!({"stop": true}), "job"),
        (json!({"start": true, "sources": ["volt"]}), "vault"),
    ] {
        let said = client.wrong(SYNC, arguments.clone());
        assert!(said.contains(told), "{arguments}: {said}");
    }
    client.end();

    let setup = Setup::large();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    let (_, started) = client.done(SYNC, json!({"start": true}));
    client.done(SYNC, json!({"job": started["job"], "stop": true}));
    let report = done(&mut client, &started["job"]);
    assert_eq!(report["stopped"], true, "{report}");
    client.end();
}

fn task(client: &mut Wire, id: &Value) -> Value {
    client.result("tasks/get", json!({"taskId": id}))
}

/// Asks after a task until it works no more.
fn settled(client: &mut Wire, id: &Value) -> Value {
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < PATIENCE, "the task does not end");
        let task = task(client, id);
        if task["status"] != "working" {
            return task;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_client_that_has_tasks_is_given_one() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Stateless, has_tasks());
    let begun = client.call(SYNC, json!({}));
    assert_eq!(begun["resultType"], "task", "{begun}");
    assert_eq!(begun["status"], "working", "{begun}");
    let ended = settled(&mut client, &begun["taskId"]);
    assert_eq!(ended["status"], "completed", "{ended}");
    let counts = &ended["result"]["structuredContent"]["sources"][0];
    assert_eq!(counts["added"], 4, "{ended}");

    // What is not long is answered at once.
    let found = client.call("search_knowledge", json!({"query": "moon"}));
    assert_eq!(found["resultType"], "complete", "{found}");
    let (_, started) = client.done(SYNC, json!({"start": true}));
    done(&mut client, &started["job"]);
    // A task of a call that is wrong is done, and says what is wrong.
    let begun = client.call(SYNC, json!({"sources": ["volt"]}));
    let ended = settled(&mut client, &begun["taskId"]);
    assert_eq!(
        (&ended["status"], &ended["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    for method in ["tasks/get", "tasks/cancel"] {
        let (code, _) = client.error(method, json!({"taskId": "unheard"}));
        assert_eq!(code, -32602, "{method}");
        let (code, _) = client.error(method, json!({}));
        assert_eq!(code, -32602, "{method}");
    }
    client.end();
}

#[test]
fn a_report_names_no_source_that_became_private() {
    let setup = Setup::small();
    let other = setup.folder.path().join("diary");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("day.md"), "# A day\n").unwrap();
    setup.add_folder(&other, "diary");
    let mut client = Wire::connect(&setup, Era::Stateless, has_tasks());
    let begun = client.call(SYNC, json!({}));
    let ended = settled(&mut client, &begun["taskId"]);
    assert!(ended.to_string().contains("diary"), "{ended}");
    let (_, started) = client.done(SYNC, json!({"start": true}));
    let report = done(&mut client, &started["job"]);
    assert!(report.to_string().contains("diary"), "{report}");

    let marked = (setup.pkb().args(["source", "set", "diary", "--private"])).output();
    assert!(marked.as_ref().unwrap().status.success(), "{marked:?}");
    let (said, report) = client.done(SYNC, json!({"job": started["job"]}));
    assert_eq!(report["sources"].as_array().unwrap().len(), 1, "{report}");
    let ended = task(&mut client, &begun["taskId"]);
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["result"]["isError"], true, "{ended}");
    for told in [said, report.to_string(), ended.to_string()] {
        assert!(!told.contains("diary"), "{told}");
    }
    client.end();
}

#[test]
fn work_on_a_private_source_changes_nothing_that_clients_see() {
    let setup = Setup::small();
    let other = setup.folder.path().join("diary");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("day.md"), "# A day\n").unwrap();
    setup.add_folder(&other, "diary");
    let marked = (setup.pkb().args(["source", "set", "diary", "--private"])).output();
    assert!(marked.as_ref().unwrap().status.success(), "{marked:?}");
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    client.sync();
    client.result("resources/subscribe", json!({"uri": "pkb://status"}));
    client.passed();
    let (_, page) = client.done("browse_knowledge", json!({"limit": 2}));
    fs::write(other.join("other.md"), "# Another day\n").unwrap();
    let synced = setup
        .pkb()
        .args(["sync", "--source", "diary"])
        .output()
        .unwrap();
    assert!(synced.status.success(), "{synced:?}");
    let (said, _) = client.done(
        "browse_knowledge",
        json!({"limit": 2, "cursor": page["next_cursor"]}),
    );
    assert!(!said.contains("has changed"), "{said}");
    let told = client.stays(|message| message["method"] == "notifications/resources/updated");
    assert_eq!(told, Vec::<Value>::new());
    setup.write("New.md", "# New\n");
    client.sync();
    client.said("notifications/resources/updated");
    client.end();
}

#[test]
fn a_task_is_cancelled() {
    let setup = Setup::large();
    let mut client = Wire::connect(&setup, Era::Stateless, has_tasks());
    let begun = client.call(SYNC, json!({}));
    client.result("tasks/cancel", json!({"taskId": begun["taskId"]}));
    let ended = settled(&mut client, &begun["taskId"]);
    assert_eq!(ended["status"], "cancelled", "{ended}");
    let again = client.call(SYNC, json!({"sources": ["vault"]}));
    let ended = settled(&mut client, &again["taskId"]);
    assert_eq!(
        ended["result"]["structuredContent"]["complete"], true,
        "{ended}"
    );
    client.end();
}

#[test]
fn tasks_are_for_clients_that_say_they_have_them() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        let synced = client.call(SYNC, json!({}));
        assert_eq!(synced["structuredContent"]["complete"], true, "{synced}");
        for method in ["tasks/get", "tasks/cancel"] {
            let (code, message) = client.error(method, json!({"taskId": "any"}));
            assert_eq!(code, -32021, "{era:?} {method}: {message}");
        }
        client.end();
    }
}
