//! Sources, the ledger, deleting and restoring, and servers that only read.

use std::fs;

use serde_json::{Value, json};

use crate::Setup;
use crate::bare::Bare;
use crate::wire::{BOTH, Era, Wire};

fn connected(setup: &Setup) -> Wire {
    let mut client = Wire::connect(setup, Era::Session, json!({}));
    client.sync();
    client
}

#[test]
fn sources_are_listed_with_what_is_in_them() {
    let setup = Setup::small();
    setup.write("torn.pdf", "%PDF-1.7\nnothing that a reader knows\n");
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    let (said, before) = client.done("list_sources", json!({}));
    assert!(said.contains("never synced"), "{said}");
    assert!(before["sources"][0].get("synced").is_none(), "{before}");
    client.sync();
    let (said, after) = client.done("list_sources", json!({}));
    let source = &after["sources"][0];
    assert_eq!(
        (
            &source["name"],
            &source["kind"],
            &source["items"],
            &source["failed"]
        ),
        (&json!("vault"), &json!("folder"), &json!(4), &json!(1)),
        "{said}"
    );
    assert_eq!(source["writable"], true, "{source}");
    assert!(
        source["synced"].as_str().unwrap().ends_with('Z'),
        "{source}"
    );
    assert!(
        said.contains("4 items, 1 failed") && said.contains("takes notes"),
        "{said}"
    );
    let marked = (setup.pkb().args(["source", "set", "vault", "--read-only"])).output();
    assert!(marked.as_ref().unwrap().status.success(), "{marked:?}");
    let (said, marked) = client.done("list_sources", json!({}));
    let source = &marked["sources"][0];
    assert_eq!(
        (&source["marks"], &source["writable"]),
        (&json!("read-only"), &json!(false)),
        "{said}"
    );
    assert!(
        said.contains("read-only") && !said.contains("takes notes"),
        "{said}"
    );
    client.end();
}

#[test]
fn the_ledger_says_what_became_of_each_file() {
    let setup = Setup::small();
    setup.write("torn.pdf", "%PDF-1.7\nnothing that a reader knows\n");
    for number in 0..40 {
        setup.write(
            &format!("many/{number:02}.md"),
            &format!("# Number {number}\n"),
        );
    }
    let mut client = connected(&setup);
    let (said, failed) = client.done("get_coverage", json!({}));
    assert_eq!(
        (&failed["indexed"], &failed["failed"]),
        (&json!(44), &json!(1)),
        "{said}"
    );
    assert_eq!(failed["total"], 1, "{failed}");
    assert_eq!(failed["files"][0]["path"], "vault/torn.pdf", "{failed}");
    assert!(
        !failed["files"][0]["reason"].as_str().unwrap().is_empty(),
        "{failed}"
    );
    assert!(said.contains("<quoted>\nvault/torn.pdf"), "{said}");

    let mut paths = Vec::new();
    let (mut cursor, mut pages) = (Value::Null, 0);
    loop {
        let wanted = json!({"source": "vault", "state": "indexed", "cursor": cursor});
        let (said, page) = client.done("get_coverage", wanted);
        assert_eq!(page["total"], 44, "{said}");
        let files = page["files"].as_array().unwrap();
        paths.extend(files.iter().map(|file| file["path"].to_string()));
        pages += 1;
        assert_eq!(
            said.contains("goes on"),
            page["next_cursor"].is_string(),
            "{said}"
        );
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, 2);
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 44);
    let little = json!({"state": "indexed", "max_tokens": 600});
    let (said, few) = client.done("get_coverage", little);
    let shown = few["files"].as_array().unwrap().len();
    assert!(
        (1..30).contains(&shown) && few["next_cursor"].is_string(),
        "{said}"
    );
    let said = client.wrong(
        "get_coverage",
        json!({"state": "failed", "cursor": few["next_cursor"]}),
    );
    assert!(said.contains("another call"), "{said}");
    let said = client.wrong("get_coverage", json!({"source": "volt"}));
    assert!(said.contains("volt") && said.contains("vault"), "{said}");
    let said = client.wrong("get_coverage", json!({"state": "lost"}));
    assert!(said.contains("lost") && said.contains("skipped"), "{said}");
    client.end();
}

#[test]
fn what_is_deleted_is_listed_and_comes_back() {
    let setup = Setup::small();
    let mut client = connected(&setup);
    let number = client.number("Bread");
    let (said, gone) = client.done("delete_item", json!({"items": "other/Bread.md"}));
    assert_eq!(
        gone,
        json!({"deleted": 1, "items": [number], "in_source": 1}),
        "{said}"
    );
    assert!(
        said.contains("restore_item") && said.contains("vault/other/Bread.md"),
        "{said}"
    );
    assert!(
        setup.vault().join("other/Bread.md").is_file(),
        "the file stays"
    );
    let (_, found) = client.done(
        "search_knowledge",
        json!({"query": "flour", "mode": "lexical"}),
    );
    assert_eq!(found["hits"], json!([]), "{found}");
    let said = client.wrong("get_document", json!({"item": number}));
    assert!(
        said.contains("is deleted") && said.contains("`restore_item"),
        "{said}"
    );

    // It stays away while its file is as it was.
    client.sync();
    assert!(!client.has("Bread"));
    fs::remove_file(setup.vault().join("Empty.md")).unwrap();
    client.sync();
    let (said, listed) = client.done("list_deleted", json!({}));
    assert_eq!(listed["total"], 2, "{said}");
    let causes: Vec<&Value> = (listed["items"].as_array().unwrap().iter())
        .map(|item| &item["cause"])
        .collect();
    assert_eq!(causes, ["file_deleted", "user"], "{listed}");
    assert_eq!(listed["items"][1]["item"], number, "{listed}");
    assert!(
        listed["items"][1]["deleted"]
            .as_str()
            .unwrap()
            .ends_with('Z'),
        "{listed}"
    );
    assert!(
        said.contains("by the user") && said.contains("its file is gone"),
        "{said}"
    );
    let (_, one) = client.done("list_deleted", json!({"filter": "title:brea"}));
    assert_eq!(one["total"], 1, "{one}");
    let (said, none) = client.done("list_deleted", json!({"filter": "path:sky/"}));
    assert!(
        said.contains("Nothing is deleted") && none["total"] == 0,
        "{said}"
    );

    let (said, back) = client.done("restore_item", json!({"items": [number, "Empty"]}));
    assert_eq!(back, json!({"restored": 2, "not_in_source": 1}), "{said}");
    assert!(said.contains("vault/Empty.md"), "{said}");
    let (_, found) = client.done(
        "search_knowledge",
        json!({"query": "flour", "mode": "lexical"}),
    );
    assert_eq!(found["hits"][0]["item"], number, "{found}");
    let said = client.wrong("restore_item", json!({"items": [number]}));
    assert!(
        said.contains("is not deleted") && said.contains("`list_deleted`"),
        "{said}"
    );
    client.end();
}

#[test]
fn deleted_items_have_pages() {
    let setup = Setup::small();
    for number in 0..40 {
        setup.write(
            &format!("many/{number:02}.md"),
            &format!("# Number {number}\n"),
        );
    }
    let mut client = connected(&setup);
    let many = json!({"filter": "path:many/", "confirm_bulk": 40});
    let (said, gone) = client.done("delete_item", many);
    assert_eq!(gone["deleted"], 40, "{said}");
    assert!(said.contains("and 30 more"), "{said}");
    let (said, first) = client.done("list_deleted", json!({}));
    assert_eq!(first["total"], 40, "{said}");
    assert_eq!(first["items"].as_array().unwrap().len(), 30, "{said}");
    let (_, last) = client.done("list_deleted", json!({"cursor": first["next_cursor"]}));
    assert_eq!(last["items"].as_array().unwrap().len(), 10);
    assert!(last.get("next_cursor").is_none(), "{last}");
    let (_, back) = client.done("restore_item", json!({"filter": "source:vault path:many/"}));
    assert_eq!(back["restored"], 40, "{back}");
    client.end();
}

#[test]
fn what_is_inside_a_file_goes_with_it_and_is_counted() {
    let setup = Setup::small();
    let message = |number: u32| {
        format!(
            "From ann@example.org Thu Jan  1 00:00:00 2026\nFrom: ann@example.org\nTo: bob@example.org\nSubject: \
             Letter {number}\nMessage-ID: <{number}@example.org>\nDate: Thu, 1 Jan 2026 00:00:0{number} +0000\n\n\
             Words of letter {number}.\n\n"
        )
    };
    setup.write("post.mbox", &(1..=3).map(message).collect::<String>());
    let mut client = connected(&setup);
    let (_, listed) = client.done("browse_knowledge", json!({"filter": "path:post.mbox"}));
    let total = listed["total"].as_u64().unwrap();
    assert!(total >= 3, "{listed}");
    let (_, all) = client.done("get_coverage", json!({"state": "indexed"}));
    let whole = all["files"]
        .as_array()
        .unwrap()
        .iter()
        .any(|file| file["path"] == "vault/post.mbox");
    // A mailbox that is no item itself goes by a filter.
    let which = if whole {
        json!({"items": ["vault/post.mbox"]})
    } else {
        json!({"filter": "path:post.mbox"})
    };
    let said = client.wrong("delete_item", which.clone());
    assert!(said.contains(&format!("{total} items")), "{said}");
    assert!(!whole || said.contains("inside others"), "{said}");
    let mut sure = which;
    sure["confirm_bulk"] = json!(total);
    let (said, gone) = client.done("delete_item", sure);
    assert_eq!(gone["deleted"], total, "{said}");
    client.end();
}

#[test]
fn what_is_to_be_deleted_must_be_said_plainly() {
    let setup = Setup::small();
    let mut client = connected(&setup);
    for (arguments, told) in [
        (json!({}), "nothing says which"),
        (json!({"items": [], "filter": " "}), "nothing says which"),
        (
            json!({"items": ["Bread"], "filter": "tag:sky"}),
            "a filter is given too",
        ),
        (
            json!({"filter": "bread", "confirm_bulk": 2}),
            "no condition",
        ),
        (
            json!({"filter": "source:vault and bread", "confirm_bulk": 2}),
            "no condition",
        ),
        (json!({"filter": "source:volt", "confirm_bulk": 2}), "volt"),
        (
            json!({"filter": "after:someday", "confirm_bulk": 2}),
            "someday",
        ),
        (json!({"items": ["Bred"]}), "Did you mean"),
        (json!({"item": "Bread"}), "unknown field"),
        (json!({"items": true}), "list of numbers, paths or titles"),
    ] {
        let said = client.wrong("delete_item", arguments.clone());
        assert!(said.contains(told), "{arguments}: {said}");
    }
    let (said, none) = client.done("delete_item", json!({"filter": "tag:unheard"}));
    assert!(
        said.contains("No item fits") && none["deleted"] == 0,
        "{said}"
    );
    let (_, all) = client.done("browse_knowledge", json!({"count_only": true}));
    assert_eq!(all["total"], 4, "nothing was deleted");
    client.end();
}

/// The names of the tools that are offered.
fn offered(client: &mut Wire) -> Vec<String> {
    let tools = client.result("tools/list", json!({}))["tools"].clone();
    let names = tools.as_array().unwrap().iter();
    names
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

fn offers_reading_only(client: &mut Wire, all: &[String]) {
    let names = offered(client);
    for name in all {
        let tool = client.result("tools/list", json!({}))["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == *name)
            .cloned();
        match tool {
            Some(tool) => assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}"),
            None => {
                let call = json!({"name": name, "arguments": {}});
                let (code, message) = client.error("tools/call", call);
                assert_eq!(code, -32602, "{message}");
                assert!(
                    message.contains("as it changes things")
                        && message.contains("search_knowledge"),
                    "{message}"
                );
            }
        }
    }
    assert!(names.contains(&"list_deleted".to_owned()), "{names:?}");
    assert!(!names.contains(&"delete_item".to_owned()), "{names:?}");
}

#[test]
fn a_server_that_only_reads_offers_no_tool_that_changes_anything() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        let all = offered(&mut client);
        client.end();
        let mut client = Wire::serving(&setup, era, json!({}), &["--no-watch", "--read-only"]);
        offers_reading_only(&mut client, &all);
        assert!(client.has("Bread"));
        client.end();
    }
}

#[test]
fn an_empty_home_says_so_and_names_no_tool_that_is_not_offered() {
    let setup = Setup::empty();
    let query = json!({"query": "bread", "mode": "lexical"});
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    let (said, found) = client.done("search_knowledge", query.clone());
    assert!(
        said.contains("no sources yet") && said.contains("`pkb add PATH`"),
        "{said}"
    );
    assert_eq!(found["hits"], json!([]), "{found}");
    client.end();

    let setup = Setup::small();
    let options = ["--no-watch", "--read-only"];
    let mut client = Wire::serving(&setup, Era::Session, json!({}), &options);
    for (tool, arguments) in [
        ("search_knowledge", query),
        ("health_check", json!({})),
        ("list_sources", json!({})),
        ("browse_knowledge", json!({})),
    ] {
        let said = client.call(tool, arguments).to_string();
        assert!(!said.contains("sync_knowledge_base"), "{tool}: {said}");
    }
    client.end();
}

#[cfg(unix)]
#[test]
fn a_home_that_can_only_be_read_is_served_so() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let setup = Setup::small();
    let mut client = connected(&setup);
    let all = offered(&mut client);
    client.end();
    let set = |mode: u32, folder_mode: u32| {
        for file in fs::read_dir(setup.home()).unwrap().flatten() {
            if file.path().is_file() {
                fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        fs::set_permissions(setup.home(), fs::Permissions::from_mode(folder_mode)).unwrap();
    };
    set(0o444, 0o555);
    fs::set_permissions(setup.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = setup.pkb();
    command.args(["serve", "--no-watch"]);
    let probe = setup.home().join("probe");
    if fs::write(&probe, "").is_ok() {
        fs::remove_file(probe).unwrap();
        // Permissions do not hold this user back: nobody's hold.
        command.uid(65534).gid(65534);
    }
    let mut client = Wire::over(Bare::run(command), Era::Session, json!({}));
    offers_reading_only(&mut client, &all);
    client.end();
    set(0o600, 0o700);
}
