use super::*;
use proptest::prelude::*;

fn own(text: &str) -> String {
    own_of(text, false).0
}

fn own_of(text: &str, is_forward: bool) -> (String, usize) {
    let found = separate(text, is_forward);
    let kept: String = found
        .kept
        .iter()
        .map(|range| &text[range.clone()])
        .collect();
    (kept.trim().to_owned(), found.quoted)
}

#[test]
fn an_answer_above_the_quote_stays_alone() {
    let text = "Yes, Tuesday is fine.\n\nOn Mon, Jan 1, 2024 at 10:00 AM Ann Lee\n<ann@x.org> wrote:\n\n> Shall we meet?\n> On Tuesday perhaps?\n>\n> Ann\n";
    assert_eq!(own_of(text, false), ("Yes, Tuesday is fine.".into(), 6));
}

#[test]
fn answers_below_short_quotes_keep_them() {
    let text = "Ann wrote:\n> Shall we meet?\n\nYes.\n\n> Where?\n\nAt the station.\n\n> one\n> two\n> three\n> four\n\nFine.\n\n> bye\n";
    assert_eq!(
        own(text),
        "> Shall we meet?\n\nYes.\n\n> Where?\n\nAt the station.\n\nFine."
    );
}

#[test]
fn what_a_quote_quotes_is_left_out_of_it() {
    let text = "> Bob wrote:\n>> Old words\n> Newer words\n\nMy words.\n";
    assert_eq!(own(text), "> Newer words\n\nMy words.");
}

#[test]
fn outlook_quotes_without_marks() {
    for separator in [
        "-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Bob\nSubject: x\n",
        "________________________________\nFrom: Ann <ann@x.org>\nSent: Monday, January 1, 2024 10:00 AM\nTo: Bob\nSubject: x\n",
        "**Von:** Ann\\\n**Gesendet:** Montag\\\n**An:** Bob\\\n**Betreff:** x\n",
        "De : Ann\nEnvoyé : lundi\nÀ : Bob\nObjet : x\n",
        "On Mon, 1 Jan 2024 10:00:00 +0000, Ann Lee wrote:\n",
    ] {
        let text = format!("My answer.\n\n{separator}\nQuoted text.\nMore of it.\n");
        assert_eq!(own(&text), "My answer.", "{separator}");
    }
}

#[test]
fn what_is_passed_on_stays() {
    let gmail = "FYI\n\n---------- Forwarded message ---------\nFrom: Ann <ann@x.org>\nDate: Mon, Jan 1, 2024\nSubject: x\nTo: Bob\n\nThe text.\n> with a quote\n";
    assert_eq!(own(gmail), gmail.trim());
    let apple = "FYI\n\nBegin forwarded message:\n\n> From: Ann\n> Date: Monday\n>\n> The text.\n";
    assert_eq!(own(apple), apple.trim());
    let outlook = "FYI\n\nFrom: Ann\nSent: Monday\nTo: Bob\nSubject: x\n\nThe text.\n";
    assert_eq!(own_of(outlook, true), (outlook.trim().into(), 0));
}

#[test]
fn signatures_and_footers_are_left_out() {
    assert_eq!(own("Hello.\n\n-- \nAnn Lee\nACME\n"), "Hello.");
    assert_eq!(own("Hello.\n\nSent from my iPhone\n"), "Hello.");
    assert_eq!(
        own("Hello.\n-- \nAnn\n\nOn Mon, 1 Jan 2024, Bob wrote:\n> x\n"),
        "Hello."
    );
    assert_eq!(
        own(
            "Hello.\n\n_______________________________________________\nUsers mailing list\nhttps://lists.x.org/listinfo/users\n"
        ),
        "Hello."
    );
    let mobile = "Hello.\n\nSent from my iPhone\n\n> On Jan 1, 2024, at 10:00, Ann <a@x.org> wrote:\n> \n> x\n";
    assert_eq!(own(mobile), "Hello.");
}

#[test]
fn what_only_looks_like_a_signature_or_a_quote_stays() {
    for text in [
        "-- \nAll there is stands below.",
        "Chapter one:\n\nIt was a dark night.",
        "From: the heart\nTo: the moon\n\nA poem.",
        "On 3 May 2024 he wrote a letter.",
        "a > b and b > c",
    ] {
        assert_eq!(own(text), text);
    }
    let long = format!("Intro.\n--\n{}", "More text.\n".repeat(20));
    assert_eq!(own(&long), long.trim());
}

#[test]
fn nothing_but_quotes_is_said() {
    let text = "On Mon, 1 Jan 2024, Ann wrote:\n> one\n> two\n> three\n> four\n";
    let found = separate(text, false);
    assert!(found.only_quotes);
    let first = first_lines(text);
    let kept: String = first
        .kept
        .iter()
        .map(|range| &text[range.clone()])
        .collect();
    assert_eq!(
        (kept.as_str(), first.quoted),
        ("> one\n> two\n> three\n", 2)
    );
}

#[test]
fn a_quoted_line_broken_on_its_way_is_quoted() {
    let text = "Mine.\n\n> This is a line that is so long that the program on the way broke it into\ntwo\n> and went on.\n";
    assert_eq!(own(text), "Mine.");
}

proptest! {
    #[test]
    fn any_text_keeps_whole_lines_in_order(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "", "> q", ">> qq", "own", "-- ", "Ann wrote:", "From: a", "Sent: b 2024", "To: c",
                "-----Original Message-----", "---------- Forwarded message ---------",
                "On 1 Jan 2024, x wrote:", "____________________________", "mailing list", "Sent from my iPhone",
                "é > ü", "\u{a0}",
            ]),
            0..30,
        ),
        is_forward: bool,
    ) {
        let text = lines.join("\n");
        let found = separate(&text, is_forward);
        let mut last = 0;
        for range in &found.kept {
            prop_assert!(range.start >= last && range.start < range.end);
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            prop_assert!(range.start == 0 || text.as_bytes()[range.start - 1] == b'\n');
            last = range.end;
        }
        prop_assert!(found.quoted <= lines.len());
    }
}
