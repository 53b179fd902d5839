//! Searching, listing and reading.

use std::fs;

use crate::{Place, stderr};

#[test]
fn a_word_is_found_and_cited_by_its_lines() {
    let place = Place::filled();
    let answer = place.json(&["search", "ERR-4471"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["path"], "notes/Errors.md");
    assert_eq!(hit["title"], "Errors");
    assert_eq!(
        hit["place"]["lines"],
        serde_json::json!([4, 6]),
        "lines of the file, frontmatter counted"
    );
    let snippet = hit["snippet"]["text"].as_str().unwrap();
    let range = &hit["snippet"]["matches"][0];
    let (start, end) = (
        range["start"].as_u64().unwrap() as usize,
        range["end"].as_u64().unwrap() as usize,
    );
    assert_eq!(&snippet[start..end], "ERR-4471");
    assert_eq!(hit["why"]["lexical_rank"], 1);
    assert_eq!(answer["legs"][0]["name"], "lexical");
    assert_eq!(answer["legs"].as_array().unwrap().len(), 1);
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .contains("pkb model pull"),
        "{}",
        answer["notes"]
    );

    let shown = place.ok(&["search", "ERR-4471", "--explain"]);
    assert!(
        shown.contains("notes/Errors.md") && shown.contains("lines 4-6"),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{1b}'),
        "no colours where there is no terminal"
    );
    assert!(
        place
            .ok(&["search", "ERR-4471", "--color", "always"])
            .contains('\u{1b}')
    );
}

#[test]
fn searches_can_be_narrowed() {
    let place = Place::filled();
    let paths = |arguments: &[&str]| -> Vec<String> {
        let answer = place.json(arguments);
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(&["search", "water pump cellar"]).len(), 3);
    assert_eq!(
        paths(&["search", "water pump cellar", "--tag", "work"]),
        ["notes/Errors.md"]
    );
    assert_eq!(
        paths(&["search", "water pump cellar", "--path", "Garden/"]),
        ["notes/Garden/Watering.md"]
    );
    assert_eq!(
        paths(&["search", "water pump cellar", "--limit", "1"]).len(),
        1
    );
    assert!(
        place
            .fails(1, &["search", "x", "--source", "nothing"])
            .contains("There are: notes.")
    );
}

#[test]
fn items_are_browsed_by_what_they_are() {
    let place = Place::filled();
    place.write(
        "Talk.md",
        "---\ntitle: Ein Gespräch\nauthor: Ada\nlang: de-AT\ncreated: 2020-05-01\nrating: 4\ntags: [work/talks]\n---\nText.\n",
    );
    place.ok(&["sync"]);
    let titles = |filters: &[&str]| -> Vec<String> {
        let mut arguments = vec!["browse"];
        arguments.extend(filters);
        let page = place.json(&arguments);
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["external_id"].as_str().unwrap().to_owned())
            .collect()
    };
    for filters in [
        &["--title", "GESPRÄCH"][..],
        &["--author", "ada"],
        &["--lang", "de"],
        &["--created", "2020..2021"],
        &["--created", "2020-05-01"],
        &["--tag", "work/talks"],
        &["--property", "Rating=4.0"],
        &["--path", "notes/t*.md"],
        &["--tag", "work", "--not-path", "Errors"],
    ] {
        assert_eq!(titles(filters), ["Talk.md"], "{filters:?}");
    }
    for filters in [
        &["--created", "..2019"][..],
        &["--after", "1d", "--before", "1d"],
        &["--min-duration", "5m"],
        &["--status", "stale"],
    ] {
        assert!(titles(filters).is_empty(), "{filters:?}");
    }
    assert_eq!(titles(&["--untagged"]).len(), 2);
    assert_eq!(titles(&["--sort", "created", "-n", "1"]), ["Talk.md"]);
    assert_eq!(
        titles(&["--sort", "title", "--desc", "-n", "1"]),
        ["Garden/Watering.md"]
    );
    assert_eq!(place.ok(&["browse", "--count", "--tag", "work"]), "2\n");
    let output = place.run(&["browse", "--sort", "created", "-n", "2", "--offset", "1"]);
    assert!(
        stderr(&output).contains("showing 2-3 of 4 items; --offset 3 shows the next"),
        "{}",
        stderr(&output)
    );
    let table = place.ok(&["browse", "--sort", "created", "-n", "1"]);
    assert!(table.contains("2020-05-01  Ein Gespräch"), "{table}");
    let found = place.json(&["search", "text pump", "--author", "ada"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    fs::remove_file(place.notes.path().join("Talk.md")).unwrap();
    place.ok(&["sync"]);
    assert_eq!(titles(&["--status", "deleted"]), ["Talk.md"]);
    assert_eq!(titles(&["--author", "ada"]).len(), 0);
}

#[test]
fn wrong_filters_name_the_option_and_what_is_right() {
    let place = Place::filled();
    for (arguments, flag, right) in [
        (&["--after", "someday"][..], "--after", "last-month"),
        (&["--created", "2025..2024"], "--created", "2024-03"),
        (&["--min-duration", "long"], "--min-duration", "1h30m"),
        (&["--status", "lost"], "--status", "stale"),
        (&["--sort", "colour"], "--sort", "views"),
        (&["--property", "=x"], "--property", "NAME=VALUE"),
        (&["--tag", ""], "--tag", "value"),
    ] {
        let mut all = vec!["browse"];
        all.extend(arguments);
        let said = place.fails(2, &all);
        assert!(said.contains(flag) && said.contains(right), "{said}");
    }
    let said = place.fails(2, &["list", "--min-duration", "9", "--max-duration", "3"]);
    assert!(
        said.contains("9 s, is more than the greatest, 3 s"),
        "{said}"
    );
    let said = place.fails(1, &["browse", "--not-source", "nothing"]);
    assert!(said.contains("There are: notes."), "{said}");
}

#[test]
fn no_query_is_an_error() {
    let place = Place::filled();
    for query in [
        "can't open o'brien",
        "\"half",
        "",
        "   ",
        "foo:bar",
        "a AND OR NOT (",
        "*",
        "^x",
        "\"\"",
        "NEAR(a b)",
        "🎉",
        "c++ {x}",
    ] {
        place.json(&["search", query]);
    }
    place.json(&["search", &"paste ".repeat(15_000)]);
    place.json(&["search", "--", "--dry-run"]);
    assert!(place.ok(&["search", "zzzz"]).contains("Nothing found."));
}

#[test]
fn items_are_read_by_number_path_and_title() {
    let place = Place::filled();
    let number = place.json(&["search", "tomatoes"])["hits"][0]["item"].to_string();
    for wanted in [
        &number,
        "Garden/Watering.md",
        "Watering",
        "watering",
        "notes/Garden/Watering.md",
        "[[Watering]]",
        &place
            .notes
            .path()
            .canonicalize()
            .unwrap()
            .join("Garden")
            .join("Watering.md")
            .display()
            .to_string(),
    ] {
        let reading = place.json(&["get", wanted]);
        assert_eq!(reading["path"], "notes/Garden/Watering.md", "{wanted}");
    }
    let part = place.json(&["get", "Watering", "--lines", "3:3"]);
    assert_eq!(part["text"], "Tomatoes want water every morning.\n");
    assert_eq!(part["lines"], serde_json::json!([3, 3]));
    assert!(
        place
            .fails(2, &["get", "Watering", "--lines", "50:60"])
            .contains("goes to line 7")
    );
    let missed = place.fails(1, &["get", "Waterng"]);
    assert!(
        missed.contains("there is no item \"Waterng\"")
            && missed.contains("Did you mean notes/Garden/Watering.md"),
        "{missed}"
    );
}
