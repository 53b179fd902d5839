use super::{assert_finds, found, unstemmed};

/// The first variant of the first word that a query and a document share.
fn shared(query: &str, document: &str) -> Option<String> {
    let document = super::analyze(document);
    super::analyze(query)
        .into_iter()
        .find(|term| document.iter().any(|other| other.text == term.text))
        .map(|term| term.text)
}

#[test]
fn each_is_found_whole_and_by_part() {
    let note = "see DEC-0054, node.js, C++ and C#; foo_bar, camelCase, user@example.org, \
                /usr/share (`--dry-run`) v1.2.3 #tag.";
    for (query, whole) in [
        ("DEC-0054", "dec0054"),
        ("dec_0054", "dec0054"),
        ("node.js", "nodejs"),
        ("NodeJS", "nodejs"),
        ("C++", "c++"),
        ("c#", "c#"),
        ("foo_bar", "foobar"),
        ("fooBar", "foobar"),
        ("camelCase", "camelcase"),
        ("camel_case", "camelcase"),
        ("user@example.org", "user@example.org"),
        ("example.org", "exampleorg"),
        ("/usr/share", "/usr/share"),
        ("--dry-run", "--dry-run"),
        ("dry-run", "dryrun"),
        ("v1.2.3", "v1.2.3"),
        ("#tag", "#tag"),
    ] {
        assert_eq!(shared(query, note).as_deref(), Some(whole), "{query}");
    }
    let parts = "0054 node js c foo bar camel case user example org usr share dry run tag";
    assert!(
        found(parts, note).iter().all(Option::is_some),
        "{:?}",
        found(parts, note)
    );
    assert_finds(
        "0054 case share",
        note,
        &["0054", "camelCase", "/usr/share"].map(|whole| match whole {
            "camelCase" => "Case",
            "/usr/share" => "share",
            other => other,
        }),
    );
}

#[test]
fn a_quoted_flag() {
    assert_finds(
        "\"--dry-run\"",
        "use **--dry-run** first",
        &["--dry-run", "run"],
    );
    assert_finds("\"--dry-run\"", "a dry run", &["dry", "run"]);
}

#[test]
fn a_unit() {
    assert_finds("GB/s", "it does 3 GB/s.", &["GB/s", "s"]);
    assert_eq!(shared("gb/S", "3 GB/s").as_deref(), Some("gb/s"));
}

#[test]
fn joints_between_digits_stay() {
    assert_eq!(unstemmed("v1.2.3"), "v1.2.3 v1 | 2 | 3");
    assert_eq!(shared("v12", "v1.2.3"), None);
    assert_eq!(unstemmed("2024-01-02"), "2024-01-02 2024 | 01 | 02");
    assert_eq!(unstemmed("1,000 1,5"), "1000 | 1,5");
    assert_eq!(unstemmed("50%"), "50% 50");
}

#[test]
fn addresses_have_names_and_names_have_words() {
    assert_eq!(
        unstemmed("https://help.obsidian.md/foo/bar-2?x=1#y"),
        "https://help.obsidian.md/foo/bar-2?x=1#y https | helpobsidianmd help | \
         obsidian | md | foo | bar2 bar | 2 | x | 1 | y"
    );
    assert_finds(
        "std::fs .config",
        "std::fs::read /home/.config",
        &["std", "fs", ".config"].map(|word| if word == ".config" { "config" } else { word }),
    );
}

#[test]
fn capitals_tell_words_apart() {
    assert_eq!(unstemmed("HTTPServer"), "httpserver http | server");
    assert_eq!(unstemmed("URLs pH NASA"), "urls | ph | nasa");
    assert_eq!(unstemmed("iPhone mRNA"), "iphone phone | mrna rna");
}

#[test]
fn markup_is_no_identifier() {
    let note =
        "# Title\n- item **bold** _emph_ `code` [text](link) [[wiki|alias]] ~~gone~~ a--b end.";
    let plain = "Title item bold emph code text link wiki alias gone a b end";
    assert_eq!(unstemmed(note), unstemmed(plain));
}

#[test]
fn a_tag_of_any_script() {
    assert_eq!(shared("#项目", "看 #项目 吧").as_deref(), Some("#项目"));
    assert_eq!(shared("项目", "看 #项目 吧").as_deref(), Some("项目"));
    assert_eq!(
        shared("#café/Été", "a #café/été b").as_deref(),
        Some("#cafe/ete")
    );
}
