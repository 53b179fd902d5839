//! The bundle for AI clients: made as `just bundle` makes it, unpacked, and
//! started as its manifest says.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pkb_tests::{Node, model_folder, pkb_binary, workspace_root};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What `make.mjs` makes in a folder.
fn make(node: &Node, out: &Path, options: &[&str], name: &str) -> Output {
    let script = workspace_root().join("host/pkb/bundle/make.mjs");
    let mut command = node.script(script);
    command
        .arg("--pkb")
        .arg(pkb_binary())
        .arg("--modules")
        .arg(node.file(""))
        .arg("--out")
        .arg(out)
        .args(options)
        .env("PKB_SERVER_NAME", name)
        .env("PKB_BUNDLE_URL", "https://downloads.example.org/pkb/");
    command.output().unwrap()
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Unpacks a bundle as a client does, with the modes of its files.
fn unpack(bundle: &Path, into: &Path) {
    let mut archive = zip::ZipArchive::new(fs::File::open(bundle).unwrap()).unwrap();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let path = into.join(file.enclosed_name().unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        fs::write(&path, bytes).unwrap();
        #[cfg(unix)]
        if let Some(mode) = file.unix_mode() {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }
}

/// The command that a manifest comes to, by the rules of the format: lists that
/// the user chose take the place of one argument, and what was not chosen stays
/// as it is written.
fn command(manifest: &Value, folder: &Path, chosen: &Value) -> Command {
    let config = &manifest["server"]["mcp_config"];
    let filled = |text: &Value| {
        let mut text = text.as_str().unwrap().to_owned();
        text = text.replace("${__dirname}", folder.to_str().unwrap());
        for (key, value) in chosen.as_object().unwrap() {
            let value = match value {
                Value::String(value) => value.clone(),
                value => value.to_string(),
            };
            text = text.replace(&format!("${{user_config.{key}}}"), &value);
        }
        text
    };
    let mut command = Command::new(filled(&config["command"]));
    for argument in config["args"].as_array().unwrap() {
        match argument.as_str().unwrap() {
            "${user_config.folders}" if chosen["folders"].is_array() => {
                for folder in chosen["folders"].as_array().unwrap() {
                    command.arg(folder.as_str().unwrap());
                }
            }
            _ => {
                command.arg(filled(argument));
            }
        }
    }
    for (name, value) in config["env"].as_object().unwrap() {
        command.env(name, filled(value));
    }
    command
}

/// Answers of a server to one request after another.
fn answers(mut command: Command, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut answers = Vec::new();
    let first = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let first = ("initialize", first);
    for (id, (method, params)) in std::iter::once(&first).chain(requests).enumerate() {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{request}").unwrap();
        loop {
            let line = lines.next().expect("the server answers").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                answers.push(message["result"].clone());
                break;
            }
        }
    }
    drop(stdin);
    assert!(server.wait().unwrap().success());
    answers
}

fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn the_bundle_is_valid_and_serves_the_folders_that_were_chosen() {
    let Some(node) = Node::find() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let model = model_folder();
    let path = model.as_deref().map(|model| model.to_str().unwrap());
    let options: Vec<&str> = path.iter().flat_map(|path| ["--model", path]).collect();
    let made = make(&node, out.path(), &options, "org.example/pkb");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let said = String::from_utf8(made.stdout).unwrap();
    let bundle = PathBuf::from(said.lines().next().unwrap());
    let version = env!("CARGO_PKG_VERSION");
    let name = bundle.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(&format!("pkb-{version}-")), "{name}");

    let entry = read(&out.path().join("server.json"));
    let package = &entry["packages"][0];
    assert_eq!(entry["name"], "org.example/pkb");
    assert_eq!(
        (&entry["version"], &package["version"]),
        (&json!(version), &json!(version))
    );
    assert_eq!(
        package["identifier"],
        format!("https://downloads.example.org/pkb/{name}")
    );
    assert_eq!(package["fileSha256"], sha256(&bundle));

    let folder = TempDir::new().unwrap();
    unpack(&bundle, folder.path());
    let manifest = read(&folder.path().join("manifest.json"));
    assert_eq!(manifest["version"], version);

    // As it stands where nothing was chosen, and with two folders.
    let home = TempDir::new().unwrap();
    let notes = TempDir::new().unwrap();
    let mail = TempDir::new().unwrap();
    fs::write(
        notes.path().join("tides.md"),
        "# Tides\n\nThe moon pulls the sea.\n",
    )
    .unwrap();
    fs::write(mail.path().join("pump.txt"), "The pump reports ERR-4471.\n").unwrap();
    let kept =
        json!({"home": home.path(), "read_only": false, "folders": [notes.path(), mail.path()]});
    let answered = answers(
        command(&manifest, folder.path(), &kept),
        &[
            ("tools/list", json!({})),
            ("prompts/list", json!({})),
            (
                "tools/call",
                json!({"name": "sync_knowledge_base", "arguments": {}}),
            ),
            (
                "tools/call",
                json!({"name": "search_knowledge", "arguments": {"query": "ERR-4471"}}),
            ),
            (
                "tools/call",
                json!({"name": "search_knowledge", "arguments": {"query": "moon"}}),
            ),
            (
                "tools/call",
                json!({"name": "health_check", "arguments": {}}),
            ),
        ],
    );
    let said = |index: usize| answered[index].to_string();
    assert_eq!(names(&manifest["tools"]), names(&answered[1]["tools"]));
    assert_eq!(names(&manifest["prompts"]), names(&answered[2]["prompts"]));
    assert!(said(4).contains("pump.txt"), "{}", said(4));
    assert!(said(5).contains("tides.md"), "{}", said(5));
    if model.is_some() {
        let model = &answered[6]["structuredContent"]["model"];
        assert_eq!(
            (&model["installed"], &model["vectors"]),
            (&json!(true), &json!(2))
        );
    }

    let only = json!({"home": home.path(), "read_only": true});
    let answered = answers(
        command(&manifest, folder.path(), &only),
        &[("tools/list", json!({}))],
    );
    assert!(names(&answered[1]["tools"]).len() < names(&manifest["tools"]).len());
}

#[test]
fn a_registry_entry_that_does_not_fit_its_schema_is_not_made() {
    let Some(node) = Node::find() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let made = make(&node, out.path(), &[], "no name of a server");
    assert!(!made.status.success());
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(said.contains("data/name must match pattern"), "{said}");
    assert!(!out.path().join("server.json").exists());
}

fn sha256(file: &Path) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(fs::read(file).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
