//! What a source holds, counted by kind before anything is read.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use pkb_sources::{Entry, FolderSource};
use pkb_store::Source;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Error;
use crate::formats::{self, HEAD};
use crate::job::{Job, Stage};
use crate::pipeline::{Lent, folder_settings};
use crate::sources::SourceSettings;

/// Files whose names do not tell what they are are looked into up to so many;
/// what more there are counts by name.
const LOOKED_INTO: usize = 2_000;

/// What files count as that are of no kind known here.
const OTHER: &str = "other";

/// How much of an archive is unpacked to count what is in it, in bytes.
const ARCHIVE_UP_TO: u64 = 256 << 20;

/// What a source holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// What is read, the most files first.
    pub kinds: Vec<KindCount>,
    /// Extensions of what nothing reads, the most files first; empty for files
    /// without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<ExtensionCount>,
    /// Files and folders whose content a cloud keeps.
    #[serde(skip_serializing_if = "is_zero")]
    pub away: u64,
    /// Files and folders that could not be looked at.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: u64,
}

/// Files of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// Such as `note`.
    pub kind: String,
    /// How many.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Files with one extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExtensionCount {
    /// In lower case, without the dot.
    pub extension: String,
    /// How many.
    pub files: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Engine {
    /// Counts what a source holds, by kind. Names are looked at, and the first
    /// bytes of files whose names do not tell.
    ///
    /// # Errors
    /// When the source cannot be looked at; [`Error::Stopped`] when the job says
    /// so.
    pub fn survey(&self, source: &Source, job: &dyn Job) -> Result<Survey, Error> {
        let settings = folder_settings(&source.spec);
        let folder = FolderSource::open(Path::new(&source.spec.location), &settings)?;
        let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let mut unread: BTreeMap<String, u64> = BTreeMap::new();
        let (mut seen, mut looked_into, mut failed, mut away) = (0, 0, 0, 0);
        let one_for_all = serde_json::from_str::<SourceSettings>(&source.spec.settings)
            .is_ok_and(|settings| settings.extractor.is_some());
        let summary = folder.scan(&mut |entry| {
            seen += 1;
            if seen % 256 == 0 {
                job.progress(Stage::Scanning, seen, None);
                if job.stop() {
                    return ControlFlow::Break(());
                }
            }
            match entry {
                Entry::File {
                    external_id, size, ..
                } => {
                    let name = external_id.rsplit('/').next().unwrap_or_default();
                    let promised = formats::by_name(name);
                    let look =
                        promised.is_none_or(formats::is_ambiguous) && looked_into < LOOKED_INTO;
                    let format = if look {
                        looked_into += 1;
                        let head = folder
                            .open_file(&external_id)
                            .and_then(|blob| blob.read_at(0, HEAD));
                        head.map_or(promised, |head| formats::detect(&head, name, None))
                    } else {
                        promised
                    };
                    match format {
                        Some(format) => {
                            let (files, bytes) = kinds.entry(format.kind).or_default();
                            *files += 1;
                            *bytes += size;
                        }
                        None if one_for_all => {
                            let (files, bytes) = kinds.entry(OTHER).or_default();
                            *files += 1;
                            *bytes += size;
                        }
                        None => *unread.entry(extension(name)).or_default() += 1,
                    }
                }
                Entry::Away { .. } => away += 1,
                Entry::Skipped { external_id, .. } => {
                    let name = external_id.rsplit('/').next().unwrap_or_default();
                    *unread.entry(extension(name)).or_default() += 1;
                }
                Entry::Failed { .. } => failed += 1,
            }
            ControlFlow::Continue(())
        })?;
        if summary.stopped {
            return Err(Error::Stopped);
        }
        // Whoever names an archive wants to know what is in it.
        if let Some(only) = folder.only()
            && kinds.contains_key(formats::ARCHIVE.kind)
        {
            for (kind, files, bytes) in self.in_archive(&folder, only)? {
                let (all, size) = kinds.entry(kind).or_default();
                *all += files;
                *size += bytes;
            }
        }
        let mut survey = Survey {
            kinds: kinds
                .into_iter()
                .map(|(kind, (files, bytes))| KindCount {
                    kind: kind.to_owned(),
                    files,
                    bytes,
                })
                .collect(),
            unread: unread
                .into_iter()
                .map(|(extension, files)| ExtensionCount { extension, files })
                .collect(),
            failed,
            away,
        };
        survey
            .kinds
            .sort_by_key(|kind| std::cmp::Reverse(kind.files));
        survey
            .unread
            .sort_by_key(|unread| std::cmp::Reverse(unread.files));
        Ok(survey)
    }
}

impl Engine {
    /// What an archive holds: kind, files, bytes. Of a large one the beginning.
    fn in_archive(
        &self,
        folder: &FolderSource,
        id: &str,
    ) -> Result<Vec<(&'static str, u64, u64)>, Error> {
        let extractor = self.components().extractor(formats::ARCHIVE.extractor)?;
        let blob = Arc::new(Lent(Arc::new(folder.open_file(id)?)));
        let mut kinds: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        let (mut unpacked, mut entry) = (0, (String::new(), None));
        // What is wrong with it, the sync says.
        if let Ok(mut documents) = extractor.open(id, None, "{}", blob, None) {
            while unpacked < ARCHIVE_UP_TO
                && let Ok(Some(batch)) = documents.next_batch()
            {
                for piece in batch.pieces {
                    let size = piece.content.len() as u64;
                    unpacked += size;
                    if entry.0 != piece.part {
                        let name = piece.name.rsplit('/').next().unwrap_or_default();
                        let format = formats::detect(&piece.content, name, None);
                        let kind = format.map(|format| format.kind);
                        kinds.entry(kind.unwrap_or(OTHER)).or_default().0 += 1;
                        entry = (piece.part, kind);
                    }
                    kinds.entry(entry.1.unwrap_or(OTHER)).or_default().1 += size;
                }
            }
        }
        let counted = kinds.into_iter();
        Ok(counted
            .map(|(kind, (files, bytes))| (kind, files, bytes))
            .collect())
    }
}

fn extension(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
        _ => String::new(),
    }
}
