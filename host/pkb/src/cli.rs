//! The command line's words.

mod adding;
mod installing;
mod keeping;
mod notes;
mod serving;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use adding::{Add, Clip, Extract, Ocr, Reading};
pub(crate) use installing::{ClientSettings, Install, Uninstall, Which};
pub(crate) use keeping::{Backup, DeletedArgs, Doctor, Purge, Remove, Restore, RestoreBackup, Rm};
pub(crate) use serving::{Serve, Token, Web};

pub(crate) use notes::{MarkArgs, Note, NoteAdd, NoteUpdate, Source, SourceSet};

use crate::filters::{Filters, Sort};

/// Everything you saved, answerable on your own machine: finds by word and by
/// meaning, and cites the exact place.
#[derive(Debug, Parser)]
#[command(
    name = "pkb",
    version,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Folder of the database, plugins and settings.
    #[arg(long, global = true, value_name = "DIR", env = "PKB_HOME", value_parser = serving::maybe_path())]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON for scripts.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print answers only: no progress, no hints.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// What to log to stderr: error, warn, info, debug or trace, or a filter
    /// such as `pkb_engine=debug`.
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        env = "PKB_LOG",
        default_value = "warn"
    )]
    pub(crate) log: String,
    /// What a line of the log looks like.
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        env = "PKB_LOG_FORMAT",
        default_value = "text"
    )]
    pub(crate) log_format: LogFormat,
    /// Log to this file instead of stderr. From 10 MB on it is put aside as
    /// FILE.old.
    #[arg(long, global = true, value_name = "FILE", env = "PKB_LOG_FILE")]
    pub(crate) log_file: Option<PathBuf>,
    /// What becomes of pkb's measurements of itself: `local` keeps them in the
    /// home for `pkb stats`, `otlp` also sends them to the OpenTelemetry
    /// collector that OTEL_EXPORTER_OTLP_ENDPOINT names, `off` takes none.
    #[arg(
        long,
        global = true,
        value_name = "WHERE",
        env = "PKB_TELEMETRY",
        default_value = "local"
    )]
    pub(crate) telemetry: Telemetry,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Folder of the embedding models.
    #[arg(
        long,
        global = true,
        hide = true,
        value_name = "DIR",
        env = "PKB_MODELS"
    )]
    pub(crate) models: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Telemetry {
    Local,
    Otlp,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a folder, a file or an archive a source.
    Add(Add),
    /// Keep a page of the web as a note.
    Clip(Clip),
    /// Write notes, and change their titles and tags.
    #[command(subcommand)]
    Note(Note),
    /// See and change what sets sources apart: private, hidden, read-only.
    #[command(subcommand)]
    Source(Source),
    /// Read what is new or changed in the sources, and embed it.
    Sync(Sync),
    /// Find by word and by meaning.
    Search(Search),
    /// Show an item, or a part of it.
    Get(Get),
    /// Find items near to a given one.
    Similar(Similar),
    /// Show what an item links to, and what links to it.
    Links(Links),
    /// List items.
    List(List),
    /// List or count items, filtered and sorted.
    Browse(Browse),
    /// Show what pkb sees in a file, without keeping anything of it.
    Extract(Extract),
    /// Say how this home is doing.
    Status,
    /// Say what pkb did and how long each stage of it took.
    Stats(Stats),
    /// Say what became of every file that was seen.
    Ledger(Ledger),
    /// Check that everything stored fits together.
    Doctor(Doctor),
    /// Take items out of every search, with a way back; --hard for good.
    Rm(Rm),
    /// Bring deleted items back.
    Restore(Restore),
    /// List deleted items.
    Deleted(DeletedArgs),
    /// Remove for good what was deleted long ago.
    Purge(Purge),
    /// Forget a source and all that came from it, for good; the originals stay.
    Remove(Remove),
    /// Copy the database to a file, while it is in use.
    Backup(Backup),
    /// Put a copy back in the place of the database.
    RestoreBackup(RestoreBackup),
    /// Embedding models.
    #[command(subcommand)]
    Model(Model),
    /// Components of your own.
    #[command(subcommand)]
    Plugin(Plugin),
    /// Measure how well searches find what they should.
    Eval(Eval),
    /// Keep the index true while you work: takes in what changes, as it changes.
    Watch(Watch),
    /// Serve AI clients over MCP: on stdin and stdout, or over HTTP.
    Serve(Serve),
    /// Put pkb into the settings of AI clients, which then start `pkb serve`.
    Install(Install),
    /// Take pkb out of the settings of AI clients.
    Uninstall(Uninstall),
    /// Who may ask over HTTP.
    #[command(subcommand)]
    Token(Token),
}

#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Only this source; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Vec<String>,
    /// Go on where a large part of a source is gone.
    #[arg(long)]
    pub(crate) accept_removals: bool,
    /// Read again what failed before.
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Read everything again.
    #[arg(long)]
    pub(crate) all: bool,
    /// Leave the embedding for later.
    #[arg(long)]
    pub(crate) no_embed: bool,
    /// Wait while another process syncs, however long that takes.
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Leave the embedding for later: what changes is found by word only.
    #[arg(long)]
    pub(crate) no_embed: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What to look for; "quotes" keep words together.
    #[arg(required = true, num_args = 1..)]
    pub(crate) query: Vec<String>,
    /// How many items at most.
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// By word and by meaning (hybrid), or by one of them.
    #[arg(long, default_value = "hybrid")]
    pub(crate) mode: Mode,
    /// Say why each item was found and where the time went.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Take in all that changed in the sources first, however long that takes
    /// [default: what a tenth of a second is enough for].
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Answer from the index as it is, without a look at the sources.
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) as_is: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) fusion: FusionArgs,
}

/// How the two rankings are put together.
#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking")]
pub(crate) struct FusionArgs {
    /// Prefer what is new: the age in days at which half of the extra is left.
    #[arg(long, value_name = "DAYS", value_parser = positive)]
    pub(crate) recency: Option<f64>,
    /// Weights of the ranks by word and by meaning, such as 2:1 [default:
    /// weighed anew by each query's evidence].
    #[arg(long, value_name = "W:M", value_parser = weights)]
    pub(crate) weights: Option<(f64, f64)>,
    /// The constant of reciprocal rank fusion [default: 60].
    #[arg(long, value_name = "K", value_parser = positive)]
    pub(crate) k: Option<f64>,
    /// Items that each ranking brings [default: 200].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) depth: Option<u16>,
}

impl From<FusionArgs> for pkb_engine::Fusion {
    fn from(args: FusionArgs) -> Self {
        pkb_engine::Fusion {
            depth: args.depth.map_or(0, usize::from),
            k: args.k,
            weights: args.weights,
            recency: args.recency,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mode {
    Hybrid,
    Lexical,
    Dense,
}

impl From<Mode> for pkb_engine::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Hybrid => pkb_engine::Mode::Hybrid,
            Mode::Lexical => pkb_engine::Mode::Lexical,
            Mode::Dense => pkb_engine::Mode::Dense,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// Its number, path, title or alias.
    #[arg(required = true, num_args = 1..)]
    pub(crate) item: Vec<String>,
    #[command(flatten)]
    pub(crate) part: PartArgs,
    /// The indexed pieces that stand there, with so many before and after them.
    #[arg(long, value_name = "N", requires = "part")]
    pub(crate) around: Option<u32>,
}

/// Which part of an item.
#[derive(Debug, Args)]
#[group(id = "part", multiple = false)]
pub(crate) struct PartArgs {
    /// Only these lines of the original, such as 10:20, 10: or :20.
    #[arg(long, value_name = "A:B", value_parser = lines)]
    pub(crate) lines: Option<(u32, u32)>,
    /// Only this line; with --around, what stands around it.
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) line: Option<u32>,
    /// Only this page, or these, such as 3 or 3:5.
    #[arg(long, value_name = "P[:Q]", value_parser = pages)]
    pub(crate) page: Option<(u32, u32)>,
    /// Only what stands under this heading, such as "Linux" or "Install >
    /// Linux".
    #[arg(long, value_name = "HEADING")]
    pub(crate) heading: Option<String>,
    /// Only the indexed piece of this number, as search --json gives it.
    #[arg(long, value_name = "ID")]
    pub(crate) chunk: Option<i64>,
}

#[derive(Debug, Args)]
pub(crate) struct Similar {
    /// Its number, path, title or alias.
    #[arg(required = true, num_args = 1..)]
    pub(crate) item: Vec<String>,
    /// How many items at most.
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
}

#[derive(Debug, Args)]
pub(crate) struct Links {
    /// Its number, path, title or alias.
    #[arg(required = true, num_args = 1..)]
    pub(crate) item: Vec<String>,
    /// How many links to it to show at most.
    #[arg(long, short = 'n', default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Last changed first.
    #[arg(long)]
    pub(crate) recent: bool,
    /// How many at most.
    #[arg(long, short = 'n', default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// How many to pass over.
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Args)]
pub(crate) struct Browse {
    /// What to sort by; items without it come last. `date` is when an item was
    /// published, else last changed, else made, else stored.
    #[arg(long, value_name = "FIELD", default_value = "path")]
    pub(crate) sort: Sort,
    /// Smallest or earliest first [default for path and title].
    #[arg(long, conflicts_with = "desc")]
    pub(crate) asc: bool,
    /// Greatest or latest first [default for everything else].
    #[arg(long)]
    pub(crate) desc: bool,
    /// Only say how many there are.
    #[arg(long)]
    pub(crate) count: bool,
    /// How many at most.
    #[arg(long, short = 'n', default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// How many to pass over.
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Args)]
pub(crate) struct Ledger {
    /// Only what could not be read.
    #[arg(long, group = "state")]
    pub(crate) failed: bool,
    /// Only what was left out on purpose.
    #[arg(long, group = "state")]
    pub(crate) skipped: bool,
    /// Only what was read.
    #[arg(long, group = "state")]
    pub(crate) indexed: bool,
    /// Only what was read with warnings.
    #[arg(long)]
    pub(crate) warnings: bool,
    /// Only this source.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only since then, such as 24h, 7d or 2026-11-30; days count in whole
    /// [default: all that is kept, 90 days].
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Forget all of it and begin anew.
    #[arg(long, conflicts_with = "since")]
    pub(crate) reset: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["folder", "spans", "links", "compare"]))]
pub(crate) struct Eval {
    /// A judged collection in BEIR's layout: corpus.jsonl, queries.jsonl and
    /// qrels/test.tsv.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Questions with the stretches of text that answer them: compare chunkers.
    /// Each question searches only the text that it is about.
    #[arg(long, value_name = "DIR")]
    pub(crate) spans: Option<PathBuf>,
    /// Your own wikilinks: the text around a link asks for its target.
    #[arg(long)]
    pub(crate) links: bool,
    /// With --links: only this source; may be given several times.
    #[arg(long, value_name = "NAME", requires = "links")]
    pub(crate) source: Vec<String>,
    /// Compare two reports that --out wrote.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) compare: Option<Vec<PathBuf>>,
    /// Which judgements: qrels/NAME.tsv.
    #[arg(long, value_name = "NAME", default_value = "test", requires = "folder")]
    pub(crate) split: String,
    /// Search only so; may be given several times [default: all].
    #[arg(long)]
    pub(crate) mode: Vec<Mode>,
    /// Ask only so many of the queries, spread over all of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit_queries: Option<u32>,
    /// Keep what is indexed in this folder, to be used again by the next run
    /// as far as nothing changed.
    #[arg(long, value_name = "DIR", conflicts_with = "links")]
    pub(crate) keep: Option<PathBuf>,
    /// The chunker to use: a built-in one or a plugin.
    #[arg(long, conflicts_with = "links")]
    pub(crate) chunker: Option<String>,
    /// The chunker's settings: a JSON object, or @FILE.
    #[arg(long, value_name = "JSON", requires = "chunker")]
    pub(crate) chunker_settings: Option<String>,
    /// Write the report to this file too, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fusion: FusionArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Model {
    /// Download a model from the Hugging Face hub.
    Pull {
        /// Its name in pkb's catalogue.
        #[arg(default_value = pkb_engine::DEFAULT_MODEL)]
        name: String,
    },
    /// Copy in a model: a folder with model.onnx, tokenizer.json and
    /// model.toml.
    Add {
        /// What to call it.
        name: String,
        /// The folder.
        folder: PathBuf,
    },
    /// List the models there are and those that can be pulled.
    List,
    /// Embed with this model from now on.
    Use {
        /// Its name.
        name: String,
    },
    /// Delete a model's files.
    Remove {
        /// Its name.
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// Add a component file, after showing what it is.
    Add {
        /// The .wasm file.
        file: PathBuf,
    },
    /// List built-in components and plugins.
    List,
    /// Show what a plugin is and what it asks for.
    Info {
        /// Its name.
        name: String,
    },
    /// Remove a plugin.
    Remove {
        /// Its name.
        name: String,
    },
    /// Run a component file on an input file and print what it yields.
    Test {
        /// The .wasm file.
        file: PathBuf,
        /// The input file.
        input: PathBuf,
        /// The component's settings: a JSON object, or @FILE.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        settings: String,
    },
}

/// A number over 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err(format!("{text:?} is not a number over 0")),
    }
}

/// `W:M`: two weights, neither negative, not both 0.
fn weights(text: &str) -> Result<(f64, f64), String> {
    let number = |part: &str| {
        part.parse::<f64>()
            .ok()
            .filter(|w| w.is_finite() && *w >= 0.0)
    };
    let parts = text.split_once(':');
    match parts.and_then(|(word, meaning)| number(word).zip(number(meaning))) {
        Some((word, meaning)) if word + meaning > 0.0 => Ok((word, meaning)),
        _ => Err(format!("{text:?} is not two weights such as 2:1")),
    }
}

/// `A:B`, `A:`, `:B` or `A`: lines from 1, both ends included.
fn lines(text: &str) -> Result<(u32, u32), String> {
    range(text, "line")
}

/// The same for pages.
fn pages(text: &str) -> Result<(u32, u32), String> {
    range(text, "page")
}

fn range(text: &str, what: &str) -> Result<(u32, u32), String> {
    let number = |part: &str, missing: u32| match part {
        "" => Ok(missing),
        part => part
            .parse::<u32>()
            .map_err(|_| format!("{part:?} is not a {what} number")),
    };
    let (from, to) = match text.split_once([':', '-']) {
        Some((from, to)) => (number(from, 1)?, number(to, u32::MAX)?),
        None => {
            let only = number(text, 0)?;
            (only, only)
        }
    };
    if from == 0 {
        return Err(format!("{what}s are counted from 1"));
    }
    if to < from {
        return Err(format!("{what} {to} comes before {what} {from}"));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn line_ranges() {
        assert_eq!(lines("10:20"), Ok((10, 20)));
        assert_eq!(lines("10-20"), Ok((10, 20)));
        assert_eq!(lines("10:"), Ok((10, u32::MAX)));
        assert_eq!(lines(":20"), Ok((1, 20)));
        assert_eq!(lines("7"), Ok((7, 7)));
        for wrong in ["", "0:3", "5:2", "a:b", "1:2:3"] {
            assert!(lines(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_query_that_looks_like_an_option_is_a_query() {
        let cli = Cli::try_parse_from(["pkb", "search", "--", "--dry-run"]).unwrap();
        assert!(
            matches!(cli.command, Command::Search(Search { query, .. }) if query == ["--dry-run"])
        );
    }
}
