use pkb_store::{ChunkHash, ChunkId};

use super::*;

fn mark(offset: u64, place: Place) -> Mark {
    Mark { offset, place }
}

fn text(text: &str, marks: &[Mark]) -> ItemText {
    ItemText {
        text: text.into(),
        marks: marks.to_vec(),
    }
}

fn chunks(spans: &[Range<u64>]) -> Vec<Chunk> {
    (0..)
        .zip(spans)
        .map(|(at, span)| Chunk {
            id: ChunkId(i64::from(at) + 70),
            ordinal: at,
            span: span.clone(),
            headings: Vec::new(),
            context: None,
            hash: ChunkHash::of(""),
        })
        .collect()
}

fn find(
    text: &ItemText,
    chunks: &[Chunk],
    part: Part,
    around: Option<u32>,
) -> Result<Stretch, Error> {
    let path = "notes/a.md";
    Whole { path, text, chunks }.find(&ReadRequest { part, around })
}

fn shown<'a>(text: &'a ItemText, chunks: &[Chunk], part: Part, around: Option<u32>) -> &'a str {
    &text.text[find(text, chunks, part, around).unwrap().span]
}

fn wrong(text: &ItemText, part: Part, around: Option<u32>) -> String {
    let error = find(text, &[], part, around).unwrap_err();
    format!("{error} {}", error.hint().unwrap_or_default())
}

#[test]
fn lines_are_those_of_the_original() {
    let text = text(
        "a\nb\nc\nd",
        &[mark(0, Place::Line(4)), mark(4, Place::Line(9))],
    );
    let lines = |from, to| shown(&text, &[], Part::Lines(from, to), None);
    assert_eq!(lines(5, 9), "b\nc\n");
    assert_eq!(lines(10, 99), "d");
    assert_eq!(lines(1, 4), "a\n");
    assert!(wrong(&text, Part::Lines(1, 3), None).contains("from line 4 to line 10"));
    assert!(wrong(&text, Part::Lines(11, u32::MAX), None).contains("lines 11 to the end"));
    let plain = self::text("a", &[]);
    assert!(wrong(&plain, Part::Lines(1, 1), None).contains("not a file of lines"));
}

#[test]
fn pages_are_those_that_are_marked() {
    let text = text(
        "one two three",
        &[
            mark(0, Place::Page(1)),
            mark(4, Place::Page(2)),
            mark(4, Place::Page(3)),
            mark(8, Place::Page(4)),
        ],
    );
    let pages = |from, to| shown(&text, &[], Part::Pages(from, to), None);
    assert_eq!(pages(1, 1), "one ");
    assert_eq!(pages(3, 3), "two ");
    assert_eq!(pages(1, 3), "one two ");
    assert_eq!(pages(3, u32::MAX), "two three");
    // A page without text, one that is not there, an item without pages.
    assert!(wrong(&text, Part::Pages(2, 2), None).contains("no text on page 2"));
    assert!(wrong(&text, Part::Pages(5, 9), None).contains("from page 1 to page 4"));
    let plain = self::text("a", &[mark(0, Place::Line(1))]);
    assert!(wrong(&plain, Part::Pages(1, 1), None).contains("leave --page out"));
}

#[test]
fn a_heading_brings_all_below_it() {
    let text = text(
        "# One\n\na\n\n## Same\n\nb\n\n# Two\n\n## Same\n\nc\n",
        &[mark(0, Place::Line(1))],
    );
    let part = |wanted: &str| Part::Heading(wanted.into());
    assert_eq!(
        shown(&text, &[], part("one"), None),
        "# One\n\na\n\n## Same\n\nb\n\n"
    );
    let first = find(&text, &[], part("Same"), None).unwrap();
    assert_eq!(&text.text[first.span], "## Same\n\nb\n\n");
    assert_eq!(first.headings, ["One", "Same"]);
    assert!(
        first.notes[0].contains("Two > Same (line 11)"),
        "{:?}",
        first.notes
    );
    let second = find(&text, &[], part("Two > Same"), None).unwrap();
    assert_eq!(
        (&text.text[second.span], second.notes.len()),
        ("## Same\n\nc\n", 0)
    );
    let said = wrong(&text, part("Smae"), None);
    assert!(said.contains("Did you mean One > Same"), "{said}");
    assert!(said.contains("It has 4 headings."), "{said}");
    let said = wrong(&text, part("zzzzzzzzzzzz"), None);
    assert!(
        said.contains("Did you mean One, One > Same, Two, Two > Same?"),
        "{said}"
    );
    let plain = self::text("no heading", &[]);
    assert!(wrong(&plain, part("x"), None).contains("no headings at all"));
}

#[test]
fn chunks_around_a_place() {
    let text = text("aa\nbb\n\ncc\ndd\nee\n", &[mark(0, Place::Line(1))]);
    let chunks = chunks(&[0..2, 3..5, 7..9, 10..12, 13..15]);
    let around = |part, count| shown(&text, &chunks, part, Some(count));
    assert_eq!(around(Part::Lines(4, 4), 0), "cc");
    assert_eq!(around(Part::Lines(4, 4), 1), "bb\n\ncc\ndd");
    assert_eq!(around(Part::Lines(4, 5), 1), "bb\n\ncc\ndd\nee");
    assert_eq!(around(Part::Lines(1, 1), 1), "aa\nbb");
    assert_eq!(around(Part::Lines(6, 6), u32::MAX), "aa\nbb\n\ncc\ndd\nee");
    // An empty line belongs to the chunk after it.
    assert_eq!(around(Part::Lines(3, 3), 0), "cc");
    assert_eq!(around(Part::Chunk(71), 1), "aa\nbb\n\ncc");
    assert_eq!(shown(&text, &chunks, Part::Chunk(74), None), "ee");
    let gone = find(&text, &chunks, Part::Chunk(7), None).unwrap_err();
    assert!(gone.to_string().contains("no chunk 7"), "{gone}");
    assert!(wrong(&text, Part::Whole, Some(1)).contains("needs a place"));
    // Of an item that has no chunks, the place alone.
    assert_eq!(shown(&text, &[], Part::Lines(1, 1), Some(3)), "aa\n");
}

#[test]
fn overlapping_chunks_show_no_text_twice() {
    let text = text("one two three four", &[mark(0, Place::Line(1))]);
    let chunks = chunks(&[0..8, 4..13, 8..18]);
    assert_eq!(
        shown(&text, &chunks, Part::Chunk(70), Some(1)),
        "one two three"
    );
}
