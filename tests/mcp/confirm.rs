//! The user's word, before what cannot be undone and before what is much.

use serde_json::{Value, json};

use crate::Setup;
use crate::wire::{BOTH, Era, Wire, text};

/// The tool that asks.
const TOOL: &str = "delete_item";

fn asking() -> Value {
    json!({"elicitation": {}})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

fn hard(item: &str) -> Value {
    json!({"items": [item], "hard": true})
}

fn connected(setup: &Setup, era: Era, capabilities: Value) -> Wire {
    let mut client = Wire::connect(setup, era, capabilities);
    client.sync();
    client
}

/// Calls the tool in a session, up to the question.
fn asked(client: &mut Wire, arguments: &Value) -> (u32, Value) {
    let id = client.ask("tools/call", json!({"name": TOOL, "arguments": arguments}));
    let question = client.said("elicitation/create");
    (id, question)
}

/// Calls the tool without a session and says this to what it asks.
fn retried(client: &mut Wire, arguments: &Value, state: &Value, answer: &Value) -> Value {
    let mut params = json!({"name": TOOL, "arguments": arguments, "requestState": state});
    if !answer.is_null() {
        params["inputResponses"] = json!({"confirm": answer});
    }
    client.request("tools/call", params)
}

/// Calls the tool without a session, up to the question.
fn required(client: &mut Wire, arguments: &Value) -> Value {
    let result = client.call(TOOL, arguments.clone());
    assert_eq!(result["resultType"], "input_required", "{result}");
    let form = &result["inputRequests"]["confirm"];
    assert_eq!(form["method"], "elicitation/create", "{result}");
    assert_eq!(
        form["params"]["requestedSchema"]["required"],
        json!(["confirm"])
    );
    result
}

fn is_required(answer: &Value) -> bool {
    answer["result"]["resultType"] == "input_required"
}

#[test]
fn a_session_asks_its_user_and_does_what_they_say() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Session, asking());
    for no in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"confirm": false}}),
        json!({"action": "accept", "content": {"confirm": "true"}}),
    ] {
        let (id, question) = asked(&mut client, &hard("Bread"));
        let message = question["params"]["message"].as_str().unwrap();
        assert!(
            message.contains("1 item for good") && message.contains("vault/other/Bread.md"),
            "{message}"
        );
        client.reply(&question, no.clone());
        let answer = client.answer(id);
        assert_eq!(
            answer["result"]["structuredContent"]["deleted"], 0,
            "{no}: {answer}"
        );
        assert!(
            text(&answer["result"]).contains("did not agree"),
            "{answer}"
        );
        assert!(client.has("Bread"), "{no}");
    }
    let (id, question) = asked(&mut client, &hard("Bread"));
    client.reply(&question, yes());
    let answer = client.answer(id);
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 1,
        "{answer}"
    );
    assert_eq!(
        answer["result"]["structuredContent"]["in_source"], 1,
        "{answer}"
    );
    assert!(text(&answer["result"]).contains("for good"), "{answer}");
    assert!(!client.has("Bread"));
    assert!(setup.vault().join("other/Bread.md").is_file());
    let (_, none) = client.done("list_deleted", json!({}));
    assert_eq!(none["total"], 0, "{none}");
    assert_eq!(client.end(), Vec::<Value>::new());
}

#[test]
fn flags_are_nobodys_word_where_the_user_can_be_asked() {
    let setup = Setup::small();
    let arguments = json!({
        "filter": "source:vault", "hard": true, "confirm_hard": true, "confirm_bulk": 4,
    });
    let mut client = connected(&setup, Era::Session, asking());
    let (id, question) = asked(&mut client, &arguments);
    client.reply(&question, json!({"action": "decline"}));
    let answer = client.answer(id);
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 0,
        "{answer}"
    );
    client.end();
    let mut client = connected(&setup, Era::Stateless, asking());
    required(&mut client, &arguments);
    assert!(client.has("Bread"));
    client.end();
}

#[test]
fn an_answer_that_is_none_means_no() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Session, asking());
    let results = [
        json!({"action": "perhaps"}),
        json!({}),
        json!([1]),
        json!(7),
    ];
    let mut answers: Vec<Value> = results
        .iter()
        .map(|result| json!({"result": result}))
        .collect();
    answers.push(json!({"error": {"code": -32601, "message": "what is that?"}}));
    answers.push(json!({"error": "no object"}));
    answers.push(json!({"result": null}));
    answers.push(json!({}));
    for mut answer in answers {
        let (id, question) = asked(&mut client, &hard("Bread"));
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = question["id"].clone();
        client.send(&answer);
        let told = client.answer(id);
        assert_eq!(told["result"]["isError"], true, "{answer}: {told}");
        let said = text(&told["result"]);
        assert!(
            said.contains("Nothing was deleted") && said.contains("the user's own word"),
            "{said}"
        );
        assert!(client.has("Bread"), "{answer}");
    }
    client.end();
}

#[test]
fn a_call_that_is_cancelled_while_its_user_is_asked_takes_the_question_back() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Session, asking());
    let (id, question) = asked(&mut client, &hard("Bread"));
    client.cancel(id);
    let taken_back = client.said("notifications/cancelled");
    assert_eq!(
        taken_back["params"]["requestId"], question["id"],
        "{taken_back}"
    );
    // Whatever is said now, nobody waits for it.
    client.reply(&question, yes());
    assert!(client.has("Bread"));
    let answers = client.stays(|message| message["id"] == id && message.get("method").is_none());
    assert_eq!(answers, Vec::<Value>::new());
    client.end();
}

#[test]
fn a_client_that_leaves_while_its_user_is_asked_has_deleted_nothing() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Session, asking());
    asked(&mut client, &hard("Bread"));
    client.end();
    let mut client = Wire::connect(&setup, Era::Session, json!({}));
    assert!(client.has("Bread"));
    client.end();
}

#[test]
fn what_changed_while_the_user_was_asked_is_asked_anew() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Session, asking());
    let filter = json!({"filter": "path:other/"});
    setup.write("other/Rolls.md", "# Rolls\n");
    client.sync();
    let (id, question) = asked(&mut client, &filter);
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .contains("2 items")
    );
    setup.write("other/Buns.md", "# Buns\n");
    client.sync();
    client.reply(&question, yes());
    let again = client.said("elicitation/create");
    assert!(
        again["params"]["message"]
            .as_str()
            .unwrap()
            .contains("3 items"),
        "{again}"
    );
    client.reply(&again, yes());
    let answer = client.answer(id);
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 3,
        "{answer}"
    );
    client.end();
}

#[test]
fn a_client_that_cannot_ask_says_it_with_flags() {
    for era in BOTH {
        let setup = Setup::small();
        let mut client = connected(&setup, era, json!({}));
        let said = client.wrong(TOOL, hard("Bread"));
        assert!(
            said.contains("Nothing was deleted yet")
                && said.contains("\"confirm_hard\": true")
                && said.contains("vault/other/Bread.md"),
            "{said}"
        );
        assert!(client.has("Bread"));
        let all = json!({"filter": "source:vault"});
        let said = client.wrong(TOOL, all.clone());
        assert!(
            said.contains("4 items") && said.contains("\"confirm_bulk\": 4"),
            "{said}"
        );
        assert!(!said.contains("confirm_hard"), "{said}");
        // One word is not the other.
        let said = client.wrong(
            TOOL,
            json!({"filter": "source:vault", "hard": true, "confirm_bulk": 4}),
        );
        assert!(said.contains("confirm_hard"), "{said}");
        // Nor is a word for some that was never told how many.
        for number in [json!(true), json!("4")] {
            let any = json!({"filter": "source:vault", "confirm_bulk": number});
            assert!(client.wrong(TOOL, any).contains("u64"));
        }
        for number in [1, 3, 5] {
            let other = json!({"filter": "source:vault", "confirm_bulk": number});
            let said = client.wrong(TOOL, other);
            assert!(said.contains("\"confirm_bulk\": 4"), "{number}: {said}");
        }
        assert!(client.has("Bread"));
        let (_, gone) = client.done(TOOL, json!({"filter": "source:vault", "confirm_bulk": 4}));
        assert_eq!(gone["deleted"], 4, "{gone}");
        let (said, gone) = client.done(
            TOOL,
            json!({"items": ["Bread"], "hard": true, "confirm_hard": true}),
        );
        assert_eq!(gone["deleted"], 1, "{said}");
        client.end();
    }
}

#[test]
fn without_sessions_the_answer_asks_and_the_next_call_brings_the_word() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Stateless, asking());
    let arguments = hard("Bread");
    let state = required(&mut client, &arguments)["requestState"].clone();
    let answer = retried(
        &mut client,
        &arguments,
        &state,
        &json!({"action": "decline"}),
    );
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 0,
        "{answer}"
    );
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert!(client.has("Bread"));
    // An answer is good once: what was declined cannot be agreed to later.
    let answer = retried(&mut client, &arguments, &state, &yes());
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(client.has("Bread"));
    let state = required(&mut client, &arguments)["requestState"].clone();
    let answer = retried(&mut client, &arguments, &state, &yes());
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 1,
        "{answer}"
    );
    assert!(!client.has("Bread"));
    assert_eq!(client.end(), Vec::<Value>::new());
}

#[test]
fn a_word_counts_only_with_the_seal_of_its_question() {
    let setup = Setup::small();
    let mut client = connected(&setup, Era::Stateless, asking());
    let arguments = hard("Bread");
    let state = required(&mut client, &arguments)["requestState"].clone();

    // Without a seal it is nobody's word.
    let answer = retried(&mut client, &arguments, &Value::Null, &yes());
    assert!(is_required(&answer), "{answer}");
    // Without a word there is nothing to go by.
    let answer = retried(&mut client, &arguments, &state, &Value::Null);
    assert!(is_required(&answer), "{answer}");
    let mut forged = state.as_str().unwrap().to_owned();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'B' } else { 'A' });
    for (arguments, state) in [
        (&arguments, json!(forged)),
        (&arguments, json!("")),
        (&arguments, json!("rs1.AAAA.AAAA")),
        // Sealed for another call.
        (&hard("Empty"), state.clone()),
        (
            &json!({"items": ["Bread", "Empty"], "hard": true}),
            state.clone(),
        ),
    ] {
        let answer = retried(&mut client, arguments, &state, &yes());
        assert_eq!(answer["error"]["code"], -32602, "{arguments}: {answer}");
    }
    let answer = retried(&mut client, &arguments, &state, &json!("yes"));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    for item in ["Bread", "Empty"] {
        assert!(client.has(item));
    }
    // Another server knows nothing of it.
    client.end();
    let mut other = Wire::connect(&setup, Era::Stateless, asking());
    let answer = retried(&mut other, &arguments, &state, &yes());
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(other.has("Bread"));
    other.end();
}

#[test]
fn a_word_for_fewer_items_is_none_for_more() {
    let setup = Setup::small();
    setup.write("other/Rolls.md", "# Rolls\n");
    let mut client = connected(&setup, Era::Stateless, asking());
    let filter = json!({"filter": "path:other/"});
    let state = required(&mut client, &filter)["requestState"].clone();
    setup.write("other/Buns.md", "# Buns\n");
    client.sync();
    let answer = retried(&mut client, &filter, &state, &yes());
    assert!(is_required(&answer), "{answer}");
    let message = answer["result"]["inputRequests"]["confirm"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(message.contains("3 items"), "{message}");
    let state = answer["result"]["requestState"].clone();
    let answer = retried(&mut client, &filter, &state, &yes());
    assert_eq!(
        answer["result"]["structuredContent"]["deleted"], 3,
        "{answer}"
    );
    client.end();
}
