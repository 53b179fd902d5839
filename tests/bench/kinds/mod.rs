//! What each kind of file costs to read: in the sandbox, and by the same crate
//! native, in turns on the same bytes. Time is CPU time of the one thread that
//! reads, where the system tells it: files are in memory, and nothing waits.
//!
//! Real files are taken where there are some, and made ones where not; see
//! [`material`].

mod made;
mod material;
mod office;
mod reading;

use std::sync::Arc;
use std::time::Duration;
#[cfg(not(unix))]
use std::time::Instant;

use pkb_runtime::{Extractor, Origin, Sandbox, Settings};

use self::reading::{File, Reader};
use crate::{heading, percentile};

/// Turns of each kind. What is compared is the median.
const TURNS: usize = 7;
/// A turn takes at least so long: a set that is read faster is read again.
const LEAST: Duration = Duration::from_millis(100);

/// Files of one kind.
struct Kind {
    name: &'static str,
    reader: &'static Reader,
    /// Whether they are of our own making.
    made: bool,
    files: Vec<File>,
}

pub(crate) fn measure() {
    heading(
        "Kinds of files, read in the sandbox on one core; its time in that of the same crate native",
    );
    let sandbox = Sandbox::new(&Settings::default()).unwrap();
    println!(
        "  {:<18} {:<6} {:>6} {:>8} {:>7} {:>10} {:>8} {:>8}",
        "kind", "", "files", "MB", "items", "files/s", "MB/s", "native"
    );
    let (kinds, mut left_out) = material::kinds();
    for kind in kinds {
        left_out.extend(kind.measure(&sandbox));
    }
    for what in left_out {
        println!("  LEFT OUT: {what}");
    }
}

impl Kind {
    /// Prints a line of the table; says which files gave nothing.
    fn measure(mut self, sandbox: &Sandbox) -> Option<String> {
        let origin = Origin::Builtin(self.reader.component.into());
        let extractor = match sandbox.extractor(&origin) {
            Ok(extractor) => extractor,
            // A machine may be too busy to compile it in time.
            Err(error) => return Some(format!("{}: {error}", self.name)),
        };
        let (items, left_out) = self.check(&extractor);
        if self.files.is_empty() {
            return left_out;
        }
        let files = &self.files;
        let inside = || reading::all_inside(&extractor, files);
        let native = || reading::all_native(self.reader, files);

        let passes = LEAST.div_duration_f64(timed(1, native)).ceil() as usize;
        let passes = passes.clamp(1, 1_000);
        let (mut in_sandbox, mut outside): (Vec<_>, Vec<_>) = (0..TURNS)
            .map(|_| (timed(passes, inside), timed(passes, native)))
            .unzip();
        let in_sandbox = percentile(&mut in_sandbox, 0.5).as_secs_f64();
        let outside = percentile(&mut outside, 0.5).as_secs_f64();

        let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
        let rate = |work: f64| work * passes as f64 / in_sandbox;
        println!(
            "  {:<18} {:<6} {:>6} {:>8.2} {:>7} {:>10.1} {:>8.2} {:>7.2}x",
            self.name,
            if self.made { "made" } else { "real" },
            files.len(),
            bytes as f64 / 1e6,
            items,
            rate(files.len() as f64),
            rate(bytes as f64 / 1e6),
            in_sandbox / outside,
        );
        left_out
    }

    /// Reads every file both ways, which must come to the same, and keeps those
    /// that give something. The number of documents and files in them, and what
    /// is to be said of the others.
    fn check(&mut self, extractor: &Extractor) -> (usize, Option<String>) {
        let (mut items, mut failed) = (0, Vec::new());
        let reader = self.reader;
        self.files.retain(|file| {
            let (inside, native) = (
                reading::seen_inside(extractor, file),
                reading::seen_native(reader, file),
            );
            match (inside, native) {
                (Ok(inside), Ok(native)) => {
                    inside.assert_same(&native, &file.name);
                    items += native.items();
                    true
                }
                (Err(_), Err(native)) => {
                    failed.push(format!("{} ({native})", file.name));
                    false
                }
                (inside, native) => panic!(
                    "{}: {:?} in the sandbox, {:?} native",
                    file.name,
                    inside.err(),
                    native.err()
                ),
            }
        });
        let left_out = (!failed.is_empty()).then(|| {
            let (count, first) = (failed.len(), failed.swap_remove(0));
            let more = match count {
                1 => String::new(),
                _ => format!(" and {} more", count - 1),
            };
            let of = count + self.files.len();
            format!(
                "{}: {count} of {of} files give nothing: {first}{more}",
                self.name
            )
        });
        (items, left_out)
    }
}

/// How long it takes this thread to do `work` so many times.
#[cfg(unix)]
fn timed(times: usize, work: impl Fn()) -> Duration {
    let now = || {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(now).unwrap()
    };
    let began = now();
    (0..times).for_each(|_| work());
    now() - began
}

#[cfg(not(unix))]
fn timed(times: usize, work: impl Fn()) -> Duration {
    let began = Instant::now();
    (0..times).for_each(|_| work());
    began.elapsed()
}

/// A file that is in memory.
fn file(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> File {
    File {
        name: name.into(),
        bytes: Arc::new(bytes.into()),
    }
}
