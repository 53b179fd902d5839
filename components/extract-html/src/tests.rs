//! Pages of our own; those of others are in [`readability`].

mod hostile;
mod readability;

use extract_core::{FailureKind, Scalar, Value};

use super::*;

fn read(html: &str) -> Document {
    read_as("page.html", None, html.as_bytes().to_vec(), "{}").unwrap()
}

fn read_as(
    name: &str,
    media_type: Option<&str>,
    bytes: Vec<u8>,
    settings: &str,
) -> Result<Document, Failure> {
    let input = Input {
        name,
        media_type,
        settings,
    };
    let settings = input.settings().unwrap();
    extract(&input, bytes, &settings)
}

fn property<'a>(document: &'a Document, name: &str) -> Option<&'a Value> {
    let mut properties = document.properties.iter();
    properties
        .find(|property| property.name == name)
        .map(|property| &property.value)
}

fn text_of<'a>(document: &'a Document, name: &str) -> Option<&'a str> {
    match property(document, name)? {
        Value::One(Scalar::Text(text)) => Some(text),
        other => panic!("{name} is {other:?}"),
    }
}

fn time_of(document: &Document, name: &str) -> Option<i64> {
    match property(document, name)? {
        Value::One(Scalar::Timestamp(time)) => Some(*time),
        other => panic!("{name} is {other:?}"),
    }
}

const SENTENCE: &str = "The heron stands in the shallow water, waits for a long time, and then, quite suddenly, strikes at a fish. ";

/// A page with the usual things around its content.
fn article() -> String {
    let paragraphs = format!("<p>{}</p>", SENTENCE.repeat(3)).repeat(4);
    format!(
        r#"<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8">
<title>Herons at work | The Bird Pages</title>
<link rel="canonical" href="/herons?page=1"><base href="https://birds.example/x/">
<meta property="og:site_name" content="The Bird Pages">
<meta property="article:published_time" content="2024-03-01T10:00:00+01:00">
<meta property="article:modified_time" content="2024-03-02">
<meta name="author" content="Ada Marsh and Bo Reed">
<meta name="description" content="How herons
 fish.">
<meta name="keywords" content="birds, Herons, birds,">
<style>p {{ color: red }}</style><script>track("<p>nothing</p>")</script></head>
<body><nav class="menu"><ul><li><a href="/">Home</a><li><a href="/a">About</a></ul></nav>
<div class="sidebar"><a href="/x">Read also this</a> <a href="/y">and that</a></div>
<main><article><h1>Herons at work</h1>{paragraphs}
<h2>Tools</h2><p>{SENTENCE}See <a href="../bill">the bill</a>.</p>
<table><tr><th>Bird<th>Fish<tr><td>Heron<td>12<tr><td>Egret<td>7</table>
<pre><code class="language-sh">strike --fast
</code></pre><ul><li>one<li>two</ul>
<div class="share">Share this with friends</div></article></main>
<footer>All rights reserved, for ever</footer></body></html>"#
    )
}

#[test]
fn an_article_with_all_it_says_of_itself() {
    let document = read(&article());
    assert_eq!(document.title, "Herons at work");
    assert_eq!(document.kind, "");
    assert_eq!(
        text_of(&document, "url"),
        Some("https://birds.example/herons?page=1")
    );
    assert_eq!(text_of(&document, "lang"), Some("en-GB"));
    assert_eq!(text_of(&document, "site"), Some("The Bird Pages"));
    assert_eq!(text_of(&document, "description"), Some("How herons fish."));
    assert_eq!(time_of(&document, "published"), Some(1_709_283_600_000));
    assert_eq!(time_of(&document, "modified"), Some(1_709_337_600_000));
    let texts = |values: &[&str]| {
        Value::Many(
            values
                .iter()
                .map(|value| Scalar::Text((*value).to_owned()))
                .collect(),
        )
    };
    assert_eq!(
        property(&document, "author"),
        Some(&texts(&["Ada Marsh", "Bo Reed"]))
    );
    assert_eq!(
        property(&document, "keywords"),
        Some(&texts(&["birds", "Herons"]))
    );
    assert_eq!(document.warnings, Vec::<String>::new());

    let text = &document.text;
    assert!(text.starts_with("The heron stands"), "{text}");
    let end = "## Tools\n\nThe heron stands in the shallow water, waits for a long time, and then, quite suddenly, \
        strikes at a fish. See [the bill](https://birds.example/bill).\n\n\
        | Bird | Fish |\n| --- | --- |\n| Heron | 12 |\n| Egret | 7 |\n\n\
        ```sh\nstrike --fast\n```\n\n- one\n- two";
    assert!(text.ends_with(end), "{text}");
    for around in ["Home", "Read also", "Share", "rights", "nothing", "color"] {
        assert!(!text.contains(around), "{around}");
    }
    assert_eq!(document.links.len(), 1);
}

#[test]
fn all_of_a_page_where_that_is_asked_for() {
    let all = read_as(
        "a.html",
        None,
        article().into_bytes(),
        r#"{"content":"all"}"#,
    )
    .unwrap();
    for around in ["Home", "Read also", "Share", "rights", "# Herons at work"] {
        assert!(all.text.contains(around), "{around}");
    }
    assert!(!all.text.contains("nothing") && !all.text.contains("color"));
}

#[test]
fn a_short_page_is_read_whole_and_without_a_warning() {
    let document = read(
        "<title>T</title><body><nav><a href=/x>Home</a></nav><p>Short.<div class=footer>End</div>",
    );
    assert_eq!(document.text, "[Home](/x)\n\nShort.\n\nEnd");
    assert_eq!(document.warnings, Vec::<String>::new());
}

#[test]
fn pages_without_text_say_so() {
    let scripted = read(
        "<html><head><title>App</title></head><body><div id=root></div><noscript>You need JavaScript.</noscript><script src=a.js></script>",
    );
    assert_eq!((&*scripted.title, &*scripted.text), ("App", ""));
    assert!(
        scripted.warnings[0].contains("its scripts make it"),
        "{:?}",
        scripted.warnings
    );
    assert_eq!(read("").warnings, ["The page has no text."]);
    assert_eq!(read("").title, "page");
}

#[test]
fn a_byline_in_the_text_is_the_author() {
    let html = article()
        .replace(
            r#"<meta name="author" content="Ada Marsh and Bo Reed">"#,
            "",
        )
        .replace(
            "<h1>Herons at work</h1>",
            "<h1>Herons at work</h1><p class=byline>By <b>Cy Rush</b></p>",
        );
    let document = read(&html);
    assert_eq!(text_of(&document, "author"), Some("Cy Rush"));
    assert!(!document.text.contains("Cy Rush"));
}

#[test]
fn linked_data_goes_before_other_words() {
    let linked = r#"<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
        {"@type":"Organization","name":"No"},
        {"@type":["NewsArticle"],"headline":"Herons &amp; co","author":[{"name":"Di Pool"},{"name":"https://no.example"}],
         "datePublished":"2020-01-02T03:04:05Z","publisher":{"name":"Pools"},"description":"Long\nago"}]}</script></head>"#;
    let document = read(&article().replace("</head>", linked));
    assert_eq!(document.title, "Herons & co");
    assert_eq!(text_of(&document, "author"), Some("Di Pool"));
    assert_eq!(text_of(&document, "site"), Some("Pools"));
    assert_eq!(text_of(&document, "description"), Some("Long ago"));
    assert_eq!(time_of(&document, "published"), Some(1_577_934_245_000));
    // What is no JSON is no reason to fail.
    let broken = read(&article().replace("</head>", &linked.replace("@graph\":[", "@graph\":")));
    assert_eq!(broken.title, "Herons at work");
}

#[test]
fn saved_pages_know_where_they_are_from() {
    let plain = article().replace(
        "<link rel=\"canonical\" href=\"/herons?page=1\"><base href=\"https://birds.example/x/\">",
        "",
    );
    let saved = format!(
        "<!DOCTYPE html>\n<!-- saved from url=(0029)https://birds.example/x/heron -->\n{plain}"
    );
    let document = read(&saved);
    assert_eq!(
        text_of(&document, "url"),
        Some("https://birds.example/x/heron")
    );
    assert!(
        document
            .text
            .contains("[the bill](https://birds.example/bill)")
    );
    let single = format!(
        "<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://birds.example/y \n saved date: Fri\n-->{plain}"
    );
    assert_eq!(
        text_of(&read(&single), "url"),
        Some("https://birds.example/y")
    );
    assert_eq!(property(&read(&plain), "url"), None);
    // A word in the text is no comment.
    let no = format!("{plain}<p>saved from url=(0000)https://no.example/");
    assert_eq!(property(&read(&no), "url"), None);
}

#[test]
fn pictures_inside_the_page_are_dropped() {
    let picture = format!(
        "<img alt='A heron' src='data:image/png;base64,{}'>",
        "A".repeat(200_000)
    );
    let html = article().replace("<h2>Tools", &format!("<p>{SENTENCE}{picture}</p><h2>Tools"));
    let document = read(&html);
    assert!(document.text.contains("A heron"));
    assert!(document.text.len() < 10_000 && !document.text.contains("base64"));
}

#[test]
fn a_web_archive_gives_its_page() {
    let page = article().replace('=', "=3D");
    let archive = format!(
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://birds.example/z\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n\
         --b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{page}\r\n\
         --b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n"
    );
    let document = read_as("a.mhtml", None, archive.into_bytes(), "").unwrap();
    assert_eq!(document.title, "Herons at work");
    assert_eq!(document.text, read(&article()).text);
    assert_eq!(
        text_of(&document, "url"),
        Some("https://birds.example/herons?page=1")
    );
}

#[test]
fn the_charset_comes_from_the_media_type_first() {
    let page = "<title>Grüße aus Köln</title><p>Überall Bäume";
    let latin1: Vec<u8> = page
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let typed = Some("text/html; charset=\"ISO-8859-1\"");
    let document = read_as("a.html", typed, latin1.clone(), "").unwrap();
    assert_eq!(document.title, "Grüße aus Köln");
    assert_eq!(document.warnings, Vec::<String>::new());
    let guessed = read_as("a.html", None, latin1, "").unwrap();
    assert_eq!(guessed.title, "Grüße aus Köln");
    assert!(guessed.warnings[0].contains("does not say its charset"));
}

#[test]
fn what_is_no_page_is_refused() {
    let png =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\x01\x02\x03\x04\x05\x06\x0e\x0f\x10".to_vec();
    assert_eq!(
        read_as("a.html", None, png, "").unwrap_err().kind,
        FailureKind::InvalidInput
    );
    let settings = Input {
        settings: r#"{"max_bytes":3}"#,
        ..Input::default()
    };
    let failure = Html::open(
        settings,
        Box::new(b"<p>a".to_vec()),
        Box::new(extract_core::NoOcr),
    );
    assert_eq!(failure.err().unwrap().kind, FailureKind::TooLarge);
}
