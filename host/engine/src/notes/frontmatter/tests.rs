use proptest::prelude::*;

use super::*;

fn set(tags: &[&str]) -> TagChange {
    TagChange::Set(tags.iter().map(|tag| (*tag).to_owned()).collect())
}

fn change(add: &[&str], remove: &[&str]) -> TagChange {
    let owned = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
    TagChange::Change {
        add: owned(add),
        remove: owned(remove),
    }
}

fn tagged(note: &str, tags: TagChange) -> Result<String, Refusal> {
    let edit = Edit {
        tags: Some(tags),
        ..Edit::default()
    };
    super::edit(note, &edit)
}

fn titled(note: &str, title: &str) -> Result<String, Refusal> {
    let edit = Edit {
        title: Some(title.to_owned()),
        ..Edit::default()
    };
    super::edit(note, &edit)
}

#[test]
fn a_title_is_changed_where_it_stands() {
    for (before, after) in [
        (
            "---\ntitle: Old # why\nx: 1\n---\nText\n",
            "---\ntitle: New one # why\nx: 1\n---\nText\n",
        ),
        (
            "---\nx: 1\nTitle:   'Old'\n---\n",
            "---\nx: 1\nTitle:   'New one'\n---\n",
        ),
        (
            "---\ntitle: \"Old\"\n---\n",
            "---\ntitle: \"New one\"\n---\n",
        ),
        (
            "---\n\"title\" : Old\n...\nText",
            "---\n\"title\" : New one\n...\nText",
        ),
        (
            "---\ntitle:\nx: 1\n---\n",
            "---\ntitle: New one\nx: 1\n---\n",
        ),
        (
            "---\ntitle: # none yet\n---\n",
            "---\ntitle: New one # none yet\n---\n",
        ),
        (
            "---\ntitle: >-\n  Old\n  title\nx: 1\n---\n",
            "---\ntitle: >-\n  New one\nx: 1\n---\n",
        ),
        (
            "---\ntitle: |\n  Old\n---\n",
            "---\ntitle: |\n  New one\n---\n",
        ),
        (
            "---\ntitle: Old\n  title\n\n# c\nx: 1\n---\n",
            "---\ntitle: New one\n\n# c\nx: 1\n---\n",
        ),
        (
            "---\r\nx: 1\r\n---\r\nText\r\n",
            "---\r\nx: 1\r\ntitle: New one\r\n---\r\nText\r\n",
        ),
        (
            "\u{FEFF}---\ntitle: Old\n---\n",
            "\u{FEFF}---\ntitle: New one\n---\n",
        ),
        (
            "---\n{title: Old, x: [1]}\n---\n",
            "---\n{title: New one, x: [1]}\n---\n",
        ),
        ("---\n---\nText\n", "---\ntitle: New one\n---\nText\n"),
        (
            "---\n# only this\n---\n",
            "---\n# only this\ntitle: New one\n---\n",
        ),
        ("Text\n", "---\ntitle: New one\n---\nText\n"),
        ("", "---\ntitle: New one\n---\n"),
        (
            "\u{FEFF}Text\r\n",
            "\u{FEFF}---\r\ntitle: New one\r\n---\r\nText\r\n",
        ),
        // A thematic break is none that opens frontmatter.
        (
            "---\nText\n---\nMore\n",
            "---\ntitle: New one\n---\n---\nText\n---\nMore\n",
        ),
        ("---\nText\n", "---\ntitle: New one\n---\n---\nText\n"),
    ] {
        assert_eq!(
            titled(before, "New one").as_deref(),
            Ok(after),
            "{before:?}"
        );
    }
    let quoted = titled("---\ntitle: Old\n---\n", "A: \"b\" # c").unwrap();
    assert_eq!(quoted, "---\ntitle: \"A: \\\"b\\\" # c\"\n---\n");
    let same = "---\ntitle:  'It''s' \n---\n";
    assert_eq!(titled(same, "It's").unwrap(), same);
}

#[test]
fn tags_are_changed_in_the_style_they_are_written_in() {
    let cases = [
        // Lists by dashes.
        (
            "tags:\n  - a\n  - b # two\nx: 1\n",
            "tags:\n  - a\n  - b # two\n  - c\nx: 1\n",
            change(&["c"], &[]),
        ),
        ("tags:\n- a\n- b\n", "tags:\n- b\n", change(&[], &["A"])),
        (
            "tags:\n  -   a\n  # kept\n  - b\n",
            "tags:\n  # kept\n  - b\n  - c\n",
            change(&["c"], &["a"]),
        ),
        ("tags:\n  - a\n  - b\nx: 1\n", "tags: []\nx: 1\n", set(&[])),
        ("tags:\n  -\nx: 1\n", "tags: [a]\nx: 1\n", set(&["a"])),
        (
            "tags:\n  - a\nx: 1\n",
            "tags:\n  - \"2024\"\nx: 1\n",
            set(&["2024"]),
        ),
        // In brackets.
        (
            "tags: [a, \"b\" , c]\n",
            "tags: [a, \"b\" , c, d]\n",
            change(&["d"], &["z"]),
        ),
        (
            "tags: [a, b, c] # x\n",
            "tags: [b, d] # x\n",
            change(&["d"], &["a", "c"]),
        ),
        ("tags: [a, b,]\n", "tags: [b,]\n", change(&[], &["a"])),
        ("tags: []\n", "tags: [a, b]\n", set(&["a", "b"])),
        ("tags: [a]\n", "tags: []\n", set(&[])),
        ("tags: [a, b]\n", "tags: [c]\n", set(&["c"])),
        (
            "tags: [\n  a,\n  b\n]\n",
            "tags: [\n  a,\n  b, c\n]\n",
            change(&["c"], &[]),
        ),
        // One text.
        ("tags: a, b\n", "tags: a, b, c\n", change(&["c"], &[])),
        ("tags: a b\n", "tags: a b c\n", change(&["c"], &[])),
        ("tags: 'a b'\n", "tags: 'b'\n", change(&[], &["a"])),
        ("tags: a\n", "tags: a, b\n", change(&["b"], &[])),
        ("tags: a\n", "tags: []\n", set(&[])),
        ("tag: a\n", "tag: a, b\n", change(&["b"], &[])),
        // Nothing, and what YAML takes for nothing.
        ("tags:\nx: 1\n", "tags: [a]\nx: 1\n", set(&["a"])),
        ("tags: # soon\n", "tags: [a] # soon\n", set(&["a"])),
        (
            "tags: #a #b\nx: 1\n",
            "tags: [a, b, c]\nx: 1\n",
            change(&["c"], &[]),
        ),
        ("x: 1\n", "x: 1\ntags: [a]\n", set(&["a"])),
        ("x: 1\n", "x: 1\n", set(&[])),
        // Both keys.
        (
            "tags: [a]\ntag: b\n",
            "tags: [a, c]\ntag: []\n",
            set(&["a", "c"]),
        ),
        // What is there already stays as it is written.
        (
            "tags: [ \"#A\",b ]\n",
            "tags: [ \"#A\",b ]\n",
            set(&["b", "a"]),
        ),
    ];
    for (before, after, change) in cases {
        for newline in ["\n", "\r\n"] {
            let note = |yaml: &str| format!("---\n{yaml}---\nText\n").replace('\n', newline);
            let done = tagged(&note(before), change.clone());
            assert_eq!(done, Ok(note(after)), "{before:?} {change:?}");
        }
    }
}

#[test]
fn what_cannot_be_changed_alone_is_refused() {
    for (yaml, why) in [
        ("tags: [a\n", "not valid YAML (line"),
        ("a: b: c\n", "not valid YAML (line 2"),
        ("tags: {a: b}\n", "neither a text nor a list"),
        ("tags: &x [a]\nmore: *x\n", "neither a text nor a list"),
        ("x: &t [a]\ntags: *t\n", "neither a text nor a list"),
        ("tags:\n  - [a]\n", "neither a text nor a list"),
        ("tags: [a]\ntags: [b]\n", "more than once"),
        ("{x: 1}\n", "in braces"),
        ("tags:\n  - # first\n  - b\n", "comments among them"),
    ] {
        let done = tagged(&format!("---\n{yaml}---\nText\n"), set(&["new"]));
        assert!(
            done.as_ref().is_err_and(|error| error.contains(why)),
            "{yaml:?}: {done:?}"
        );
    }
    let open = titled("---\ntitle: x\nText\n", "y");
    assert!(open.is_err_and(|error| error.contains("never closed")));
    let list = titled("---\ntitle: [a]\n---\n", "y");
    assert!(list.is_err_and(|error| error.contains("not a plain text")));
}

#[test]
fn frontmatter_that_yaml_does_not_take_gets_no_second_block_above() {
    for note in [
        "---\ntitle:\tA\ntags:\t[x]\n---\nB\n",
        "---\rtitle: A\r---\rBody\r",
        "---\ntitle: A\r---\rBody\r\n",
        "---\ntitle:A\ntags:x\n---\nB\n",
        "---\n\"title\":\t[A\n---\nB\n",
        "---\n  title:\t[A\n---\nB\n",
    ] {
        for mark in ["", "\u{FEFF}"] {
            let note = format!("{mark}{note}");
            let done = tagged(&note, change(&["new"], &[]));
            let is_one = |after: &String| {
                let blocks = after.matches("---").count() / 2;
                blocks == 1 && after.starts_with(note.get(..mark.len() + 4).unwrap())
            };
            assert!(done.as_ref().map_or(true, is_one), "{note:?}: {done:?}");
        }
    }
    // A text after a thematic break is none, whatever it holds.
    for text in ["See http://example.org\n", "At 12:30\n", "**Note**\n"] {
        let note = format!("---\n{text}---\nB\n");
        let done = tagged(&note, change(&["new"], &[]));
        assert_eq!(done, Ok(format!("---\ntags: [new]\n---\n{note}")));
    }
}

#[test]
fn comments_in_a_bracket_list_of_tags_are_not_dropped() {
    for list in [
        "tags: [\n  a,\n  b, # foo\n  c,\n]\n",
        "tags: [\n  a,\n  # foo\n  c\n]\n",
        "tags: [ # foo\n  a,\n  b]\n",
    ] {
        for tags in [set(&["only"]), set(&[]), change(&[], &["a"])] {
            for newline in ["\n", "\r\n"] {
                let note = format!("---\n{list}---\nText\n").replace('\n', newline);
                if let Ok(done) = tagged(&note, tags.clone()) {
                    assert!(done.contains("# foo"), "{note:?} {tags:?}: {done:?}");
                }
            }
        }
    }
    let all = tagged(
        "---\ntags: [\n  a,\n  b, # foo\n  c,\n]\n---\n",
        set(&["only"]),
    );
    assert!(all.is_err_and(|error| error.contains("comments among them")));
}

#[test]
fn a_new_line_ends_as_the_one_before_it() {
    assert_eq!(
        tagged(
            "---\r\ntags:\n  - a\nx: 1\r\n---\r\nText\n",
            change(&["b"], &[])
        )
        .unwrap(),
        "---\r\ntags:\n  - a\n  - b\nx: 1\r\n---\r\nText\n"
    );
    assert_eq!(
        titled("---\r\nx: 1\n---\r\nText\r\n", "New").unwrap(),
        "---\r\nx: 1\ntitle: New\n---\r\nText\r\n"
    );
    assert_eq!(
        titled("---\nx: 1\r\n---\nText\n", "New").unwrap(),
        "---\nx: 1\r\ntitle: New\r\n---\nText\n"
    );
}

/// A key that is none of ours, with a value of any shape.
fn other() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "rating: 5",
        "'quoted key': \"a: b\"",
        "list: [1, 'two', {three: 3}]",
        "nested:\n  title: not this\n  tags: [nor, these]",
        "block: |\n  title: no\n\n  tags: no",
        "folded: >-\n  one\n  two",
        "dashes:\n- a # c\n- b",
        "date: 2024-03-01",
        "empty:",
        "ümlaut: 日本 # コメント",
        "anchor: &a x\nalias: *a",
        "multi: one\n  two",
        "# a comment",
        "",
        "#another: comment",
        "key with spaces: true",
    ])
    .prop_map(str::to_owned)
}

fn own_title() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec![
        "title: Old",
        "title:",
        "Title: 'Old ''one'''  # c",
        "title: \"Old\\n\"",
        "title:    Old: one".trim_end_matches(": one"),
        "title: |-\n  Old",
        "\"title\": Old",
    ]))
    .prop_map(|title| title.map(str::to_owned))
}

fn own_tags() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec![
        "tags: [a, b]",
        "tags: [ a , 'b' ] # c",
        "tags:\n  - a\n  - b",
        "tags:\n- a\n- \"b\" # c",
        "tags: a, b",
        "tags: a b",
        "tag: a",
        "tags:",
        "tags: []",
        "tags: #a #b",
        "Tags: ['#a', b c]",
        "tags: [\n  a,\n  b,\n]",
    ]))
    .prop_map(|tags| tags.map(str::to_owned))
}

prop_compose! {
    fn document()(
        before in prop::collection::vec(other(), 0..4),
        title in own_title(),
        between in prop::collection::vec(other(), 0..3),
        tags in own_tags(),
        after in prop::collection::vec(other(), 0..4),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        mark in prop::sample::select(vec!["", "\u{FEFF}"]),
        body in "(Text\n|---\n|title: x\n|\n|# H\n){0,6}",
    ) -> (String, String) {
        let mut keys = std::collections::HashSet::new();
        let others = before.into_iter().chain(title).chain(between).chain(tags).chain(after);
        // Each once, as a key may stand once.
        let yaml: Vec<String> = others.filter(|line| line.is_empty() || keys.insert(line.clone())).collect();
        let yaml = yaml.iter().map(|line| format!("{line}\n")).collect::<String>();
        let front = format!("{mark}---\n{yaml}---\n").replace('\n', newline);
        (front, body.replace('\n', newline))
    }
}

/// The lines of a front that are neither title nor tags, as they stand.
fn others_of(front: &str) -> Vec<String> {
    let text = front.trim_start_matches('\u{FEFF}');
    let block = between_dashes(text).unwrap().unwrap();
    let yaml = &text[block];
    let (entries, _) = keys(yaml).unwrap();
    let mut out = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let key = entry.key.clone().unwrap();
        let ours = key.eq_ignore_ascii_case("title") || is_tags(&key);
        let end = entries.get(at + 1).map_or(yaml.len(), |next| next.at.start);
        let written = &yaml[entry.at.start..end];
        match ours {
            // Comments and blank lines behind it are not its value.
            true => {
                let lines = written.lines().skip(1).map(str::trim);
                out.extend(
                    lines
                        .filter(|line| line.starts_with('#'))
                        .map(str::to_owned),
                );
            }
            false => out.push(written.to_owned()),
        }
    }
    out
}

proptest! {
    #[test]
    fn everything_else_stays_as_it_is((front, body) in document(), title in "[a-z][a-z:# '\"é]{0,12}[a-z]", tags in prop::collection::vec("[a-c]|new|x y", 0..4)) {
        let note = format!("{front}{body}");
        let edit = Edit {
            title: Some(title),
            tags: Some(TagChange::Set(tags)),
            new: Vec::new(),
        };
        let done = super::edit(&note, &edit);
        prop_assert!(done.is_ok(), "{:?} for {:?}", done, note);
        let done = done.unwrap();
        prop_assert!(done.ends_with(&body), "{:?}", done);
        let front_now = &done[..done.len() - body.len()];
        let (before, now) = (others_of(&front), others_of(front_now));
        // A key that is new stands behind all others, and a last line without
        // its own line end gets none here.
        prop_assert_eq!(before, now, "{:?}", done);
        // Doing it again changes nothing.
        prop_assert_eq!(super::edit(&done, &edit).unwrap(), done);
    }

    #[test]
    fn adding_and_taking_away_again_gives_back_the_note((front, body) in document()) {
        let note = format!("{front}{body}");
        let had = others_of(&front);
        let more = tagged(&note, change(&["fresh"], &[])).unwrap();
        prop_assert_ne!(&more, &note);
        let back = tagged(&more, change(&[], &["fresh"])).unwrap();
        let block = between_dashes(back.trim_start_matches('\u{FEFF}')).unwrap().unwrap();
        let now = others_of(&back[..back.len() - body.len()]);
        prop_assert!(!block.is_empty());
        prop_assert_eq!(had, now);
    }

    #[test]
    fn no_note_panics(note in "(---\n|---\r\n|title|tags|: |- |\n|a|\\[|\\]|,|#|'|\"|\\||>|&x |\\*x|  |\u{FEFF}|é){0,30}") {
        let edit = Edit {
            title: Some("New".into()),
            tags: Some(change(&["x"], &["a"])),
            new: vec![("created".into(), "2026-11-30".into())],
        };
        if let Ok(done) = super::edit(&note, &edit) {
            prop_assert_eq!(super::edit(&done, &edit), Ok(done.clone()), "{:?}", note);
        }
    }
}
