//! `pkb eval`: measured on sets small enough to know what must come out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pkb_tests::{Library, model_folder, pkb, shared_data, workspace_root};
use serde_json::{Value, json};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    workspace_root().join("fixtures").join(name)
}

/// A `pkb eval` in a home that does not exist, with temporary files in a
/// folder of their own.
struct Place {
    folder: TempDir,
    models: Option<PathBuf>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Place {
            folder,
            models: None,
        }
    }

    fn with_model() -> Option<Place> {
        let models = model_folder()?.parent()?.to_owned();
        Some(Place {
            models: Some(models),
            ..Place::new()
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pkb(&self.path("home"));
        if let Some(models) = &self.models {
            command.env("PKB_MODELS", models);
        }
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, self.path("tmp"));
        }
        command.arg("eval").args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        let left: Vec<_> = fs::read_dir(self.path("tmp")).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?} is left");
        assert!(!self.path("home").exists(), "a home was made");
        output
    }

    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn report(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.push("--json");
        serde_json::from_str(&self.text(&all)).unwrap()
    }

    /// What a run says that must be refused as wrong usage.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        stderr(&output)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn arguments<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [folder.to_str().unwrap()]
        .iter()
        .chain(more)
        .copied()
        .collect()
}

/// The mean of a measure in the row of that mode and chunker.
fn mean(report: &Value, chunker: Option<&str>, mode: &str, measure: &str) -> f64 {
    let rows = report["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| {
        row["mode"] == mode && row["chunker"].as_str() == chunker && row["part"].is_null()
    });
    let row = row.unwrap_or_else(|| panic!("{chunker:?}, {mode} is not in {report}"));
    let measures = row["measures"].as_array().unwrap();
    let measure = measures
        .iter()
        .find(|other| other["name"] == measure)
        .unwrap();
    let [mean, low, high] = ["mean", "low", "high"].map(|name| measure[name].as_f64().unwrap());
    assert!(
        low <= mean && mean <= high && (0.0..=1.0).contains(&mean),
        "{measure}"
    );
    mean
}

#[test]
fn a_collection_without_a_model_is_searched_by_word() {
    let place = Place::new();
    let folder = fixture("collection");
    let output = place.run(&arguments(&folder, &["--json"]));
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["documents"], 12);
    assert_eq!(report["queries"].as_array().unwrap().len(), 8);
    assert_eq!(report["rows"].as_array().unwrap().len(), 1);
    assert_eq!(report["model"], Value::Null);
    // Five of eight queries share words with their answers, which come first.
    assert_eq!(mean(&report, None, "lexical", "MRR@10"), 0.625);
    let notes = report["notes"].to_string();
    assert!(notes.contains("pkb model pull"), "{notes}");

    let text = place.text(&arguments(&folder, &[]));
    assert!(
        text.contains("nDCG@10") && text.contains("lexical"),
        "{text}"
    );
    assert!(!text.contains("dense"), "{text}");
}

#[test]
fn a_collection_with_a_model_is_searched_in_every_way() {
    let Some(place) = Place::with_model() else {
        return;
    };
    let folder = fixture("collection");
    let report = place.report(&arguments(&folder, &[]));
    let [lexical, dense, hybrid] =
        ["lexical", "dense", "hybrid"].map(|mode| mean(&report, None, mode, "nDCG@10"));
    // By meaning the queries without a common word are answered too.
    assert!(dense > lexical && dense > 0.8, "{lexical} {dense}");
    assert!(hybrid > lexical, "{lexical} {hybrid}");
    assert_eq!(mean(&report, None, "dense", "recall@100"), 1.0);
    let differences = report["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3);
    assert_eq!(differences[0]["better_leg"], "dense");

    let report = place.report(&arguments(
        &folder,
        &["--mode", "dense", "--limit-queries", "3"],
    ));
    assert_eq!(report["rows"].as_array().unwrap().len(), 1);
    assert_eq!(report["queries"].as_array().unwrap().len(), 3);
}

#[test]
fn the_weights_of_the_legs_can_be_tried() {
    let Some(place) = Place::with_model() else {
        return;
    };
    let folder = fixture("collection");
    let only_words = place.report(&arguments(&folder, &["--weights", "1:0"]));
    let [lexical, hybrid] =
        ["lexical", "hybrid"].map(|mode| mean(&only_words, None, mode, "MRR@10"));
    let usual = place.report(&arguments(&folder, &["--mode", "hybrid"]));
    // What only the other leg has comes after all that the words found.
    assert!(hybrid >= lexical, "{lexical} {hybrid}");
    let usual_mean = mean(&usual, None, "hybrid", "MRR@10");
    assert!(usual_mean > hybrid, "{usual_mean} {hybrid}");
    let only_meaning = place.report(&arguments(&folder, &["--weights", "0:1"]));
    let [dense, turned] = ["dense", "hybrid"].map(|mode| mean(&only_meaning, None, mode, "MRR@10"));
    assert!(
        turned >= dense && turned != hybrid,
        "{dense} {turned} {hybrid}"
    );
    assert_eq!(only_words["fusion"], "weights 1:0");
    assert!(usual["fusion"].is_null());
}

#[test]
fn what_needs_a_model_is_refused_without() {
    let place = Place::new();
    for arguments in [
        arguments(&fixture("collection"), &["--mode", "dense"]),
        vec![
            "--spans",
            fixture("spans").to_str().unwrap(),
            "--mode",
            "hybrid",
        ],
    ] {
        let output = place.run(&arguments);
        assert!(!output.status.success());
        let says = stderr(&output);
        assert!(
            says.contains("minilm") && says.contains("pkb model pull"),
            "{says}"
        );
    }
}

#[test]
fn chunkers_are_measured_beside_a_plain_splitter() {
    let place = Place::new();
    let folder = fixture("spans");
    let report = place.report(&["--spans", folder.to_str().unwrap()]);
    let chunkers = [
        "chunk-markdown",
        "chunk-sentences",
        "plain 200 tokens",
        "plain 400 tokens",
    ];
    for chunker in chunkers {
        // Five chunks are nearly the whole of both texts.
        let recall = mean(&report, Some(chunker), "lexical", "recall@5");
        assert!(recall > 0.9, "{chunker}: {recall}");
        let [precision, iou] =
            ["precision@5", "IoU@5"].map(|name| mean(&report, Some(chunker), "lexical", name));
        assert!(
            iou > 0.0 && iou <= precision && precision < 0.5,
            "{chunker}: {precision} {iou}"
        );
    }
    // Each over all questions, and over those of either text.
    assert_eq!(report["rows"].as_array().unwrap().len(), chunkers.len() * 3);

    let settings = r#"{"tokens": 40}"#;
    let small = place.report(&[
        "--spans",
        folder.to_str().unwrap(),
        "--chunker",
        "chunk-markdown",
        "--chunker-settings",
        settings,
    ]);
    assert_eq!(small["chunker_settings"], settings);
    assert_eq!(small["rows"].as_array().unwrap().len(), 9);
    let precision = |report: &Value| mean(report, Some("chunk-markdown"), "lexical", "precision@5");
    assert!(
        precision(&small) > precision(&report),
        "smaller chunks hold less else"
    );

    let table = place.text(&["--spans", folder.to_str().unwrap()]);
    assert!(
        table.contains("plain 400 tokens") && table.contains("tower"),
        "{table}"
    );
}

#[test]
fn a_question_searches_only_the_text_that_it_is_about() {
    let place = Place::new();
    let folder = place.path("set");
    fs::create_dir_all(folder.join("corpora")).unwrap();
    let answer = "The lighthouse keeper paints the lamp room every spring.";
    fs::write(folder.join("corpora/a[1].md"), answer).unwrap();
    // Far better by word, and more than are retrieved; its number is the start
    // of another's.
    let other = "# Who paints the lighthouse?\n\nWho paints the lighthouse?\n\n".repeat(40);
    let mut questions = vec![json!({
        "_id": "a", "text": "Who paints the lighthouse?", "corpus": "a[1].md",
        "references": [{"content": answer, "start_index": 0, "end_index": answer.len()}],
    })];
    for number in 1..=11 {
        let name = format!("{number}.md");
        fs::write(folder.join("corpora").join(&name), &other).unwrap();
        questions.push(json!({
            "_id": name, "text": "lighthouse", "corpus": name,
            "references": [{"start_index": 0, "end_index": other.len()}],
        }));
    }
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    fs::write(folder.join("questions.jsonl"), lines.join("\n")).unwrap();

    let report = place.report(&["--spans", folder.to_str().unwrap()]);
    let rows = report["rows"].as_array().unwrap();
    let own: Vec<&Value> = rows.iter().filter(|row| row["part"] == "a[1].md").collect();
    assert!(own.len() >= 4, "{report}");
    for row in own {
        let measures = row["measures"].as_array().unwrap();
        assert!(
            measures.iter().all(|measure| measure["mean"] == 1.0),
            "{row}"
        );
    }
    // What is searched in is only the text itself, so all of what is found is.
    let precision = mean(&report, Some("plain 200 tokens"), "lexical", "precision@5");
    assert!(precision > 0.999, "{precision}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("the text that it is about"), "{notes}");
}

#[test]
fn malformed_files_are_named_with_the_line() {
    let place = Place::new();
    let folder = place.path("set");
    fs::create_dir_all(folder.join("qrels")).unwrap();
    for name in ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"] {
        fs::copy(fixture("collection").join(name), folder.join(name)).unwrap();
    }
    let corpus = folder.join("corpus.jsonl");
    let good = fs::read_to_string(&corpus).unwrap();
    fs::write(
        &corpus,
        good.replace("{\"_id\": \"bike-1\"", "{\"_id: \"bike-1\""),
    )
    .unwrap();
    let says = place.refused(&arguments(&folder, &[]));
    assert!(
        says.contains("line 3 of ") && says.contains("corpus.jsonl"),
        "{says}"
    );
    assert!(says.contains("hint:"), "{says}");

    fs::write(&corpus, good).unwrap();
    let says = place.refused(&arguments(&folder, &["--split", "train"]));
    assert!(
        says.contains("no train.tsv") && says.contains("test"),
        "{says}"
    );
    let says = place.refused(&arguments(&place.path("nowhere"), &[]));
    assert!(says.contains("not a folder"), "{says}");
    let says = place.refused(&["--spans", folder.to_str().unwrap()]);
    assert!(says.contains("questions.jsonl"), "{says}");
    let says = place.refused(&[]);
    assert!(says.contains("--links"), "{says}");
}

#[test]
fn what_is_kept_is_stored_again_only_where_it_changed() {
    let place = Place::new();
    let folder = place.path("set");
    fs::create_dir_all(folder.join("qrels")).unwrap();
    for name in ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"] {
        fs::copy(fixture("collection").join(name), folder.join(name)).unwrap();
    }
    let kept = place.path("kept");
    let measured = arguments(&folder, &["--keep", kept.to_str().unwrap()]);
    let stored = || -> Vec<(String, i64)> {
        let database = rusqlite::Connection::open(kept.join("pkb.db")).unwrap();
        let mut rows = database
            .prepare("SELECT external_id, ingested FROM items ORDER BY external_id")
            .unwrap();
        let rows = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect()
    };
    let first = place.report(&measured);
    let before = stored();
    assert_eq!(before.len(), 12);
    let again = place.report(&measured);
    assert_eq!(stored(), before);
    assert_eq!(again["rows"], first["rows"]);

    let corpus = fs::read_to_string(folder.join("corpus.jsonl")).unwrap();
    let changed: Vec<String> = corpus
        .lines()
        .filter(|line| !line.contains("\"heat-2\""))
        .map(|line| line.replace("out heavy", "out like a brick"))
        .collect();
    fs::write(folder.join("corpus.jsonl"), changed.join("\n")).unwrap();
    place.report(&measured);
    let after = stored();
    assert_eq!(after.len(), 11);
    let anew: Vec<&str> = after
        .iter()
        .filter(|row| !before.contains(row))
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(anew, ["bread-2"]);
}

#[test]
fn a_home_is_no_place_to_keep_a_test_set() {
    let library = Library::new();
    library.write("a.md", "A note.");
    library.sync();
    let kept = library.home.path().to_str().unwrap().to_owned();
    let place = Place::new();
    let says = place.refused(&arguments(&fixture("collection"), &["--keep", &kept]));
    assert!(says.contains("a pkb of its own"), "{says}");
    assert_eq!(library.count(), 1);
}

/// Notes that link to one another.
fn linked() -> Library {
    let library = Library::new();
    library.write(
        "Index.md",
        "# Index\n\n- [[Bees]]\n- [[Clocks]]\n- [[Rivers]]\n",
    );
    library.write(
        "Bees.md",
        "# Bees\n\nBees dance to tell where flowers are. Honey keeps for years.\n",
    );
    library.write(
        "Clocks.md",
        "# Clocks\n\nA pendulum clock runs slower in summer, when its rod is longer.\n",
    );
    library.write(
        "Rivers.md",
        "# Rivers\n\nRivers wander; an oxbow lake is what they leave behind.\n",
    );
    library.write(
        "Diary.md",
        "Today I read why a pendulum runs slower in summer, see [[Clocks]].\n\nThe jar of honey from last year is still good, as [[Bees|they say]].\n\n[[Rivers]]\n",
    );
    library.sync();
    library
}

#[test]
fn links_ask_for_their_targets() {
    let library = linked();
    let report = library.run(&["eval", "--links"]);
    assert_eq!(
        report["queries"],
        json!(["notes/Diary.md:0", "notes/Diary.md:68"]),
        "{report}"
    );
    assert_eq!(report["documents"], 5);
    assert_eq!(mean(&report, None, "lexical", "MRR@10"), 1.0);
    let one = library.run(&[
        "eval",
        "--links",
        "--source",
        "notes",
        "--limit-queries",
        "1",
    ]);
    assert_eq!(one["queries"].as_array().unwrap().len(), 1);
    assert!(one["notes"].to_string().contains("1 of 2 queries"), "{one}");
    let output = library.output(&["eval", "--links", "--source", "nots"]);
    assert!(!output.status.success() && stderr(&output).contains("nots"));
    library.assert_sound();
}

#[test]
fn a_link_to_a_name_of_several_notes_asks_for_the_one_that_obsidian_opens() {
    let library = Library::new();
    library.write("Bees/Plan.md", "Bees dance to tell where flowers are.");
    library.write("Clocks/Plan.md", "A pendulum clock runs slower in summer.");
    library.write(
        "Clocks/Diary.md",
        "Today I read why a pendulum runs slower in summer, see [[plan]].",
    );
    library.sync();
    let report = library.run(&["eval", "--links"]);
    assert_eq!(report["queries"], json!(["notes/Clocks/Diary.md:0"]));
    assert_eq!(mean(&report, None, "lexical", "MRR@10"), 1.0, "{report}");
}

#[test]
fn a_home_without_links_is_told_so() {
    let library = Library::new();
    library.write(
        "a.md",
        "A note that leads nowhere, [[Nowhere]] in particular.",
    );
    library.sync();
    let says = stderr(&library.output(&["eval", "--links"]));
    assert!(
        says.contains("none of 1 wikilinks leads to another item"),
        "{says}"
    );
    library.write("a.md", "A note.");
    library.sync();
    let says = stderr(&library.output(&["eval", "--links"]));
    assert!(says.contains("no item holds a wikilink"), "{says}");
    assert!(says.contains("hint:"), "{says}");
}

#[test]
fn two_reports_are_compared_query_by_query() {
    let place = Place::new();
    let folder = fixture("collection");
    let [one, other] = ["one.json", "other.json"].map(|name| place.path(name));
    let [one, other] = [one.to_str().unwrap(), other.to_str().unwrap()];
    place.text(&arguments(&folder, &["--out", one]));
    let mut report: Value = serde_json::from_slice(&fs::read(one).unwrap()).unwrap();
    for key in ["pkb", "date", "data", "split", "chunker"] {
        assert!(report[key].is_string(), "{key}");
    }
    let compared = place.text(&["--compare", one, one]);
    assert_eq!(compared.matches("within noise").count(), 3, "{compared}");

    // The same, but a little worse for every query.
    for measure in report["rows"][0]["measures"].as_array_mut().unwrap() {
        for name in ["mean", "low", "high"] {
            measure[name] = json!(measure[name].as_f64().unwrap() - 0.01);
        }
        for value in measure["values"].as_array_mut().unwrap() {
            *value = json!(value.as_f64().unwrap() - 0.01);
        }
    }
    fs::write(other, report.to_string()).unwrap();
    let compared = place.report(&["--compare", one, other]);
    let change = &compared["changes"][0];
    assert_eq!(change["noise"], false);
    assert_eq!(change["paired"], true);
    assert!((change["difference"]["mean"].as_f64().unwrap() + 0.01).abs() < 1e-6);
    let compared = place.text(&["--compare", one, other]);
    assert!(compared.contains("worse"), "{compared}");

    fs::write(other, "{}").unwrap();
    let output = place.run(&["--compare", one, other]);
    assert!(!output.status.success() && stderr(&output).contains("is not a report"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_leaves_nothing() {
    let place = Place::new();
    let folder = place.path("set");
    fs::create_dir_all(folder.join("qrels")).unwrap();
    for name in ["queries.jsonl", "qrels/test.tsv"] {
        fs::copy(fixture("collection").join(name), folder.join(name)).unwrap();
    }
    let line = |number: usize| {
        let text = format!("Sentence {number} about flour. ").repeat(400);
        json!({ "_id": number, "text": text }).to_string() + "\n"
    };
    let corpus: String = (0..2_000).map(line).collect();
    fs::write(folder.join("corpus.jsonl"), corpus).unwrap();
    let mut child = place
        .command(&arguments(&folder, &[]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // When its database is there it is at work.
    let began = Instant::now();
    while fs::read_dir(place.path("tmp")).unwrap().count() == 0 {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let number = child.id().to_string();
    let sent = Command::new("kill")
        .args(["-INT", &number])
        .status()
        .unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    assert!(!status.success(), "it was to be stopped, not to finish");
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}

#[test]
fn scifact_by_word() {
    let Some(data) = shared_data() else { return };
    let place = Place::new();
    let report = place.report(&arguments(&data.join("scifact"), &["--mode", "lexical"]));
    let found = mean(&report, None, "lexical", "nDCG@10");
    assert!(found >= 0.67, "{found}");
    assert_eq!(report["queries"].as_array().unwrap().len(), 300);
}
