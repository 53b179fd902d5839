use rusqlite::Connection;

use super::*;
use crate::sqlite::migrate;

fn failure(path: &std::path::Path) -> Error {
    SqliteStore::open(path).expect_err("this must not open")
}

#[test]
fn a_database_opens_again_and_stays_as_it_is() {
    let home = Home::new();
    home.put("a.md", "words");
    let Home { store, folder, .. } = home;
    drop(store);
    let path = folder.path().join("pkb.db");
    let before = std::fs::read(&path).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.path(), path);
    assert_eq!(store.stats().unwrap().items, 1);
    assert!(!store.is_read_only());
    let pragma = |name: &str| -> String {
        let read = |conn: &mut Connection| {
            conn.query_row(
                &format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}"),
                [],
                |row| row.get(0),
            )
        };
        store.pool.with_reader("look", read).unwrap()
    };
    for (name, wanted) in [
        ("page_size", "8192"),
        ("auto_vacuum", "2"),
        ("journal_mode", "wal"),
        ("foreign_keys", "1"),
        ("query_only", "1"),
    ] {
        assert_eq!(pragma(name), wanted, "{name}");
    }
    drop(store);
    assert!(
        before == std::fs::read(&path).unwrap(),
        "opening wrote to the file"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others can read it");
    }
}

#[test]
fn a_newer_schema_is_refused_and_named() {
    let home = Home::new();
    let conn = Connection::open(home.path()).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let error = failure(&home.path());
    assert!(matches!(error, Error::Newer { found: 99, known, .. } if known == migrate::CURRENT));
    let message = error.to_string();
    for part in ["99", &migrate::CURRENT.to_string(), "update pkb", "pkb.db"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn an_older_schema_that_cannot_be_written_is_named() {
    let home = Home::new();
    let conn = Connection::open(home.path()).unwrap();
    conn.pragma_update(None, "user_version", 0).unwrap();
    drop(conn);
    let error = SqliteStore::open_read_only(home.path()).unwrap_err();
    assert!(matches!(error, Error::Older { found: 0, .. }), "{error}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let home = Home::new();
    home.put("a.md", "words");
    let limit = |pages: i64| {
        let set = |conn: &Connection| {
            conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        };
        home.store.pool.with_writer("limit", set).unwrap();
    };
    limit(1);
    let big = note(home.source, "big.md", &"much text ".repeat(100_000));
    let error = home
        .store
        .put(&[note(home.source, "b.md", "x"), big.clone()]);
    assert!(matches!(error, Err(Error::Full { .. })));
    assert_eq!(home.search("words"), ["a.md"]);
    assert_eq!(home.store.stats().unwrap().items, 1);
    home.assert_sound();
    limit(1 << 30);
    home.put_item(big);
    home.assert_sound();
}

#[test]
fn another_programs_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(failure(&path), Error::NotPkb { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_file_is_refused_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pkb.db");
    std::fs::write(&path, vec![7_u8; 5000]).unwrap();
    let error = failure(&path);
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("backup"), "{error}");
    std::fs::write(&path, "short").unwrap();
    assert!(matches!(failure(&path), Error::Damaged { .. }));
}

#[test]
fn damage_inside_is_an_error_and_a_problem_never_a_panic() {
    let home = Home::new();
    let items: Vec<ItemWrite> = (0..200)
        .map(|n| {
            note(
                home.source,
                &format!("{n}.md"),
                &format!("words {n} {}", "pad ".repeat(100)),
            )
        })
        .collect();
    home.store.put(&items).unwrap();
    home.store.optimize().unwrap();
    let Home { store, folder, .. } = home;
    drop(store);
    let path = folder.path().join("pkb.db");
    let sound = std::fs::read(&path).unwrap();
    let mut noticed = 0;
    for start in (4096..sound.len()).step_by(4096 * 5) {
        let mut damaged = sound.clone();
        for byte in &mut damaged[start..start + 4096] {
            *byte = 0xa5;
        }
        std::fs::write(&path, damaged).unwrap();
        match SqliteStore::open(&path) {
            Ok(store) => {
                let problems = store.check();
                noticed += usize::from(!matches!(&problems, Ok(list) if list.is_empty()));
                let _ = store.lexical(&LexicalQuery::any(["words"]), &Filter::default(), 5);
                let _ = store.items(&ItemQuery::default());
                let _ = store.put(&items[..5]);
            }
            Err(error) => {
                assert!(matches!(error, Error::Damaged { .. }), "{error}");
                noticed += 1;
            }
        }
        for log in ["pkb.db-wal", "pkb.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join(log));
        }
    }
    assert!(noticed >= 5, "{noticed}");
}

#[test]
fn a_missing_file_or_folder_is_named() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("none").join("pkb.db");
    assert!(matches!(
        failure(&missing),
        Error::File {
            action: "create",
            ..
        }
    ));
    let nothing = folder.path().join("pkb.db");
    let error = SqliteStore::open_read_only(&nothing).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }));
    assert!(!nothing.exists());
    assert!(matches!(failure(folder.path()), Error::File { .. }));
}

#[test]
fn opened_for_reading_it_searches_and_refuses_to_write() {
    let home = Home::new();
    home.put("a.md", "words to find");
    let reader = SqliteStore::open_read_only(home.path()).unwrap();
    assert!(reader.is_read_only());
    let find = |store: &SqliteStore| {
        let found = store.lexical(&LexicalQuery::any(["find"]), &Filter::default(), 9);
        found.unwrap().items.len()
    };
    assert_eq!(find(&reader), 1);
    home.put("b.md", "more to find");
    assert_eq!(find(&reader), 2);
    let error = reader.put(&[note(home.source, "c.md", "x")]).unwrap_err();
    assert!(matches!(error, Error::ReadOnly { .. }));
    assert!(matches!(reader.optimize(), Err(Error::ReadOnly { .. })));
}

/// What the disk being read-only comes down to, for a user whom permissions
/// hold back: no writing, and no new files beside the database.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_can_be_searched() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    home.put("a?#%.md", "words to find");
    let Home { store, folder, .. } = home;
    drop(store);
    let inner = folder.path().join("odd ?#% name");
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("pkb.db");
    std::fs::rename(folder.path().join("pkb.db"), &path).unwrap();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&path, 0o400);
    set(&inner, 0o500);
    if std::fs::write(inner.join("probe"), "").is_ok() {
        eprintln!("skipped: permissions do not hold this user back");
    } else {
        let store = SqliteStore::open(&path).unwrap();
        assert!(store.is_read_only());
        let found = store.lexical(&LexicalQuery::any(["find"]), &Filter::default(), 9);
        assert_eq!(found.unwrap().items.len(), 1);
        assert_eq!(store.check().unwrap(), []);
        assert!(matches!(
            store.rebuild_terms(1, &mut make_terms),
            Err(Error::ReadOnly { .. })
        ));
        assert!(matches!(
            store.sync_lock("sync"),
            Err(Error::ReadOnly { .. })
        ));
    }
    set(&inner, 0o700);
}
