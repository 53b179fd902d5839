//! Files that hold others, packed.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A zip file. A first part called `mimetype` is stored as it is, as EPUB and
/// OpenDocument have it.
pub(crate) fn zip<N: AsRef<str>, B: AsRef<[u8]>>(parts: &[(N, B)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let method = match name.as_ref() {
            "mimetype" => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(name.as_ref(), options).unwrap();
        writer.write_all(content.as_ref()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A zip file whose last part is that many MiB of the same word, after `begin`;
/// made without holding them.
pub(crate) fn zip_bomb(parts: &[(&str, &str)], name: &str, begin: &str, mib: usize) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.start_file(name, options).unwrap();
    writer.write_all(begin.as_bytes()).unwrap();
    let words = "bomb ".repeat((1 << 20) / 5);
    for _ in 0..mib {
        writer.write_all(words.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A tar archive.
pub(crate) fn tar(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in parts {
        let mut header = [0_u8; 512];
        let mut put = |at: usize, text: &str| {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        };
        put(0, name);
        put(100, "0000644\0");
        put(124, &format!("{:011o}\0", content.len()));
        put(136, "14531440000\0");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(header);
        out.extend(*content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// The same bytes, as gzip packs them.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// The same bytes, as Firefox packs its backups.
pub(crate) fn mozlz4(bytes: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress_prepend_size(bytes);
    [b"mozLz40\0".as_slice(), &packed].concat()
}
