use super::*;

#[test]
fn no_query_is_a_syntax_error() {
    let home = Home::new();
    home.put("a.md", "call app.vault.getFiles() from C++ \"quoted\"");
    for term in [
        "\"", "\"\"", "'", "a\"b", "NEAR(", "AND", "OR", "NOT", "*", "^a", "body:x", "-a", "(",
        ")", "{", "+", "\0", "a\0\"b", "\u{e000}", "🦀", "--", ";", "\\", "%", "a OR", " ", "",
    ] {
        let query = LexicalQuery::any([term]);
        home.store
            .lexical(&query, &Filter::default(), 5)
            .unwrap_or_else(|e| panic!("{term:?}: {e}"));
        home.store.highlights(&query, &["text \0 a b"]).unwrap();
    }
    assert_eq!(home.search("app.vault.getFiles"), ["a.md"]);
    assert_eq!(home.search("--- c++ ???"), ["a.md"]);
    assert!(home.search("--- ???").is_empty());
    // A phrase matches in order only.
    let phrase = |words: &str| {
        let found = home
            .store
            .lexical(&LexicalQuery::any([words]), &Filter::default(), 5);
        found.unwrap().len()
    };
    assert_eq!(phrase("vault getfiles"), 1);
    assert_eq!(phrase("getfiles vault"), 0);
    let many: Vec<String> = (0..5000).map(|n| format!("w{n}")).collect();
    let query = LexicalQuery::any(many);
    assert!(
        home.store
            .lexical(&query, &Filter::default(), 5)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn better_matches_come_first_and_ties_go_by_id() {
    let home = Home::new();
    home.put(
        "weak.md",
        "zebra and a great many other words that make this one long",
    );
    home.put("same1.md", "zebra stripes");
    home.put("same2.md", "zebra stripes");
    home.put("none.md", "nothing");
    assert_eq!(home.search("zebra"), ["same1.md", "same2.md", "weak.md"]);
    let found = home
        .store
        .lexical(&LexicalQuery::any(["zebra"]), &Filter::default(), 9)
        .unwrap();
    assert!(found[0].1 > 0.0 && found[0].1 > found[2].1);
    assert!(found[0].1 == found[1].1 && found[0].0 < found[1].0);
    // Words are stemmed, and accents do not count.
    assert_eq!(home.search("stripe").len(), 2);
    home.put("accent.md", "Café Ångström");
    assert_eq!(home.search("cafe"), ["accent.md"]);
    // A column that counts for nothing does not rank.
    let query = LexicalQuery {
        terms: vec!["same1".into(), "nothing".into()],
        weights: Weights {
            title: 100.0,
            headings: 1.0,
            body: 1.0,
        },
    };
    let best = home.store.lexical(&query, &Filter::default(), 1).unwrap();
    assert_eq!(home.names(best.into_iter().map(|b| b.0)), ["same1.md"]);
}

#[test]
fn filters_do_not_starve_a_limit() {
    let home = Home::new();
    let other = home.store.add_source(&spec("other")).unwrap().id;
    let items: Vec<ItemWrite> = (0..50)
        .map(|n| note(home.source, &format!("{n}.md"), "needle needle"))
        .collect();
    home.store.put(&items).unwrap();
    home.put_item(note(
        other,
        "far.md",
        "one needle in a long and otherwise dull haystack",
    ));
    let filter = Test::Source(vec!["other".into()]).into();
    assert_eq!(home.search_in("needle", &filter, 1), ["far.md"]);
    let nothing = Test::Source(vec!["unknown".into()]).into();
    assert!(home.search_in("needle", &nothing, 10).is_empty());
    assert!(home.search_in("needle", &Filter::default(), 0).is_empty());
}

#[test]
fn highlights_are_the_words_that_match() {
    let home = Home::new();
    let marked = |terms: &[&str], text: &str| -> Vec<String> {
        let query = LexicalQuery::any(terms.iter().copied());
        let found = home.store.highlights(&query, &[text]).unwrap();
        found[0]
            .iter()
            .map(|range| text[range.clone()].to_owned())
            .collect()
    };
    assert_eq!(
        marked(&["run", "café"], "Running in the Cafe, runs"),
        ["Running", "Cafe", "runs"]
    );
    assert_eq!(
        marked(&["app.vault"], "see app.vault here, not vault"),
        ["app.vault"]
    );
    assert_eq!(marked(&["b"], "a\0b \u{e000} b"), ["b", "b"]);
    assert_eq!(marked(&["c"], "a\u{1}c\u{2}"), ["c"]);
    assert!(marked(&["x"], "nothing").is_empty());
    assert!(marked(&[], "nothing").is_empty());
    // Several texts, and nothing is left over from one call to the next.
    let query = LexicalQuery::any(["z"]);
    let found = home.store.highlights(&query, &["z", "-", "y z"]).unwrap();
    assert_eq!(format!("{found:?}"), "[[0..1], [], [2..3]]");
    let found = home.store.highlights(&query, &["-"]).unwrap();
    assert_eq!(format!("{found:?}"), "[[]]");
}
