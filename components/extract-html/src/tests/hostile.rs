//! Pages made to break readers.

use proptest::prelude::*;

use super::*;

fn check(document: &Document) {
    let text = &document.text;
    let mut last = 0;
    for link in &document.links {
        assert!(link.span.start >= last && !text[link.span.start..link.span.end].is_empty());
        last = link.span.start;
    }
    assert!(!document.title.is_empty());
}

/// Each is deep, or makes a reader look again and again at the same text.
#[test]
fn deep_and_repetitive_pages_end() {
    let n = 50_000;
    let paragraph = format!("<p>{SENTENCE}</p>");
    let classes: String = "comment sidebar article ".repeat(100);
    for html in [
        "<div>".repeat(n) + &paragraph.repeat(20),
        format!("<div>{paragraph}").repeat(n / 10),
        format!("<div>{SENTENCE}<br><br>").repeat(n / 10),
        format!("<div><a href=#x>{SENTENCE}</a>").repeat(n / 10),
        format!("<table><tr><td>{paragraph}").repeat(n / 10),
        format!("<ul><li><ul>{paragraph}").repeat(n / 10),
        format!("<div class='{classes}'>{paragraph}").repeat(200),
        "<div><span>a</span>".repeat(n),
        "<div><section><header>".repeat(n),
        "<a><a href=x>b".repeat(n),
        "<br>".repeat(n * 4),
        "<meta name=author content=x>".repeat(n),
        "<script type='application/ld+json'>[".repeat(n),
        format!(
            "<script type='application/ld+json'>{}</script>",
            "[".repeat(n)
        ),
        "<h1>T</h1>".repeat(n) + "<title>T - T - T</title>",
        format!("<title>{}</title>", "a - ".repeat(n)),
        "<!-- saved from url=".repeat(n),
        "<form><input><p>a".repeat(n),
    ] {
        check(&read(&html));
    }
    let parts = "Content-Type: multipart/related; boundary=b\n\n".to_owned()
        + &"--b\nContent-Type: multipart/mixed; boundary=b\n\n".repeat(n);
    assert!(read_as("a.mht", None, parts.into_bytes(), "").is_err());
}

#[test]
fn every_cut_of_a_page_is_read() {
    let html = article();
    for end in (0..html.len()).step_by(7) {
        check(&read(&html[..html.floor_char_boundary(end)]));
    }
}

/// A thousand variants of our page with a few bits flipped, always the same.
#[test]
fn flipped_bits_are_read_or_refused() {
    let bytes = article().into_bytes();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..1_000 {
        let mut flipped = bytes.clone();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % flipped.len();
            flipped[at] ^= 1 << (state >> 61);
        }
        if let Ok(document) = read_as("a.html", None, flipped, "") {
            check(&document);
        }
    }
}

proptest! {
    #[test]
    fn any_page_gives_a_sound_document(parts in prop::collection::vec(prop::sample::select(vec![
        "<p>", "</p>", "<div>", "</div>", "<div class=content>", "<div class=sidebar>", "<section>", "<h1>T</h1>",
        "<title>T</title>", "<br><br>", "<a href=x>", "</a>", "<table>", "<tr><td>", "</table>", "<ul><li>", "</ul>",
        "<form>", "<input>", "</form>", "<img alt=a src=b>", "<iframe src='//youtube.com/x'></iframe>", "<aside>",
        "<span itemprop=author>", "</span>", "<body>", "<head>", "<footer>", "<div hidden>", "<p class=byline>",
        SENTENCE, SENTENCE, "a", ",", " ",
    ]), 0..80)) {
        check(&read(&parts.concat()));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(document) = read_as("a.html", None, bytes, "") {
            check(&document);
        }
    }

    #[test]
    fn any_archive_is_read_or_refused(body in "(--b|\r\n|Content-Type: (text/html|multipart/mixed; boundary=b)|=3D|<p>a|: ){0,40}") {
        let archive = format!("Content-Type: multipart/related; boundary=b\r\n\r\n{body}");
        if let Ok(document) = read_as("a.mht", None, archive.into_bytes(), "") {
            check(&document);
        }
    }
}
