use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Entry, FolderSettings, FolderSource, Summary};
use crate::Error;

#[cfg(unix)]
mod unix;

fn settings() -> FolderSettings {
    FolderSettings {
        unread: ["png", "pdf", "jpg", "zip"].map(str::to_owned).into(),
        ..FolderSettings::default()
    }
}

/// A folder with the given files, each holding its own path.
fn folder(files: &[&str]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for file in files {
        put(temp.path(), file);
    }
    temp
}

fn put(root: &Path, file: &str) -> PathBuf {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, file).unwrap();
    path
}

fn open(root: &TempDir) -> FolderSource {
    FolderSource::open(root.path(), &settings()).unwrap()
}

fn scan(source: &FolderSource) -> (Vec<Entry>, Summary) {
    let mut entries = Vec::new();
    let summary = source
        .scan(&mut |entry| {
            entries.push(entry);
            ControlFlow::Continue(())
        })
        .unwrap();
    (entries, summary)
}

/// One line per entry: the path of a file, the path and the reason of others.
fn lines(source: &FolderSource) -> Vec<String> {
    scan(source)
        .0
        .into_iter()
        .map(|entry| match entry {
            Entry::File { external_id, .. } => external_id,
            Entry::Skipped {
                external_id,
                reason,
            } => format!("{external_id}: {reason}"),
            Entry::Away {
                external_id,
                folder,
            } => format!("{external_id}: AWAY folder={folder}"),
            Entry::Failed {
                external_id,
                reason,
                folder,
            } => format!("{external_id}: FAILED folder={folder} {reason}"),
        })
        .collect()
}

fn stamp_of(source: &FolderSource, id: &str) -> String {
    scan(source)
        .0
        .into_iter()
        .find_map(|entry| match entry {
            Entry::File {
                external_id, stamp, ..
            } if external_id == id => Some(stamp),
            _ => None,
        })
        .unwrap()
}

#[test]
fn every_file_is_accounted_for_in_order() {
    let root = folder(&[
        "b.md",
        "a/z.txt",
        "a/b/c.md",
        "a.md",
        "Zoo/pic.png",
        "Makefile",
        "ends.",
        "archive.tar.gz",
        "NOTE.MD",
    ]);
    let source = open(&root);
    assert_eq!(
        lines(&source),
        [
            "Makefile",
            "NOTE.MD",
            "Zoo/pic.png: nothing reads .png files",
            "a/b/c.md",
            "a/z.txt",
            "a.md",
            "archive.tar.gz",
            "b.md",
            "ends.",
        ]
    );
    let (first, summary) = scan(&source);
    assert_eq!(
        summary,
        Summary {
            files: 8,
            skipped: 1,
            folders: 4,
            ..Summary::default()
        }
    );
    assert_eq!(scan(&source).0, first, "two scans of one state are equal");
}

#[test]
fn an_empty_folder_has_no_entries() {
    let (entries, summary) = scan(&open(&folder(&[])));
    assert!(entries.is_empty());
    assert_eq!(
        summary,
        Summary {
            folders: 1,
            ..Summary::default()
        }
    );
}

#[test]
fn files_carry_size_time_and_stamp() {
    let root = folder(&["a.md"]);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_123);
    let file = fs::File::options()
        .write(true)
        .open(root.path().join("a.md"))
        .unwrap();
    file.set_modified(time).unwrap();
    let source = open(&root);
    let (entries, _) = scan(&source);
    let Entry::File {
        size,
        modified_ms,
        stamp,
        ..
    } = &entries[0]
    else {
        panic!("{entries:?}");
    };
    assert_eq!(*size, 4);
    assert_eq!(*modified_ms, Some(1_700_000_000_123));
    assert_eq!(source.open_file("a.md").unwrap().stamp(), stamp);
}

#[test]
fn a_stamp_tells_any_change() {
    let root = folder(&["a.md"]);
    let source = open(&root);
    let path = root.path().join("a.md");
    let before = stamp_of(&source, "a.md");
    let time = fs::metadata(&path).unwrap().modified().unwrap();

    // Same size, later time.
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time + std::time::Duration::from_nanos(100_000))
        .unwrap();
    assert_ne!(stamp_of(&source, "a.md"), before);
    // Same time, other size.
    fs::write(&path, "longer than it was").unwrap();
    file.set_modified(time).unwrap();
    assert_ne!(stamp_of(&source, "a.md"), before);
    // As it was.
    fs::write(&path, "a.md").unwrap();
    file.set_modified(time).unwrap();
    assert_eq!(stamp_of(&source, "a.md"), before);
}

#[test]
fn hidden_and_ignored_things_are_passed_over() {
    let root = folder(&[
        ".git/config.md",
        ".obsidian/x.md",
        ".hidden.md",
        "a/.trash/b.md",
        "node_modules/p/readme.md",
        "Templates/t.md",
        "a/draft.tmp.md",
        "keep.md",
        "...And Justice for All.md",
        "..md",
    ]);
    let mut settings = settings();
    settings.ignore = vec!["Templates/".to_owned(), "*.tmp.md".to_owned()];
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(
        lines(&source),
        ["...And Justice for All.md", "..md", "keep.md"]
    );
    assert_eq!(scan(&source).1.ignored, 7);

    settings.hidden = true;
    settings.include = vec![".obsidian".to_owned(), "a/**".to_owned()];
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(lines(&source), [".obsidian/x.md", "a/.trash/b.md"]);
}

#[test]
fn what_programs_keep_for_a_while_is_passed_over() {
    let root = folder(&[
        "note.md",
        "note.md~",
        "#note.md#",
        "4913",
        "~$note.md",
        "note.md.tmp",
        "film.md.part",
        "note.md.sb-8dd2a2a8-VQlXvn/note.md",
        "kept.tmp/note.md",
        ".~lock.note.md#",
        ".#note.md",
    ]);
    let mut settings = settings();
    // Whoever takes all files, and hidden ones, takes none of these.
    settings.hidden = true;
    settings.unread.clear();
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(lines(&source), ["kept.tmp/note.md", "note.md"]);
    assert_eq!(scan(&source).1.ignored, 9);
}

#[test]
fn placeholders_of_a_cloud_stand_for_their_files() {
    let root = folder(&[
        ".plan.md.icloud",
        ".picture.png.icloud",
        ".both.md.icloud",
        "both.md",
        "..hidden.md.icloud",
        "sub/.deep.txt.icloud",
        "Templates/.t.md.icloud",
        ".folder.md.icloud/x.md",
    ]);
    let mut settings = settings();
    settings.ignore = vec!["Templates".to_owned()];
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(
        lines(&source),
        [
            "picture.png: nothing reads .png files",
            "plan.md: AWAY folder=false",
            "both.md",
            "sub/deep.txt: AWAY folder=false",
        ]
    );
    let (_, summary) = scan(&source);
    assert_eq!((summary.files, summary.skipped, summary.ignored), (1, 3, 4));
}

#[test]
fn a_root_that_is_taken_away_during_a_scan_is_noticed() {
    let root = folder(&["notes/a/1.md", "notes/b/2.md"]);
    let (notes, away) = (root.path().join("notes"), root.path().join("away"));
    let source = FolderSource::open(&notes, &settings()).unwrap();
    let unmount = |replace: bool| {
        let scanned = source.scan(&mut |_| {
            if notes.join("a").exists() {
                fs::rename(&notes, &away).unwrap();
                if replace {
                    fs::create_dir(&notes).unwrap();
                }
            }
            ControlFlow::Continue(())
        });
        let error = scanned.unwrap_err();
        assert!(matches!(error, Error::RootVanished { .. }), "{error}");
        let _ = fs::remove_dir(&notes);
        fs::rename(&away, &notes).unwrap();
    };
    unmount(false);
    // The mount point that is left when a drive is gone.
    unmount(true);
    assert_eq!(scan(&source).1.files, 2);
}

#[test]
fn a_stamp_is_settled_once_the_next_change_would_show() {
    let root = folder(&["a.md"]);
    let source = open(&root);
    let path = root.path().join("a.md");
    let file = fs::File::options().write(true).open(&path).unwrap();
    let now = std::time::SystemTime::now();
    let hour = std::time::Duration::from_secs(3600);
    let settled = |time: std::time::SystemTime| {
        file.set_modified(time).unwrap();
        source.open_file("a.md").unwrap().is_settled()
    };
    assert!(settled(now - hour));
    assert!(settled(now + hour), "set on purpose, ahead of the clock");
    // Written at this very moment; the clock may tick on meanwhile, but not
    // each time.
    assert!((0..100).any(|_| !settled(std::time::SystemTime::now())));
}

#[test]
fn absurd_nesting_ends() {
    let root = folder(&["top.md"]);
    let deep = vec!["d"; 90].join("/");
    put(root.path(), &format!("{deep}/lost.md"));
    let skipped = vec!["d"; 65].join("/");
    let lines = lines(&open(&root));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with(&format!("{skipped}: folders are nested more than 64 deep")),
        "{lines:?}"
    );
    assert_eq!(lines[1], "top.md");

    let mut settings = settings();
    settings.max_depth = 0;
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(scan(&source).1.files, 1);
    settings.max_depth = 90;
    let source = FolderSource::open(root.path(), &settings).unwrap();
    assert_eq!(scan(&source).1.files, 2);
    let blob = source.open_file(&format!("{deep}/lost.md")).unwrap();
    assert_eq!(blob.size(), blob.read_all().unwrap().len() as u64);
}

#[test]
fn names_that_differ_in_case_are_two_files_where_they_can_be() {
    let root = folder(&["Note.md", "note.md"]);
    let on_disk = fs::read_dir(root.path()).unwrap().count();
    assert_eq!(lines(&open(&root)).len(), on_disk);
}

#[test]
fn the_visitor_can_stop() {
    let source_folder = folder(&["a/1.md", "a/2.md", "b.md"]);
    let mut seen = 0;
    let summary = open(&source_folder)
        .scan(&mut |_| {
            seen += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(seen, 1);
    assert!(summary.stopped);
}

#[test]
fn a_bad_root_is_a_clear_error() {
    let root = folder(&["a.md"]);
    for (path, says) in [
        (root.path().join("gone"), "there is no folder"),
        (root.path().join("a.md/below"), "is not a folder"),
    ] {
        let error = FolderSource::open(&path, &settings())
            .unwrap_err()
            .to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_single_file_is_as_if_alone_in_its_folder() {
    let root = folder(&["a.md", "pic.png", "sub/a.md", ".hidden"]);
    for name in ["a.md", "pic.png", ".hidden"] {
        let path = root.path().join(name);
        let source = FolderSource::open(&path, &settings()).unwrap();
        assert_eq!(lines(&source), [name], "whatever it is called");
        assert_eq!(source.location(), source.path().join(name));
        assert_eq!(
            source.open_file(name).unwrap().read_all().unwrap(),
            name.as_bytes()
        );
        let mut folders = 0;
        source.folders(&mut |_| {
            folders += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(folders, 0, "what lies beside it is not watched");
    }
    assert_eq!(open(&root).location(), open(&root).path());
}

#[test]
fn settings_are_json() {
    let parsed: FolderSettings =
        serde_json::from_str(r#"{"ignore": ["x"], "hidden": true}"#).unwrap();
    assert_eq!(
        parsed,
        FolderSettings {
            ignore: vec!["x".to_owned()],
            hidden: true,
            ..FolderSettings::default()
        }
    );
    assert!(serde_json::from_str::<FolderSettings>(r#"{"ignored": []}"#).is_err());
    let written = serde_json::to_string(&settings()).unwrap();
    let mut read: FolderSettings = serde_json::from_str(&written).unwrap();
    read.unread = settings().unread;
    assert_eq!(read, settings());
}

#[test]
fn files_are_read_by_offset() {
    let root = folder(&["a.md"]);
    fs::write(root.path().join("a.md"), "0123456789").unwrap();
    let blob = open(&root).open_file("a.md").unwrap();
    assert_eq!(blob.size(), 10);
    assert_eq!(blob.read_at(0, 4).unwrap(), b"0123");
    assert_eq!(blob.read_at(7, 100).unwrap(), b"789");
    assert_eq!(blob.read_at(10, 1).unwrap(), b"");
    assert_eq!(blob.read_at(u64::MAX, usize::MAX).unwrap(), b"");
    assert_eq!(blob.read_all().unwrap(), b"0123456789");
    blob.still(blob.stamp()).unwrap();
}

#[test]
fn blobs_are_read_from_several_threads() {
    let root = folder(&["a.md"]);
    let content: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    fs::write(root.path().join("a.md"), &content).unwrap();
    let blob = open(&root).open_file("a.md").unwrap();
    std::thread::scope(|scope| {
        for start in [0, 1_000, 50_000] {
            let (blob, content) = (&blob, &content);
            scope.spawn(move || {
                for at in (start..start + 40_000).step_by(997) {
                    assert_eq!(blob.read_at(at as u64, 100).unwrap(), content[at..at + 100]);
                }
            });
        }
    });
}

#[test]
fn a_file_that_vanishes_is_named() {
    let root = folder(&["a/b.md", "c.md"]);
    let source = open(&root);
    let (entries, _) = scan(&source);
    assert_eq!(entries.len(), 2);
    let blob = source.open_file("c.md").unwrap();
    fs::remove_file(root.path().join("c.md")).unwrap();
    fs::remove_dir_all(root.path().join("a")).unwrap();
    for id in ["a/b.md", "c.md"] {
        let error = source.open_file(id).unwrap_err();
        assert!(matches!(error, Error::Vanished { .. }), "{error}");
        assert!(error.to_string().starts_with(id), "{error}");
    }
    // Deleted after it was opened: the content is still whole, and stale.
    assert_eq!(blob.read_all().unwrap(), b"c.md");
    let error = blob.still(blob.stamp()).unwrap_err();
    assert!(matches!(error, Error::Vanished { .. }), "{error}");
}

#[test]
fn a_file_that_changes_while_read_is_noticed() {
    let root = folder(&["grown.md", "cut.md", "swapped.md", "same.md"]);
    let source = open(&root);
    let path = |name: &str| root.path().join(name);
    let ids = ["grown.md", "cut.md", "swapped.md", "same.md"];
    let blobs = ids.map(|id| source.open_file(id).unwrap());

    fs::write(path("grown.md"), "grown.md and more").unwrap();
    fs::write(path("cut.md"), "cut").unwrap();
    // As editors save: written beside, then moved into place.
    put(root.path(), "new.md");
    fs::rename(path("new.md"), path("swapped.md")).unwrap();

    assert_eq!(blobs[0].read_all().unwrap(), b"grown.md");
    let error = blobs[1].read_all().unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(blobs[2].read_all().unwrap(), b"swapped.md");
    for blob in &blobs[..3] {
        let error = blob.still(blob.stamp()).unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
    }
    blobs[3].still(blobs[3].stamp()).unwrap();
}

#[test]
fn only_ids_of_files_open() {
    let root = folder(&["a/b.md"]);
    let source = open(&root);
    for id in ["", "..", "../x", "/etc/passwd", "a/../a/b.md", "a//b.md"] {
        let error = source.open_file(id).unwrap_err();
        assert!(matches!(error, Error::Id { .. }), "{id}: {error}");
    }
    let error = source.open_file("a").unwrap_err();
    assert!(
        matches!(error, Error::NotRegular { .. } | Error::Unreadable { .. }),
        "{error}"
    );
}

#[test]
fn ten_thousand_files_are_all_seen() {
    let root = tempfile::tempdir().unwrap();
    for folder in 0..10 {
        let folder = root.path().join(format!("folder {folder}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..1_000 {
            fs::write(folder.join(format!("{file}.md")), "x").unwrap();
        }
    }
    let source = open(&root);
    let start = std::time::Instant::now();
    let summary = source.scan(&mut |_| ControlFlow::Continue(())).unwrap();
    eprintln!("10,000 files scanned in {:?}", start.elapsed());
    assert_eq!(summary.files, 10_000);
    assert_eq!(summary.folders, 11);
}

#[test]
fn what_a_scan_would_pass_over_is_known_before_it_is_written() {
    let names = [
        "a.md",
        "x/b.md",
        "x/.c.md",
        ".d/e.md",
        "..f.md",
        "node_modules/g.md",
        "Templates/h.md",
        "x/Templates/i.md",
        "draft j.md",
        "~$k.md",
        "l.md.tmp",
        "m.txt",
        "Journal/n.md",
        "x/Journal/o.md",
    ];
    let root = folder(&names);
    for (ignore, include) in [
        (vec![], vec![]),
        (vec!["Templates", "draft*"], vec![]),
        (vec!["x/**"], vec!["Journal", "*.txt"]),
    ] {
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        let settings = FolderSettings {
            ignore: owned(ignore),
            include: owned(include),
            ..FolderSettings::default()
        };
        let source = FolderSource::open(root.path(), &settings).unwrap();
        let taken = lines(&source);
        for name in names {
            let would_pass = source.would_pass(name);
            assert_eq!(
                would_pass.is_none(),
                taken.iter().any(|own| own == name),
                "{name}: {would_pass:?}"
            );
            assert_eq!(
                source.entry(name).unwrap().is_some(),
                would_pass.is_none(),
                "{name}"
            );
        }
    }
    let single = FolderSource::open(&root.path().join("a.md"), &settings()).unwrap();
    assert!(single.would_pass("a.md").is_none() && single.would_pass("m.txt").is_some());
}

#[test]
fn what_an_editor_saves_while_a_replacement_is_written_is_not_lost() {
    let root = folder(&["x/a.md"]);
    let source = open(&root);
    let stamp = source.open_file("x/a.md").unwrap().stamp().to_owned();
    let mine = source.replacement("x/a.md", &stamp, b"mine").unwrap();
    fs::write(root.path().join("x/a.md"), "saved by an editor").unwrap();
    let refused = mine.finish();
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    assert_eq!(
        fs::read(root.path().join("x/a.md")).unwrap(),
        b"saved by an editor"
    );
    // Nothing is left of it either.
    assert_eq!(fs::read_dir(root.path().join("x")).unwrap().count(), 1);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let root = folder(&["x/a.md"]);
    let source = open(&root);
    let stamp = source.open_file("x/a.md").unwrap().stamp().to_owned();
    fs::write(root.path().join("x/a.md"), "another, and longer").unwrap();
    let refused = source.replace_file("x/a.md", &stamp, b"mine");
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    let stamp = source.open_file("x/a.md").unwrap().stamp().to_owned();
    source.replace_file("x/a.md", &stamp, b"mine").unwrap();
    assert_eq!(fs::read(root.path().join("x/a.md")).unwrap(), b"mine");
    for id in ["../a.md", "x/../../a.md", "/a.md", "x"] {
        assert!(source.replace_file(id, &stamp, b"mine").is_err(), "{id}");
    }
    let names = || ["a.md", "b.md"].map(str::to_owned).into_iter();
    let id = source
        .create_file("x", names(), |name| name.into())
        .unwrap();
    assert_eq!(
        (id.as_str(), fs::read(root.path().join(&id)).unwrap()),
        ("x/b.md", b"b.md".to_vec())
    );
    assert!(source.create_file("x", names(), |_| Vec::new()).is_err());
    for outside in ["..", "x/..", "/", "a/../.."] {
        assert!(
            source
                .create_file(outside, names(), |_| Vec::new())
                .is_err(),
            "{outside}"
        );
    }
    assert_eq!(fs::read_dir(root.path().join("x")).unwrap().count(), 2);
}
