//! That nothing of what was removed for good is left in the files.

use std::fs;
use std::path::Path;

use super::{database, library, number};
use pkb_tests::Library;

/// The names of those needles that stand in a file of the home.
fn standing<'a>(library: &Library, needles: &'a [(String, Vec<u8>)]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for entry in fs::read_dir(library.home.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        for (name, needle) in needles {
            let there = bytes
                .windows(needle.len())
                .any(|window| window == needle.as_slice());
            if there && !found.contains(&name.as_str()) {
                found.push(name);
            }
        }
    }
    found.sort_unstable();
    found
}

fn needles(words: &[&str]) -> Vec<(String, Vec<u8>)> {
    words
        .iter()
        .map(|word| ((*word).to_owned(), word.as_bytes().to_vec()))
        .collect()
}

/// Notes enough for statistics to be kept and for pages to be split.
fn crowd(library: &Library) {
    for n in 0..400 {
        library.write(
            &format!("crowd/note {n}.md"),
            format!(
                "---\ntags: [tag{n}]\nproperty{n}: value{n}\n---\n# Note {n}\n\n{}\n",
                format!("word{n} other{} more ", n * 7).repeat(1 + n % 60)
            ),
        );
    }
}

const SECRET: &str = "---\ntags: [qxtag]\naliases: [qxalias]\nqxproperty: qxvalue\n---\n# qxtitle\n\nThe qxbody, and [[qxlink]].\n\n## qxheading\n\nMore of it.\n";
const WORDS: [&str; 10] = [
    "qxtag",
    "qxalias",
    "qxproperty",
    "qxvalue",
    "qxtitle",
    "qxbody",
    "qxlink",
    "qxheading",
    "qxfolder",
    "qxearlier",
];

/// A library in which one item has had a text before the present one.
fn with_secret() -> Library {
    let library = library(&[(
        "qxfolder/secret.md",
        "# qxtitle\n\nWhat stood there before: qxearlier.\n",
    )]);
    crowd(&library);
    library.sync();
    library.write("qxfolder/secret.md", SECRET);
    library.sync();
    library
}

#[test]
fn a_removed_item_leaves_no_trace_in_the_files() {
    let library = with_secret();
    let all = needles(&WORDS);
    assert_eq!(standing(&library, &all).len(), WORDS.len());
    assert!(number(&library, "SELECT count(*) FROM sqlite_stat1") > 0);
    fs::remove_file(library.notes.path().join("qxfolder/secret.md")).unwrap();
    let purged = library.run(&["rm", "qxtitle", "--hard", "--yes"]);
    assert_eq!(purged["wiped"], true, "{purged}");
    assert_eq!(standing(&library, &all), Vec::<&str>::new());
    assert_eq!(number(&library, "PRAGMA freelist_count"), 0);
    assert_eq!(library.count(), 400);
    assert_eq!(library.found("word17"), ["notes/crowd/note 17.md"]);
    library.assert_sound();
}

#[test]
fn the_vector_of_a_removed_item_is_gone_too() {
    let Some(library) = library(&[
        (
            "secret.md",
            "# Secret\n\nThe burglar alarm has the code qxcode.\n",
        ),
        ("other.md", "# Other\n\nFlour, salt and yeast.\n"),
    ])
    .with_model() else {
        return;
    };
    library.sync();
    let vector = |title: &str| -> Vec<u8> {
        database(&library)
            .query_row(
                "SELECT v.vector FROM vectors v JOIN chunks c USING (hash)
                 JOIN items i ON i.id = c.item_id WHERE i.title = ?1",
                [title],
                |row| row.get(0),
            )
            .unwrap()
    };
    let (secret, other) = (vector("Secret"), vector("Other"));
    let all = [
        ("the vector".to_owned(), secret),
        ("qxcode".to_owned(), b"qxcode".to_vec()),
        ("another".to_owned(), other),
    ];
    assert_eq!(standing(&library, &all).len(), 3);
    fs::remove_file(library.notes.path().join("secret.md")).unwrap();
    let purged = library.run(&["rm", "secret.md", "--hard", "--yes"]);
    assert_eq!(purged["vectors"], 1, "{purged}");
    assert_eq!(standing(&library, &all), ["another"]);
}

#[test]
fn what_others_say_of_a_removed_item_stays() {
    let library = library(&[
        ("secret.md", "# Secret\n\nqxbody\n"),
        ("other.md", "# Other\n\nSee [[secret]].\n"),
    ]);
    library.run(&["rm", "secret.md", "--hard", "--yes"]);
    let links = library.run(&["links", "other.md"]);
    assert_eq!(links["unresolved"][0]["target"], "secret");
}

#[test]
fn traces_that_someone_still_reads_go_with_the_next_write() {
    let library = with_secret();
    let all = needles(&WORDS);
    let reader = database(&library);
    let begin = "BEGIN; SELECT count(*) FROM items;";
    reader.execute_batch(begin).unwrap();
    fs::remove_file(library.notes.path().join("qxfolder/secret.md")).unwrap();
    let purged = library.run(&["rm", "qxtitle", "--hard", "--yes"]);
    assert_eq!(purged["wiped"], false, "{purged}");
    let note = purged["notes"][0].as_str().unwrap();
    assert!(note.contains("`pkb sync`"), "{note}");
    assert!(library.found("qxbody").is_empty(), "it is out at once");
    assert_eq!(
        standing(&library, &all).len(),
        WORDS.len(),
        "this is what the note speaks of"
    );
    reader.execute_batch("COMMIT").unwrap();
    drop(reader);
    library.sync();
    assert_eq!(standing(&library, &all), Vec::<&str>::new());
}

#[test]
fn a_killed_removal_is_finished_by_the_next_writes() {
    for wait in 0..8_u64 {
        let library = library(&[("qxfolder/secret.md", SECRET), ("other.md", "a badger")]);
        fs::remove_file(library.notes.path().join("qxfolder/secret.md")).unwrap();
        let mut removal = library.spawn(&["rm", "qxtitle", "--hard", "--yes"]);
        std::thread::sleep(std::time::Duration::from_millis(wait * 12));
        let _ = removal.kill();
        removal.wait().unwrap();
        library.assert_sound();
        // It is either there as a whole, or gone but for its traces.
        let again = library.output(&["rm", "qxtitle", "--hard", "--yes"]);
        assert!(again.status.success() || library.count() == 1);
        library.sync();
        assert_eq!(standing(&library, &needles(&WORDS)), Vec::<&str>::new());
        assert_eq!(library.found("badger"), ["notes/other.md"]);
    }
}

#[test]
fn copies_that_may_hold_what_was_removed_are_named() {
    let library = library(&[("secret.md", "qxbody"), ("other.md", "other")]);
    let copy = library.home_file("pkb.db.schema-1.bak");
    fs::copy(library.home_file("pkb.db"), &copy).unwrap();
    let purged = library.run(&["rm", "secret.md", "--hard", "--yes"]);
    assert_eq!(
        Path::new(purged["copies"][0].as_str().unwrap()).file_name(),
        copy.file_name()
    );
    assert!(
        purged["notes"].to_string().contains("schema-1.bak"),
        "{purged}"
    );
}
