use super::*;
use extract_core::Place;

/// The line that the marks say for the first `needle`.
fn line_of(document: &Document, needle: &str) -> u32 {
    let at = document.text.find(needle).unwrap();
    let mark = document
        .marks
        .iter()
        .rfind(|mark| mark.offset <= at)
        .unwrap();
    match mark.place {
        Place::Line(line) => line + document.text[mark.offset..at].matches('\n').count() as u32,
        _ => panic!("{mark:?}"),
    }
}

#[test]
fn sections_by_their_adornments() {
    let document = read(
        "=====\nTitle\n=====\n\n:Author: Ada\n:Date: 2024-03-01\n:tags: one, two words\n\nFirst\n-----\ntext\n\nDeep *one*\n~~~~~~~~~~\n\nSecond\n------\n",
    );
    assert_eq!(
        document.text,
        "# Title\n\n\n\n## First\n\ntext\n\n### Deep *one*\n\n\n## Second\n"
    );
    assert_eq!(document.title, "Title");
    assert_eq!(document.tags, ["one", "two-words"]);
    assert_eq!(
        document.properties,
        [
            Property::text("author", "Ada"),
            Property::timestamp("created", 1_709_251_200_000)
        ]
    );
    assert_eq!(line_of(&document, "# Title"), 2);
    assert_eq!(line_of(&document, "## First"), 9);
    assert_eq!(line_of(&document, "## Second"), 16);
}

#[test]
fn links_code_and_roles() {
    let document = read(
        "See `the page <https://e.example/>`_, Python_ and ``a_b`` or :func:`~os.walk`; [1]_ |name| snake_case_ :doc:`Guide </guide>`.\n\n.. _Python: https://python.example/\n.. [1] A note.\n",
    );
    assert_eq!(
        document.text,
        "See [the page](https://e.example/), [Python](https://python.example/) and `a_b` or `os.walk`; [^1] name snake_case_ [Guide](/guide).\n\n[^1]: A note.\n"
    );
    let targets: Vec<&str> = document
        .links
        .iter()
        .map(|link| link.target.as_str())
        .collect();
    assert_eq!(
        targets,
        ["https://e.example/", "https://python.example/", "/guide"]
    );
    for link in &document.links {
        assert!(document.text[link.span.start..link.span.end].starts_with('['));
    }
}

#[test]
fn links_without_names_and_pictures_for_words() {
    let document = read(
        "|badge|_ and `one`__, `two`__, `just code`.\n\n__ https://one.example/\n.. __: https://two.example/\n.. |badge| image:: b.png\n   :alt: state\n",
    );
    assert_eq!(
        document.text,
        "badge and [one](https://one.example/), [two](https://two.example/), `just code`.\n\n![state](b.png)\n"
    );
}

#[test]
fn directives_and_blocks() {
    let document = read(
        "Look::\n\n    code here\n      deeper\n\n.. code-block:: python\n   :linenos:\n\n   def f():\n       pass\n\n.. note:: Mind the gap\n   and more.\n\n.. image:: a.png\n   :alt: A pic\n\n.. A comment\n   of two lines\n\n- one\n\n  * two\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\nend\n",
    );
    assert_eq!(
        document.text,
        "Look:\n\n```\ncode here\n  deeper\n```\n\n```python\ndef f():\n    pass\n```\n\n**Note:** Mind the gap\nand more.\n\n![A pic](a.png)\n\n\n- one\n\n    - two\n\n```\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n```\n\nend\n"
    );
    assert_eq!(line_of(&document, "code here"), 3);
    assert_eq!(line_of(&document, "def f"), 9);
    assert_eq!(line_of(&document, "and more"), 13);
    assert_eq!(line_of(&document, "- two"), 23);
    assert_eq!(line_of(&document, "end"), 31);
}

#[test]
fn sessions_stay_as_they_were() {
    let document = read("Try:\n\n>>> for x in y:\n...     x\n1\n\nend\n");
    assert_eq!(
        document.text,
        "Try:\n\n```python\n>>> for x in y:\n...     x\n1\n```\n\nend\n"
    );
    assert_eq!(line_of(&document, "end"), 7);
    assert_eq!(line_of(&document, ">>> for"), 3);
    assert_eq!(read("\t>>> x\n\t1\n").text, "```python\n>>> x\n1\n```\n");
}
