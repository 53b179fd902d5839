//! The words in pictures, by `tesseract` where it is installed: a program of
//! its own, held to a time and to an amount of text.

use std::env;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use pkb_runtime::PictureReader;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The program.
const PROGRAM: &str = "tesseract";
/// Time for one picture.
const TIME: Duration = Duration::from_secs(120);
/// How often the program is asked whether it is done.
const POLL: Duration = Duration::from_millis(20);
/// Text of one picture, in bytes.
const MOST_TEXT: u64 = 4 << 20;
/// The languages that are read where nobody says.
const LANGUAGES: &str = "eng";
/// A source with more bytes of such files than this is not read by default:
/// a second a page adds up.
const SOURCE_UP_TO: u64 = 256 << 20;
/// How to have it.
const HOW: &str = "Install tesseract and run `pkb sync --all` to have such pages read";

/// When a source's pictures are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Where the program is there and the source is not large.
    #[default]
    Auto,
    /// However large the source is.
    On,
    /// Never.
    Off,
}

/// How a source's pictures are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OcrSettings {
    /// When; none where nobody said, which is [`When::Auto`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// Languages as tesseract names them, joined by `+`: `eng+deu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<String>,
}

impl OcrSettings {
    /// These, where they say something, over those from before.
    pub(crate) fn over(&self, before: OcrSettings) -> OcrSettings {
        OcrSettings {
            when: self.when.or(before.when),
            languages: self.languages.clone().or(before.languages),
        }
    }

    pub(crate) fn to_key(&self) -> String {
        format!("{:?} {}", self.when.unwrap_or_default(), self.languages())
    }

    fn languages(&self) -> &str {
        self.languages.as_deref().unwrap_or(LANGUAGES)
    }

    /// Whether the languages can be names of languages at all.
    ///
    /// # Errors
    /// Wrong usage, where not.
    pub fn check(&self) -> Result<(), Error> {
        let languages = self.languages();
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/';
        let named = |language: &str| !language.is_empty() && language.chars().all(fine);
        if languages.split('+').all(named) {
            return Ok(());
        }
        Err(Error::usage(
            format!("{languages:?} names no languages for OCR"),
            "Write them as tesseract does, like eng or eng+deu; `tesseract --list-langs` lists them.",
        ))
    }
}

/// Reads pictures for a source with `bytes` of files that may ask for it.
pub(crate) fn reader(settings: &OcrSettings, bytes: u64) -> Arc<dyn PictureReader> {
    let refused = match settings.when.unwrap_or_default() {
        When::Off => {
            Some("OCR is off for this source; `pkb add PATH --ocr on` turns it on.".into())
        }
        When::Auto if bytes > SOURCE_UP_TO => Some(format!(
            "OCR is off for sources with more than {} MB of such files; `pkb add PATH --ocr on` turns it on.",
            SOURCE_UP_TO >> 20
        )),
        When::Auto | When::On => None,
    };
    Arc::new(Tesseract {
        languages: settings.languages().to_owned(),
        refused,
        program: OnceLock::new(),
    })
}

struct Tesseract {
    languages: String,
    /// Why nothing is read.
    refused: Option<String>,
    /// Where the program is, or what is wrong with it.
    program: OnceLock<Result<PathBuf, String>>,
}

impl Tesseract {
    fn program(&self) -> Result<&PathBuf, String> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let program = self.program.get_or_init(|| self.find());
        program.as_ref().map_err(Clone::clone)
    }

    fn find(&self) -> Result<PathBuf, String> {
        let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
        let folders = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|path| path.is_file())
            .ok_or_else(|| format!("{HOW}."))?;
        let mut list = Command::new(&program);
        let output = run(list.arg("--list-langs"), &[])?;
        let installed: Vec<&str> = output.lines().map(str::trim).collect();
        let missing: Vec<&str> = self
            .languages
            .split('+')
            .filter(|language| !installed.contains(language))
            .collect();
        if missing.is_empty() {
            return Ok(program);
        }
        Err(format!(
            "tesseract has no data for the language {}; install it, or choose others with `pkb add PATH --ocr-languages`.",
            missing.join(", ")
        ))
    }
}

impl PictureReader for Tesseract {
    fn available(&self) -> Result<(), String> {
        self.program().map(|_| ())
    }

    fn read(&self, png: &[u8]) -> Result<String, String> {
        let program = self.program()?;
        let mut command = Command::new(program);
        command
            .args(["stdin", "stdout", "-l", &self.languages])
            // Pages are read side by side already.
            .env("OMP_THREAD_LIMIT", "1");
        run(&mut command, png)
    }
}

/// What the program says, given `input`.
fn run(command: &mut Command, input: &[u8]) -> Result<String, String> {
    let failed = |error: io::Error| format!("{PROGRAM} cannot be run: {error}.");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (text, status) = thread::scope(|scope| {
        scope.spawn(move || {
            // It may end before it has read everything; how it ended says more.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        let reading = scope.spawn(move || {
            let mut text = Vec::new();
            let read = stdout.map(|stdout| stdout.take(MOST_TEXT).read_to_end(&mut text));
            read.transpose().map(|_| text)
        });
        let status = wait(&mut child);
        let text = reading.join().unwrap_or_else(|_| Ok(Vec::new()));
        (text, status)
    });
    match status.map_err(failed)? {
        None => Err(format!(
            "{PROGRAM} took longer than {} s for a page and was stopped.",
            TIME.as_secs()
        )),
        Some(false) => Err(format!("{PROGRAM} could not read a page.")),
        Some(true) => Ok(String::from_utf8_lossy(&text.map_err(failed)?).into_owned()),
    }
}

/// Whether the program ended well; none where it had to be stopped.
fn wait(child: &mut Child) -> io::Result<Option<bool>> {
    let until = Instant::now() + TIME;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_sources_and_those_that_say_so_are_not_read() {
        let auto = OcrSettings::default();
        let said = reader(&auto, SOURCE_UP_TO + 1).available().unwrap_err();
        assert!(said.contains("--ocr on"), "{said}");
        let off = OcrSettings {
            when: Some(When::Off),
            ..OcrSettings::default()
        };
        assert!(reader(&off, 0).available().is_err());
        assert!(reader(&off, 0).read(b"").is_err());
    }

    #[test]
    fn languages_are_words() {
        let check = |languages: &str| {
            let languages = Some(languages.to_owned());
            let when = Some(When::On);
            OcrSettings { when, languages }.check().is_ok()
        };
        assert!(check("eng") && check("eng+chi_sim") && check("script/Latin"));
        assert!(!check("") && !check("eng+") && !check("-c") && !check("eng deu"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_or_reads_nothing_is_an_error_or_no_text() {
        let input = vec![b'x'; 1 << 20];
        assert_eq!(run(&mut Command::new("true"), &input), Ok(String::new()));
        assert!(run(&mut Command::new("false"), &input).is_err());
        let echoed = run(&mut Command::new("cat"), &input).unwrap();
        assert_eq!(echoed.len(), input.len());
        assert!(run(&mut Command::new("/no/such/program"), &input).is_err());
    }
}
