//! The files of test collections: JSON lines and judgements, read so that what
//! is wrong is named by file and line.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::metrics::Judged;
use crate::error::Error;

/// How a kind of test collection is laid out, for the one whose files are not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout(pub(super) &'static str);

impl Layout {
    /// That a line is not as it should be; `at` counts from 0.
    pub(super) fn malformed(self, file: &Path, at: usize, what: impl std::fmt::Display) -> Error {
        Error::usage(
            format!("line {} of {}: {what}", at + 1, file.display()),
            self.0,
        )
    }

    /// That a file is not what it should be as a whole.
    pub(super) fn unfit(self, file: &Path, what: &str) -> Error {
        Error::usage(format!("{}: {what}", file.display()), self.0)
    }

    fn open(self, file: &Path) -> Result<BufReader<File>, Error> {
        match File::open(file) {
            Ok(open) => Ok(BufReader::new(open)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(self.unfit(file, "there is no such file"))
            }
            Err(error) => Err(Error::file("cannot read", file, error)),
        }
    }

    /// The lines of a file that are not blank, with their numbers from 0.
    fn lines(self, file: &Path) -> Result<Vec<(usize, String)>, Error> {
        let mut all = Vec::new();
        for (at, line) in self.open(file)?.lines().enumerate() {
            let line = line.map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidData => self.malformed(file, at, "it is not UTF-8"),
                _ => Error::file("cannot read", file, error),
            })?;
            let line = line.trim_start_matches('\u{feff}');
            if !line.trim().is_empty() {
                all.push((at, line.to_owned()));
            }
        }
        Ok(all)
    }

    /// One value for each line that is not blank, with its number from 0.
    pub(super) fn json<T: DeserializeOwned>(self, file: &Path) -> Result<Vec<(usize, T)>, Error> {
        let parsed = |(at, line): (usize, String)| match serde_json::from_str(&line) {
            Ok(value) => Ok((at, value)),
            Err(error) => Err(self.malformed(file, at, error)),
        };
        self.lines(file)?.into_iter().map(parsed).collect()
    }

    /// Judgements by query: the columns are query, document and gain (BEIR), or
    /// query, iteration, document and gain (TREC). A first line that names the
    /// columns is passed over, and so are gains of 0 and less: they say that a
    /// document does not answer.
    pub(super) fn judgements(self, file: &Path) -> Result<HashMap<String, Judged>, Error> {
        let mut all: HashMap<String, Judged> = HashMap::new();
        for (at, line) in self.lines(file)? {
            let fields: Vec<&str> = if line.contains('\t') {
                line.split('\t').map(str::trim).collect()
            } else {
                line.split_whitespace().collect()
            };
            let (query, document, gain) = match fields.as_slice() {
                [query, document, gain] | [query, _, document, gain] => (query, document, gain),
                other => {
                    let what = format!("it has {} columns, not 3 or 4", other.len());
                    return Err(self.malformed(file, at, what));
                }
            };
            match gain.parse::<f64>() {
                Ok(gain) if gain > 0.0 && gain.is_finite() => {
                    all.entry((*query).to_owned())
                        .or_default()
                        .insert((*document).to_owned(), gain);
                }
                Ok(gain) if gain <= 0.0 => {}
                // The first line names the columns.
                Err(_) if at == 0 => {}
                _ => {
                    let what = format!("its last column, {gain:?}, is not a number");
                    return Err(self.malformed(file, at, what));
                }
            }
        }
        Ok(all)
    }
}

/// The first of `folder/NAME.tsv` and `folder/NAME.txt` that is there; else an
/// error that says what is.
pub(super) fn judgements_file(layout: Layout, folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let candidates = ["tsv", "txt"].map(|extension| folder.join(format!("{name}.{extension}")));
    if let Some(file) = candidates.iter().find(|file| file.is_file()) {
        return Ok(file.clone());
    }
    let mut there: Vec<String> = std::fs::read_dir(folder)
        .map_err(|error| Error::file("cannot list", folder, error))?
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let extension = path.extension()?.to_str()?;
            let known = ["tsv", "txt"].contains(&extension);
            known.then(|| {
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            })?
        })
        .collect();
    there.sort();
    let what = format!("there is no {name}.tsv in it");
    if there.is_empty() {
        return Err(layout.unfit(folder, &what));
    }
    Err(Error::usage(
        format!("{}: {what}", folder.display()),
        format!("Choose with --split what is there: {}.", there.join(", ")),
    ))
}

/// An id that may be written as a number.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(serde_json::Number),
    }
    let id = match Id::deserialize(deserializer) {
        Ok(Id::Text(text)) => text.trim().to_owned(),
        Ok(Id::Number(number)) => number.to_string(),
        Err(_) => {
            return Err(serde::de::Error::custom(
                "`_id` is neither text nor a number",
            ));
        }
    };
    if id.is_empty() {
        return Err(serde::de::Error::custom("`_id` is empty"));
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout("Lay it out so.");

    fn judged(text: &str) -> Result<HashMap<String, Judged>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test.tsv");
        std::fs::write(&file, text).unwrap();
        LAYOUT.judgements(&file)
    }

    #[test]
    fn judgements_with_and_without_a_header() {
        for text in [
            "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\tc\t1\n",
            "1\ta\t2\r\n\r\n2\tc\t1\r\n",
            "1 0 a 2\n2 0 c 1\n",
        ] {
            let all = judged(text).unwrap();
            assert_eq!(all.len(), 2, "{text}");
            assert_eq!(all["1"], Judged::from([("a".into(), 2.0)]), "{text}");
        }
    }

    #[test]
    fn a_bad_judgement_is_named_by_file_and_line() {
        for (text, says) in [
            ("1\ta\t1\n2\tb\n", "line 2 of "),
            ("1\ta\t1\n\n2\tb\tmuch\n", "line 3 of "),
            ("1\ta\t1\n2\tb\tNaN\n", "\"NaN\""),
        ] {
            let error = judged(text).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
            assert!(error.to_string().contains("test.tsv"), "{error}");
            assert_eq!(error.hint().unwrap(), LAYOUT.0);
        }
    }

    #[test]
    fn ids_may_be_numbers() {
        #[derive(Deserialize)]
        struct Line {
            #[serde(rename = "_id", deserialize_with = "id")]
            id: String,
        }
        let line = |text: &str| serde_json::from_str::<Line>(text).map(|line| line.id);
        assert_eq!(line(r#"{"_id": 12}"#).unwrap(), "12");
        assert_eq!(line(r#"{"_id": "a 1"}"#).unwrap(), "a 1");
        for wrong in [r#"{"_id": ""}"#, r#"{"_id": []}"#, "{}"] {
            assert!(line(wrong).unwrap_err().to_string().contains("_id"));
        }
    }
}
