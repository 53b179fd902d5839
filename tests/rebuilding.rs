//! Another chunker or another model: built beside what is searched, which stays
//! until the new is complete.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;

use pkb_tests::Library;
use serde_json::Value;

/// Twelve sections, which the Markdown chunker keeps apart and windows of
/// sentences do not.
fn sections() -> String {
    (1..=12)
        .map(|n| {
            format!(
                "## Part {n}\n\nThe kingfisher number {n} dives. {}\n\n",
                "It eats small fish all day long. ".repeat(12)
            )
        })
        .collect()
}

/// Where the chunks stand that a search finds in the note about birds.
fn chunks(library: &Library) -> Vec<Value> {
    let answer = library.run(&["search", "kingfisher", "--mode", "lexical"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["path"], "notes/birds.md", "{answer}");
    let also = hit["also"].as_array().unwrap().iter();
    let places: Vec<Value> = std::iter::once(hit)
        .chain(also)
        .map(|chunk| chunk["place"].clone())
        .collect();
    assert!(places.iter().all(Value::is_object), "{answer}");
    places
}

fn choose(library: &Library, chunker: &str) {
    library.run(&["add", &library.folder(), "--chunker", chunker]);
}

fn chunk_total(library: &Library) -> u64 {
    library.run(&["status"])["store"]["chunks"]
        .as_u64()
        .unwrap()
}

#[test]
fn another_chunker_splits_stored_texts_even_when_the_files_are_gone() {
    let library = Library::new();
    library.write("birds.md", sections());
    library.sync();
    let before = chunk_total(&library);
    choose(&library, "chunk-sentences");
    // The drive with the notes is not there: nothing is read, nothing removed.
    fs::rename(library.notes.path(), library.home_file("elsewhere")).unwrap();
    let report = library.output(&["--json", "sync"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert!(report["sources"][0]["problem"].is_string(), "{report}");
    assert_ne!(chunk_total(&library), before);
    assert_eq!(library.found("kingfisher"), ["notes/birds.md"]);
    library.assert_sound();
    fs::rename(library.home_file("elsewhere"), library.notes.path()).unwrap();
    let counts = library.sync();
    assert_eq!(
        (&counts["unchanged"], &counts["updated"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn the_old_chunks_are_searched_until_the_new_ones_have_their_vectors() {
    let Some(library) = Library::new().with_model() else {
        return;
    };
    library.write("birds.md", sections());
    library.write("other.md", "The invoice for the bicycle is due in May.");
    library.sync();
    let (before, spans) = (chunk_total(&library), chunks(&library));

    choose(&library, "chunk-sentences");
    library.run(&["sync", "--no-embed"]);
    assert_eq!(chunk_total(&library), before);
    assert_eq!(chunks(&library), spans);
    let waiting = library.run(&["status"])["model"]["missing"]
        .as_u64()
        .unwrap();
    assert!(waiting > 0);
    let by_meaning = library.run(&["search", "river bird", "--mode", "dense"]);
    assert_eq!(by_meaning["hits"][0]["path"], "notes/birds.md");
    library.assert_sound();

    // What is new meanwhile is split with the new chunker and found at once.
    library.write("heron.md", "A heron stands in the reeds.");
    library.run(&["sync", "--no-embed"]);
    assert_eq!(library.found("heron reeds")[0], "notes/heron.md");
    assert_eq!(chunks(&library), spans);

    let made = library.run(&["sync"])["embedding"]["made"]
        .as_u64()
        .unwrap();
    assert_eq!(made, waiting + 1);
    assert_ne!(chunk_total(&library), before + 1);
    assert_ne!(chunks(&library), spans);
    let status = library.run(&["status"]);
    assert_eq!(status["model"]["missing"], 0);
    assert_eq!(library.run(&["sync"])["embedding"]["made"], 0);
    library.assert_sound();

    // And back again, before anything is embedded: nothing changes.
    let spans = chunks(&library);
    choose(&library, "chunk-markdown");
    library.run(&["sync", "--no-embed"]);
    choose(&library, "chunk-sentences");
    assert_eq!(library.run(&["sync"])["embedding"]["made"], 0);
    assert_eq!(chunks(&library), spans);
    library.assert_sound();
}

#[test]
fn a_chunk_that_the_model_fails_on_costs_one_line_and_nothing_else() {
    let Some(model) = pkb_tests::model_folder() else {
        return;
    };
    let library = Library::new();
    // A tokenizer with a word that the model's table does not hold.
    let folder = library.home_file("odd");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(model.join("model.onnx"), folder.join("model.onnx")).unwrap();
    fs::copy(model.join("model.toml"), folder.join("model.toml")).unwrap();
    let tokenizer = fs::read_to_string(model.join("tokenizer.json")).unwrap();
    let mut tokenizer: Value = serde_json::from_str(&tokenizer).unwrap();
    let added = tokenizer["added_tokens"].as_array_mut().unwrap();
    let mut word = added[0].clone();
    word["id"] = 40_000.into();
    word["content"] = "zorkblat".into();
    added.push(word);
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    library.run(&["model", "add", "odd", &folder.display().to_string()]);
    library.run(&["model", "use", "odd"]);

    for n in 0..20 {
        library.write(&format!("note {n}.md"), format!("Plain words, number {n}."));
    }
    library.write("bad.md", "Here a zorkblat is met.");
    let first = library.run(&["sync"]);
    assert_eq!(first["embedding"]["failed"], 1, "{first}");
    assert_eq!(first["embedding"]["made"], 20);
    assert_eq!(first["embedding"]["missing"], 0);
    let rows = library.run(&["ledger", "--warnings"]);
    let rows = rows["entries"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["external_id"], "bad.md");
    let warning = rows[0]["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("zorkblat") && warning.contains("by word"),
        "{warning}"
    );
    assert_eq!(library.found("zorkblat"), ["notes/bad.md"]);
    let again = library.run(&["sync"]);
    assert!(again["embedding"]["failed"].is_null(), "{again}");
    library.assert_sound();
}
