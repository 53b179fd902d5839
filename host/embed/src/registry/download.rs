//! Downloading one file whose size and hash are known beforehand.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use ureq::http::{Response, StatusCode, header};

use super::Progress;
use crate::Error;

/// How often a failure that may pass is tried again before any byte more has
/// come in.
const RETRIES: u32 = 3;

/// Bytes handled at once, between two questions whether to stop.
const PIECE: usize = 1 << 16;

/// A file that is to be downloaded.
pub(super) struct Wanted<'a> {
    pub(super) url: String,
    pub(super) bytes: u64,
    /// 64 lower-case hexadecimal digits.
    pub(super) sha256: &'a str,
    /// How to get it where there is no network; a sentence without its stop.
    pub(super) by_hand: String,
}

/// What downloads.
pub(super) struct Client {
    agent: ureq::Agent,
    /// The wait before the first retry; doubles with each.
    backoff: Duration,
}

/// Why one attempt failed.
enum Failed {
    /// It may go better at once.
    Passing(String),
    /// It will not.
    Lasting(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Lasting(error)
    }
}

impl Client {
    /// A client that goes through the proxy the environment names, if any.
    pub(super) fn new() -> Self {
        Self::with(
            ureq::Proxy::try_from_env(),
            Duration::from_secs(30),
            Duration::from_secs(1),
        )
    }

    /// A client of other patience.
    pub(super) fn with(proxy: Option<ureq::Proxy>, patience: Duration, backoff: Duration) -> Self {
        let agent = ureq::Agent::config_builder()
            .proxy(proxy)
            .http_status_as_error(false)
            .user_agent(concat!("pkb/", env!("CARGO_PKG_VERSION")))
            // A packed answer would fit neither the sizes nor the ranges.
            .accept_encoding("identity")
            .timeout_resolve(Some(patience))
            .timeout_connect(Some(patience))
            .timeout_recv_response(Some(patience))
            // For each read, so that a slow connection is not cut off.
            .timeout_per_read(Some(patience))
            .build()
            .new_agent();
        Self { agent, backoff }
    }

    /// Downloads a file to `target`, by way of `target` with `.part` added,
    /// which stays after an interruption and is gone on from. Does nothing
    /// where `target` is there and right.
    pub(super) fn fetch(
        &self,
        wanted: &Wanted<'_>,
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        if target.exists() {
            if sha256(target)? == wanted.sha256 {
                progress.bytes(wanted.bytes, wanted.bytes);
                return Ok(());
            }
            fs::remove_file(target).map_err(Error::io("delete", target))?;
        }
        let part = Part::beside(target);
        let mut failures = 0;
        let mut furthest = 0;
        loop {
            let reason = match self.attempt(wanted, &part, progress) {
                Ok(()) => break,
                Err(Failed::Lasting(error)) => return Err(error),
                Err(Failed::Passing(reason)) => reason,
            };
            // As long as each attempt brings something, slowly is fine.
            let length = part.length();
            if length > furthest {
                furthest = length;
                failures = 0;
            }
            failures += 1;
            if failures > RETRIES {
                return Err(Error::Download {
                    url: wanted.url.clone(),
                    reason: format!("{reason}, {failures} times in a row"),
                    remedy: format!(
                        "What is here already is kept, and the same command goes on from \
                         there. {}",
                        wanted.by_hand
                    ),
                });
            }
            let wait = self.backoff * (1 << (failures - 1));
            progress.note(&format!("{reason}; trying again in {} s", wait.as_secs()));
            let until = Instant::now() + wait;
            while let Some(left) = until
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())
            {
                if progress.stop() {
                    return Err(Error::Stopped);
                }
                std::thread::sleep(left.min(Duration::from_millis(50)));
            }
        }
        fs::rename(&part.path, target).map_err(Error::io("write", target))
    }

    /// One request: from where the part ends to the end of the file.
    fn attempt(
        &self,
        wanted: &Wanted<'_>,
        part: &Part,
        progress: &mut dyn Progress,
    ) -> Result<(), Failed> {
        let (mut file, mut hasher, mut done) = part.open(wanted.bytes, progress)?;
        progress.bytes(done, wanted.bytes);
        if done < wanted.bytes {
            if progress.stop() {
                return Err(Error::Stopped.into());
            }
            let mut request = self.agent.get(&wanted.url);
            if done > 0 {
                request = request.header(header::RANGE, format!("bytes={done}-"));
            }
            let response = request.call().map_err(|error| failed_call(error, wanted))?;
            let from = starts_at(&response, done, wanted)?;
            if from != done {
                done = 0;
                hasher = Sha256::new();
                part.clear(&mut file)?;
                progress.bytes(0, wanted.bytes);
            }
            let mut body = response.into_body().into_reader();
            let mut piece = vec![0; PIECE];
            loop {
                if progress.stop() {
                    return Err(Error::Stopped.into());
                }
                let count = match body.read(&mut piece) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => {
                        return Err(Failed::Passing(format!(
                            "the connection broke after {done} of {} bytes ({error})",
                            wanted.bytes
                        )));
                    }
                };
                done += count as u64;
                if done > wanted.bytes {
                    part.delete()?;
                    return Err(wrong_size(wanted, "more than ", wanted.bytes).into());
                }
                hasher.update(&piece[..count]);
                file.write_all(&piece[..count])
                    .map_err(Error::io("write", &part.path))?;
                progress.bytes(done, wanted.bytes);
            }
            if done < wanted.bytes {
                return Err(Failed::Passing(format!(
                    "the connection ended after {done} of {} bytes",
                    wanted.bytes
                )));
            }
        }
        let actual = hex(&hasher.finalize());
        if actual != wanted.sha256 {
            part.delete()?;
            return Err(Failed::Lasting(Error::WrongContent {
                url: wanted.url.clone(),
                reason: format!("its SHA-256 is {actual}, not {}", wanted.sha256),
            }));
        }
        file.sync_all().map_err(Error::io("write", &part.path))?;
        Ok(())
    }
}

/// The byte of the file that an answer's body starts with: `asked` or 0.
fn starts_at<B>(response: &Response<B>, asked: u64, wanted: &Wanted<'_>) -> Result<u64, Failed> {
    let status = response.status();
    match status {
        StatusCode::OK => {
            let length = response
                .headers()
                .get(header::CONTENT_LENGTH)
                .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
            match length {
                Some(length) if length != wanted.bytes => {
                    Err(wrong_size(wanted, "", length).into())
                }
                _ => Ok(0),
            }
        }
        StatusCode::PARTIAL_CONTENT => {
            let range = response
                .headers()
                .get(header::CONTENT_RANGE)
                .and_then(|value| content_range(value.to_str().ok()?));
            match range {
                Some((_, Some(total))) if total != wanted.bytes => {
                    Err(wrong_size(wanted, "", total).into())
                }
                Some((start, _)) if start == asked => Ok(asked),
                _ => Err(Failed::Lasting(Error::Download {
                    url: wanted.url.clone(),
                    reason: format!("asked for the bytes from {asked} on, it sent others"),
                    remedy: format!(
                        "Something between here and the hub is at fault. {}",
                        wanted.by_hand
                    ),
                })),
            }
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
            Err(Failed::Passing(format!("the server answered {status}")))
        }
        _ if status.is_server_error() => {
            Err(Failed::Passing(format!("the server answered {status}")))
        }
        _ => Err(Failed::Lasting(Error::Download {
            url: wanted.url.clone(),
            reason: format!("the server answered {status}"),
            remedy: format!(
                "If HF_ENDPOINT is set, check that it is the base address of a hub that has \
                 this model. {}",
                wanted.by_hand
            ),
        })),
    }
}

/// First byte and total of a `Content-Range` such as `bytes 5-9/10`.
fn content_range(value: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = value.strip_prefix("bytes ")?.split_once('/')?;
    let (start, _) = range.split_once('-')?;
    Some((start.trim().parse().ok()?, total.trim().parse().ok()))
}

fn failed_call(error: ureq::Error, wanted: &Wanted<'_>) -> Failed {
    match error {
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::Protocol(_) => {
            Failed::Passing(format!("the server could not be reached ({error})"))
        }
        error => Failed::Lasting(Error::Download {
            url: wanted.url.clone(),
            reason: error.to_string(),
            remedy: format!(
                "If HF_ENDPOINT or a proxy is set, check it. {}",
                wanted.by_hand
            ),
        }),
    }
}

fn wrong_size(wanted: &Wanted<'_>, more: &str, actual: u64) -> Error {
    Error::WrongContent {
        url: wanted.url.clone(),
        reason: format!("it has {more}{actual} bytes, not {}", wanted.bytes),
    }
}

/// A file that is not complete yet.
struct Part {
    path: PathBuf,
}

impl Part {
    fn beside(target: &Path) -> Self {
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        Self { path: path.into() }
    }

    /// Bytes that are here.
    fn length(&self) -> u64 {
        self.path.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Opens the file at its end, with the hash of what is in it. One that is
    /// longer than it may become is begun anew.
    fn open(&self, limit: u64, progress: &dyn Progress) -> Result<(File, Sha256, u64), Error> {
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&self.path)
            .map_err(Error::io("write", &self.path))?;
        let mut hasher = Sha256::new();
        let mut done = 0;
        let mut piece = vec![0; PIECE];
        loop {
            if progress.stop() {
                return Err(Error::Stopped);
            }
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => {
                    hasher.update(&piece[..count]);
                    done += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io("read", &self.path)(error)),
            }
            if done > limit {
                self.clear(&mut file)?;
                return Ok((file, Sha256::new(), 0));
            }
        }
        Ok((file, hasher, done))
    }

    fn clear(&self, file: &mut File) -> Result<(), Error> {
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .map(drop)
            .map_err(Error::io("write", &self.path))
    }

    fn delete(&self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(Error::io("delete", &self.path))
    }
}

/// The SHA-256 of a file, as 64 lower-case hexadecimal digits.
pub(super) fn sha256(path: &Path) -> Result<String, Error> {
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(count) => hasher.update(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read", path)(error)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
