//! EPUB books.

mod contents;
mod xhtml;

use std::collections::{HashMap, HashSet};

use extract_core::{Document, Failure, FailureKind};

use crate::package::{Package, resolve};
use crate::properties::Facts;
use crate::rich::Rich;
use crate::settings::Settings;
use crate::writer::{Block, Writer};
use crate::xml::{self, Handler, Ns, Step, Tag};

/// Bytes of a chapter that are read: as a tree they take many times as much
/// memory.
const MOST_CHAPTER: usize = 16 << 20;

/// Ways of making a font useless outside its book, which leave the text alone.
const OF_FONTS: [&str; 2] = [
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// Reads a book.
///
/// # Errors
/// Where the book is locked, unpacks to too much, or lacks its list of parts.
pub(crate) fn read(
    package: &mut Package,
    name: &str,
    settings: &Settings,
) -> Result<Document, Failure> {
    refuse_locked(package)?;
    let container = package.text("META-INF/container.xml")?.unwrap_or_default();
    let mut root = None;
    // Without a root the book is damaged, whatever else is.
    let _ = xml::each(&container, |tag| {
        if tag.name == "rootfile" && root.is_none() {
            root = tag.attr("full-path").map(|path| path.into_owned());
        }
        Step::Into
    });
    let root = root.unwrap_or_else(|| "content.opf".to_owned());
    let Some(opf) = package.text(&root)? else {
        return Err(crate::office::without_main(&root));
    };
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut book = Book::default();
    let read = xml::drive(&opf, &mut book);

    let mut writer = Writer::new(settings.max_text_bytes);
    std::mem::take(&mut book.facts).apply(&mut writer.document);
    if let Err(damage) = read {
        writer.warn(damage.warning(&root));
    }
    let labels = labels(package, &book, folder)?;
    let mut seen = HashSet::new();
    let mut missing = 0;
    for id in &book.spine {
        if writer.full() {
            break;
        }
        let Some(item) = book.items.get(id) else {
            missing += 1;
            continue;
        };
        let part = resolve(folder, &xhtml::unescape_path(&item.href));
        if item.is_contents || !seen.insert(part.clone()) {
            continue;
        }
        let Some(mut bytes) = package.bytes(&part)? else {
            missing += 1;
            continue;
        };
        if bytes.len() > MOST_CHAPTER {
            bytes.truncate(MOST_CHAPTER);
            bytes.shrink_to_fit();
            writer.warn(format!(
                "The chapter {part} has more than {} MiB; its end was not read.",
                MOST_CHAPTER >> 20
            ));
        }
        chapter(&mut writer, &bytes, &item.media_type, labels.get(&part));
    }
    if missing > 0 {
        writer.warn(format!(
            "Chapters that are missing from the file: {missing}."
        ));
    }
    writer.document.warnings.append(&mut package.warnings);
    writer.finish(name, None)
}

/// Writes a chapter. `label` is what the table of contents calls it.
fn chapter(writer: &mut Writer, bytes: &[u8], media_type: &str, label: Option<&String>) {
    // A picture as a chapter has no words.
    if media_type.starts_with("image/") && !media_type.contains("svg") {
        return;
    }
    let (html, _) = extract_markup::decode_html(bytes, None);
    let converted = extract_markup::to_markdown(&xhtml::expand_empty(&html));
    let rich = xhtml::without_inner_links(converted.text, converted.links);
    if rich.is_blank() {
        return;
    }
    let heads_itself = rich.text.lines().take(3).any(|line| line.starts_with('#'));
    if let Some(label) = label.or(converted.title.as_ref().filter(|_| heads_itself)) {
        writer.part(label.clone());
    }
    if let Some(label) = label.filter(|_| !heads_itself) {
        let mut heading = Rich::default();
        heading.push(label);
        writer.block(Block::Heading(1, heading));
    }
    writer.markdown(rich);
}

/// A book whose text is encrypted is refused; one with obfuscated fonts is not.
fn refuse_locked(package: &mut Package) -> Result<(), Failure> {
    let encryption = package.text("META-INF/encryption.xml")?.unwrap_or_default();
    let mut locked = false;
    // What is damaged cannot be unlocked either.
    let _ = xml::each(&encryption, |tag| {
        if tag.name == "EncryptionMethod" {
            let method = tag.attr("Algorithm").unwrap_or_default();
            locked |= !OF_FONTS.contains(&&*method);
        }
        // The key is encrypted too, in a way of its own.
        if tag.name == "EncryptedKey" {
            Step::Skip
        } else {
            Step::Into
        }
    });
    if locked {
        return Err(Failure::new(
            FailureKind::Encrypted,
            "The book is locked by digital rights management (DRM); only the program it was bought for can read it.",
        ));
    }
    Ok(())
}

/// What the table of contents calls the parts, by name.
fn labels(
    package: &mut Package,
    book: &Book,
    folder: &str,
) -> Result<HashMap<String, String>, Failure> {
    let mut found = HashMap::new();
    let contents = book.items.values().filter(|item| item.is_contents);
    let old = book
        .items
        .values()
        .filter(|item| item.media_type == "application/x-dtbncx+xml");
    for item in contents.chain(old) {
        let part = resolve(folder, &xhtml::unescape_path(&item.href));
        if let Some(text) = package.text(&part)? {
            let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
            for (target, label) in contents::read(&text) {
                let path = target.split('#').next().unwrap_or_default();
                let path = resolve(folder, &xhtml::unescape_path(path));
                found.entry(path).or_insert(label);
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    Ok(found)
}

#[derive(Debug, Default)]
struct Item {
    href: String,
    media_type: String,
    /// Whether it is the table of contents.
    is_contents: bool,
}

/// What the package file says.
#[derive(Default)]
struct Book {
    facts: Facts,
    items: HashMap<String, Item>,
    /// Ids of items in reading order.
    spine: Vec<String>,
    value: String,
    /// What the value that is open is.
    name: Option<&'static str>,
}

impl Handler for Book {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        self.value.clear();
        self.name = match (tag.ns, tag.name) {
            (Ns::Dc, "title") => Some("title"),
            (Ns::Dc, "creator") => match tag.attr("role").as_deref() {
                None | Some("aut" | "edt") => Some("author"),
                Some(_) => None,
            },
            (Ns::Dc, "language") => Some("lang"),
            (Ns::Dc, "subject") => Some("keywords"),
            (Ns::Dc, "description") => Some("description"),
            (Ns::Dc, "publisher") => Some("publisher"),
            (Ns::Dc, "identifier") => Some("identifier"),
            (Ns::Dc, "date") => match tag.attr("event").as_deref() {
                Some("modification") => Some("modified"),
                Some("creation") => Some("created"),
                _ => Some("published"),
            },
            (_, "meta") if tag.attr("property").as_deref() == Some("dcterms:modified") => {
                Some("modified")
            }
            _ => None,
        };
        match tag.name {
            "item" => {
                let properties = tag.attr("properties").unwrap_or_default();
                let item = Item {
                    href: tag.attr("href").unwrap_or_default().into_owned(),
                    media_type: tag.attr("media-type").unwrap_or_default().into_owned(),
                    is_contents: properties.split_whitespace().any(|word| word == "nav"),
                };
                if let Some(id) = tag.attr("id") {
                    self.items.insert(id.into_owned(), item);
                }
            }
            "itemref" => self
                .spine
                .extend(tag.attr("idref").map(|id| id.into_owned())),
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, _: Ns, _: &str) {
        let value = std::mem::take(&mut self.value);
        if let Some(name) = self.name.take() {
            let plain;
            let value = if name == "description" && value.contains('<') {
                // Shops put HTML in there.
                plain = extract_markup::to_markdown(&value).text;
                &plain
            } else {
                &value
            };
            self.facts.add(name, value);
        }
    }

    fn text(&mut self, text: &str) {
        if self.name.is_some() {
            self.value.push_str(text);
        }
    }
}
