//! `model.toml`: what cannot be read off a network.
//!
//! ```
//! let settings: pkb_embed::Settings = toml::from_str(pkb_embed::settings::SAMPLE)?;
//! assert_eq!(settings.dimensions, 384);
//! # Ok::<(), toml::de::Error>(())
//! ```

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::{MODEL_TOML, ONNX, TOKENIZER};

/// A complete `model.toml`, as error messages show it.
pub const SAMPLE: &str = r#"name = "all-MiniLM-L6-v2"   # optional
summary = "English"         # optional
pooling = "mean"            # or "cls"; the model's card says which
query_prefix = ""           # put before a query, such as "query: " (E5)
passage_prefix = ""         # put before a stored text, such as "passage: " (E5)
limit = 256                 # tokens the model reads, special tokens included
dimensions = 384            # length of its vectors
"#;

/// The smallest length limit: two special tokens and one of text.
pub const LEAST_LIMIT: usize = 3;

/// The greatest length limit and the greatest vector length taken.
pub const GREATEST: usize = 65_536;

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean (MiniLM, E5, GTE).
    Mean,
    /// The first token's (BGE).
    Cls,
}

impl Pooling {
    /// As `model.toml` writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }
}

/// The content of a `model.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What people call the model; the folder's name where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One sentence for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How token vectors become one. Of no effect where the network pools.
    pub pooling: Pooling,
    /// Put before a query before it is tokenized.
    #[serde(default)]
    pub query_prefix: String,
    /// Put before a stored text before it is tokenized.
    #[serde(default)]
    pub passage_prefix: String,
    /// The most tokens the network reads at once, special tokens included;
    /// [`LEAST_LIMIT`] to [`GREATEST`].
    pub limit: usize,
    /// Length of the vectors; 1 to [`GREATEST`].
    pub dimensions: usize,
}

impl Settings {
    /// Reads the `model.toml` of a model's folder.
    ///
    /// # Errors
    /// [`Error::MissingFile`], [`Error::Settings`] with a sample, or
    /// [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(MODEL_TOML);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(missing(folder));
            }
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(Error::Settings {
                    file,
                    reason: "it is not UTF-8 text".into(),
                });
            }
            Err(error) => return Err(Error::io("read", &file)(error)),
        };
        // Windows editors put a byte order mark before the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let settings: Self = toml::from_str(text).map_err(|error| Error::Settings {
            file: file.clone(),
            reason: error.to_string().trim_end().replace('\n', "\n  "),
        })?;
        settings
            .check()
            .map_err(|reason| Error::Settings { file, reason })?;
        Ok(settings)
    }

    /// Says what is out of range, if anything is.
    fn check(&self) -> Result<(), String> {
        if !(LEAST_LIMIT..=GREATEST).contains(&self.limit) {
            return Err(format!(
                "`limit` is {}, but must be {LEAST_LIMIT} to {GREATEST} tokens",
                self.limit
            ));
        }
        if !(1..=GREATEST).contains(&self.dimensions) {
            return Err(format!(
                "`dimensions` is {}, but must be 1 to {GREATEST}",
                self.dimensions
            ));
        }
        Ok(())
    }
}

/// A missing `model.toml` is most likely when a model was fetched by hand, so
/// the message shows what to write.
fn missing(folder: &Path) -> Error {
    let others = [ONNX, TOKENIZER]
        .iter()
        .all(|file| folder.join(file).is_file());
    let hint = if others {
        format!(". The other two are there; write a model.toml like this:\n\n{SAMPLE}")
    } else {
        String::new()
    };
    Error::MissingFile {
        folder: folder.to_path_buf(),
        file: MODEL_TOML,
        hint,
    }
}

#[cfg(test)]
mod tests;
