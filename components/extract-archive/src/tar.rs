//! Tar archives: ustar with its extensions by GNU and POSIX, and what came
//! before.

use std::io::{self, Read};

use extract_core::{Failure, FailureKind};

use crate::names::decode_alone;
use crate::source::failure;
use crate::walk::{Member, Members};

/// Everything in a tar archive is a multiple of this many bytes.
pub(crate) const BLOCK: usize = 512;

/// Longer names and extended headers are not kept, in bytes.
const MOST_EXTENDED: u64 = 1 << 20;

/// Whether a block is the header of a file: its checksum fits.
pub(crate) fn is_header(block: &[u8]) -> bool {
    let Some(sum) = block.get(148..156).and_then(number) else {
        return false;
    };
    let Some(block) = block.get(..BLOCK) else {
        return false;
    };
    let byte = |at: usize| {
        if (148..156).contains(&at) {
            b' '
        } else {
            block[at]
        }
    };
    let unsigned: u64 = (0..BLOCK).map(|at| u64::from(byte(at))).sum();
    // Some old programs added the bytes up as signed ones.
    let signed: i64 = (0..BLOCK).map(|at| i64::from(byte(at) as i8)).sum();
    block[0] != 0 && (sum == unsigned || i64::try_from(sum) == Ok(signed))
}

/// A number as headers write it: octal digits, or with the high bit set in the
/// first byte big-endian ones.
fn number(field: &[u8]) -> Option<u64> {
    if let Some((0x80, rest)) = field.split_first() {
        return rest.iter().try_fold(0u64, |value, &byte| {
            Some(value.checked_mul(256)? + u64::from(byte))
        });
    }
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches(['\0', ' ']);
    if digits.is_empty() {
        return None;
    }
    u64::from_str_radix(digits, 8).ok()
}

/// What the extended headers before a file say of it.
#[derive(Debug, Default)]
struct Extended {
    path: Option<Vec<u8>>,
    size: Option<u64>,
    sparse: bool,
}

/// A tar archive, read in order.
pub(crate) struct Tar {
    input: Box<dyn Read>,
    /// Bytes of the current file that have not been read.
    left: u64,
    /// Bytes after it up to the next header.
    padding: u64,
    links: u64,
    devices: u64,
    unknown: u64,
}

impl Tar {
    pub(crate) fn new(input: impl Read + 'static) -> Self {
        Self {
            input: Box::new(input),
            left: 0,
            padding: 0,
            links: 0,
            devices: 0,
            unknown: 0,
        }
    }

    /// Goes to the next header.
    fn skip(&mut self) -> Result<(), Failure> {
        let length = self.left.saturating_add(self.padding);
        let mut rest = self.input.by_ref().take(length);
        let skipped = io::copy(&mut rest, &mut io::sink()).map_err(failure)?;
        // The padding of the last file is missed by nobody.
        if skipped < self.left {
            return Err(Failure::invalid("The archive is cut short."));
        }
        (self.left, self.padding) = (0, 0);
        Ok(())
    }

    /// The next header; none at the end.
    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, Failure> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.input.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failure(error)),
            }
        }
        if block[..filled].iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        if filled < BLOCK {
            return Err(Failure::invalid("The archive is cut short."));
        }
        if !is_header(&block) {
            return Err(Failure::invalid(
                "The archive is damaged: a file's header is not one.",
            ));
        }
        Ok(Some(block))
    }

    /// The content of an extended header; nothing where it is too long.
    fn extended(&mut self) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        if self.left <= MOST_EXTENDED {
            self.input
                .by_ref()
                .take(self.left)
                .read_to_end(&mut content)
                .map_err(failure)?;
            if (content.len() as u64) < self.left {
                return Err(Failure::invalid("The archive is cut short."));
            }
            self.left = 0;
        }
        Ok(content)
    }
}

impl Members for Tar {
    fn next(&mut self) -> Result<Member, Failure> {
        let mut extended = Extended::default();
        loop {
            self.skip()?;
            let Some(header) = self.header()? else {
                return Ok(Member::End);
            };
            let kind = header[156];
            let written = number(&header[124..136]).unwrap_or(0);
            let is_file = matches!(kind, 0 | b'0' | b'7' | b'S');
            self.left = match extended.size {
                Some(size) if is_file => size,
                _ => written,
            };
            self.padding = self.left.wrapping_neg() % BLOCK as u64;
            match kind {
                b'L' => {
                    let mut name = self.extended()?;
                    let end = name.iter().position(|&byte| byte == 0);
                    name.truncate(end.unwrap_or(name.len()));
                    extended.path = Some(name);
                }
                b'x' => {
                    let records = self.extended()?;
                    read_records(&records, &mut extended);
                }
                // Headers for all files, names of links, labels, folders.
                b'K' | b'g' | b'V' | b'M' | b'N' | b'X' => {}
                b'5' | b'D' => extended = Extended::default(),
                0 | b'0' | b'7' | b'S' => {
                    let Extended { path, sparse, .. } = std::mem::take(&mut extended);
                    let path = decode_alone(&path.unwrap_or_else(|| path_of(&header)));
                    // Folders of the time before folders had a type.
                    if path.ends_with('/') {
                        continue;
                    }
                    if sparse || kind == b'S' {
                        let failure = Failure::new(
                            FailureKind::Unsupported,
                            "It is stored as a sparse file, which is not read.",
                        );
                        return Ok(Member::Failed(path, failure));
                    }
                    return Ok(Member::File(path));
                }
                other => {
                    match other {
                        b'1' | b'2' => self.links += 1,
                        b'3' | b'4' | b'6' => self.devices += 1,
                        _ => self.unknown += 1,
                    }
                    // Links have a size that counts for nothing.
                    if matches!(other, b'1' | b'2' | b'3' | b'4' | b'6') {
                        (self.left, self.padding) = (0, 0);
                    }
                    extended = Extended::default();
                }
            }
        }
    }

    fn current(&mut self) -> &mut dyn Read {
        self
    }

    fn goes_on_after_damage(&self) -> bool {
        false
    }

    fn warnings(&mut self) -> Vec<String> {
        [
            (self.links, "Links that were not followed"),
            (self.devices, "Devices that were left out"),
            (
                self.unknown,
                "Entries of an unknown type that were left out",
            ),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{what}: {count}."))
        .collect()
    }
}

/// The current file.
impl Read for Tar {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if most == 0 {
            return Ok(0);
        }
        let length = self.input.read(&mut buffer[..most])?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= length as u64;
        Ok(length)
    }
}

/// The path in a header, the first half of which may stand apart.
fn path_of(header: &[u8; BLOCK]) -> Vec<u8> {
    let text = |field: &[u8]| {
        let end = field.iter().position(|&byte| byte == 0);
        field[..end.unwrap_or(field.len())].to_vec()
    };
    let name = text(&header[..100]);
    if &header[257..263] != b"ustar\0" || header[345] == 0 {
        return name;
    }
    let mut path = text(&header[345..500]);
    path.push(b'/');
    path.extend(name);
    path
}

/// Reads the records `length key=value\n` of an extended header.
fn read_records(mut records: &[u8], extended: &mut Extended) {
    while let Some(space) = records.iter().position(|&byte| byte == b' ') {
        let length = std::str::from_utf8(&records[..space])
            .ok()
            .and_then(|digits| digits.parse::<usize>().ok());
        let Some(length) = length.filter(|&length| length > space && length <= records.len())
        else {
            return;
        };
        let record = &records[space + 1..length];
        records = &records[length..];
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        let Some(equals) = record.iter().position(|&byte| byte == b'=') else {
            continue;
        };
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" => extended.path = Some(value.to_vec()),
            b"size" => {
                extended.size = std::str::from_utf8(value)
                    .ok()
                    .and_then(|digits| digits.parse().ok());
            }
            b"GNU.sparse.name" => {
                extended.path = Some(value.to_vec());
                extended.sparse = true;
            }
            _ if key.starts_with(b"GNU.sparse.") => extended.sparse = true,
            _ => {}
        }
    }
}
