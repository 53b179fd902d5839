//! What the tests share: where things are, and how what they need is built.
//!
//! Run one file with `cargo test --workspace --test NAME`: the whole workspace
//! is what features are chosen for, so that nothing is built twice.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure here is the failure of a test"
)]

mod dump;
mod library;
mod material;
mod node;
mod serving;

pub use dump::{Dump, Numbers, dump};
pub use library::Library;
pub use material::{model_folder, python_with, texts, vault};
pub use node::Node;
pub use serving::Serving;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The folder that holds the workspace's `Cargo.toml`.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the workspace")
        .to_path_buf()
}

/// Real material beside the workspace; none, with a message, where there is
/// none.
pub fn shared_data() -> Option<PathBuf> {
    let folder = workspace_root().parent()?.join("shared").join("data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}

/// The `pkb` binary: as `PKB_BIN` names it, or built as the tests were, once
/// for each process.
pub fn pkb_binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY
        .get_or_init(|| match env::var_os("PKB_BIN") {
            Some(binary) => binary.into(),
            None => built_binary("pkb", &[]),
        })
        .clone()
}

/// `pkb` with what the conformance suite asks a server to have, built once for
/// each process. It is a binary of its own, as features are chosen for the
/// whole workspace and no other test should meet what it has.
fn conformance_binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY
        .get_or_init(|| built_binary("pkb-conformance", &["--features", "pkb/conformance"]))
        .clone()
}

/// A binary of the workspace, built as the tests were.
fn built_binary(name: &str, more: &[&str]) -> PathBuf {
    let folder = profile_folder();
    let profile = match folder.file_name().and_then(OsStr::to_str) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    // Cargo builds a package's binary for that package's own tests only. The
    // flags of this build count for it too.
    let mut cargo = cargo(&|name| {
        [
            "CARGO_PKG_",
            "CARGO_MANIFEST_",
            "CARGO_BIN_",
            "CARGO_CRATE_",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    });
    cargo.current_dir(workspace_root());
    cargo.args([
        "build",
        "--quiet",
        "--workspace",
        "--bin",
        name,
        "--profile",
    ]);
    cargo.arg(profile).args(more);
    cargo.arg("--target-dir").arg(target_folder());
    run(cargo);
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// A `pkb` at work in `home`, with nothing of the user's own: no settings, no
/// models. Compiled components are shared by all tests where the platform lets
/// their folder be chosen.
pub fn pkb(home: &Path) -> Command {
    at_work(pkb_binary(), home)
}

/// The same, with what the conformance suite asks a server to have.
pub fn conformance_pkb(home: &Path) -> Command {
    at_work(conformance_binary(), home)
}

fn at_work(binary: PathBuf, home: &Path) -> Command {
    let mut command = Command::new(binary);
    for (key, _) in env::vars_os() {
        if key
            .to_str()
            .is_some_and(|key| key.starts_with("PKB_") || key.starts_with("OTEL_"))
        {
            command.env_remove(&key);
        }
    }
    command
        .env("PKB_HOME", home)
        .env("PKB_MODELS", home.join("models"));
    command.env("XDG_CACHE_HOME", target_folder().join("test-cache"));
    command.stdin(Stdio::null());
    command
}

/// A home for an engine in this process, with nothing of the user's own.
pub fn home(folder: &Path, models: Option<&Path>) -> pkb_engine::Home {
    pkb_engine::Home {
        folder: folder.to_owned(),
        models: models.map_or_else(|| folder.join("models"), Path::to_owned),
        compiled: target_folder()
            .join("test-cache")
            .join("pkb")
            .join("compiled"),
    }
}

/// The component of `tests/guests/NAME`, built once for each process.
pub fn guest_component(name: &str) -> PathBuf {
    let target = target_folder().join("guests");
    once(name, || {
        let mut cargo = cargo(&is_for_the_host);
        cargo.current_dir(workspace_root());
        cargo.args([
            "build",
            "--quiet",
            "--profile",
            "component",
            "--target",
            WASM,
            "--package",
            name,
        ]);
        cargo.arg("--target-dir").arg(&target);
        run(cargo);
    });
    target.join(WASM).join("component").join(file_name(name))
}

/// The component of `components/examples/NAME`, built once for each process by
/// a plain cargo from a copy outside the workspace, as a plugin's author would
/// build it.
pub fn example_component(name: &str) -> PathBuf {
    let outside = target_folder().join("examples");
    let target = outside.join("target");
    once(name, || {
        let root = workspace_root();
        let krate = outside.join("components").join("examples").join(name);
        copy_folder(&root.join("wit"), &outside.join("wit"));
        copy_folder(&root.join("components").join("examples").join(name), &krate);
        let mut cargo = cargo(&is_for_the_host);
        cargo.current_dir(&krate);
        cargo.args(["build", "--quiet", "--release", "--target", WASM]);
        cargo.arg("--target-dir").arg(&target);
        run(cargo);
    });
    target.join(WASM).join("release").join(file_name(name))
}

/// The file of a built-in component, as `host/runtime/build.rs` built it.
pub fn builtin_component(name: &str) -> PathBuf {
    target_folder()
        .join("components")
        .join(WASM)
        .join("component")
        .join(file_name(name))
}

/// Runs `build` unless this process did so before under the same name.
fn once(name: &str, build: impl FnOnce()) {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains(name) {
        build();
        built.insert(name.to_owned());
    }
}

const WASM: &str = "wasm32-wasip2";

/// `chunk-sections` -> `chunk_sections.wasm`.
fn file_name(name: &str) -> String {
    format!("{}.wasm", name.replace('-', "_"))
}

/// Such as `target/debug`: the running test is `target/debug/deps/NAME-HASH`.
fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("a running test has a path");
    test.ancestors()
        .nth(2)
        .expect("a test lies in target/PROFILE/deps")
        .to_path_buf()
}

/// Where cargo builds, and what is made anew at any time may be kept.
pub fn target_folder() -> PathBuf {
    profile_folder()
        .parent()
        .expect("a profile's folder lies in the target folder")
        .to_path_buf()
}

/// A cargo without the variables that `unwanted` names.
fn cargo(unwanted: &dyn Fn(&str) -> bool) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (key, _) in env::vars_os() {
        if key.to_str().is_some_and(unwanted) {
            cargo.env_remove(&key);
        }
    }
    cargo
}

/// Whether a variable was set for a build of the host and must not reach one
/// for WebAssembly; as in `host/runtime/build.rs`.
fn is_for_the_host(name: &str) -> bool {
    let kept = name == "CARGO_HOME"
        || [
            "CARGO_NET_",
            "CARGO_HTTP_",
            "CARGO_REGISTR",
            "CARGO_SOURCE_",
        ]
        .iter()
        .any(|kept| name.starts_with(kept));
    name.starts_with("CARGO_") && !kept
        || ["RUSTFLAGS", "RUSTC", "RUSTC_WORKSPACE_WRAPPER"].contains(&name)
}

fn run(mut command: Command) {
    let status = command
        .status()
        .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    assert!(
        status.success(),
        "{command:?} failed ({status}); its messages are above"
    );
}

/// Copies the files of a folder, those of `target` and hidden ones not.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    let entries =
        std::fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.expect("a folder can be listed");
        let name = entry.file_name();
        if name == "target" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (from, to) = (entry.path(), to.join(&name));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            let bytes =
                std::fs::read(&from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
            // A file that stays as it is keeps its time, and is not built again.
            if std::fs::read(&to).ok().as_deref() != Some(&bytes) {
                std::fs::write(&to, bytes)
                    .unwrap_or_else(|error| panic!("{}: {error}", to.display()));
            }
        }
    }
}
