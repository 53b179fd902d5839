use std::io::Write;

use extract_core::{Batch, Document, Extractor, Failure, FailureKind, Input, NoOcr, PartFailure};
use proptest::prelude::*;

use crate::Archive;
use crate::names::MAX_PATH;

/// What an archive gave.
#[derive(Debug, Default)]
struct Read {
    files: Vec<(String, String, Vec<u8>)>,
    failures: Vec<PartFailure>,
    document: Option<Document>,
}

impl Read {
    fn parts(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.0.as_str()).collect()
    }

    fn warnings(&self) -> String {
        self.document.as_ref().unwrap().warnings.join(" ")
    }
}

/// Reads an archive and checks what holds for all.
fn read_with(name: &str, bytes: Vec<u8>, settings: &str, limit: usize) -> Result<Read, Failure> {
    let input = Input {
        name,
        settings,
        ..Input::default()
    };
    let mut documents = Archive::open(input, Box::new(bytes), Box::new(NoOcr))?;
    let mut read = Read::default();
    let mut open: Option<String> = None;
    loop {
        let Batch {
            documents: given,
            pieces,
            last,
        } = documents.next(limit)?;
        assert!(given.len() <= limit && pieces.len() <= limit);
        assert!(last || !given.is_empty() || !pieces.is_empty());
        for piece in pieces {
            assert!(piece.content.len() <= crate::walk::PIECE);
            assert!(!piece.part.is_empty() && piece.name.len() <= MAX_PATH);
            match open.take() {
                Some(part) => {
                    assert_eq!(part, piece.part);
                    read.files.last_mut().unwrap().2.extend(piece.content);
                }
                None => {
                    assert!(!read.parts().contains(&piece.part.as_str()));
                    read.files
                        .push((piece.part.clone(), piece.name, piece.content));
                }
            }
            if !piece.last {
                open = Some(piece.part);
            }
        }
        for document in given {
            match document {
                Ok(document) => {
                    assert!(document.part.is_empty() && read.document.is_none());
                    read.document = Some(document);
                }
                Err(failure) => {
                    assert!(open.take().is_none_or(|part| part == failure.part));
                    read.failures.push(failure);
                }
            }
        }
        if last {
            assert!(open.is_none() && read.document.is_some());
            return Ok(read);
        }
    }
}

fn read(name: &str, bytes: Vec<u8>) -> Read {
    read_with(name, bytes, "", 8).unwrap()
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A zip archive written by hand, so that it can be wrong.
#[derive(Default)]
struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Zip {
    fn add(mut self, name: &[u8], content: &[u8], flags: u16) -> Self {
        let packed = deflate(content);
        let offset = self.bytes.len() as u32;
        self.local(name, content, &packed, flags);
        self.entry(name, content, packed.len(), flags, offset);
        self
    }

    fn local(&mut self, name: &[u8], content: &[u8], packed: &[u8], flags: u16) {
        self.bytes.extend(b"PK\x03\x04\x14\0");
        self.bytes.extend(flags.to_le_bytes());
        self.bytes.extend([8, 0, 0, 0, 0, 0]);
        let follows = flags & 8 != 0;
        let sizes = if follows {
            [0; 12]
        } else {
            sizes(content, packed.len())
        };
        self.bytes.extend(sizes);
        self.bytes.extend((name.len() as u16).to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend(name);
        self.bytes.extend(packed);
        if follows {
            self.bytes.extend(b"PK\x07\x08");
            self.bytes.extend(self::sizes(content, packed.len()));
        }
    }

    fn entry(&mut self, name: &[u8], content: &[u8], packed: usize, flags: u16, offset: u32) {
        self.directory.extend(b"PK\x01\x02\x14\0\x14\0");
        self.directory.extend(flags.to_le_bytes());
        self.directory.extend([8, 0, 0, 0, 0, 0]);
        self.directory.extend(sizes(content, packed));
        self.directory.extend((name.len() as u16).to_le_bytes());
        self.directory.extend([0; 12]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name);
        self.count += 1;
    }

    fn finish(mut self) -> Vec<u8> {
        let offset = self.bytes.len() as u32;
        let size = self.directory.len() as u32;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes
    }
}

fn sizes(content: &[u8], packed: usize) -> [u8; 12] {
    let mut sizes = [0; 12];
    sizes[..4].copy_from_slice(&rawzip::crc32(content).to_le_bytes());
    sizes[4..8].copy_from_slice(&(packed as u32).to_le_bytes());
    sizes[8..].copy_from_slice(&(content.len() as u32).to_le_bytes());
    sizes
}

/// A header of a tar archive with its content.
fn tar_entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut entry = header.to_vec();
    entry.extend(content);
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut archive = entries.concat();
    archive.extend([0; 1024]);
    archive
}

fn utf8(content: &[u8]) -> &str {
    std::str::from_utf8(content).unwrap()
}

#[test]
fn a_zip_gives_its_files_and_then_itself() {
    let zip = Zip::default()
        .add(b"notes/", b"", 0)
        .add("notes/größe.md".as_bytes(), b"# One", 0)
        .add(b"notes/two.txt", b"", 8)
        .add(b"__MACOSX/notes/._two.txt", b"x", 0)
        .add(b".git/HEAD", b"x", 0)
        .finish();
    let read = read("my notes.zip", zip);
    assert_eq!(read.parts(), ["notes/größe.md", "notes/two.txt"]);
    assert_eq!(utf8(&read.files[0].2), "# One");
    assert!(read.files[1].2.is_empty());
    let document = read.document.unwrap();
    assert_eq!(
        (&*document.kind, &*document.title),
        ("archive", "my notes.zip")
    );
    assert_eq!(
        document.properties,
        [extract_core::Property::number("entries", 2.0)]
    );
    assert!(document.warnings.is_empty() && document.text.is_empty());
}

#[test]
fn an_empty_zip_has_no_files() {
    let read = read("a.zip", Zip::default().finish());
    assert!(read.files.is_empty() && read.failures.is_empty());
}

#[test]
fn paths_in_archives_are_made_safe_and_told_apart() {
    let zip = Zip::default()
        .add(b"../../etc/passwd", b"1", 0)
        .add(b"/etc/passwd", b"2", 0)
        .add(b"C:\\a\\b.txt", b"3", 0)
        .add(b"etc/passwd", b"4", 0)
        .finish();
    let read = read("a.zip", zip);
    assert_eq!(
        read.parts(),
        ["etc/passwd", "etc/passwd (2)", "a/b.txt", "etc/passwd (3)"]
    );
    assert_eq!(read.files[1].1, "etc/passwd");
}

#[test]
fn an_encrypted_file_costs_only_itself() {
    let zip = Zip::default()
        .add(b"secret.txt", b"x", 1)
        .add(b"open.txt", b"y", 0)
        .finish();
    let read = read("a.zip", zip);
    assert_eq!(read.parts(), ["open.txt"]);
    assert_eq!(read.failures[0].part, "secret.txt");
    assert_eq!(read.failures[0].failure.kind, FailureKind::Encrypted);
}

#[test]
fn a_large_file_comes_in_pieces() {
    let mut seed = 1u32;
    let content: Vec<u8> = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    })
    .take(9 << 20)
    .collect();
    let exact = &content[..4 << 20];
    let zip = Zip::default()
        .add(b"large.bin", &content, 0)
        .add(b"exact.bin", exact, 8)
        .finish();
    for limit in [1, 100] {
        let read = read_with("a.zip", zip.clone(), "", limit).unwrap();
        assert!(read.files[0].2 == content && read.files[1].2 == exact);
    }
    let read = read("large.bin.gz", gzip(&content));
    assert_eq!(read.parts(), ["large.bin"]);
    assert!(read.files[0].2 == content);
}

#[test]
fn a_zip_bomb_costs_only_itself() {
    let zip = Zip::default()
        .add(b"bomb.txt", &vec![b'a'; 64 << 20], 0)
        .add(b"small.txt", &vec![b'a'; 1 << 20], 0)
        .finish();
    let read = read("a.zip", zip);
    assert_eq!(read.failures[0].failure.kind, FailureKind::TooLarge);
    assert_eq!(read.files.last().unwrap().0, "small.txt");
    let packed = read_with("bomb.gz", gzip(&vec![0; 64 << 20]), "", 8).unwrap();
    assert_eq!(packed.failures[0].failure.kind, FailureKind::TooLarge);
}

#[test]
fn files_that_overlap_are_refused() {
    let mut zip = Zip::default();
    let content = b"shared by all";
    let packed = deflate(content);
    zip.local(b"0", content, &packed, 0);
    for name in [b"0", b"1", b"2"] {
        zip.entry(name, content, packed.len(), 0, 0);
    }
    let zip = zip.add(b"sound", b"apart", 0);
    let read = read("a.zip", zip.finish());
    assert_eq!(read.parts(), ["sound"]);
    assert_eq!(read.failures.len(), 3);
    assert!(read.warnings().contains("made to do harm"));
}

#[test]
fn limits_end_an_archive_with_a_warning() {
    let zip = Zip::default()
        .add(b"a", b"12345", 0)
        .add(b"b", b"12345", 0)
        .add(b"c", b"12345", 0)
        .finish();
    let entries = read_with("a.zip", zip.clone(), r#"{"max_entries":2}"#, 8).unwrap();
    assert_eq!(entries.parts(), ["a", "b"]);
    assert!(entries.warnings().contains("max_entries"));
    let bytes = read_with("a.zip", zip, r#"{"max_bytes":7}"#, 8).unwrap();
    assert_eq!(bytes.parts(), ["a"]);
    assert!(bytes.warnings().contains("max_bytes"));
    assert_eq!(bytes.failures[0].part, "b");
}

#[test]
fn a_zip_without_its_directory_gives_what_is_left() {
    let whole = Zip::default()
        .add(b"one.txt", b"first", 0)
        .add(b"two.txt", b"second", 8)
        .add(b"three.txt", b"third, and then some more", 0)
        .finish();
    let directory = whole.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let read_all = read("a.zip", whole[..directory].to_vec());
    assert_eq!(read_all.parts(), ["one.txt", "two.txt", "three.txt"]);
    assert_eq!(utf8(&read_all.files[1].2), "second");
    assert!(read_all.warnings().contains("directory"));
    let cut = read("a.zip", whole[..directory - 5].to_vec());
    assert_eq!(cut.parts(), ["one.txt", "two.txt"]);
    assert_eq!(cut.failures[0].part, "three.txt");
}

#[test]
fn a_damaged_file_is_told_by_its_checksum() {
    let mut zip = Zip::default().add(b"a.txt", b"abc", 0).finish();
    zip[14] ^= 1;
    let directory = zip.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    zip[directory + 16] ^= 1;
    let read = read("a.zip", zip);
    assert!(read.files.is_empty());
    assert!(read.failures[0].failure.message.contains("checksum"));
}

#[test]
fn a_tar_gives_its_files_however_long_their_names() {
    let long = format!("{}/name.txt", "folder".repeat(30));
    let mut name = long.clone().into_bytes();
    name.push(0);
    let record = format!("path=päx/{}\n", "x".repeat(120));
    let record = format!("{} {record}", record.len() + 4);
    assert_eq!(record.split(' ').next().unwrap(), record.len().to_string());
    let archive = tar(&[
        tar_entry("folder/", b'5', b""),
        tar_entry("folder/a.txt", b'0', b"first"),
        tar_entry("long", b'L', &name),
        tar_entry("cut", b'0', b"second"),
        tar_entry("pax", b'x', record.as_bytes()),
        tar_entry("cut", b'0', b"third"),
        tar_entry("link", b'2', b""),
        tar_entry("old", 0, b"fourth"),
    ]);
    let read_plain = read("a.tar", archive.clone());
    assert_eq!(read_plain.files.len(), 4);
    assert_eq!(read_plain.parts()[1], long);
    assert!(read_plain.parts()[2].starts_with("päx/x"));
    assert_eq!(utf8(&read_plain.files[3].2), "fourth");
    assert!(
        read_plain
            .warnings()
            .contains("Links that were not followed: 1")
    );
    let read_packed = read("a.tgz", gzip(&archive));
    assert_eq!(read_packed.files, read_plain.files);
}

#[test]
fn a_tar_cut_short_gives_what_is_left() {
    let archive = tar(&[
        tar_entry("a.txt", b'0', b"first"),
        tar_entry("b.txt", b'0', &[b'x'; 2000]),
    ]);
    let read = read("a.tar", archive[..2000].to_vec());
    assert_eq!(read.parts(), ["a.txt"]);
    assert_eq!(read.failures[0].part, "b.txt");
    assert!(read.warnings().contains("cut short"));
}

#[test]
fn each_packing_is_unpacked() {
    // "packed\n" as the tools of each format write it.
    let bzip2 = b"\x42\x5A\x68\x39\x31\x41\x59\x26\x53\x59\x5B\xDA\x09\xA8\x00\x00\x03\x41\x80\x00\x10\x2E\x08\x40\x00\x20\x00\x31\x0C\x01\x06\x4D\xA3\x1C\x02\x8B\xB9\x22\x9C\x28\x48\x2D\xED\x04\xD4\x00";
    let xz = b"\xFD\x37\x7A\x58\x5A\x00\x00\x04\xE6\xD6\xB4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2F\xE5\xA3\x01\x00\x06\x70\x61\x63\x6B\x65\x64\x0A\x00\x00\x68\xD0\xAA\xDC\x39\x82\x2A\x42\x00\x01\x1F\x07\x16\x2E\xB8\x73\x1F\xB6\xF3\x7D\x01\x00\x00\x00\x00\x04\x59\x5A";
    // A frame to be passed over, then two that hold the text as it is.
    let frame = b"\x28\xB5\x2F\xFD\x00\x58\x39\0\0packed\n";
    let zstd = [b"\x50\x2A\x4D\x18\x02\0\0\0ab", &frame[..], &frame[..]].concat();
    for (name, bytes, content) in [
        ("a.txt.bz2", bzip2.to_vec(), "packed\n"),
        ("a.txt.xz", xz.to_vec(), "packed\n"),
        ("a.txt.zst", zstd, "packed\npacked\n"),
    ] {
        let read = read(name, bytes.clone());
        assert_eq!(read.parts(), ["a.txt"]);
        assert_eq!(utf8(&read.files[0].2), content, "{name}");
        let cut = bytes[..bytes.len() - 3].to_vec();
        assert_eq!(
            read_with(name, cut, "", 8).map_or(1, |read| read.failures.len()),
            1
        );
    }
}

#[test]
fn zeros_after_a_packed_file_are_no_damage() {
    let twice = [gzip(b"one "), gzip(b"two")].concat();
    let padded = [&twice[..], &[0; 70_000]].concat();
    for bytes in [&twice, &padded] {
        let read = read("a.txt.gz", bytes.clone());
        assert_eq!(utf8(&read.files[0].2), "one two");
    }
    let garbage = [&twice[..], b"garbage"].concat();
    let damaged = read_with("a.txt.gz", garbage, "", 8);
    assert_eq!(damaged.map_or(1, |read| read.failures.len()), 1);
}

#[test]
fn what_is_no_archive_says_so() {
    for (bytes, kind) in [
        (
            b"7z\xBC\xAF\x27\x1C rest".to_vec(),
            FailureKind::Unsupported,
        ),
        (b"Rar!\x1A\x07".to_vec(), FailureKind::Unsupported),
        (b"just text".to_vec(), FailureKind::InvalidInput),
        (Vec::new(), FailureKind::InvalidInput),
        (b"PK\x05\x06".to_vec(), FailureKind::InvalidInput),
    ] {
        assert_eq!(read_with("a.zip", bytes, "", 8).unwrap_err().kind, kind);
    }
}

#[test]
fn a_vault_is_unpacked_whole() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/vaults/tldr-pages-en.tar.gz"
    );
    let Ok(bytes) = std::fs::read(path) else {
        eprintln!("skipped: there are no vaults at {path}");
        return;
    };
    let read = read_with("tldr-pages-en.tar.gz", bytes, "", 64).unwrap();
    let notes = read
        .parts()
        .iter()
        .filter(|part| part.ends_with(".md"))
        .count();
    assert_eq!(notes, 7424);
    assert!(read.failures.is_empty(), "{:?}", read.failures);
}

fn samples() -> Vec<Vec<u8>> {
    let content: Vec<u8> = (0..3000u32).flat_map(u32::to_le_bytes).collect();
    let zip = Zip::default()
        .add(b"a.txt", b"some text", 0)
        .add(b"b/c.bin", &content, 8)
        .add(b"d.txt", b"", 0)
        .finish();
    let tar = tar(&[
        tar_entry("a.txt", b'0', b"some text"),
        tar_entry("pax", b'x', b"14 path=b.txt\n"),
        tar_entry("b.txt", b'0', &content),
    ]);
    vec![zip, gzip(&tar), tar]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..600), head in 0usize..8) {
        let heads: [&[u8]; 8] = [b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1F\x8B\x08", b"BZh91AY&SY", b"\xFD7zXZ\0", b"\x28\xB5\x2F\xFD", b"\x50\x2A\x4D\x18"];
        bytes.splice(..0, heads[head].iter().copied());
        let _ = read_with("a.zip", bytes, "", 3);
    }

    #[test]
    fn damaged_archives_are_read_or_refused(
        sample in 0usize..3,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        whole in any::<bool>(),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if !whole {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = read_with("a.zip", bytes, "", 3);
    }
}
