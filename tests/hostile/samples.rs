//! A small sound file of each format.

mod office;
mod text;

pub(crate) use self::office::{docx_of, epub_of, odf_of, pptx_of, xlsx_of};
use crate::packed::{gzip, mozlz4, tar, zip};
use crate::pdf;
use crate::random::{Random, damaged};

/// A file.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    /// The extractor that reads it.
    pub(crate) extractor: &'static str,
    form: Form,
}

/// What a file is made of: damage to what is packed in it reaches what the
/// packing's own checks would keep from it.
enum Form {
    Plain(Vec<u8>),
    Zip(Vec<(&'static str, String)>),
    Lz4(String),
    TarGz(Vec<u8>),
}

impl Sample {
    fn new(extractor: &'static str, name: &'static str, form: Form) -> Sample {
        Sample {
            name,
            extractor,
            form,
        }
    }

    fn plain(extractor: &'static str, name: &'static str, bytes: impl Into<Vec<u8>>) -> Sample {
        Sample::new(extractor, name, Form::Plain(bytes.into()))
    }

    /// The sound file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.form {
            Form::Plain(bytes) => bytes.clone(),
            Form::Zip(parts) => zip(parts),
            Form::Lz4(text) => mozlz4(text.as_bytes()),
            Form::TarGz(tar) => gzip(tar),
        }
    }

    /// The damaged file of that number.
    pub(crate) fn variant(&self, number: usize) -> Vec<u8> {
        let mut random = Random::new(number as u64 + 1);
        // Every other one is damaged before it is packed.
        if number.is_multiple_of(2) {
            match &self.form {
                Form::Plain(_) => {}
                Form::Zip(parts) => {
                    let mut parts: Vec<(&str, Vec<u8>)> = parts
                        .iter()
                        .map(|(name, content)| (*name, content.clone().into_bytes()))
                        .collect();
                    let part = random.below(parts.len());
                    parts[part].1 = damaged(&mut random, &parts[part].1);
                    return zip(&parts);
                }
                Form::Lz4(text) => return mozlz4(&damaged(&mut random, text.as_bytes())),
                Form::TarGz(tar) => return gzip(&damaged(&mut random, tar)),
            }
        }
        damaged(&mut random, &self.bytes())
    }
}

/// A file of each format with `word` in it.
pub(crate) fn samples(word: &str) -> Vec<Sample> {
    let note = format!("# A note\n\nAbout the {word} tree, #trees.\n");
    let message = text::message(word);
    let mut samples = vec![
        Sample::plain("extract-pdf", "file.pdf", pdf::sound(word)),
        Sample::plain("extract-mail", "letter.eml", text::letter(word)),
        Sample::plain(
            "extract-mail",
            "in.mbox",
            format!(
                "From a@example.org Thu Jan  4 10:00:00 2024\n{message}\n\nFrom b@example.org Fri Jan  5 10:00:00 2024\n{message}\n\n>From here on\n"
            ),
        ),
        Sample::new(
            "extract-archive",
            "all.zip",
            Form::Zip(vec![
                ("notes/a.md", note.clone()),
                ("mail/b.eml", message.clone()),
                ("c.txt", "plain".into()),
            ]),
        ),
        Sample::plain(
            "extract-archive",
            "all.tar",
            tar(&[("notes/a.md", note.as_bytes()), ("b.txt", b"plain")]),
        ),
        Sample::new(
            "extract-archive",
            "all.tar.gz",
            Form::TarGz(tar(&[("notes/a.md", note.as_bytes()), ("b.txt", b"plain")])),
        ),
        Sample::plain("extract-archive", "a.md.gz", gzip(note.as_bytes())),
        Sample::new(
            "extract-bookmarks",
            "bookmarks-2024-01-04.jsonlz4",
            Form::Lz4(text::firefox_backup(word)),
        ),
    ];
    samples.extend(text::samples(word));
    samples.extend(office::samples(word));
    samples
}

/// Files whose bytes have no place for a word.
pub(crate) fn wordless_samples() -> Vec<Sample> {
    // Each holds `# Compressed` and a line with the word gooseberry.
    const BZIP2: &[u8] = b"BZh91AY&SY\xc5ii\xb6\x00\x00\x04]\x80\x00\x10H\x01\x00\x10\x08@6\xa2\xd8\xa0 \x001L&\x9a\x03LB&\x98\x8d4\x06&\x0e\xa6\xf6\xcb$\xae\x08P \x145\xb2@~vJ\x05\xa4VOF\xc9\xf1w$S\x85\x09\x0cV\x96\x9b`";
    const XZ: &[u8] = b"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F\x02\x00!\x01\x0c\x00\x00\x00\x8f\x98A\x9c\x01\x00)# Compressed\x0a\x0aHere is a word: gooseberry.\x0a\x00\x00\x002\xcck\x95Z\x84\xd2,\x00\x01B*zQr9\x1f\xb6\xf3}\x01\x00\x00\x00\x00\x04YZ";
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x51\x01\x00# Compressed\n\nHere is a word: gooseberry.\n\x9e\xa2\x20\x87";
    vec![
        Sample::plain("extract-archive", "b.md.bz2", BZIP2),
        Sample::plain("extract-archive", "c.md.xz", XZ),
        Sample::plain("extract-archive", "d.md.zst", ZSTD),
        Sample::plain(
            "extract-takeout",
            "Trees-videos.csv",
            "Video ID,Playlist Video Creation Timestamp\naaaaaaaaaa1,2023-11-12T08:20:00+00:00\nbbbbbbbbbb2,2023-11-11T08:20:00+00:00\n",
        ),
    ]
}
