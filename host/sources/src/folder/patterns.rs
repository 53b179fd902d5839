//! The `ignore` and `include` patterns of a folder's settings.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::FolderSettings;
use crate::Error;

#[derive(Debug, Clone)]
pub(super) struct Patterns {
    ignore: GlobSet,
    /// None when everything is included.
    include: Option<GlobSet>,
}

impl Patterns {
    pub(super) fn new(settings: &FolderSettings) -> Result<Self, Error> {
        Ok(Self {
            ignore: compile("ignore", &settings.ignore)?,
            include: if settings.include.is_empty() {
                None
            } else {
                Some(compile("include", &settings.include)?)
            },
        })
    }

    /// Whether a file or folder is to be passed over.
    pub(super) fn ignores(&self, external_id: &str) -> bool {
        self.ignore.is_match(external_id)
    }

    /// Whether a file, by itself or by a folder it is in, is among the wanted.
    pub(super) fn includes(&self, external_id: &str) -> bool {
        let Some(include) = &self.include else {
            return true;
        };
        let folders = external_id
            .match_indices('/')
            .map(|(at, _)| &external_id[..at]);
        folders
            .chain([external_id])
            .any(|path| include.is_match(path))
    }
}

fn compile(setting: &'static str, patterns: &[String]) -> Result<GlobSet, Error> {
    let refused = |pattern: &str, reason: String| Error::Pattern {
        setting,
        pattern: pattern.to_owned(),
        reason,
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        // People write folders with a slash at the end.
        let path = pattern.strip_suffix('/').unwrap_or(pattern);
        if path.is_empty() {
            return Err(refused(pattern, "it is empty".to_owned()));
        }
        let anywhere = !path.contains('/');
        let path = path.strip_prefix('/').unwrap_or(path);
        let glob = if anywhere {
            format!("**/{path}")
        } else {
            path.to_owned()
        };
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .build()
            .map_err(|error| refused(pattern, error.kind().to_string()))?;
        set.add(glob);
    }
    set.build()
        .map_err(|error| refused(&patterns.join(", "), error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(ignore: &[&str], include: &[&str]) -> Patterns {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        Patterns::new(&FolderSettings {
            ignore: owned(ignore),
            include: owned(include),
            ..FolderSettings::default()
        })
        .unwrap()
    }

    #[test]
    fn names_match_at_any_depth_and_paths_from_the_root() {
        let patterns = patterns(&["Templates/", "*.tmp", "Archive/20*", "/Root"], &[]);
        for ignored in [
            "Templates",
            "a/b/Templates",
            "x.tmp",
            "a/x.tmp",
            "Archive/2019",
            "Root",
        ] {
            assert!(patterns.ignores(ignored), "{ignored}");
        }
        for kept in [
            "Templates.md",
            "a/Archive/2019",
            "Archive/x/2019",
            "a/Root",
            "x.tmp.md",
        ] {
            assert!(!patterns.ignores(kept), "{kept}");
        }
    }

    #[test]
    fn includes_reach_into_folders() {
        assert!(patterns(&[], &[]).includes("anything.md"));
        let patterns = patterns(&[], &["Journal", "Work/*/notes", "*.txt"]);
        for taken in [
            "Journal/2024/a.md",
            "a/Journal/b.md",
            "Work/x/notes/a.md",
            "deep/a.txt",
        ] {
            assert!(patterns.includes(taken), "{taken}");
        }
        for left in ["a.md", "Work/notes/a.md", "Work/x/a.md"] {
            assert!(!patterns.includes(left), "{left}");
        }
    }

    #[test]
    fn bad_patterns_are_named() {
        for bad in ["[", "", "/", "{a"] {
            let settings = FolderSettings {
                include: vec!["fine".to_owned(), bad.to_owned()],
                ..FolderSettings::default()
            };
            let error = Patterns::new(&settings).unwrap_err().to_string();
            assert!(error.contains(&format!("\"{bad}\"")), "{error}");
            assert!(error.contains("include"), "{error}");
        }
    }
}
