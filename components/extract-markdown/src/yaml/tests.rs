use super::*;
use proptest::prelude::*;

fn show(node: &Node) -> String {
    match node {
        Node::Scalar { text, plain: true } => text.clone(),
        Node::Scalar { text, plain: false } => format!("{text:?}"),
        Node::List(items) => {
            let items: Vec<_> = items.iter().map(|item| show(item)).collect();
            format!("[{}]", items.join(", "))
        }
        Node::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, node)| format!("{key}: {}", show(node)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn read(text: &str) -> String {
    show(&parse(text).unwrap().root)
}

#[test]
fn values_of_every_shape() {
    assert_eq!(
        read("a: 1\nb: [x, 'y']\nc:\n  - d: e\n  - ~\nf: |\n  g\n  h\n"),
        r#"{a: 1, b: [x, "y"], c: [{d: e}, ~], f: "g\nh\n"}"#
    );
    assert_eq!(read("a: !!str 5\nb: !own 5"), r#"{a: "5", b: 5}"#);
    assert_eq!(read(""), "");
    assert_eq!(read("just words"), "just words");
}

#[test]
fn anchors_and_merges() {
    assert_eq!(read("a: &x [1]\nb: *x"), "{a: [1], b: [1]}");
    assert_eq!(
        read("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}"),
        "{base: {x: 1, y: 2}, own: {y: 3, x: 1}}"
    );
    assert_eq!(read("a: {<<: [{x: 1}, {x: 2}]}"), "{a: {x: 1}}");
    assert_eq!(read("<<: no map"), "{<<: no map}");
}

#[test]
fn the_last_of_repeated_keys_wins() {
    let parsed = parse("a: 1\nb: 2\na: 3\n").unwrap();
    assert_eq!(show(&parsed.root), "{a: 3, b: 2}");
    assert_eq!(parsed.repeated, [("a".to_owned(), 3)]);
}

#[test]
fn what_cannot_be_read_names_its_line() {
    let error = parse("a: b\nc: d: e\n").unwrap_err();
    assert_eq!(error.line, 2);
    assert!(parse("a: {{x}}").unwrap_err().message.contains("key"));
    assert!(parse("a: &x [*x]").unwrap_err().message.contains("alias"));
    assert!(parse("a: *nowhere").is_err());
}

#[test]
fn alias_bombs_do_not_explode() {
    let mut bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*l{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("l{level}: &l{level} [{alias}]\n"));
    }
    assert!(parse(&bomb).unwrap_err().message.contains("values"));

    let long = "x".repeat(100_000);
    let wide = format!("a: &a {long}\nb: [{}]", "*a, ".repeat(1000));
    assert!(parse(&wide).unwrap_err().message.contains("bytes"));

    let mut chain = "a0: &a0 [x]\n".to_owned();
    for level in 1..5000 {
        chain.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert!(parse(&chain).unwrap_err().message.contains("deep"));
}

#[test]
fn depth_is_limited() {
    for nested in ["[", "{a: ", "- "] {
        // The scanner of the parser has a limit of its own.
        let message = parse(&nested.repeat(50_000)).unwrap_err().message;
        assert!(
            message.contains("deep") || message.contains("recursion"),
            "{message}"
        );
    }
    assert!(parse(&format!("{}{}", "[".repeat(16), "]".repeat(16))).is_ok());
}

#[test]
fn keys_are_limited() {
    assert!(parse(&format!("{}: x", "k".repeat(201))).is_err());
    assert!(parse(&format!("{}: x", "k".repeat(200))).is_ok());
}

proptest! {
    #[test]
    fn any_text_gives_a_tree_or_an_error(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "a", " ", "  ", "\n", "\n  ", ": ", ":", "- ", "-", "? ", "[", "]", "{", "}", ", ",
            "#", " #", "&a ", "*a ", "!", "!!str ", "%", "|\n", ">\n", "'", "\"", "\\", "\t", "é",
            "\u{2028}", "~", "<<: ", "---\n", "...\n", "0",
        ]), 0..40)
    ) {
        let text = pieces.concat();
        let lines = text.lines().count() + 2;
        match parse(&text) {
            Ok(parsed) => prop_assert!(parsed.repeated.iter().all(|(_, line)| *line <= lines)),
            Err(error) => prop_assert!(error.line <= lines, "{}", error.line),
        }
    }
}
