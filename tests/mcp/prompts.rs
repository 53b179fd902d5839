//! Prompts, and what completes their arguments.

use serde_json::{Value, json};

use crate::Setup;
use crate::wire::{BOTH, Wire};

fn get(client: &mut Wire, name: &str, arguments: Value) -> String {
    let prompt = client.result("prompts/get", json!({"name": name, "arguments": arguments}));
    let message = &prompt["messages"][0];
    assert_eq!(message["role"], "user", "{prompt}");
    message["content"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn prompts_say_what_they_take_and_become_texts() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        let prompts = client.result("prompts/list", json!({}))["prompts"].clone();
        let names: Vec<&Value> = prompts
            .as_array()
            .unwrap()
            .iter()
            .map(|prompt| &prompt["name"])
            .collect();
        assert_eq!(
            names,
            ["ask-with-citations", "weekly-review", "find-related"]
        );
        assert_eq!(prompts[0]["arguments"][0]["required"], true, "{prompts}");

        let asked = json!({"question": "What of\nthe moon?", "source": "vault"});
        let text = get(&mut client, "ask-with-citations", asked);
        assert!(
            text.contains("What of the moon?") && text.contains("sources: [\"vault\"]"),
            "{text}"
        );
        let text = get(&mut client, "weekly-review", json!({}));
        assert!(
            text.contains("after: \"7d\"") && !text.contains("sources:"),
            "{text}"
        );
        let text = get(&mut client, "weekly-review", json!({"since": "last-month"}));
        assert!(text.contains("after: \"last-month\""), "{text}");
        let text = get(&mut client, "find-related", json!({"item": "Bread"}));
        assert!(
            text.contains("item: Bread") && text.contains("get_links"),
            "{text}"
        );
        client.end();
    }
}

#[test]
fn a_prompt_that_is_asked_for_wrongly_says_what_it_takes() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        for (params, told) in [
            (json!({"name": "ask"}), "weekly-review"),
            (json!({"name": "ask-with-citations"}), "question"),
            (
                json!({"name": "ask-with-citations", "arguments": {"question": "  "}}),
                "question",
            ),
            (
                json!({"name": "find-related", "arguments": {"item": "a", "depth": "2"}}),
                "depth",
            ),
            (
                json!({"name": "find-related", "arguments": {"item": 12}}),
                "string",
            ),
            (
                json!({"name": "weekly-review", "arguments": {"source": "volt"}}),
                "vault",
            ),
            (
                json!({"name": "weekly-review", "arguments": {"since": "xx"}}),
                "last-month",
            ),
            (json!({}), "params"),
        ] {
            let (code, message) = client.error("prompts/get", params.clone());
            assert_eq!(code, -32602, "{params}");
            assert!(message.contains(told), "{params}: {message}");
        }
        client.end();
    }
}

#[test]
fn every_argument_of_a_prompt_is_completed() {
    let setup = Setup::small();
    for era in BOTH {
        let mut client = Wire::connect(&setup, era, json!({}));
        client.sync();
        for (prompt, argument, typed, values) in [
            (
                "ask-with-citations",
                "question",
                "star",
                json!(["Star notes"]),
            ),
            ("ask-with-citations", "source", "v", json!(["vault"])),
            (
                "weekly-review",
                "since",
                "last",
                json!(["last-week", "last-month"]),
            ),
            ("weekly-review", "source", "", json!(["vault"])),
            ("find-related", "item", "BREAD", json!(["Bread"])),
            ("find-related", "item", "nothing is called so", json!([])),
        ] {
            let params = json!({
                "ref": {"type": "ref/prompt", "name": prompt},
                "argument": {"name": argument, "value": typed},
            });
            let completion = client.result("completion/complete", params)["completion"].clone();
            assert_eq!(completion["values"], values, "{prompt} {argument}");
            assert_eq!(completion["hasMore"], false, "{completion}");
        }
        for (prompt, argument) in [("ask", "question"), ("find-related", "source")] {
            let params = json!({
                "ref": {"type": "ref/prompt", "name": prompt},
                "argument": {"name": argument, "value": ""},
            });
            let (code, message) = client.error("completion/complete", params);
            assert_eq!(code, -32602, "{message}");
        }
        client.end();
    }
}
