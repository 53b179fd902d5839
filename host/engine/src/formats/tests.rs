use super::*;

fn kind(head: &[u8], name: &str) -> Option<&'static str> {
    detect(head, name, None).map(|format| format.kind)
}

#[test]
fn names_tell_where_content_does_not() {
    assert_eq!(kind(b"# A", "a.md"), Some("note"));
    assert_eq!(kind(b"# A", "A.MARKDOWN"), Some("note"));
    assert_eq!(kind(b"plain", "a.txt"), Some("text"));
    assert_eq!(kind(b"plain", "README"), Some("text"));
    assert_eq!(kind(b"plain", "a.unheard-of"), Some("text"));
    assert_eq!(kind(b"\x00\x01\x02\x03", "a.unheard-of"), None);
    assert_eq!(kind(b"", "empty"), Some("text"));
    assert_eq!(kind(b"fn main() {}", "main.rs"), Some("code"));
    assert_eq!(kind(b"#!/bin/sh\n", "run"), Some("code"));
    assert_eq!(kind(b"a,b\n1,2\n", "a.csv"), Some("data"));
    assert_eq!(kind(b"* A", "a.org"), Some("note"));
    assert_eq!(
        detect(b"# A", "a", Some("Text/Markdown; charset=utf-8")),
        Some(&MARKDOWN)
    );
}

#[test]
fn content_tells_before_the_name() {
    let zip = |names: &str| [b"PK\x03\x04\x14\x00", names.as_bytes()].concat();
    for (head, name, wanted) in [
        (b"%PDF-1.7".to_vec(), "scan.docx", "pdf"),
        (b"\xEF\xBB\xBF\n%PDF-1.4".to_vec(), "a.txt", "pdf"),
        (
            zip("[Content_Types].xml word/document.xml"),
            "a.bin2",
            "document",
        ),
        (zip("[Content_Types].xml"), "a.xlsx", "sheet"),
        (zip("mimetypeapplication/epub+zip"), "a.zip", "book"),
        (
            zip("mimetypeapplication/vnd.oasis.opendocument.presentation"),
            "a",
            "slides",
        ),
        (zip("Takeout/archive.html"), "takeout-1.zip", "archive"),
        (zip("Takeout/archive.html"), "download", "archive"),
        (b"\x1F\x8B\x08".to_vec(), "a.tgz", "archive"),
        (
            b"mozLz40\0...".to_vec(),
            "bookmarks-2025.jsonlz4",
            "bookmarks",
        ),
        (b"{\\rtf1 a}".to_vec(), "a.doc", "document"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec(), "a.msg", "document"),
        (
            b"<?xml version=\"1.0\"?><o:document xmlns:o=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\">".to_vec(),
            "a.xml",
            "document",
        ),
        (
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec(),
            "a.doc",
            "document",
        ),
        (
            b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n".to_vec(),
            "a.html",
            "bookmarks",
        ),
        (b"<!doctype html><p>".to_vec(), "a.html", "page"),
        (b"<!doctype html><p>".to_vec(), "a", "page"),
        (
            b"<html><div class=\"outer-cell mdl-cell\">".to_vec(),
            "MyActivity.html",
            "activity",
        ),
        (
            b"{\"checksum\": \"\", \"roots\": {\"bookmark_bar\": {}}}".to_vec(),
            "Bookmarks",
            "bookmarks",
        ),
        (
            b"[{\"header\": \"YouTube\", \"title\": \"Watched\", \"time\": \"\"}]".to_vec(),
            "watch-history.json",
            "activity",
        ),
        (
            b"{\"headers\": [{\"header\": \"a\", \"title\": \"b\", \"time\": 1}]}".to_vec(),
            "message.json",
            "data",
        ),
        (b"name,city\nsome-person,Bergen\n".to_vec(), "people.csv", "data"),
        (b"{\"a\": 1}".to_vec(), "a.json", "data"),
        (b"{\"a\": 1}".to_vec(), "a", "data"),
        (
            b"From a@example.org Mon Jan  1 00:00:00 2024\nSubject: x\n".to_vec(),
            "Inbox",
            "mailbox",
        ),
        (b"From here on it is text.\n".to_vec(), "a.txt", "text"),
        (
            b"Return-Path: <a@example.org>\nSubject: x\n\nHello".to_vec(),
            "1700000000.M1P1.host,S=1:2,S",
            "message",
        ),
        (b"To: all\nI write this.\n".to_vec(), "a", "text"),
        (b"From: a\nTo: b\n\nA note.".to_vec(), "a.md", "note"),
        (b"begin:vcard\nVERSION:4.0".to_vec(), "a.txt", "contacts"),
        (b"BEGIN:VCALENDAR\r\n".to_vec(), "invite", "calendar"),
        (b"WEBVTT\n\n00:00".to_vec(), "talk.txt", "subtitles"),
        (
            b"Video ID,Playlist Video Creation Timestamp\ndQw4w9WgXcQ,2023-01-01T00:00:00+00:00\n"
                .to_vec(),
            "Music-videos.csv",
            "activity",
        ),
    ] {
        assert_eq!(kind(&head, name), Some(wanted), "{name}");
    }
}

#[test]
fn what_nothing_reads_is_not_read() {
    let zip = b"PK\x03\x04\x14\x00Index/Document.iwa";
    assert_eq!(kind(zip, "a.pages"), None, "another program's zip");
    assert_eq!(kind(b"\x7fELF\x02\x01\x01\x00\x00", "a"), None);
    assert_eq!(kind(b"\x00\x00\x00\x00", "a.md"), None, "not text at all");
}

#[test]
fn nothing_that_is_read_is_left_unread() {
    let unread = unread();
    for format in FORMATS {
        for extension in format.extensions {
            assert!(!unread.contains(*extension), "{extension}");
        }
    }
}

#[test]
fn text_is_told_from_other_bytes() {
    assert!(is_text("déjà vu".as_bytes()));
    assert!(is_text(b"caf\xe9"), "a legacy charset");
    assert!(is_text(b"\xff\xfea\x00"), "UTF-16");
    assert!(is_text(b"\x1b[31mred\x1b[0m"));
    assert!(!is_text(b"\x7fELF\x02\x01\x01\x00\x00\x00"));
}
