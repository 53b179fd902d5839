use super::*;

#[test]
fn no_term_is_a_syntax_error() {
    let home = Home::new();
    home.put("a.md", "words");
    for term in [
        "\"", "\"\"", "'", "a\"b", "NEAR(", "AND", "OR", "NOT", "*", "^a", "body:x", "-a", "(",
        ")", "{", "+", "\0", "a\0\"b", "\u{e000}", "🦀", "--", ";", "\\", "%", "a OR", " ", "",
    ] {
        let query = LexicalQuery::any([term]);
        let found = home.store.lexical(&query, &Filter::default(), 5);
        assert!(found.unwrap().items.is_empty(), "{term:?}");
        let filter = Test::Terms(vec![term.into()]).into();
        assert!(home.search_in("words", &filter, 5).is_empty(), "{term:?}");
    }
    let none = Test::Terms(Vec::new()).into();
    assert!(home.search_in("words", &none, 5).is_empty());
}

#[test]
fn terms_are_compared_byte_for_byte() {
    let home = Home::new();
    let mut item = note(home.source, "a.md", "text");
    item.chunks[0].terms.body = "c++ --dry-run it's \"q\" 図書 館* ~run é 🦀 a\\b [x] {y}".into();
    home.store.put(&[item]).unwrap();
    for term in [
        "c++",
        "--dry-run",
        "it's",
        "\"q\"",
        "図書",
        "館*",
        "~run",
        "é",
        "🦀",
        "a\\b",
        "[x]",
        "{y}",
    ] {
        assert_eq!(home.search(term), ["a.md"], "{term}");
    }
    for term in ["c", "C++", "e", "run", "図", "dry"] {
        assert!(home.search(term).is_empty(), "{term}");
    }
    let begins = LexicalQuery {
        words: vec![Word {
            prefix: Some("図".into()),
            ..Word::default()
        }],
        ..LexicalQuery::default()
    };
    let found = home.store.lexical(&begins, &Filter::default(), 5).unwrap();
    assert_eq!(found.items.len(), 1);
}

#[test]
fn a_phrase_matches_in_order_only() {
    let home = Home::new();
    home.put("a.md", "see the vault here");
    home.put("b.md", "vault the\n\nsee the");
    let phrase = |words: &str| home.search_in("the", &Test::Terms(vec![words.into()]).into(), 5);
    assert_eq!(phrase("the vault"), ["a.md"]);
    assert_eq!(phrase("vault the"), ["b.md"]);
    // Not from one chunk to the next.
    assert!(phrase("the see").is_empty());
    let without = Filter {
        conditions: vec![Condition {
            not: true,
            test: Test::Terms(vec!["here".into(), "nowhere".into()]),
        }],
        ..Filter::default()
    };
    assert_eq!(home.search_in("vault", &without, 5), ["b.md"]);
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
    assert_eq!(found.total, 3);
    let score = |at: usize| found.items[at].found.score;
    assert!(score(0) > score(2) && score(2) > 0.0 && score(0) == score(1));
    // A column that counts for more.
    let query = LexicalQuery {
        ranking: Ranking {
            title: 100.0,
            ..Ranking::default()
        },
        ..LexicalQuery::any(["same1", "nothing"])
    };
    let best = home.store.lexical(&query, &Filter::default(), 1).unwrap();
    assert_eq!(
        home.names(best.items[0].found.chunks.iter().map(|c| c.0)),
        ["same1.md"]
    );
}

#[test]
fn scores_are_those_of_bm25() {
    let home = Home::new();
    home.put("t1.md", "apple banana");
    home.put("t2.md", "apple apple cherry grape");
    let ranking = Ranking {
        title: 0.0,
        whole: 0.0,
        ..Ranking::default()
    };
    let query = LexicalQuery {
        ranking,
        ..LexicalQuery::any(["apple", "cherry"])
    };
    let found = home.store.lexical(&query, &Filter::default(), 9).unwrap();
    // Computed by hand: lengths 3 and 5 with the title, 4 on average.
    let rarity = |n: f64| (1.0 + (2.0 - n + 0.5) / (n + 0.5)).ln();
    let part = |n: f64, tf: f64, length: f64| {
        rarity(n) * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 4.0))
    };
    assert_eq!(found.items.len(), 2);
    let wanted = [
        part(2.0, 2.0, 5.0) + part(1.0, 1.0, 5.0),
        part(2.0, 1.0, 3.0),
    ];
    for (item, wanted) in found.items.iter().zip(wanted) {
        assert!(
            (item.found.score - wanted).abs() < 1e-5,
            "{} {wanted}",
            item.found.score
        );
    }
    assert!((found.weights[0] - rarity(2.0)).abs() < 1e-9);
    assert_eq!(found.items[0].words, [0, 1]);
    assert_eq!(found.items[1].words, [0]);
}

#[test]
fn items_with_all_words_come_first_even_from_different_chunks() {
    let home = Home::new();
    home.put(
        "all.md",
        &format!("red {}\n\nblue {}", "x ".repeat(90), "y ".repeat(90)),
    );
    home.put("one.md", "red red red");
    home.put("other.md", "blue");
    assert_eq!(home.search("red blue")[0], "all.md");
}

#[test]
fn variants_of_a_word_count_as_one() {
    let home = Home::new();
    home.put("a.md", "run fast");
    home.put("b.md", "running fast");
    home.put("c.md", "slow");
    let word = |exact: Option<(String, f64)>| LexicalQuery {
        words: vec![Word {
            any: vec!["run".into(), "running".into()],
            prefix: None,
            exact,
        }],
        ..LexicalQuery::default()
    };
    let find = |query| home.store.lexical(&query, &Filter::default(), 9).unwrap();
    let found = find(word(None));
    assert_eq!(found.items.len(), 2);
    assert_eq!(found.items[0].found.score, found.items[1].found.score);
    let found = find(word(Some(("running".into(), 0.1))));
    assert_eq!(
        home.names(found.items[0].found.chunks.iter().map(|c| c.0)),
        ["b.md"]
    );
}

#[test]
fn of_a_very_long_query_the_rarest_words_count() {
    let home = Home::new();
    for n in 0..20 {
        home.put(&format!("{n}.md"), "common words here");
    }
    home.put("rare.md", "needle common");
    let many = (0..5000)
        .map(|n| format!("w{n}"))
        .chain(["common".into(), "needle".into()]);
    let query = LexicalQuery::any(many);
    let found = home.store.lexical(&query, &Filter::default(), 5).unwrap();
    assert_eq!(
        home.names(found.items[0].found.chunks.iter().map(|c| c.0)),
        ["rare.md"]
    );
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
