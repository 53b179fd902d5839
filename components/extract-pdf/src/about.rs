//! What a document says of itself: title, author, dates, language, labels of
//! its pages.

use extract_core::{Property, title};
use hayro_syntax::Pdf;
use hayro_syntax::object::{DateTime, Dict, Name, String as PdfString};
use jiff::civil;
use jiff::tz::Offset;

use crate::xmp::{self, Xmp};
use crate::{strings, tree};

/// More keywords than this are no keywords.
const MOST_KEYWORDS: usize = 100;

/// The document's catalog.
pub(crate) fn catalog(pdf: &Pdf) -> Option<Dict<'_>> {
    pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())
}

/// The title, where it is one.
pub(crate) fn title(pdf: &Pdf, xmp: &Xmp) -> Option<String> {
    let told = pdf.metadata().title.as_deref().map(strings::decode);
    [told.as_deref(), xmp.title.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(title::tidy)
        .find(|title| is_title(title))
}

/// Programs put the name of their own file, or of nothing, where a title goes.
fn is_title(title: &str) -> bool {
    const NAMES_OF_NOTHING: [&str; 12] = [
        "untitled", "unknown", "title", "document", "no title", "none", "null", "new document",
        "blank", "print", "scan", "test",
    ];
    const PROGRAMS: [&str; 9] = [
        "microsoft word - ",
        "microsoft powerpoint - ",
        "microsoft excel - ",
        "powerpoint presentation",
        "powerpoint-präsentation",
        "présentation powerpoint",
        "slide 1",
        "untitled-",
        "untitled document",
    ];
    const EXTENSIONS: [&str; 22] = [
        ".doc", ".docx", ".docm", ".rtf", ".odt", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".dvi",
        ".tex", ".ps", ".eps", ".pdf", ".indd", ".qxd", ".qxp", ".pmd", ".fm", ".wpd", ".tmp",
    ];
    let lower = title.to_lowercase();
    title.chars().any(char::is_alphanumeric)
        && !NAMES_OF_NOTHING.contains(&lower.as_str())
        && !PROGRAMS.iter().any(|program| lower.starts_with(program))
        && !EXTENSIONS.iter().any(|extension| lower.ends_with(extension))
        && !lower.starts_with("file:")
}

/// Author, dates, subject, keywords, language, and what made it.
pub(crate) fn properties(pdf: &Pdf, catalog: Option<&Dict<'_>>, xmp: &Xmp) -> Vec<Property> {
    let about = pdf.metadata();
    let mut out = Vec::new();
    let line = |raw: Option<&[u8]>| raw.and_then(|raw| title::tidy(&strings::decode(raw)));
    let author = line(about.author.as_deref())
        .or_else(|| xmp.author.clone())
        .filter(|author| !is_nobody(author));
    if let Some(author) = author {
        out.push(Property::text("author", author));
    }
    let lang = catalog
        .and_then(|catalog| catalog.get::<PdfString<'_>>("Lang"))
        .and_then(|lang| line(Some(lang.as_bytes())));
    if let Some(lang) = lang {
        out.push(Property::text("lang", lang));
    }
    let dates = [
        ("created", &about.creation_date, xmp.created.as_deref()),
        ("modified", &about.modification_date, xmp.modified.as_deref()),
    ];
    for (name, date, written) in dates {
        let at = date.as_ref().and_then(timestamp);
        if let Some(at) = at.or_else(|| xmp::timestamp(written?)) {
            out.push(Property::timestamp(name, at));
        }
    }
    if let Some(subject) = line(about.subject.as_deref()) {
        out.push(Property::text("subject", subject));
    }
    let keywords = about.keywords.as_deref().map(strings::decode).unwrap_or_default();
    let separators = if keywords.contains(';') { [';', '\n'] } else { [',', '\n'] };
    let keywords: Vec<String> = keywords
        .split(separators)
        .filter_map(title::tidy)
        .take(MOST_KEYWORDS)
        .collect();
    if !keywords.is_empty() {
        out.push(Property::texts("keywords", keywords));
    }
    for (name, raw) in [("creator", &about.creator), ("producer", &about.producer)] {
        if let Some(value) = line(raw.as_deref()) {
            out.push(Property::text(name, value));
        }
    }
    out
}

fn is_nobody(author: &str) -> bool {
    let lower = author.to_lowercase();
    ["unknown", "anonymous", "user", "author", "admin", "none"].contains(&lower.as_str())
}

/// The labels of all pages in order, where any differs from its number.
pub(crate) fn page_labels(catalog: Option<&Dict<'_>>, pages: usize) -> Option<Vec<String>> {
    let root = catalog?.get::<Dict<'_>>("PageLabels")?;
    let mut ranges: Vec<(usize, Dict<'_>)> = tree::numbers(&root);
    ranges.sort_by_key(|(from, _)| *from);
    let mut labels = Vec::with_capacity(pages);
    let mut next = 0;
    let mut range: Option<&(usize, Dict<'_>)> = None;
    let mut style = String::new();
    let mut prefix = String::new();
    let mut first = 1_u32;
    for page in 0..pages {
        while ranges.get(next).is_some_and(|(from, _)| *from <= page) {
            range = ranges.get(next);
            next += 1;
            if let Some((_, dict)) = range {
                style = dict
                    .get::<Name<'_>>("S")
                    .map(|name| name.as_str().to_owned())
                    .unwrap_or_default();
                prefix = dict
                    .get::<PdfString<'_>>("P")
                    .map(|text| strings::decode(text.as_bytes()))
                    .unwrap_or_default();
                prefix = prefix.chars().take(50).collect();
                first = dict.get::<u32>("St").unwrap_or(1).max(1);
            }
        }
        labels.push(match range {
            Some((from, _)) => {
                let number = first.saturating_add(u32::try_from(page - from).unwrap_or(u32::MAX));
                format!("{prefix}{}", numeral(&style, number))
            }
            None => (page + 1).to_string(),
        });
    }
    let differs = labels
        .iter()
        .enumerate()
        .any(|(page, label)| *label != (page + 1).to_string());
    differs.then_some(labels)
}

fn numeral(style: &str, number: u32) -> String {
    match style {
        "D" => number.to_string(),
        "R" => roman(number).to_uppercase(),
        "r" => roman(number),
        "A" => letters(number).to_uppercase(),
        "a" => letters(number),
        _ => String::new(),
    }
}

fn roman(mut number: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
        (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ];
    if number > 20_000 {
        return number.to_string();
    }
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            out.push_str(sign);
            number -= value;
        }
    }
    out
}

/// a to z, then aa to zz and so on.
fn letters(number: u32) -> String {
    let index = number.saturating_sub(1);
    let times = (index / 26 + 1).min(100) as usize;
    let letter = char::from(b'a' + (index % 26) as u8);
    std::iter::repeat_n(letter, times).collect()
}

/// In milliseconds since 1970; the offset from UTC is part of the date.
fn timestamp(date: &DateTime) -> Option<i64> {
    let small = |value: u8| i8::try_from(value).ok();
    let at = civil::DateTime::new(
        i16::try_from(date.year).ok()?,
        small(date.month)?,
        small(date.day)?,
        small(date.hour)?,
        small(date.minute)?,
        small(date.second)?,
        0,
    )
    .ok()?;
    let hours = i32::from(date.utc_offset_hour);
    let minutes = i32::from(date.utc_offset_minute) * if hours < 0 { -1 } else { 1 };
    let offset = Offset::from_seconds(hours * 3600 + minutes * 60).ok()?;
    Some(offset.to_timestamp(at).ok()?.as_millisecond())
}
