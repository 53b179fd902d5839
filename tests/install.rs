//! pkb in the settings of AI clients, put there and taken out by the real
//! binary, and started as those settings say.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pkb_tests::pkb;
#[cfg(target_os = "linux")]
use pkb_tests::{pkb_binary, workspace_root};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Clients, what they call their servers, and whether they are told the type.
const CLIENTS: [(&str, &str, bool); 5] = [
    ("claude-desktop", "mcpServers", false),
    ("claude-code", "mcpServers", true),
    ("cursor", "mcpServers", false),
    ("vscode", "servers", true),
    ("zed", "context_servers", false),
];

/// A user with a home folder of their own, and a pkb home outside it.
struct User {
    folder: TempDir,
    pkb_home: TempDir,
}

impl User {
    fn new() -> User {
        User {
            folder: tempfile::tempdir().unwrap(),
            pkb_home: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pkb(self.pkb_home.path());
        for name in ["CLAUDE_CONFIG_DIR", "FLATPAK_XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command
            .env("HOME", self.folder.path())
            .env("USERPROFILE", self.folder.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("APPDATA", self.path("roaming"))
            .env("LOCALAPPDATA", self.path("local"))
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What an answer in JSON says of the one client asked about.
    fn json(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        let answer: Value = serde_json::from_str(&self.ok(&all)).unwrap();
        assert_eq!(answer["clients"].as_array().unwrap().len(), 1, "{answer}");
        answer["clients"][0].clone()
    }

    /// Where a client keeps its settings.
    fn file(&self, client: &str) -> PathBuf {
        let answer = self.json(&["install", client, "--dry-run"]);
        let file = PathBuf::from(answer["file"].as_str().unwrap());
        assert!(file.starts_with(self.folder.path()), "{}", file.display());
        file
    }

    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.folder.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Names of the tools of a server that is started as a client would, from an
/// entry of its settings.
fn tools(entry: &Value) -> Vec<String> {
    let mut command = Command::new(entry["command"].as_str().unwrap());
    for argument in entry["args"].as_array().unwrap() {
        command.arg(argument.as_str().unwrap());
    }
    talk(&mut command)
}

fn talk(command: &mut Command) -> Vec<String> {
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{request}").unwrap();
        loop {
            let line = lines.next().expect("the server answers").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    };
    let begun = ask(
        1,
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }),
    );
    assert_eq!(begun["serverInfo"]["name"], "pkb", "{begun}");
    let tools = ask(2, "tools/list", json!({}));
    drop(stdin);
    assert!(server.wait().unwrap().success());
    let tools = tools["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_client_starts_pkb_as_its_settings_say() {
    for (client, section, typed) in CLIENTS {
        let user = User::new();
        let answer = user.json(&["install", client]);
        assert_eq!(answer["outcome"], "added");
        assert!(answer.get("backup").is_none());
        let file = PathBuf::from(answer["file"].as_str().unwrap());
        let entry = read(&file)[section]["pkb"].clone();
        assert_eq!(
            entry.get("type"),
            typed.then_some(&json!("stdio")),
            "{client}"
        );
        assert!(Path::new(entry["command"].as_str().unwrap()).is_absolute());
        let home = user.pkb_home.path().to_str().unwrap();
        let args = entry["args"].as_array().unwrap();
        assert_eq!(args[..2], [json!("--home"), json!(home)]);
        assert!(
            tools(&entry).contains(&"search_knowledge".to_owned()),
            "{client}"
        );

        assert_eq!(user.json(&["install", client])["outcome"], "unchanged");
        let answer = user.json(&["uninstall", client]);
        assert_eq!(
            (&answer["outcome"], &answer["exists"]),
            (&json!("removed"), &json!(false))
        );
        assert_eq!(user.files(), BTreeMap::new(), "{client}");
        assert!(!file.parent().unwrap().exists() || client == "claude-code");
        assert_eq!(user.json(&["uninstall", client])["outcome"], "absent");
    }
}

#[test]
fn a_file_is_byte_identical_after_install_and_uninstall() {
    let texts = [
        "",
        "\n",
        "{}",
        "{}\n",
        "{ }",
        "// only a comment",
        "{\"SECTION\": {}}",
        "{\"SECTION\":{\"other\":{\"command\":\"x\"}},\"theme\":\"dark\"}",
        "{\n\t\"SECTION\": {\n\t\t// none yet\n\t}\n}\n",
        "{\r\n    \"theme\": \"dark\", // mine\r\n    \"SECTION\": {\r\n        \"other\": {\r\n            \"url\": \"http://localhost\"\r\n        },\r\n    },\r\n}\r\n",
        "\u{feff}{\n  \"a\": [1,2 , 3],\n  \"ü\": \"\\u00fc\" /* last */\n}",
        "{\n  \"projects\": { \"/home/jane\": { \"SECTION\": { \"pkb\": 1 } } },\n  \"number\": 1.50e+3\n}\n\n\n",
    ];
    for (client, section, _) in CLIENTS {
        let user = User::new();
        let file = user.file(client);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        for text in texts {
            let text = text.replace("SECTION", section);
            fs::write(&file, &text).unwrap();
            let before = user.files();
            let backup = user.json(&["install", client])["backup"].clone();
            assert_eq!(fs::read_to_string(backup.as_str().unwrap()).unwrap(), text);
            assert_ne!(fs::read_to_string(&file).unwrap(), text);
            // The way there does not matter.
            user.ok(&["install", client, "--no-watch"]);
            user.ok(&["install", client]);
            user.ok(&["uninstall", client]);
            assert_eq!(user.files(), before, "{client}: {text:?}");
        }
    }
}

#[test]
fn a_dry_run_shows_what_would_change_and_changes_nothing() {
    let user = User::new();
    let shown = user.ok(&["install", "cursor", "--dry-run", "--name", "notes"]);
    assert!(shown.contains("would be made"), "{shown}");
    assert!(shown.contains("+    \"notes\": {\n"), "{shown}");
    assert_eq!(user.files(), BTreeMap::new());
    assert_eq!(fs::read_dir(user.pkb_home.path()).unwrap().count(), 0);

    fs::create_dir(user.path(".cursor")).unwrap();
    let text = "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n";
    fs::write(user.path(".cursor/mcp.json"), text).unwrap();
    let shown = user.ok(&["install", "cursor", "--dry-run"]);
    assert!(
        shown.contains("\n-    \"a\": {}\n+    \"a\": {},\n+    \"pkb\": {\n"),
        "{shown}"
    );
    user.ok(&["install", "cursor"]);
    let before = user.files();
    let shown = user.ok(&["uninstall", "cursor", "--dry-run"]);
    assert!(shown.contains("\n-    \"pkb\": {\n"), "{shown}");
    assert_eq!(user.files(), before);
}

#[test]
fn all_are_those_that_are_here_and_one_that_fails_stops_no_other() {
    let user = User::new();
    let output = user.run(&["install", "all"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("none of the clients"),
        "{}",
        said(&output)
    );
    assert_eq!(user.files(), BTreeMap::new());

    fs::create_dir(user.path(".cursor")).unwrap();
    fs::write(user.path(".cursor/mcp.json"), "{ \"mcpServers\": ").unwrap();
    fs::write(user.path(".claude.json"), "{\"numStartups\": 3}").unwrap();
    let output = user.run(&["install", "all"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = said(&output);
    assert!(
        errors.contains("Cursor") && errors.contains("is not valid JSON"),
        "{errors}"
    );
    assert_eq!(
        fs::read(user.path(".cursor/mcp.json")).unwrap(),
        b"{ \"mcpServers\": "
    );
    let settings = read(&user.path(".claude.json"));
    assert_eq!(settings["numStartups"], 3);
    assert!(settings["mcpServers"]["pkb"].is_object());
    assert_eq!(user.run(&["uninstall", "cursor"]).status.code(), Some(1));
}

#[test]
fn another_server_of_that_name_is_not_taken_for_pkb() {
    let user = User::new();
    let text = "{\"mcpServers\": {\"pkb\": {\"url\": \"http://127.0.0.1:9/mcp\"}}}";
    fs::write(user.path(".claude.json"), text).unwrap();
    for command in ["install", "uninstall"] {
        let output = user.run(&[command, "claude-code"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("--name"), "{}", said(&output));
        assert_eq!(fs::read_to_string(user.path(".claude.json")).unwrap(), text);
    }
    user.ok(&["install", "claude-code", "--name", "mine"]);
    user.ok(&["uninstall", "claude-code", "--name", "mine"]);
    assert_eq!(fs::read_to_string(user.path(".claude.json")).unwrap(), text);
    user.ok(&["install", "claude-code", "--replace"]);
    let entry = read(&user.path(".claude.json"))["mcpServers"]["pkb"].clone();
    assert!(entry.get("url").is_none(), "{entry}");
}

#[test]
fn projects_and_named_files_have_their_own_settings() {
    let user = User::new();
    let project = user.path("project");
    fs::create_dir(&project).unwrap();
    let folder = project.to_str().unwrap();
    for (client, file) in [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("zed", ".zed/settings.json"),
    ] {
        user.ok(&["install", client, "--project", folder]);
        assert!(project.join(file).is_file(), "{client}");
        user.ok(&["uninstall", client, "--project", folder]);
        assert_eq!(fs::read_dir(&project).unwrap().count(), 0, "{client}");
    }
    let desktop = user.run(&["install", "claude-desktop", "--project", folder]);
    assert_eq!(desktop.status.code(), Some(2));

    let named = user.path("profile/mcp.json");
    user.ok(&["install", "vscode", "--config", named.to_str().unwrap()]);
    assert!(read(&named)["servers"]["pkb"].is_object());
    let several = user.run(&["install", "vscode", "zed", "--config", "x.json"]);
    assert_eq!(several.status.code(), Some(2));
}

#[test]
fn a_client_can_have_a_pkb_that_only_reads() {
    let user = User::new();
    user.ok(&["install", "claude-code"]);
    let all = tools(&read(&user.path(".claude.json"))["mcpServers"]["pkb"]);
    let answer = user.json(&["install", "claude-code", "--read-only"]);
    assert_eq!(answer["outcome"], "updated");
    let entry = read(&user.path(".claude.json"))["mcpServers"]["pkb"].clone();
    let reading = tools(&entry);
    assert!(reading.len() < all.len(), "{reading:?} of {all:?}");
}

/// What a user has not chosen does not stand in a client's settings.
#[cfg(unix)]
#[test]
fn the_usual_home_is_not_written_down() {
    let user = User::new();
    let mut command = user.command(&["install", "claude-code"]);
    for name in ["PKB_HOME", "PKB_MODELS", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    assert!(command.output().unwrap().status.success());
    let entry = read(&user.path(".claude.json"))["mcpServers"]["pkb"].clone();
    assert_eq!(entry["args"], json!(["serve"]));
    // Nor is it made.
    assert_eq!(user.files().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn the_readme_shows_what_a_dry_run_prints() {
    let user = User::new();
    fs::create_dir_all(user.path(".config/zed")).unwrap();
    let settings =
        "// Zed settings\n{\n  \"theme\": \"One Dark\",\n  \"buffer_font_size\": 15,\n}\n";
    fs::write(user.path(".config/zed/settings.json"), settings).unwrap();
    let readme = fs::read_to_string(workspace_root().join("README.md")).unwrap();
    let program = pkb_binary().canonicalize().unwrap();
    for (client, _, _) in CLIENTS {
        let mut command = user.command(&["--quiet", "install", client, "--dry-run"]);
        let variables = [
            "PKB_HOME",
            "PKB_MODELS",
            "XDG_DATA_HOME",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
        ];
        for name in variables {
            command.env_remove(name);
        }
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let printed = printed.replace(program.to_str().unwrap(), "/home/you/.cargo/bin/pkb");
        let shown = format!("$ pkb install {client} --dry-run\n{printed}");
        assert!(readme.contains(&shown), "README.md lacks:\n{shown}");
    }
}

#[test]
fn folders_that_serve_is_given_become_sources_once() {
    let home = tempfile::tempdir().unwrap();
    let folders = tempfile::tempdir().unwrap();
    let folder = |name: &str| folders.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(folder("notes")).unwrap();
    fs::create_dir(folder("mail")).unwrap();
    let sources = || {
        let output = pkb(home.path())
            .args(["--json", "status"])
            .output()
            .unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        status["store"]["sources"].as_array().unwrap().len()
    };
    let serve = |folders: &[&str]| {
        let mut command = pkb(home.path());
        command
            .args(["serve", "--no-watch", "--folder"])
            .args(folders);
        talk(&mut command);
    };
    // What a bundle leaves open where its user chose nothing.
    serve(&[]);
    serve(&["${user_config.folders}", ""]);
    assert_eq!(sources(), 0);
    serve(&[&folder("notes"), &folder("mail"), &folder("gone")]);
    assert_eq!(sources(), 2);
    serve(&[&folder("mail"), &folder("notes/../notes")]);
    assert_eq!(sources(), 2);
}

#[test]
fn a_home_that_is_left_open_is_the_usual_one() {
    let user = User::new();
    for open in ["", "${user_config.home}"] {
        let mut command = user.command(&["--json", "install", "cursor", "--dry-run"]);
        let output = command.env("PKB_HOME", open).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(!answer.contains("--home"), "{answer}");
    }
}
