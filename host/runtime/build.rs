//! Builds `components/` for `wasm32-wasip2` with a nested cargo, in a target
//! folder of its own, and hands the files to `src/builtin.rs`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use sha2::{Digest, Sha256};

const TARGET: &str = "wasm32-wasip2";

/// The built-in components: crate names under `components/`.
const COMPONENTS: [&str; 14] = [
    "extract-markdown",
    "extract-text",
    "extract-html",
    "extract-pdf",
    "extract-office",
    "extract-mail",
    "extract-bookmarks",
    "extract-takeout",
    "extract-archive",
    "chunk-markdown",
    "chunk-sentences",
    "tokenize",
    "analyze",
    "fuse-rrf",
];

/// What several of them are made with.
const SHARED: [&str; 2] = ["extract-core", "extract-markup"];

/// How cargo reaches its registries, which is the same for both builds.
const KEPT: [&str; 5] = [
    "CARGO_HOME",
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTR",
    "CARGO_SOURCE_",
];

fn main() {
    let workspace = workspace();
    let out = PathBuf::from(var("OUT_DIR"));
    for name in COMPONENTS.iter().chain(&SHARED) {
        let krate = workspace.join("components").join(name);
        watch(&krate.join("src"));
        watch(&krate.join("Cargo.toml"));
    }
    watch(&workspace.join("wit"));
    watch(&workspace.join("Cargo.toml"));
    watch(&workspace.join("Cargo.lock"));

    if !target_is_installed() {
        fail(&format!(
            "the Rust target {TARGET} is missing, and pkb's components are built for it.\n\
             Add it with:  rustup target add {TARGET}"
        ));
    }

    let target_dir = target_root(&out).join("components");
    let mut cargo = Command::new(var("CARGO"));
    cargo
        .current_dir(&workspace)
        .args(["build", "--profile", "component", "--target", TARGET])
        .arg("--target-dir")
        .arg(&target_dir);
    for name in COMPONENTS {
        cargo.args(["--package", name]);
    }
    // The nested build is for another machine: nothing that was set for this
    // one (flags, clippy as the compiler) may reach it.
    for (key, _) in env::vars() {
        let for_this_build = key.starts_with("CARGO_")
            && !KEPT.iter().any(|kept| key.starts_with(kept))
            || key == "RUSTFLAGS"
            || key == "RUSTC_WORKSPACE_WRAPPER"
            || key == "RUSTC"
            || key == "TARGET"
            || key == "PROFILE"
            || key == "OPT_LEVEL"
            || key == "DEBUG";
        if for_this_build {
            cargo.env_remove(&key);
        }
    }
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!(
            "building the components failed ({status}); its messages are above"
        )),
        Err(error) => fail(&format!(
            "cargo could not be started to build the components: {error}"
        )),
    }

    let mut table = String::from("[\n");
    for name in COMPONENTS {
        let file = target_dir
            .join(TARGET)
            .join("component")
            .join(format!("{}.wasm", name.replace('-', "_")));
        let copy = out.join(format!("{name}.wasm"));
        let copied = fs::read(&file).and_then(|bytes| {
            fs::write(&copy, &bytes)?;
            Ok(bytes)
        });
        let bytes = match copied {
            Ok(bytes) => bytes,
            Err(error) => fail(&format!(
                "{} was built but cannot be copied: {error}",
                file.display()
            )),
        };
        let sha256: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        table.push_str(&format!(
            "    Builtin {{ name: {name:?}, sha256: {sha256:?}, bytes: include_bytes!({:?}) }},\n",
            copy.display().to_string()
        ));
    }
    table.push_str("]\n");
    if let Err(error) = fs::write(out.join("builtin.rs"), table) {
        fail(&format!("cannot write the table of components: {error}"));
    }
}

fn workspace() -> PathBuf {
    let here = PathBuf::from(var("CARGO_MANIFEST_DIR"));
    match here.ancestors().nth(2) {
        Some(root) => root.to_path_buf(),
        None => fail("this crate is not at host/runtime of the workspace"),
    }
}

/// The outermost target folder, so that debug, release and clippy builds share
/// one build of the components.
fn target_root(out: &Path) -> PathBuf {
    out.ancestors()
        .filter(|folder| folder.join("CACHEDIR.TAG").is_file())
        .last()
        .unwrap_or(out)
        .to_path_buf()
}

fn target_is_installed() -> bool {
    let output = Command::new(var("RUSTC"))
        .args(["--print", "target-libdir", "--target", TARGET])
        .output();
    match output {
        Ok(output) => Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir(),
        Err(_) => false,
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn var(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(1);
}
