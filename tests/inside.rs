//! What is inside files: messages of mailboxes, files of archives, what is
//! attached to messages. Each is an item of its own, and follows its file.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::io::Write as _;

use pkb_tests::Library;
use serde_json::Value;

/// A message of a mailbox, in the way of mboxrd.
fn message(id: &str, subject: &str, body: &str) -> String {
    format!(
        "From someone@example.org Thu Jan  4 10:00:00 2024\r\nFrom: Ada <ada@example.org>\r\nTo: bob@example.org\r\n\
         Subject: {subject}\r\nDate: Thu, 4 Jan 2024 10:00:00 +0000\r\nMessage-ID: <{id}@example.org>\r\n\r\n{body}\r\n\r\n"
    )
}

/// A message with a file attached to it.
fn with_attachment(name: &str, content: &str) -> String {
    format!(
        "From: Ada <ada@example.org>\r\nSubject: The report\r\nMessage-ID: <r@example.org>\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHere it is.\r\n\
         --b\r\nContent-Type: text/markdown; name=\"{name}\"\r\n\
         Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n{content}\r\n--b--\r\n"
    )
}

/// A zip file with files stored as they are.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let offset = bytes.len() as u32;
        let sum = crc32(content);
        let size = content.len() as u32;
        let mut common = Vec::new();
        for number in [20_u16, 0x0800, 0, 0, 0x5821] {
            common.extend(number.to_le_bytes());
        }
        for number in [sum, size, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(*content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, length) = (bytes.len() as u32, directory.len() as u32);
    let count = files.len() as u16;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

fn paths(library: &Library) -> Vec<String> {
    let listed = library.run(&["browse", "--sort", "path", "-n", "100"]);
    let items = listed["items"].as_array().unwrap();
    let path = |item: &Value| format!("notes/{}", item["external_id"].as_str().unwrap());
    items.iter().map(path).collect()
}

#[test]
fn each_message_of_a_mailbox_is_an_item() {
    let library = Library::new();
    library.write(
        "in.mbox",
        message("1", "Walnuts", "the walnut tree") + &message("2", "Pears", "the pear tree"),
    );
    let report = library.sync();
    assert_eq!(report["added"], 3, "the mailbox and two messages");
    assert_eq!(
        paths(&library),
        [
            "notes/in.mbox",
            "notes/in.mbox//1@example.org",
            "notes/in.mbox//2@example.org"
        ]
    );
    assert_eq!(library.found("walnut"), ["notes/in.mbox//1@example.org"]);
    let found = library.run(&["browse", "--kind", "message", "--title", "Pears"]);
    let item = &found["items"][0];
    assert_eq!(item["author"], "Ada");
    assert_eq!(item["created"], 1_704_362_400_000_i64);
    let again = library.sync();
    assert_eq!(
        (&again["added"], &again["unchanged"]),
        (&0.into(), &3.into())
    );
    library.assert_sound();
}

#[test]
fn a_growing_mailbox_is_read_on_and_what_was_there_stays_as_it_is() {
    let library = Library::new();
    let first = message("1", "Walnuts", "the walnut tree");
    library.write("in.mbox", &first);
    library.sync();
    let item = library.item("walnut");
    library.write(
        "in.mbox",
        first.clone() + &message("2", "Pears", "the pear tree"),
    );
    let report = library.sync();
    assert_eq!(
        (&report["added"], &report["updated"], &report["unchanged"]),
        (&1.into(), &1.into(), &1.into()),
        "a message came, the mailbox changed, a message did not"
    );
    assert_eq!(library.item("walnut"), item);
    // One goes again.
    library.write("in.mbox", message("2", "Pears", "the pear tree"));
    assert_eq!(library.sync()["deleted"], 1);
    assert!(library.found("walnut").is_empty());
    assert_eq!(library.found("pear").len(), 1);
    // And comes back as the item that it was.
    library.write("in.mbox", first + &message("2", "Pears", "the pear tree"));
    assert_eq!(library.sync()["restored"], 1);
    assert_eq!(library.item("walnut"), item);
    library.assert_sound();
}

#[test]
fn what_is_inside_follows_its_file() {
    let library = Library::new();
    library.write("in.mbox", message("1", "Walnuts", "the walnut tree"));
    library.write("other.md", "something else");
    library.sync();
    let item = library.item("walnut");
    fs::create_dir(library.notes.path().join("old")).unwrap();
    fs::rename(
        library.notes.path().join("in.mbox"),
        library.notes.path().join("old/2024.mbox"),
    )
    .unwrap();
    let report = library.sync();
    assert_eq!(
        (&report["moved"], &report["deleted"]),
        (&1.into(), &0.into())
    );
    assert_eq!(
        library.found("walnut"),
        ["notes/old/2024.mbox//1@example.org"]
    );
    assert_eq!(library.item("walnut"), item, "it keeps its identity");
    fs::remove_file(library.notes.path().join("old/2024.mbox")).unwrap();
    assert_eq!(library.sync()["deleted"], 2);
    assert!(library.found("walnut").is_empty());
    library.assert_sound();
}

#[test]
fn whoever_removes_a_mailbox_removes_its_messages() {
    let library = Library::new();
    let both = message("1", "Walnuts", "the walnut tree") + &message("2", "Pears", "the pear tree");
    library.write("in.mbox", &both);
    library.sync();
    library.run(&["rm", "in.mbox//1@example.org"]);
    assert!(library.found("walnut").is_empty());
    // It stays removed while the mailbox is read again for another reason.
    library.write("in.mbox", both + &message("3", "Figs", "the fig tree"));
    library.sync();
    assert!(library.found("walnut").is_empty());
    assert_eq!(library.found("fig").len(), 1);
    library.run(&["rm", "--yes", "in.mbox"]);
    assert!(library.found("fig").is_empty() && library.found("pear").is_empty());
    library.run(&["restore", "in.mbox"]);
    assert_eq!(library.found("fig").len(), 1);
    library.assert_sound();
}

#[test]
fn a_mailbox_that_lost_most_of_its_messages_is_asked_about() {
    let library = Library::new();
    let many: String = (0..40)
        .map(|n| message(&n.to_string(), "Walnuts", &format!("walnut number {n}")))
        .collect();
    library.write("in.mbox", many);
    library.sync();
    library.write("in.mbox", message("0", "Walnuts", "walnut number 0"));
    for _ in 0..2 {
        let output = library.output(&["sync"]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("39 of its 41 items are gone"), "{said}");
        assert_eq!(library.count(), 41, "nothing was removed");
    }
    let output = library.output(&["sync", "--accept-removals"]);
    assert!(output.status.success());
    assert_eq!(library.count(), 2);
    library.assert_sound();
}

#[test]
fn attachments_are_items_through_their_own_extractors() {
    let library = Library::new();
    library.write(
        "report.eml",
        with_attachment("figures.md", "# Figures\n\nAbout #walnuts."),
    );
    library.write(
        "hidden.eml",
        with_attachment(
            "page.html",
            "<html><body><p>Some &quot;quinces&quot;</p></body></html>",
        ),
    );
    library.sync();
    let found = library.run(&["search", "--as-is", "tag:walnuts"]);
    let hit = &found["hits"][0];
    assert_eq!(hit["path"], "notes/report.eml//figures.md");
    let read = library.run(&["get", "report.eml//figures.md"]);
    assert_eq!(read["details"]["title"], "Figures");
    assert!(
        read.to_string().contains("\"part_of\""),
        "it says what it is attached to: {read}"
    );
    assert_eq!(library.found("quinces"), ["notes/hidden.eml//page.html"]);
    library.assert_sound();
}

#[test]
fn files_in_archives_in_archives_are_read() {
    let library = Library::new();
    let mail = message("1", "Walnuts", "the walnut tree");
    let inner = zip(&[("mail/in.mbox", mail.as_bytes()), ("a.md", b"# Apricots")]);
    library.write(
        "all.zip",
        zip(&[
            ("more.zip", &inner),
            ("b.md", b"# Blackberries"),
            ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0"),
        ]),
    );
    let report = library.sync();
    assert_eq!(report["failed"], 0, "{report}");
    assert_eq!(report["skipped"], 1, "the picture");
    assert_eq!(
        library.found("walnut"),
        ["notes/all.zip//more.zip//mail/in.mbox//1@example.org"]
    );
    assert_eq!(library.found("apricots"), ["notes/all.zip//more.zip//a.md"]);
    let items = library.count();
    // One file inside changes, and nothing else is read anew.
    library.write(
        "all.zip",
        zip(&[("more.zip", &inner), ("b.md", b"# Blueberries")]),
    );
    let report = library.sync();
    assert_eq!(
        (&report["updated"], &report["added"], &report["deleted"]),
        (&2.into(), &0.into(), &0.into()),
        "the archive and the file in it"
    );
    assert_eq!(library.count(), items);
    assert_eq!(library.found("blueberries"), ["notes/all.zip//b.md"]);
    library.assert_sound();
}

#[test]
fn an_archive_is_counted_by_kind_before_it_is_read() {
    let library = Library::new();
    let mail = message("1", "Walnuts", "the walnut tree");
    library.write(
        "all.zip",
        zip(&[
            ("in.mbox", mail.as_bytes()),
            ("a.md", b"# A"),
            ("b.md", b"# B"),
        ]),
    );
    let file = library.notes.path().join("all.zip");
    let added = library.run(&["add", file.to_str().unwrap()]);
    let kinds = added["found"]["kinds"].as_array().unwrap();
    let counted: Vec<(&str, u64)> = kinds
        .iter()
        .map(|kind| {
            let name = kind["kind"].as_str().unwrap();
            (name, kind["files"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(counted, [("note", 2), ("archive", 1), ("mailbox", 1)]);
}

#[test]
fn a_part_that_cannot_be_read_costs_one_line_and_nothing_else() {
    let library = Library::new();
    library.write(
        "all.zip",
        zip(&[
            ("broken.pdf", b"%PDF-1.7 and nothing more"),
            ("b.md", b"# Blackberries"),
        ]),
    );
    let report = library.sync();
    assert_eq!(
        (&report["failed"], &report["added"]),
        (&1.into(), &2.into())
    );
    let ledger = library.run(&["ledger", "--failed"]);
    let rows = ledger["entries"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["external_id"], "all.zip//broken.pdf");
    assert_eq!(rows[0]["component"], "extract-pdf");
    assert_eq!(library.found("blackberries").len(), 1);
    // It is not tried again until something changes.
    assert_eq!(library.sync()["unchanged"], 2);
}

#[test]
fn a_single_file_is_a_source() {
    let library = Library::new();
    library.write("in.mbox", message("1", "Walnuts", "the walnut tree"));
    library.write("beside.md", "the walnut beside it");
    let other = pkb_tests::Library::new();
    let file = library.notes.path().join("in.mbox");
    let added = other.run(&["add", file.to_str().unwrap()]);
    assert_eq!(added["name"], "in.mbox");
    assert_eq!(added["found"]["kinds"][0]["kind"], "mailbox");
    other.run(&["sync"]);
    assert_eq!(other.found("walnut"), ["in.mbox/in.mbox//1@example.org"]);
    // Written on, it is read again; taken away, it stays as it was.
    let mut file = fs::OpenOptions::new().append(true).open(&file).unwrap();
    file.write_all(message("2", "Pears", "the pear tree").as_bytes())
        .unwrap();
    drop(file);
    other.run(&["sync"]);
    assert_eq!(other.found("pear").len(), 1);
    fs::remove_file(library.notes.path().join("in.mbox")).unwrap();
    assert_eq!(other.output(&["sync"]).status.code(), Some(1));
    assert_eq!(other.found("walnut").len(), 1);
    other.assert_sound();
}

#[test]
fn a_hit_says_what_could_not_be_read() {
    let library = Library::new();
    library.write(
        "old.txt",
        b"Gr\xfc\xdfe aus der alten Zeit, sch\xf6ne Gr\xfc\xdfe an alle",
    );
    library.sync();
    let found = library.run(&["search", "--as-is", "zeit"]);
    let warnings = &found["hits"][0]["warnings"];
    assert!(
        warnings[0].as_str().unwrap().contains("not UTF-8"),
        "{found}"
    );
    let shown = library.output(&["search", "--as-is", "zeit"]);
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.contains("note: The file is not UTF-8"), "{shown}");
}

#[test]
fn what_was_inside_goes_when_nothing_reads_the_file_any_more() {
    let library = Library::new();
    library.write(
        "download",
        zip(&[("a.md", b"# Apricots"), ("b.md", b"# Blackberries")]),
    );
    library.sync();
    assert_eq!(library.found("apricots").len(), 1);
    library.write("download", b"\x7fELF\x02\x01\x01\0\0\0 no archive");
    assert_eq!(library.sync()["deleted"], 3);
    assert!(library.found("apricots").is_empty());
    let again = library.sync();
    for what in ["added", "updated", "restored", "deleted", "failed"] {
        assert_eq!(again[what], 0, "{what}: {again}");
    }
    let ledger = library.run(&["ledger", "--skipped"]);
    assert_eq!(ledger["entries"][0]["external_id"], "download");
    library.assert_sound();
}

#[test]
fn a_message_that_a_person_brought_back_outlives_the_next_mail() {
    let library = Library::new();
    let (first, second) = (
        message("1", "Walnuts", "the walnut tree"),
        message("2", "Pears", "the pear tree"),
    );
    library.write("in.mbox", first + &second);
    library.sync();
    library.write("in.mbox", &second);
    assert_eq!(library.sync()["deleted"], 1);
    library.run(&["restore", "in.mbox//1@example.org"]);
    library.write("in.mbox", second + &message("3", "Figs", "the fig tree"));
    assert_eq!(library.sync()["deleted"], 0);
    assert_eq!(library.found("walnut").len(), 1);
    library.assert_sound();
}

#[test]
fn what_is_inside_a_moved_file_says_where_it_is_now() {
    let library = Library::new();
    library.write("in.mbox", message("1", "Walnuts", "the walnut tree"));
    library.sync();
    let to = library.notes.path().join("old.mbox");
    fs::rename(library.notes.path().join("in.mbox"), to).unwrap();
    library.sync();
    let read = library.run(&["get", "old.mbox//1@example.org"]);
    let url = read["details"]["url"].as_str().unwrap();
    assert!(url.ends_with("/old.mbox"), "{url}");
    assert!(!read.to_string().contains("in.mbox"), "{read}");
}
