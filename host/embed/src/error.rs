//! What can go wrong, said so that a person knows what to do next.

use std::io;
use std::path::{Path, PathBuf};

/// Everything this crate can fail with. Messages name the thing concerned and,
/// where there is one, the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of the model folder is missing.
    #[error("{} is missing from the model folder {}: a model is a folder with model.onnx, tokenizer.json and model.toml{hint}", .file, .folder.display())]
    MissingFile {
        /// The model's folder.
        folder: PathBuf,
        /// The file that is not there.
        file: &'static str,
        /// What else helps, beginning with a separator; may be empty.
        hint: String,
    },

    /// `model.toml` does not say what it must.
    #[error("{} cannot be used: {reason}. A complete one looks like this:\n\n{}", .file.display(), crate::settings::SAMPLE)]
    Settings {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// `model.onnx` cannot be read as a text embedding model.
    #[error("{} cannot be used: {reason}. {remedy}", .file.display())]
    Onnx {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },

    /// The model's vectors are not as long as `model.toml` says.
    #[error("{} makes vectors of {actual} dimensions, but model.toml says {stated}: set `dimensions = {actual}` there, or put the right model.onnx beside it", .file.display())]
    Dimensions {
        /// The ONNX file.
        file: PathBuf,
        /// What the network makes.
        actual: usize,
        /// What `model.toml` says.
        stated: usize,
    },

    /// A file of the model was changed while the model was open.
    #[error("{} has changed since the model was opened: start again, so that its vectors are not mixed with the old model's", .file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },

    /// A sequence without tokens cannot be embedded.
    #[error(
        "sequence {index} (counted from 0) has no tokens, so there is nothing to embed: leave empty texts out"
    )]
    EmptySequence {
        /// Which of the sequences given.
        index: usize,
    },

    /// The network failed on one sequence.
    #[error(
        "the model {model} failed on sequence {index} (counted from 0, {tokens} tokens): {reason}. Check that tokenizer.json belongs to model.onnx and that `limit` in model.toml is not above what the model was made for"
    )]
    Run {
        /// The model's name.
        model: String,
        /// Which of the sequences given.
        index: usize,
        /// Tokens of the stretch the network was run on.
        tokens: usize,
        /// What tract said.
        reason: String,
    },

    /// The network made a vector that no distance can be measured to.
    #[error(
        "the model {model} made a vector that is {what} for sequence {index} (counted from 0): model.onnx may be damaged; get it again with `pkb model pull` or `pkb model add`"
    )]
    BadVector {
        /// The model's name.
        model: String,
        /// Which of the sequences given.
        index: usize,
        /// "not finite" or "zero".
        what: &'static str,
    },

    /// The caller asked to stop.
    #[error("stopped before it was done; what was finished is kept")]
    Stopped,

    /// A model's name cannot be a folder name everywhere.
    #[error(
        "`{name}` cannot be the name of a model: use 1 to 64 of the characters a-z, 0-9, `-`, `_` and `.`, beginning with a letter or digit"
    )]
    BadName {
        /// The name as given.
        name: String,
    },

    /// There is no model of this name.
    #[error("there is no model `{name}` in {}: {hint}", .folder.display())]
    UnknownModel {
        /// The name as given.
        name: String,
        /// Where models are kept.
        folder: PathBuf,
        /// How to get it.
        hint: String,
    },

    /// There is a model of this name already.
    #[error("there is a model `{name}` in {} already: remove it first (`pkb model remove {name}`), or choose another name", .folder.display())]
    ModelExists {
        /// The name as given.
        name: String,
        /// Where models are kept.
        folder: PathBuf,
    },

    /// A download failed, and trying again at once did not help.
    #[error("could not download {url}: {reason}. {remedy}")]
    Download {
        /// What was asked for.
        url: String,
        /// What happened.
        reason: String,
        /// What to do about it.
        remedy: String,
    },

    /// What was downloaded is not what was expected, and has been deleted.
    #[error(
        "{url} is not the file it should be: {reason}. What was downloaded has been deleted. Try again; if it stays so, the server (or a proxy before it) hands out something else"
    )]
    WrongContent {
        /// What was asked for.
        url: String,
        /// Both hashes, or both sizes.
        reason: String,
    },

    /// A file or folder could not be read or written.
    #[error("could not {action} {}: {source}", .path.display())]
    Io {
        /// What was tried, such as "read".
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// Makes a closure for `map_err` out of what was tried and with what.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
