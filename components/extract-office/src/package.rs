//! A ZIP file of XML parts, with what its parts may unpack to held in bounds.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use extract_core::{Bytes, Failure, FailureKind};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::settings::Settings;
use crate::source::Source;
use crate::xml::{self, Ns, Step, Tag};

/// A part may be at most this many times what it is packed. Sheets of zeros
/// come to 150; the most that deflate can do is 1,032.
const MOST_RATIO: u64 = 250;
/// Parts below this size are not held to the ratio, in bytes.
const RATIO_FROM: u64 = 2 << 20;
/// More is not read of one part, in bytes; what is there is kept.
const MOST_PART: u64 = 64 << 20;
/// No honest file has more parts.
const MOST_ENTRIES: u64 = 100_000;
/// The end record of a ZIP file lies in as many bytes at its end.
const TAIL: u64 = 22 + 65_535 + 20 + 56;

/// The parts of a file.
pub(crate) struct Package {
    archive: ZipArchive<Source>,
    /// Names in lower case, with `/` between: names are compared so.
    names: HashMap<String, usize>,
    unpacked: u64,
    most_unpacked: u64,
    /// What was wrong with parts, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// A relationship: what an `r:id` stands for.
#[derive(Debug, Clone)]
pub(crate) struct Relation {
    /// The last word of its type: `hyperlink`, `header` ...
    pub(crate) kind: String,
    /// A web address, or the name of a part.
    pub(crate) target: String,
    /// True where the target lies outside the file.
    pub(crate) external: bool,
}

/// Parts of one kind beyond these are left out.
const MOST_OF_A_KIND: usize = 2_000;

/// The parts that relationships of a kind lead to, each once, `header2` before
/// `header10`.
pub(crate) fn targets(relations: &Relations, kinds: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = relations
        .values()
        .filter(|relation| kinds.contains(&relation.kind.as_str()) && !relation.external)
        .map(|relation| relation.target.clone())
        .collect();
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    found.dedup();
    found.truncate(MOST_OF_A_KIND);
    found
}

/// The relationships of a part, by id.
pub(crate) type Relations = HashMap<String, Relation>;

impl Package {
    /// # Errors
    /// Where the bytes are no ZIP file, or one with too many parts.
    pub(crate) fn open(bytes: Box<dyn Bytes>, settings: &Settings) -> Result<Self, Failure> {
        let mut source = Source::new(bytes);
        refuse_many_entries(&mut source)?;
        let archive = ZipArchive::new(source).map_err(|error| match error {
            ZipError::UnsupportedArchive(_) => Failure::new(
                FailureKind::Unsupported,
                format!("The file is a ZIP file of a sort that is not read: {error}."),
            ),
            _ => Failure::invalid(
                "The file is damaged or cut off: it should be a ZIP file, but its list of parts cannot be read.",
            ),
        })?;
        let mut names = HashMap::new();
        for (index, name) in archive.file_names_raw().enumerate() {
            names
                .entry(key(&String::from_utf8_lossy(name)))
                .or_insert(index);
        }
        Ok(Self {
            archive,
            names,
            unpacked: 0,
            most_unpacked: settings.max_unpacked_bytes,
            warnings: Vec::new(),
        })
    }

    /// Whether there is such a part.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains_key(&key(name))
    }

    /// The bytes of a part, nothing where there is no such part. Of a damaged
    /// one, what comes before the damage.
    ///
    /// # Errors
    /// Where the file unpacks to too much, or the part is encrypted.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let Some(&index) = self.names.get(&key(name)) else {
            return Ok(None);
        };
        let mut entry = match self.archive.by_index(index) {
            Ok(entry) => entry,
            Err(ZipError::InvalidPassword) => return Err(encrypted()),
            Err(ZipError::UnsupportedArchive(text)) if text == ZipError::PASSWORD_REQUIRED => {
                return Err(encrypted());
            }
            Err(error) => {
                self.warnings
                    .push(format!("The part {name} could not be read: {error}."));
                return Ok(None);
            }
        };
        let packed = entry.compressed_size().max(1);
        let by_ratio = packed.saturating_mul(MOST_RATIO).max(RATIO_FROM);
        let bomb = || {
            Failure::new(
                FailureKind::TooLarge,
                format!(
                    "The part {name} unpacks to more than {MOST_RATIO} times its size, as in a ZIP bomb; the file was not read."
                ),
            )
        };
        // What it says is checked before, what it does is checked after.
        if entry.size() > by_ratio {
            return Err(bomb());
        }
        let by_budget = self.most_unpacked.saturating_sub(self.unpacked);
        let most = by_ratio.min(by_budget).min(MOST_PART);
        let mut bytes = Vec::new();
        // One byte over the limit tells that there is more.
        let read = entry.by_ref().take(most + 1).read_to_end(&mut bytes);
        self.unpacked += bytes.len() as u64;
        if bytes.len() as u64 > most {
            if most == by_ratio {
                return Err(bomb());
            }
            if most == by_budget {
                return Err(Failure::new(
                    FailureKind::TooLarge,
                    format!(
                        "The file unpacks to more than {} bytes; raise the setting max_unpacked_bytes to read it.",
                        self.most_unpacked
                    ),
                ));
            }
            let _ = bytes.pop();
            self.warnings.push(format!(
                "The part {name} was read up to {} MiB, the rest was left out.",
                MOST_PART >> 20
            ));
        }
        if read.is_err() {
            self.warnings.push(format!(
                "The part {name} is damaged; what could be unpacked of it was read."
            ));
        }
        Ok(Some(bytes))
    }

    /// The text of a part, as [`Package::bytes`].
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        Ok(self.bytes(name)?.map(xml::decode))
    }

    /// What the relationships of a part say; none where there are none.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub(crate) fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = match folder {
            "" => format!("_rels/{file}.rels"),
            folder => format!("{folder}/_rels/{file}.rels"),
        };
        let mut relations = Relations::new();
        let Some(text) = self.text(&name)? else {
            return Ok(relations);
        };
        let result = xml::each(&text, |tag: &Tag<'_>| {
            if tag.ns == Ns::Relations && tag.name == "Relationship" {
                let kind = tag.attr("Type").unwrap_or_default();
                let target = tag.attr("Target").unwrap_or_default();
                let external = tag.attr("TargetMode").as_deref() == Some("External");
                let relation = Relation {
                    kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                    target: if external {
                        target.into_owned()
                    } else {
                        resolve(folder, &target)
                    },
                    external,
                };
                if let Some(id) = tag.attr("Id") {
                    relations.insert(id.into_owned(), relation);
                }
            }
            Step::Into
        });
        if let Err(damage) = result {
            self.warnings.push(damage.warning(&name));
        }
        Ok(relations)
    }

    /// What the package says that a part is; empty where it says nothing.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub(crate) fn content_type(&mut self, part: &str) -> Result<String, Failure> {
        let text = self.text("[Content_Types].xml")?.unwrap_or_default();
        let wanted = key(part);
        let mut found = String::new();
        // What is not said is told by names.
        let _ = xml::each(&text, |tag| {
            if tag.name == "Override"
                && tag
                    .attr("PartName")
                    .is_some_and(|name| key(&name) == wanted)
            {
                found = tag.attr("ContentType").unwrap_or_default().into_owned();
            }
            Step::Into
        });
        Ok(found)
    }

    /// The part that holds the document itself, `word/document.xml` or
    /// whatever it is called, by the package's relationships.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub(crate) fn main_part(&mut self) -> Result<Option<String>, Failure> {
        let relations = self.relations("")?;
        let mut mains = relations
            .into_values()
            .filter(|relation| relation.kind == "officeDocument" && !relation.external);
        Ok(mains.next().map(|relation| relation.target))
    }
}

/// How names of parts are compared.
fn key(name: &str) -> String {
    name.trim_start_matches('/')
        .replace('\\', "/")
        .to_ascii_lowercase()
}

/// The name of a part that is given relative to a folder.
pub(crate) fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|step| !step.is_empty()).collect(),
    };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

pub(crate) fn encrypted() -> Failure {
    Failure::new(
        FailureKind::Encrypted,
        "The file is protected with a password; save a copy without one to have it read.",
    )
}

/// Refuses lists of parts that would not fit into memory, before they are read.
/// Only the 64-bit end record can name so many.
fn refuse_many_entries(source: &mut Source) -> Result<(), Failure> {
    const LOCATOR: &[u8] = b"PK\x06\x07";
    let damaged = |_| Failure::invalid("The file could not be read.");
    let size = source.seek(SeekFrom::End(0)).map_err(damaged)?;
    let start = size.saturating_sub(TAIL);
    source.seek(SeekFrom::Start(start)).map_err(damaged)?;
    let mut tail = Vec::new();
    source.read_to_end(&mut tail).map_err(damaged)?;
    for (at, _) in tail
        .windows(4)
        .enumerate()
        .filter(|(_, four)| *four == LOCATOR)
    {
        let Some(offset) = number(&tail, at + 8) else {
            continue;
        };
        let mut record = [0; 56];
        // A file with something before its first part has the record elsewhere:
        // it usually stands right before the locator.
        let candidates = [Some(offset), (start + at as u64).checked_sub(56)];
        for offset in candidates.into_iter().flatten() {
            let read = source
                .seek(SeekFrom::Start(offset))
                .and_then(|_| source.read_exact(&mut record));
            if read.is_ok()
                && record.starts_with(b"PK\x06\x06")
                && number(&record, 32).is_some_and(|entries| entries > MOST_ENTRIES)
            {
                return Err(Failure::new(
                    FailureKind::TooLarge,
                    format!("The file claims to have more than {MOST_ENTRIES} parts."),
                ));
            }
        }
    }
    source.seek(SeekFrom::Start(0)).map_err(damaged)?;
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_to_the_folder_of_their_part() {
        assert_eq!(resolve("word", "media/a.png"), "word/media/a.png");
        assert_eq!(resolve("ppt/slides", "../notes/n.xml"), "ppt/notes/n.xml");
        assert_eq!(resolve("word", "/word/x.xml"), "word/x.xml");
        assert_eq!(resolve("", "../../x.xml"), "x.xml");
    }
}
