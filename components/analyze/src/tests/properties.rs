use proptest::prelude::*;

use super::analyze;

/// Text that is rich in what the scanner looks at.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9]{1,6}",
        "[-_./\\\\:@#'’,+~$%&=? \n\t\u{0}]{1,3}",
        "[éÉßİœ\u{301}\u{302}\u{ad}\u{200d}\u{200b}\u{feff}]{1,3}",
        "[а-яёії]{1,6}",
        "[א-ת\u{591}-\u{5c7}ا-يپگ\u{64b}-\u{652}]{1,6}",
        "[图書館ーがｶﾞ도서\u{1103}\u{1169}\u{11ab}กขค้ำမြန်]{1,5}",
        "[🎉👍🏽❤\u{fe0f}👨\u{1f1e9}\u{1f1ea}]{1,4}",
        "[\u{900}-\u{97f}\u{b80}-\u{bff}\u{530}-\u{58f}\u{370}-\u{3ff}]{1,5}",
        "\\PC{1,3}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_has_sound_terms(text in text()) {
        // Checks what holds for every text.
        analyze(&text);
    }

    #[test]
    fn the_same_text_has_the_same_terms(text in text()) {
        prop_assert_eq!(analyze(&text), analyze(&text));
    }

    #[test]
    fn every_letter_is_in_some_term(text in "[a-zA-Zа-я图書館도서 ._/-]{0,40}") {
        let terms = analyze(&text);
        for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            prop_assert!(terms.iter().any(|term| term.span.contains(&at)), "{c} at {at}");
        }
    }

    #[test]
    fn a_word_alone_has_the_forms_it_has_in_a_text(
        words in prop::collection::vec("[a-zA-Zé]{2,9}|[0-9]{1,4}|[a-z]{2,5}[-_./][a-z]{2,5}|[图書館]{2,4}", 1..8),
    ) {
        let text = words.join(" ");
        let forms = |terms: Vec<crate::Term>, from: usize| -> Vec<(String, usize)> {
            let terms = terms.into_iter().filter(|term| !term.text.starts_with('~'));
            terms.map(|term| (term.text, term.span.start + from)).collect()
        };
        let mut alone = Vec::new();
        let mut at = 0;
        for word in &words {
            alone.extend(forms(analyze(word), at));
            at += word.len() + 1;
        }
        prop_assert_eq!(forms(analyze(&text), 0), alone);
    }

    #[test]
    fn stemmers_take_any_word(word in "[a-zß-öø-ÿ]{2,14}|[а-яёіїє]{2,12}|[ا-ي]{2,9}|[α-ω]{2,9}|[\u{905}-\u{94d}]{2,8}|[\u{b85}-\u{bcd}]{2,8}|[\u{561}-\u{587}]{2,8}") {
        for context in ["", "der und nicht ", "le que dans ", "el que por ", "il che non ", "het een niet ",
            "och att det som ", "ja on ettei että ", "hogy nem is ez ", "ve bir bu için ", "się nie że jest ",
            "și nu pe care ", "não você uma ", "og ikke det efter ", "og ikke det etter ", "گ ", "ї "]
        {
            analyze(&format!("{context}{word}"));
        }
    }
}
