use super::*;
use extract_core::{Scalar, Value};
use proptest::prelude::*;

/// Frontmatter and body of a note with this YAML.
fn note(yaml: &str) -> (Front, String) {
    let mut text = format!("---\n{yaml}\n---\nbody\n");
    let front = take(&mut text);
    (front, text)
}

fn show(front: &Front) -> Vec<String> {
    let scalar = |scalar: &Scalar| match scalar {
        Scalar::Text(text) => format!("{text:?}"),
        Scalar::Number(number) => number.to_string(),
        Scalar::Boolean(boolean) => boolean.to_string(),
        Scalar::Timestamp(at) => format!("@{at}"),
    };
    let show = |property: &Property| match &property.value {
        Value::One(one) => format!("{}={}", property.name, scalar(one)),
        Value::Many(many) => {
            let many: Vec<_> = many.iter().map(scalar).collect();
            format!("{}=[{}]", property.name, many.join(" "))
        }
    };
    front.properties.iter().map(show).collect()
}

fn properties(yaml: &str) -> Vec<String> {
    show(&note(yaml).0)
}

fn tags_of(yaml: &str) -> Vec<String> {
    note(yaml).0.tags
}

#[test]
fn the_block_is_taken_off_with_the_blank_lines_after_it() {
    let mut text = "---\ntitle: A\n---\n\n \t\nbody\n".to_owned();
    let front = take(&mut text);
    assert_eq!(text, "body\n");
    assert_eq!(front.body_line, 6);
    assert_eq!(front.title.as_deref(), Some("A"));
    assert!(front.warnings.is_empty());
}

#[test]
fn blocks_end_with_dashes_or_dots_and_may_be_empty() {
    for (whole, rest, line) in [
        ("---\n---\nx", "x", 3),
        ("--- \na: b\n...\nx", "x", 4),
        ("---\n# only a comment\n---\nx", "x", 4),
        ("---\na: b\n---", "", 3),
        ("---\na: b\n---\n", "", 4),
    ] {
        let mut text = whole.to_owned();
        let front = take(&mut text);
        assert_eq!((text.as_str(), front.body_line), (rest, line), "{whole:?}");
        assert!(front.warnings.is_empty());
    }
}

#[test]
fn what_is_no_frontmatter_stays() {
    for whole in [
        "",
        "---",
        "---\n",
        "text\n---\na: b\n---\n",
        "\n---\na: b\n---\n",
        "----\na: b\n----\n",
        "---\n\nJust a thematic break.\n\n---\nmore\n",
        "---\n- a list\n---\n",
        "---\n# Heading\n\ntext\n---\n",
    ] {
        let mut text = whole.to_owned();
        let front = take(&mut text);
        assert_eq!(text, whole);
        assert_eq!(front.body_line, 1);
        assert!(front.warnings.is_empty(), "{:?}", front.warnings);
    }
}

#[test]
fn an_unterminated_block_is_text_with_a_warning() {
    let mut text = "---\ntitle: x\nbody\n".to_owned();
    let front = take(&mut text);
    assert_eq!(text, "---\ntitle: x\nbody\n");
    assert!(front.title.is_none() && front.properties.is_empty());
    assert!(front.warnings[0].contains("never closed"));
}

#[test]
fn prose_between_thematic_breaks_is_not_lost() {
    let prose = "---\nNote: this is prose.\nIt goes on\nfor some lines\nand more.\n---\nend\n";
    let mut text = prose.to_owned();
    let front = take(&mut text);
    assert_eq!(text, prose);
    assert!(front.warnings[0].contains("not YAML"));
}

#[test]
fn an_oversized_block_is_text_with_a_warning() {
    let whole = format!("---\na: {}\n---\n", "x".repeat(MAX_BYTES));
    let mut text = whole.clone();
    let front = take(&mut text);
    assert_eq!(text, whole);
    assert!(front.warnings[0].contains("over the limit"));
}

#[test]
fn properties_are_typed() {
    assert_eq!(
        properties(
            "n: 1.5\nyes: true\nday: 2024-05-01\nat: 2024-05-01 10:30\nq: \"2024-05-01\"\nnone:\nempty: ''\nlist: [a, 2, ~]\nnothing: []"
        ),
        [
            "n=1.5",
            "yes=true",
            "day=@1714521600000",
            "at=@1714559400000",
            "q=\"2024-05-01\"",
            "list=[\"a\" 2]"
        ]
    );
}

#[test]
fn nested_values_are_flattened() {
    assert_eq!(
        properties(
            "a:\n  b: 1\n  c: {d: x}\npeople:\n  - name: A\n    age: 1\n  - name: B\nup: [[Note]]"
        ),
        [
            "a.b=1",
            "a.c.d=\"x\"",
            "people.name=[\"A\" \"B\"]",
            "people.age=[1]",
            "up=[\"Note\"]"
        ]
    );
    assert_eq!(properties("a.b: 1\na: {b: 2}"), ["a.b=2"]);
}

#[test]
fn the_last_of_repeated_keys_wins_with_a_warning() {
    let (front, _) = note("a: 1\ntitle: x\na: 2\ntitle: y");
    assert_eq!(show(&front), ["a=2", "title=\"y\""]);
    assert_eq!(front.title.as_deref(), Some("y"));
    assert_eq!(front.warnings.len(), 2);
    assert!(front.warnings[0].contains("\"a\"") && front.warnings[0].contains("line 4"));
}

#[test]
fn a_colon_in_a_title_is_recovered() {
    let (front, body) = note("tags:\n  - a\n  - b\ntitle: Foo: bar\nn: 3");
    assert_eq!(body, "body\n");
    assert_eq!(front.title.as_deref(), Some("Foo: bar"));
    assert_eq!(front.tags, ["a", "b"]);
    assert_eq!(
        show(&front),
        ["tags=[\"a\" \"b\"]", "title=\"Foo: bar\"", "n=3"]
    );
    assert!(front.warnings[0].contains("line 5"), "{:?}", front.warnings);
    assert!(front.warnings[1].contains("\"title\" on line 5"));
}

#[test]
fn tabs_are_read_as_spaces() {
    let (front, _) = note("tags:\n\t- a\n\t- b\nx:\n\ty: 1");
    assert_eq!(front.tags, ["a", "b"]);
    assert_eq!(show(&front), ["tags=[\"a\" \"b\"]", "x.y=1"]);
    assert_eq!(front.warnings.len(), 1);
}

#[test]
fn broken_yaml_keeps_what_can_be_read() {
    let (front, body) = note(
        "good: 1\nbad: [a, b\nodd: 'unclosed\ntemplate: {{title}}\nrel: [[A]], [[B]]\nlist:\n- x: y: z\n- w\nblock: |\n  kept\nnospace:v\n??? lost",
    );
    assert_eq!(body, "body\n");
    assert_eq!(
        show(&front),
        [
            "good=1",
            "bad=[\"a\" \"b\"]",
            "odd=\"'unclosed\"",
            "template=\"{{title}}\"",
            "rel=\"[[A]], [[B]]\"",
            "list=[\"x: y: z\" \"w\"]",
            "block=\"kept\\n\"",
            "nospace=\"v\"",
        ]
    );
    assert!(
        front.warnings.iter().any(|w| w.contains("Line 13")),
        "{:?}",
        front.warnings
    );
}

#[test]
fn keys_can_be_quoted_and_repeat_in_broken_yaml_too() {
    let (front, _) = note("\"a b\": x: y\na: 1\na: 2\n{");
    assert_eq!(show(&front), ["a b=\"x: y\"", "a=2"]);
    assert!(front.warnings.iter().any(|w| w.contains("again on line 4")));
}

#[test]
fn alias_bombs_cost_a_warning() {
    let mut bomb = "title: Bomb\nl0: &l0 [x, x, x, x, x, x, x, x, x, x]".to_owned();
    for level in 1..12 {
        let alias = format!("*l{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("\nl{level}: &l{level} [{alias}]"));
    }
    let (front, body) = note(&bomb);
    assert_eq!(front.title.as_deref(), Some("Bomb"));
    assert_eq!(body, "body\n");
    assert!(!front.warnings.is_empty());
}

#[test]
fn tags_of_every_shape() {
    for yaml in [
        "tags: [a, b/c]",
        "tags:\n  - a\n  - b/c",
        "tags:\n- a\n- b/c",
        "tags: a, b/c",
        "tags: a b/c",
        "Tags: [\"#a\", '#b/c']",
        "tags: '#a #b/c'",
        "tags: #a #b/c",
        "tags: [#a, #b/c]",
        "tags:\n  - #a\n  - #b/c\nx: y",
        "tag: a\ntags: b/c",
        "tags: [a, b/c] # a comment",
        "tags: [a, ~, '', b/c]",
        "tags: #a, #b/c",
    ] {
        assert_eq!(tags_of(yaml), ["a", "b/c"], "{yaml}");
    }
    assert_eq!(
        tags_of("tags: [machine learning, 2024]"),
        ["machine learning", "2024"]
    );
    assert!(tags_of("tags:").is_empty());
    assert!(tags_of("tags: {a: b}").is_empty());
    assert_eq!(
        properties("x: 1\ntags: #a #b\ny: 2"),
        ["x=1", "y=2", "tags=[\"a\" \"b\"]"]
    );
    assert!(note("tags: #a").0.warnings.is_empty());
}

#[test]
fn aliases_of_every_shape() {
    let aliases = |yaml| note(yaml).0.aliases;
    assert_eq!(aliases("aliases: [A, 'B, C', A]"), ["A", "B, C"]);
    assert_eq!(aliases("alias: A, B"), ["A", "B"]);
    assert_eq!(aliases("Aliases:\n - 2024-05-01\n - "), ["2024-05-01"]);
}

#[test]
fn titles_are_text_whatever_they_look_like() {
    for (yaml, title) in [
        ("title: 2024-05-01", Some("2024-05-01")),
        ("title: 1.10", Some("1.10")),
        ("title: \"Foo: bar\"", Some("Foo: bar")),
        ("title: >\n  a\n  b", Some("a b")),
        ("Title: x", Some("x")),
        ("title:", None),
        ("title: ''", None),
        ("title: [[x]]", Some("x")),
    ] {
        assert_eq!(note(yaml).0.title.as_deref(), title, "{yaml}");
    }
}

proptest! {
    #[test]
    fn any_block_is_read_or_left(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "a", "tags", "title", " ", "  ", "\n", "\n", "\n  ", ": ", ": ", ":", "- ", "[", "]",
            "{", "}", ", ", "#", " #", "&a ", "*a ", "!", "%", "|\n", "'", "\"", "\t", "é",
            "\u{2028}", "~", "<<: ", "---\n", "0", "2024-05-01",
        ]), 0..40)
    ) {
        let whole = format!("---\n{}\n---\nbody\n", pieces.concat());
        let mut text = whole.clone();
        let front = take(&mut text);
        prop_assert!(whole.ends_with(&text));
        let taken = &whole[..whole.len() - text.len()];
        prop_assert_eq!(front.body_line as usize, 1 + taken.matches('\n').count());
    }
}
