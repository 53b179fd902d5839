//! What only a Unix file system can hold.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use super::*;

#[test]
fn links_are_not_followed_and_say_where_they_lead() {
    let outside = folder(&["secret.md", "sub/secret.md"]);
    let root = folder(&["a/note.md", "b/x.md"]);
    let path = root.path();
    let real = path.canonicalize().unwrap();
    symlink(outside.path().join("secret.md"), path.join("abs-out.md")).unwrap();
    symlink(outside.path(), path.join("dir-out")).unwrap();
    symlink("../../../../../../etc/passwd", path.join("b/rel-out.md")).unwrap();
    symlink(&real, path.join("a/abs-root")).unwrap();
    symlink(real.join("a/note.md"), path.join("abs-in.md")).unwrap();
    symlink("../a/note.md", path.join("b/in.md")).unwrap();
    symlink("..", path.join("b/up")).unwrap();
    symlink("nowhere.md", path.join("broken.md")).unwrap();
    symlink("loop2.md", path.join("loop1.md")).unwrap();
    symlink("loop1.md", path.join("loop2.md")).unwrap();

    let lines = lines(&open(&root));
    let expected = [
        ("a/abs-root", "link to a folder inside the folder"),
        ("a/note.md", ""),
        ("abs-in.md", "link to a file inside the folder"),
        ("abs-out.md", "link leads outside the folder"),
        ("b/in.md", "link to a file inside the folder"),
        ("b/rel-out.md", "link leads outside the folder"),
        ("b/up", "link to a folder inside the folder"),
        ("b/x.md", ""),
        ("broken.md", "link leads nowhere"),
        ("dir-out", "link leads outside the folder"),
        ("loop1.md", "link cannot be resolved"),
        ("loop2.md", "link cannot be resolved"),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, (id, reason)) in lines.iter().zip(expected) {
        let (line_id, line_reason) = line.split_once(": ").unwrap_or((line, ""));
        assert_eq!(line_id, id);
        assert!(line_reason.starts_with(reason), "{line}");
    }
}

#[test]
fn a_file_replaced_by_a_link_is_not_opened() {
    let outside = folder(&["secret.md"]);
    let root = folder(&["out.md", "in.md", "other.md", "sub/note.md"]);
    let source = open(&root);
    assert_eq!(scan(&source).1.files, 4);
    for (name, target) in [
        ("out.md", outside.path().join("secret.md")),
        ("in.md", "other.md".into()),
    ] {
        fs::remove_file(root.path().join(name)).unwrap();
        symlink(target, root.path().join(name)).unwrap();
        let error = source.open_file(name).unwrap_err();
        assert!(
            matches!(error, Error::NotRegular { what: "a link", .. }),
            "{error}"
        );
    }
    // A folder on the way, replaced by one that leads out.
    put(outside.path(), "note.md");
    fs::remove_dir_all(root.path().join("sub")).unwrap();
    symlink(outside.path(), root.path().join("sub")).unwrap();
    assert!(source.open_file("sub/note.md").is_err());
}

#[test]
fn a_file_replaced_by_a_link_while_read_is_noticed() {
    let root = folder(&["a.md", "other.md"]);
    let blob = open(&root).open_file("a.md").unwrap();
    fs::rename(root.path().join("a.md"), root.path().join("moved.md")).unwrap();
    symlink("moved.md", root.path().join("a.md")).unwrap();
    let error = blob.still(blob.stamp()).unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
}

#[test]
fn special_files_are_skipped_and_never_opened() {
    let root = folder(&["note.md", "later.md"]);
    let fifo = |name: &str| {
        let made = Command::new("mkfifo").arg(root.path().join(name)).status();
        assert!(made.unwrap().success());
    };
    fifo("pipe.md");
    let _socket = UnixListener::bind(root.path().join("socket.md")).unwrap();
    let source = open(&root);
    assert_eq!(
        lines(&source),
        [
            "later.md",
            "note.md",
            "pipe.md: a pipe (fifo), not a regular file",
            "socket.md: a socket, not a regular file",
        ]
    );

    // A file that has become a pipe since: opening it must not wait for a
    // writer.
    fs::remove_file(root.path().join("later.md")).unwrap();
    fifo("later.md");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for id in ["later.md", "pipe.md", "socket.md"] {
            sender.send(source.open_file(id).map(|_| ())).unwrap();
        }
    });
    for _ in 0..3 {
        let opened = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(
            matches!(opened, Err(Error::NotRegular { .. })),
            "{opened:?}"
        );
    }
}

#[test]
fn names_that_are_not_unicode_lead_back_to_their_files() {
    let root = folder(&["plain.md"]);
    let name = OsStr::from_bytes(b"caf\xE9.md");
    if fs::write(root.path().join(name), "latin").is_err() {
        eprintln!("skipped: this file system takes Unicode names only");
        return;
    }
    let real = "caf\u{FFFD}E9.md";
    fs::write(root.path().join(real), "real").unwrap();
    let source = open(&root);
    let lines = lines(&source);
    assert_eq!(lines.len(), 3);
    let content = |id: &str| source.open_file(id).unwrap().read_all().unwrap();
    assert!(lines.contains(&real.to_owned()), "{lines:?}");
    assert_eq!(content(real), b"latin");
    for id in &lines {
        content(id);
    }
}

#[test]
fn composed_and_decomposed_names_stay_apart() {
    let root = folder(&["Z\u{FC}rich.md", "Zu\u{308}rich.md"]);
    let on_disk = fs::read_dir(root.path()).unwrap().count();
    let source = open(&root);
    let lines = lines(&source);
    assert_eq!(lines.len(), on_disk);
    for id in &lines {
        source.open_file(id).unwrap();
    }
}

/// Runs the body where permissions count: in this process for an ordinary user;
/// for root, who may read everything, in a child process of another user, which
/// runs the one test `name` again.
fn without_privileges(name: &str, body: impl FnOnce()) {
    use std::os::unix::process::CommandExt as _;

    const CHILD: &str = "PKB_TEST_WITHOUT_PRIVILEGES";
    const NOBODY: u32 = 65_534;

    let probe = tempfile::tempdir().unwrap();
    let closed = put(probe.path(), "closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&closed).is_err() {
        body();
        return;
    }
    if std::env::var_os(CHILD).is_some() {
        eprintln!("skipped: no user here whom permissions bind");
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .env("TMPDIR", "/tmp")
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .output();
    match child {
        Ok(output) => {
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && printed.contains("1 passed"),
                "{printed}\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Err(error) => eprintln!("skipped: cannot run as another user ({error})"),
    }
}

#[test]
fn unreadable_things_are_entries_and_end_nothing() {
    let name = "folder::tests::unix::unreadable_things_are_entries_and_end_nothing";
    without_privileges(name, || {
        let root = folder(&["a.md", "closed/b.md", "blind/c.md", "shut.md", "z.md"]);
        let mode = |name: &str, mode: u32| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(root.path().join(name), mode).unwrap();
        };
        mode("closed", 0o000);
        mode("shut.md", 0o000);
        // Can be listed; nothing in it can be looked at.
        mode("blind", 0o444);

        let source = open(&root);
        let lines = lines(&source);
        let summary = scan(&source).1;
        let shut = source.open_file("shut.md");
        for name in ["closed", "blind", "shut.md"] {
            mode(name, 0o700);
        }

        assert_eq!(lines.len(), 5, "{lines:?}");
        assert_eq!(lines[0], "a.md");
        assert!(
            lines[1].starts_with("blind")
                && lines[1].contains(": FAILED folder=true no permission"),
            "{lines:?}"
        );
        assert!(
            lines[2].starts_with("closed: FAILED folder=true no permission"),
            "{lines:?}"
        );
        // Its metadata can be read; opening it is what fails.
        assert_eq!(lines[3..], ["shut.md", "z.md"]);
        assert_eq!(summary.failed, 2);
        let error = shut.unwrap_err();
        assert!(matches!(error, Error::Unreadable { .. }), "{error}");
        assert!(error.to_string().contains("permissions"), "{error}");
    });
}

#[test]
fn an_unreadable_root_is_a_clear_error() {
    let name = "folder::tests::unix::an_unreadable_root_is_a_clear_error";
    without_privileges(name, || {
        let root = folder(&["a.md"]);
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o000)).unwrap();
        let error = FolderSource::open(root.path(), &settings()).unwrap_err();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(matches!(error, Error::RootUnreadable { .. }), "{error}");
    });
}
