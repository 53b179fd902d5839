//! A pkb that serves over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server at a free port of this machine, which ends when this is dropped.
pub struct Serving {
    child: Child,
    /// Where its clients speak with it, such as `http://127.0.0.1:40001/mcp`.
    pub url: String,
}

impl Serving {
    /// Starts `command`, a pkb with its home, to serve and waits for the
    /// address that it prints.
    pub fn start(mut command: Command) -> Serving {
        command
            .args(["serve", "--no-watch", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("stdout can be read");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://127.0.0.1:"))
            .unwrap_or_else(|| panic!("{line:?} does not say where the server is"))
            .to_owned();
        Serving { child, url }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
