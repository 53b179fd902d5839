//! The components a user brought: files and a list of them, in one folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::builtin::builtin_names;
use crate::component::{ComponentInfo, Origin};
use crate::error::LoadError;
use crate::sandbox::{Sandbox, sha256_hex};

/// A plugin as the list records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plugin {
    /// What it is called in settings and messages; each name once.
    pub name: String,
    /// The world it fits.
    pub world: String,
    /// Its own version.
    pub version: String,
    /// Its own summary.
    pub summary: String,
    /// SHA-256 of the file, in hex. A file that differs is not run.
    pub sha256: String,
    /// JSON Schema of its settings.
    pub settings_schema: String,
    /// What it imports.
    pub imports: Vec<String>,
}

impl From<ComponentInfo> for Plugin {
    fn from(info: ComponentInfo) -> Self {
        Plugin {
            name: info.name,
            world: info.world.name().to_owned(),
            version: info.version,
            summary: info.summary,
            sha256: info.sha256,
            settings_schema: info.settings_schema,
            imports: info.imports,
        }
    }
}

/// Why the list of plugins could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The component itself is unusable.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file could not be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The list is damaged.
    #[error("{}, the list of plugins, is damaged ({reason}). Remove it and add the plugins again", .path.display())]
    List {
        /// The list's file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The name is taken by a component of pkb's own.
    #[error(
        "{0} is the name of a built-in component; rename the plugin (its `about.describe` gives the name)"
    )]
    BuiltinName(String),
    /// Another component has the name.
    #[error(
        "a plugin called {name} is there already, with SHA-256 {sha256}. Remove it first with `pkb plugin remove {name}`"
    )]
    Taken {
        /// The name.
        name: String,
        /// Hash of the one that has it, shortened.
        sha256: String,
    },
    /// No such plugin.
    #[error("there is no plugin called {name}{}", known_names(.known))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The file was changed since it was added.
    #[error(
        "the file of plugin {name} has changed since it was added, so it is not run. Add it again with `pkb plugin add FILE`"
    )]
    Changed {
        /// The plugin.
        name: String,
    },
}

fn known_names(known: &[String]) -> String {
    if known.is_empty() {
        "; none were added yet".into()
    } else {
        format!("; there are: {}", known.join(", "))
    }
}

/// The plugins in a folder.
#[derive(Clone, Debug)]
pub struct Plugins {
    folder: PathBuf,
}

impl Plugins {
    /// The plugins in `folder`, which need not exist yet.
    pub fn in_folder(folder: &Path) -> Self {
        Plugins {
            folder: folder.to_owned(),
        }
    }

    /// All plugins, by name.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn list(&self) -> Result<Vec<Plugin>, PluginError> {
        let path = self.list_file();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(PluginError::File { path, error }),
        };
        serde_json::from_str(&text).map_err(|error| PluginError::List {
            path,
            reason: error.to_string(),
        })
    }

    /// The plugin called `name`.
    ///
    /// # Errors
    /// [`PluginError::Unknown`] names those there are.
    pub fn get(&self, name: &str) -> Result<Plugin, PluginError> {
        let all = self.list()?;
        match all.iter().find(|plugin| plugin.name == name) {
            Some(plugin) => Ok(plugin.clone()),
            None => Err(PluginError::Unknown {
                name: name.to_owned(),
                known: all.into_iter().map(|plugin| plugin.name).collect(),
            }),
        }
    }

    /// Reads a component file and says what it is, without keeping it.
    ///
    /// # Errors
    /// When the file cannot be read or is no usable component.
    pub fn inspect(
        sandbox: &Sandbox,
        file: &Path,
    ) -> Result<(ComponentInfo, Arc<[u8]>), PluginError> {
        let at = |error| PluginError::File {
            path: file.to_owned(),
            error,
        };
        let size = fs::metadata(file).map_err(at)?.len();
        let most = sandbox.limits().component_bytes;
        let shown = file.file_name().map_or_else(
            || file.display().to_string(),
            |name| name.to_string_lossy().into(),
        );
        if size > most as u64 {
            let what = format!(
                "has {} MiB, and a component may have {} MiB at most",
                size >> 20,
                most >> 20
            );
            return Err(LoadError::TooLarge { name: shown, what }.into());
        }
        let bytes: Arc<[u8]> = fs::read(file).map_err(at)?.into();
        let info = sandbox.inspect(&Origin::Plugin {
            name: shown,
            bytes: bytes.clone(),
        })?;
        Ok((info, bytes))
    }

    /// Adds a component file under the name it gives itself.
    ///
    /// # Errors
    /// When the component is unusable, its name is taken, or the folder cannot
    /// be written to.
    pub fn add(&self, sandbox: &Sandbox, file: &Path) -> Result<Plugin, PluginError> {
        let (info, bytes) = Plugins::inspect(sandbox, file)?;
        let plugin = Plugin::from(info);
        if builtin_names().any(|name| name == plugin.name) {
            return Err(PluginError::BuiltinName(plugin.name));
        }
        let mut all = self.list()?;
        if let Some(there) = all.iter().find(|other| other.name == plugin.name) {
            if there.sha256 == plugin.sha256 {
                // Puts right a file that was lost or changed.
                self.write(&self.component_file(&plugin.sha256), &bytes)?;
                return Ok(plugin);
            }
            let sha256 = there.sha256.chars().take(12).collect();
            return Err(PluginError::Taken {
                name: plugin.name,
                sha256,
            });
        }
        self.write(&self.component_file(&plugin.sha256), &bytes)?;
        all.push(plugin.clone());
        self.write_list(all)?;
        Ok(plugin)
    }

    /// Takes a plugin off the list and deletes its file.
    ///
    /// # Errors
    /// When there is none of that name, or the folder cannot be written to.
    pub fn remove(&self, name: &str) -> Result<Plugin, PluginError> {
        let plugin = self.get(name)?;
        let mut all = self.list()?;
        all.retain(|other| other.name != name);
        self.write_list(all)?;
        let path = self.component_file(&plugin.sha256);
        match fs::remove_file(&path) {
            Ok(()) => Ok(plugin),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(plugin),
            Err(error) => Err(PluginError::File { path, error }),
        }
    }

    /// The plugin's component, checked against its recorded hash.
    ///
    /// # Errors
    /// When there is none of that name, or its file is gone or was changed.
    pub fn origin(&self, name: &str) -> Result<Origin, PluginError> {
        let plugin = self.get(name)?;
        let path = self.component_file(&plugin.sha256);
        let bytes = fs::read(&path).map_err(|error| PluginError::File { path, error })?;
        if sha256_hex(&bytes) != plugin.sha256 {
            return Err(PluginError::Changed { name: plugin.name });
        }
        Ok(Origin::Plugin {
            name: plugin.name,
            bytes: bytes.into(),
        })
    }

    fn list_file(&self) -> PathBuf {
        self.folder.join("plugins.json")
    }

    fn component_file(&self, sha256: &str) -> PathBuf {
        self.folder.join(format!("{sha256}.wasm"))
    }

    fn write_list(&self, mut all: Vec<Plugin>) -> Result<(), PluginError> {
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let path = self.list_file();
        let text = serde_json::to_string_pretty(&all).map_err(|error| PluginError::List {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        self.write(&path, text.as_bytes())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), PluginError> {
        let written = fs::create_dir_all(&self.folder).and_then(|()| {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(bytes)?;
            file.persist(path)?;
            Ok(())
        });
        written.map_err(|error| PluginError::File {
            path: path.to_owned(),
            error,
        })
    }
}
