use super::*;

const ABOUT: About = About {
    is_forward: false,
    is_reply: false,
    keep_quotes: false,
};

fn body(raw: &str) -> Body {
    body_of(raw, ABOUT)
}

fn body_of(raw: &str, about: About) -> Body {
    let tree = crate::mime::parse(raw.as_bytes());
    read(raw.as_bytes(), &tree, &Structure::of(&tree), about)
}

fn alternative(plain: &str, html: &str) -> String {
    format!(
        "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\n{plain}\n--x\nContent-Type: text/html\n\n{html}\n--x--\n"
    )
}

#[test]
fn plain_text_is_preferred_unless_it_is_a_stub() {
    let html = "<p>The <b>whole</b> story, told at length.</p>";
    let plain = "The whole story, told at length, in plain words.";
    assert_eq!(body(&alternative(plain, html)).text, plain);
    for stub in [
        "",
        "Your mail program does not support HTML.",
        "View this email in your browser: x",
    ] {
        assert_eq!(
            body(&alternative(stub, html)).text,
            "The **whole** story, told at length.",
            "{stub}"
        );
    }
    assert_eq!(body(&alternative("Yes.", "<p>Yes.")).text, "Yes.");
}

#[test]
fn links_follow_the_text_when_quotes_are_left_out() {
    let raw = "Content-Type: text/html\n\n<p>See <a href=\"https://a.b/\">this</a>.</p><div>On 1 Jan 2024, Ann &lt;ann@x.org&gt; wrote:</div><blockquote><p>Look at <a href=\"https://c.d/\">that</a> first.<p>And more.<p>And more.<p>And more.</blockquote><p>Then <a href=\"https://e.f/\">another</a>.</p>";
    let body = body(raw);
    let found: Vec<(&str, &str)> = body
        .links
        .iter()
        .map(|link| {
            (
                link.target.as_str(),
                &body.text[link.span.start..link.span.end],
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("https://a.b/", "[this](https://a.b/)"),
            ("https://e.f/", "[another](https://e.f/)"),
        ],
        "{}",
        body.text
    );
    assert!(body.quoted >= 4 && !body.text.contains("wrote"));
}

#[test]
fn an_answer_without_words_keeps_the_first_lines_it_answers() {
    let raw = "Subject: x\n\nOn 1 Jan 2024, Ann <ann@x.org> wrote:\n> one\n> two\n> three\n> four\n> five\n";
    let reply = About {
        is_reply: true,
        ..ABOUT
    };
    assert_eq!(body_of(raw, reply).text, "> one\n> two\n> three");
    assert!(body(raw).text.ends_with("> five"));
}

#[test]
fn quotes_stay_where_that_is_wished() {
    let raw = "Subject: x\n\nYes.\n\n> one\n> two\n> three\n> four\n";
    let keep = About {
        keep_quotes: true,
        ..ABOUT
    };
    assert_eq!(
        body_of(raw, keep).text,
        "Yes.\n\n> one\n> two\n> three\n> four"
    );
    assert_eq!((body(raw).text.as_str(), body(raw).quoted), ("Yes.", 4));
}

#[test]
fn pictures_that_are_parts_of_the_message_are_no_links() {
    let raw = "Content-Type: text/html\n\n<p>Hello<img alt='Logo' src='cid:a@b'> you</p>";
    let body = body(raw);
    assert!(
        body.links.is_empty() && !body.text.contains("cid:"),
        "{}",
        body.text
    );
}

#[test]
fn files_written_into_the_text_are_taken_out_of_it() {
    let raw = "Subject: x\n\nHere:\n\nbegin 644 cat.txt\n#0V%T\n`\nend\n\nBye.\n";
    let body = body(raw);
    assert_eq!(body.text, "Here:\n\nBye.");
    assert_eq!(body.files[0].content, b"Cat");
}

#[test]
fn html_that_says_to_be_plain_is_read_as_html() {
    let raw = "Content-Type: text/plain\n\n<!DOCTYPE html><html><body><p>Hello &amp; welcome</p></body></html>";
    assert_eq!(body(raw).text, "Hello & welcome");
}

#[test]
fn a_text_of_any_size_is_bounded() {
    let raw = format!("Subject: x\n\n{}", "some words\n".repeat(1 << 20));
    let body = body(&raw);
    assert!(body.text.len() <= MOST_BYTES);
    assert_eq!(
        body.warnings,
        ["Only the first 8 MiB of the text were read."]
    );
}
