//! `doctor` and `doctor --fix`, on homes that are really damaged.

use std::fs;

use super::{database, fails, library, number, said};
use pkb_tests::Library;

fn filled() -> Library {
    library(&[
        (
            "a.md",
            "---\ntags: [red]\n---\n# Aardvark\n\nThe aardvark sleeps.\n\n## Food\n\nIt eats ants.\n",
        ),
        ("b.md", "# Badger\n\nThe badger digs. See [[a]].\n"),
        ("c.md", "# Cat\n\nThe cat purrs.\n"),
    ])
}

fn damage(library: &Library, sql: &str) {
    database(library)
        .execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}"))
        .unwrap();
}

fn problems(library: &Library) -> usize {
    let output = library.output(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let left = report["left"].as_array().unwrap().len();
    assert_eq!(output.status.code(), Some(i32::from(left > 0)));
    left
}

fn assert_whole(library: &Library, what: &str) {
    for (word, path) in [
        ("aardvark", "notes/a.md"),
        ("ants", "notes/a.md"),
        ("badger", "notes/b.md"),
        ("purrs", "notes/c.md"),
    ] {
        assert_eq!(library.found(word)[0], path, "{what}");
    }
    assert_eq!(library.count(), 3, "{what}");
    library.assert_sound();
}

#[test]
fn what_follows_from_the_texts_is_made_again_at_once() {
    for what in [
        "DELETE FROM terms WHERE rowid = 1",
        "INSERT INTO terms (terms) VALUES ('delete-all')",
        "INSERT INTO terms (rowid, body) VALUES (77, 'stray')",
        "UPDATE terms_data SET block = x'00ff00ff' WHERE id > 10",
        "DELETE FROM terms_data WHERE id > 10",
        "DELETE FROM terms_docsize",
        "INSERT INTO chunks (item_id, ordinal, start, end, hash) VALUES (99, 0, 0, 5, randomblob(16))",
        "INSERT INTO tags (item_id, seq, tag) VALUES (99, 0, 'stray');
         INSERT INTO links (item_id, seq, kind, target, start, end) VALUES (99, 0, 0, 'x', 0, 1);
         INSERT INTO texts (item_id, text) VALUES (99, 'stray')",
        "UPDATE ledger SET component = 99 WHERE external_id = 'a.md'",
        "UPDATE ledger SET pipeline = 99 WHERE external_id = 'a.md'",
        "UPDATE items SET status = 1",
        "UPDATE ledger SET state = 2 WHERE external_id = 'a.md'",
        "DELETE FROM ledger WHERE external_id = 'a.md'",
        "INSERT INTO ledger (source_id, external_id, state, stamp, pipeline, updated)
         SELECT source_id, 'nothing.md', 0, stamp, pipeline, 0 FROM ledger LIMIT 1",
    ] {
        let library = filled();
        damage(&library, what);
        assert!(problems(&library) > 0, "{what}");
        library.run(&["doctor", "--fix"]);
        assert_whole(&library, what);
        library.sync();
        assert_whole(&library, what);
    }
}

#[test]
fn what_is_stored_wrong_is_read_again_by_the_next_sync() {
    for what in [
        "UPDATE chunks SET end = 9999 WHERE item_id = 1 AND ordinal = 0",
        "UPDATE chunks SET ordinal = ordinal + 5 WHERE item_id = 1",
        "UPDATE texts SET marks = x'ff' WHERE item_id = 1",
        "DELETE FROM texts WHERE item_id = 1",
    ] {
        let library = filled();
        damage(&library, what);
        let said = fails(&library, 1, &["doctor", "--fix"]);
        assert!(said.contains("`pkb sync` reads again"), "{what}: {said}");
        library.sync();
        assert_whole(&library, what);
    }
}

#[test]
fn an_index_that_lacks_a_row_is_made_again() {
    let library = filled();
    let kept = "CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'tags_tag'";
    let conn = database(&library);
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)
        .unwrap();
    // While SQLite does not know of the index, a row comes that it lacks.
    conn.execute_batch(&format!(
        "{kept};
         PRAGMA writable_schema = ON;
         DELETE FROM sqlite_schema WHERE name = 'tags_tag';
         PRAGMA writable_schema = RESET;
         INSERT INTO tags (item_id, seq, tag) VALUES (2, 9, 'blue');
         PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema SELECT * FROM kept;
         PRAGMA writable_schema = RESET;"
    ))
    .unwrap();
    drop(conn);
    assert!(problems(&library) > 0);
    library.run(&["doctor", "--fix"]);
    assert_eq!(library.run(&["browse", "--tag", "blue"])["total"], 1);
    assert_whole(&library, "index");
}

#[test]
fn damaged_and_orphan_vectors_are_made_again_or_removed() {
    let Some(library) = filled().with_model() else {
        return;
    };
    library.sync();
    let vectors = number(&library, "SELECT count(*) FROM vectors");
    assert!(vectors >= 3);
    damage(
        &library,
        "UPDATE vectors SET vector = x'0000' WHERE id = 1;
         INSERT INTO vectors (model_id, hash, vector) SELECT model_id, randomblob(16), vector FROM vectors WHERE id = 2",
    );
    assert_eq!(problems(&library), 1, "an orphan is no damage");
    library.run(&["doctor", "--fix"]);
    assert_eq!(number(&library, "SELECT count(*) FROM vectors"), vectors);
    assert_eq!(library.run(&["status"])["model"]["missing"], 0);
    assert_whole(&library, "vectors");
}

#[test]
fn vectors_of_what_stood_there_before_the_edit_are_no_problem() {
    let Some(library) = filled().with_model() else {
        return;
    };
    library.sync();
    library.write("b.md", "# Badger\n\nThe badger rests, and [[a]] too.\n");
    library.run(&["sync", "--no-embed"]);
    library.assert_sound();
    library.sync();
    library.assert_sound();
}

/// Overwrites the pages of these tables but their first; says whether there
/// were any.
fn tear(library: &Library, tables: &[&str]) -> bool {
    let conn = database(library);
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let pages: Vec<usize> = conn
        .prepare("SELECT pageno, name FROM dbstat WHERE path <> '/' AND pagetype = 'leaf'")
        .unwrap()
        .query_map([], |row| {
            Ok((row.get::<_, i64>(0)? as usize, row.get::<_, String>(1)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .filter(|(_, name)| tables.contains(&name.as_str()))
        .map(|(page, _)| page)
        .collect();
    drop(conn);
    let file = library.home_file("pkb.db");
    let mut bytes = fs::read(&file).unwrap();
    for page in &pages {
        bytes[(page - 1) * 8192..page * 8192].fill(0xa5);
    }
    fs::write(&file, bytes).unwrap();
    !pages.is_empty()
}

fn many() -> Library {
    let library = filled();
    for n in 0..120 {
        library.write(
            &format!("many/{n}.md"),
            format!(
                "# Number {n}\n\n{}",
                format!("word{n} and more. ").repeat(20 + n)
            ),
        );
    }
    library.sync();
    library
}

#[test]
fn torn_pages_of_what_can_be_made_again_are_made_again() {
    let Some(library) = many().with_model() else {
        return;
    };
    library.sync();
    assert!(tear(
        &library,
        &["vectors", "vectors_hash", "terms_data", "tags_tag"]
    ));
    let server = super::server(&library);
    assert!(problems(&library) > 0);
    library.run(&["doctor", "--fix"]);
    library.assert_sound();
    for (word, path) in [("aardvark", "notes/a.md"), ("word77", "notes/many/77.md")] {
        assert_eq!(library.found(word)[0], path);
        assert_eq!(super::finds(&server, word)[0], path);
    }
    assert_eq!(library.count(), 123);
    assert_eq!(library.run(&["status"])["model"]["missing"], 0);
    assert!(library.home_file("pkb.db.before-restore").exists());
    assert_eq!(library.run(&["sync"])["sources"][0]["unchanged"], 123);
}

#[test]
fn torn_pages_of_texts_ask_for_a_backup_and_change_nothing() {
    let library = many();
    assert!(tear(&library, &["texts"]));
    let before = fs::read(library.home_file("pkb.db")).unwrap();
    let said = fails(&library, 1, &["doctor", "--fix"]);
    assert!(said.contains("pkb restore-backup"), "{said}");
    assert_eq!(fs::read(library.home_file("pkb.db")).unwrap(), before);
}

#[test]
fn a_torn_file_is_told_with_what_helps() {
    let library = filled();
    let copy = library.home_file("copy.db");
    library.run(&["backup", copy.to_str().unwrap()]);
    let file = library.home_file("pkb.db");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let output = library.output(&["doctor", "--fix"]);
    assert_eq!(output.status.code(), Some(1));
    let all = said(&output) + &String::from_utf8_lossy(&output.stdout);
    assert!(all.contains("pkb restore-backup"), "{all}");
    library.run(&["restore-backup", copy.to_str().unwrap(), "--yes"]);
    assert_whole(&library, "torn");
}
