//! Components at work: compiled ones are kept but not trusted, the same input
//! gives the same output, and the built-in ones ask for no more than they may.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pkb_runtime::{Limits, Origin, Sandbox, Settings, TokenCounter, builtin_names};
use pkb_tests::{guest_component, workspace_root};

fn sandbox() -> Sandbox {
    Sandbox::new(&Settings::default()).unwrap()
}

/// A plugin of the user's own.
fn brought() -> Origin {
    let bytes = fs::read(guest_component("attacks")).unwrap();
    Origin::Plugin {
        name: "brought".into(),
        bytes: bytes.into(),
    }
}

/// Counts a token for every four bytes.
struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, texts: &[String]) -> Result<Vec<u32>, String> {
        Ok(texts
            .iter()
            .map(|text| text.len().div_ceil(4) as u32)
            .collect())
    }
}

/// A sandbox that can load from the cache only, since compiling takes longer
/// than it waits.
fn without_compiler(cache: &Path) -> Sandbox {
    let limits = Limits {
        compile: Duration::ZERO,
        ..Limits::default()
    };
    Sandbox::new(&Settings {
        cache: Some(cache.to_owned()),
        limits,
    })
    .unwrap()
}

fn with_compiler(cache: &Path) -> Sandbox {
    Sandbox::new(&Settings {
        cache: Some(cache.to_owned()),
        limits: Limits::default(),
    })
    .unwrap()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap()))
        .collect()
}

#[test]
fn compiled_components_are_kept_and_never_trusted_blindly() {
    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("deep").join("compiled");
    let attacks = brought();
    let fuser = Origin::Builtin("fuse-rrf".into());
    assert!(
        without_compiler(&cache).inspect(&attacks).is_err(),
        "nothing is kept yet"
    );
    with_compiler(&cache).inspect(&attacks).unwrap();
    let kept = files(&cache);
    assert_eq!(kept.len(), 1);
    without_compiler(&cache)
        .inspect(&attacks)
        .expect("the kept one loads");
    assert_eq!(files(&cache), kept, "it was not compiled again");

    // Damaged: thrown away, and compiled again where there is a compiler.
    let file = kept.into_keys().next().unwrap();
    let good = fs::read(&file).unwrap();
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for damage in [flipped.as_slice(), &good[..good.len() / 2], b""] {
        fs::write(&file, damage).unwrap();
        assert!(
            without_compiler(&cache).inspect(&attacks).is_err(),
            "damage is not loaded"
        );
        assert!(!file.exists());
        with_compiler(&cache).inspect(&attacks).unwrap();
        without_compiler(&cache).inspect(&attacks).unwrap();
    }

    // Whole, but another component's.
    let mine = files(&cache).into_keys().next().unwrap();
    with_compiler(&cache).inspect(&fuser).unwrap();
    let other = files(&cache)
        .into_keys()
        .find(|file| *file != mine)
        .unwrap();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let (prefix, _) = name(&mine)
        .rsplit_once('-')
        .map(|(prefix, sum)| (prefix.to_owned(), sum.len()))
        .unwrap();
    let (_, sum) = name(&other)
        .rsplit_once('-')
        .map(|(prefix, sum)| (prefix.len(), sum.to_owned()))
        .unwrap();
    fs::remove_file(&mine).unwrap();
    fs::copy(&other, cache.join(format!("{prefix}-{sum}"))).unwrap();
    assert!(
        without_compiler(&cache).inspect(&attacks).is_err(),
        "another's code under this one's name"
    );

    fs::remove_dir_all(&cache).unwrap();
    with_compiler(&cache).inspect(&attacks).unwrap();
    assert_eq!(files(&cache).len(), 1);
}

#[cfg(unix)]
#[test]
fn the_cache_belongs_to_the_user_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let home = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let fresh = home.path().join("fresh");
    with_compiler(&fresh);
    assert_eq!(mode(&fresh), 0o700);

    let open = home.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    // Whatever others could have put there is not loaded.
    fs::write(open.join("planted.cwasm"), "code").unwrap();
    with_compiler(&open);
    assert_eq!(mode(&open), 0o700);
    assert!(!open.join("planted.cwasm").exists());

    // Where there can be none, components are compiled each time.
    let target = home.path().join("elsewhere");
    fs::create_dir(&target).unwrap();
    let link = home.path().join("link");
    symlink(&target, &link).unwrap();
    let file = home.path().join("file");
    fs::write(&file, "x").unwrap();
    for unusable in [link, file] {
        with_compiler(&unusable)
            .inspect(&Origin::Builtin("fuse-rrf".into()))
            .unwrap();
    }
    assert_eq!(files(&target).len(), 0);
}

/// A text with some of everything a chunker looks at.
fn long_text() -> String {
    let mut text = String::from("# Everything\n\n");
    for n in 0..120 {
        text.push_str(&format!("## Section {n} – naïve 日本語 🎉\n\n"));
        text.push_str(
            &"Sentences follow one another. Each one says a little more, doesn't it? "
                .repeat(n % 9),
        );
        text.push_str("\n\n- a\n- b\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$$\nx^2\n$$\n\n");
    }
    text
}

#[test]
fn the_same_input_gives_the_same_output() {
    let text = long_text();
    let cache = tempfile::tempdir().unwrap();
    let attacks = brought();
    let chunkers = [
        Origin::Builtin("chunk-markdown".into()),
        Origin::Builtin("chunk-sentences".into()),
        attacks,
    ];
    for origin in chunkers {
        let mut results = Vec::new();
        // Fresh, compiled and loaded; in each a new instance and one that was
        // used before.
        for sandbox in [
            sandbox(),
            with_compiler(cache.path()),
            with_compiler(cache.path()),
        ] {
            let chunker = sandbox.chunker(&origin).unwrap();
            for _ in 0..3 {
                results.push(
                    chunker
                        .split("Everything", &text, 100, "{}", Arc::new(Quarter))
                        .unwrap(),
                );
            }
        }
        assert!(!results[0].is_empty());
        assert!(
            results.iter().all(|result| *result == results[0]),
            "{}",
            origin.name()
        );
    }

    let note =
        format!("---\ntags: [a, b]\ntitle: Everything\n---\n{text}[[link]] #tag\n").into_bytes();
    let mut documents = Vec::new();
    for sandbox in [sandbox(), sandbox()] {
        let extractor = sandbox
            .extractor(&Origin::Builtin("extract-markdown".into()))
            .unwrap();
        for _ in 0..3 {
            let mut opened = extractor
                .open("note.md", None, "{}", Arc::new(note.clone()), None)
                .unwrap();
            let batch = opened.next_batch().unwrap().unwrap();
            documents.push(batch);
            assert!(opened.next_batch().unwrap().is_none());
        }
    }
    assert!(documents.iter().all(|document| *document == documents[0]));
}

/// The interfaces of `pkb:plugin` that each world imports, from `wit/`, with
/// `types`, which any of them may use.
fn imports_by_world() -> BTreeMap<String, Vec<String>> {
    let wit = fs::read_to_string(workspace_root().join("wit").join("worlds.wit")).unwrap();
    let mut worlds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut world = String::new();
    for line in wit.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("world ") {
            world = name.trim_end_matches('{').trim().to_owned();
            worlds.insert(world.clone(), vec!["pkb:plugin/types".to_owned()]);
        } else if let Some(name) = line.strip_prefix("import ") {
            worlds
                .get_mut(&world)
                .unwrap()
                .push(format!("pkb:plugin/{}", name.trim_end_matches(';')));
        }
    }
    worlds
}

#[test]
fn built_in_components_import_no_more_than_a_browser_can_give() {
    // What Rust's standard library pulls in on its own.
    let standard = [
        "wasi:cli/",
        "wasi:clocks/",
        "wasi:filesystem/",
        "wasi:io/",
        "wasi:random/",
    ];
    let worlds = imports_by_world();
    let sandbox = sandbox();
    let mut seen = 0;
    for name in builtin_names() {
        let info = sandbox.inspect(&Origin::Builtin(name.into())).unwrap();
        assert_eq!(
            info.name, name,
            "a component is called what it calls itself"
        );
        assert!(
            serde_json::from_str::<serde_json::Value>(&info.settings_schema)
                .unwrap()
                .is_object(),
            "{name}"
        );
        assert!(
            !info.summary.is_empty() && !info.version.is_empty(),
            "{name}"
        );
        let own = &worlds[info.world.name()];
        for import in &info.imports {
            let interface = import.split('@').next().unwrap();
            let allowed = own.iter().any(|allowed| allowed == interface)
                || standard.iter().any(|package| import.starts_with(package));
            assert!(allowed, "{name} ({}) imports {import}", info.world);
        }
        seen += 1;
    }
    let crates = fs::read_dir(workspace_root().join("components")).unwrap();
    let crates = crates
        .map(Result::unwrap)
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        // What extractors share is no component.
        .filter(|entry| {
            !["extract-core", "extract-markup"]
                .map(Into::into)
                .contains(&entry.file_name())
        })
        .count();
    assert_eq!(seen, crates, "each crate of components/ is built in");
}
