use extract_core::{Document, Failure, FailureKind, Input, Mark, Place};
use proptest::prelude::*;

use crate::{Settings, extract};

fn read(name: &str, text: &str) -> Document {
    try_read(name, text.as_bytes()).unwrap()
}

fn try_read(name: &str, bytes: &[u8]) -> Result<Document, Failure> {
    let input = Input {
        name,
        ..Input::default()
    };
    let document = extract(&input, bytes.to_vec(), &Settings::default())?;
    check(&document);
    Ok(document)
}

/// What holds for every document.
fn check(document: &Document) {
    let text = &document.text;
    let mut before = 0;
    for mark in &document.marks {
        assert!(
            mark.offset >= before && mark.offset < text.len(),
            "{mark:?}"
        );
        assert!(text.is_char_boundary(mark.offset), "{mark:?}");
        if let Place::Second(second) = mark.place {
            assert!(second.is_finite() && second >= 0.0);
        }
        before = mark.offset;
    }
    let mut before = 0;
    for link in &document.links {
        assert!(
            link.span.start >= before && link.span.start < link.span.end,
            "{link:?}"
        );
        assert!(
            text.get(link.span.start..link.span.end).is_some(),
            "{link:?}"
        );
        before = link.span.start;
    }
    assert!(!text.contains('\r'));
}

/// The line that the marks say for the first `needle`.
fn line_of(document: &Document, needle: &str) -> u32 {
    let at = document.text.find(needle).unwrap();
    let mark = document
        .marks
        .iter()
        .rev()
        .find_map(|mark| match mark.place {
            Place::Line(line) if mark.offset <= at => Some((mark.offset, line)),
            _ => None,
        });
    let (offset, line) = mark.unwrap();
    line + document.text[offset..at].matches('\n').count() as u32
}

#[test]
fn code_stands_in_a_fence_with_its_lines() {
    let document = read("main.rs", "// ```\nfn main() {}\n");
    assert_eq!(document.text, "```rust\n// ```\nfn main() {}\n```\n");
    assert_eq!(document.title, "main.rs");
    assert_eq!(line_of(&document, "fn main"), 2);
    assert_eq!(document.marks[0], Mark::line(0, 1));
    let inside = read("a.py", "```\n");
    assert_eq!(inside.text, "````python\n```\n````\n");
    assert!(
        read("run", "#!/bin/sh\necho\n")
            .text
            .starts_with("```bash\n")
    );
    assert_eq!(read("empty.py", "\n").text, "");
}

#[test]
fn minified_code_is_refused() {
    let failure = try_read("a.js", "var a=1;".repeat(10_000).as_bytes()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
    assert!(failure.message.contains("minified"));
    let prose = "A long paragraph. ".repeat(1000);
    assert!(try_read("a.typ", prose.as_bytes()).is_ok());
}

#[test]
fn json_becomes_lists_that_can_be_searched() {
    let json = "{\n  \"name\": \"Weather\",\n  \"tags\": [\"rain\", \"sun\"],\n  \"none\": null,\n  \"at\": {\"lat\": 1.5, \"place\": \"Bern\\nCity\"},\n  \"days\": [\n    {\"day\": \"Mon\", \"max\": {\"c\": 20}},\n    {\"day\": \"Tue\"}\n  ],\n  \"vector\": [NUMBERS]\n}\n"
        .replace("NUMBERS", &vec!["0.5"; 100].join(", "));
    let document = read("w.json", &json);
    assert_eq!(document.title, "Weather");
    assert_eq!(
        document.text,
        "- name: Weather\n- tags: rain, sun\n- at:\n  - lat: 1.5\n  - place: Bern\n    City\n- days:\n  - day: Mon\n    max:\n      - c: 20\n  - day: Tue\n\n## vector\n\n- (100 numbers)\n"
    );
    assert_eq!(line_of(&document, "- day: Tue"), 8);
    assert_eq!(line_of(&document, "- lat"), 5);
    assert!(document.warnings[0].contains("100"));
}

#[test]
fn large_parts_of_json_stand_under_their_keys() {
    let part = |n: usize| format!("{{\"text\": \"{}\"}}", "word ".repeat(n));
    let json = format!("{{\"big\": {}, \"small\": 1}}", part(200));
    let document = read("a.json", &json);
    assert!(
        document
            .text
            .starts_with("- small: 1\n\n## big\n\n- text: word"),
        "{}",
        &document.text[..50]
    );
    assert_eq!(document.title, "a.json");
}

#[test]
fn json_lines_are_items() {
    let document = read(
        "a.jsonl",
        "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2}\n\n[3, 4]\n\"five\"\n",
    );
    assert_eq!(document.text, "- a: 1\n  b: x\n- a: 2\n- 3, 4\n- five\n");
    let marks: Vec<(&str, Place)> = document
        .marks
        .iter()
        .map(|mark| {
            (
                &document.text[mark.offset..mark.offset + 3],
                mark.place.clone(),
            )
        })
        .collect();
    let line = |number: u32| Place::Part(format!("line {number}"));
    assert_eq!(
        marks,
        [
            ("- a", line(1)),
            ("- a", line(2)),
            ("- 3", line(4)),
            ("- f", line(5))
        ]
    );
    assert!(document.warnings.is_empty());
}

#[test]
fn json_on_one_line_has_no_lines_to_tell() {
    let json = format!("[{}]", vec!["{\"word\": \"one\"}"; 1000].join(","));
    assert!(read("a.json", &json).marks.is_empty());
}

#[test]
fn markup_of_a_size_that_no_person_writes_stays_text() {
    let document = read("a.rst", &"\n".repeat((16 << 20) + 1));
    assert!(document.warnings[0].contains("too large"));
}

#[test]
fn json_with_comments_or_damage_is_read_as_far_as_it_goes() {
    let document = read(
        "a.jsonc",
        "// about\n{\n  /* x */ \"a\": 1, // one\n  'b': 2,\n}\n",
    );
    assert_eq!(document.text, "- a: 1\n- b: 2\n");
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    let cut = read("a.json", "{\"a\": 1,\n\"b\": [\"x\", \"y");
    assert!(cut.text.contains("- a: 1") && cut.text.contains('y'));
    assert!(cut.warnings[0].contains("not sound JSON"));
}

#[test]
fn shapes_on_maps_are_counted_not_listed() {
    let ring = vec!["[7.1, 46.2]"; 50].join(",");
    let json = format!(
        "{{\"type\":\"FeatureCollection\",\"features\":[{{\"type\":\"Feature\",\"properties\":{{\"name\":\"Lake\"}},\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[[{ring}]]}}}}]}}"
    );
    let document = read("a.geojson", &json);
    assert!(
        document.text.contains("name: Lake")
            && document.text.contains("coordinates: (100 numbers)"),
        "{}",
        document.text
    );
}

#[test]
fn a_notebook_that_is_none_is_json() {
    assert_eq!(read("a.ipynb", "{\"cells\": 5}").text, "- cells: 5\n");
}

#[test]
fn text_in_other_charsets_is_read_and_said() {
    let bytes: Vec<u8> = "Name;Ort\nMüller;Köln\nGöß;Düren\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let document = try_read("a.csv", &[&[0xFF, 0xFE], &bytes[..]].concat()).unwrap();
    assert!(document.text.contains("| Müller | Köln |"));
    let latin: Vec<u8> = "Grüße aus Köln, schöne Straße\n"
        .chars()
        .map(|c| c as u8)
        .collect();
    let document = try_read("a.log", &latin).unwrap();
    assert!(document.text.contains("Grüße") && document.warnings.len() == 1);
    assert_eq!(
        try_read("a.txt", b"\x7FELF\0\x01\x02").unwrap_err().kind,
        FailureKind::InvalidInput
    );
}

#[test]
fn plain_text_stays_as_it_is() {
    let document = read("server.log", "# not a heading\r\nline 2\n");
    assert_eq!(document.text, "# not a heading\nline 2\n");
    assert_eq!(document.title, "server");
    assert_eq!(
        read("a.log", "\u{1B}[1;31merror\u{1B}[0m: x\n").text,
        "error: x\n"
    );
    assert_eq!(document.marks, [Mark::line(0, 1)]);
}

const NAMES: [&str; 24] = [
    "a.csv", "a.tsv", "a.json", "a.jsonl", "a.ipynb", "a.xml", "a.svg", "a.opml", "a.org", "a.rst",
    "a.adoc", "a.tex", "a.srt", "a.vtt", "a.sbv", "a.ass", "a.lrc", "a.srv3", "a.json3", "a.py",
    "a.yaml", "a.txt", "a.psv", "a",
];

#[test]
fn deep_nesting_and_long_lines_are_read_or_refused() {
    let hostile = [
        "[".repeat(300_000),
        "{\"a\":".repeat(100_000),
        "[[1],".repeat(100_000),
        "[\"a\",[1,".repeat(50_000),
        "<a>".repeat(200_000),
        "<outline>".repeat(100_000),
        "*".repeat(500_000),
        " *a".repeat(200_000),
        "[[a][".repeat(100_000),
        "`a_ |b ".repeat(100_000),
        "\\emph{".repeat(100_000),
        "{".repeat(500_000),
        "\"".repeat(500_001),
        "a,\"".repeat(100_000),
        "a: &a [*a]\n".repeat(10_000),
        (0..20_000)
            .map(|n| format!("{}- x\n", " ".repeat(n % 500)))
            .collect(),
        (0..20_000)
            .map(|n| format!("{} h\n", "*".repeat(n % 500)))
            .collect(),
        ":a:\n".repeat(100_000),
        ".. a::\n".repeat(100_000),
        "a\n=\n".repeat(100_000),
        "#+begin_src\n".repeat(50_000),
        "----\n".repeat(50_001),
        "00:00:01,000 --> 00:00:02,000\n".repeat(20_000),
        "<v a>{\\b}&amp;".repeat(50_000),
        "| a\n".repeat(50_000),
        "+-\n".repeat(50_000),
        "a::\n\n  b\n".repeat(30_000),
    ];
    for text in &hostile {
        for name in NAMES {
            let _ = try_read(name, text.as_bytes());
        }
    }
}

#[test]
fn real_json_is_sound_and_searchable() {
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/formats/youtube/python-youtube"
    );
    let mut folders = vec![std::path::PathBuf::from(root)];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("skipped: there is no folder {}", folder.display());
            return;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                let document = try_read("a.json", &bytes).unwrap();
                let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                let shown = words(&document.text);
                for text in texts(&value) {
                    assert!(shown.contains(&words(&text)), "{}: {text}", path.display());
                }
                assert!(
                    !document
                        .warnings
                        .iter()
                        .any(|warning| warning.contains("not sound"))
                );
            }
        }
    }
    assert!(files > 50, "{files}");
}

fn shared(path: &str) -> Option<Vec<u8>> {
    let path = format!("{}/../../../shared/data/{path}", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("skipped: there is no {path}");
            None
        }
    }
}

#[test]
fn real_json_lines_give_a_record_for_each() {
    let Some(bytes) = shared("scifact/corpus.jsonl") else {
        return;
    };
    let document = try_read("corpus.jsonl", &bytes).unwrap();
    let records: Vec<&str> = document
        .text
        .lines()
        .filter(|line| line.starts_with("- _id: "))
        .collect();
    assert_eq!(records.len(), 5183);
    assert_eq!(document.marks.len(), 5183);
    assert_eq!(document.marks[5182].place, Place::Part("line 5183".into()));
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
}

#[test]
fn a_real_table_gives_its_rows() {
    let Some(bytes) = shared("scifact/qrels/test.tsv") else {
        return;
    };
    let document = try_read("test.tsv", &bytes).unwrap();
    assert!(document.text.starts_with(
        "| query-id | corpus-id | score |\n| --- | --- | --- |\n| 1 | 31715818 | 1 |\n"
    ));
    let rows = document
        .marks
        .iter()
        .filter(|mark| matches!(mark.place, Place::Part(_)));
    assert_eq!(rows.count(), 339);
    assert_eq!(
        document.properties[1],
        extract_core::Property::number("rows", 339.0)
    );
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All texts in a value that no one would leave out.
fn texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) if text.len() < 200 => vec![text.clone()],
        serde_json::Value::Array(values) => values.iter().flat_map(texts).collect(),
        serde_json::Value::Object(values) => values.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), name in 0..NAMES.len()) {
        let _ = try_read(NAMES[name], &bytes);
    }

    #[test]
    fn any_text_is_read(text in "[\\[\\]{}<>*/=~+_|:.,;#\"'`$%&\\\\a-c0-2é \\-\n]{0,300}", name in 0..NAMES.len()) {
        let _ = try_read(NAMES[name], text.as_bytes());
    }

    #[test]
    fn markup_in_pieces_is_read(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "#+begin_src x\n", "#+end_src\n", ":PROPERTIES:\n", ":END:\n", "* TODO a :b:\n", "| a | b |\n", "|---+---|\n",
            "[[a][b]]", "- a :: b\n", "  ", "\n", "====\n", "Title\n", ".. note:: x\n", ".. _a: b\n", "`a <b>`_", "a_ ", ":f: v\n", "::\n\n",
            "\\begin{verbatim}\n", "\\end{verbatim}\n", "\\section{a}\n", "$x$", "\\\"{o}", "[source,c]\n", "----\n", "|===\n", "https://a[b]",
            "00:00:01.000 --> 00:00:02.000\n", "<v A>", "<a b='c'>", "</a>", "<![CDATA[x]]>", "&amp;", "{\"a\": ", "[1, ", "}", "]", ",", "\"é\\", "é", "WEBVTT\n",
        ]), 0..40),
        name in 0..NAMES.len(),
    ) {
        let _ = try_read(NAMES[name], pieces.concat().as_bytes());
    }
}
