//! Compiled components, kept between runs.
//!
//! A file is named after the component's SHA-256, the engine (wasmtime's
//! version and every setting that shapes code) and a BLAKE3 sum of these two
//! and its own content, so that one under another's name is no match either.
//! The folder belongs to the user alone. Whatever does not match is compiled
//! again and never loaded.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use wasmtime::Engine;
use wasmtime::component::Component;

pub(crate) struct Cache {
    folder: PathBuf,
    engine_key: String,
}

impl Cache {
    /// A cache in `folder`, made if missing, or none where the folder is not
    /// ours alone: code from it would run with our rights.
    pub(crate) fn open(folder: &Path, engine: &Engine) -> Option<Cache> {
        if let Err(error) = private_folder(folder) {
            tracing::warn!(
                "compiled components are not kept: {} cannot be used as a private folder: {error}",
                folder.display()
            );
            return None;
        }
        let mut hasher = Blake(blake3::Hasher::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let engine_key = hasher.0.finalize().to_hex()[..16].to_owned();
        Some(Cache {
            folder: folder.to_owned(),
            engine_key,
        })
    }

    pub(crate) fn load(&self, engine: &Engine, sha256: &str) -> Option<Component> {
        let prefix = self.prefix(sha256);
        for entry in fs::read_dir(&self.folder).ok()?.flatten() {
            let name = entry.file_name();
            let Some(sum) = name
                .to_str()
                .and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(".cwasm"))
            else {
                continue;
            };
            let Ok(bytes) = fs::read(entry.path()) else {
                continue;
            };
            if checksum(&prefix, &bytes) != sum {
                tracing::warn!("a compiled component was damaged and is compiled again");
                let _ = fs::remove_file(entry.path());
                continue;
            }
            match deserialize(engine, &bytes) {
                Ok(component) => return Some(component),
                Err(error) => {
                    tracing::debug!("a compiled component does not fit this engine: {error}");
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        None
    }

    /// Keeps `component`. Failing to is no error: it is compiled again next
    /// time.
    pub(crate) fn store(&self, sha256: &str, component: &Component) {
        let kept = component
            .serialize()
            .map_err(io::Error::other)
            .and_then(|bytes| {
                let prefix = self.prefix(sha256);
                let name = format!("{prefix}{}.cwasm", checksum(&prefix, &bytes));
                let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
                file.write_all(&bytes)?;
                file.persist(self.folder.join(name))?;
                Ok(())
            });
        if let Err(error) = kept {
            tracing::warn!("a compiled component could not be kept: {error}");
        }
    }

    fn prefix(&self, sha256: &str) -> String {
        format!("{}-{}-", &sha256[..32.min(sha256.len())], self.engine_key)
    }
}

fn checksum(prefix: &str, bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(prefix.as_bytes()).update(bytes);
    hasher.finalize().to_hex().to_string()
}

#[allow(
    unsafe_code,
    reason = "loading machine code cannot be checked by the compiler"
)]
fn deserialize(engine: &Engine, bytes: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes came from a folder that only this user can write to
    // (`private_folder`), under a name that holds their hash, written by
    // `Cache::store` from `Component::serialize`; wasmtime itself refuses code
    // of another version or other settings.
    unsafe { Component::deserialize(engine, bytes) }
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let meta = fs::symlink_metadata(folder)?;
    if !meta.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    // A file made here belongs to whoever we are; the folder must too.
    let probe = tempfile::NamedTempFile::new_in(folder)?;
    if probe.as_file().metadata()?.uid() != meta.uid() {
        return Err(io::Error::other("it belongs to another user"));
    }
    let mode = meta.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    if mode & 0o022 != 0 {
        // Others could have put files here.
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "cwasm")
            {
                fs::remove_file(path)?;
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere the user's own cache folder is private by inheritance.
    fs::create_dir_all(folder)
}

/// Lets anything that can be hashed be hashed with BLAKE3.
struct Blake(blake3::Hasher);

impl Hasher for Blake {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}
