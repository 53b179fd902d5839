//! Notes put together from passages of real ones: the tldr pages and the English
//! help vault. Every note is another one, and the same in every run.

use std::fmt::Write as _;

use pkb_tests::texts;

use crate::random::Random;

/// Sections of a note, and the passages of each: about what a chunk holds.
const SECTIONS: usize = 4;
const PASSAGES: usize = 3;
/// Shorter and longer passages are left out, in bytes.
const LENGTHS: std::ops::Range<usize> = 24..900;

/// A real note, taken apart.
pub(super) struct Page {
    pub(super) title: String,
    pub(super) passages: Vec<String>,
}

impl Page {
    /// What its vector is made of.
    pub(super) fn gist(&self) -> String {
        let mut gist = self.title.clone();
        for passage in &self.passages {
            if gist.len() > 160 {
                break;
            }
            gist.push('\n');
            gist.push_str(passage);
        }
        gist
    }
}

/// All pages there are; none where the real notes are not there.
pub(super) fn pages() -> Option<Vec<Page>> {
    let mut texts_of_all = texts("obsidian-help-en", usize::MAX)?;
    texts_of_all.extend(texts("tldr-pages-en", usize::MAX)?);
    let pages = texts_of_all.iter().map(|text| take_apart(text));
    Some(pages.filter(|page| !page.passages.is_empty()).collect())
}

fn take_apart(text: &str) -> Page {
    // A description goes with the command that it describes.
    let joined = text.replace(":\n\n`", ": `");
    let body = match joined.strip_prefix("---\n") {
        Some(rest) => rest.split_once("\n---").map_or("", |(_, body)| body),
        None => &joined,
    };
    let mut page = Page {
        title: String::new(),
        passages: Vec::new(),
    };
    for passage in body.split("\n\n").map(str::trim) {
        if let Some(heading) = passage.strip_prefix('#') {
            if page.title.is_empty() {
                let line = heading.lines().next().unwrap_or_default();
                page.title = line.trim_start_matches('#').trim().to_owned();
            }
        } else if LENGTHS.contains(&passage.len()) && !passage.contains("```") {
            page.passages.push(passage.replace("\n\n", "\n"));
        }
    }
    if page.title.is_empty() {
        let words = page.passages.first().map_or("", String::as_str);
        page.title = words
            .split_whitespace()
            .take(4)
            .collect::<Vec<_>>()
            .join(" ");
    }
    page
}

/// A note and where it goes.
pub(super) struct Note {
    /// The source.
    pub(super) source: &'static str,
    /// Within the source.
    pub(super) path: String,
    pub(super) text: String,
}

/// The note of that number. Of all notes, half are in the source `work`, a
/// twentieth are plain text, a twentieth have the tag `twentieth` and a
/// thousandth the tag `thousandth`; their dates are spread over twenty years.
pub(super) fn note(number: usize, pages: &[Page]) -> Note {
    let mut random = Random((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // The first numbers of a generator are like its seed.
    for _ in 0..8 {
        random.below(2);
    }
    let plain = number % 20 == 3;
    let source = match number % 20 {
        0..10 => "work",
        10..19 => "home",
        _ => "archive",
    };
    let mut body = String::new();
    let mut title = String::new();
    for section in 0..SECTIONS {
        let about = &pages[random.below(pages.len())];
        let other = &pages[random.below(pages.len())];
        if section == 0 {
            title = format!("{} and {}", about.title, other.title);
        }
        let mark = if plain { "" } else { "## " };
        let _ = write!(body, "{mark}{}\n\n", about.title);
        for at in 0..PASSAGES {
            let page = if at + 1 < PASSAGES { about } else { other };
            let passage = &page.passages[random.below(page.passages.len())];
            body.push_str(passage);
            body.push_str("\n\n");
        }
    }
    let folder = random.below(200);
    let text = if plain {
        format!("{title}\n\n{body}")
    } else {
        let mut tags = vec![format!("topic/{}", random.below(300))];
        if number % 20 == 7 {
            tags.push("twentieth".into());
        }
        if number % 1000 == 501 {
            tags.push("thousandth".into());
        }
        let (year, month, day) = (
            2005 + random.below(20),
            1 + random.below(12),
            1 + random.below(28),
        );
        format!(
            "---\ntags: [{}]\ncreated: {year}-{month:02}-{day:02}\n---\n# {title}\n\n{body}",
            tags.join(", ")
        )
    };
    Note {
        source,
        path: format!("{folder:03}/{number}.{}", if plain { "txt" } else { "md" }),
        text,
    }
}
