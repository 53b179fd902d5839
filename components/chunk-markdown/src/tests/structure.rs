use super::{checked, options, prose, sentences, texts, words};

/// The text of the chunk that holds `part`, and how many chunks there are.
fn chunk_with<'a>(text: &'a str, part: &str, budget: u32, tokens: u32) -> &'a str {
    let chunks = checked(text, &options(budget, tokens), words);
    assert!(chunks.len() > 1, "the test needs a text of several chunks");
    texts(text, &chunks)
        .into_iter()
        .find(|chunk| chunk.contains(part))
        .unwrap_or_else(|| panic!("{part:?} has been cut: {:?}", texts(text, &chunks)))
}

#[test]
fn short_text_is_one_chunk_and_not_counted() {
    let options = options(500, 200);
    let chunks = crate::split("", "# A\n\nb\n", &options, &mut |_| panic!("counted")).unwrap();
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].span, 0..6);
    assert_eq!(chunks[0].headings, ["A"]);
    assert_eq!(chunks[0].context, None);
}

#[test]
fn white_space_alone_has_no_chunks() {
    for text in ["", " ", "\n\n\t\r\n", "\u{3000}\u{a0}"] {
        assert!(checked(text, &options(16, 16), words).is_empty());
    }
}

#[test]
fn strong_headings_start_chunks() {
    let section = |name: &str| format!("## {name}\n\n{}\n\n", sentences(6));
    let text = format!(
        "# Top\n\n{}{}{}",
        section("One"),
        section("Two"),
        section("Three")
    );
    let chunks = checked(&text, &options(200, 100), words);
    let starts: Vec<_> = texts(&text, &chunks)
        .iter()
        .map(|chunk| chunk.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(starts, ["# Top", "## Two", "## Three"]);
}

#[test]
fn small_sections_are_merged() {
    let text: String = (0..20)
        .map(|number| format!("### Part {number}\n\n{}\n\n", sentences(1)))
        .collect();
    let chunks = checked(&text, &options(200, 100), words);
    assert!(chunks.len() <= 5, "{} chunks of a small text", chunks.len());
    for chunk in texts(&text, &chunks) {
        assert!(chunk.starts_with("### "));
    }
}

#[test]
fn a_heading_is_never_left_at_the_end_of_a_chunk() {
    for before in 1..120 {
        let text = format!(
            "{}\n\n## Next\n\n### Below\n\n{}\n\nNested\n------\n\n{}\n",
            prose(before),
            sentences(5),
            sentences(3)
        );
        let chunks = checked(&text, &options(100, 60), words);
        for chunk in texts(&text, &chunks) {
            let last = chunk.lines().last().unwrap();
            assert!(!last.starts_with('#') && last != "------", "{chunk}");
        }
    }
}

#[test]
fn fences_of_any_length_stay_whole() {
    for (open, close) in [
        ("```rust", "```"),
        ("~~~", "~~~"),
        ("`````", "`````"),
        ("~~~~~~ text", "~~~~~~~~"),
    ] {
        for before in [5, 30, 45, 55] {
            let code = format!(
                "{open}\nfirst line. Of code\n\n# no heading\n```no fence\n\n- no item\nlast line\n{close}"
            )
            .replace("```no fence", if open == "```rust" { "~~~" } else { "```" });
            let text = format!("{}\n\n{code}\n\n{}\n", prose(before), sentences(8));
            let chunk = chunk_with(&text, &code, 80, 50);
            assert!(chunk.contains("last line"));
        }
    }
}

#[test]
fn fences_in_lists_and_quotes_stay_whole() {
    for before in [5, 20, 30, 40, 50] {
        let item = format!("- item\n\n  ```sh\n  one. Two\n\n  {}\n  ```", prose(20));
        let quote = format!("> ~~~\n> one\n>\n> {}\n> ~~~", prose(20));
        let tight = format!("1. ```\n   {}\n   # three\n   ```", prose(20));
        for code in [item, quote, tight] {
            let text = format!("{}\n\n{code}\n\n{}\n", prose(before), sentences(8));
            chunk_with(&text, &code, 80, 50);
        }
    }
}

#[test]
fn an_unclosed_fence_runs_to_the_end() {
    let code = "```\none. Two\n\n# three\n\nfour";
    let text = format!("{}\n\n{}\n\n{code}", sentences(5), sentences(5));
    chunk_with(&text, code, 80, 50);
}

#[test]
fn a_fence_that_fits_only_without_context_stays_whole() {
    let code = format!("```\n{}\n{}\n```", prose(49), prose(49));
    let text = format!("# A heading of words\n\n{}\n\n{code}\n", sentences(10));
    let chunk = chunk_with(&text, &code, 100, 50);
    assert_eq!(chunk, code);
}

#[test]
fn an_over_long_fence_is_cut_at_lines_and_repeats_its_opening() {
    let lines: Vec<String> = (0..40)
        .map(|n| format!("line {n} of the code. Yes"))
        .collect();
    let text = format!("# Code\n\n```rust\n{}\n```\n\nAfter.", lines.join("\n"));
    let chunks = checked(&text, &options(60, 40), words);
    assert!(chunks.len() > 3);
    for (chunk, own) in chunks.iter().zip(texts(&text, &chunks)).skip(1) {
        let first = own.lines().next().unwrap();
        assert!(lines.iter().any(|line| line == first), "{own}");
        assert_eq!(chunk.context.as_deref(), Some("Code\n```rust"));
    }
    // The fences are not left alone.
    assert!(texts(&text, &chunks)[0].starts_with("# Code\n\n```rust\nline 0"));
}

#[test]
fn table_rows_stay_whole_and_a_cut_table_repeats_its_header() {
    let row = |n: usize| format!("| row {n} | a cell. With a sentence | {} |\n", prose(5));
    let rows: Vec<String> = (0..30).map(row).collect();
    let header = "| name | text | more |\n| --- | --- | --- |\n";
    let text = format!(
        "# Data\n\n{}\n\n{header}{}\nAfter.\n",
        sentences(2),
        rows.concat()
    );
    let chunks = checked(&text, &options(120, 60), words);
    let own = texts(&text, &chunks);
    for row in &rows {
        assert!(own.iter().any(|chunk| chunk.contains(row.trim())), "{row}");
    }
    let mut continued = 0;
    for (chunk, own) in chunks.iter().zip(own) {
        if own.starts_with("| row") {
            continued += 1;
            let context = chunk.context.as_deref().unwrap();
            let introduction = sentences(1);
            assert_eq!(context, format!("Data\n{introduction}\n{}", header.trim()));
        }
        assert!(!own.ends_with("--- |"), "a header without a row: {own}");
    }
    assert!(continued >= 3);
}

#[test]
fn a_table_without_a_line_of_dashes_is_a_table() {
    let row = |n: usize| format!("row {n} | a cell. With a sentence | {}", prose(5));
    let rows: Vec<String> = (0..30).map(row).collect();
    // A dash in the first cell begins a list in Markdown.
    for header in ["name | text | more", "- | text | more"] {
        let text = format!(
            "{}\n\n{header}\n{}\nAfter.\n",
            sentences(2),
            rows.join("\n")
        );
        let chunks = checked(&text, &options(90, 60), words);
        let own = texts(&text, &chunks);
        for row in &rows {
            assert!(own.iter().any(|chunk| chunk.contains(row)), "{row}");
        }
        let mut continued = 0;
        for (chunk, own) in chunks.iter().zip(own) {
            if own.starts_with("row") {
                continued += 1;
                let context = chunk.context.as_deref().unwrap();
                assert_eq!(context, format!("{}\n{header}", sentences(1)));
            }
            assert!(!own.ends_with(header), "a header without a row: {own}");
        }
        assert!(continued >= 3);
    }
}

#[test]
fn bars_in_lists_quotes_and_code_make_no_table() {
    let line = format!("ls {} | sort", prose(12));
    for mark in ["- ", "* ", "12. ", "> ", "    "] {
        let text = format!("{mark}{line}\n").repeat(12);
        for chunk in checked(&text, &options(60, 40), words) {
            assert_eq!(chunk.context, None, "{mark:?}");
        }
    }
}

#[test]
fn records_are_kept_apart() {
    let record = |n: usize| {
        let authors = [
            "Banks MA  Eichert W",
            "Levine J",
            "Jain R  Rivera MC  Lake JA",
        ][n % 3];
        let title = prose(5 + n * 5 % 11);
        format!("{authors}  {title} J Hered 2000 {n}")
    };
    let list: Vec<String> = (0..20).map(record).collect();
    let text = format!("References\n{}\n", list.join(" \n"));
    let chunks = checked(&text, &options(200, 80), words);
    let own = texts(&text, &chunks);
    for chunk in &own {
        let held = list.iter().filter(|record| chunk.contains(*record));
        assert!((1..=2).contains(&held.count()), "{chunk}");
    }
    // The same words as running text, wrapped where lines are full.
    let mut wrapped = String::new();
    let mut length = 0;
    for word in list.join(" ").split(' ') {
        if length + word.len() > 76 {
            wrapped.push('\n');
            length = 0;
        }
        wrapped.push_str(word);
        wrapped.push(' ');
        length += word.len() + 1;
    }
    let chunks = checked(&wrapped, &options(200, 80), words);
    assert!(chunks.len() <= own.len() / 2, "{}", chunks.len());
}

#[test]
fn a_table_row_over_the_budget_is_cut() {
    let text = format!("| a | b |\n|---|---|\n| {} | {} |\n", prose(60), prose(60));
    let chunks = checked(&text, &options(40, 30), words);
    assert!(chunks.len() >= 4);
    assert_eq!(chunks[1].context.as_deref(), Some("| a | b |\n|---|---|"));
}

#[test]
fn math_blocks_stay_whole() {
    for before in [5, 20, 35, 45] {
        for math in [
            "$$\na = b. C\n= d. E\n$$".to_owned(),
            "$$\na = b. C\n\n- d\n\n= e\n$$".to_owned(),
            format!("$${}. And {}$$", prose(12), prose(12)),
            format!("> $$\n> {}. And\n> {}\n> $$", prose(12), prose(12)),
        ] {
            let text = format!("{}\n\n{math}\n\n{}\n", prose(before), sentences(9));
            chunk_with(&text, &math, 80, 40);
            let text = format!("{}\n{math}\n{}\n", prose(before), sentences(9));
            chunk_with(&text, &math, 80, 40);
        }
    }
}

#[test]
fn links_and_code_spans_are_not_cut_where_another_place_will_do() {
    for before in 1..40 {
        for link in [
            r#"[A link. With two sentences](https://example.org/a.B "A title. Of it")"#,
            "[[A page. With a name|and. An alias]]",
            "`some code. And more`",
        ] {
            let text = format!("{} {link} {}\n", prose(before), sentences(9));
            chunk_with(&text, link, 80, 40);
        }
    }
}

#[test]
fn setext_headings_are_headings() {
    let text = format!(
        "Top\n===\n\n{}\n\nLower\nstill lower\n---\n\n{}\n\n{}\n",
        sentences(5),
        sentences(5),
        sentences(5)
    );
    let chunks = checked(&text, &options(80, 50), words);
    let own = texts(&text, &chunks);
    assert_eq!(chunks[0].headings, ["Top"]);
    assert!(own[1].starts_with("Lower\nstill lower\n---"));
    assert_eq!(chunks[1].headings, ["Top", "Lower still lower"]);
    assert_eq!(chunks[1].context.as_deref(), Some("Top"));
    assert_eq!(
        chunks[2].context.as_deref(),
        Some("Top > Lower still lower")
    );
}

#[test]
fn better_places_are_preferred() {
    // Each text offers a place before the marker a little off the target and
    // worse places nearer to it.
    let filler = |count: usize| {
        (0..count)
            .map(|_| format!("{}\n", prose(4)))
            .collect::<String>()
    };
    for marker in [
        "\n# H\n\ntext",
        "\n***\n\nafter",
        "\n```\ncode\n```\n",
        "\nblock",
    ] {
        let text = format!("{}{marker}\n{}", filler(11), filler(11));
        let chunks = checked(&text, &options(100, 50), words);
        let own = texts(&text, &chunks);
        assert_eq!(own.len(), 2, "{marker:?}: {own:?}");
        let start = marker.trim_start().trim_start_matches("***\n\n");
        assert!(own[1].starts_with(start.trim_end()), "{marker:?}: {own:?}");
    }
}

#[test]
fn list_items_are_preferred_to_lines() {
    let item = format!("- {}\n  {}\n  {}\n", prose(6), prose(7), prose(7));
    let text = item.repeat(12);
    let chunks = checked(&text, &options(60, 45), words);
    for chunk in texts(&text, &chunks) {
        assert!(chunk.starts_with("- "), "{chunk}");
    }
}

#[test]
fn sentences_are_preferred_to_words() {
    let text = sentences(60);
    let chunks = checked(&text, &options(60, 45), words);
    for chunk in texts(&text, &chunks) {
        assert!(
            chunk.starts_with("The") && chunk.ends_with("end."),
            "{chunk}"
        );
    }
}

#[test]
fn a_paragraph_that_announces_code_stays_with_it() {
    let announced = "For example:\n\n```\ncode line\n```";
    for before in 20..45 {
        let text = format!("{}\n\n{announced}\n\n{}\n", prose(before), sentences(6));
        let chunk = chunk_with(&text, announced, 100, 50);
        assert!(chunk.contains("code line"));
    }
}

#[test]
fn a_line_too_long_to_be_wrapped_is_a_paragraph() {
    // 41 words: more than a line is wrapped at.
    let paragraph = format!("{}\n", sentences(5));
    let text = paragraph.repeat(12);
    for tokens in [60, 70, 80, 130] {
        for chunk in texts(&text, &checked(&text, &options(200, tokens), words)) {
            assert_eq!(words(&[chunk])[0] % 50, 0, "cut inside a line: {chunk}");
        }
    }
}

#[test]
fn a_title_without_markup_stays_with_its_paragraph() {
    for before in 10..60 {
        let text = format!(
            "{}\n\nMethods\nHow it was measured\n{}\n",
            prose(before),
            sentences(6)
        );
        let chunk = chunk_with(&text, "Methods\nHow it was measured\nThe", 90, 50);
        assert!(chunk.contains("end."));
    }
}

#[test]
fn headings_of_wikis_are_headings() {
    let text = format!(
        " = Top = \n {0}\n {0}\n = = Lower = = \n {0}\n {0}\n\n== Next ==\n\n{0}\n\n{0}\n\n=== Not so ==\n",
        sentences(5)
    );
    let chunks = checked(&text, &options(120, 50), words);
    let contexts: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk.context.as_deref())
        .collect();
    let paths: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk.headings.join("/"))
        .collect();
    assert_eq!(
        paths,
        [
            "Top",
            "Top",
            "Top/Lower",
            "Top/Lower",
            "Top/Next",
            "Top/Next"
        ]
    );
    assert_eq!(contexts[0], None);
    assert_eq!(contexts[1], Some("Top"));
    assert_eq!(contexts[3], Some("Top > Lower"));
}

#[test]
fn sentences_without_capital_letters_are_sentences() {
    let sentence = format!("the {} closed (in part). ", prose(8));
    let other = format!("the {} in 2017. ", prose(8));
    let text = format!("{sentence}{other}").repeat(20);
    for chunk in texts(&text, &checked(&text, &options(60, 45), words)) {
        assert!(chunk.starts_with("the "), "{chunk}");
    }
    let abbreviated = "see e.g. the no. of it etc. and so on. ".repeat(20);
    let starts = crate::sentences::starts(&abbreviated);
    assert!(starts.iter().all(|&at| {
        !abbreviated[at..].starts_with("the") && !abbreviated[at..].starts_with("of it")
    }));
}
