//! Gets one page, or says why not.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::net::IpAddr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use ureq::config::Config;
use ureq::http::{HeaderMap, Uri, header};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use url::Url;

use super::{ClipError, is_public};

/// Bytes read at a time.
const PIECE: usize = 1 << 16;

/// How long and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For the name, for the connection, for the answer to begin, and for each
    /// read.
    pub patience: Duration,
    /// For all of it, redirects included.
    pub whole: Duration,
    /// Bytes of a page, unpacked.
    pub bytes: u64,
    /// Redirects that are followed.
    pub redirects: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(20),
            whole: Duration::from_secs(180),
            bytes: 50_000_000,
            redirects: 10,
        }
    }
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// HTML or XHTML.
    Page,
    /// PDF.
    Pdf,
}

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was in the end, redirects followed.
    pub url: String,
    /// Pages and PDF files are read differently.
    pub kind: Kind,
    /// As the server says it, with charset where it does.
    pub media_type: Option<String>,
    /// The page, unpacked.
    pub bytes: Vec<u8>,
    /// Of the bytes: 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// What a person should know of it, one sentence each.
    pub warnings: Vec<String>,
}

/// Gets pages. No cookies, no login, no proxy: what is connected to is what was
/// checked.
pub struct Fetcher {
    agent: ureq::Agent,
    limits: Limits,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// One that asks the system for the addresses of names. `allow_private`
    /// lets it connect to what is not on the public internet.
    #[must_use]
    pub fn new(limits: Limits, allow_private: bool) -> Self {
        Self::with_resolver(limits, allow_private, DefaultResolver::default())
    }

    /// One that asks `resolver`.
    pub(super) fn with_resolver(
        limits: Limits,
        allow_private: bool,
        resolver: impl Resolver,
    ) -> Self {
        let patience = Some(limits.patience);
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("pkb/", env!("CARGO_PKG_VERSION")))
            .accept("text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.1")
            .timeout_global(Some(limits.whole))
            .timeout_resolve(patience)
            .timeout_connect(patience)
            .timeout_recv_response(patience)
            .timeout_per_read(patience)
            .build();
        // The addresses that a resolver gives are those that are connected to:
        // a name that means another one a moment later changes nothing.
        let checked = Checked {
            resolver,
            allow_private,
        };
        Self {
            agent: ureq::Agent::with_parts(config, DefaultConnector::default(), checked),
            limits,
        }
    }

    /// Gets a page or a PDF file.
    ///
    /// # Errors
    /// All of [`ClipError`] but those of files and folders, as the names say.
    pub fn fetch(&self, address: &str) -> Result<Fetched, ClipError> {
        let mut url = checked_address(address)?;
        for _ in 0..=self.limits.redirects {
            let response = self.agent.get(url.as_str()).call();
            let response = response.map_err(|error| failed(&url, error))?;
            let status = response.status();
            if status.is_redirection()
                && let Some(to) = text(response.headers(), header::LOCATION.as_str())
            {
                let next = url.join(&to).map_err(|error| ClipError::Address {
                    url: to.clone(),
                    reason: format!("{url} redirects there, and {error}"),
                })?;
                url = checked_address(next.as_str())?;
                continue;
            }
            if status.as_u16() != 200 {
                return Err(ClipError::Refused {
                    url: url.into(),
                    status: status.as_u16(),
                });
            }
            return self.take(&url, response);
        }
        Err(ClipError::Redirects {
            url: address.to_owned(),
            most: self.limits.redirects,
        })
    }

    fn take(
        &self,
        url: &Url,
        response: ureq::http::Response<ureq::Body>,
    ) -> Result<Fetched, ClipError> {
        let media_type = text(response.headers(), header::CONTENT_TYPE.as_str());
        let warnings = wishes(response.headers());
        let most = self.limits.bytes;
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader();
        let mut piece = vec![0; PIECE];
        loop {
            match body.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => bytes.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(unreachable(url, &error)),
            }
            if bytes.len() as u64 > most {
                return Err(ClipError::TooLarge {
                    url: url.to_string(),
                    most,
                });
            }
        }
        let Some(kind) = kind_of(media_type.as_deref(), &bytes) else {
            return Err(ClipError::Unsupported {
                url: url.to_string(),
                media_type: media_type.unwrap_or_else(|| "unknown".to_owned()),
            });
        };
        Ok(Fetched {
            url: url.to_string(),
            kind,
            media_type,
            sha256: hex(&Sha256::digest(&bytes)),
            bytes,
            warnings,
        })
    }
}

/// The address of a page, as a URL.
fn checked_address(address: &str) -> Result<Url, ClipError> {
    let refused = |reason: &str| ClipError::Address {
        url: address.to_owned(),
        reason: reason.to_owned(),
    };
    let mut url = Url::parse(address.trim()).map_err(|error| refused(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it does not begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(
            "it holds a user name or password, which a note should not keep",
        ));
    }
    // The part behind `#` is for the reader and never sent.
    url.set_fragment(None);
    Ok(url)
}

/// By the media type, and by the first bytes where that is missing or says
/// nothing.
fn kind_of(media_type: Option<&str>, bytes: &[u8]) -> Option<Kind> {
    let essence = media_type
        .and_then(|full| full.split(';').next())
        .unwrap_or_default();
    match &*essence.trim().to_ascii_lowercase() {
        "text/html" | "application/xhtml+xml" => Some(Kind::Page),
        "application/pdf" | "application/x-pdf" => Some(Kind::Pdf),
        ""
        | "application/octet-stream"
        | "binary/octet-stream"
        | "text/plain"
        | "application/xml"
        | "text/xml"
        | "application/force-download"
        | "application/download" => {
            let head = &bytes[..bytes.len().min(1024)];
            if head.windows(5).any(|window| window == b"%PDF-") {
                return Some(Kind::Pdf);
            }
            let head = head.trim_ascii_start().to_ascii_lowercase();
            let marked = head.starts_with(b"<!doctype html")
                || head.windows(5).any(|window| window == b"<html");
            marked.then_some(Kind::Page)
        }
        _ => None,
    }
}

/// What a site says of copies of its page.
fn wishes(headers: &HeaderMap) -> Vec<String> {
    let robots = headers.get_all("x-robots-tag");
    let says = |word: &str| {
        robots
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| {
                // `googlebot: noarchive` speaks to that one alone.
                value
                    .split(',')
                    .any(|rule| rule.trim().eq_ignore_ascii_case(word))
            })
    };
    let mut warnings = Vec::new();
    if says("noarchive") || says("none") {
        warnings.push(
            "The site asks that no copies of this page be shown to others (X-Robots-Tag: noarchive)."
                .to_owned(),
        );
    }
    warnings
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    // Addresses and types come in UTF-8 at times, which HTTP has not.
    let value = headers.get(name)?.as_bytes();
    let value = String::from_utf8_lossy(value).trim().to_owned();
    (!value.is_empty()).then_some(value)
}

fn failed(url: &Url, error: ureq::Error) -> ClipError {
    match error {
        ureq::Error::Other(other) => match other.downcast::<NotPublic>() {
            Ok(found) => ClipError::Private {
                host: found.host,
                address: found.address,
            },
            Err(other) => unreachable(url, &other),
        },
        error => unreachable(url, &error),
    }
}

fn unreachable(url: &Url, reason: &impl fmt::Display) -> ClipError {
    ClipError::Unreachable {
        url: url.to_string(),
        reason: reason.to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A resolver that gives out public addresses only.
#[derive(Debug)]
struct Checked<R> {
    resolver: R,
    allow_private: bool,
}

/// The address that keeps a name from being connected to.
#[derive(Debug, thiserror::Error)]
#[error("{host} is at {address}")]
struct NotPublic {
    host: String,
    address: IpAddr,
}

impl<R: Resolver> Resolver for Checked<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.resolver.resolve(uri, config, timeout)?;
        if self.allow_private {
            return Ok(addresses);
        }
        check(addresses, uri)
    }
}

/// Refuses addresses of which one is not public: an honest name does not mix
/// them.
pub(super) fn check(
    addresses: ResolvedSocketAddrs,
    uri: &Uri,
) -> Result<ResolvedSocketAddrs, ureq::Error> {
    let mut all = addresses.iter().map(std::net::SocketAddr::ip);
    match all.find(|&address| !is_public(address)) {
        Some(address) => Err(ureq::Error::Other(Box::new(NotPublic {
            host: uri.host().unwrap_or_default().to_owned(),
            address,
        }))),
        None => Ok(addresses),
    }
}
