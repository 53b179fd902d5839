use super::*;
use extract_core::{LinkKind, Mark};

#[test]
fn headings_states_and_tags() {
    let document = read(
        "#+TITLE: My plan\n#+AUTHOR: Ada\n#+FILETAGS: :work:home:\n#+DATE: <2024-03-01 Fri>\n#+TODO: OPEN | SHUT\n\n* TODO [#A] Buy *milk* :shop:food:\n  SCHEDULED: <2024-03-02 Sat>\n  :PROPERTIES:\n  :Effort: 1:00\n  :ID: abc\n  :END:\n  Indented text.\n*** SHUT Deep\n* No:tag: here\n",
    );
    assert_eq!(
        document.text,
        "\n# TODO Buy **milk**\nSCHEDULED: 2024-03-02 Sat\nIndented text.\n### SHUT Deep\n# No:tag: here\n"
    );
    assert_eq!(document.title, "My plan");
    assert_eq!(
        document.tags,
        ["work", "home", "shop", "food", "TODO", "SHUT"]
    );
    assert_eq!(
        document.properties,
        [
            Property::text("author", "Ada"),
            Property::timestamp("created", 1_709_251_200_000),
            Property::text("effort", "1:00"),
        ]
    );
    let line = |needle: &str| {
        let at = document.text.find(needle).unwrap();
        document
            .marks
            .iter()
            .find(|mark| mark.offset == at)
            .cloned()
    };
    assert_eq!(document.marks[0], Mark::line(0, 6));
    assert_eq!(
        line("Indented"),
        Some(Mark::line(document.text.find("Indented").unwrap(), 13))
    );
}

#[test]
fn links_and_emphasis() {
    let document = read(
        "See [[https://e.example/a b][the /page/]] and [[file:notes.org::*Head]], ~a*b~ =c=, /it/ a/b/c.\n[[./pic.png]] +gone+ 2*3*4 [fn:1]\n\n[fn:1] Note.\n",
    );
    assert_eq!(
        document.text,
        "See [the /page](<https://e.example/a b>) and [notes.org](notes.org), `a*b` `c`, *it* a/b/c.\n![](./pic.png) ~~gone~~ 2*3*4 [^1]\n\n[^1]: Note.\n"
    );
    let links: Vec<_> = document
        .links
        .iter()
        .map(|link| (link.kind, link.target.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            (LinkKind::Hyperlink, "https://e.example/a b"),
            (LinkKind::Hyperlink, "notes.org"),
            (LinkKind::Image, "./pic.png"),
        ]
    );
    for link in &document.links {
        assert!(document.text[link.span.start..link.span.end].ends_with(')'));
    }
}

#[test]
fn links_lead_to_headings_and_files() {
    let document = read("[[*My plan]] [[file:a%20b.org][x]]\n");
    assert_eq!(document.text, "[#My plan](<#My plan>) [x](a%20b.org)\n");
    let [heading, file] = document.links.as_slice() else {
        panic!("{:?}", document.links);
    };
    assert_eq!(
        (heading.target.as_str(), heading.heading.as_deref()),
        ("", Some("My plan"))
    );
    assert_eq!(file.target, "a b.org");
}

#[test]
fn blocks_tables_and_lists() {
    let document = read(
        "#+BEGIN_SRC rust :results none\n  fn main() {\n    ,* x\n  }\n#+END_SRC\n#+begin_quote\nWise\n#+end_quote\n| a | b |\n|---+---|\n| 1 | 2 |\n\n- one\n  + two\n    more\n- term :: what\n: fixed\n# comment\n#+BEGIN_COMMENT\nx\n#+END_COMMENT\nend\n",
    );
    assert_eq!(
        document.text,
        "```rust\nfn main() {\n  * x\n}\n```\n\n> Wise\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n- one\n    - two\n       more\n- **term**: what\n\n```\nfixed\n```\nend\n"
    );
    let lines: Vec<u32> = document
        .marks
        .iter()
        .filter(|mark| document.text[mark.offset..].starts_with("end"))
        .map(|mark| match mark.place {
            extract_core::Place::Line(line) => line,
            _ => 0,
        })
        .collect();
    assert_eq!(lines, [22]);
}
