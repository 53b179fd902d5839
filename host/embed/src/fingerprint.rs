//! What makes two models' vectors comparable: equal fingerprints.
//!
//! Hashing a network takes tens of milliseconds warm and far longer from a
//! cold disk, which is too much for every start of a program that may embed
//! nothing. So the hashes of the two large files are remembered beside them,
//! with the size and times that the system gave for the file hashed, and are
//! believed only while all of these are the same. A plan is built from bytes
//! that are hashed again, so a vector is never stored under a wrong
//! fingerprint even where a file was changed behind its times.

use std::fs::Metadata;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::files::{ONNX, TOKENIZER};
use crate::{Error, Settings, files};

/// The file the hashes are remembered in.
const REMEMBERED: &str = ".hashes.toml";

/// A file this young may yet change without its times changing (FAT counts in
/// steps of two seconds), so its hash is not remembered.
const SETTLED: Duration = Duration::from_secs(3);

/// The hashes of a model's large files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hashes {
    pub(crate) onnx: blake3::Hash,
    pub(crate) tokenizer: blake3::Hash,
}

impl Hashes {
    /// The hashes of the files in `folder`, remembered or computed.
    pub(crate) fn of(folder: &Path) -> Result<Self, Error> {
        let remembered = remembered(folder);
        let mut entries = Vec::new();
        let mut fresh = false;
        let mut hash = |file: &'static str| -> Result<blake3::Hash, Error> {
            let path = folder.join(file);
            let before = path
                .metadata()
                .map_err(|error| files::missing_or_io(folder, file, error))?;
            let stamp = Stamp::of(&before);
            let known = remembered.files.iter().find(|entry| entry.file == file);
            let hash = match known {
                Some(entry) if entry.stamp == stamp && stamp.is_usable() => {
                    blake3::Hash::from_hex(&entry.blake3).ok()
                }
                _ => None,
            };
            let hash = match hash {
                Some(hash) => hash,
                None => {
                    fresh = true;
                    files::blake3(folder, file)?
                }
            };
            let after = path.metadata().map_err(Error::io("read", &path))?;
            if stamp.is_settled() && Stamp::of(&after) == stamp {
                entries.push(Entry {
                    file: file.to_owned(),
                    blake3: hash.to_hex().to_string(),
                    stamp,
                });
            }
            Ok(hash)
        };
        let hashes = Self {
            onnx: hash(ONNX)?,
            tokenizer: hash(TOKENIZER)?,
        };
        if fresh && !entries.is_empty() {
            // A read-only folder only means that the next start hashes again.
            if let Err(error) = remember(folder, &Remembered { files: entries }) {
                tracing::debug!(folder = %folder.display(), %error, "hashes not remembered");
            }
        }
        Ok(hashes)
    }

    /// The fingerprint of a model of these files and settings: 32 hexadecimal
    /// digits. Names and summaries do not count, since they change no vector.
    pub(crate) fn fingerprint(&self, settings: &Settings) -> String {
        let mut hasher = blake3::Hasher::new();
        // Moves when the way vectors are made from the network's output does.
        hasher.update(b"pkb-embed 1\0");
        hasher.update(self.onnx.as_bytes());
        hasher.update(self.tokenizer.as_bytes());
        for text in [
            settings.pooling.as_str(),
            &settings.query_prefix,
            &settings.passage_prefix,
        ] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&(settings.limit as u64).to_le_bytes());
        hasher.update(&(settings.dimensions as u64).to_le_bytes());
        let mut hex = hasher.finalize().to_hex().to_string();
        hex.truncate(32);
        hex
    }
}

/// What the remembering file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Remembered {
    #[serde(default, rename = "file")]
    files: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    file: String,
    blake3: String,
    #[serde(flatten)]
    stamp: Stamp,
}

/// What tells a changed file from an unchanged one, short of reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    /// Bytes.
    size: u64,
    /// Nanoseconds since 1970; none where the system does not say.
    modified: Option<i64>,
    /// Nanoseconds since 1970 of the last change of content or attributes,
    /// which programs cannot set; Unix only.
    changed: Option<i64>,
    /// Number of the file in its file system; Unix only.
    inode: Option<i64>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(nanoseconds);
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt;
            let changed = metadata
                .ctime()
                .checked_mul(1_000_000_000)
                .and_then(|seconds| seconds.checked_add(metadata.ctime_nsec()));
            (changed, i64::try_from(metadata.ino()).ok())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (None, None);
        Self {
            size: metadata.len(),
            modified,
            changed,
            inode,
        }
    }

    /// False where there is no time to compare.
    fn is_usable(&self) -> bool {
        self.modified.is_some()
    }

    /// True once a further change is bound to change the stamp too.
    fn is_settled(&self) -> bool {
        let now = nanoseconds(SystemTime::now());
        let latest = self.modified.max(self.changed);
        match (now, latest) {
            (Some(now), Some(latest)) => {
                i128::from(now) - i128::from(latest) > SETTLED.as_nanos() as i128
            }
            _ => false,
        }
    }
}

fn nanoseconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// What was remembered; nothing where the file is missing or damaged.
fn remembered(folder: &Path) -> Remembered {
    std::fs::read_to_string(folder.join(REMEMBERED))
        .ok()
        .and_then(|text| toml::from_str(&text).ok())
        .unwrap_or_default()
}

fn remember(folder: &Path, remembered: &Remembered) -> std::io::Result<()> {
    let text = toml::to_string(remembered).map_err(std::io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(folder.join(REMEMBERED))?;
    Ok(())
}

#[cfg(test)]
mod tests;
