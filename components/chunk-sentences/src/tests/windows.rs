use super::{characters, checked, options, prose, sentences, texts, words};

#[test]
fn short_text_is_one_chunk_and_not_counted() {
    let options = options(500, 200, 50);
    let chunks = crate::split("", "  One. Two.\n", &options, &mut |_| panic!("counted")).unwrap();
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].span, 2..11);
}

#[test]
fn white_space_alone_has_no_chunks() {
    for text in ["", " ", "\n\n\t\r\n", "\u{3000}\u{a0}"] {
        assert!(checked(text, &options(16, 16, 0), words).is_empty());
    }
}

#[test]
fn windows_hold_whole_sentences_and_overlap_by_whole_sentences() {
    let text = sentences(100);
    let chunks = checked(&text, &options(500, 100, 25), words);
    let own = texts(&text, &chunks);
    for (index, chunk) in own.iter().enumerate() {
        assert!(chunk.starts_with("Sentence") && chunk.ends_with("end."));
        if index + 1 < own.len() {
            assert_eq!(words(&[chunk]), [100], "a window is not filled");
            let repeated = &text[chunks[index + 1].span.start..chunks[index].span.end];
            assert_eq!(words(&[repeated]), [20], "two sentences are repeated");
        }
    }
}

#[test]
fn no_overlap_repeats_nothing() {
    let text = sentences(100);
    let chunks = checked(&text, &options(500, 100, 0), words);
    assert_eq!(chunks.len(), 10);
}

#[test]
fn defaults_are_500_tokens_and_50_of_overlap() {
    let text = sentences(120);
    let options = crate::Options {
        budget: 8_000,
        settings: crate::Settings::default(),
    };
    let chunks = checked(&text, &options, words);
    assert_eq!(words(&texts(&text, &chunks)), [500, 500, 300]);
}

#[test]
fn a_window_is_never_over_the_budget() {
    let chunks = checked(&sentences(100), &options(64, 500, 50), words);
    assert!(chunks.len() >= 1_000 / 64);
}

#[test]
fn the_end_of_a_sentence_too_long_to_repeat_is_repeated_in_words() {
    let long = format!("Long {} end. ", prose(78));
    let text = long.repeat(10);
    let chunks = checked(&text, &options(500, 130, 30), words);
    assert!(chunks.len() > 5);
    for pair in chunks.windows(2) {
        let repeated = &text[pair[1].span.start..pair[0].span.end];
        let count = words(&[repeated])[0];
        assert!((8..=30).contains(&count), "{count} words repeated");
        assert!(repeated.starts_with("word") && repeated.ends_with("end."));
    }
}

#[test]
fn a_sentence_longer_than_a_window_is_cut_between_words() {
    let text = "longer words here ".repeat(500);
    let chunks = checked(&text, &options(500, 100, 10), words);
    for chunk in texts(&text, &chunks) {
        for word in chunk.split(' ') {
            assert!(["longer", "words", "here"].contains(&word), "{word}");
        }
    }
}

#[test]
fn lines_and_paragraphs_end_sentences() {
    let text: String = (0..40)
        .map(|n| format!("Title {n} without a mark\n\n"))
        .collect();
    let lines = text.replace("\n\n", "\n");
    for text in [text.as_str(), &lines] {
        for chunk in texts(text, &checked(text, &options(60, 47, 11), words)) {
            assert!(
                chunk.starts_with("Title") && chunk.ends_with("mark"),
                "{chunk}"
            );
        }
    }
}

#[test]
fn hard_wrapped_sentences_stay_whole() {
    let sentence = "The first line of a sentence\nthat goes on in the next one\r\nand ends here.\n";
    let text = sentence.repeat(30);
    for chunk in texts(&text, &checked(&text, &options(100, 70, 20), words)) {
        assert!(
            chunk.starts_with("The first") && chunk.ends_with("here."),
            "{chunk}"
        );
    }
}

#[test]
fn chinese_and_japanese_sentences_are_known() {
    let text = "今天的天气非常好我们去公园散步。你想不想一起来呢？太好了！".repeat(40);
    for chunk in texts(&text, &checked(&text, &options(80, 60, 20), characters)) {
        assert!(chunk.ends_with(['。', '？', '！']), "{chunk}");
        assert!(chunk.starts_with(['今', '你', '太']), "{chunk}");
    }
}

#[test]
fn wide_gaps_stay_outside() {
    let text = format!("One.{}Two.", "\n".repeat(300));
    assert_eq!(
        texts(&text, &checked(&text, &options(100, 50, 10), words)),
        ["One.", "Two."]
    );
}

#[test]
fn sentences_are_found_after_long_runs_of_white_space() {
    let gap = " ".repeat(100);
    let text = format!("{}\n{gap}Next one. {}", prose(50), sentences(3));
    let chunks = checked(&text, &options(100, 51, 0), words);
    assert!(texts(&text, &chunks)[1].starts_with("Next one."));
}
