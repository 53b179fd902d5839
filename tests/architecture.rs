//! The walls of the house: who may know whom, where unsafe code may stand,
//! what lies at the top, and that everything in `wit/` is documented.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};
use pkb_tests::workspace_root;

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .unwrap()
}

/// Each crate's folder, such as `host/engine`, and the folders of the crates of
/// the workspace that it depends on, for tests and build scripts too.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let root = metadata.workspace_root.as_std_path();
    let folder = |path: &Path| {
        let inside = path
            .strip_prefix(root)
            .unwrap_or_else(|_| panic!("{} is outside", path.display()));
        inside
            .components()
            .map(|part| part.as_os_str().to_str().unwrap())
            .collect::<Vec<_>>()
            .join("/")
    };
    let of = |package: &Package| {
        let paths = package
            .dependencies
            .iter()
            .filter_map(|dependency| dependency.path.as_ref());
        paths.map(|path| folder(path.as_std_path())).collect()
    };
    let manifest =
        |package: &Package| folder(package.manifest_path.parent().unwrap().as_std_path());
    metadata
        .workspace_packages()
        .into_iter()
        .map(|package| (manifest(package), of(package)))
        .collect()
}

#[test]
fn crates_know_only_whom_they_may() {
    const BELOW_ENGINE: [&str; 4] = ["host/sources", "host/runtime", "host/embed", "host/store"];
    const EXTRACTORS_SHARE: &[&str] = &["components/extract-core", "components/extract-markup"];
    for (krate, knows) in crates() {
        let may: &[&str] = match krate.as_str() {
            "host/pkb" => &["host/engine"],
            "host/engine" => &BELOW_ENGINE,
            "host/browser" => &[],
            // Tests look at everything, and nobody looks at them.
            "tests" => continue,
            below if BELOW_ENGINE.contains(&below) => &[],
            // Components know wit/ and nothing else, but for what extractors
            // share.
            extractor if extractor.starts_with("components/extract-") => EXTRACTORS_SHARE,
            component if component.starts_with("components/") => &[],
            guest if guest.starts_with("tests/guests/") => &[],
            other => panic!("{other} is a crate that the design does not know"),
        };
        let more: Vec<_> = knows
            .iter()
            .filter(|other| !may.contains(&other.as_str()))
            .collect();
        assert!(more.is_empty(), "{krate} may not know {more:?}");
    }
}

#[test]
fn every_crate_of_the_design_is_there() {
    let crates = crates();
    for name in ["pkb", "engine", "sources", "runtime", "embed", "store"] {
        assert!(
            crates.contains_key(&format!("host/{name}")),
            "host/{name} is gone"
        );
    }
    assert!(
        crates["host/engine"].contains("host/runtime"),
        "dependencies are seen at all"
    );
}

#[test]
fn every_crate_is_held_to_the_workspace_lints() {
    for package in metadata().workspace_packages() {
        let manifest = fs::read_to_string(&package.manifest_path).unwrap();
        let lints = manifest
            .split("[lints]")
            .nth(1)
            .and_then(|rest| rest.trim_start().lines().next());
        assert_eq!(lints, Some("workspace = true"), "{}", package.manifest_path);
        assert_eq!(
            package.license.as_deref(),
            Some("MIT OR Apache-2.0"),
            "{}",
            package.name
        );
        assert_eq!(
            package.publish.as_deref(),
            Some(&[][..]),
            "{} is for crates.io",
            package.name
        );
    }
}

/// The files below `folder` that end in `extension`, those of build output and
/// hidden folders not.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A source's code: what a comment, a string or a character says is left out.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let raw = rest.trim_start_matches("br").trim_start_matches('r');
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if (rest.starts_with('r') || rest.starts_with("br"))
            && raw[hashes..].starts_with('"')
        {
            let begin = rest.len() - raw.len() + hashes + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            rest[begin..]
                .find(&close)
                .map_or(rest.len(), |end| begin + end + close.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    code
}

#[test]
fn code_is_told_from_what_it_says() {
    let source = "fn a() { /* unsafe */ let s = \"un\\\"safe\"; // unsafe\nlet c = '\"'; r#\"unsafe \" \"#; unsafe {} }";
    assert_eq!(
        code(source),
        "fn a() {  let s = ; \nlet c = ; ; unsafe {} }"
    );
}

#[test]
fn unsafe_stands_only_where_compiled_components_are_loaded() {
    let root = workspace_root();
    let mut found = Vec::new();
    for folder in ["host", "components", "tests"] {
        for file in files(&root.join(folder), "rs") {
            let source = fs::read_to_string(&file).unwrap();
            let code = code(&source);
            let inside = file
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            let blocks = code
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| *word == "unsafe")
                .count();
            if blocks > 0 {
                found.push((inside.clone(), blocks));
            }
            // The lint may be lifted for generated code, and for the one block.
            // A bench registers the peer that it measures against, an extension
            // in C, by the address of its entry point.
            let allowed = ["host/runtime/src/cache.rs", "tests/bench/vectors.rs"];
            let lifted = code.contains("unsafe_code") && !allowed.contains(&inside.as_str());
            assert!(
                !lifted
                    || code.contains("wit_bindgen::generate!")
                    || code.contains("guest::export_extractor!"),
                "{inside} allows unsafe code"
            );
        }
    }
    found.retain(|(file, _)| file != "tests/bench/vectors.rs");
    assert_eq!(found, [("host/runtime/src/cache.rs".to_owned(), 1)]);
}

#[test]
fn the_top_level_holds_what_was_agreed() {
    const AGREED: [&str; 11] = [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "README.md",
        "components",
        "fixtures",
        "host",
        "justfile",
        "rust-toolchain.toml",
        "tests",
        "wit",
    ];
    let names = fs::read_dir(workspace_root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let more: Vec<String> = names
        // Hidden files set up tools; target/ is build output.
        .filter(|name| {
            !name.starts_with('.')
                && name != "target"
                && !name.starts_with("LICENSE")
                && !AGREED.contains(&name.as_str())
        })
        .collect();
    assert!(more.is_empty(), "the top level also holds {more:?}");
}

/// The items of a WIT file that lack a comment or a version, by line.
fn undocumented(wit: &str) -> Vec<String> {
    const KEYWORDS: [&str; 7] = [
        "interface ",
        "world ",
        "record ",
        "variant ",
        "enum ",
        "flags ",
        "resource ",
    ];
    let mut lacking = Vec::new();
    let (mut comment, mut version) = (false, false);
    for (number, line) in wit.lines().map(str::trim).enumerate() {
        let is_item = KEYWORDS.iter().any(|keyword| line.starts_with(keyword))
            || line.contains(": func(")
            || line.contains(": static func(")
            || line.contains(": async func(")
            || line.starts_with("constructor(")
            || line.starts_with("type ");
        if is_item && !comment {
            lacking.push(format!("line {} has no comment: {line}", number + 1));
        }
        if is_item && !version {
            lacking.push(format!("line {} has no @since: {line}", number + 1));
        }
        let keeps = line.starts_with("///") || line.starts_with('@');
        comment = line.starts_with("///") || comment && keeps;
        version = line.starts_with("@since(version = ") || version && keeps;
    }
    lacking
}

#[test]
fn everything_in_wit_is_documented_and_dated() {
    let files = files(&workspace_root().join("wit"), "wit");
    assert!(files.len() > 5);
    for file in files {
        let wit = fs::read_to_string(&file).unwrap();
        assert!(
            wit.starts_with("package pkb:plugin@0.1.0;\n"),
            "{}",
            file.display()
        );
        assert_eq!(
            undocumented(&wit),
            Vec::<String>::new(),
            "{}",
            file.display()
        );
    }
}

#[test]
fn what_is_undocumented_is_found() {
    let wit = "@since(version = 0.1.0)\nrecord a {\n}\n/// B.\nf: func() -> u8;\n/// C.\n@since(version = 0.1.0)\nenum c {}\n";
    assert_eq!(
        undocumented(wit),
        [
            "line 2 has no comment: record a {",
            "line 5 has no @since: f: func() -> u8;"
        ]
    );
}

/// What answers callers is made from what they may see: the whole store is for
/// what has to know all there is.
#[test]
fn answers_are_made_from_what_the_caller_may_see() {
    const ALL_THERE_IS: [&str; 20] = [
        "backup.rs",
        "clip.rs",
        "deletion.rs",
        "embedding.rs",
        "engine.rs",
        "eval/collection.rs",
        "eval/scratch.rs",
        "fresh.rs",
        "health.rs",
        "ingest/lock.rs",
        "ingest/mod.rs",
        "ingest/writer.rs",
        "notes/changing.rs",
        "notes/indexing.rs",
        "pipeline.rs",
        "reach.rs",
        "rechunk.rs",
        "sources.rs",
        "terms.rs",
        "watch/",
    ];
    let engine = workspace_root().join("host/engine/src");
    let mut asked = 0;
    for file in files(&engine, "rs") {
        let text = fs::read_to_string(&file).unwrap();
        let path = file.strip_prefix(&engine).unwrap();
        let path = path.to_str().unwrap().replace('\\', "/");
        if text.contains(".everything()") {
            asked += 1;
            let may = ALL_THERE_IS.iter().any(|known| path.starts_with(known));
            assert!(may, "{path} takes more than the caller may see");
        }
    }
    assert!(asked > 10, "the method has another name");
}

#[test]
fn the_lock_of_npm_packages_names_versions_and_no_addresses() {
    let lock = workspace_root().join("tests/clients/package-lock.json");
    let lock = fs::read_to_string(lock).unwrap();
    assert!(lock.contains("\"integrity\": \"sha512-"));
    for address in ["://", "\"resolved\""] {
        assert!(!lock.contains(address), "it holds {address:?}");
    }
}
