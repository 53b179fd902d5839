//! Homes of every schema that was ever released, opened by the present pkb.

use std::fs;

use super::{fails, number, said};
use pkb_tests::{Library, workspace_root};
use rusqlite::Connection;

/// The schemas of `fixtures/homes`.
const SCHEMAS: [u32; 2] = [1, 2];

/// The vault of the fixtures, and a home of that schema that read it.
fn old_home(schema: u32) -> Library {
    let library = fresh();
    let fixture = workspace_root().join(format!("fixtures/homes/schema-{schema}.db"));
    let file = library.home_file("pkb.db");
    fs::copy(fixture, &file).unwrap();
    for log in ["pkb.db-wal", "pkb.db-shm"] {
        let _ = fs::remove_file(library.home_file(log));
    }
    let old = Connection::open(&file).unwrap();
    let moved = "UPDATE sources SET name = 'notes', location = ?1";
    old.execute(moved, [library.folder()]).unwrap();
    old.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    library
}

/// A new home with the vault of the fixtures as its source, not read yet.
fn fresh() -> Library {
    let library = Library::new();
    copy(
        &workspace_root().join("fixtures/vault"),
        library.notes.path(),
    );
    library
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Paths of what a search finds, in order.
fn paths(library: &Library, search: &[&str]) -> Vec<String> {
    let answer = library.run(search);
    let hits = answer["hits"].as_array().unwrap();
    hits.iter()
        .map(|hit| hit["path"].as_str().unwrap().to_owned())
        .collect()
}

fn schema_of(file: &std::path::Path) -> u32 {
    Connection::open(file)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn an_old_home_is_searched_at_once_and_keeps_a_copy() {
    for schema in SCHEMAS {
        let library = old_home(schema);
        let vectors = number(&library, "SELECT count(*) FROM vectors");
        assert!(vectors > 40, "{vectors}");
        assert_eq!(library.found("ERR-4471")[0], "notes/Daily/2025-02-11.md");
        let copy = library.home_file(&format!("pkb.db.schema-{schema}.bak"));
        assert_eq!(schema_of(&copy), schema);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&copy).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "others can read the copy");
        }
        library.assert_sound();
        assert_eq!(library.count(), 30);
        assert_eq!(
            number(&library, "SELECT count(*) FROM vectors"),
            vectors,
            "no vector is lost"
        );
        // What was deleted then can be brought back now.
        assert_eq!(library.run(&["restore", "Gone"])["items"], 1);
        assert_eq!(library.found("quokkaleather"), ["notes/Gone.md"]);
        library.assert_sound();
    }
}

#[test]
fn an_old_home_is_searched_by_meaning_without_embedding() {
    for schema in SCHEMAS {
        let Some(library) = old_home(schema).with_model() else {
            return;
        };
        let answer = library.run(&["search", "insomnia remedies", "--mode", "dense", "--as-is"]);
        assert_eq!(answer["hits"][0]["path"], "notes/Library/Lying awake.md");
        assert_eq!(library.run(&["status"])["model"]["missing"], 0);
        let restored = library.run(&["restore", "Gone"]);
        assert!(restored.get("embedding").is_none(), "{restored}");
    }
}

#[test]
fn a_synced_old_home_finds_what_a_fresh_one_finds() {
    let Some(fresh) = fresh().with_model() else {
        return;
    };
    fresh.sync();
    for schema in SCHEMAS {
        let old = old_home(schema).with_model().unwrap();
        let report = old.sync();
        assert_eq!(
            (&report["added"], &report["deleted"], &report["failed"]),
            (&1.into(), &0.into(), &0.into()),
            "a picture of lines and words, which was not read then: {report}"
        );
        old.assert_sound();
        for query in [
            "insomnia remedies",
            "ERR-4471",
            "why did my bread turn out too dense",
            "keeping houseplants alive during vacations",
            "heat pump",
            "日本",
        ] {
            // Ties go by number, and numbers by what was read first.
            let by_word = |library: &Library| {
                let mut paths = paths(
                    library,
                    &["search", query, "--mode", "lexical", "-n", "100"],
                );
                paths.sort();
                paths
            };
            assert_eq!(by_word(&old), by_word(&fresh), "{schema}: {query}");
            let by_meaning = |library: &Library| {
                paths(library, &["search", query, "--mode", "dense", "-n", "5"])
            };
            assert_eq!(by_meaning(&old), by_meaning(&fresh), "{schema}: {query}");
        }
        assert_eq!(old.count(), fresh.count());
        let again = old.run(&["sync"]);
        assert_eq!(again["embedding"]["made"], 0);
    }
}

#[test]
fn only_the_newest_copy_is_kept() {
    let library = old_home(2);
    for other in ["pkb.db.schema-1.bak", "pkb.db.schema-2.bak"] {
        fs::write(library.home_file(other), "of an earlier time").unwrap();
    }
    library.count();
    assert!(!library.home_file("pkb.db.schema-1.bak").exists());
    assert_eq!(schema_of(&library.home_file("pkb.db.schema-2.bak")), 2);
}

#[test]
fn many_commands_at_once_upgrade_once() {
    let library = old_home(1);
    let searches: Vec<_> = (0..6)
        .map(|_| library.spawn(&["search", "ERR-4471", "--json"]))
        .collect();
    for search in searches {
        let output = search.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let found = String::from_utf8_lossy(&output.stdout);
        assert!(found.contains("notes/Daily/2025-02-11.md"), "{found}");
    }
    assert_eq!(schema_of(&library.home_file("pkb.db.schema-1.bak")), 1);
    library.assert_sound();
}

#[test]
fn a_killed_upgrade_is_done_again() {
    for wait in 0..12 {
        let library = old_home(1 + wait % 2);
        let vectors = number(&library, "SELECT count(*) FROM vectors");
        let mut search = library.spawn(&["search", "ERR-4471"]);
        std::thread::sleep(std::time::Duration::from_millis(u64::from(wait) * 15));
        let _ = search.kill();
        search.wait().unwrap();
        assert_eq!(library.found("ERR-4471")[0], "notes/Daily/2025-02-11.md");
        assert_eq!(number(&library, "SELECT count(*) FROM vectors"), vectors);
        library.assert_sound();
    }
}

#[test]
fn a_copy_that_cannot_be_made_stops_the_upgrade() {
    let library = old_home(2);
    // Nothing can take the name of a folder that is not empty.
    fs::create_dir_all(library.home_file("pkb.db.schema-2.bak/x")).unwrap();
    let said = fails(&library, 1, &["search", "ERR-4471"]);
    assert!(
        said.contains("schema-2.bak") && said.contains("nothing was changed"),
        "{said}"
    );
    assert_eq!(schema_of(&library.home_file("pkb.db")), 2);
    assert!(!library.home_file("pkb.db.schema-2.bak.part").exists());
}

/// Where a user can mount a small disk of their own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_upgrade_and_more_room_lets_it_go_on() {
    use std::process::Command;

    let fixture = workspace_root().join("fixtures/homes/schema-2.db");
    let disk = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=520k none \"$DISK\" || { echo no disk; exit 0; }
        cp \"$FIXTURE\" \"$DISK/pkb.db\"
        \"$PKB\" --home \"$DISK\" search ERR-4471; echo \"code $?\"; ls \"$DISK\"
        mount -o remount,size=20m \"$DISK\"
        \"$PKB\" --home \"$DISK\" search ERR-4471; echo \"code $?\"";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .env("DISK", disk.path())
        .env("FIXTURE", fixture)
        .env("PKB", pkb_tests::pkb_binary())
        .env_remove("PKB_HOME")
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no unshare");
        return;
    };
    let (out, err) = (String::from_utf8_lossy(&output.stdout), said(&output));
    if !output.status.success() || out.contains("no disk") {
        eprintln!("skipped: no disk can be mounted: {out}{err}");
        return;
    }
    let (before, after) = out
        .split_once("code 1")
        .unwrap_or_else(|| panic!("{out}{err}"));
    assert!(before.is_empty(), "{out}");
    assert!(
        err.contains("is full") && err.contains("nothing was changed"),
        "{err}"
    );
    assert!(!after.contains("part"), "{after}");
    assert!(
        after.contains("2025-02-11.md") && after.contains("code 0"),
        "{out}{err}"
    );
}

/// What a disk that is read-only comes down to for the upgrade.
#[cfg(unix)]
#[test]
fn an_old_home_that_cannot_be_written_says_what_to_do() {
    use std::os::unix::fs::PermissionsExt;

    let library = old_home(2);
    let set = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&library.home_file("pkb.db"), 0o400);
    set(library.home.path(), 0o500);
    if fs::write(library.home_file("probe"), "").is_ok() {
        eprintln!("skipped: permissions do not hold this user back");
    } else {
        let said = fails(&library, 1, &["search", "ERR-4471"]);
        assert!(
            said.contains("writable") && said.contains("`pkb sync`"),
            "{said}"
        );
    }
    set(library.home.path(), 0o700);
}
