use std::fs;

use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::edit::{find, put, take, take_apart};
use super::*;

const SLOT: Slot = Slot {
    section: "mcpServers",
    name: "pkb",
};

fn entry() -> Entry {
    Entry {
        typed: false,
        command: "/usr/bin/pkb".into(),
        args: vec!["serve".into()],
    }
}

fn added(text: &str) -> String {
    put(text, SLOT, &entry(), false).unwrap().unwrap()
}

fn taken(text: &str, before: Before) -> Left {
    take(text, SLOT, before).unwrap().unwrap()
}

#[test]
fn a_new_file_is_laid_out_as_people_do() {
    let text = added("");
    assert_eq!(
        text,
        r#"{
  "mcpServers": {
    "pkb": {
      "command": "/usr/bin/pkb",
      "args": ["serve"]
    }
  }
}
"#
    );
    assert_eq!(taken(&text, Before::Absent), Left::Nothing);
    assert_eq!(taken(&text, Before::Text("")), Left::Text(String::new()));
    assert_eq!(added("{}"), text.trim_end());
    assert_eq!(added("// mine"), format!("// mine\n{text}"));
}

#[test]
fn what_is_there_sets_the_style() {
    let tabs =
        "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {\"url\": \"u\"}, // x\n\t},\n}\n";
    assert_eq!(
        added(tabs),
        "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {\"url\": \"u\"}, // x\n\t\t\"pkb\": {\n\t\t\t\"command\": \"/usr/bin/pkb\",\n\t\t\t\"args\": [\"serve\"]\n\t\t},\n\t},\n}\n"
    );
    let lines = "{\r\n    \"mcpServers\": {\r\n    }\r\n}";
    assert_eq!(
        added(lines),
        "{\r\n    \"mcpServers\": {\r\n        \"pkb\": {\r\n            \"command\": \"/usr/bin/pkb\",\r\n            \"args\": [\"serve\"]\r\n        }\r\n    }\r\n}"
    );
    assert_eq!(
        added(r#"{"mcpServers": {"x": {}}, "a": 1}"#),
        r#"{"mcpServers": {"x": {}, "pkb": {"command": "/usr/bin/pkb", "args": ["serve"]}}, "a": 1}"#
    );
    assert_eq!(
        added(r#"{"a": 1}"#),
        r#"{"a": 1, "mcpServers": {"pkb": {"command": "/usr/bin/pkb", "args": ["serve"]}}}"#
    );
    assert_eq!(
        added("{\n  \"a\": 1 // one\n}"),
        "{\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"pkb\": {\n      \"command\": \"/usr/bin/pkb\",\n      \"args\": [\"serve\"]\n    }\n  }\n}"
    );
}

#[test]
fn pkb_that_is_started_otherwise_is_brought_up_to_date_and_keeps_what_was_added() {
    let old = r#"{
  "mcpServers": {
    "pkb": { "command": "/old/pkb", "env": {"A": "b"}, "args": ["serve", "--old"] } // mine
  }
}"#;
    let new = added(old);
    assert_eq!(
        new,
        old.replace("/old/pkb", "/usr/bin/pkb")
            .replace(r#"["serve", "--old"]"#, r#"["serve"]"#)
    );
    assert_eq!(put(&new, SLOT, &entry(), false), Ok(None));
    assert_eq!(
        taken(&new, Before::Text(old)),
        Left::Text("{\n  \"mcpServers\": { // mine\n  }\n}".into())
    );
}

#[test]
fn another_server_of_the_name_is_left_alone_unless_its_place_is_given() {
    for other in [
        r#"{"url": "http://127.0.0.1:1/mcp"}"#,
        r#"{"command": "npx", "args": ["pkb-other"]}"#,
        r#"{"command": "pkb", "args": ["sync"]}"#,
        "7",
    ] {
        let text = format!("{{\n  \"mcpServers\": {{\n    \"pkb\": {other}\n  }}\n}}\n");
        assert!(matches!(
            put(&text, SLOT, &entry(), false),
            Err(Trouble::Other { .. })
        ));
        assert!(matches!(
            take(&text, SLOT, Before::Absent),
            Err(Trouble::Other { .. })
        ));
        let replaced = put(&text, SLOT, &entry(), true).unwrap().unwrap();
        assert_eq!(replaced, added("{}") + "\n");
    }
}

#[test]
fn what_clients_could_not_read_is_refused() {
    for (text, said) in [
        ("{", "Unterminated object (line 1, column 1)"),
        ("{'a': 1}", "line 1, column 2"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2"),
        ("[]", "the file is not an object"),
        ("{\"mcpServers\": []}", "\"mcpServers\" is not an object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "twice"),
        ("{\"mcpServers\": {\"pkb\": 1, \"\\u0070kb\": 2}}", "twice"),
        ("{} {}", "line 1"),
        (&"[".repeat(100_000), "line 1"),
    ] {
        let trouble = put(text, SLOT, &entry(), true).unwrap_err().to_string();
        assert!(trouble.contains(said), "{text:.40}: {trouble}");
    }
}

#[test]
fn only_what_came_with_pkb_goes_with_it() {
    // The section was there.
    let empty = "{\"mcpServers\": { /* none */ }}";
    assert_eq!(
        taken(&added(empty), Before::Text(empty)),
        Left::Text(empty.into())
    );
    // Someone else uses it by now.
    let shared = added("{}").replace("\"pkb\"", "\"x\": {},\n    \"pkb\"");
    assert_eq!(
        taken(&shared, Before::Text("{}")),
        Left::Text("{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}".into())
    );
    // The client wrote the file anew.
    let anew = "{\"theme\":\"dark\",\"mcpServers\":{\"pkb\":{\"args\":[\"serve\"],\"command\":\"/usr/bin/pkb\"}}}";
    assert_eq!(
        taken(anew, Before::Absent),
        Left::Text("{\"theme\":\"dark\"}".into())
    );
    let alone = "{\"mcpServers\":{\"pkb\":{\"args\":[\"serve\"],\"command\":\"/usr/bin/pkb\"}}}";
    assert_eq!(taken(alone, Before::Absent), Left::Nothing);
    assert_eq!(taken(alone, Before::Text("{ }")), Left::Text("{ }".into()));
}

#[test]
fn a_comment_to_the_end_of_its_line_hides_nothing_when_pkb_goes() {
    let text = "{\"mcpServers\": { // mine\n\"pkb\": {\"command\": \"pkb\", \"args\": [\"serve\"]}, \"x\": {}}}";
    let Left::Text(left) = taken(text, Before::Absent) else {
        panic!("it goes whole");
    };
    assert_eq!(value(&left), json!({"mcpServers": {"x": {}}}));
    assert_eq!(comments(&left), ["// mine"]);
}

#[test]
fn files_are_put_back_to_the_byte_and_their_copies_go() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    for text in [
        "{}",
        "",
        "\u{feff}{\r\n\t\"mcpServers\": {}\r\n}\r\n",
        "{\"a\": [1, 2,], /* b */}",
    ] {
        fs::write(&file, text).unwrap();
        let done = install(&file, SLOT, &entry(), false, false).unwrap();
        assert_eq!(done.outcome, Outcome::Added);
        assert_eq!(fs::read_to_string(done.backup.unwrap()).unwrap(), text);
        let again = install(&file, SLOT, &entry(), false, false).unwrap();
        assert_eq!((again.outcome, again.backup), (Outcome::Unchanged, None));
        let other = Entry {
            args: vec!["serve".into(), "--read-only".into()],
            ..entry()
        };
        let changed = install(&file, SLOT, &other, false, false).unwrap();
        assert_eq!((changed.outcome, changed.backup), (Outcome::Updated, None));
        let gone = uninstall(&file, SLOT, 1, false).unwrap();
        assert_eq!((gone.outcome, gone.backup), (Outcome::Removed, None));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_and_its_folders_go_as_they_came() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("Code/User/mcp.json");
    install(&file, SLOT, &entry(), false, true).unwrap();
    assert!(!place.path().join("Code").exists());
    install(&file, SLOT, &entry(), false, false).unwrap();
    uninstall(&file, SLOT, 2, true).unwrap();
    assert!(file.exists());
    uninstall(&file, SLOT, 2, false).unwrap();
    assert!(!place.path().join("Code").exists());
    assert!(place.path().exists());
}

#[test]
fn an_older_copy_that_says_otherwise_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let copy = folder.path().join("mcp.json.pkb-backup");
    fs::write(&copy, "{\"old\": 1}").unwrap();
    fs::write(&file, "{}").unwrap();
    let done = install(&file, SLOT, &entry(), false, false).unwrap();
    assert_eq!(
        done.backup.unwrap(),
        folder.path().join("mcp.json.pkb-backup-2")
    );
    let gone = uninstall(&file, SLOT, 0, false).unwrap();
    assert_eq!(gone.backup, Some(copy.clone()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), "{\"old\": 1}");
}

#[test]
fn pkb_that_its_owner_wrote_down_leaves_what_was_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let by_hand = "{\"mcpServers\": {\"pkb\": {\"command\": \"pkb\", \"args\": [\"serve\"]}}}";
    fs::write(&file, by_hand).unwrap();
    let done = install(&file, SLOT, &entry(), false, false).unwrap();
    assert_eq!(fs::read_to_string(done.backup.unwrap()).unwrap(), by_hand);
    uninstall(&file, SLOT, 0, false).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"mcpServers\": {}}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("dotfiles.json");
    let link = folder.path().join("settings.json");
    symlink("dotfiles.json", &link).unwrap();
    // A link to nothing yet.
    install(&link, SLOT, &entry(), false, false).unwrap();
    assert!(real.exists());
    uninstall(&link, SLOT, 0, false).unwrap();
    assert!(!real.exists() && link.is_symlink());

    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let done = install(&link, SLOT, &entry(), false, false).unwrap();
    assert_eq!(done.linked.as_deref(), Some(real.as_path()));
    assert!(link.is_symlink());
    for file in [&real, &done.backup.unwrap()] {
        let mode = fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    uninstall(&link, SLOT, 0, false).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");

    symlink("circle", folder.path().join("circle")).unwrap();
    assert!(install(&folder.path().join("circle"), SLOT, &entry(), false, false).is_err());
    assert!(install(folder.path(), SLOT, &entry(), false, false).is_err());
}

#[test]
fn a_file_that_is_no_text_or_no_json_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    for bytes in [b"\xff\xfe{\0}\0".as_slice(), b"{\"a\": }"] {
        fs::write(&file, bytes).unwrap();
        assert!(install(&file, SLOT, &entry(), true, false).is_err());
        assert!(uninstall(&file, SLOT, 0, false).is_err());
        assert_eq!(fs::read(&file).unwrap(), bytes);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

fn value(text: &str) -> Json {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).unwrap();
    parsed.value.map_or(Json::Null, Json::from)
}

fn comments(text: &str) -> Vec<String> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).unwrap();
    let tokens = parsed.tokens.unwrap().into_iter();
    tokens
        .filter_map(|token| match token.token {
            Token::CommentLine(text) => Some(format!("//{text}")),
            Token::CommentBlock(text) => Some(format!("/*{text}*/")),
            _ => None,
        })
        .collect()
}

/// A document made from random bytes, odd as only a person or a broken program
/// would write it.
struct Writer<'a> {
    choices: std::slice::Iter<'a, u8>,
    newline: &'static str,
    text: String,
}

impl Writer<'_> {
    fn document(choices: &[u8], with_pkb: bool) -> String {
        let mut writer = Writer {
            choices: choices.iter(),
            newline: "\n",
            text: String::new(),
        };
        writer.newline = ["\n", "\r\n", "\r"][writer.below(3)];
        writer.trivia();
        if with_pkb || writer.below(12) > 0 {
            writer.root(with_pkb);
            writer.trivia();
        }
        writer.text
    }

    fn below(&mut self, many: usize) -> usize {
        usize::from(*self.choices.next().unwrap_or(&0)) % many
    }

    fn trivia(&mut self) {
        for _ in 0..self.below(4) {
            let newline = self.newline;
            let some = match self.below(9) {
                0 | 1 => " ".into(),
                2 => newline.into(),
                3 => format!("{newline}  "),
                4 => format!("{newline}\t\t"),
                5 => format!(" // c, }} \" é{newline}"),
                6 => "/* b, { */".into(),
                7 => format!("/* on{newline} two */"),
                _ => "\t".into(),
            };
            self.text.push_str(&some);
        }
    }

    fn root(&mut self, with_pkb: bool) {
        let mut keys = vec!["a", "url", "sérvers"];
        keys.truncate(self.below(4));
        if with_pkb || self.below(2) > 0 {
            let at = self.below(keys.len() + 1);
            keys.insert(at, "mcpServers");
        }
        self.object(&keys, |writer, key| match key {
            "mcpServers" => {
                let mut keys = vec!["x", "pk", "\\u0079"];
                keys.truncate(writer.below(4));
                if with_pkb {
                    let at = writer.below(keys.len() + 1);
                    keys.insert(at, "pkb");
                }
                writer.object(&keys, |writer, key| match key {
                    "pkb" => writer
                        .text
                        .push_str(r#"{"command": "pkb", "args": ["serve"]}"#),
                    _ => writer.value(2),
                });
            }
            _ => writer.value(2),
        });
    }

    fn value(&mut self, depth: usize) {
        let newline = self.newline;
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => self.text.push_str("-1.5e3"),
            1 => self.text.push_str("\"// \\\" /* \u{1f600}\""),
            2 => self.text.push_str("null"),
            3 => self.text.push_str("{}"),
            4 => {
                self.text.push_str(&format!("[1,{newline}"));
                self.value(depth - 1);
                self.trivia();
                self.text.push(']');
            }
            _ => self.object(&["k", "pkb"], |writer, _| writer.value(depth - 1)),
        }
    }

    fn object(&mut self, keys: &[&str], mut value: impl FnMut(&mut Self, &str)) {
        self.text.push('{');
        self.trivia();
        for (index, key) in keys.iter().enumerate() {
            self.text.push_str(&format!("\"{key}\""));
            // What stands within pkb's entry goes with it.
            if *key != "pkb" {
                self.trivia();
            }
            self.text.push(':');
            if *key != "pkb" {
                self.trivia();
            }
            value(self, key);
            self.trivia();
            if index + 1 < keys.len() || self.below(3) == 0 {
                self.text.push(',');
                self.trivia();
            }
        }
        self.text.push('}');
    }
}

fn without_pkb(mut value: Json) -> Json {
    if let Some(servers) = value["mcpServers"].as_object_mut() {
        servers.remove("pkb");
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_is_put_back_to_the_byte(choices in prop::collection::vec(any::<u8>(), 0..120)) {
        let before = Writer::document(&choices, false);
        let after = added(&before);
        prop_assert_eq!(find(&after, SLOT).unwrap(), Some(entry().to_json()));
        prop_assert_eq!(put(&after, SLOT, &entry(), false).unwrap(), None);
        prop_assert_eq!(comments(&after), comments(&before));
        let mut expected = value(&before);
        if expected.is_null() {
            expected = json!({});
        }
        expected["mcpServers"]["pkb"] = entry().to_json();
        prop_assert_eq!(value(&after), expected);
        prop_assert_eq!(taken(&after, Before::Text(&before)), Left::Text(before.clone()));
        // Also where it has to be cut out, as after changes elsewhere.
        if !value(&before).is_null() {
            let cut = take_apart(&after, SLOT, Before::Text(&before)).unwrap().unwrap();
            prop_assert_eq!(cut, Left::Text(before));
        }
    }

    #[test]
    fn two_servers_come_and_go_in_any_order(choices in prop::collection::vec(any::<u8>(), 0..120)) {
        let other = Slot { name: "other", ..SLOT };
        let before = Writer::document(&choices, false);
        let with_other = put(&before, other, &entry(), false).unwrap().unwrap();
        let both = put(&added(&before), other, &entry(), false).unwrap().unwrap();
        let Left::Text(left) = taken(&both, Before::Text(&before)) else {
            return Err(TestCaseError::fail("it goes whole"));
        };
        prop_assert_eq!(value(&left), value(&with_other));
        prop_assert_eq!(comments(&left), comments(&before));
    }

    #[test]
    fn pkb_is_taken_out_wherever_it_stands(choices in prop::collection::vec(any::<u8>(), 0..120)) {
        let with = Writer::document(&choices, true);
        for before in ["{}", "{\"mcpServers\": {}}", "torn {"] {
            let left = match taken(&with, Before::Text(before)) {
                Left::Text(left) => left,
                Left::Nothing => return Err(TestCaseError::fail("it goes whole")),
            };
            prop_assert_eq!(comments(&left), comments(&with));
            let mut expected = without_pkb(value(&with));
            if value(&left).get("mcpServers").is_none() {
                prop_assert_eq!(&expected["mcpServers"], &json!({}));
                expected.as_object_mut().unwrap().remove("mcpServers");
            }
            prop_assert_eq!(value(&left), expected);
            prop_assert_eq!(put(&left, SLOT, &entry(), false).unwrap().is_some(), true);
        }
    }
}
