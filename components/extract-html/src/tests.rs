use std::collections::HashMap;
use std::path::Path;

use extract_core::LinkKind;

use super::*;

fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *words.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    words
}

/// Harmonic mean of precision and recall of the words of `text`.
fn f1(text: &str, expected: &str) -> f64 {
    let (text, expected) = (words(text), words(expected));
    let shared: usize = text
        .iter()
        .map(|(word, count)| count.min(expected.get(word).unwrap_or(&0)))
        .sum();
    let all: usize = text.values().chain(expected.values()).sum();
    if all == 0 {
        1.0
    } else {
        2.0 * shared as f64 / all as f64
    }
}

/// All text of a page, blocks apart.
fn text_of(html: &str) -> String {
    let dom = Dom::parse(html);
    let mut text = String::new();
    for id in dom.all() {
        text.push_str(dom.text(id));
        if dom.name(id).is_block() || dom.name(id) == Name::Br {
            text.push(' ');
        }
    }
    text
}

/// Markdown without the addresses of its links, and without its pictures.
fn shown(document: &Document) -> String {
    let text = &document.text;
    let mut hidden = vec![false; text.len()];
    for link in &document.links {
        let span = &text[link.span.start..link.span.end];
        let start = match (link.kind, span.rfind("](")) {
            (LinkKind::Image, _) => 0,
            (_, address) => address.unwrap_or(span.len()),
        };
        hidden[link.span.start + start..link.span.end].fill(true);
    }
    let shown = |&(at, _): &(usize, char)| !hidden[at];
    text.char_indices().filter(shown).map(|(_, c)| c).collect()
}

#[test]
fn dev_f1() {
    let dir = Path::new("/tmp/rd");
    let mut all = Vec::new();
    let mut dirs: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
        .collect();
    dirs.sort();
    let mut sum = 0.0;
    let mut hits: HashMap<&str, (usize, usize)> = HashMap::new();
    let t = std::time::Instant::now();
    for d in &dirs {
        let name = d.file_name().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read(d.join("source.html")).unwrap();
        let expected = std::fs::read_to_string(d.join("expected.html")).unwrap();
        let meta: serde_json::Value =
            serde_json::from_slice(&std::fs::read(d.join("expected-metadata.json")).unwrap())
                .unwrap();
        let input = Input {
            name: "page.html",
            ..Input::default()
        };
        let document = extract(&input, source, &Settings::default()).unwrap();
        let score = f1(&shown(&document), &text_of(&expected));
        std::fs::write(d.join("out.md"), &document.text).unwrap();
        sum += score;
        let property = |name: &str| {
            document
                .properties
                .iter()
                .find(|p| p.name == name)
                .map(|p| format!("{:?}", p.value))
        };
        for (key, got) in [
            ("title", Some(document.title.clone())),
            ("byline", property("author")),
            ("siteName", property("site")),
            ("publishedTime", property("published")),
            ("lang", property("lang")),
            ("excerpt", property("description")),
        ] {
            if let Some(want) = meta[key].as_str() {
                let e = hits.entry(key).or_default();
                e.1 += 1;
                let want_t = dates::parse(want).map(|t| t.to_string());
                let ok = got.as_deref().is_some_and(|g| {
                    g.contains(want.trim())
                        || (key == "publishedTime" && want_t.is_some_and(|w| g.contains(&w)))
                });
                if ok {
                    e.0 += 1
                } else {
                    println!("  {name} {key}: want {want:?} got {got:?}")
                }
            }
        }
        all.push((score, name));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (score, name) in &all {
        println!("{score:.3} {name}");
    }
    println!("{hits:?} {:?}", t.elapsed());
    println!("MEAN {:.4}", sum / dirs.len() as f64);
}
