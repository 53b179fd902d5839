use super::*;
use proptest::prelude::*;

const LIMIT: usize = 1 << 20;

fn entries_of(bytes: &[u8], limit: usize) -> Vec<Entry> {
    let mut mailbox = Mailbox::open(Box::new(bytes.to_vec()), limit).unwrap();
    let mut entries = Vec::new();
    while let Some(entry) = mailbox.next().unwrap() {
        entries.push(entry);
    }
    entries
}

fn texts(bytes: &str) -> Vec<String> {
    entries_of(bytes.as_bytes(), LIMIT)
        .into_iter()
        .map(|entry| String::from_utf8(entry.raw).unwrap())
        .collect()
}

const FROM: &str = "From a@b.c Tue Jan  1 00:00:00 2002\n";

#[test]
fn messages_are_told_apart_with_either_line_end_and_none_at_the_end() {
    let text = format!("{FROM}Subject: 1\n\none\n\n{FROM}Subject: 2\n\ntwo");
    assert_eq!(texts(&text), ["Subject: 1\n\none\n", "Subject: 2\n\ntwo"]);
    let text = text.replace('\n', "\r\n");
    assert_eq!(
        texts(&text),
        ["Subject: 1\r\n\r\none\r\n", "Subject: 2\r\n\r\ntwo"]
    );
}

#[test]
fn from_lines_of_all_kinds_are_known() {
    for line in [
        "From MAILER-DAEMON Tue Jan  1 00:00:00 2002",
        "From - Tue Jan 01 00:00:00 2002",
        "From 1234567890@xxx Tue Jan 01 00:00:00 +0000 2002",
        "From a at b.c  Tue Jan  1 00:00:00 2002",
        "From ???@??? Tue Jan 01 00:00:00 2002",
        "From \"A B\"@c.d Tue Jan  1 01:00:00 2002 +0100",
        "From a@b.c Tue Jan  1 00:00 2002 remote from uucp",
    ] {
        let text = format!("{line}\nSubject: 1\n\none\n\n{line}\nSubject: 2\n\ntwo\n");
        let entries = entries_of(text.as_bytes(), LIMIT);
        assert_eq!(entries.len(), 2, "{line}");
        assert_eq!(entries[0].delivered, Some(1_009_843_200_000), "{line}");
    }
}

#[test]
fn from_in_a_text_ends_no_message() {
    for line in [
        "From here on it is easy",
        "From Tue Jan 1 00:00:00 2002 on we met",
        "From the 1 of Jan 2002, 10:00: all were there",
    ] {
        let text = format!("{FROM}Subject: 1\n\none\n\n{line}\nand so on\n");
        assert_eq!(texts(&text).len(), 1, "{line}");
        let no_blank = format!("{FROM}Subject: 1\n\none\n{line}\nNote: and so on\n");
        assert_eq!(texts(&no_blank).len(), 1, "{line}");
    }
}

#[test]
fn escaped_from_lines_lose_one_mark() {
    let text = format!("{FROM}Subject: 1\n\n>From me\n>>From you\nx>From him\n> From her\n");
    assert_eq!(
        texts(&text),
        ["Subject: 1\n\nFrom me\n>From you\nx>From him\n> From her\n".trim_end_matches('\n')]
    );
}

#[test]
fn lengths_in_headers_are_not_trusted() {
    let text =
        format!("{FROM}Content-Length: 99999\nSubject: 1\n\none\n\n{FROM}Subject: 2\n\ntwo\n");
    assert_eq!(texts(&text).len(), 2);
}

#[test]
fn garbage_before_and_between_messages() {
    let text = format!(
        "rubbish\n\n{FROM}Subject: 1\n\none\n\0\0\0\0{FROM}Subject: 2\n\ntwo\n{FROM}Return-Path: <a@b.c>\n\nthree\n"
    );
    let mailbox = Mailbox::open(Box::new(text.clone().into_bytes()), LIMIT).unwrap();
    assert_eq!(mailbox.garbage, 9);
    assert_eq!(texts(&text).len(), 3);
}

#[test]
fn a_long_message_is_cut_and_the_next_is_whole() {
    let text = format!(
        "{FROM}Subject: 1\n\n{}\n\n{FROM}Subject: 2\n\ntwo\n",
        "x".repeat(9 << 20)
    );
    let entries = entries_of(text.as_bytes(), LIMIT);
    assert_eq!(entries[0].raw.len(), LIMIT);
    assert_eq!(entries[0].cut, ((9 << 20) + 12 + 2 - LIMIT) as u64);
    assert_eq!(entries[1].raw, b"Subject: 2\n\ntwo");
}

#[test]
fn messages_across_the_edges_of_windows_are_whole() {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 3 * WINDOW {
        // Each edge falls somewhere else in a message.
        text += &format!(
            "{FROM}Subject: {number}\n\n{}\n>From x\n\n",
            "y".repeat(900 + number % 97)
        );
        number += 1;
    }
    let entries = entries_of(text.as_bytes(), LIMIT);
    assert_eq!(entries.len(), number);
    for (number, entry) in entries.iter().enumerate() {
        let expected = format!(
            "Subject: {number}\n\n{}\nFrom x\n",
            "y".repeat(900 + number % 97)
        );
        assert_eq!(String::from_utf8_lossy(&entry.raw), expected);
    }
}

proptest! {
    #[test]
    fn any_lines_come_out_again(
        lines in prop::collection::vec(
            prop::sample::select(vec!["", "text", "Subject: x", "From here", "From a@b.c Tue Jan  1 00:00:00 2002", "\0", "é", "\r"]),
            0..40,
        ),
    ) {
        let text = lines.join("\n");
        let entries = entries_of(text.as_bytes(), LIMIT);
        let total: usize = entries.iter().map(|entry| entry.raw.len()).sum();
        prop_assert!(total <= text.len());
        for word in ["text", "é"] {
            let first = text.find(FROM.trim_end()).unwrap_or(text.len());
            let all = text[first..].matches(word).count();
            let found: usize = entries
                .iter()
                .map(|entry| String::from_utf8_lossy(&entry.raw).matches(word).count())
                .sum();
            prop_assert!(found <= all);
        }
    }
}
