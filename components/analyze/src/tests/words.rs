use super::{analyze, assert_finds, found, written};

#[test]
fn apostrophes() {
    let note = "You can’t always open O’Brien’s file; l'impôt d’abord.";
    assert_finds("can't open o'brien", note, &["can’t", "open", "O’Brien"]);
    assert_finds("cant obrien brien", note, &["can’t", "O’Brien", "Brien"]);
    assert_finds("impôt abord", note, &["impôt", "abord"]);
    assert_eq!(
        written("user's they're don't"),
        "user ~user | they ~they | dont"
    );
    assert_eq!(
        written("rock'n'roll's"),
        "rocknroll rock ~rock | n | roll ~roll"
    );
    assert_eq!(written("'quoted' ''"), "quoted ~quot");
}

#[test]
fn case_and_diacritics_make_no_difference() {
    let note = "É é e\u{301} Straße ŁÓDŹ ĲSSEL Ærø İstanbul ΣΊΣΥΦΟΣ ёлка";
    let query = "e e e strasse lodz ijssel aero istanbul σισυφος елка";
    assert!(
        found(query, note).iter().all(Option::is_some),
        "{:?}",
        found(query, note)
    );
    assert!(
        found(note, query).iter().all(Option::is_some),
        "{:?}",
        found(note, query)
    );
}

#[test]
fn composed_and_decomposed_are_one() {
    let (composed, decomposed) = ("impôt", "impo\u{302}t");
    assert_finds(composed, decomposed, &[decomposed]);
    assert_finds(decomposed, composed, &[composed]);
    let (composed, decomposed) = (
        "도서관",
        "\u{1103}\u{1169}\u{1109}\u{1165}\u{1100}\u{116a}\u{11ab}",
    );
    assert_eq!(written(composed), written(decomposed));
    assert_eq!(written("がぎ"), written("か\u{3099}き\u{3099}"));
}

#[test]
fn compatibility_forms_are_what_they_stand_for() {
    assert_finds("finance", "The ﬁnance note", &["ﬁnance"]);
    assert_finds("ﬁnance", "The finance note", &["finance"]);
    assert_finds("abc 12 ガギ", "ＡＢＣ １２ ｶﾞｷﾞ", &["ＡＢＣ", "１２", "ｶﾞｷﾞ"]);
    assert_eq!(written("½"), "1/2");
}

#[test]
fn invisible_characters_are_left_out() {
    let note = "so\u{ad}ft \u{feff}no\u{200d}te";
    assert_finds("soft note", note, &["so\u{ad}ft", "no\u{200d}te"]);
    // The zero-width space separates words.
    assert_eq!(analyze("one\u{200b}two").last().unwrap().position, 1);
    assert_eq!(written("\u{ad} \u{200d} \u{301}"), "");
}

#[test]
fn words_meet_by_stem_and_stems_are_no_words() {
    let note = "Many people were running through the meetings";
    assert_eq!(written("run"), "run ~run");
    assert_finds("runs run", note, &["running", "running"]);
    assert_finds("meet", note, &["meetings"]);
    let terms = analyze(note);
    assert!(
        !terms
            .iter()
            .any(|term| ["run", "meet"].contains(&&term.text[..]))
    );
}

#[test]
fn a_plain_word_has_at_most_three_terms() {
    for text in [
        "running shoes",
        "Notizen verknüpfen",
        "les chevaux rapides",
        "книги",
    ] {
        let terms = analyze(text);
        let words = terms.last().unwrap().position as usize + 1;
        assert!(terms.len() <= 3 * words, "{terms:?}");
    }
}

#[test]
fn a_word_stands_where_it_was_written() {
    let text = "  Die\tNotizen,\r\n(über) Größe!";
    let spans: Vec<&str> = analyze(text)
        .iter()
        .filter(|term| !term.text.starts_with('~'))
        .map(|term| &text[term.span.clone()])
        .collect();
    assert_eq!(spans, ["Die", "Notizen", "über", "Größe"]);
}
