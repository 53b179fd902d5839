//! Which format a file is in.

use extract_core::{Bytes, Failure, FailureKind};

use crate::package::{Package, encrypted};

/// What a file begins with.
pub(crate) enum Outside {
    /// A package of parts.
    Zip,
    /// OpenDocument in one XML file.
    Xml,
    /// Rich text.
    Rtf,
}

/// What a package holds.
pub(crate) enum Inside {
    Word(String),
    Workbook(String),
    Presentation(String),
    OpenDocument,
    Book,
}

/// # Errors
/// Where the file is in a format that is not read, with what would help.
pub(crate) fn outside(bytes: &dyn Bytes) -> Result<Outside, Failure> {
    const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    let head = bytes.read(0, 4_096)?;
    let text = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(&head)
        .trim_ascii_start();
    if head.starts_with(b"PK") {
        Ok(Outside::Zip)
    } else if head.starts_with(OLE) {
        Err(older(bytes, &head)?)
    } else if text.starts_with(b"{\\rtf") {
        Ok(Outside::Rtf)
    } else if contains(text, b"urn:oasis:names:tc:opendocument:xmlns:office:1.0") {
        Ok(Outside::Xml)
    } else if head.is_empty() {
        Err(Failure::invalid("The file is empty."))
    } else if contains(text, b"schemas.microsoft.com/office/word/2003/wordml")
        || contains(text, b"schemas.microsoft.com/office/2006/xmlPackage")
        || contains(text, b"urn:schemas-microsoft-com:office:spreadsheet")
    {
        Err(Failure::new(
            FailureKind::Unsupported,
            "The file is an Office document saved as one XML file, which is not read; save it as .docx or .xlsx.",
        ))
    } else {
        Err(Failure::invalid(
            "The file is no Word, Excel, PowerPoint, OpenDocument, RTF or EPUB file.",
        ))
    }
}

/// # Errors
/// Where the package holds none of what is read.
pub(crate) fn inside(package: &mut Package) -> Result<Inside, Failure> {
    let mimetype = package.bytes("mimetype")?.unwrap_or_default();
    let mimetype = String::from_utf8_lossy(&mimetype).trim().to_owned();
    if mimetype == "application/epub+zip" {
        return Ok(Inside::Book);
    }
    if mimetype.starts_with("application/vnd.oasis.opendocument.") {
        return Ok(Inside::OpenDocument);
    }
    if let Some(main) = package.main_part()?
        && package.has(&main)
    {
        let sort = package.content_type(&main)?;
        let says = |words: &[&str]| words.iter().any(|word| sort.contains(word));
        if says(&["wordprocessingml", "ms-word"]) || main.starts_with("word/") {
            return Ok(Inside::Word(main));
        }
        if says(&["sheet.binary"]) {
            return Err(unsupported(
                "The workbook is in Excel's binary format (.xlsb), which is not read; save it as .xlsx.",
            ));
        }
        if says(&["spreadsheetml", "ms-excel"]) || main.starts_with("xl/") {
            return Ok(Inside::Workbook(main));
        }
        if says(&["presentationml", "ms-powerpoint"]) || main.starts_with("ppt/") {
            return Ok(Inside::Presentation(main));
        }
    }
    // Where the lists of a package are damaged, names tell.
    type Sort = fn(String) -> Inside;
    let usual: [(&str, Sort); 3] = [
        ("word/document.xml", Inside::Word),
        ("xl/workbook.xml", Inside::Workbook),
        ("ppt/presentation.xml", Inside::Presentation),
    ];
    for (part, sort) in usual {
        if package.has(part) {
            return Ok(sort(part.to_owned()));
        }
    }
    if package.has("META-INF/container.xml") {
        return Ok(Inside::Book);
    }
    if package.has("content.xml") {
        return Ok(Inside::OpenDocument);
    }
    if package.has("Index/Document.iwa") || package.has("index.apxl") || package.has("index.xml") {
        return Err(unsupported(
            "The file was made by Pages, Numbers or Keynote, which is not read; export it as Word, Excel, PowerPoint or PDF.",
        ));
    }
    Err(unsupported(
        "The file is a ZIP file, but no Office, OpenDocument or EPUB file.",
    ))
}

fn unsupported(message: &str) -> Failure {
    Failure::new(FailureKind::Unsupported, message)
}

/// What to say of a file in the container that Office used up to 2003, and
/// uses for files with a password.
fn older(bytes: &dyn Bytes, head: &[u8]) -> Result<Failure, Failure> {
    // The first sector of the list of streams, and how large sectors are.
    let sector = head
        .get(48..52)
        .and_then(|four| four.try_into().ok())
        .map_or(0, u32::from_le_bytes);
    let shift = head.get(30).map_or(9, |&shift| shift.clamp(7, 16));
    let at = (u64::from(sector) + 1) << shift;
    let mut list = bytes.read(at, 8_192)?;
    if list.is_empty() {
        list = head.to_vec();
    }
    let has = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        contains(&list, &name)
    };
    Ok(if has("EncryptedPackage") {
        encrypted()
    } else if has("WordDocument") {
        unsupported(
            "The file is in Word's format up to 2003 (.doc), which is not read; save it as .docx.",
        )
    } else if has("Workbook") || has("Book") {
        unsupported(
            "The file is in Excel's format up to 2003 (.xls), which is not read; save it as .xlsx.",
        )
    } else if has("PowerPoint Document") {
        unsupported(
            "The file is in PowerPoint's format up to 2003 (.ppt), which is not read; save it as .pptx.",
        )
    } else if has("__properties_version1.0") {
        unsupported("The file is an Outlook message (.msg), which is not read; save it as .eml.")
    } else {
        unsupported(
            "The file is in a format that Office used up to 2003, which is not read; save it in a newer one.",
        )
    })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
