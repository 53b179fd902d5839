use extract_core::{Batch, Document, Extractor, Failure, Input, NoOcr, Property, Scalar, Value};

use super::*;

mod expected;
mod fixtures;
mod hostile;

/// A file that a message carried, put together.
#[derive(Debug, PartialEq, Eq)]
struct File {
    part: String,
    name: String,
    media_type: Option<String>,
    content: Vec<u8>,
}

/// Reads all there is, as the host does.
fn read_with(
    name: &str,
    bytes: Box<dyn Bytes>,
    settings: &str,
    limit: usize,
) -> Result<(Vec<Document>, Vec<File>), Failure> {
    let input = Input {
        name,
        media_type: None,
        settings,
    };
    let mut source = Mail::open(input, bytes, Box::new(NoOcr))?;
    let (mut documents, mut files) = (Vec::new(), Vec::new());
    let mut open = false;
    loop {
        let Batch {
            documents: some,
            pieces,
            last,
        } = source.next(limit)?;
        assert!(last || !some.is_empty() || !pieces.is_empty());
        assert!(some.len() <= limit && pieces.len() <= limit);
        let bytes: usize = pieces.iter().map(|piece| piece.content.len()).sum();
        assert!(bytes <= extract_core::MOST_PIECES_BYTES);
        documents.extend(some.into_iter().map(Result::unwrap));
        for piece in pieces {
            if open {
                let file: &mut File = files.last_mut().unwrap();
                assert_eq!(file.part, piece.part);
                file.content.extend(piece.content);
            } else {
                files.push(File {
                    part: piece.part,
                    name: piece.name,
                    media_type: piece.media_type,
                    content: piece.content,
                });
            }
            open = !piece.last;
        }
        if last {
            assert!(!open);
            return Ok((documents, files));
        }
    }
}

fn read(name: &str, text: &str) -> (Vec<Document>, Vec<File>) {
    read_with(name, Box::new(text.as_bytes().to_vec()), "", 100).unwrap()
}

fn value<'a>(document: &'a Document, name: &str) -> Option<&'a Value> {
    let found = document
        .properties
        .iter()
        .find(|property| property.name == name);
    found.map(|property: &Property| &property.value)
}

fn text(document: &Document, name: &str) -> String {
    match value(document, name) {
        Some(Value::One(Scalar::Text(text))) => text.clone(),
        Some(Value::Many(list)) => {
            let texts = list.iter().map(|scalar| match scalar {
                Scalar::Text(text) => text.clone(),
                other => format!("{other:?}"),
            });
            texts.collect::<Vec<_>>().join("|")
        }
        other => format!("{other:?}"),
    }
}

const FULL: &str = "From: =?utf-8?q?J=C3=B6rg?= <joerg@x.de>\r
To: Ann Lee <ann@x.org>, bob@x.org\r
Cc: team@x.org\r
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r
Date: Tue, 1 Jan 2002 00:00:00 +0000\r
Message-ID: <3@x.de>\r
In-Reply-To: <2@x.org>\r
References: <1@x.org> <2@x.org>\r
List-Id: The team <team.x.org>\r
Keywords: big plans, 2024\r
MIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary=\"=_b\"\r
\r
--=_b\r
Content-Type: text/plain; charset=utf-8; format=flowed\r
\r
Hello \r
Ann, see https://x.org/plan.\r
\r
On 31 Dec 2001, Ann wrote:\r
> Where is it?\r
> And when?\r
> And who?\r
> And why?\r
\r
--=_b\r
Content-Type: application/pdf; name=plan.pdf\r
Content-Transfer-Encoding: base64\r
\r
JVBERi0x\r
--=_b--\r
";

#[test]
fn a_message_says_who_wrote_what_to_whom() {
    let (documents, files) = read("a.eml", FULL);
    let [document] = documents.as_slice() else {
        panic!("{documents:?}")
    };
    assert_eq!(
        (document.part.as_str(), document.kind.as_str()),
        ("", "message")
    );
    assert_eq!(document.title, "Grüße");
    assert_eq!(document.text, "Hello Ann, see https://x.org/plan.");
    for (name, expected) in [
        ("message_id", "3@x.de"),
        ("from", "Jörg <joerg@x.de>"),
        ("author", "Jörg"),
        ("to", "Ann Lee <ann@x.org>|bob@x.org"),
        ("cc", "team@x.org"),
        ("thread", "1@x.org"),
        ("in_reply_to", "2@x.org"),
        ("references", "1@x.org|2@x.org"),
        ("labels", "big plans|2024"),
        ("list", "team.x.org"),
        ("attachments", "plan.pdf"),
    ] {
        assert_eq!(text(document, name), expected, "{name}");
    }
    assert_eq!(
        value(document, "created"),
        Some(&Value::One(Scalar::Timestamp(1_009_843_200_000)))
    );
    assert_eq!(
        value(document, "quoted_lines"),
        Some(&Value::One(Scalar::Number(5.0)))
    );
    assert_eq!(document.tags, ["big-plans"]);
    let link = &document.links[0];
    assert_eq!(
        &document.text[link.span.start..link.span.end],
        "https://x.org/plan"
    );
    assert_eq!(document.warnings, Vec::<String>::new());
    let file = File {
        part: "plan.pdf".into(),
        name: "plan.pdf".into(),
        media_type: Some("application/pdf".into()),
        content: b"%PDF-1".to_vec(),
    };
    assert_eq!(files, [file]);
}

#[test]
fn a_mailbox_gives_its_messages_once_and_itself() {
    let from = "From a@b.c Tue Jan  1 00:00:00 2002\n";
    let full = FULL.replace('\r', "");
    let other = full.replace("Hello", "Goodbye");
    let none = "Subject: no id\n\nwords\n";
    let deleted = "X-Mozilla-Status: 0009\nSubject: gone\nTo: x@y.z\n\nwords\n";
    let mailbox = [full.as_str(), &full, &other, none, deleted]
        .map(|message| format!("{from}{message}\n"))
        .concat();
    for limit in [1, 2, 100] {
        let bytes = Box::new(mailbox.clone().into_bytes());
        let (documents, files) = read_with("Inbox.mbox", bytes, "", limit).unwrap();
        let parts: Vec<&str> = documents
            .iter()
            .map(|document| document.part.as_str())
            .collect();
        let [first, second, third, itself] = parts.as_slice() else {
            panic!("{parts:?}")
        };
        assert_eq!((*first, *second, *itself), ("3@x.de", "3@x.de~2", ""));
        assert!(third.starts_with("sha:") && third.len() == 20);
        let created = value(&documents[2], "created");
        assert_eq!(
            created,
            Some(&Value::One(Scalar::Timestamp(1_009_843_200_000)))
        );
        let last = &documents[3];
        assert_eq!(
            (last.kind.as_str(), last.title.as_str()),
            ("mailbox", "Inbox")
        );
        assert_eq!(
            value(last, "messages"),
            Some(&Value::One(Scalar::Number(3.0)))
        );
        assert_eq!(last.warnings.len(), 1);
        let parts: Vec<&str> = files.iter().map(|file| file.part.as_str()).collect();
        assert_eq!(parts, ["3@x.de/plan.pdf", "3@x.de~2/plan.pdf"]);
    }
}

#[test]
fn large_files_come_in_several_pieces() {
    let content = "x".repeat(20 << 20);
    let raw =
        format!("Subject: x\nContent-Type: application/octet-stream; name=big.bin\n\n{content}");
    let (documents, files) = read("a.eml", &raw);
    assert_eq!(documents[0].text, "");
    assert_eq!(files[0].content.len(), content.len());
}

#[test]
fn encrypted_messages_say_so() {
    let raw = "Subject: x\nContent-Type: multipart/encrypted; boundary=b; protocol=\"application/pgp-encrypted\"\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\n--b--\n";
    let (documents, _) = read("a.eml", raw);
    assert!(documents[0].warnings[0].contains("encrypted"));
    let inline = "Subject: x\n\n-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n";
    let (documents, _) = read("a.eml", inline);
    assert!(documents[0].warnings[0].contains("encrypted") && documents[0].text.is_empty());
}

#[test]
fn winmail_dat_is_named_and_its_files_are_taken_out() {
    let mut raw = b"Subject: x\nContent-Type: application/ms-tnef; name=winmail.dat\n\n".to_vec();
    raw.extend(tnef::tests::sample("Report of May.txt", b"hello"));
    let (documents, files) = read_with("a.eml", Box::new(raw), "", 10).unwrap();
    assert!(documents[0].warnings[0].contains("winmail.dat"));
    assert_eq!(
        (files[0].name.as_str(), files[0].content.as_slice()),
        ("Report of May.txt", &b"hello"[..])
    );
    let (documents, files) = read(
        "a.eml",
        "Subject: x\nContent-Type: application/ms-tnef; name=winmail.dat\n\nbroken",
    );
    assert!(documents[0].warnings[0].contains("winmail.dat"));
    assert_eq!(files[0].name, "winmail.dat");
}

#[test]
fn attachments_are_only_named_where_they_are_not_wished() {
    let bytes = Box::new(FULL.as_bytes().to_vec());
    let (documents, files) = read_with("a.eml", bytes, r#"{"attachments":false}"#, 10).unwrap();
    assert_eq!(text(&documents[0], "attachments"), "plan.pdf");
    assert!(files.is_empty());
}

#[test]
fn a_message_without_subject_date_and_text_is_one() {
    let (documents, _) = read("a.eml", "From: a@b.c\n\n");
    assert_eq!(documents[0].title, "(no subject)");
    assert_eq!(text(&documents[0], "author"), "a@b.c");
    assert_eq!(value(&documents[0], "created"), None);
}

#[test]
fn line_ends_of_an_old_macintosh() {
    let (documents, _) = read("a.eml", "From: a@b.c\rSubject: x\r\rHello\rthere\r");
    assert_eq!(
        (documents[0].title.as_str(), documents[0].text.as_str()),
        ("x", "Hello\nthere")
    );
}
