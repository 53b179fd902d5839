//! Which parts of a message are its text, and which are files: the rules of
//! RFC 8621, section 4.1.4.

use crate::mime::{Media, Part, Tree};

/// Numbers of parts in [`Tree::parts`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Structure {
    /// What a reader of plain text sees.
    pub(crate) text: Vec<usize>,
    /// What a reader of HTML sees.
    pub(crate) html: Vec<usize>,
    /// All else, in order.
    pub(crate) files: Vec<usize>,
    /// Whether a part is encrypted.
    pub(crate) encrypted: bool,
    /// Whether the text lies inside of its signature.
    pub(crate) enveloped: bool,
}

/// Which of the two bodies the walk still adds to.
#[derive(Clone, Copy)]
struct Wanted {
    text: bool,
    html: bool,
}

impl Structure {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut structure = Self::default();
        let wanted = Wanted {
            text: true,
            html: true,
        };
        if !tree.parts.is_empty() {
            structure.walk(tree, &[0], "mixed", false, wanted);
        }
        structure
    }

    /// Depth is bounded by that of the tree.
    fn walk(
        &mut self,
        tree: &Tree,
        parts: &[usize],
        parent: &str,
        in_alternative: bool,
        mut wanted: Wanted,
    ) {
        let before = (self.text.len(), self.html.len());
        for (at, &number) in parts.iter().enumerate() {
            let part = &tree.parts[number];
            let media = &part.media;
            if media.is_multipart() {
                self.encrypted |= media.subtype == "encrypted";
                let inside = in_alternative || media.subtype == "alternative";
                self.walk(tree, &part.parts, &media.subtype, inside, wanted);
            } else if !is_inline(media, at, parent) {
                match envelope(media) {
                    Some(Envelope::Encrypted) => self.encrypted = true,
                    Some(Envelope::Signed) => self.enveloped = true,
                    // What is encrypted is no file that could be read.
                    None if parent == "encrypted" => {}
                    None => self.files.push(number),
                }
            } else if parent == "alternative" {
                if media.is("text", "html") {
                    self.html.push(number);
                } else if is_plain(media) {
                    self.text.push(number);
                } else {
                    self.files.push(number);
                }
            } else {
                if in_alternative && is_plain(media) {
                    wanted.html = false;
                }
                if in_alternative && media.is("text", "html") {
                    wanted.text = false;
                }
                let is_text = media.kind == "text";
                if is_text && wanted.text {
                    self.text.push(number);
                }
                if is_text && wanted.html {
                    self.html.push(number);
                }
                if !is_text {
                    self.files.push(number);
                }
            }
        }
        if parent == "alternative" && wanted.text && wanted.html {
            // Where there is no alternative the one form stands for both.
            if self.text.len() == before.0 {
                let only: Vec<usize> = self.html[before.1..].to_vec();
                self.text.extend(only);
            } else if self.html.len() == before.1 {
                let only: Vec<usize> = self.text[before.0..].to_vec();
                self.html.extend(only);
            }
        }
    }
}

/// Text that is shown as it is.
fn is_plain(media: &Media) -> bool {
    media.is("text", "plain") || media.is("text", "markdown") || media.is("text", "x-markdown")
}

/// Whether a part is shown in the message rather than beside it.
fn is_inline(media: &Media, at: usize, parent: &str) -> bool {
    let is_picture = matches!(media.kind.as_str(), "image" | "audio" | "video");
    let is_shown = is_plain(media) || media.is("text", "html") || is_picture;
    let is_first = at == 0;
    !media.is_attachment
        && is_shown
        && (is_first || (parent != "related" && (is_picture || media.file_name.is_none())))
}

/// What S/MIME has put a message into.
enum Envelope {
    Encrypted,
    Signed,
}

fn envelope(media: &Media) -> Option<Envelope> {
    let is_smime = media.kind == "application"
        && matches!(media.subtype.as_str(), "pkcs7-mime" | "x-pkcs7-mime");
    if !is_smime {
        return None;
    }
    match media.protocol.as_deref() {
        Some("signed-data") => Some(Envelope::Signed),
        Some("certs-only") => None,
        _ => Some(Envelope::Encrypted),
    }
}

/// Whether a part only proves or describes something about the others.
pub(crate) fn is_machinery(part: &Part) -> bool {
    let media = &part.media;
    matches!(
        (media.kind.as_str(), media.subtype.as_str()),
        (
            "application",
            "pgp-signature"
                | "pkcs7-signature"
                | "x-pkcs7-signature"
                | "pgp-encrypted"
                | "pgp-keys"
                | "applefile"
        ) | (
            "message",
            "delivery-status"
                | "disposition-notification"
                | "global-delivery-status"
                | "feedback-report"
                | "external-body"
                | "partial"
        ) | ("text", "rfc822-headers" | "x-amp-html")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multipart(subtype: &str, boundary: &str, parts: &[&str]) -> String {
        let mut out = format!("Content-Type: multipart/{subtype}; boundary={boundary}\n\n");
        for part in parts {
            out += &format!("--{boundary}\n{part}\n");
        }
        out + &format!("--{boundary}--\n")
    }

    fn structure(raw: &str) -> Structure {
        Structure::of(&crate::mime::parse(raw.as_bytes()))
    }

    const PLAIN: &str = "Content-Type: text/plain\n\nplain";
    const HTML: &str = "Content-Type: text/html\n\n<p>html";
    const PICTURE: &str = "Content-Type: image/png; name=a.png\nContent-ID: <a>\n\nx";

    #[test]
    fn alternatives_are_told_apart_however_they_are_wrapped() {
        let related = multipart("related", "r", &[HTML, PICTURE]);
        let alternative = multipart("alternative", "a", &[PLAIN, &related]);
        let found = structure(&multipart("mixed", "m", &[&alternative, PICTURE]));
        assert_eq!(
            (found.text, found.html, found.files),
            (vec![2], vec![4], vec![5, 6])
        );
    }

    #[test]
    fn one_form_stands_for_both() {
        let found = structure(&multipart("alternative", "a", &[HTML]));
        assert_eq!((found.text, found.html), (vec![1], vec![1]));
    }

    #[test]
    fn named_texts_after_the_first_are_files() {
        let named = "Content-Type: text/plain; name=notes.txt\n\nnotes";
        let found = structure(&multipart("mixed", "m", &[PLAIN, named, PLAIN]));
        assert_eq!((found.text, found.files), (vec![1, 3], vec![2]));
    }

    #[test]
    fn encryption_is_noticed() {
        let pgp = "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----";
        assert!(structure(&multipart("encrypted", "e", &[pgp])).encrypted);
        assert!(
            structure("Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx")
                .encrypted
        );
        let signed = structure("Content-Type: application/pkcs7-mime; smime-type=signed-data\n\nx");
        assert!(signed.enveloped && !signed.encrypted);
    }
}
