use super::*;

fn holds(home: &Home, word: &str) -> bool {
    let bytes = |file: &str| std::fs::read(home.folder.path().join(file)).unwrap_or_default();
    ["pkb.db", "pkb.db-wal"].iter().any(|file| {
        bytes(file)
            .windows(word.len())
            .any(|window| window == word.as_bytes())
    })
}

fn filled() -> (Home, ItemId) {
    let home = Home::new();
    let secret = home.put("qxpath.md", "the qxword stood here");
    home.put("qxpath.md", "and now qxother does");
    for n in 0..300 {
        let text = format!("word{n} {}", "and more of it ".repeat(n % 40));
        home.put(&format!("note {n}.md"), &text);
    }
    home.store.optimize().unwrap();
    assert!(holds(&home, "qxother") && holds(&home, "qxpath"));
    (home, secret)
}

#[test]
fn what_was_removed_is_wiped_out_of_the_files() {
    let (home, secret) = filled();
    assert!(home.store.wipe().unwrap(), "nothing was removed yet");
    assert!(holds(&home, "qxother"));
    home.store.hard_delete(&[secret]).unwrap();
    assert!(home.store.wipe().unwrap());
    for word in ["qxother", "qxword", "qxpath"] {
        assert!(!holds(&home, word), "{word}");
    }
    assert_eq!(home.search("word17"), ["note 17.md"]);
    home.assert_sound();
}

#[test]
fn what_a_reader_keeps_from_being_wiped_is_wiped_later_by_anyone() {
    let (home, secret) = filled();
    let reader = rusqlite::Connection::open(home.path()).unwrap();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM items;")
        .unwrap();
    home.store.hard_delete(&[secret]).unwrap();
    assert!(!home.store.wipe().unwrap());
    assert!(holds(&home, "qxother"));
    reader.execute_batch("COMMIT").unwrap();
    let another = SqliteStore::open(home.path()).unwrap();
    assert!(another.wipe().unwrap());
    for word in ["qxother", "qxword", "qxpath"] {
        assert!(!holds(&home, word), "{word}");
    }
}
