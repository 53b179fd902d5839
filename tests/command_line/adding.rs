//! `add`, `extract` and `clip`: bringing new things.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use super::{Place, stderr, stdout};

#[test]
fn a_source_says_by_kind_what_it_found() {
    let place = Place::filled();
    place.write("saved.html", "<!doctype html><p>A page");
    place.write("unknown", "%PDF-1.7");
    place.write("film.mp4", "no text");
    let folder = place.notes.path().display().to_string();
    let added = place.json(&["add", &folder]);
    let kinds = added["found"]["kinds"].as_array().unwrap();
    let files = |kind: &str| {
        let of_kind = |counted: &&Value| counted["kind"] == kind;
        kinds.iter().find(of_kind).map(|counted| &counted["files"])
    };
    assert_eq!(files("note"), Some(&2.into()));
    assert_eq!(files("page"), Some(&1.into()));
    assert_eq!(files("pdf"), Some(&1.into()), "told by what it begins with");
    assert_eq!(added["found"]["unread"][0]["extension"], "mp4");
    let shown = place.ok(&["add", &folder]);
    assert!(shown.contains("1 .mp4"), "{shown}");
}

#[test]
fn extract_shows_what_a_sync_would_see() {
    let place = Place::new();
    place.write(
        "page.html",
        "<html lang=en><head><title>Walnuts</title><meta name=author content=Ada></head><body><article><h1>Walnuts</h1>\
         <p>The walnut tree grows slowly, and it casts a deep shade in which little else grows. It is planted for its \
         nuts and for its wood, which is dark and hard.</p><script>secret()</script></article></body></html>",
    );
    let file = place.notes.path().join("page.html").display().to_string();
    let found = place.json(&["extract", &file]);
    let document = &found["documents"][0];
    assert_eq!(document["title"], "Walnuts");
    assert_eq!(document["kind"], "page");
    assert_eq!(document["extractor"], "extract-html");
    let text = document["text"].as_str().unwrap();
    assert!(
        text.contains("deep shade") && !text.contains("secret"),
        "{text}"
    );
    let shown = place.ok(&["extract", &file]);
    assert!(shown.contains("author") && shown.contains("Ada"), "{shown}");
    let text_only = place.ok(&["extract", "--text", &file]);
    assert!(!text_only.contains("author"), "{text_only}");
    assert_eq!(place.json(&["list"])["total"], 0, "nothing is kept");

    place.write("broken.pdf", "%PDF-1.7 and nothing more");
    let file = place.notes.path().join("broken.pdf").display().to_string();
    let output = place.run(&["extract", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("broken.pdf"),
        "{}",
        stderr(&output)
    );
    let folder = place.notes.path().display().to_string();
    assert_eq!(place.run(&["extract", &folder]).status.code(), Some(2));
}

#[test]
fn passwords_are_given_for_a_source_and_never_shown() {
    let place = Place::filled();
    let folder = place.notes.path().display().to_string();
    let given = "\n {\"extract-pdf\": {\"passwords\": [\"open sesame\"]}}";
    let added = place.run(&["--json", "add", &folder, "--extractor-settings", given]);
    assert!(added.status.success(), "{}", stderr(&added));
    assert!(!stdout(&added).contains("sesame"), "{}", stdout(&added));
    let unknown = "{\"extract-nothing\": {}}";
    let said = place.fails(2, &["add", &folder, "--extractor-settings", unknown]);
    assert!(
        said.contains("extract-nothing") && said.contains("extract-pdf"),
        "{said}"
    );
}

/// A web server on this machine that answers every request with one page.
fn serve(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    format!("http://{address}/article")
}

#[test]
fn a_page_is_clipped_into_a_note_and_clipped_again_into_the_same() {
    let place = Place::new();
    let url = serve(
        "<html><head><title>On walnuts</title></head><body><article><h1>On walnuts</h1><p>The walnut tree grows slowly, \
         and it casts a deep shade in which little else grows. <a href=\"more\">More of it.</a></p></article></body></html>",
    );
    // What is on this machine is not fetched unless that is said.
    let said = place.fails(1, &["clip", &url]);
    assert!(said.contains("--allow-private"), "{said}");
    let clipped = place.json(&["clip", &url, "--allow-private", "--tags", "trees,to read"]);
    assert_eq!(clipped["outcome"], "created");
    assert_eq!(clipped["title"], "On walnuts");
    let path = clipped["path"].as_str().unwrap();
    assert!(
        path.starts_with("clips/20") && path.ends_with("_on-walnuts.md"),
        "{path}"
    );
    let note = place.home.path().join(path);
    let text = std::fs::read_to_string(note).unwrap();
    assert!(
        text.starts_with("---\n") && text.contains("sha256:"),
        "{text}"
    );
    assert!(text.contains("deep shade"), "{text}");
    let linked = url.replace("/article", "/more");
    assert!(
        text.contains(&linked),
        "relative links are made whole: {text}"
    );
    let found = place.json(&["search", "walnut shade tag:trees"]);
    assert_eq!(found["hits"][0]["path"], path);
    let again = place.json(&["clip", &url, "--allow-private"]);
    assert_eq!(again["path"], path);
    assert_ne!(again["outcome"], "created");
    assert_eq!(place.json(&["list"])["total"], 1);
}
