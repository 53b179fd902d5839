//! Reading on from an item: its parts, its links, what is near to it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use pkb_tests::{Library, vault};
use serde_json::{Value, json};

fn library() -> Library {
    let library = Library::new();
    library.write(
        "Guide.md",
        "---\naliases: [Handbook]\n---\n# Guide\n\nStart here.\n\n## Install\n\n### Linux\n\nUse the pump.\n\n\
         ### Windows\n\nUse the well.\n\n## Use\n\n### Linux\n\nTurn the tap. See [[#Install]].\n",
    );
    library.write(
        "a/Pump.md",
        "# Pump\n\nIt is read about in [[guide#Use]] and the [[Handbook|book]].\n\n![[Pump.png]]\n\n\
         [Well](../b/The%20well.md) and [home](https://Pump.example/), [[Pupm]].\n",
    );
    library.write("a/Pump.png", [0x89, b'P', b'N', b'G', 0]);
    library.write(
        "b/The well.md",
        "---\nurl: https://pump.example\n---\n# The well\n\nDeep. [[Pump]], [[Pump]].\n",
    );
    library.sync();
    library
}

fn fails(library: &Library, code: i32, arguments: &[&str]) -> String {
    let output = library.output(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {output:?}"
    );
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn paths(list: &Value) -> Vec<&str> {
    let links = list.as_array().unwrap();
    links
        .iter()
        .map(|link| link["to"]["path"].as_str().unwrap())
        .collect()
}

#[test]
fn a_part_is_read_by_heading_line_and_chunk_with_what_is_around_it() {
    let library = library();
    let read = library.run(&["get", "Guide", "--heading", "use > LINUX"]);
    assert_eq!(
        read["text"],
        "### Linux\n\nTurn the tap. See [[#Install]].\n"
    );
    assert_eq!(read["headings"], json!(["Guide", "Use", "Linux"]));
    assert_eq!(read["lines"], json!([20, 22]));
    let first = library.run(&["get", "Guide", "--heading", "Linux"]);
    assert_eq!(first["headings"], json!(["Guide", "Install", "Linux"]));
    let note = first["notes"][0].as_str().unwrap();
    assert!(
        note.contains("fits 2 headings") && note.contains("line 20"),
        "{note}"
    );

    let hit = &library.run(&["search", "well", "--path", "Guide"])["hits"][0];
    let chunk = hit["chunk"].to_string();
    let alone = library.run(&["get", "Guide", "--chunk", &chunk]);
    assert!(
        alone["text"].as_str().unwrap().contains("Use the well."),
        "{alone}"
    );
    let line = library.run(&["get", "Guide", "--line", "16", "--around", "0"]);
    assert!(
        line["text"].as_str().unwrap().contains("Use the well."),
        "{line}"
    );
    let all = library.run(&["get", "Guide", "--line", "16", "--around", "99"]);
    let text = all["text"].as_str().unwrap();
    assert!(
        text.contains("Start here.") && text.contains("Turn the tap."),
        "{text}"
    );

    let shown = library.output(&["get", "Guide", "--heading", "Windows"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("Guide › Install › Windows, lines 14-17 of 22"),
        "{shown}"
    );
}

#[test]
fn wrong_parts_are_explained() {
    let library = library();
    let said = fails(&library, 1, &["get", "Guide", "--heading", "Instal"]);
    assert!(said.contains("Did you mean Guide > Install"), "{said}");
    for wrong in [
        &["get", "Guide", "--around", "2"][..],
        &["get", "Guide", "--line", "3", "--heading", "Use"],
        &["get", "Guide", "--lines", "3:4", "--page", "1"],
        &["get", "Guide", "--line", "0"],
        &["get", "Guide", "--line", "99"],
        &["get", "Guide", "--page", "1"],
        &["get", "Guide", "--page", "3:2"],
    ] {
        fails(&library, 2, wrong);
    }
    let said = fails(&library, 1, &["get", "Guide", "--chunk", "99999"]);
    assert!(said.contains("pkb search"), "{said}");
    fails(&library, 1, &["links", "no such thing"]);
    fails(&library, 1, &["similar", "no such thing"]);
}

#[test]
fn links_are_resolved_and_found_from_the_other_end() {
    let library = library();
    let links = library.run(&["links", "a/Pump.md"]);
    assert_eq!(
        paths(&links["outgoing"]),
        ["notes/Guide.md", "notes/Guide.md", "notes/b/The well.md"],
        "{links}"
    );
    assert_eq!(links["outgoing"][0]["heading"], "Use");
    assert_eq!(links["outgoing"][0]["place"]["lines"], json!([3, 3]));
    assert_eq!(links["attachments"][0]["file"], "notes/a/Pump.png");
    assert_eq!(links["unresolved"][0]["target"], "Pupm");
    assert_eq!(links["unresolved"][0]["near"], json!(["notes/a/Pump.md"]));
    assert_eq!(links["external"][0]["target"], "https://Pump.example/");
    assert_eq!(links["backlink_count"], 2);
    let back = &links["backlinks"][1];
    assert_eq!(back["from"]["path"], "notes/b/The well.md");
    let snippet = back["snippet"]["text"].as_str().unwrap();
    let (from, to) = (
        back["snippet"]["matches"][0]["start"].as_u64().unwrap() as usize,
        back["snippet"]["matches"][0]["end"].as_u64().unwrap() as usize,
    );
    assert_eq!(
        (snippet, &snippet[from..to]),
        ("Deep. [[Pump]], [[Pump]].", "[[Pump]]")
    );
    assert!(from > 10, "the second link is marked: {back}");

    // A link within the item is none of another one.
    let guide = library.run(&["links", "Guide"]);
    assert_eq!(guide["outgoing"], json!([]));
    assert_eq!(guide["backlink_count"], 2, "{guide}");

    // A new note takes the name at once; without it the alias counts again.
    library.write("c/Handbook.md", "# Handbook\n");
    library.sync();
    assert_eq!(library.run(&["links", "Guide"])["backlink_count"], 1);
    assert_eq!(
        library.run(&["links", "c/Handbook.md"])["backlink_count"],
        1
    );
    let shown = library.output(&["links", "a/Pump.md"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    for part in [
        "Links to (3)",
        "Lead nowhere (1)",
        "Linked from (2)",
        "line 3",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn without_vectors_items_are_compared_by_their_words() {
    let library = Library::new();
    let tomatoes = "# Tomatoes\n\nTomatoes want sun, compost and regular watering.\n";
    library.write("Tomatoes.md", tomatoes);
    library.write("copy/Tomatoes.md", tomatoes);
    library.write(
        "Beds.md",
        "# Beds\n\nCompost for the tomatoes, watering at dawn.\n",
    );
    library.write(
        "twin/Beds.md",
        "# Beds\n\nCompost for the tomatoes, watering at dawn.\n",
    );
    library.write("Taxes.md", "# Taxes\n\nThe return is due in July.\n");
    library.write("Empty.md", "");
    library.sync();
    let answer = library.run(&["similar", "notes/Tomatoes.md"]);
    assert_eq!(answer["by"], "words");
    assert_eq!(answer["copies"], json!(["notes/copy/Tomatoes.md"]));
    let near = answer["similar"].as_array().unwrap();
    assert_eq!(near.len(), 1, "{answer}");
    assert_eq!(near[0]["title"], "Beds");
    assert_eq!(near[0]["same"].as_array().unwrap().len(), 1, "{answer}");
    let words = near[0]["words"].to_string();
    assert!(
        words.contains("compost") && !words.contains("sun"),
        "{words}"
    );
    assert!(near[0].get("similarity").is_none());
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .contains("pkb model pull")
    );
}

#[test]
fn most_wikilinks_of_real_vaults_lead_somewhere() {
    for name in ["obsidian-help-en", "obsidian-help-7langs"] {
        let Some(vault) = vault(name) else { return };
        let library = Library::of(vault);
        library.run(&["sync", "--no-embed"]);
        let all = library.run(&["list", "-n", "2000"]);
        let (mut found, mut missing) = (0, 0);
        // Every seventh of the larger vault: of each language many.
        let step = if name.ends_with("7langs") { 7 } else { 2 };
        for item in all["items"].as_array().unwrap().iter().step_by(step) {
            let links = library.run(&["links", &item["id"].to_string()]);
            let wiki = |list: &Value| {
                let links = list.as_array().unwrap().iter();
                links.filter(|link| link["kind"] == "wikilink").count()
            };
            found += wiki(&links["outgoing"]);
            missing += wiki(&links["unresolved"]);
        }
        eprintln!("{name}: {found} wikilinks lead to an item, {missing} nowhere");
        assert!(
            found > 500 && missing * 50 < found,
            "{name}: {found} {missing}"
        );
    }
}

#[test]
fn items_near_by_meaning_come_first_whatever_their_words() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    library.write(
        "Car.md",
        "# Car\n\nThe automobile needs new tyres before winter.\n",
    );
    library.write(
        "Vehicle.md",
        "# Vehicle\n\nChange the wheels of your truck when it snows.\n",
    );
    library.write("Soup.md", "# Soup\n\nBoil the carrots with ginger.\n");
    library.write("Poem.md", "# Poem\n\nThe moon is an old coin.\n");
    library.run(&["sync"]);
    let answer = library.run(&["similar", "Car"]);
    assert_eq!(answer["by"], "meaning");
    let near = answer["similar"].as_array().unwrap();
    assert_eq!(near.len(), 3, "{answer}");
    assert_eq!(near[0]["title"], "Vehicle");
    let similarity = |at: usize| near[at]["similarity"].as_f64().unwrap();
    assert!(
        similarity(0) > similarity(1) && similarity(0) <= 1.0,
        "{answer}"
    );
}
