use std::time::Instant;

use super::{analyze, written};
use crate::{Error, MAX_BYTES};

#[test]
fn too_much_at_once_is_refused_by_its_size() {
    let half = "a ".repeat(MAX_BYTES / 4);
    assert!(crate::analyze(&[&half, &half]).is_ok());
    let refused = crate::analyze(&[&half, &half, "b"]).unwrap_err();
    assert_eq!(
        refused,
        Error::TooLarge {
            bytes: MAX_BYTES + 1
        }
    );
    assert!(refused.to_string().contains("8388609"));
}

#[test]
fn each_text_is_on_its_own() {
    let texts = ["die Katzen und der Hund", "", "the cats", "图书馆", "cats"];
    let together = crate::analyze(&texts).unwrap();
    for (text, terms) in texts.iter().zip(&together) {
        assert_eq!(&analyze(text), terms);
    }
}

#[test]
fn endless_words_are_cut_alike() {
    let long = "x".repeat(100_000);
    let terms = analyze(&long);
    assert_eq!(terms.len(), 1);
    assert_eq!(terms[0].span, 0..long.len());
    assert_eq!(terms[0].text, "x".repeat(crate::fold::MAX_TERM));
    let long = "é\u{301}".repeat(100_000);
    assert_eq!(analyze(&long).len(), 1);
}

#[test]
fn time_grows_with_length_alone() {
    // Each is a way to make an analyzer look again and again at the same text.
    for piece in [
        "a",
        "a-",
        "a'",
        "aB",
        "_",
        "-",
        "/",
        "a/",
        "#",
        "é",
        "\u{301}",
        "图",
        "图\u{301}",
        "🎉\u{200d}",
        "\u{1f1e6}",
        "'",
        "a,1",
        "1,",
        "a_",
        "__a",
        "ﷺ",
        "\u{ad}",
        "a\u{ad}",
        "้",
    ] {
        let text = piece.repeat((1 << 18) / piece.len());
        let start = Instant::now();
        let terms = crate::analyze(&[&text]).unwrap();
        let taken = start.elapsed();
        super::assert_sound(&text, &terms[0]);
        assert!(taken.as_secs() < 20, "{piece:?} repeated takes {taken:?}");
    }
}

#[test]
fn a_paste_of_2000_words() {
    let paste = "The quick brown fox's e-mails, ".repeat(400);
    assert!(written(&paste).ends_with("mails ~mail"));
}
