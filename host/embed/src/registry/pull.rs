//! Downloading a model of the catalogue.

use std::fs;
use std::path::Path;

use super::catalogue::{self, CATALOGUE, Entry};
use super::download::{self, Client, Wanted};
use super::{Progress, Registry};
use crate::files::{MODEL_TOML, ONNX, TOKENIZER};
use crate::{Error, Model, ModelInfo};

impl Registry {
    /// Downloads the model `name` of the [catalogue](catalogue::CATALOGUE) from
    /// `endpoint`, a hub's base URL such as [`super::HUB`] (what the variable
    /// `HF_ENDPOINT` holds, where it is set).
    ///
    /// What was downloaded before an interruption is kept and gone on from.
    /// Each file's size and SHA-256 are checked; the model appears under its
    /// name only when all its files are right. Where it is here already, this
    /// only checks that it is the one of the catalogue. A second pull of the
    /// same model waits for the first.
    ///
    /// # Errors
    /// [`Error::UnknownModel`] where the catalogue does not have it;
    /// [`Error::ModelExists`] where another model has the name;
    /// [`Error::Download`] after the retries; [`Error::WrongContent`];
    /// [`Error::Stopped`]; [`Error::Io`].
    pub fn pull(
        &self,
        name: &str,
        endpoint: &str,
        progress: &mut dyn Progress,
    ) -> Result<ModelInfo, Error> {
        let Some(entry) = catalogue::find(name) else {
            let names: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
            return Err(Error::UnknownModel {
                name: name.to_owned(),
                folder: self.folder().to_path_buf(),
                hint: format!(
                    "those that can be downloaded are {}; any other is added from a folder with \
                     `pkb model add NAME FOLDER`",
                    names.join(", ")
                ),
            });
        };
        self.pull_entry(entry, endpoint, &Client::new(), progress)
    }

    /// [`Registry::pull`], once it is known what and by which means.
    pub(super) fn pull_entry(
        &self,
        entry: &Entry,
        endpoint: &str,
        client: &Client,
        progress: &mut dyn Progress,
    ) -> Result<ModelInfo, Error> {
        let _lock = self.lock(entry.name, progress)?;
        let target = self.folder().join(entry.name);
        if target.exists() {
            if !is_entry(&target, entry)? {
                self.check_free(entry.name)?;
            }
            return Ok(Model::open(&target)?.info().clone());
        }
        let parts = self.parts(entry.name);
        fs::create_dir_all(&parts).map_err(Error::io("make the folder", &parts))?;

        let mut before = 0;
        for (file, local) in [(&entry.tokenizer, TOKENIZER), (&entry.onnx, ONNX)] {
            let wanted = Wanted {
                url: format!(
                    "{}/{}/resolve/{}/{}",
                    endpoint.trim_end_matches('/'),
                    entry.repository,
                    entry.revision,
                    file.path
                ),
                bytes: file.bytes,
                sha256: file.sha256,
                by_hand: by_hand(entry),
            };
            let mut here = Shifted {
                progress: &mut *progress,
                before,
                total: entry.bytes(),
            };
            client.fetch(&wanted, &parts.join(local), &mut here)?;
            before += file.bytes;
        }
        let text = toml::to_string(&entry.settings()).map_err(|error| Error::Io {
            action: "write",
            path: parts.join(MODEL_TOML),
            source: std::io::Error::other(error),
        })?;
        let path = parts.join(MODEL_TOML);
        fs::write(&path, text).map_err(Error::io("write", &path))?;
        super::sync(&path)?;
        self.settle(&parts, entry.name)?;
        Ok(self.open(entry.name)?.info().clone())
    }
}

/// How to get a model without this download.
fn by_hand(entry: &Entry) -> String {
    format!(
        "Without a network: on another machine, get {} and {} of {}/{} at revision {}, put \
         them with a model.toml into a folder, and run `pkb model add {} FOLDER`. A mirror of \
         the hub is used by setting HF_ENDPOINT, a proxy by setting HTTPS_PROXY",
        entry.onnx.path,
        entry.tokenizer.path,
        super::HUB,
        entry.repository,
        entry.revision,
        entry.name,
    )
}

/// Whether the model in `folder` has the files of the catalogue's.
fn is_entry(folder: &Path, entry: &Entry) -> Result<bool, Error> {
    for (file, local) in [(&entry.tokenizer, TOKENIZER), (&entry.onnx, ONNX)] {
        let path = folder.join(local);
        if path.metadata().map(|metadata| metadata.len()).ok() != Some(file.bytes)
            || download::sha256(&path)? != file.sha256
        {
            return Ok(false);
        }
    }
    Ok(folder.join(MODEL_TOML).is_file())
}

/// The progress of one file as a part of that of all.
struct Shifted<'a> {
    progress: &'a mut dyn Progress,
    before: u64,
    total: u64,
}

impl Progress for Shifted<'_> {
    fn bytes(&mut self, done: u64, _total: u64) {
        self.progress.bytes(self.before + done, self.total);
    }

    fn note(&mut self, message: &str) {
        self.progress.note(message);
    }

    fn stop(&self) -> bool {
        self.progress.stop()
    }
}
