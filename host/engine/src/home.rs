//! Where a person's pkb keeps its things.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The folders of one pkb. The home holds what cannot be made again; models
/// and compiled components are caches, shared by all homes of a user.
#[derive(Clone, Debug)]
pub struct Home {
    /// Database, plugins and settings.
    pub folder: PathBuf,
    /// Embedding models.
    pub models: PathBuf,
    /// Compiled components.
    pub compiled: PathBuf,
}

/// What a user chose for a whole home: `settings.toml` in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HomeSettings {
    /// The embedding model in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How it is served over HTTP; what stands in it is the binary's business.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<toml::Table>,
}

impl Home {
    /// The given folders, or the platform's own where none are given.
    ///
    /// # Errors
    /// When the platform names no home folder for this user.
    pub fn locate(folder: Option<PathBuf>, models: Option<PathBuf>) -> Result<Home, Error> {
        let dirs = ProjectDirs::from("", "", "pkb");
        let missing = || {
            Error::usage(
                "this user has no home folder to keep things in",
                "Name one with --home DIR or the variable PKB_HOME, and one for models with PKB_MODELS.",
            )
        };
        let cache = dirs.as_ref().map(|dirs| dirs.cache_dir().to_owned());
        let folder = match folder {
            Some(folder) => folder,
            None => dirs
                .as_ref()
                .map(|dirs| dirs.data_dir().to_owned())
                .ok_or_else(missing)?,
        };
        let models = match models {
            Some(models) => models,
            None => cache
                .as_ref()
                .map(|cache| cache.join("models"))
                .ok_or_else(missing)?,
        };
        let compiled = cache
            .unwrap_or_else(|| folder.join("cache"))
            .join("compiled");
        Ok(Home {
            folder,
            models,
            compiled,
        })
    }

    /// The database's file.
    pub fn database(&self) -> PathBuf {
        self.folder.join("pkb.db")
    }

    /// The plugins' folder.
    pub fn plugins(&self) -> PathBuf {
        self.folder.join("plugins")
    }

    /// Makes the home's folder, for this user alone.
    ///
    /// # Errors
    /// What the system says, with the folder.
    pub fn create(&self) -> Result<(), Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&self.folder)
            .map_err(|error| Error::file("cannot make the home folder", &self.folder, error))
    }

    /// The home's settings.
    ///
    /// # Errors
    /// When the file is there and cannot be read or understood.
    pub fn settings(&self) -> Result<HomeSettings, Error> {
        let path = self.settings_file();
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| {
                Error::usage(
                    format!("{} cannot be understood: {error}", path.display()),
                    "Mend or remove the file.",
                )
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HomeSettings::default()),
            Err(error) => Err(Error::file("cannot read the settings", &path, error)),
        }
    }

    /// Replaces the home's settings, all at once.
    ///
    /// # Errors
    /// What the system says, with the file.
    pub fn set_settings(&self, settings: &HomeSettings) -> Result<(), Error> {
        self.create()?;
        let path = self.settings_file();
        let written = toml::to_string(settings)
            .map_err(io::Error::other)
            .and_then(|text| {
                let fresh = path.with_extension("toml.new");
                let mut file = fs::File::create(&fresh)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                fs::rename(&fresh, &path)
            });
        written.map_err(|error| Error::file("cannot write the settings", &path, error))
    }

    fn settings_file(&self) -> PathBuf {
        self.folder.join("settings.toml")
    }
}

/// A path as people write it: absolute, with `~` for the user's home folder.
pub fn short_path(path: &Path) -> String {
    let shown = path.display().to_string();
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
        _ => shown,
    }
}
