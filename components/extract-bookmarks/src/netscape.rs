//! The bookmark file that Netscape began and every browser writes.
//!
//! Browsers, services and scripts each leave out other tags, so nothing but
//! order is relied on: an `A` outside a description is a bookmark, a heading
//! names the folder of the next list, and `DD` describes what stood before it.

use extract_core::canonical_url;
use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use crate::collect::{Collection, Folder, Saved};
use crate::date;

/// What text belongs to at the moment.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Nothing: the file's title, space between tags.
    Outside,
    /// A bookmark's name.
    Name,
    /// A folder's name.
    Heading,
    /// A description.
    Description,
}

/// Reads a file that is text already.
pub(crate) fn read(html: &str, into: &mut Collection) {
    let mut emitter = DefaultEmitter::default();
    // The title of the file, scripts and styles hold no tags.
    emitter.naively_switch_states(true);
    let mut reader = Reader {
        into,
        place: Place::Outside,
        text: String::new(),
        bookmark: None,
        heading: None,
        described: None,
        folders: vec![Folder::default()],
        link: None,
    };
    for token in Tokenizer::new_with_emitter(html, emitter) {
        // Reading from memory never fails.
        let Ok(token) = token;
        reader.take(token);
    }
    reader.finish_bookmark();
}

struct Reader<'a> {
    into: &'a mut Collection,
    place: Place,
    text: String,
    /// The bookmark that may still get a description.
    bookmark: Option<Saved>,
    /// The folder that the next list is.
    heading: Option<Heading>,
    /// The folder that a description here would be of.
    described: Option<Folder>,
    /// Those that are open; the first is the file.
    folders: Vec<Folder>,
    /// The link that a description is inside of.
    link: Option<(String, usize)>,
}

#[derive(Debug, Default)]
struct Heading {
    name: String,
    /// Whether it is over the whole file and names no folder.
    file: bool,
    root: bool,
    reading_list: bool,
}

impl Reader<'_> {
    fn take(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => self.open(&tag),
            Token::EndTag(tag) => self.close(&tag.name),
            Token::String(text) => {
                if self.place != Place::Outside {
                    self.text.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }

    fn open(&mut self, tag: &StartTag<()>) {
        match tag.name.as_slice() {
            b"a" if self.place == Place::Description => {
                self.link = Some((attribute(tag, "href"), self.text.len()));
            }
            b"a" => {
                self.finish_bookmark();
                self.bookmark = bookmark(tag);
                if self.bookmark.is_some() {
                    self.place = Place::Name;
                }
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.finish_bookmark();
                self.place = Place::Heading;
                self.heading = Some(Heading {
                    name: String::new(),
                    file: tag.name.as_slice() == b"h1",
                    root: has(tag, "personal_toolbar_folder")
                        || has(tag, "unfiled_bookmarks_folder"),
                    reading_list: attribute(tag, "id") == "com.apple.ReadingList",
                });
            }
            b"dl" | b"ul" | b"ol"
                if self.place != Place::Description || tag.name.as_slice() == b"dl" =>
            {
                self.finish_bookmark();
                self.open_folder();
            }
            b"dd" => {
                self.finish_text();
                self.place = Place::Description;
            }
            b"dt" | b"hr" => {
                self.finish_bookmark();
                self.place = Place::Outside;
            }
            b"br" | b"p" | b"li" if self.place == Place::Description => self.text.push('\n'),
            _ => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"a" if self.place == Place::Description => self.close_link(),
            b"a" if self.place == Place::Name => self.finish_text(),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" if self.place == Place::Heading => {
                self.finish_text();
            }
            b"dd" => self.finish_text(),
            b"dl" => {
                self.finish_bookmark();
                self.heading = None;
                self.described = None;
                if self.folders.len() > 1 {
                    self.folders.pop();
                }
            }
            b"ul" | b"ol" if self.place != Place::Description => {
                self.finish_bookmark();
                if self.folders.len() > 1 {
                    self.folders.pop();
                }
            }
            _ => {}
        }
    }

    fn here(&self) -> Folder {
        self.folders.last().cloned().unwrap_or_default()
    }

    fn open_folder(&mut self) {
        let mut folder = self.here();
        if let Some(heading) = self.heading.take() {
            if !heading.file {
                folder = folder.child(&heading.name, heading.root);
            }
            folder.reading_list |= heading.reading_list;
        }
        self.described = None;
        self.folders.push(folder);
    }

    /// A link in a description: its text, and its address where that says more.
    fn close_link(&mut self) {
        let Some((address, start)) = self.link.take() else {
            return;
        };
        let label = self.text.get(start..).unwrap_or_default().trim();
        if !label.is_empty() && label != address && canonical_url(&address).is_some() {
            self.text.push_str(&format!(" ({address})"));
        }
    }

    /// Gives the text read so far to what it belongs to.
    fn finish_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        match std::mem::replace(&mut self.place, Place::Outside) {
            Place::Outside => {}
            Place::Name => {
                if let Some(bookmark) = &mut self.bookmark {
                    bookmark.title = text;
                }
            }
            Place::Heading => {
                if let Some(heading) = &mut self.heading {
                    heading.name = text;
                    let here = self.folders.last().cloned().unwrap_or_default();
                    self.described =
                        (!heading.file).then(|| here.child(&heading.name, heading.root));
                }
            }
            Place::Description => {
                self.link = None;
                if let Some(bookmark) = &mut self.bookmark {
                    bookmark.description = text;
                } else if let Some(folder) = &self.described {
                    self.into.describe(folder, &text);
                }
            }
        }
    }

    fn finish_bookmark(&mut self) {
        self.finish_text();
        if let Some(bookmark) = self.bookmark.take() {
            let folder = self.here();
            self.into.add(bookmark, &folder);
        }
    }
}

fn attribute(tag: &StartTag<()>, name: &str) -> String {
    let value = tag.attributes.get(name.as_bytes());
    value.map_or_else(String::new, |value| {
        String::from_utf8_lossy(value).trim().to_owned()
    })
}

fn has(tag: &StartTag<()>, name: &str) -> bool {
    tag.attributes.contains_key(name.as_bytes())
}

/// What the attributes say; nothing for an anchor that leads nowhere.
fn bookmark(tag: &StartTag<()>) -> Option<Saved> {
    if !has(tag, "href") {
        return None;
    }
    let date = |names: &[&str]| {
        let mut dates = names.iter().map(|name| attribute(tag, name));
        dates.find_map(|text| date::from_text(&text))
    };
    let says = |name| matches!(attribute(tag, name).as_str(), "1" | "true");
    let tags = attribute(tag, "tags");
    // Services with private bookmarks part tags with spaces, or with commas as
    // browsers do.
    let spaces = has(tag, "private") && !tags.contains(',');
    let tags = tags
        .split(|c: char| c == ',' || (spaces && c.is_whitespace()))
        .map(str::to_owned);
    Some(Saved {
        url: attribute(tag, "href"),
        tags: tags.collect(),
        created: date(&["add_date", "time_added"]),
        modified: date(&["last_modified"]),
        visited: date(&["last_visit"]),
        keyword: attribute(tag, "shortcuturl"),
        feed: attribute(tag, "feedurl"),
        private: says("private"),
        unread: says("toread"),
        ..Saved::default()
    })
}
