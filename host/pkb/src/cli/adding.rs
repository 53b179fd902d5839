//! The words of commands that bring new things: `add`, `clip`, `extract`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The folder, or a single file: a mailbox, an archive, a book.
    pub(crate) path: PathBuf,
    /// What to call the source [default: the folder's or file's name].
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The chunker to use: a built-in one or a plugin.
    #[arg(long)]
    pub(crate) chunker: Option<String>,
    /// The chunker's settings: a JSON object, or @FILE.
    #[arg(long, value_name = "JSON")]
    pub(crate) chunker_settings: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Files and folders to pass over, such as `Templates` or `Archive/**`.
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// The only files to take.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    #[command(flatten)]
    pub(crate) marks: super::MarkArgs,
}

/// How files are turned into text.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The extractor to use for every file [default: the one for what a file
    /// is].
    #[arg(long)]
    pub(crate) extractor: Option<String>,
    /// The extractor's settings: a JSON object, or @FILE. Without --extractor,
    /// those of each under its name, such as
    /// {"extract-pdf": {"passwords": ["..."]}}.
    #[arg(long, value_name = "JSON")]
    pub(crate) extractor_settings: Option<String>,
    /// Whether pages that are pictures are read with tesseract: `auto` where
    /// it is installed and the source has at most 256 MB of PDF.
    #[arg(long, value_name = "WHEN")]
    pub(crate) ocr: Option<Ocr>,
    /// The languages of such pages as tesseract names them, such as `eng+deu`
    /// [default: eng].
    #[arg(long, value_name = "LANGUAGES")]
    pub(crate) ocr_languages: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ocr {
    Auto,
    On,
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct Extract {
    /// The file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Print the texts only.
    #[arg(long)]
    pub(crate) text: bool,
}

/// The page is fetched, its main content becomes a note called
/// `YYYY-MM-DD_title.md`, with its address, title, author and dates, and is
/// indexed. Clipping it again updates the note, and leaves what you wrote there.
/// PDF files can be clipped too.
#[derive(Debug, Args)]
pub(crate) struct Clip {
    /// The page's address.
    pub(crate) url: String,
    /// The folder source that the note goes to [default: `clips`, made in the
    /// home].
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Tags for the note.
    #[arg(long, value_name = "TAG,TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// Also fetch from this machine and from private networks.
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Leave the embedding for later.
    #[arg(long)]
    pub(crate) no_embed: bool,
}
