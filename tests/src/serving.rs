//! A pkb that serves over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Longer than a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

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
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        let stderr = child.stderr.take().expect("stderr is piped");
        let (send, lines) = channel();
        // It is read to its end, or the server would wait for its reader.
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                eprintln!("{line}");
                let _ = send.send(line);
            }
        });
        let url = loop {
            let line = lines
                .recv_timeout(PATIENCE)
                .expect("the server says where it is");
            let found = line
                .split_whitespace()
                .find(|word| word.starts_with("http://127.0.0.1:"));
            if let Some(url) = found {
                break url.trim_end_matches(['.', ',']).to_owned();
            }
        };
        Serving { child, url }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
