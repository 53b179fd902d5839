//! Node and the npm packages that `tests/clients` locks.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// A Node that has those packages.
pub struct Node {
    binary: PathBuf,
    modules: PathBuf,
}

impl Node {
    /// As `PKB_TEST_NODE` and `PKB_TEST_NODE_MODULES` name them; none, with a
    /// message, where they do not.
    pub fn find() -> Option<Node> {
        let named = |name| env::var_os(name).map(PathBuf::from);
        let found = named("PKB_TEST_NODE").zip(named("PKB_TEST_NODE_MODULES"));
        match found {
            Some((binary, modules)) if binary.is_file() && modules.is_dir() => {
                Some(Node { binary, modules })
            }
            _ => {
                eprintln!(
                    "skipped: no Node with the packages of tests/clients; `just setup` installs them and `just test` \
                     says where they are (PKB_TEST_NODE, PKB_TEST_NODE_MODULES)"
                );
                None
            }
        }
    }

    /// A script of the tests, which finds the packages through
    /// `PKB_TEST_NODE_MODULES`.
    pub fn script(&self, script: PathBuf) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .arg(script)
            .env("PKB_TEST_NODE_MODULES", &self.modules);
        command
    }

    /// A program of a package, such as
    /// `@modelcontextprotocol/conformance/dist/index.js`.
    pub fn program(&self, path: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg(self.modules.join(path));
        command
    }

    /// A file of a package.
    pub fn file(&self, path: &str) -> PathBuf {
        self.modules.join(path)
    }
}
