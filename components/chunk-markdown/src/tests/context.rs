use super::{characters, checked, options, prose, sentences, texts, words};
use crate::{Options, Settings, split};

#[test]
fn heading_paths_are_plain_text() {
    let text = format!(
        "# The *big* `code` [link](url) ~~gone~~ &amp; $x$ ![alt](i.png)\n\n## [[Page|Alias]] <b>bold</b>[^1]\n\n{}\n\n{}\n\n[^1]: note\n",
        sentences(5),
        sentences(5)
    );
    let chunks = checked(&text, &options(80, 50), words);
    let path = ["The big code link gone & x alt", "Alias bold"];
    assert_eq!(chunks[0].headings, path);
    assert_eq!(chunks[0].context, None);
    assert_eq!(chunks[1].headings, path);
    assert_eq!(
        chunks[1].context.as_deref(),
        Some("The big code link gone & x alt > Alias bold")
    );
}

#[test]
fn headings_in_quotes_lists_and_code_open_no_section() {
    let text = format!(
        "# Real\n\n> # Quoted\n\n- # Item\n\n```\n# Code\n```\n\n{}\n\n{}\n",
        sentences(6),
        sentences(6)
    );
    for chunk in checked(&text, &options(80, 50), words) {
        assert_eq!(chunk.headings, ["Real"]);
    }
}

#[test]
fn levels_may_be_skipped_and_come_back() {
    let text = format!(
        "### Deep\n\n{0}\n\n# Top\n\n{0}\n\n#### Far\n\n{0}\n\n## Mid\n\n{0}\n",
        sentences(5)
    );
    let chunks = checked(&text, &options(80, 50), words);
    let paths: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk.headings.join("/"))
        .collect();
    assert_eq!(paths, ["Deep", "Top", "Top/Far", "Top/Mid"]);
}

#[test]
fn a_title_never_changes_what_is_embedded() {
    let text = format!("# A\n\n{}\n\n{}\n", sentences(6), sentences(6));
    let options = options(80, 50);
    let one = split("one", &text, &options, &mut |texts| words(texts));
    let other = split("two\nlines", &text, &options, &mut |texts| words(texts));
    assert_eq!(one, other);
}

#[test]
fn context_takes_at_most_a_quarter_of_the_budget_outermost_dropped_first() {
    let text = format!(
        "# Outermost heading of six words\n\n## Middle heading of six words\n\n### Inner heading of six words\n\n{}\n\n{}\n",
        sentences(4),
        sentences(4)
    );
    let context = |budget| {
        let chunks = checked(&text, &options(budget, 40), words);
        chunks.last().unwrap().context.clone().unwrap()
    };
    assert!(context(100).starts_with("Outermost heading of six words > Middle"));
    assert_eq!(
        context(60),
        "Middle heading of six words > Inner heading of six words"
    );
    assert_eq!(context(48), "Inner heading of six words");
}

#[test]
fn a_heading_too_long_for_the_context_is_shortened() {
    let text = format!(
        "# Begin {}\n\n{}\n\n{}\n",
        prose(40),
        sentences(4),
        sentences(4)
    );
    let chunks = checked(&text, &options(80, 40), words);
    let context = chunks.last().unwrap().context.clone().unwrap();
    assert!(
        context.starts_with("Begin word word") && context.ends_with('…'),
        "{context}"
    );
    assert!(words(&[&context])[0] <= 20, "{context}");
}

#[test]
fn a_heading_without_end_is_kept_short() {
    let text = format!("# {}\n\ntext\n", "very long ".repeat(100_000));
    for chunk in checked(&text, &options(300, 200), characters) {
        assert!(chunk.headings[0].len() <= 310);
    }
}

#[test]
fn context_can_be_turned_off() {
    let rows = "| cell | cell |\n".repeat(30);
    let text = format!("# A\n\n{}\n\n| a | b |\n|---|---|\n{rows}", sentences(8));
    let options = Options {
        budget: 80,
        settings: Settings::parse(r#"{"tokens": 50, "context": false}"#).unwrap(),
    };
    let chunks = checked(&text, &options, words);
    assert!(chunks.len() > 3);
    assert!(chunks.iter().all(|chunk| chunk.context.is_none()));
}

#[test]
fn a_chunk_that_runs_into_the_next_section_names_the_one_it_begins_in() {
    let text = format!(
        "# A\n\n{}\n\n### B\n\nshort\n\n### C\n\nshort\n",
        sentences(9)
    );
    let chunks = checked(&text, &options(120, 60), words);
    let own = texts(&text, &chunks);
    let (chunk, own) = chunks
        .iter()
        .zip(own)
        .find(|(_, own)| own.contains("### B"))
        .unwrap();
    assert!(own.contains("### C"));
    let path: &[&str] = if own.starts_with('#') {
        &["A", "B"]
    } else {
        &["A"]
    };
    assert_eq!(chunk.headings, path);
}

#[test]
fn a_part_of_a_paragraph_repeats_its_short_first_sentence() {
    let text = format!(
        "# A\n\nOf cranes is told here. {}\n\nNext one. {}\n",
        sentences(20),
        sentences(3)
    );
    let chunks = checked(&text, &options(100, 50), words);
    let own = texts(&text, &chunks);
    assert!(chunks.len() > 3);
    for (chunk, own) in chunks.iter().zip(own) {
        let context = chunk.context.as_deref().unwrap_or_default();
        let inside = own.starts_with("The ");
        assert_eq!(context.contains("Of cranes is told here."), inside, "{own}");
        assert!(!context.contains("Next"), "{context}");
    }
}

#[test]
fn a_long_first_sentence_is_not_repeated() {
    let text = format!("Of cranes {} is told. {}", prose(60), sentences(12));
    let chunks = checked(&text, &options(120, 60), words);
    assert!(chunks.len() > 2);
    assert!(chunks.iter().all(|chunk| chunk.context.is_none()));
}

const HEADER: &str = "| name | text |\n|---|---|";

/// The contexts of the chunks that begin inside a table after `before`, without
/// the table's header.
fn of_a_table(before: &str) -> Vec<String> {
    let rows = "| of cells | a row |\n".repeat(30);
    let text = format!("{before}\n{HEADER}\n{rows}");
    let chunks = checked(&text, &options(80, 50), words);
    let own = texts(&text, &chunks);
    let inside = chunks.iter().zip(own);
    let inside: Vec<String> = inside
        .filter(|(_, own)| own.starts_with("| of"))
        .map(|(chunk, _)| chunk.context.clone().unwrap())
        .collect();
    assert!(inside.len() > 2);
    let contexts = inside.iter();
    contexts
        .map(|context| context.strip_suffix(HEADER).unwrap().trim_end().to_owned())
        .collect()
}

#[test]
fn a_table_is_introduced_by_the_sentence_before_it() {
    let before = format!("{}\nSales by region\nand year follow:\n", sentences(5));
    for context in of_a_table(&before) {
        assert_eq!(context, "Sales by region and year follow:");
    }
    // A table that is a chunk of its own is introduced too.
    let rows = "| of cells | a row |\n".repeat(6);
    let text = format!("{}\n\n{HEADER}\n{rows}", prose(50));
    let chunks = checked(&text, &options(150, 50), words);
    assert_eq!(chunks.len(), 2);
    assert_eq!(chunks[1].context, Some(prose(50)));
}

#[test]
fn what_is_no_sentence_introduces_no_table() {
    for before in ["", "```\ncode of words\n```\n", "---\n", "…\n"] {
        for context in of_a_table(before) {
            assert_eq!(context, "", "{before:?}");
        }
    }
    for context in of_a_table("# Sales\n") {
        assert_eq!(context, "Sales");
    }
}

#[test]
fn of_a_long_sentence_only_the_end_introduces_a_table() {
    let before = format!("{} the sales follow:\n", "lengthened".repeat(60));
    for context in of_a_table(&before) {
        assert_eq!(context, "the sales follow:");
    }
    // More than half of the budget is too much.
    for context in of_a_table(&format!("{} follows:\n", prose(45))) {
        assert_eq!(context, "");
    }
}

#[test]
fn an_indented_heading_is_no_context_of_the_chunk_it_opens() {
    let text = format!("  # A\n\n{}\n\n{}\n", sentences(6), sentences(6));
    let chunks = checked(&text, &options(90, 60), words);
    assert_eq!(chunks[0].context, None);
    assert_eq!(chunks[1].context.as_deref(), Some("A"));
}
