//! Resources: what there is, what stands in them, and what completes their
//! addresses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Setup;
use crate::wire::{BOTH, Era, Wire};

/// What there is to read is not there, in each era.
fn absent(client: &Wire) -> i64 {
    match client.era() {
        Era::Session => -32002,
        Era::Stateless => -32602,
    }
}

fn read(client: &mut Wire, uri: &str) -> Value {
    let result = client.result("resources/read", json!({"uri": uri}));
    let contents = result["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 1, "{result}");
    assert_eq!(contents[0]["uri"], uri, "{result}");
    contents[0].clone()
}

fn read_json(client: &mut Wire, uri: &str) -> Value {
    let content = read(client, uri);
    assert_eq!(content["mimeType"], "application/json", "{content}");
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

#[test]
fn all_items_are_listed_page_by_page() {
    let setup = Setup::small();
    for number in 0..250 {
        setup.write(
            &format!("many/{number:03}.md"),
            &format!("# Number {number}\n"),
        );
    }
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        let (mut uris, mut pages, mut params) = (Vec::new(), 0, json!({}));
        loop {
            let page = client.result("resources/list", params);
            for resource in page["resources"].as_array().unwrap() {
                assert!(!resource["name"].as_str().unwrap().is_empty(), "{resource}");
                uris.push(resource["uri"].as_str().unwrap().to_owned());
            }
            pages += 1;
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        assert_eq!((pages, uris.len()), (3, 2 + 254), "{era:?}");
        assert_eq!(uris[..2], ["pkb://status", "pkb://source/vault"]);
        let different: BTreeSet<&String> = uris.iter().collect();
        assert_eq!(different.len(), uris.len());
        for cursor in ["nonsense", "-1", ""] {
            let (code, _) = client.error("resources/list", json!({"cursor": cursor}));
            assert_eq!(code, -32602, "{cursor:?}");
        }
        client.end();
    }
}

#[test]
fn what_an_address_names_is_read() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        let number = client.number("Bread");
        let item = read(&mut client, &format!("pkb://item/{number}"));
        assert_eq!(item["mimeType"], "text/markdown", "{item}");
        assert!(
            item["text"]
                .as_str()
                .unwrap()
                .contains("Flour, water, salt."),
            "{item}"
        );
        let notice = item["_meta"]["notice"].as_str().unwrap();
        assert!(notice.contains("never instructions"), "{item}");
        let source = read_json(&mut client, "pkb://source/vault");
        assert_eq!(
            (&source["name"], &source["items"]),
            (&json!("vault"), &json!(4)),
            "{source}"
        );
        assert!(source["synced"].is_string(), "{source}");
        let status = read_json(&mut client, "pkb://status");
        assert_eq!(status["store"]["items"], 4, "{status}");
        client.end();
    }
}

#[test]
fn an_address_that_names_nothing_is_told_by_the_code_of_the_era() {
    let setup = Setup::small();
    // An item that is called like the number of another is not that other.
    setup.write("4711.md", "# 4711\n\nNot what the address names.\n");
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        let expected = absent(&client);
        for uri in [
            "pkb://item/4711",
            "pkb://item/Bread",
            "pkb://item/",
            "pkb://source/volt",
            "pkb://source/",
            "pkb://state",
            "file:///etc/passwd",
            "../../etc/passwd",
            "",
        ] {
            let (code, message) = client.error("resources/read", json!({"uri": uri}));
            assert_eq!(code, expected, "{era:?} {uri}: {message}");
            assert!(message.contains("pkb://status"), "{message}");
        }
        let (code, _) = client.error("resources/read", json!({}));
        assert_eq!(code, -32602, "{era:?}");
        client.end();
    }
}

#[test]
fn what_is_deleted_is_no_resource_any_more() {
    let setup = Setup::small();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    client.sync();
    let number = client.number("Bread");
    client.done("delete_item", json!({"items": [number]}));
    let uri = format!("pkb://item/{number}");
    let (code, _) = client.error("resources/read", json!({"uri": uri}));
    assert_eq!(code, -32002);
    let listed = client.result("resources/list", json!({}));
    let listed = listed["resources"].as_array().unwrap();
    assert!(
        listed
            .iter()
            .all(|resource| resource["uri"] != uri.as_str()),
        "{listed:?}"
    );
    client.end();
}

#[test]
fn templates_are_listed_and_their_variables_completed() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        let number = client.number("Bread");
        let templates = client.result("resources/templates/list", json!({}));
        let uris: Vec<&Value> = (templates["resourceTemplates"].as_array().unwrap().iter())
            .map(|template| &template["uriTemplate"])
            .collect();
        assert_eq!(
            uris,
            ["pkb://item/{id}", "pkb://source/{name}"],
            "{templates}"
        );
        let mut complete = |uri: &str, name: &str, typed: &str| {
            let params = json!({
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": name, "value": typed},
            });
            client.result("completion/complete", params)["completion"].clone()
        };
        let names = complete("pkb://source/{name}", "name", "VA");
        assert_eq!(names["values"], json!(["vault"]), "{names}");
        assert_eq!(
            complete("pkb://source/{name}", "name", "x")["values"],
            json!([])
        );
        let ids = complete("pkb://item/{id}", "id", "brea");
        assert_eq!(ids["values"], json!([number.to_string()]), "{ids}");
        let all = complete("pkb://item/{id}", "id", "");
        assert_eq!(
            (&all["total"], &all["hasMore"]),
            (&json!(4), &json!(false)),
            "{all}"
        );
        for (uri, name) in [
            ("pkb://item/{id}", "name"),
            ("pkb://source/{name}", "id"),
            ("pkb://status", "id"),
        ] {
            let params = json!({
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": name, "value": ""},
            });
            let (code, _) = client.error("completion/complete", params);
            assert_eq!(code, -32602, "{uri} {name}");
        }
        client.end();
    }
}
