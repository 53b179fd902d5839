//! Our own files in `fixtures/mail`, beside the text that is expected of them.

use std::path::{Path, PathBuf};

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mail")
}

fn open(name: &str) -> (Vec<Document>, Vec<File>) {
    let bytes = std::fs::read(folder().join(name)).unwrap();
    read_with(name, Box::new(bytes), "", 10).unwrap()
}

#[test]
fn texts_are_what_the_messages_add() {
    let mut read = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected = std::fs::read_to_string(path.with_extension("md")).unwrap();
        let (documents, _) = open(name);
        assert_eq!(documents[0].text, expected.trim_end(), "{name}");
        assert!(documents[0].warnings.is_empty(), "{name}");
        read += 1;
    }
    assert_eq!(read, 10);
}

#[test]
fn names_and_files_of_all_alphabets() {
    let (documents, _) = open("japanese.eml");
    assert_eq!(documents[0].title, "会議のお知らせ");
    assert_eq!(text(&documents[0], "author"), "山田");
    let (documents, files) = open("attachments.eml");
    assert_eq!(
        text(&documents[0], "from"),
        "Jörg Müller <joerg@example.org>"
    );
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["Pläne.pdf", "The numbers.eml", "invite.ics"]);
    assert!(files[0].content.starts_with(b"%PDF-1.4") && files[0].content.ends_with(b"%%EOF\n"));
    let (nested, _) = read_with("a.eml", Box::new(files[1].content.clone()), "", 10).unwrap();
    assert_eq!(nested[0].text, "They are 3 and 4.");
}

#[test]
fn a_mailbox_with_from_in_its_texts() {
    let (documents, _) = open("inbox.mbox");
    let parts: Vec<&str> = documents
        .iter()
        .map(|document| document.part.as_str())
        .collect();
    assert_eq!(parts.len(), 4, "{parts:?}");
    assert_eq!(parts[..2], ["first@example.org", "second@example.org"]);
    assert_eq!(
        documents[0].text,
        "From the start: hello.\nFrom now on we write.\n>From escaped twice.\n\nFrom bob@example.org Mon Jan  1 10:00:00 2024\nwas only quoted here."
    );
    assert_eq!(documents[0].tags, ["Posteingang", "Geöffnet"]);
    assert_eq!(documents[1].text, "Hello back.");
    assert_eq!(text(&documents[1], "thread"), "first@example.org");
    assert_eq!(documents[2].text, "The end");
}
