//! A clip as a note.

use sha2::{Digest, Sha256};

use super::frontmatter::{Frontmatter, quoted};

/// What was made of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clip<'a> {
    /// The page's own address; a page is clipped once for each.
    pub url: &'a str,
    /// One line.
    pub title: &'a str,
    /// Names, one line each.
    pub authors: &'a [String],
    /// As `2024-03-01T10:00:00Z`, or a date alone.
    pub published: Option<&'a str>,
    /// Now, in the same form; its date is part of a new note's name.
    pub clipped: &'a str,
    /// What the person wants it tagged with, `#` or not.
    pub tags: &'a [String],
    /// SHA-256 of the fetched bytes, in hexadecimal.
    pub sha256: &'a str,
    /// The page as Markdown.
    pub text: &'a str,
}

/// The keys of the frontmatter that are ours to write.
const OURS: [&str; 8] = [
    "title",
    "url",
    "author",
    "published",
    "clipped",
    "tags",
    "sha256",
    "text_sha256",
];

/// The key that holds the hash of the text as it was written, by which a
/// person's own changes are known.
const TEXT_HASH: &str = "text_sha256";

/// A note that is a clip already.
pub(super) struct Old<'a> {
    front: Frontmatter,
    body: &'a str,
}

impl<'a> Old<'a> {
    /// Reads a note; nothing where it is none of our clips. A person's own note
    /// that has a `url` is not.
    pub(super) fn read(note: &'a str) -> Option<Self> {
        let (front, body) = Frontmatter::split(note)?;
        let ours = ["url", "clipped", "sha256"];
        let is_clip = ours.iter().all(|key| front.text(key).is_some());
        is_clip.then_some(Self { front, body })
    }

    /// The address of the page.
    pub(super) fn url(&self) -> String {
        self.front.text("url").unwrap_or_default()
    }

    fn is_edited(&self) -> bool {
        self.front.text(TEXT_HASH) != Some(hash(self.body))
    }
}

/// The hash of a text, whatever its line ends and the blanks at its end.
fn hash(text: &str) -> String {
    let text = text.replace('\r', "");
    let digest = Sha256::digest(text.trim().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Clip<'_> {
    /// The note, in place of `old` where there is one: with its tags beside the
    /// new ones, its other properties, and its text where a person changed it.
    pub(super) fn note(&self, old: Option<&Old<'_>>) -> String {
        let mut body = String::from("\n");
        let edited = old.filter(|old| old.is_edited());
        match edited {
            Some(old) if old.front.text("sha256").as_deref() == Some(self.sha256) => {
                old.body.clone_into(&mut body);
            }
            _ => {
                if !self.text.starts_with("# ") {
                    body.push_str(&format!("# {}\n\n", self.title));
                }
                body.push_str(self.text.trim_matches('\n'));
                body.push('\n');
            }
        }
        if let Some(old) = edited
            && body != old.body
        {
            let date = old.front.text("clipped").unwrap_or_default();
            let date = date.get(..10).unwrap_or(&date);
            body.push_str(&format!(
                "\n## As edited after {date}\n\n{}\n",
                old.body.trim()
            ));
        }
        let mut note = String::from("---\n");
        let mut line = |key: &str, value: &str| note.push_str(&format!("{key}: {value}\n"));
        line("title", &quoted(self.title));
        line("url", &quoted(self.url));
        match self.authors {
            [] => {}
            [one] => line("author", &quoted(one)),
            many => line("author", &list(many)),
        }
        if let Some(published) = self.published {
            line("published", published);
        }
        line("clipped", self.clipped);
        let tags = self.all_tags(old);
        if !tags.is_empty() {
            line("tags", &list(&tags));
        }
        line("sha256", &quoted(self.sha256));
        // A text with a person's own words in it has none, and so stays theirs.
        if edited.is_none() {
            line(TEXT_HASH, &quoted(&hash(&body)));
        }
        for (key, lines) in old.iter().flat_map(|old| &old.front.entries) {
            if !OURS.contains(&&**key) {
                note.push_str(lines);
            }
        }
        note.push_str("---\n");
        note.push_str(&body);
        note
    }

    /// The same note but for when it was clipped.
    pub(super) fn is_same(&self, old: &Old<'_>, note: &str) -> bool {
        let clipped = old.front.text("clipped").unwrap_or_default();
        let earlier = Clip {
            clipped: &clipped,
            ..*self
        };
        earlier.note(Some(old)).trim_end() == note.replace('\r', "").trim_end()
    }

    fn all_tags(&self, old: Option<&Old<'_>>) -> Vec<String> {
        let mut tags: Vec<String> = Vec::new();
        let known = old.map(|old| old.front.list("tags")).unwrap_or_default();
        for tag in known.iter().chain(self.tags) {
            let words: Vec<&str> = tag
                .trim()
                .trim_start_matches('#')
                .split_whitespace()
                .collect();
            let tag = words.join("-");
            if !tag.is_empty()
                && !tags
                    .iter()
                    .any(|known| known.to_lowercase() == tag.to_lowercase())
            {
                tags.push(tag);
            }
        }
        tags
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}
