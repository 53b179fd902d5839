//! The clients that pkb can be put into: where each keeps its settings, and
//! what has to be done for it to see them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

/// An AI client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[value(name = "vscode")]
    VsCode,
    /// Zed.
    Zed,
}

/// Looks up a variable of the environment.
pub(crate) type Variables = Box<dyn Fn(&str) -> Option<OsString>>;

/// The machine as far as clients look at it.
pub(crate) struct Machine {
    /// Which system.
    pub(crate) system: System,
    /// The user's home folder.
    pub(crate) home: PathBuf,
    /// Variables of the environment.
    pub(crate) variable: Variables,
}

/// A system, as far as its folders differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// Linux and its like.
    Unix,
}

impl Machine {
    /// This one; none where the user has no home folder.
    pub(crate) fn this() -> Option<Machine> {
        let system = if cfg!(target_os = "macos") {
            System::Mac
        } else if cfg!(windows) {
            System::Windows
        } else {
            System::Unix
        };
        Some(Machine {
            system,
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty())?,
            variable: Box::new(|name| std::env::var_os(name)),
        })
    }

    /// A folder that a variable names; relative ones count for nothing.
    fn named(&self, variable: &str) -> Option<PathBuf> {
        let folder = PathBuf::from((self.variable)(variable)?);
        // Windows' paths are not told from relative ones elsewhere.
        (folder.is_absolute() || (self.system == System::Windows && !folder.as_os_str().is_empty()))
            .then_some(folder)
    }

    /// Where programs with windows keep their settings.
    fn settings(&self) -> PathBuf {
        match self.system {
            System::Mac => self.home.join("Library").join("Application Support"),
            System::Windows => self
                .named("APPDATA")
                .unwrap_or_else(|| self.home.join("AppData").join("Roaming")),
            System::Unix => self.config(),
        }
    }

    /// Where programs of Unix keep their settings.
    fn config(&self) -> PathBuf {
        let named = match self.system {
            System::Unix => self.named("XDG_CONFIG_HOME"),
            System::Mac | System::Windows => None,
        };
        named.unwrap_or_else(|| self.home.join(".config"))
    }
}

impl Client {
    /// All of them.
    pub(crate) const ALL: [Client; 5] = [
        Client::ClaudeDesktop,
        Client::ClaudeCode,
        Client::Cursor,
        Client::VsCode,
        Client::Zed,
    ];

    /// Its name on the command line.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Client::ClaudeDesktop => "claude-desktop",
            Client::ClaudeCode => "claude-code",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::Zed => "zed",
        }
    }

    /// Its name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Client::ClaudeDesktop => "Claude Desktop",
            Client::ClaudeCode => "Claude Code",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::Zed => "Zed",
        }
    }

    /// What it calls the object of servers in its settings.
    pub(crate) fn section(self) -> &'static str {
        match self {
            Client::ClaudeDesktop | Client::ClaudeCode | Client::Cursor => "mcpServers",
            Client::VsCode => "servers",
            Client::Zed => "context_servers",
        }
    }

    /// Whether an entry says that its server speaks over stdio.
    pub(crate) fn typed(self) -> bool {
        matches!(self, Client::ClaudeCode | Client::VsCode)
    }

    /// The file of settings for everything this user does with it.
    pub(crate) fn user_file(self, machine: &Machine) -> PathBuf {
        match self {
            Client::ClaudeDesktop => claude_desktop(machine),
            Client::ClaudeCode => machine
                .named("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| machine.home.clone())
                .join(".claude.json"),
            Client::Cursor => machine.home.join(".cursor").join("mcp.json"),
            Client::VsCode => machine
                .settings()
                .join("Code")
                .join("User")
                .join("mcp.json"),
            Client::Zed => zed(machine).join("settings.json"),
        }
    }

    /// The file of settings for one project; none where it has no such.
    pub(crate) fn project_file(self, project: &Path) -> Option<PathBuf> {
        match self {
            Client::ClaudeDesktop => None,
            Client::ClaudeCode => Some(project.join(".mcp.json")),
            Client::Cursor => Some(project.join(".cursor").join("mcp.json")),
            Client::VsCode => Some(project.join(".vscode").join("mcp.json")),
            Client::Zed => Some(project.join(".zed").join("settings.json")),
        }
    }

    /// Whether this user has it, as far as its own files show.
    pub(crate) fn is_here(self, machine: &Machine) -> bool {
        let file = self.user_file(machine);
        match self {
            Client::ClaudeCode => file.exists() || machine.home.join(".claude").is_dir(),
            _ => file.parent().is_some_and(Path::is_dir),
        }
    }

    /// How many folders above its file are its own, and go with the file that
    /// was the last thing in them.
    pub(crate) fn own_folders(self, in_project: bool) -> usize {
        match self {
            Client::ClaudeCode => 0,
            Client::VsCode if !in_project => 2,
            _ => 1,
        }
    }

    /// What makes it see what was changed.
    pub(crate) fn next(self, in_project: bool, name: &str) -> String {
        match self {
            Client::ClaudeDesktop => format!(
                "quit Claude Desktop, not only its window, and start it again; {name} is then listed in Settings, Developer"
            ),
            Client::ClaudeCode if in_project => format!(
                "start claude in that folder and allow the server when it asks; /mcp shows {name}"
            ),
            Client::ClaudeCode => format!("start claude anew; /mcp shows {name}"),
            Client::Cursor => format!(
                "{name} is listed in Cursor's settings, under MCP; if it is not running there, turn it on or start Cursor again"
            ),
            Client::VsCode => format!(
                "in VS Code, run \"MCP: List Servers\", choose {name} and start it; its tools are there in agent mode"
            ),
            Client::Zed => format!(
                "{name} is listed in the settings of Zed's agent panel; a green dot says that it runs"
            ),
        }
    }
}

/// On Windows, Claude Desktop is mostly installed as a package, and then has its
/// settings in a folder of its own instead of the user's: in `Claude-Data`, or
/// with older ones where the system keeps what a package writes.
fn claude_desktop(machine: &Machine) -> PathBuf {
    const FILE: &str = "claude_desktop_config.json";
    let plain = machine.settings().join("Claude");
    if machine.system != System::Windows {
        return plain.join(FILE);
    }
    let local = machine
        .named("LOCALAPPDATA")
        .unwrap_or_else(|| machine.home.join("AppData").join("Local"));
    let mut folders = claudes(&local.join("Claude-Data"));
    for package in claudes(&local.join("Packages")) {
        folders.push(package.join("LocalCache").join("Roaming").join("Claude"));
    }
    folders.retain(|folder| folder.is_dir());
    let used = folders.iter().find(|folder| folder.join(FILE).is_file());
    used.or(folders.first()).unwrap_or(&plain).join(FILE)
}

/// Folders in a folder that are a Claude's, by name.
fn claudes(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            name == "claude" || name.starts_with("claude_")
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn zed(machine: &Machine) -> PathBuf {
    match machine.system {
        System::Windows => machine.settings().join("Zed"),
        System::Mac => machine.config().join("zed"),
        System::Unix => machine
            .named("FLATPAK_XDG_CONFIG_HOME")
            .unwrap_or_else(|| machine.config())
            .join("zed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(system: System, variables: &'static [(&str, &str)]) -> Machine {
        Machine {
            system,
            home: "/home/jane".into(),
            variable: Box::new(move |name| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| value.into())
            }),
        }
    }

    fn files(machine: &Machine) -> Vec<String> {
        let files = Client::ALL.iter().map(|client| client.user_file(machine));
        files
            .map(|file| file.to_string_lossy().replace('\\', "/"))
            .collect()
    }

    #[test]
    fn each_system_has_its_own_places() {
        assert_eq!(
            files(&machine(System::Unix, &[])),
            [
                "/home/jane/.config/Claude/claude_desktop_config.json",
                "/home/jane/.claude.json",
                "/home/jane/.cursor/mcp.json",
                "/home/jane/.config/Code/User/mcp.json",
                "/home/jane/.config/zed/settings.json",
            ]
        );
        assert_eq!(
            files(&machine(System::Mac, &[("XDG_CONFIG_HOME", "/elsewhere")])),
            [
                "/home/jane/Library/Application Support/Claude/claude_desktop_config.json",
                "/home/jane/.claude.json",
                "/home/jane/.cursor/mcp.json",
                "/home/jane/Library/Application Support/Code/User/mcp.json",
                "/home/jane/.config/zed/settings.json",
            ]
        );
        assert_eq!(
            files(&machine(System::Windows, &[("APPDATA", "/roaming")])),
            [
                "/roaming/Claude/claude_desktop_config.json",
                "/home/jane/.claude.json",
                "/home/jane/.cursor/mcp.json",
                "/roaming/Code/User/mcp.json",
                "/roaming/Zed/settings.json",
            ]
        );
    }

    #[test]
    fn variables_move_what_they_move_for_the_clients() {
        let moved = machine(
            System::Unix,
            &[
                ("XDG_CONFIG_HOME", "/config"),
                ("CLAUDE_CONFIG_DIR", "/claude"),
                ("APPDATA", "/roaming"),
            ],
        );
        assert_eq!(
            files(&moved),
            [
                "/config/Claude/claude_desktop_config.json",
                "/claude/.claude.json",
                "/home/jane/.cursor/mcp.json",
                "/config/Code/User/mcp.json",
                "/config/zed/settings.json",
            ]
        );
        let relative = machine(System::Unix, &[("XDG_CONFIG_HOME", "config")]);
        assert!(files(&relative)[4].starts_with("/home/jane/.config"));
    }

    #[test]
    fn a_packaged_claude_desktop_has_its_settings_in_its_package() {
        let local = tempfile::tempdir().unwrap();
        let path = local.path().to_owned();
        let machine = Machine {
            system: System::Windows,
            home: "/home/jane".into(),
            variable: Box::new(move |name| match name {
                "LOCALAPPDATA" => Some(path.clone().into_os_string()),
                "APPDATA" => Some("/roaming".into()),
                _ => None,
            }),
        };
        let file = "claude_desktop_config.json";
        let plain = Path::new("/roaming/Claude").join(file);
        assert_eq!(claude_desktop(&machine), plain);
        let old = local
            .path()
            .join("Packages/Claude_abc/LocalCache/Roaming/Claude");
        std::fs::create_dir_all(&old).unwrap();
        assert_eq!(claude_desktop(&machine), old.join(file));
        let new = local.path().join("Claude-Data/claude_abc");
        std::fs::create_dir_all(&new).unwrap();
        assert_eq!(claude_desktop(&machine), new.join(file));
        // The one that is in use.
        std::fs::write(old.join(file), "{}").unwrap();
        assert_eq!(claude_desktop(&machine), old.join(file));
    }
}
