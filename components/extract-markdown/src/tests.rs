//! Whole documents: properties of all of them, hostile ones, real ones.

use crate::{Format, Markdown, Settings, extract};
use extract_core::{Document, Extractor as _, FailureKind, Input, Mark, NoOcr, Place};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn md(text: &str) -> Document {
    extract("note.md", text.as_bytes().to_vec(), &Settings::default()).unwrap()
}

fn line(mark: &Mark) -> u32 {
    match mark.place {
        Place::Line(line) => line,
        _ => panic!("{mark:?} is no line"),
    }
}

/// What holds for every document.
fn check(document: &Document) {
    let text = &document.text;
    assert!(!text.contains(['\r', '\0']));
    assert_eq!(document.marks.is_empty(), text.is_empty());
    if let Some(first) = document.marks.first() {
        assert_eq!(first.offset, 0);
    }
    for pair in document.marks.windows(2) {
        assert!(pair[0].offset < pair[1].offset && line(&pair[0]) < line(&pair[1]));
    }
    for mark in &document.marks {
        assert!(text.is_char_boundary(mark.offset) && mark.offset < text.len() && line(mark) > 0);
    }
    for link in &document.links {
        assert!(
            text.get(link.span.start..link.span.end)
                .is_some_and(|link| !link.is_empty())
        );
        assert!(link.label.as_deref() != Some("") && link.heading.as_deref() != Some(""));
    }
    for pair in document.links.windows(2) {
        assert!(pair[0].span.start <= pair[1].span.start);
    }
    assert!(
        document
            .tags
            .iter()
            .all(|tag| !tag.is_empty() && !tag.starts_with('#'))
    );
    assert!(!document.title.is_empty());
}

/// The line of the original that an offset into the text stands on.
fn line_at(document: &Document, offset: usize) -> usize {
    let mark = document
        .marks
        .iter()
        .rfind(|mark| mark.offset <= offset)
        .unwrap();
    line(mark) as usize + document.text[mark.offset..offset].matches('\n').count()
}

#[test]
fn a_whole_note() {
    let note = "\u{FEFF}---\r\ntitle: Plan\r\ntags: [work]\r\naliases: P\r\n---\r\n\r\n# Heading\r\nText #Work #home %%secret\r\n[[hidden]]%% [[Next|n]]\r\nEnd\r\n";
    let document = md(note);
    check(&document);
    assert_eq!(document.title, "Plan");
    assert_eq!(
        document.text,
        "# Heading\nText #Work #home  [[Next|n]]\nEnd\n"
    );
    assert_eq!(document.tags, ["work", "home"]);
    assert_eq!(document.aliases, ["P"]);
    assert_eq!(document.links.len(), 1);
    assert_eq!(document.links[0].target, "Next");
    let lines: Vec<_> = document.marks.iter().map(line).collect();
    assert_eq!(lines, [7, 9]);
    assert_eq!(line_at(&document, document.text.find("Text").unwrap()), 8);
    assert_eq!(line_at(&document, document.text.find("[[Next").unwrap()), 9);
    assert_eq!(line_at(&document, document.text.find("End").unwrap()), 10);
    assert!(document.warnings.is_empty());
}

#[test]
fn titles_come_from_frontmatter_then_heading_then_name() {
    assert_eq!(md("---\ntitle: A\n---\n# B\n").title, "A");
    assert_eq!(md("---\nx: A\n---\n# B\n").title, "B");
    assert_eq!(md("---\ntitle:\n---\ntext\n").title, "note");
    assert_eq!(md("").title, "note");
}

#[test]
fn dashes_inside_the_body_are_not_frontmatter() {
    let text = "# A\n\n---\nx: y\n---\n";
    let document = md(text);
    assert_eq!(document.text, text);
    assert!(document.properties.is_empty());
}

#[test]
fn plain_text_has_no_markup() {
    let text = "---\ntitle: x\n---\n# H #tag [[a]] %%c%%\r\n";
    let document = extract("list.txt", text.into(), &Settings::default()).unwrap();
    check(&document);
    assert_eq!(document.title, "list");
    assert_eq!(document.text, text.replace('\r', ""));
    assert!(document.tags.is_empty() && document.links.is_empty());
    assert!(document.properties.is_empty());

    let markdown = Settings {
        format: Format::Markdown,
        ..Settings::default()
    };
    assert_eq!(
        extract("list.txt", text.into(), &markdown).unwrap().title,
        "x"
    );
}

#[test]
fn files_over_the_limit_are_refused() {
    let input = Input {
        name: "a.md",
        settings: r#"{"max_bytes":3}"#,
        ..Input::default()
    };
    let open = |bytes: &[u8]| Markdown::open(input, Box::new(bytes.to_vec()), Box::new(NoOcr));
    assert!(open(b"abc").is_ok());
    let failure = open(b"abcd").map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLarge);
}

#[test]
fn a_binary_file_called_md_is_refused() {
    let bytes = b"\x7fELF\x02\x01\x01\0\0\0".to_vec();
    let failure = extract("a.md", bytes, &Settings::default()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::InvalidInput);
}

#[test]
fn warnings_are_counted_beyond_a_few() {
    let repeated = "a: 1\n".repeat(100);
    let document = md(&format!("---\n{repeated}---\n"));
    assert_eq!(document.warnings.len(), 20 + 1);
    assert!(document.warnings.last().unwrap().contains("79 more"));
}

#[test]
fn lone_carriage_returns_end_lines() {
    let document = md("a\rb\r\r\nc");
    assert_eq!(document.text, "a\nb\n\nc");
}

/// Hostile notes of about `size` bytes each.
fn hostile(size: usize) -> Vec<String> {
    let pieces = [
        "[",
        "[[",
        "[[a|",
        "![",
        "![x](",
        "]",
        "[a](",
        "[a]: ",
        "> ",
        "- ",
        "1. ",
        "*a ",
        "_",
        "`a",
        "``",
        "$a ",
        "$$",
        "|a",
        "#a ",
        "#",
        "<a ",
        "<a href='",
        "<!-- ",
        "<",
        "&",
        "%%",
        "%%a%%",
        "%% ` %%",
        "\\%%",
        "\\",
        "https://x(",
        "https://",
        "h",
        "~~~",
        "\u{200D}",
        "😀",
        " ",
        "%%\n```\n%%\n",
        "> [!n]\n",
        "a\n-\n",
        "|a|\n|-|\n",
        "[^a]: ",
        "[^a]",
        "\n",
        "---\n",
        "<div>\n",
        "# a {#",
        "a: [\n",
        "- #a\n",
        "\t",
    ];
    let mut all: Vec<String> = pieces
        .iter()
        .map(|piece| piece.repeat(size / piece.len()))
        .collect();
    let half = size / 2;
    for (open, close) in [
        ("[", "]"),
        ("[[", "]]"),
        ("![a", "](b)"),
        ("**", "**"),
        ("$", "$"),
    ] {
        all.push(format!(
            "{}x{}",
            open.repeat(half / open.len()),
            close.repeat(half / close.len())
        ));
    }
    all.push(format!(
        "{}\n{}",
        "> ".repeat(half / 2),
        "a\n\n".repeat(half / 3)
    ));
    all.push(format!("{}{}", " ".repeat(half), "%%%%".repeat(half / 4)));
    all.push(format!(
        "| a |\n|{}\n{}",
        "-|".repeat(half / 2),
        "|\n".repeat(half / 2)
    ));
    for inside in [
        "a",
        "a: ",
        "[",
        "- ",
        "&a [",
        "tags: #a\n",
        "a: b\n",
        "'",
        "\"\\",
    ] {
        let yaml = inside.repeat(size.min(250_000) / inside.len());
        all.push(format!("---\nk: {yaml}\n---\nbody\n"));
        all.push(format!("---\nk: {yaml}"));
    }
    all
}

#[test]
fn hostile_notes_take_linear_time() {
    // Quadratic work on a megabyte takes minutes; linear work takes well under
    // a second even on a busy machine.
    for note in hostile(1 << 20) {
        let start = Instant::now();
        check(&md(&note));
        let shown: String = note.chars().take(20).collect();
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{shown:?} took {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    // As small as the stack of a component.
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let run = || {
        for note in hostile(60_000) {
            check(&md(&note));
        }
    };
    thread.spawn(run).unwrap().join().unwrap();
}

fn markup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "---\n", "title: ", "tags: ", "a", "é", "😀", " ", "\n", "\r\n", "\n\n", "# ", "#a", "[[",
        "]]", "![[", "|", "\\|", "[", "](", ")", "`", "```\n", "~~~\n", "$", "$$", "%%", "%%", "%",
        "<a href=", ">", "</a>", "<!--", "-->", "> ", "- ", "    ", "\\", "https://", "*", "_",
        "&amp;", "[^1]", ": ",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_give_a_document_or_a_failure(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        name in "[a.]{1,3}(md|txt)",
    ) {
        if let Ok(document) = extract(&name, bytes, &Settings::default()) {
            check(&document);
        }
    }

    #[test]
    fn any_text_gives_a_document(text in any::<String>()) {
        if !text.contains(|c: char| c.is_control()) {
            check(&md(&text));
        }
    }

    #[test]
    fn any_markup_gives_a_document(text in markup()) {
        let document = md(&text);
        check(&document);
        if !text.contains("%%") && !text.starts_with("---") {
            prop_assert_eq!(&document.text, &text.replace("\r\n", "\n"));
        }
    }

    #[test]
    fn lines_of_the_text_are_lines_of_the_file(
        lines in prop::collection::vec("(x|%%|%%c%%|)", 0..20), front in any::<bool>()
    ) {
        // Each line names itself.
        let mut file = if front { "---\na: b\n---\n".to_owned() } else { String::new() };
        let first = file.matches('\n').count() + 1;
        for (index, line) in lines.iter().enumerate() {
            file.push_str(&format!("{line} L{}.\n", first + index));
        }
        let document = md(&file);
        check(&document);
        for (at, _) in document.text.match_indices('L') {
            let named = &document.text[at + 1..];
            let named: usize = named[..named.find('.').unwrap()].parse().unwrap();
            prop_assert_eq!(line_at(&document, at), named);
        }
    }
}

/// `../shared/data` beside the workspace, where it is there.
fn data(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let path = root.join("../shared/data").join(name);
    if !path.exists() {
        eprintln!("skipped: ../shared/data/{name} is absent");
        return None;
    }
    Some(path)
}

#[test]
fn every_example_of_the_specifications_is_read() {
    let Some(folder) = data("formats/markdown_spec") else {
        return;
    };
    for file in ["commonmark-0.31.2.json", "gfm-0.29.json"] {
        let json = std::fs::read_to_string(folder.join(file)).unwrap();
        let examples: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        assert!(examples.len() > 20, "{file}");
        for example in examples {
            let text = example["markdown"].as_str().unwrap();
            let document = md(text);
            check(&document);
            if !text.starts_with("---") {
                assert_eq!(document.text, text);
            }
        }
    }
    let spec = std::fs::read_to_string(folder.join("commonmark-0.31.2-spec.txt")).unwrap();
    let document = md(&spec);
    check(&document);
    assert_eq!(document.title, "CommonMark Spec");
}

#[test]
fn every_file_of_the_vaults_is_read() {
    let Some(folder) = data("vaults") else {
        return;
    };
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let archive = entry.unwrap().path();
        if archive
            .extension()
            .is_none_or(|extension| extension != "gz")
        {
            continue;
        }
        let into = tempfile::tempdir().unwrap();
        let status = std::process::Command::new("tar")
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(into.path())
            .status();
        let Ok(status) = status else {
            eprintln!("skipped: there is no tar command");
            return;
        };
        assert!(status.success(), "{}", archive.display());
        let (count, took) = read_all(into.path());
        eprintln!("{}: {count} notes in {took:?}", archive.display());
        files += count;
    }
    assert!(files > 7000);
}

/// Extracts all Markdown files under a folder; how many, and the time it took.
fn read_all(folder: &Path) -> (usize, Duration) {
    let (mut count, mut took) = (0, Duration::ZERO);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (more, time) = read_all(&path);
            count += more;
            took += time;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap();
            let start = Instant::now();
            let document = extract(&name, bytes, &Settings::default());
            took += start.elapsed();
            let document = document.unwrap_or_else(|failure| panic!("{name}: {failure}"));
            check(&document);
            for warning in &document.warnings {
                eprintln!("{name}: {warning}");
            }
            count += 1;
        }
    }
    (count, took)
}
