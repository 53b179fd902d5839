//! Zip archives.

use std::io::{self, Read};

use extract_core::{Failure, FailureKind};
use rawzip::extra_fields::ExtraFieldId;
use rawzip::{
    CompressionMethod, Crc32, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
    ZipFileHeaderRecord, ZipLocator,
};

use crate::names::{Charset, MAX_PATH};
use crate::packed::Packing;
use crate::recover::Recovered;
use crate::source::Source;
use crate::walk::{Member, Members};

/// More entries, or entries whose names have more bytes together, are not
/// listed: a list takes memory.
const MOST_LISTED: usize = 250_000;
const MOST_NAMES: usize = 32 << 20;

/// Whether a file begins as a zip archive does, an empty or a split one
/// included.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
        || head.starts_with(b"PK\x05\x06")
        || head.starts_with(b"PK\x07\x08")
}

/// Opens an archive by its directory; where that is damaged, by the headers
/// before each file.
pub(crate) fn open(source: &Source) -> Result<Box<dyn Members>, Failure> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let located = ZipLocator::new().locate_in_reader(source.clone(), &mut buffer, source.size());
    if let Ok(archive) = located {
        let zip = list(archive, &mut buffer);
        if zip.entries.len() > 0 || zip.warnings.is_empty() {
            return Ok(Box::new(zip));
        }
    }
    if Recovered::has_any(source)? {
        return Ok(Box::new(Recovered::new(source.clone())));
    }
    Err(Failure::invalid(
        "The zip archive is damaged: it has neither a directory nor files.",
    ))
}

/// An entry of the directory.
struct Entry {
    path: String,
    place: ZipArchiveEntryWayfinder,
    offset: u64,
    crc: u32,
    packing: Result<Packing, Failure>,
    overlaps: bool,
}

/// An archive with a directory.
struct Zip {
    archive: ZipArchive<Source>,
    entries: std::vec::IntoIter<Entry>,
    current: Box<dyn Read>,
    links: u64,
    warnings: Vec<String>,
}

/// Lists the directory.
fn list(archive: ZipArchive<Source>, buffer: &mut [u8]) -> Zip {
    let mut raw: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut entries: Vec<Entry> = Vec::new();
    let mut warnings = Vec::new();
    let mut charset = Charset::new();
    let (mut links, mut names) = (0, 0);
    let mut directory = archive.entries(buffer);
    loop {
        let record = match directory.next_entry() {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(_) => {
                warnings.push(
                    "The archive's directory is damaged: files at its end may be missing."
                        .to_owned(),
                );
                break;
            }
        };
        if record.is_dir() {
            continue;
        }
        if record.mode().is_symlink() {
            links += 1;
            continue;
        }
        if entries.len() == MOST_LISTED || names > MOST_NAMES {
            warnings.push(format!(
                "The archive has more than {} entries; those after them were not read.",
                entries.len()
            ));
            break;
        }
        let (name, is_utf8) = name(&record);
        if !is_utf8 {
            charset.feed(&name);
        }
        names += name.len();
        raw.push((name, is_utf8));
        entries.push(Entry {
            path: String::new(),
            place: record.wayfinder(),
            offset: record.local_header_offset(),
            crc: record.crc32(),
            packing: packing(&record),
            overlaps: false,
        });
    }
    for (entry, (name, is_utf8)) in entries.iter_mut().zip(raw) {
        entry.path = if is_utf8 {
            String::from_utf8_lossy(&name).into_owned()
        } else {
            charset.decode(&name)
        };
    }
    // Folders whose packer wrote them the Windows way.
    entries.retain(|entry| !entry.path.ends_with('\\'));
    let overlapping = mark_overlaps(&mut entries);
    if overlapping > 0 {
        warnings.push(format!(
            "Files that share their bytes with others, as only an archive made to do harm has them, were not read: {overlapping}."
        ));
    }
    Zip {
        archive,
        entries: entries.into_iter(),
        current: Box::new(io::empty()),
        links,
        warnings,
    }
}

/// An entry's name, not longer than one that is refused, and whether it is
/// known to be UTF-8.
fn name(record: &ZipFileHeaderRecord<'_>) -> (Vec<u8>, bool) {
    let path = record.file_path();
    let written = path.as_bytes();
    let cut = |name: &[u8]| name[..name.len().min(MAX_PATH + 1)].to_vec();
    if record.flags().is_utf8() {
        return (cut(written), true);
    }
    for (id, field) in record.extra_fields() {
        // Version, checksum of the written name, name.
        if id == ExtraFieldId::INFO_ZIP_UNICODE_PATH
            && let [1, a, b, c, d, name @ ..] = field
            && u32::from_le_bytes([*a, *b, *c, *d]) == rawzip::crc32(written)
            && std::str::from_utf8(name).is_ok()
        {
            return (cut(name), true);
        }
    }
    (cut(written), false)
}

fn packing(record: &ZipFileHeaderRecord<'_>) -> Result<Packing, Failure> {
    packing_of(record.flags().is_encrypted(), record.compression_method())
}

/// How an entry is packed, or why it cannot be read.
pub(crate) fn packing_of(encrypted: bool, method: CompressionMethod) -> Result<Packing, Failure> {
    if encrypted || method == CompressionMethod::AES {
        return Err(Failure::new(
            FailureKind::Encrypted,
            "It is encrypted; unpack the archive with its password to have it read.",
        ));
    }
    match method {
        CompressionMethod::STORE => Ok(Packing::None),
        CompressionMethod::DEFLATE => Ok(Packing::Deflate),
        CompressionMethod::BZIP2 => Ok(Packing::Bzip2),
        CompressionMethod::XZ => Ok(Packing::Xz),
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => Ok(Packing::Zstd),
        other => Err(Failure::new(
            FailureKind::Unsupported,
            match other.name() {
                Some(name) => format!("It is packed with {name}, which is not read."),
                None => format!(
                    "It is packed with method {}, which is not read.",
                    other.as_u16()
                ),
            },
        )),
    }
}

/// Marks entries that lie inside others; answers how many do. The headers
/// before the files are at least 30 bytes long, whatever they hold.
fn mark_overlaps(entries: &mut [Entry]) -> usize {
    const LOCAL_HEADER: u64 = 30;
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| entries[index].offset);
    let mut count = 0;
    let mut end = 0;
    let mut last: Option<usize> = None;
    for index in order {
        let offset = entries[index].offset;
        if let Some(before) = last.filter(|_| offset < end) {
            for overlapping in [before, index] {
                if !entries[overlapping].overlaps {
                    entries[overlapping].overlaps = true;
                    count += 1;
                }
            }
        }
        let packed = entries[index].place.compressed_size_hint();
        let own = offset.saturating_add(LOCAL_HEADER).saturating_add(packed);
        if own >= end || last.is_none() {
            end = own;
            last = Some(index);
        }
    }
    count
}

impl Members for Zip {
    fn next(&mut self) -> Result<Member, Failure> {
        self.current = Box::new(io::empty());
        let Some(entry) = self.entries.next() else {
            return Ok(Member::End);
        };
        let failed = |failure| Ok(Member::Failed(entry.path.clone(), failure));
        let packing = match entry.packing {
            Ok(packing) => packing,
            Err(failure) => return failed(failure),
        };
        if entry.overlaps {
            return failed(Failure::invalid(
                "It shares its bytes with another file of the archive.",
            ));
        }
        let local = match self.archive.get_entry(entry.place) {
            Ok(local) => local,
            Err(_) => {
                return failed(Failure::invalid(
                    "The archive is damaged where the file should be.",
                ));
            }
        };
        let (start, end) = local.compressed_data_range();
        let packed = self.archive.get_ref().range(start..end);
        self.current = Box::new(Verified::new(packing.unpack(packed), entry.crc));
        Ok(Member::File(entry.path))
    }

    fn current(&mut self) -> &mut dyn Read {
        &mut self.current
    }

    fn goes_on_after_damage(&self) -> bool {
        true
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.warnings);
        if self.links > 0 {
            warnings.push(format!("Links that were not followed: {}.", self.links));
        }
        warnings
    }
}

/// Compares the checksum at the end.
pub(crate) struct Verified<R> {
    inner: R,
    crc: Crc32,
    expected: u32,
}

impl<R> Verified<R> {
    pub(crate) fn new(inner: R, expected: u32) -> Self {
        Self {
            inner,
            crc: Crc32::new(),
            expected,
        }
    }
}

impl<R: Read> Read for Verified<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.crc.update(&buffer[..length]);
        if length == 0 && !buffer.is_empty() && self.crc.checksum() != self.expected {
            return Err(io::Error::other(Failure::invalid(
                "The file is damaged: its checksum is not the one in the archive.",
            )));
        }
        Ok(length)
    }
}
