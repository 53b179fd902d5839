//! The files a message carries.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::headers::Headers;
use crate::mime::{Part, Tree};
use crate::settings::Settings;
use crate::structure::{Structure, is_machinery};
use crate::tnef;
use crate::transfer::{Transfer, Uuencoded};

/// Longer names are cut.
const MOST_NAME: usize = 120;

/// A file that a message carries.
#[derive(Debug)]
pub(crate) struct Attachment {
    /// Unique in the message, whatever its case; without folders.
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Still in the message.
    Part(std::ops::Range<usize>, Transfer),
    Bytes(Vec<u8>),
}

impl Attachment {
    /// Its bytes, given those of the message.
    pub(crate) fn decode<'a>(&'a self, raw: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.content {
            Content::Part(range, transfer) => transfer.decode(&raw[range.clone()]).0,
            Content::Bytes(bytes) => Cow::Borrowed(bytes),
        }
    }
}

/// The files of a message, and what is to be said about them.
pub(crate) fn list(
    raw: &[u8],
    tree: &Tree,
    structure: &Structure,
    written: Vec<Uuencoded>,
    settings: &Settings,
) -> (Vec<Attachment>, Vec<String>) {
    let mut list = List::default();
    for &number in &structure.files {
        let part = &tree.parts[number];
        if is_wanted(part, settings) {
            list.add_part(raw, part);
        }
    }
    for file in written {
        list.add(&file.name, None, Content::Bytes(file.content));
    }
    (list.attachments, list.warnings)
}

/// Whether a part is a file rather than machinery or decoration.
fn is_wanted(part: &Part, settings: &Settings) -> bool {
    let media = &part.media;
    if part.body.is_empty() || (is_machinery(part) && !media.is_attachment) {
        return false;
    }
    if matches!(
        media.subtype.as_str(),
        "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature" | "pgp-encrypted"
    ) {
        return false;
    }
    let is_shown = media.is_inline || media.content_id.is_some();
    if media.kind == "image" && is_shown && !media.is_attachment {
        let bytes = match media.transfer {
            Transfer::Base64 => part.body.len() / 4 * 3,
            _ => part.body.len(),
        };
        return bytes as u64 >= settings.min_inline_bytes;
    }
    true
}

#[derive(Default)]
struct List {
    attachments: Vec<Attachment>,
    /// Names in lower case.
    names: HashSet<String>,
    calendars: HashSet<Vec<u8>>,
    warnings: Vec<String>,
}

impl List {
    fn add_part(&mut self, raw: &[u8], part: &Part) {
        let media = &part.media;
        let media_type = format!("{}/{}", media.kind, media.subtype);
        let own = media
            .file_name
            .as_deref()
            .map(tidy)
            .filter(|name| !name.is_empty());
        let is_tnef = matches!(media.subtype.as_str(), "ms-tnef" | "vnd.ms-tnef")
            || own
                .as_deref()
                .is_some_and(|name| name.eq_ignore_ascii_case("winmail.dat"));
        if is_tnef && self.add_tnef(&media.transfer.decode(&raw[part.body.clone()]).0) {
            return;
        }
        // An invitation stands in a message twice: to be shown, and as a file.
        if media.subtype == "calendar" || media.subtype == "ics" {
            let bytes = media.transfer.decode(&raw[part.body.clone()]).0;
            if !self.calendars.insert(normal_lines(&bytes)) {
                return;
            }
        }
        let name = own.unwrap_or_else(|| self.invent(raw, part));
        let content = Content::Part(part.body.clone(), media.transfer);
        self.add(&name, Some(media_type), content);
    }

    /// Whether the files in a `winmail.dat` could be taken out.
    fn add_tnef(&mut self, bytes: &[u8]) -> bool {
        let Some(files) = tnef::files(bytes) else {
            self.warnings.push(
                "The attachment winmail.dat, Outlook's own form of the message, could not be read."
                    .to_owned(),
            );
            return false;
        };
        self.warnings.push(format!(
            "The attachment winmail.dat is Outlook's own form of the message: {} files were taken from it, its formatted text was not.",
            files.len()
        ));
        for file in files {
            self.add(&file.name, None, Content::Bytes(file.content));
        }
        true
    }

    fn add(&mut self, name: &str, media_type: Option<String>, content: Content) {
        let name = tidy(name);
        let name = if name.is_empty() {
            format!("attachment-{}", self.attachments.len() + 1)
        } else {
            name
        };
        let name = self.unique(&name);
        self.attachments.push(Attachment {
            name,
            media_type,
            content,
        });
    }

    fn unique(&mut self, name: &str) -> String {
        if self.names.insert(name.to_lowercase()) {
            return name.to_owned();
        }
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name, String::new()),
        };
        // At least one more name than there are files is free. The number of
        // files says where to begin, so that many of a name cost no search.
        let mut count = self.attachments.len() + 1;
        loop {
            let other = format!("{stem}-{count}{extension}");
            if self.names.insert(other.to_lowercase()) {
                return other;
            }
            count += 1;
        }
    }

    /// A name for a part that has none.
    fn invent(&self, raw: &[u8], part: &Part) -> String {
        let media = &part.media;
        let number = self.attachments.len() + 1;
        if media.is("message", "rfc822") || media.is("message", "global") {
            let block = &raw[part.body.clone()];
            let start = &block[..block.len().min(64 << 10)];
            let end = memchr::memmem::find(start, b"\n\n")
                .or_else(|| memchr::memmem::find(start, b"\n\r\n"))
                .unwrap_or(start.len());
            let subject = Headers::of(&start[..end]).text("subject");
            let subject = subject
                .map(|subject| tidy(&subject))
                .filter(|subject| !subject.is_empty());
            return match subject {
                Some(subject) => format!("{subject}.eml"),
                None => format!("message-{number}.eml"),
            };
        }
        if media.is("text", "calendar") {
            return "invite.ics".to_owned();
        }
        match extension(&media.kind, &media.subtype) {
            Some(extension) => format!("attachment-{number}.{extension}"),
            None => format!("attachment-{number}"),
        }
    }
}

/// Bytes without what differs between two copies of a text.
fn normal_lines(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect()
}

/// A file name without folders and characters that names do not have.
fn tidy(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = base
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c });
    let kept: String = kept
        .filter(|c| {
            !c.is_control()
                && !matches!(
                    c,
                    '<' | '>' | '"' | '|' | '*' | '?' | ':' | '\u{202A}'..='\u{202E}'
                )
        })
        .collect();
    let words: Vec<&str> = kept.split(' ').filter(|word| !word.is_empty()).collect();
    let name = words.join(" ");
    let name = name.trim_matches(['.', ' ']);
    if name.chars().count() <= MOST_NAME {
        return name.to_owned();
    }
    let extension = name
        .rsplit_once('.')
        .map(|(_, extension)| extension)
        .filter(|extension| extension.len() <= 10);
    let stem: String = name.chars().take(MOST_NAME).collect();
    match extension {
        Some(extension) => format!("{}.{extension}", stem.trim_end_matches(['.', ' '])),
        None => stem,
    }
}

/// The extension that tells a media type.
fn extension(kind: &str, subtype: &str) -> Option<&'static str> {
    Some(match (kind, subtype) {
        ("application", "pdf") => "pdf",
        ("application", "zip" | "x-zip-compressed") => "zip",
        ("application", "msword") => "doc",
        ("application", "rtf") | ("text", "rtf") => "rtf",
        ("application", "json") => "json",
        ("application", "xml") | ("text", "xml") => "xml",
        ("application", "vnd.openxmlformats-officedocument.wordprocessingml.document") => "docx",
        ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet") => "xlsx",
        ("application", "vnd.openxmlformats-officedocument.presentationml.presentation") => "pptx",
        ("image", "jpeg" | "jpg" | "pjpeg") => "jpg",
        ("image", "png") => "png",
        ("image", "gif") => "gif",
        ("image", "webp") => "webp",
        ("image", "tiff") => "tiff",
        ("image", "heic") => "heic",
        ("text", "html") => "html",
        ("text", "csv") => "csv",
        ("text", "vcard" | "x-vcard" | "directory") => "vcf",
        ("text", "markdown") => "md",
        ("text", _) => "txt",
        ("message", _) => "eml",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(raw: &str) -> Vec<String> {
        let tree = crate::mime::parse(raw.as_bytes());
        let structure = Structure::of(&tree);
        let (found, _) = list(
            raw.as_bytes(),
            &tree,
            &structure,
            Vec::new(),
            &Settings::default(),
        );
        found.into_iter().map(|one| one.name).collect()
    }

    fn mixed(parts: &[&str]) -> String {
        let parts: String = parts.iter().map(|part| format!("--x\n{part}\n")).collect();
        format!("Content-Type: multipart/mixed; boundary=x\n\n--x\n\nbody\n{parts}--x--\n")
    }

    #[test]
    fn names_are_unique_and_have_no_folders() {
        let raw = mixed(&[
            "Content-Disposition: attachment; filename=\"../a/b.pdf\"\n\nx",
            "Content-Disposition: attachment; filename=B.PDF\n\nx",
            "Content-Disposition: attachment; filename=\"C:\\\\d\\\\b.pdf\"\n\nx",
            "Content-Type: application/pdf\n\nx",
            "Content-Type: message/rfc822\n\nSubject: Old: news\n\ntext",
        ]);
        assert_eq!(
            names(&raw),
            [
                "b.pdf",
                "B-2.PDF",
                "b-3.pdf",
                "attachment-4.pdf",
                "Old news.eml"
            ]
        );
    }

    #[test]
    fn decoration_and_signatures_are_no_files() {
        let logo = "Content-Type: image/png; name=logo.png\nContent-ID: <l>\n\nx";
        let pixel = "Content-Type: image/gif\nContent-Disposition: inline\n\nx";
        let signature = "Content-Type: application/pgp-signature; name=signature.asc\n\nx";
        assert!(names(&mixed(&[logo, pixel, signature])).is_empty());
        let photo = format!(
            "Content-Type: image/jpeg; name=p.jpg\nContent-ID: <p>\n\n{}",
            "x".repeat(20_000)
        );
        assert_eq!(names(&mixed(&[&photo])), ["p.jpg"]);
    }

    #[test]
    fn an_invitation_is_one_file() {
        let shown = "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR";
        let file = "Content-Type: application/ics; name=invite.ics\nContent-Disposition: attachment; filename=invite.ics\nContent-Transfer-Encoding: base64\n\nQkVHSU46VkNBTEVOREFSDQpFTkQ6VkNBTEVOREFSDQo=";
        assert_eq!(names(&mixed(&[shown, file])), ["invite.ics"]);
    }

    #[test]
    fn long_names_keep_their_extension() {
        let name = tidy(&format!("{}.pdf", "n".repeat(500)));
        assert!(name.ends_with(".pdf") && name.len() <= MOST_NAME + 4);
    }
}
