//! Whole files, ours and real ones.

use super::*;
use extract_core::{Property, Scalar, Value};
use proptest::prelude::*;
use std::path::PathBuf;

fn read(bytes: impl Into<Vec<u8>>) -> Vec<Document> {
    extract("bookmarks.html", bytes.into(), &Settings::default()).unwrap()
}

fn property<'a>(document: &'a Document, name: &str) -> Option<&'a Value> {
    let mut all = document.properties.iter();
    all.find(|property| property.name == name)
        .map(|property| &property.value)
}

fn text<'a>(document: &'a Document, name: &str) -> Option<&'a str> {
    match property(document, name)? {
        Value::One(Scalar::Text(text)) => Some(text),
        _ => None,
    }
}

fn texts(document: &Document, name: &str) -> Vec<String> {
    let property = document
        .properties
        .iter()
        .find(|property| property.name == name);
    match property.map(|property| &property.value) {
        Some(Value::Many(list)) => list
            .iter()
            .map(|one| match one {
                Scalar::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn timestamp(document: &Document, name: &str) -> Option<i64> {
    match property(document, name)? {
        Value::One(Scalar::Timestamp(at)) => Some(*at),
        _ => None,
    }
}

/// Those of a file of the real ones, its own first; nothing where they are not.
fn real(name: &str) -> Option<Vec<Document>> {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/formats/bookmarks");
    match std::fs::read(folder.join(name)) {
        Ok(bytes) => Some(read(bytes)),
        Err(error) => {
            eprintln!("skipped: {name}: {error}");
            None
        }
    }
}

#[test]
fn real_exports_give_every_bookmark() {
    for (name, pages, left_out) in [
        ("chromium_flat.htm", 9, 0),
        ("chromium_nested.htm", 18, 0),
        ("empty.htm", 0, 0),
        ("firefox_flat.htm", 21, 3),
        ("firefox_nested.htm", 21, 3),
        ("netscape_basic.htm", 2, 0),
        ("netscape_extended.htm", 1, 0),
        ("netscape_multiline.htm", 3, 0),
        ("netscape_nested.htm", 8, 0),
        ("safari_folded.htm", 3, 0),
    ] {
        let Some(documents) = real(name) else { return };
        assert_eq!(documents.len() - 1, pages, "{name}");
        let warnings = documents[0].warnings.join(" ");
        assert_eq!(
            warnings.contains("3 bookmarks with place:"),
            left_out == 3,
            "{name}: {warnings}"
        );
        for document in &documents[1..] {
            assert!(
                !document.text.contains("base64"),
                "{name}: {}",
                document.title
            );
            assert_eq!(document.kind, "bookmark");
            assert_eq!(text(document, "url"), Some(document.part.as_str()));
        }
    }
}

#[test]
fn real_exports_keep_folders_tags_dates_and_descriptions() {
    let Some(nested) = real("netscape_nested.htm") else {
        return;
    };
    let by_url = |url: &str| nested.iter().find(|document| document.part == url).unwrap();
    assert_eq!(
        by_url("http://nest.ed/1-2").tags,
        [
            "Folder1, the first,folder to encounter",
            "tag3",
            "tag4",
            "leaf multi word"
        ]
    );
    assert_eq!(
        by_url("http://nest.ed/3-1").tags,
        ["Folder3/Folder3-1", "tag3"]
    );
    assert_eq!(by_url("http://nest.ed/2").tags, ["tag4"]);
    assert!(
        by_url("http://nest.ed/2-1")
            .text
            .starts_with("First link of the second section")
    );
    assert!(
        nested[0]
            .text
            .contains("- Folder2 (2): This second folder contains wonderful links!")
    );

    let basic = real("netscape_basic.htm").unwrap();
    assert_eq!(basic[1].tags, ["private", "secret"]);
    assert_eq!(timestamp(&basic[1], "created"), Some(971_175_336_000));
    assert_eq!(
        property(&basic[1], "private"),
        Some(&Value::One(Scalar::Boolean(true)))
    );
    assert_eq!(property(&basic[2], "private"), None);
    assert_eq!(timestamp(&basic[2], "created"), Some(1_456_433_748_000));

    let lines = real("netscape_multiline.htm").unwrap();
    assert_eq!(
        lines[3].text,
        "List:\n- item1\n- item2\n\nParagraph number one.\n\nParagraph\nnumber\ntwo.\n\n<http://multi.li.ne/3>"
    );

    let firefox = real("firefox_nested.htm").unwrap();
    let lua = firefox
        .iter()
        .find(|document| document.title == "Programming in Lua")
        .unwrap();
    assert_eq!(lua.tags, ["Dev", "lua", "script", "cpp"]);
    assert_eq!(timestamp(lua, "modified"), Some(1_463_686_379_000));

    let chromium = real("chromium_nested.htm").unwrap();
    let jabber = chromium
        .iter()
        .find(|document| document.part == "http://www.jabber.org/")
        .unwrap();
    assert!(jabber.tags.is_empty());
    assert_eq!(texts(jabber, "folder"), ["Personal toolbar"]);

    let safari = real("safari_folded.htm").unwrap();
    assert_eq!(safari[3].tags, ["Autre Divers/doc"]);

    let extended = real("netscape_extended.htm").unwrap();
    assert!(
        extended[1]
            .text
            .contains("got away.\n\n<https://www.bbc.com/"),
        "{}",
        extended[1].text
    );
}

#[test]
fn one_page_is_one_document_with_all_its_folders() {
    let documents = read(
        r#"<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Bookmarks</H1><DL><p>
        <DT><H3>One</H3><DL><p>
          <DT><A HREF="https://Example.com/a?utm_source=x#top" ADD_DATE="1600000002" TAGS="x">A</A><DD>First
        </DL><p>
        <DT><H3>Two</H3><DL><p>
          <DT><A HREF="https://example.com/a" ADD_DATE="1600000001" TAGS="X,y" SHORTCUTURL="aa">Later</A><DD>Second
        </DL><p></DL>"#,
    );
    assert_eq!(documents.len(), 2);
    let page = &documents[1];
    assert_eq!(page.part, "https://example.com/a");
    assert_eq!(page.title, "A");
    assert_eq!(page.tags, ["One", "x", "Two", "y"]);
    assert_eq!(texts(page, "folder"), ["One", "Two"]);
    assert_eq!(page.text, "First\n\nSecond\n\n<https://example.com/a>");
    assert_eq!(timestamp(page, "created"), Some(1_600_000_001_000));
    assert_eq!(
        text(page, "saved_url"),
        Some("https://Example.com/a?utm_source=x#top")
    );
    assert_eq!(text(page, "keyword"), Some("aa"));
    let link = &page.links[0];
    assert_eq!(
        &page.text[link.span.start..link.span.end],
        "<https://example.com/a>"
    );
}

#[test]
fn our_own_export_is_read() {
    let documents = read(include_bytes!("../../../fixtures/bookmarks/bookmarks.html"));
    let parts: Vec<_> = documents
        .iter()
        .map(|document| document.part.as_str())
        .collect();
    assert_eq!(
        parts,
        [
            "",
            "https://bread.example/rye",
            "https://www.youtube.com/watch?v=aaaaaaaaaa1",
            "https://mill.example/",
        ]
    );
    assert_eq!(documents[1].tags, ["baking", "rye", "Kitchen/Bread"]);
    assert_eq!(documents[2].title, "How sourdough rises");
    assert_eq!(timestamp(&documents[2], "created"), Some(1_600_000_003_000));
    assert_eq!(documents[3].tags, ["Kitchen"]);
    assert!(
        documents[0].text.contains("- Kitchen/Bread (2)"),
        "{}",
        documents[0].text
    );
}

#[test]
fn tags_may_be_missing_and_text_may_be_anywhere() {
    let documents = read(
        r#"<title>x <a href="https://no.example/">no</a></title><DL>
        <DT><A HREF=https://a.example/ >Un&amp;closed
        <DT><A HREF="https://b.example/"></A>
        <HR>
        <DT><A NAME="nothing">no link</A>
        <DT><A HREF="javascript:alert(1)">script</A>
        <DT><A HREF="/relative">broken</A>
        <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bar</H3><DL><DT><H3>In</H3><DL>
          <DT><A HREF="https://c.example/x" FEEDURL="https://c.example/feed">Feed</A>
          <DD>See <a href="https://d.example/">there</a>.<br>More"#,
    );
    let parts: Vec<_> = documents
        .iter()
        .map(|document| document.part.as_str())
        .collect();
    assert_eq!(
        parts,
        [
            "",
            "https://a.example/",
            "https://b.example/",
            "https://c.example/x"
        ]
    );
    assert_eq!(documents[1].title, "Un&closed");
    assert_eq!(documents[2].title, "b.example");
    assert_eq!(documents[3].tags, ["In"]);
    assert_eq!(texts(&documents[3], "folder"), ["Bar/In"]);
    assert_eq!(text(&documents[3], "feed"), Some("https://c.example/feed"));
    assert!(
        documents[3]
            .text
            .starts_with("See there (https://d.example/).\nMore")
    );
    assert_eq!(
        documents[0].warnings,
        [
            "1 bookmark with javascript: was left out, for such an address names no page.",
            "1 bookmark without a sound address was left out.",
        ]
    );
}

#[test]
fn a_reading_list_is_marked_as_unread() {
    let documents = read(
        r#"<H1>B</H1><DT><H3 FOLDED id="com.apple.ReadingList">Reading List</H3><DL><p>
        <DT><A HREF="https://a.example/">A</A></DL><p>"#,
    );
    assert_eq!(
        property(&documents[1], "unread"),
        Some(&Value::One(Scalar::Boolean(true)))
    );
}

const CHROMIUM: &str = include_str!("../../../fixtures/bookmarks/Bookmarks");

#[test]
fn chromiums_file_is_read() {
    let documents = read(CHROMIUM);
    let parts: Vec<_> = documents
        .iter()
        .map(|document| document.part.as_str())
        .collect();
    assert_eq!(
        parts,
        [
            "",
            "https://a.example/",
            "https://b.example/",
            "https://c.example/"
        ]
    );
    assert_eq!(timestamp(&documents[1], "created"), Some(1_466_009_029_000));
    assert_eq!(text(&documents[1], "keyword"), Some("nick"));
    assert!(documents[1].text.starts_with("note\n\n"));
    assert_eq!(documents[2].tags, ["Inner"]);
    assert_eq!(texts(&documents[2], "folder"), ["Lesezeichenleiste/Inner"]);
    assert_eq!(timestamp(&documents[2], "visited"), None);
}

const FIREFOX: &str = include_str!("../../../fixtures/bookmarks/bookmarks-2025-01-31.json");

fn check_firefox(documents: &[Document]) {
    let parts: Vec<_> = documents
        .iter()
        .map(|document| document.part.as_str())
        .collect();
    assert_eq!(parts, ["", "https://a.example/", "https://b.example/"]);
    assert_eq!(documents[1].tags, ["one", "two"]);
    assert_eq!(text(&documents[1], "keyword"), Some("k"));
    assert!(documents[1].text.starts_with("About A\n\n"));
    assert_eq!(
        timestamp(&documents[1], "modified"),
        Some(1_466_009_030_000)
    );
    assert_eq!(documents[2].tags, ["Folder", "three"]);
    assert!(documents[0].warnings[0].starts_with("1 bookmark with place:"));
}

#[test]
fn firefoxs_backups_are_read_plain_and_compressed() {
    check_firefox(&read(FIREFOX));
    let mut packed = b"mozLz40\0".to_vec();
    packed.extend_from_slice(&lz4_flex::block::compress_prepend_size(FIREFOX.as_bytes()));
    check_firefox(&read(packed.clone()));
    packed.truncate(packed.len() - 3);
    assert!(extract("b.jsonlz4", packed, &Settings::default()).is_err());
}

#[test]
fn a_backup_that_claims_to_be_huge_is_refused_unread() {
    for length in [u32::MAX, 60 << 20] {
        let mut lie = b"mozLz40\0".to_vec();
        lie.extend_from_slice(&length.to_le_bytes());
        lie.push(0);
        assert!(extract("b.jsonlz4", lie, &Settings::default()).is_err());
    }
}

#[test]
fn deep_folders_cost_neither_stack_nor_time() {
    let html = "<DL><DT><H3>f</H3>".repeat(100_000) + "<DL><DT><A HREF=https://a.example/>A</A>";
    let documents = read(html);
    assert_eq!(documents.len(), 2);
    assert!(documents[1].tags[0].len() < 100);
    let json = r#"{"children":["#.repeat(100_000);
    assert!(extract("b.json", json.into(), &Settings::default()).is_err());
}

#[test]
fn other_json_is_refused() {
    for json in ["{}", "[]", r#"{"a":1}"#, "{"] {
        let failure = extract("b.json", json.into(), &Settings::default()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidInput, "{json}");
    }
}

fn sound(documents: &[Document]) {
    let mut parts = std::collections::HashSet::new();
    for document in documents {
        assert!(
            parts.insert(&document.part),
            "{} comes twice",
            document.part
        );
        assert!(!document.title.is_empty());
        for link in &document.links {
            assert!(document.text.get(link.span.start..link.span.end).is_some());
        }
        for Property { value, .. } in &document.properties {
            assert!(!matches!(value, Value::Many(list) if list.is_empty()));
        }
    }
}

proptest! {
    #[test]
    fn any_tags_give_sound_documents(
        html in "(<(/?(dl|dt|dd|a|h3|h1|ul|p|hr)|a href=['\"]?https?://[a-c]\\.x/|!--|[a-z])[ >]|--|[ -~\n]){0,60}"
    ) {
        sound(&read(format!("<dl>{html}")));
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(documents) = extract("b", bytes, &Settings::default()) {
            sound(&documents);
        }
    }

    #[test]
    fn damaged_files_are_taken(at in 0..2000_usize, byte: u8, cut in 0..2000_usize) {
        for file in [CHROMIUM, FIREFOX] {
            let mut bytes = file.as_bytes().to_vec();
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(length.saturating_sub(cut % length));
            if let Ok(documents) = extract("b", bytes, &Settings::default()) {
                sound(&documents);
            }
        }
    }
}
