//! Sources: `add`, `sync`, `remove`.

use std::process::ExitCode;

use pkb_engine::{
    ClipRequest, Engine, Marks, NewFolder, SourceReport, Survey, SyncOptions, SyncReport,
    short_path,
};
use serde_json::json;

use super::deletion::{agreed, show_purged};
use super::extract::ocr;
use crate::FAILED;
use crate::cli;
use crate::output::{DIM, Output, STRONG, Table, bytes, count, printable};
use crate::progress::Watch;

/// Extensions that are named of files that nothing reads.
const UNREAD_NAMED: usize = 6;

pub(crate) fn add(engine: &Engine, args: cli::Add, output: &Output) -> anyhow::Result<ExitCode> {
    let ocr = ocr(&args.reading);
    let added = engine.add_folder(
        &args.path,
        &NewFolder {
            name: args.name,
            chunker: args.chunker,
            chunker_settings: json_settings(args.chunker_settings)?,
            extractor: args.reading.extractor,
            extractor_settings: json_settings(args.reading.extractor_settings)?,
            ocr,
            ignore: args.ignore,
            include: args.include,
            visibility: args.marks.visibility(),
            read_only: args.marks.read_only(),
        },
    )?;
    let watch = Watch::new(output.quiet || output.json);
    let survey = engine.survey(&added.source, &watch);
    watch.clear();
    let survey = survey?;
    if output.json {
        let mut added = serde_json::to_value(&added)?;
        added["found"] = serde_json::to_value(&survey)?;
        output.json(&added)?;
    } else {
        let name = printable(&added.source.spec.name);
        let path = printable(&short_path(added.source.spec.location.as_ref()));
        match added.was.as_deref() {
            None => output.line(format_args!(
                "{STRONG}{name}{STRONG:#} is a source now: {path}"
            )),
            Some(was) if was == name => {
                output.line(format_args!("{STRONG}{name}{STRONG:#} was a source already, and has the settings given now: {path}"));
            }
            Some(was) => output.line(format_args!(
                "The source {was} is called {STRONG}{name}{STRONG:#} now: {path}"
            )),
        }
        let marks = Marks::of(&added.source).to_words();
        if !marks.is_empty() {
            output.line(format_args!("It is {marks}."));
        }
        if !output.quiet {
            show_survey(&survey, output);
            output.line(format_args!("{DIM}Next: pkb sync{DIM:#}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is there, before anything is read.
fn show_survey(survey: &Survey, output: &Output) {
    let mut table = Table::default();
    for kind in &survey.kinds {
        table
            .row()
            .number(kind.files)
            .text(&kind.kind)
            .styled(bytes(kind.bytes), DIM);
    }
    table.print(output);
    if survey.kinds.is_empty() {
        output.note("nothing is here yet that pkb reads");
    }
    let unread: u64 = survey.unread.iter().map(|unread| unread.files).sum();
    if unread > 0 {
        let named: Vec<String> = survey
            .unread
            .iter()
            .take(UNREAD_NAMED)
            .map(|unread| match unread.extension.as_str() {
                "" => format!("{} without extension", unread.files),
                extension => format!("{} .{}", unread.files, printable(extension)),
            })
            .collect();
        output.line(format_args!(
            "{DIM}and {} that nothing reads: {}{DIM:#}",
            count(unread, "file", "files"),
            named.join(", ")
        ));
    }
    if survey.away > 0 {
        output.line(format_args!(
            "{DIM}and {} that a cloud keeps, to be read once downloaded{DIM:#}",
            count(survey.away, "file or folder", "files or folders")
        ));
    }
    if survey.failed > 0 {
        output.note(format_args!(
            "{} could not be looked at",
            count(survey.failed, "file or folder", "files or folders")
        ));
    }
}

pub(crate) fn clip(engine: &Engine, args: cli::Clip, output: &Output) -> anyhow::Result<ExitCode> {
    let watch = Watch::new(output.quiet || output.json);
    let clipped = engine.clip(
        &ClipRequest {
            url: args.url,
            source: args.source,
            tags: args.tags,
            allow_private: args.allow_private,
            skip_embedding: args.no_embed,
        },
        &watch,
    );
    watch.clear();
    let clipped = clipped?;
    if output.json {
        output.json(&clipped)?;
    } else {
        let title = printable(&clipped.title);
        output.line(format_args!(
            "{STRONG}{title}{STRONG:#}: {} {}",
            clipped.outcome,
            printable(&clipped.path)
        ));
        for warning in &clipped.warnings {
            output.note(printable(warning));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The JSON object that a user gave, if any.
pub(super) fn json_settings(given: Option<String>) -> anyhow::Result<Option<String>> {
    Ok(given.as_deref().map(pkb_engine::json_object).transpose()?)
}

pub(crate) fn sync(engine: &Engine, args: &cli::Sync, output: &Output) -> anyhow::Result<ExitCode> {
    let watch = Watch::new(output.quiet || output.json);
    let options = SyncOptions {
        accept_removals: args.accept_removals,
        retry_failed: args.retry_failed,
        all: args.all,
        skip_embedding: args.no_embed,
        wait: args.wait,
        private: true,
    };
    let report = engine.sync(&args.source, options, &watch);
    watch.clear();
    let report = report?;
    if output.json {
        output.json(&report)?;
    } else {
        show(&report, output);
    }
    Ok(if report.complete() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

fn show(report: &SyncReport, output: &Output) {
    if report.sources.is_empty() && !report.stopped {
        output.note("there are no sources yet: `pkb add PATH` adds a folder");
    }
    let mut table = Table::default();
    for source in &report.sources {
        table
            .row()
            .styled(&source.source, STRONG)
            .text(summary(source));
    }
    table.print(output);
    for source in &report.sources {
        if let Some(problem) = &source.problem {
            output.note(format_args!("{}: {problem}", source.source));
        }
        if source.counts.failed > 0 {
            output.note(format_args!(
                "{} of {} could not be read: `pkb ledger --failed` says why",
                count(source.counts.failed, "file", "files"),
                source.source
            ));
        }
    }
    if report.rechunked > 0 {
        output.line(format_args!(
            "{} split anew, as another chunker or model asks for",
            count(report.rechunked, "item", "items")
        ));
    }
    match &report.embedding {
        Some(done) if done.model.is_none() => {
            output.note(
                "nothing was embedded, so search is by word only: `pkb model pull` gets the usual model",
            );
        }
        Some(done) if done.made > 0 => output.line(format_args!(
            "{} embedded",
            count(done.made, "chunk", "chunks")
        )),
        _ => {}
    }
    let unembeddable = report.embedding.as_ref().map_or(0, |done| done.failed);
    if unembeddable > 0 {
        output.note(format_args!(
            "{} can only be found by word, as the model failed on them: `pkb ledger --warnings` says which",
            count(unembeddable, "chunk", "chunks")
        ));
    }
    if report.untold_problem {
        output.note("a private source was not gone through: `pkb source list` names them, `pkb sync --source NAME` says what is wrong");
    }
    if report.stopped {
        output.note("stopped before it was through; what is done is kept, and `pkb sync` goes on from there");
    }
}

pub(super) fn summary(source: &SourceReport) -> String {
    let counts = &source.counts;
    let parts: Vec<String> = [
        (counts.added, "added"),
        (counts.updated, "updated"),
        (counts.moved, "moved"),
        (counts.restored, "restored"),
        (counts.deleted, "removed"),
        (counts.unchanged, "unchanged"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{} {what}", crate::output::thousands(number)))
    .collect();
    if parts.is_empty() && source.problem.is_some() {
        "not read".into()
    } else if parts.is_empty() {
        "nothing there".into()
    } else {
        parts.join(", ")
    }
}

pub(crate) fn remove(
    engine: &Engine,
    args: &cli::Remove,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let source = engine.source(&args.source)?;
    let name = &source.spec.name;
    let question = format!("Forget the source {name} and all that came from it? The files stay.");
    if !agreed(output, args.yes, &question)? {
        return Ok(ExitCode::from(FAILED));
    }
    let removed = engine.remove_source(name)?;
    if output.json {
        let mut answer = serde_json::to_value(&removed)?;
        answer["source"] = json!(name);
        output.json(&answer)?;
    } else {
        output.line(format_args!("{STRONG}{name}{STRONG:#} is forgotten"));
        show_purged(&removed, output);
    }
    Ok(ExitCode::SUCCESS)
}
