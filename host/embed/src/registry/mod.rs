//! Where models live: one folder each, in a folder of models.
//!
//! Nothing half-made is ever seen under a model's name: a model is put together
//! in a hidden folder beside it and then renamed.

pub mod catalogue;
mod download;
mod pull;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use catalogue::CATALOGUE;

use crate::files::{MODEL_TOML, ONNX, TOKENIZER};
use crate::{Error, Model, ModelInfo};

/// The model used where none is named.
pub const DEFAULT: &str = "minilm";

/// The hub that models are downloaded from unless another is given.
pub const HUB: &str = "https://huggingface.co";

/// How often a lock that another process holds is tried again.
const TRY_LOCK_EVERY: Duration = Duration::from_millis(100);

/// What a long operation tells, and is told. All methods do nothing by default.
pub trait Progress {
    /// `done` of `total` bytes are here. `done` can fall when a server makes
    /// us begin again.
    fn bytes(&mut self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Something a person who is waiting wants to know, such as that the
    /// connection broke and is tried again; one sentence.
    fn note(&mut self, message: &str) {
        let _ = message;
    }

    /// Whether to stop; asked often.
    fn stop(&self) -> bool {
        false
    }
}

/// No interest in the progress.
impl Progress for () {}

/// The folder of models.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
}

/// A model that is here.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listed {
    /// Its name in the registry.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Bytes it takes on disk.
    pub bytes: u64,
    /// What it is, or why it cannot be used.
    pub info: Result<ModelInfo, Error>,
}

impl Registry {
    /// The registry in `folder`, which is made when something is put in.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The folder of models.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The models that are here, by name. One that cannot be used is listed
    /// with the reason.
    ///
    /// # Errors
    /// [`Error::Io`] where the folder cannot be read. A folder that does not
    /// exist holds no models.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &self.folder)(error)),
        };
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(Error::io("read", &self.folder))?;
            let folder = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if check_name(&name).is_err() || !folder.is_dir() {
                continue;
            }
            let bytes = [ONNX, TOKENIZER, MODEL_TOML]
                .iter()
                .filter_map(|file| folder.join(file).metadata().ok())
                .map(|metadata| metadata.len())
                .sum();
            let info = Model::open(&folder).map(|model| model.info().clone());
            listed.push(Listed {
                name,
                folder,
                bytes,
                info,
            });
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// The folder of the model `name`.
    ///
    /// # Errors
    /// [`Error::BadName`], or [`Error::UnknownModel`] with how to get it.
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        check_name(name)?;
        let folder = self.folder.join(name);
        if folder.is_dir() {
            return Ok(folder);
        }
        let hint = if catalogue::find(name).is_some() {
            format!(
                "download it with `pkb model pull {name}`, or add a folder that holds it with \
                 `pkb model add {name} FOLDER`"
            )
        } else {
            format!(
                "`pkb model list` shows those there are; `pkb model add {name} FOLDER` adds one"
            )
        };
        Err(Error::UnknownModel {
            name: name.to_owned(),
            folder: self.folder.clone(),
            hint,
        })
    }

    /// Opens the model `name`; see [`Model::open`].
    ///
    /// # Errors
    /// Those of [`Registry::path`] and [`Model::open`].
    pub fn open(&self, name: &str) -> Result<Model, Error> {
        Model::open(&self.path(name)?)
    }

    /// Copies the model in `source` into the registry as `name`, once it has
    /// been shown to work: its network is run on sequences of two tokens and
    /// of as many as its limit.
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::ModelExists`], those of [`Model::open`] and
    /// [`Model::check`], [`Error::Io`].
    pub fn add(&self, name: &str, source: &Path) -> Result<ModelInfo, Error> {
        check_name(name)?;
        let _lock = self.lock(name, &mut ())?;
        self.check_free(name)?;
        // Before anything is copied: most mistakes show here.
        Model::open(source)?;
        let made = tempfile::Builder::new()
            .prefix(&format!(".{name}.add-"))
            .tempdir_in(&self.folder)
            .map_err(Error::io("make a folder in", &self.folder))?;
        for file in [ONNX, TOKENIZER, MODEL_TOML] {
            let target = made.path().join(file);
            fs::copy(source.join(file), &target).map_err(Error::io("write", &target))?;
            sync(&target)?;
        }
        let model = Model::open(made.path())?;
        model.check()?;
        drop(model);
        self.settle(made.path(), name)?;
        // Renamed away, so there is nothing left to delete.
        let _ = made.keep();
        Ok(self.open(name)?.info().clone())
    }

    /// Deletes the model `name`, and what an interrupted download of it left.
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::UnknownModel`], [`Error::Io`].
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let folder = self.path(name)?;
        let _lock = self.lock(name, &mut ())?;
        // Renamed first, so that nobody sees half a model if this is cut off.
        let doomed = tempfile::Builder::new()
            .prefix(&format!(".{name}.removed-"))
            .tempdir_in(&self.folder)
            .map_err(Error::io("make a folder in", &self.folder))?;
        fs::rename(&folder, doomed.path().join(name)).map_err(Error::io("move", &folder))?;
        let parts = self.parts(name);
        if parts.exists() {
            fs::remove_dir_all(&parts).map_err(Error::io("delete", &parts))?;
        }
        let path = doomed.path().to_path_buf();
        doomed.close().map_err(Error::io("delete", &path))
    }

    /// Where the model `name` is put together while it is downloaded; stays
    /// after an interruption.
    fn parts(&self, name: &str) -> PathBuf {
        self.folder.join(format!(".{name}.part"))
    }

    fn check_free(&self, name: &str) -> Result<(), Error> {
        if self.folder.join(name).exists() {
            return Err(Error::ModelExists {
                name: name.to_owned(),
                folder: self.folder.clone(),
            });
        }
        Ok(())
    }

    /// Gives a complete model folder its name.
    fn settle(&self, made: &Path, name: &str) -> Result<(), Error> {
        let target = self.folder.join(name);
        fs::rename(made, &target).map_err(Error::io("move a finished model to", &target))?;
        // So that the rename outlives a power cut. Not every system can do it,
        // and the model is as good without.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Takes the lock under which the model `name` may be put in or taken
    /// out, waiting while another process has it. It ends with the file
    /// returned, or with the process. The lock's file stays: deleting it would
    /// let two processes hold locks on two files of one name.
    fn lock(&self, name: &str, progress: &mut dyn Progress) -> Result<File, Error> {
        fs::create_dir_all(&self.folder).map_err(Error::io("make the folder", &self.folder))?;
        let path = self.folder.join(format!(".{name}.lock"));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::io("write", &path))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(fs::TryLockError::WouldBlock) => {
                    if !told {
                        progress.note(&format!(
                            "another process is working on the model `{name}`; waiting for it"
                        ));
                        told = true;
                    }
                    if progress.stop() {
                        return Err(Error::Stopped);
                    }
                    std::thread::sleep(TRY_LOCK_EVERY);
                }
                Err(fs::TryLockError::Error(error)) => {
                    return Err(Error::io("lock", &path)(error));
                }
            }
        }
    }
}

/// Writes a file's content through to the disk.
fn sync(path: &Path) -> Result<(), Error> {
    File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.sync_all())
        .map_err(Error::io("write", path))
}

/// Whether a name can be a folder's on every platform, and hides nothing.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '.');
    let sound = (1..=64).contains(&name.len())
        && name.chars().all(allowed)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.ends_with('.');
    // Windows keeps these names, with any extension, for devices.
    let stem = name.split('.').next().unwrap_or_default();
    let device = matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    if sound && !device {
        Ok(())
    } else {
        Err(Error::BadName {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
