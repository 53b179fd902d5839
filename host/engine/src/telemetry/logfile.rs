//! A log file that does not grow without end.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Size from which a log is put aside, in bytes.
const MOST: u64 = 10 << 20;

/// A file that lines are added to, by any number of processes at once. When it
/// has 10 MB it becomes `NAME.old`, in place of the one before, and a new one
/// begins.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    most: u64,
    file: Mutex<File>,
}

impl LogFile {
    /// Opens the file, which is made where it is missing, for its owner alone.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<LogFile> {
        LogFile::bounded(path, MOST)
    }

    fn bounded(path: &Path, most: u64) -> io::Result<LogFile> {
        // A relative path means the same wherever the process goes.
        let path = std::path::absolute(path)?;
        let file = Mutex::new(open(&path)?);
        Ok(LogFile { path, most, file })
    }

    /// Where a log goes when it has its size.
    fn old(&self) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(".old");
        name.into()
    }

    /// Goes on in a new file where `file` has its size. That may have been put
    /// aside by another process already: then only the new one is opened.
    fn turn(&self, file: &mut File) -> io::Result<()> {
        if file.metadata()?.len() < self.most {
            return Ok(());
        }
        // Whoever else has this file open waits for the lock of the same file,
        // for as long as a rename takes.
        file.lock()?;
        let full = fs::metadata(&self.path).is_ok_and(|there| there.len() >= self.most);
        let turned = if full {
            fs::rename(&self.path, self.old())
        } else {
            Ok(())
        };
        let next = turned.and_then(|()| open(&self.path));
        let _ = file.unlock();
        *file = next?;
        Ok(())
    }
}

impl Write for &LogFile {
    /// Adds a whole line, which no other process's line is mixed with.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be put aside is better than none.
        let _ = self.turn(&mut file);
        file.write_all(line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_within_its_size_and_one_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pkb.log");
        let log = LogFile::bounded(&path, 1_000).unwrap();
        for number in 0..500 {
            (&log)
                .write_all(format!("line {number}\n").as_bytes())
                .unwrap();
        }
        let (now, old) = (
            fs::read_to_string(&path).unwrap(),
            fs::read_to_string(log.old()).unwrap(),
        );
        assert!(now.len() <= 1_010 && old.len() <= 1_010);
        assert!(now.ends_with("line 499\n"), "{now}");
        let both = old + &now;
        let lines: Vec<&str> = both.lines().collect();
        let wanted: Vec<String> = (500 - lines.len()..500)
            .map(|n| format!("line {n}"))
            .collect();
        assert_eq!(lines, wanted, "nothing is lost in between");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn several_processes_share_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pkb.log");
        // Each has the file open for itself, as processes do.
        let logs: Vec<LogFile> = (0..4)
            .map(|_| LogFile::bounded(&path, 2_000).unwrap())
            .collect();
        std::thread::scope(|scope| {
            for (who, log) in logs.iter().enumerate() {
                scope.spawn(move || {
                    for number in 0..300 {
                        let line = format!("process {who} says {number:04}\n");
                        { log }.write_all(line.as_bytes()).unwrap();
                    }
                });
            }
        });
        for file in [path, logs[0].old()] {
            let text = fs::read_to_string(&file).unwrap();
            // Each process may add a line while another puts the file aside.
            assert!(text.len() < 2_000 + 8 * 20, "{} bytes", text.len());
            assert!(text.lines().all(|line| line.len() == 19), "{text}");
        }
    }

    #[test]
    fn a_log_that_was_removed_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pkb.log");
        let log = LogFile::bounded(&path, 10).unwrap();
        (&log).write_all(b"a first line\n").unwrap();
        fs::remove_file(&path).unwrap();
        (&log).write_all(b"second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
    }
}
