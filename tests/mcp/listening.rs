//! News of resources for clients that listen.

use serde_json::{Value, json};

use crate::Setup;
use crate::wire::{Era, Wire};

const UPDATED: &str = "notifications/resources/updated";
const LIST_CHANGED: &str = "notifications/resources/list_changed";
/// Which subscription a notification belongs to.
const OF: &str = "io.modelcontextprotocol/subscriptionId";

fn uri(client: &mut Wire, item: &str) -> String {
    format!("pkb://item/{}", client.number(item))
}

/// The next update of that resource.
fn updated(client: &mut Wire, uri: &str) -> Value {
    client.next(|message| message["method"] == UPDATED && message["params"]["uri"] == uri)
}

/// Deletes an item in another process.
fn delete_elsewhere(setup: &Setup, item: &str) {
    let deleted = setup.pkb().args(["rm", item]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
}

fn listen(client: &mut Wire, notifications: Value) -> (u32, Value) {
    let id = client.ask(
        "subscriptions/listen",
        json!({"notifications": notifications}),
    );
    let acknowledged = client.said("notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"][OF], id, "{acknowledged}");
    (id, acknowledged["params"]["notifications"].clone())
}

#[test]
fn a_session_is_told_what_it_follows_and_of_other_lists() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    client.sync();
    let (bread, empty) = (uri(&mut client, "Bread"), uri(&mut client, "Empty"));
    for uri in [&bread, &empty] {
        client.result("resources/subscribe", json!({"uri": uri}));
    }
    client.result("resources/unsubscribe", json!({"uri": empty}));
    client.said(LIST_CHANGED);

    setup.write("other/Bread.md", "# Bread\n\nRye, water, salt.\n");
    setup.write("Empty.md", "# Empty\n\nNot any more.\n");
    client.sync();
    updated(&mut client, &bread);
    delete_elsewhere(&setup, "Bread");
    updated(&mut client, &bread);
    client.said(LIST_CHANGED);
    let others = client.stays(|message| message["params"]["uri"] == empty.as_str());
    assert_eq!(others, Vec::<Value>::new(), "nobody follows it any more");

    for uri in ["pkb://item/4711", "pkb://source/volt", "nonsense"] {
        let (code, _) = client.error("resources/subscribe", json!({"uri": uri}));
        assert_eq!(code, -32002, "{uri}");
    }
    client.result("resources/unsubscribe", json!({"uri": "pkb://item/4711"}));
    let listening = json!({"notifications": {"resourcesListChanged": true}});
    let (code, _) = client.error("subscriptions/listen", listening);
    assert_eq!(code, -32601, "that is of the other era");
    client.end();
}

#[test]
fn a_listener_is_told_what_it_asked_for_until_it_cancels() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Stateless, json!({}));
    client.sync();
    let bread = uri(&mut client, "Bread");
    let follows = json!({
        "resourceSubscriptions": [bread, "pkb://status", "nonsense://x"],
        "toolsListChanged": true,
    });
    let (one, accepted) = listen(&mut client, follows);
    assert_eq!(
        accepted,
        json!({"resourceSubscriptions": [bread, "pkb://status"]}),
        "only what there is news of"
    );
    let (two, accepted) = listen(&mut client, json!({"resourcesListChanged": true}));
    assert_eq!(accepted, json!({"resourcesListChanged": true}));

    setup.write("other/Bread.md", "# Bread\n\nRye, water, salt.\n");
    client.sync();
    assert_eq!(updated(&mut client, &bread)["params"]["_meta"][OF], one);
    assert_eq!(
        updated(&mut client, "pkb://status")["params"]["_meta"][OF],
        one
    );
    delete_elsewhere(&setup, "Bread");
    assert_eq!(updated(&mut client, &bread)["params"]["_meta"][OF], one);
    assert_eq!(client.said(LIST_CHANGED)["params"]["_meta"][OF], two);

    client.cancel(one);
    client.stays(|_| false);
    client.passed();
    setup.write("other/Bread.md", "# Bread\n\nSpelt.\n");
    setup.write("other/Rolls.md", "# Rolls\n");
    client.sync();
    let news = client.said(LIST_CHANGED);
    assert_eq!(news["params"]["_meta"][OF], two, "{news}");
    let late = client.stays(|message| message["method"] == UPDATED || message["id"] == one);
    assert_eq!(late, Vec::<Value>::new(), "it was cancelled");
    client.cancel(two);
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let (code, _) = client.error(method, json!({"uri": "pkb://status"}));
        assert_eq!(code, -32601, "{method} is of the other era");
    }
    client.end();
}

#[test]
fn what_changes_on_disk_while_the_server_watches_is_told() {
    let setup = Setup::small();
    for era in [Era::Session, Era::Stateless] {
        let mut client = Wire::serving(&setup, era, json!({}), &[]);
        client.sync();
        let bread = uri(&mut client, "Bread");
        match era {
            Era::Session => {
                client.result("resources/subscribe", json!({"uri": bread}));
            }
            Era::Stateless => {
                listen(&mut client, json!({"resourceSubscriptions": [bread]}));
            }
        }
        setup.write(
            "other/Bread.md",
            &format!("# Bread\n\nBaked for {era:?}.\n"),
        );
        updated(&mut client, &bread);
        let read = client.result("resources/read", json!({"uri": bread}));
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("Baked for {era:?}")), "{text}");
        client.end();
    }
}

#[test]
fn listeners_end_with_the_server() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Stateless, json!({}));
    listen(&mut client, json!({"resourcesListChanged": true}));
    client.end();
}
