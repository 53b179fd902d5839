//! `backup` and `restore-backup`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{fails, finds, library, said, server};
use pkb_store::{LockOutcome, SqliteStore};
use pkb_tests::{Library, workspace_root};

const NOTES: [(&str, &str); 2] = [("a.md", "the aardvark sleeps"), ("b.md", "the badger digs")];

fn backup(library: &Library, name: &str) -> PathBuf {
    let file = library.home_file(name);
    library.run(&["backup", file.to_str().unwrap()]);
    file
}

fn put_back(library: &Library, file: &Path) -> serde_json::Value {
    library.run(&["restore-backup", file.to_str().unwrap(), "--yes"])
}

#[test]
fn a_backup_made_during_a_sync_is_whole() {
    let library = library(&NOTES);
    for n in 0..1_500 {
        library.write(
            &format!("many/note {n}.md"),
            format!("cat {n}\n\n{}", "words and words. ".repeat(60)),
        );
    }
    let mut sync = library.spawn(&["sync", "-q"]);
    let mut backups = Vec::new();
    while sync.try_wait().unwrap().is_none() {
        backups.push(backup(&library, &format!("copy {}", backups.len())));
    }
    // Each was made at another moment; a few of them will do.
    let step = backups.len().div_ceil(4).max(1);
    assert!(sync.wait().unwrap().success());
    assert!(!backups.is_empty());
    for file in backups.iter().step_by(step) {
        let other = Library::new();
        put_back(&other, file);
        other.assert_sound();
        assert_eq!(other.found("aardvark"), ["notes/a.md"]);
    }
    assert_eq!(library.count(), 1_502);
}

#[test]
fn a_backup_overwrites_nothing_and_is_for_its_owner_only() {
    let library = library(&NOTES);
    let file = backup(&library, "copy.db");
    let before = fs::read(&file).unwrap();
    let said = fails(&library, 1, &["backup", file.to_str().unwrap()]);
    assert!(said.contains("already"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), before);
    let nowhere = library.home_file("none/copy.db");
    fails(&library, 1, &["backup", nowhere.to_str().unwrap()]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others can read it");
    }
    let left: Vec<_> = fs::read_dir(library.home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_running_server_answers_from_what_was_put_back() {
    let library = library(&NOTES);
    let file = backup(&library, "copy.db");
    // After the backup, items and chunks get numbers that it knows nothing of.
    fs::remove_file(library.notes.path().join("a.md")).unwrap();
    library.write("b.md", "the cat purrs");
    library.write("c.md", "a dog barks");
    library.sync();
    let server = server(&library);
    assert_eq!(finds(&server, "cat"), ["notes/b.md"]);
    assert_eq!(finds(&server, "dog"), ["notes/c.md"]);

    let restored = put_back(&library, &file);
    assert_eq!(restored["items"], 2, "{restored}");
    assert_eq!(finds(&server, "aardvark"), ["notes/a.md"]);
    assert_eq!(finds(&server, "badger"), ["notes/b.md"]);
    assert!(finds(&server, "cat").is_empty() && finds(&server, "dog").is_empty());
    library.assert_sound();

    // The numbers are given out again, to others.
    library.write("e.md", "an eagle flies");
    library.write("c.md", "a dragon too");
    library.sync();
    assert_eq!(finds(&server, "eagle"), ["notes/e.md"]);
    assert_eq!(finds(&server, "dragon"), ["notes/c.md"]);
    assert!(finds(&server, "dog").is_empty());

    // And back to what there was before.
    let before = restored["before"].as_str().unwrap();
    put_back(&library, Path::new(before));
    assert_eq!(finds(&server, "cat"), ["notes/b.md"]);
    assert_eq!(finds(&server, "dog"), ["notes/c.md"]);
    assert!(finds(&server, "eagle").is_empty());
    library.assert_sound();
}

#[test]
fn what_is_no_backup_replaces_nothing() {
    let library = library(&NOTES);
    let good = fs::read(backup(&library, "copy.db")).unwrap();
    let bad = library.home_file("bad.db");
    let foreign = library.home_file("foreign.db");
    rusqlite::Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let newer = library.home_file("newer.db");
    fs::write(&newer, &good).unwrap();
    rusqlite::Connection::open(&newer)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let live = library.home_file("pkb.db");
    let mut torn = good.clone();
    let length = torn.len();
    torn[length / 2..length / 2 + 4096].fill(0xa5);
    for (file, bytes, why) in [
        (&bad, Some(&b"a text"[..]), "not a database"),
        (&bad, Some(&good[..length / 2]), "damaged"),
        (&bad, Some(&torn[..]), "damaged"),
        (&bad, Some(&b""[..]), "empty"),
        (&foreign, None, "another program"),
        (&newer, None, "update pkb"),
        (&live, None, "in use"),
        (&library.home_file("none.db"), None, "no such file"),
    ] {
        if let Some(bytes) = bytes {
            fs::write(file, bytes).unwrap();
        }
        let file = file.to_str().unwrap();
        let said = fails(&library, 1, &["restore-backup", file, "--yes"]);
        assert!(
            said.contains(why) && said.contains("Nothing was changed"),
            "{why}: {said}"
        );
        assert_eq!(library.found("aardvark"), ["notes/a.md"]);
    }
    assert!(!library.home_file("pkb.db.before-restore").exists());
    assert!(!library.home_file("pkb.db.restoring").exists());
    fs::write(&bad, good).unwrap();
    let said = fails(&library, 2, &["restore-backup", bad.to_str().unwrap()]);
    assert!(said.contains("--yes"), "{said}");
}

#[test]
fn a_backup_of_an_older_pkb_is_brought_up_to_date_and_stays_as_it_is() {
    let library = library(&NOTES);
    let file = library.home_file("old.db");
    fs::copy(workspace_root().join("fixtures/homes/schema-1.db"), &file).unwrap();
    let before = fs::read(&file).unwrap();
    let restored = put_back(&library, &file);
    assert_eq!(
        (&restored["schema"], &restored["items"]),
        (&1.into(), &30.into())
    );
    assert_eq!(library.found("ERR-4471")[0], "vault/Daily/2025-02-11.md");
    library.assert_sound();
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_backup_heals_a_damaged_home() {
    let library = library(&NOTES);
    let file = backup(&library, "copy.db");
    let live = library.home_file("pkb.db");
    fs::write(&live, vec![7; 50_000]).unwrap();
    for log in ["pkb.db-wal", "pkb.db-shm"] {
        let _ = fs::remove_file(library.home_file(log));
    }
    let said = fails(&library, 1, &["search", "aardvark"]);
    assert!(said.contains("pkb restore-backup"), "{said}");
    let restored = put_back(&library, &file);
    assert!(restored["notes"].to_string().contains("started again"));
    assert_eq!(library.found("aardvark"), ["notes/a.md"]);
    library.assert_sound();
    let kept = fs::read(library.home_file("pkb.db.before-restore")).unwrap();
    assert_eq!(kept, vec![7; 50_000]);
}

#[test]
fn nothing_is_put_back_under_a_running_sync() {
    let library = library(&NOTES);
    let file = backup(&library, "copy.db");
    let lock = SqliteStore::lock(library.home_file("pkb.db"), "sync").unwrap();
    assert!(matches!(lock, LockOutcome::Acquired(_)));
    let said = fails(
        &library,
        1,
        &["restore-backup", file.to_str().unwrap(), "--yes"],
    );
    assert!(said.contains("is syncing this home"), "{said}");
    drop(lock);
    put_back(&library, &file);
}

#[test]
fn a_backup_makes_a_home_where_there_is_none() {
    let library = library(&NOTES);
    let file = backup(&library, "copy.db");
    let elsewhere = tempfile::tempdir().unwrap();
    let output = pkb_tests::pkb(&elsewhere.path().join("new home"))
        .args(["restore-backup", file.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let output = pkb_tests::pkb(&elsewhere.path().join("new home"))
        .args(["search", "aardvark"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("notes/a.md"));
}
