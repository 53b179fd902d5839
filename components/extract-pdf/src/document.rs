//! An opened file -> its document.

use extract_core::{Document, FailureKind, Mark, Ocr, Property, title};
use hayro_syntax::Pdf;
use hayro_syntax::object::Dict;

use crate::about;
use crate::attachments::{self, Attachment};
use crate::content::Reader;
use crate::headings::{self, PageLines};
use crate::layout;
use crate::ocr;
use crate::outline;
use crate::paragraphs::{self, Paragraph};
use crate::settings::Settings;
use crate::text;
use crate::xmp::Xmp;

/// A document and what is attached to it.
pub(crate) struct Read {
    pub(crate) document: Document,
    pub(crate) attachments: Vec<Attachment>,
}

/// Where more characters than this share say nothing, the page counts as one
/// without a text layer.
const MOST_UNKNOWN: f64 = 0.5;

/// What became of the pages, by their number counted from 1.
#[derive(Debug, Default)]
struct Fates {
    /// Without a text layer, or with one that says nothing.
    textless: Vec<usize>,
    /// With characters left out.
    unknown: Vec<usize>,
    unknown_characters: usize,
    /// Too much work.
    cut: Vec<usize>,
}

/// Reads the document of the file called `name`.
pub(crate) fn read(pdf: &Pdf, name: &str, settings: &Settings, ocr: &dyn Ocr) -> Read {
    let catalog = about::catalog(pdf);
    let catalog = catalog.as_ref();
    let mut warnings = Vec::new();
    let count = pdf.pages().len();
    if let Some(told) = told_pages(catalog).filter(|&told| told > count) {
        warnings.push(format!(
            "The file is damaged: it says it has {told} pages, and {count} were found."
        ));
    }
    let (lines, mut fates) = lines(pdf, catalog);
    let entries = outline::entries(pdf, catalog);
    let (levels, lost) = headings::find(&lines, &entries);
    let mut pages: Vec<Vec<Paragraph>> = Vec::with_capacity(count);
    for (index, page) in lines.iter().enumerate() {
        let none;
        let levels = match levels.get(&index) {
            Some(levels) => levels,
            None => {
                none = headings::no_levels(page);
                &none
            }
        };
        let blocks = page.blocks.iter().zip(levels);
        pages.push(blocks.flat_map(|(block, levels)| paragraphs::of(block, levels)).collect());
    }
    drop(lines);
    let read_by_ocr = read_pictures(pdf, settings, ocr, &mut fates, &mut pages, &mut warnings);
    say_fates(&fates, &mut warnings);

    let (text, marks): (String, Vec<Mark>) = text::markdown(&pages);
    let attachments = attachments::list(pdf, catalog);
    let xmp = Xmp::of(catalog);
    let mut properties = about::properties(pdf, catalog, &xmp);
    properties.push(Property::number("pages", count as f64));
    if let Some(labels) = about::page_labels(catalog, count) {
        properties.push(Property::texts("page_labels", labels));
    }
    if !lost.is_empty() {
        properties.push(Property::texts("outline", lost.iter().map(|entry| &*entry.title)));
    }
    if !attachments.is_empty() {
        let names = attachments.iter().map(|attachment| &*attachment.name);
        properties.push(Property::texts("attachments", names));
    }
    if !read_by_ocr.is_empty() {
        properties.push(Property::texts("ocr_pages", ranges(&read_by_ocr)));
    }
    let mut document = Document {
        title: about::title(pdf, &xmp).unwrap_or_else(|| title::from_name(name)),
        text,
        marks,
        properties,
        warnings,
        ..Document::default()
    };
    document.bound_warnings();
    Read {
        document,
        attachments,
    }
}

/// How many pages the file says it has.
fn told_pages(catalog: Option<&Dict<'_>>) -> Option<usize> {
    let count = catalog?.get::<Dict<'_>>("Pages")?.get::<u32>("Count")?;
    usize::try_from(count).ok()
}

fn lines(pdf: &Pdf, catalog: Option<&Dict<'_>>) -> (Vec<PageLines>, Fates) {
    let mut fates = Fates::default();
    let mut reader = Reader::new(catalog, pdf.data().as_ref().len());
    let mut pages = Vec::with_capacity(pdf.pages().len());
    for (index, page) in pdf.pages().iter().enumerate() {
        let number = index + 1;
        if reader.is_spent() {
            fates.cut.push(number);
            pages.push(PageLines::default());
            continue;
        }
        let content = reader.read(page);
        let known = content.glyphs.iter().filter(|glyph| !glyph.text.trim().is_empty());
        let known = known.count();
        let shown = known + content.unknown;
        let says_nothing = content.unknown as f64 > MOST_UNKNOWN * shown as f64;
        if content.cut {
            fates.cut.push(number);
        }
        if (shown == 0 && content.drawn) || says_nothing {
            fates.textless.push(number);
        } else if content.unknown > 0 {
            fates.unknown.push(number);
            fates.unknown_characters += content.unknown;
        }
        pages.push(PageLines {
            blocks: layout::blocks(&content),
            to_seen: content.to_seen,
        });
    }
    (pages, fates)
}

/// Reads pages without a text layer by OCR, where the host has it; gives the
/// numbers of those that were read.
fn read_pictures(
    pdf: &Pdf,
    settings: &Settings,
    ocr: &dyn Ocr,
    fates: &mut Fates,
    pages: &mut [Vec<Paragraph>],
    warnings: &mut Vec<String>,
) -> Vec<usize> {
    let mut read = Vec::new();
    if fates.textless.is_empty() {
        return read;
    }
    let mut why = match ocr.available() {
        Ok(()) => None,
        Err(failure) => Some(failure.message),
    };
    let mut left = Vec::new();
    let mut failed: Vec<(usize, String)> = Vec::new();
    for &number in &fates.textless {
        if why.is_some() {
            left.push(number);
            continue;
        }
        if read.len() + failed.len() >= settings.max_ocr_pages as usize {
            why = Some(format!(
                "OCR reads at most {} pages of a file; raise the setting max_ocr_pages to read more.",
                settings.max_ocr_pages
            ));
            left.push(number);
            continue;
        }
        match ocr::read(&pdf.pages()[number - 1], ocr) {
            Ok(text) => {
                pages[number - 1] = paragraphs::of_plain(&text);
                read.push(number);
            }
            Err(failure) if failure.kind == FailureKind::Unavailable => {
                left.push(number);
                why = Some(failure.message);
            }
            Err(failure) => failed.push((number, failure.message)),
        }
    }
    if !read.is_empty() {
        warnings.push(format!("{} read by OCR.", pages_were(&read)));
    }
    if let Some((_, message)) = failed.first() {
        let numbers: Vec<usize> = failed.iter().map(|(number, _)| *number).collect();
        warnings.push(format!("{} not read by OCR: {message}", pages_were(&numbers)));
    }
    if !left.is_empty() {
        let why = why.unwrap_or_default();
        let has = if left.len() == 1 { "has" } else { "have" };
        warnings.push(
            format!("{} {has} no text layer. {why}", pages_named(&left)).trim_end().to_owned(),
        );
    }
    read
}

fn say_fates(fates: &Fates, warnings: &mut Vec<String>) {
    if !fates.unknown.is_empty() {
        let (characters, were) = match fates.unknown_characters {
            1 => ("character", "was"),
            _ => ("characters", "were"),
        };
        warnings.push(format!(
            "{} {characters} on {} {were} left out, as the fonts do not tell what they are.",
            fates.unknown_characters,
            pages_named(&fates.unknown).to_lowercase(),
        ));
    }
    if !fates.cut.is_empty() {
        warnings.push(format!(
            "{} too complex: text was left out.",
            match fates.cut.len() {
                1 => format!("{} is", pages_named(&fates.cut)),
                _ => format!("{} are", pages_named(&fates.cut)),
            }
        ));
    }
}

/// `Page 3 was` or `Pages 3 and 12-40 were`.
fn pages_were(numbers: &[usize]) -> String {
    let were = if numbers.len() == 1 { "was" } else { "were" };
    format!("{} {were}", pages_named(numbers))
}

/// `Page 3`, or `Pages 3, 5 and 12-40`.
fn pages_named(numbers: &[usize]) -> String {
    /// Ranges beyond this are counted.
    const MOST_RANGES: usize = 12;
    let mut ranges = ranges(numbers);
    if ranges.len() > MOST_RANGES {
        let more = ranges.len() - MOST_RANGES;
        ranges.truncate(MOST_RANGES);
        ranges.push(format!("{more} more ranges"));
    }
    let pages = if numbers.len() == 1 { "Page" } else { "Pages" };
    match ranges.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{pages} {} and {last}", before.join(", "))
        }
        _ => format!("{pages} {}", ranges.concat()),
    }
}

/// Ascending numbers as `3` and `12-40`.
fn ranges(numbers: &[usize]) -> Vec<String> {
    numbers
        .chunk_by(|one, next| one + 1 == *next)
        .filter_map(|run| match run {
            [] => None,
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_by_ranges() {
        assert_eq!(pages_named(&[3]), "Page 3");
        assert_eq!(pages_named(&[3, 4]), "Pages 3-4");
        assert_eq!(pages_named(&[3, 12, 13, 14]), "Pages 3 and 12-14");
        assert_eq!(pages_named(&[1, 3, 5, 6]), "Pages 1, 3 and 5-6");
        let many: Vec<usize> = (0..40).map(|n| n * 2).collect();
        assert!(pages_named(&many).ends_with("22 and 28 more ranges"));
    }
}
