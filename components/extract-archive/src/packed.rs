//! What a single stream of packed bytes holds: a tar archive or one file.

use std::io::{self, BufRead, Read};

use extract_core::{Failure, FailureKind};
use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::names::decode_alone;
use crate::source::{Counted, Guarded, Source, failure};
use crate::tar::{self, Tar};
use crate::walk::{Member, Members};

/// What unpacking xz may take, in KiB: the most its tools use by themselves.
const XZ_KIB: u32 = 96 << 10;

/// A way of packing bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As they are.
    None,
    /// As in zip, without a frame.
    Deflate,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Packing {
    /// The packing that a file's first bytes tell.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1F, 0x8B, 8, ..] => Some(Self::Gzip),
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x31,
                0x41,
                0x59,
                0x26,
                0x53,
                0x59,
                ..,
            ]
            | [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x17,
                0x72,
                0x45,
                0x38,
                0x50,
                0x90,
                ..,
            ] => Some(Self::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Unpacks, and stops at what swells beyond reason.
    pub(crate) fn unpack(self, packed: impl BufRead + 'static) -> Box<dyn Read> {
        let (packed, count) = Counted::new(packed);
        match self {
            Self::None => Box::new(packed),
            Self::Deflate => {
                let unpacked = flate2::bufread::DeflateDecoder::new(packed);
                Box::new(Guarded::new(unpacked, count))
            }
            Self::Gzip => Box::new(Guarded::new(Gzip::new(packed), count)),
            Self::Bzip2 => {
                let unpacked = bzip2::bufread::MultiBzDecoder::new(packed);
                Box::new(Guarded::new(unpacked, count))
            }
            Self::Xz => {
                let unpacked = lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_KIB);
                Box::new(Guarded::new(unpacked, count))
            }
            Self::Zstd => Box::new(Guarded::new(Zstd::new(packed), count)),
        }
    }
}

/// Opens what a packed file called `name` holds.
pub(crate) fn open(
    packing: Packing,
    source: &Source,
    name: &str,
) -> Result<Box<dyn Members>, Failure> {
    let mut unpacked = packing.unpack(source.all());
    let mut head = Vec::new();
    unpacked
        .by_ref()
        .take(tar::BLOCK as u64)
        .read_to_end(&mut head)
        .map_err(failure)?;
    if tar::is_header(&head) {
        let whole = io::Cursor::new(head).chain(unpacked);
        return Ok(Box::new(Tar::new(Box::new(whole))));
    }
    let name = match (packing, written_name(source)?) {
        (Packing::Gzip, Some(written)) => written,
        _ => unpacked_name(name).to_owned(),
    };
    Ok(Box::new(OneFile {
        name: Some(name),
        content: Box::new(io::Cursor::new(head).chain(unpacked)),
    }))
}

/// The name that a gzip file says its content had.
fn written_name(source: &Source) -> Result<Option<String>, Failure> {
    /// Bits of the header's flags: extra fields, a name.
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    let head = source.head(4096)?;
    let name = || {
        let flags = *head.get(3)?;
        let mut at = 10;
        if flags & EXTRA != 0 {
            let length = head.get(at..at + 2)?;
            at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
        }
        if flags & NAME == 0 {
            return None;
        }
        let rest = head.get(at..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let name = decode_alone(&rest[..end]);
        // Only the name counts, not where the file lay.
        let name = name.rsplit(['/', '\\']).next()?.trim();
        (!name.is_empty() && !name.starts_with('.')).then(|| name.to_owned())
    };
    Ok(name())
}

/// The name of what a packed file holds.
fn unpacked_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => {
            let packed = ["gz", "gzip", "bz2", "xz", "zst", "zstd", "z"];
            if packed
                .iter()
                .any(|known| extension.eq_ignore_ascii_case(known))
            {
                stem
            } else {
                name
            }
        }
        _ => name,
    }
}

/// A file that is packed alone.
struct OneFile {
    /// While it has not been given.
    name: Option<String>,
    content: Box<dyn Read>,
}

impl Members for OneFile {
    fn next(&mut self) -> Result<Member, Failure> {
        Ok(self.name.take().map_or(Member::End, Member::File))
    }

    fn current(&mut self) -> &mut dyn Read {
        &mut self.content
    }

    fn goes_on_after_damage(&self) -> bool {
        true
    }

    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Gzip: members one after the other, and zeros after them, as tapes and some
/// devices fill their blocks up.
struct Gzip<R: BufRead> {
    /// None at the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    fn new(packed: R) -> Self {
        Self {
            member: Some(GzDecoder::new(packed)),
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let length = member.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            let Some(mut packed) = self.member.take().map(GzDecoder::into_inner) else {
                break;
            };
            if !matches!(packed.fill_buf()?, [] | [0, ..]) {
                self.member = Some(GzDecoder::new(packed));
            }
        }
        Ok(0)
    }
}

/// Zstandard: frames one after the other, some to be passed over.
struct Zstd<R> {
    packed: R,
    decoder: FrameDecoder,
    /// Whether the decoder is in a frame.
    inside: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(packed: R) -> Self {
        Self {
            packed,
            decoder: FrameDecoder::new(),
            inside: false,
        }
    }

    /// Begins the next frame; false where there is none.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.packed.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let length = match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => u64::from(length),
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                    return Err(io::Error::other(Failure::new(
                        FailureKind::TooLarge,
                        "It was packed with a window that takes too much memory to unpack.",
                    )));
                }
                Err(error) => return Err(io::Error::other(error)),
            };
            if io::copy(&mut self.packed.by_ref().take(length), &mut io::sink())? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            self.inside = true;
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let length = self.decoder.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            self.inside = false;
        }
    }
}
