//! `extract`: what pkb sees in a file.

use std::process::ExitCode;

use jiff::Timestamp;
use pkb_engine::{
    Engine, ExtractRequest, ExtractedDocument, Mark, OcrSettings, OcrWhen, Place, Scalar, Value,
};

use super::library::json_settings;
use crate::FAILED;
use crate::cli;
use crate::output::{DIM, Output, PLACE, STRONG, Table, count, printable};

pub(crate) fn extract(
    engine: &Engine,
    args: cli::Extract,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let ocr = ocr(&args.reading).unwrap_or_default();
    let request = ExtractRequest {
        extractor: args.reading.extractor,
        extractor_settings: json_settings(args.reading.extractor_settings)?,
        ocr,
    };
    let found = engine.extract(&args.file, &request)?;
    if output.json {
        output.json(&found)?;
    } else {
        for (at, document) in found.documents.iter().enumerate() {
            if at > 0 {
                output.line("");
            }
            if args.text {
                output.text(&printable_lines(&document.text));
            } else {
                show(document, output);
            }
        }
        for failed in &found.failed {
            output.note(format_args!(
                "{}: {} ({})",
                printable(&failed.path),
                printable(&failed.message),
                failed.reason
            ));
        }
    }
    Ok(if found.documents.is_empty() {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// How pictures are to be read, where the user said anything of it.
pub(super) fn ocr(reading: &cli::Reading) -> Option<OcrSettings> {
    if reading.ocr.is_none() && reading.ocr_languages.is_none() {
        return None;
    }
    Some(OcrSettings {
        when: reading.ocr.map(|when| match when {
            cli::Ocr::On => OcrWhen::On,
            cli::Ocr::Off => OcrWhen::Off,
            cli::Ocr::Auto => OcrWhen::Auto,
        }),
        languages: reading.ocr_languages.clone(),
    })
}

fn show(document: &ExtractedDocument, output: &Output) {
    output.line(format_args!(
        "{STRONG}{}{STRONG:#}",
        printable(&document.title)
    ));
    let mut table = Table::default();
    let mut row = |name: &str, value: String| {
        table.row().styled(name, DIM).text(value);
    };
    row("path", printable(&document.path));
    row(
        "kind",
        format!("{} ({})", document.kind, document.extractor),
    );
    let listed = |list: &[String]| printable(&list.join(", "));
    if !document.tags.is_empty() {
        row("tags", listed(&document.tags));
    }
    if !document.aliases.is_empty() {
        row("aliases", listed(&document.aliases));
    }
    for property in &document.properties {
        row(
            &printable(&property.name),
            printable(&value(&property.value)),
        );
    }
    if !document.links.is_empty() {
        row("links", count(document.links.len() as u64, "link", "links"));
    }
    table.print(output);
    for warning in &document.warnings {
        output.note(printable(warning));
    }
    output.line("");
    text_with_marks(document, output);
}

/// The text, with the place before what stands there, where it is no line.
fn text_with_marks(document: &ExtractedDocument, output: &Output) {
    let text = &document.text;
    let mut done = 0;
    for mark in &document.marks {
        let Some(words) = place(mark) else { continue };
        let at = usize::try_from(mark.offset).unwrap_or(text.len());
        let Some(before) = text.get(done..at) else {
            continue;
        };
        output.text(&printable_lines(before));
        if !before.is_empty() && !before.ends_with('\n') {
            output.line("");
        }
        output.line(format_args!("{PLACE}── {}{PLACE:#}", printable(&words)));
        done = at;
    }
    output.text(&printable_lines(&text[done..]));
    if !text.ends_with('\n') && !text.is_empty() {
        output.line("");
    }
}

fn place(mark: &Mark) -> Option<String> {
    match &mark.place {
        Place::Line(_) => None,
        Place::Page(page) => Some(format!("page {page}")),
        Place::Second(second) => Some(format!("{second:.1} s")),
        Place::Part(part) => Some(part.clone()),
    }
}

fn printable_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => format!("{}\n", printable(line)),
            None => printable(line),
        })
        .collect()
}

fn value(value: &Value) -> String {
    match value {
        Value::One(one) => scalar(one),
        Value::Many(many) => many.iter().map(scalar).collect::<Vec<_>>().join(", "),
    }
}

fn scalar(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => text.clone(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Boolean(boolean) => boolean.to_string(),
        Scalar::Timestamp(at) => moment(*at),
    }
}

/// A point in time; a day where it is the first moment of one.
fn moment(at: i64) -> String {
    let Ok(time) = Timestamp::from_millisecond(at) else {
        return at.to_string();
    };
    let written = time.to_string();
    match written.strip_suffix("T00:00:00Z") {
        Some(day) => day.to_owned(),
        None => written,
    }
}
