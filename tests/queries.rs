//! What people type, and what it finds: each of these has failed somewhere.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use pkb_tests::Library;

/// The paths found by word for a query, best first, without the source.
fn found(library: &Library, query: &str) -> Vec<String> {
    let answer = library.run(&["search", "--mode", "lexical", "--", query]);
    let hits = answer["hits"].as_array().unwrap();
    hits.iter()
        .map(|hit| {
            let path = hit["path"].as_str().unwrap();
            path.trim_start_matches("notes/").to_owned()
        })
        .collect()
}

fn library(notes: &[(&str, &str)]) -> Library {
    let library = Library::new();
    for (name, text) in notes {
        library.write(name, text);
    }
    library.sync();
    library
}

#[test]
fn operators_and_odd_quotes_are_taken_as_meant() {
    let library = library(&[
        ("apostrophe.md", "We can't open O'Brien's file."),
        ("option.md", "Try it with --dry-run before."),
        ("running.md", "It was a dry and long run."),
        ("budget.md", "The budget for next year."),
        ("draft.md", "The budget, a draft."),
        ("half.md", "Only half of it."),
        ("colon.md", "Write foo:bar into the file."),
        ("speed.md", "It reads 3 GB/s from the disk."),
        ("decision.md", "See DEC-0054 for why."),
        ("decision2.md", "See DEC-0055 for how."),
    ]);
    for (query, first) in [
        ("can't open o'brien", "apostrophe.md"),
        ("\"--dry-run\"", "option.md"),
        ("--dry-run", "option.md"),
        ("\"half", "half.md"),
        ("foo:bar", "colon.md"),
        ("GB/s", "speed.md"),
        ("DEC-0054", "decision.md"),
        ("dec 0054", "decision.md"),
    ] {
        let found = found(&library, query);
        assert_eq!(
            found.first().map(String::as_str),
            Some(first),
            "{query}: {found:?}"
        );
    }
    assert_eq!(found(&library, "\"--dry-run\""), ["option.md"]);
    assert_eq!(found(&library, "budget -draft"), ["budget.md"]);
    assert_eq!(found(&library, "budget -\"a draft\""), ["budget.md"]);
    // Half of the words are nowhere.
    assert_eq!(found(&library, "budget zyzzyva quux")[..2].len(), 2);
    for nothing in ["", " ", "!!! ???", "\"\"", "\u{1}\u{2}"] {
        assert!(found(&library, nothing).is_empty(), "{nothing:?}");
    }
    // Function words alone are words.
    assert!(!found(&library, "the of").is_empty());
}

#[test]
fn every_script_is_found() {
    let library = library(&[
        ("zh.md", "昨天重启svc-beta完成"),
        ("ja.md", "昨日は図書館で勉強した"),
        ("ko.md", "어제 도서관에서 읽었다"),
        ("he.md", "שָׁלוֹם לכולם"),
        ("ar.md", "قرأت كِتَاب جديد"),
        ("fr.md", "L'impo\u{302}t sur le revenu"),
        ("lig.md", "The \u{fb01}nance report"),
        ("emoji.md", "A crab 🦀 at the beach"),
        ("th.md", "ฉันอ่านหนังสือที่ห้องสมุด"),
    ]);
    for (query, wanted) in [
        ("重启", "zh.md"),
        ("beta", "zh.md"),
        ("svc-beta", "zh.md"),
        ("図書館", "ja.md"),
        ("館", "ja.md"),
        ("도서관", "ko.md"),
        ("שלום", "he.md"),
        ("كتاب", "ar.md"),
        ("imp\u{f4}t", "fr.md"),
        ("impot", "fr.md"),
        ("finance", "lig.md"),
        ("🦀", "emoji.md"),
        ("ห้องสมุด", "th.md"),
    ] {
        assert_eq!(
            found(&library, query).first().map(String::as_str),
            Some(wanted),
            "{query}"
        );
    }
}

#[test]
fn a_long_paste_finds_what_it_was_taken_from() {
    let library = Library::new();
    for n in 0..20 {
        let words: Vec<String> = (0..400).map(|w| format!("word{n}x{w}")).collect();
        library.write(&format!("{n}.md"), words.join(" "));
    }
    library.sync();
    let words: Vec<String> = (0..400).map(|w| format!("word7x{w}")).collect();
    let paste = format!("{} ", words.join(" ")).repeat(30);
    assert!(paste.len() > 100_000);
    assert_eq!(
        found(&library, &paste[..100_000])
            .first()
            .map(String::as_str),
        Some("7.md")
    );
}

#[test]
fn fields_choose_items_and_are_echoed() {
    let library = Library::new();
    library.write("a.md", "---\ntags: [work/plan]\nauthor: Jane Doe\nstatus: done\ncreated: 2024-03-09\n---\nroadmap one");
    library.write("sub/b.md", "---\ntags: [home]\n---\nroadmap two");
    library.sync();
    for (query, wanted) in [
        ("roadmap tag:work", vec!["a.md"]),
        ("roadmap -tag:work", vec!["sub/b.md"]),
        ("roadmap path:sub/", vec!["sub/b.md"]),
        ("roadmap author:\"jane doe\"", vec!["a.md"]),
        ("roadmap prop.status:done", vec!["a.md"]),
        ("roadmap created:2024-03", vec!["a.md"]),
        ("roadmap created:2023", vec![]),
        ("roadmap is:untagged", vec![]),
        ("tag:home", vec!["sub/b.md"]),
        ("roadmap tag:work source:other source:notes", vec!["a.md"]),
        ("roadmap source:other", vec![]),
        // Notes last no time.
        ("roadmap duration:>1s", vec![]),
        ("roadmap tag:work -duration:>1s", vec!["a.md"]),
    ] {
        assert_eq!(found(&library, query), wanted, "{query}");
    }
    let answer = library.run(&["search", "roadmap tag:work", "--mode", "lexical"]);
    assert_eq!(answer["understood"][0]["as_typed"], "tag:work", "{answer}");
}

#[test]
fn a_field_that_was_not_understood_is_said_so() {
    let library = library(&[
        ("a.md", "roadmap one"),
        ("b.md", "roadmap, is it nonsense?"),
    ]);
    for (query, said) in [
        ("roadmap is:nonsense", "is:nonsense was taken as words"),
        ("roadmap after:soon", "after:soon was taken as words"),
        ("roadmap duration:long", "1h30m"),
        ("roadmap source:nothing", "There are: notes."),
    ] {
        let answer = library.run(&["search", "--mode", "lexical", query]);
        let notes = answer["notes"].to_string();
        assert!(notes.contains(said), "{query}: {notes}");
    }
    assert_eq!(found(&library, "roadmap is:nonsense"), ["b.md", "a.md"]);
}

#[test]
fn an_answer_says_how_sure_it_is() {
    let library = library(&[
        (
            "sync.md",
            "Keep your notes the same on every device with the sync service.",
        ),
        ("other.md", "Bread needs flour, water, salt and time."),
    ]);
    let level = |query: &str| {
        let answer = library.run(&["search", query, "--mode", "lexical"]);
        answer["confidence"]["level"].as_str().unwrap().to_owned()
    };
    assert_eq!(level("sync service for notes"), "strong");
    assert_eq!(level("quantum chromodynamics lattice"), "none");
    assert_eq!(level("flour and water prices"), "partial");
}

#[test]
fn the_same_text_elsewhere_is_folded_into_one_hit() {
    let text =
        "Seven distinct words make this paragraph long enough to be compared with its copies.";
    let library = library(&[
        ("one.md", text),
        ("copy.md", text),
        ("other.md", "paragraph of another kind"),
    ]);
    let answer = library.run(&["search", "distinct paragraph", "--mode", "lexical"]);
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 2, "{answer}");
    assert_eq!(hits[0]["same"].as_array().unwrap().len(), 1, "{answer}");
}

/// Titles of the help vault, searched as they are written, in seven languages.
#[test]
fn titles_of_seven_languages_come_back_first_or_second() {
    let Some(vault) = pkb_tests::vault("obsidian-help-7langs") else {
        return;
    };
    let library = Library::new();
    library.run(&["add", vault.path().to_str().unwrap(), "--name", "help"]);
    library.run(&["sync", "--no-embed"]);
    let listed = library.run(&["list", "--source", "help", "--limit", "5000"]);
    let mut by_language: std::collections::BTreeMap<String, (usize, usize, Vec<String>)> =
        std::collections::BTreeMap::new();
    for item in listed["items"].as_array().unwrap() {
        let path = item["external_id"].as_str().unwrap();
        let title = item["title"].as_str().unwrap();
        let Some(language) = path.split('/').find(|part| part.len() == 2) else {
            continue;
        };
        let entry = by_language.entry(language.to_owned()).or_default();
        if entry.0 >= 25 {
            continue;
        }
        entry.0 += 1;
        let answer = library.run(&[
            "search",
            title,
            "--mode",
            "lexical",
            "-n",
            "2",
            "--path",
            &path[..path.find(language).unwrap() + 2],
        ]);
        let hits = answer["hits"].as_array().unwrap();
        if hits.iter().any(|hit| hit["title"] == title) {
            entry.1 += 1;
        } else {
            entry.2.push(title.to_owned());
        }
    }
    assert!(by_language.len() >= 7, "{by_language:?}");
    for (language, (asked, right, missed)) in by_language {
        eprintln!("{language}: {right} of {asked}, missed {missed:?}");
        assert!(
            right >= 20,
            "{language}: {right} of {asked}, missed {missed:?}"
        );
    }
}

/// Questions on what the English help vault holds, and on what it does not.
#[test]
fn an_answer_tells_what_is_there_from_what_is_not() {
    let Some(vault) = pkb_tests::vault("obsidian-help-en") else {
        return;
    };
    let Some(library) = Library::of(vault).with_model() else {
        return;
    };
    library.sync();
    let questions = |name: &str| -> Vec<String> {
        let file = pkb_tests::workspace_root()
            .join("fixtures/questions")
            .join(name);
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    for mode in ["hybrid", "lexical"] {
        let levels = |name: &str| -> Vec<(String, String)> {
            let ask = |question: String| {
                let answer = library.run(&["search", "--mode", mode, "--", &question]);
                let level = answer["confidence"]["level"].as_str().unwrap().to_owned();
                (level, question)
            };
            questions(name).into_iter().map(ask).collect()
        };
        let count = |levels: &[(String, String)], wanted: &str| {
            levels.iter().filter(|(level, _)| level == wanted).count()
        };
        let (present, absent) = (levels("help-present.txt"), levels("help-absent.txt"));
        let wrong: Vec<_> = present
            .iter()
            .filter(|(level, _)| level != "strong")
            .collect();
        let sure: Vec<_> = absent
            .iter()
            .filter(|(level, _)| level == "strong")
            .collect();
        eprintln!(
            "{mode}: present strong {}, absent none {} of {}; not strong {wrong:?}; strong {sure:?}",
            count(&present, "strong"),
            count(&absent, "none"),
            absent.len()
        );
        assert!(wrong.len() <= present.len() / 10, "{mode}: {wrong:?}");
        assert!(sure.len() <= absent.len() / 10, "{mode}: {sure:?}");
        assert!(count(&present, "none") == 0, "{mode}");
    }
}
