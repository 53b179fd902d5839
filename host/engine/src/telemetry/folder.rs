//! Numbers kept in the home: one small file for each day.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::numbers::Numbers;

/// Days whose numbers are kept.
const DAYS: i64 = 90;
/// A file larger than this, in bytes, is none of ours: a busy day's takes a few
/// dozen kilobytes.
const MOST_BYTES: u64 = 4 << 20;
/// How long another process may be waited for, which needs a millisecond.
const PATIENCE: Duration = Duration::from_secs(2);
/// The form of the files.
const VERSION: u32 = 1;

/// The folder `telemetry` of a home.
pub(super) struct Folder {
    home: PathBuf,
    path: PathBuf,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Day {
    version: u32,
    stages: Numbers,
}

impl Folder {
    pub(super) fn of_home(home: &Path) -> Folder {
        Folder {
            home: home.into(),
            path: home.join("telemetry"),
        }
    }

    /// Adds `fresh` to today's numbers. Without effect where there is no home.
    pub(super) fn add(&self, fresh: &Numbers) -> io::Result<()> {
        self.add_on(today(), fresh)
    }

    fn add_on(&self, day: Date, fresh: &Numbers) -> io::Result<()> {
        if !self.home.is_dir() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let path = self.file(day);
        let mut numbers = match read(&path) {
            Ok(Some(numbers)) => numbers,
            Ok(None) => {
                self.forget_before(day);
                Numbers::default()
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(error),
            Err(error) => {
                tracing::debug!("{} begins anew: {error}", path.display());
                Numbers::default()
            }
        };
        numbers.merge(fresh);
        let text = serde_json::to_vec(&Day {
            version: VERSION,
            stages: numbers,
        })?;
        // Not forced to the disk: after a loss of power a day may begin anew.
        let fresh = path.with_extension("new");
        write_private(&fresh, &text)?;
        fs::rename(&fresh, &path)
    }

    /// The numbers from `since` on, with the days that have any, in order. What
    /// cannot be read is left out.
    pub(super) fn since(&self, since: Date) -> (Numbers, Vec<Date>) {
        let mut numbers = Numbers::default();
        let mut days = Vec::new();
        for (day, path) in self.files() {
            if day < since {
                continue;
            }
            match read(&path) {
                Ok(Some(one)) if !one.is_empty() => {
                    numbers.merge(&one);
                    days.push(day);
                }
                Ok(_) => {}
                Err(error) => tracing::warn!("{} is left out: {error}", path.display()),
            }
        }
        (numbers, days)
    }

    /// Forgets everything.
    pub(super) fn clear(&self) -> io::Result<()> {
        if !self.path.is_dir() {
            return Ok(());
        }
        let _lock = self.lock()?;
        for (_, path) in self.files() {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    fn file(&self, day: Date) -> PathBuf {
        self.path.join(format!("{day}.json"))
    }

    /// The files there are, by day.
    fn files(&self) -> Vec<(Date, PathBuf)> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut files: Vec<(Date, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let name = path.file_name().and_then(OsStr::to_str)?;
                Some((name.strip_suffix(".json")?.parse().ok()?, path))
            })
            .collect();
        files.sort();
        files
    }

    fn forget_before(&self, day: Date) {
        let Ok(oldest) = day.checked_sub((DAYS - 1).days()) else {
            return;
        };
        for (day, path) in self.files() {
            if day < oldest {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// One process at a time adds; the system frees the lock of one that dies.
    fn lock(&self) -> io::Result<File> {
        let mut folder = DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.path)?;
        let file = private().truncate(false).open(self.path.join("lock"))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::other("another process keeps the folder busy"));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// The present day, in the time zone that files are named in.
pub(super) fn today() -> Date {
    day_of(Timestamp::now())
}

/// The day of a moment, likewise.
pub(super) fn day_of(moment: Timestamp) -> Date {
    moment.to_zoned_datetime(jiff::tz::TimeZone::UTC).date()
}

/// None where there is no such file. One of a newer pkb is `Unsupported`: it is
/// neither read nor replaced.
fn read(path: &Path) -> io::Result<Option<Numbers>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it is too large to be right"));
    }
    #[derive(Deserialize)]
    struct Form {
        version: u32,
    }
    let Form { version } = serde_json::from_slice(&text)?;
    if version > VERSION {
        let newer = format!("it has form {version}, and this pkb knows {VERSION}");
        return Err(io::Error::new(io::ErrorKind::Unsupported, newer));
    }
    let day: Day = serde_json::from_slice(&text)?;
    Ok(Some(day.stages))
}

fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = private().truncate(true).open(path)?;
    io::Write::write_all(&mut file, text)
}

/// Makes files that only their owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(calls: u64) -> Numbers {
        let mut numbers = Numbers::default();
        for time in 0..calls {
            numbers.change(&"search".into(), |stage| stage.call(time));
        }
        numbers
    }

    fn calls(folder: &Folder) -> u64 {
        let (numbers, _) = folder.since(Date::MIN);
        numbers.stage("search").map_or(0, |stage| stage.calls)
    }

    #[test]
    fn numbers_add_up_over_days_and_old_ones_go() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of_home(home.path());
        let last = jiff::civil::date(2026, 11, 30);
        for back in (0..100).rev() {
            let day = last.checked_sub(back.days()).unwrap();
            folder.add_on(day, &numbers(2)).unwrap();
            folder.add_on(day, &numbers(1)).unwrap();
        }
        assert_eq!(calls(&folder), 3 * DAYS as u64);
        let (recent, days) = folder.since(last.checked_sub(6.days()).unwrap());
        assert_eq!(recent.stage("search").unwrap().calls, 21);
        assert_eq!(days.len(), 7);
        folder.clear().unwrap();
        assert_eq!(calls(&folder), 0);
    }

    #[test]
    fn a_damaged_day_begins_anew_and_others_stay() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of_home(home.path());
        let (before, day) = (
            jiff::civil::date(2026, 11, 29),
            jiff::civil::date(2026, 11, 30),
        );
        folder.add_on(before, &numbers(5)).unwrap();
        for damage in [&b""[..], b"{", b"{\"version\":1}", b"[]", b"\xff\xfe"] {
            fs::write(folder.file(day), damage).unwrap();
            assert_eq!(calls(&folder), 5);
            folder.add_on(day, &numbers(2)).unwrap();
            assert_eq!(calls(&folder), 7);
        }
        let large = vec![b' '; MOST_BYTES as usize + 1];
        fs::write(folder.file(day), large).unwrap();
        folder.add_on(day, &numbers(1)).unwrap();
        assert_eq!(calls(&folder), 6);
    }

    #[test]
    fn a_newer_pkbs_numbers_are_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of_home(home.path());
        let day = today();
        folder.add_on(day, &numbers(1)).unwrap();
        let newer = b"{\"version\":2,\"stages\":[]}";
        fs::write(folder.file(day), newer).unwrap();
        assert!(folder.add_on(day, &numbers(1)).is_err());
        assert_eq!(fs::read(folder.file(day)).unwrap(), newer);
        assert_eq!(calls(&folder), 0);
    }

    #[test]
    fn a_home_that_is_not_there_is_not_made() {
        let home = tempfile::tempdir().unwrap();
        let missing = home.path().join("missing");
        let folder = Folder::of_home(&missing);
        folder.add(&numbers(1)).unwrap();
        folder.clear().unwrap();
        assert_eq!(calls(&folder), 0);
        assert!(!missing.exists());
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let home = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let folder = Folder::of_home(home.path());
                    for _ in 0..25 {
                        folder.add(&numbers(1)).unwrap();
                    }
                });
            }
        });
        assert_eq!(calls(&Folder::of_home(home.path())), 200);
    }
}
