//! Files made to break a reader.

use proptest::prelude::*;

use super::*;
use extract_core::MOST_READ;

/// Bytes that are made as they are read.
struct Made {
    head: Vec<u8>,
    filler: u8,
    filled: u64,
    tail: Vec<u8>,
}

impl Bytes for Made {
    fn size(&self) -> u64 {
        self.head.len() as u64 + self.filled + self.tail.len() as u64
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
        let end = self.size().min(offset + u64::from(length.min(MOST_READ)));
        let head = self.head.len() as u64;
        let mut out = vec![self.filler; usize::try_from(end.saturating_sub(offset)).unwrap()];
        for (at, byte) in self.head.iter().enumerate() {
            if let Some(place) = (at as u64)
                .checked_sub(offset)
                .and_then(|at| out.get_mut(at as usize))
            {
                *place = *byte;
            }
        }
        for (at, byte) in self.tail.iter().enumerate() {
            let at = head + self.filled + at as u64;
            if let Some(place) = at
                .checked_sub(offset)
                .and_then(|at| out.get_mut(at as usize))
            {
                *place = *byte;
            }
        }
        Ok(out)
    }
}

const FROM: &str = "From a@b.c Tue Jan  1 00:00:00 2002\n";

#[test]
fn a_message_of_two_gigabytes_is_cut_and_the_next_one_is_read() {
    let made = Made {
        head: format!("{FROM}Subject: huge\nMessage-ID: <huge>\nContent-Type: application/octet-stream; name=a.bin\n\n").into_bytes(),
        filler: b'x',
        filled: 2 << 30,
        tail: format!("\n\n{FROM}Subject: next\n\nwords\n").into_bytes(),
    };
    let (documents, files) =
        read_with("x.mbox", Box::new(made), r#"{"max_bytes":1048576}"#, 10).unwrap();
    assert_eq!(documents.len(), 3);
    assert!(
        documents[0].warnings[0].contains("2146"),
        "{:?}",
        documents[0].warnings
    );
    assert!(files[0].content.len() < 1 << 20);
    assert_eq!(
        (documents[1].title.as_str(), documents[1].text.as_str()),
        ("next", "words")
    );

    let alone = Made {
        head: b"Subject: huge\nFrom: a@b.c\n\n".to_vec(),
        filler: b'x',
        filled: 2 << 30,
        tail: Vec::new(),
    };
    let (documents, _) =
        read_with("x.eml", Box::new(alone), r#"{"max_bytes":1048576}"#, 10).unwrap();
    assert!(documents[0].warnings[0].contains("limit") && documents[0].text.len() <= 1 << 20);
}

#[test]
fn ten_thousand_levels() {
    let mut parts = String::from("From: a@b.c\nSubject: deep\n");
    for level in 0..10_000 {
        parts += &format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
    }
    let (documents, _) = read("a.eml", &parts);
    assert!(
        documents[0]
            .warnings
            .iter()
            .any(|warning| warning.contains("nested"))
    );

    let messages = format!(
        "From: a@b.c\nSubject: deep\n{}text",
        "Content-Type: message/rfc822\n\n".repeat(10_000)
    );
    let (documents, files) = read("a.eml", &messages);
    assert_eq!((documents.len(), files.len()), (1, 1));

    let html = format!(
        "From: a@b.c\nSubject: deep\nContent-Type: text/html\n\n{}text",
        "<div><blockquote>".repeat(10_000)
    );
    let (documents, _) = read("a.eml", &html);
    assert!(documents[0].text.contains("text"));

    let quotes = format!(
        "From: a@b.c\nSubject: deep\n\n{} x\nmine\n",
        ">".repeat(10_000)
    );
    assert!(read("a.eml", &quotes).0[0].text.contains("mine"));
}

#[test]
fn patterns_that_make_a_careless_reader_slow() {
    for (name, unit) in [
        (
            "encoded words without an end",
            "Subject: x\nFrom: =?utf-8?q?x\nTo: =?utf-8?q?",
        ),
        ("brackets", "From: <<<((((\"\nSubject: x\n "),
        ("boundaries", "--\n--b\n--b-\n"),
        (
            "siblings without boundary",
            "--b\nContent-Type: multipart/mixed; boundary=zzz\n\n",
        ),
        ("attributions", "On 1 Jan 2024, x wrote:\n"),
        ("quotes and blank lines", "> a\n\n\n\nb:\n"),
        ("headers of quotes", "From: a\n"),
        ("rules", "____________________________\n"),
        ("from lines", "From a@b.c Tue Jan  1 00:00:00 2002\n"),
        ("uuencode", "begin 644 x\n#0V%T\n"),
        ("addresses", "http://(((((http://)))))"),
        ("brackets after an address", ")"),
        (
            "html",
            "<div class=\"gmail_signature\"><div class='yahoo_quoted'>",
        ),
        ("tags", "<div "),
        ("pgp", "-----BEGIN PGP MESSAGE-----\n"),
    ] {
        let kinds = [
            "text/plain; format=flowed",
            "text/html",
            "multipart/mixed; boundary=b",
        ];
        for kind in kinds {
            let body = unit.repeat((1 << 20) / unit.len());
            let raw =
                format!("From: a@b.c\nSubject: s\nContent-Type: {kind}\n\nhttp://{body}\n> q\n");
            let (documents, _) = read("a.eml", &raw);
            assert_eq!(documents.len(), 1, "{name} {kind}");
        }
        let header = format!(
            "{}\nSubject: s\n\nx",
            unit.repeat((1 << 20) / unit.len()).replace("\n\n", "\n")
        );
        let _ = read_with("a.eml", Box::new(header.into_bytes()), "", 10);
    }
}

fn samples() -> Vec<Vec<u8>> {
    let mailbox = format!("{FROM}{FULL}\n\n{FROM}Subject: two\n\n<p>words\n");
    vec![FULL.as_bytes().to_vec(), mailbox.into_bytes()]
}

proptest! {
    #[test]
    fn damaged_mail_is_read_or_refused(
        which in 0_usize..2,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        truncate: bool,
    ) {
        let mut bytes = samples().swap_remove(which);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok((documents, _)) = read_with("a", Box::new(bytes), "", 3) {
            for document in documents {
                prop_assert!(!document.title.is_empty());
                for link in &document.links {
                    prop_assert!(document.text.get(link.span.start..link.span.end).is_some());
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut raw = b"From: a@b.c\nSubject: ".to_vec();
        raw.extend(bytes);
        let _ = read_with("a.eml", Box::new(raw), "", 3);
    }
}

#[test]
fn damaged_messages_of_others_are_read_or_refused() {
    let Some(root) = expected::root() else { return };
    // A small generator, the same numbers each time.
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).unwrap()
    };
    let mut read = 0;
    for folder in ["rfc", "legacy", "thirdparty", "malformed"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "eml") {
                continue;
            }
            let whole = std::fs::read(&path).unwrap();
            for variant in 0..100 {
                let mut bytes = whole.clone();
                for _ in 0..variant % 10 {
                    let at = random(bytes.len());
                    bytes[at] ^= 1 << random(8);
                }
                bytes.truncate(bytes.len() - random(bytes.len() / 4 + 1) * (variant % 2));
                read += usize::from(read_with("a.eml", Box::new(bytes), "", 3).is_ok());
            }
        }
    }
    assert!(read > 10_000, "{read}");
}
