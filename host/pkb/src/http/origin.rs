//! Which names this server answers to, and which web pages may ask it. A page
//! that makes its own name point to this machine (DNS rebinding) sends that
//! name as the host, and gets nothing.

use std::net::IpAddr;

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HOST,
    HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::http::uri::Authority;
use hyper::{Method, Response, Uri};
use pkb_engine::Error;
use url::Url;

/// What a browser says of where a request comes from, even where it sends no
/// origin.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// What a page that may ask may also send and see.
const METHODS: &str = "GET, POST, DELETE, OPTIONS";
const SENT: &str = "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, \
    mcp-method, mcp-name";
const SEEN: &str = "mcp-session-id, www-authenticate, retry-after";

/// Who may ask.
#[derive(Debug)]
pub(super) struct Doors {
    /// Names with their port; none for any port.
    hosts: Vec<(String, Option<u16>)>,
    /// As browsers write them.
    origins: Vec<String>,
    port: u16,
    /// What a host without a port means.
    default_port: u16,
    /// Whether any address may stand as the host. An address cannot be made to
    /// point elsewhere.
    any_address: bool,
}

/// Why a request is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shut {
    /// It does not say for whom it is, or not in one way.
    NoHost,
    /// It is for another host.
    Host,
    /// It comes from a web page that may not ask.
    Origin,
}

impl Doors {
    /// Doors for a server that listens at that port, with what the user allows
    /// besides.
    ///
    /// # Errors
    /// When a host or an origin is not one.
    pub(super) fn new(
        port: u16,
        tls: bool,
        loopback: bool,
        hosts: &[String],
        origins: &[String],
    ) -> Result<Doors, Error> {
        let mut all = vec![("localhost".to_owned(), Some(port))];
        for host in hosts {
            let named = parse(host).filter(|(name, _)| !name.contains('*'));
            let authority = named.ok_or_else(|| {
                Error::usage(
                    format!("{host:?} is no host"),
                    "Give a name with or without a port, such as notes.example.org or notes.example.org:8443.",
                )
            })?;
            all.push(authority);
        }
        let mut pages = Vec::new();
        for origin in origins {
            let url = Url::parse(origin).ok().filter(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.path() == "/"
                    && url.query().is_none()
                    && url.fragment().is_none()
                    && url.username().is_empty()
            });
            let url = url.ok_or_else(|| {
                Error::usage(
                    format!("{origin:?} is no origin of a web page"),
                    "Give its scheme, name and port, such as http://localhost:6274; there is no way to allow all.",
                )
            })?;
            pages.push(url.origin().ascii_serialization());
        }
        Ok(Doors {
            hosts: all,
            origins: pages,
            port,
            default_port: if tls { 443 } else { 80 },
            any_address: !loopback,
        })
    }

    /// Whether the request may be looked at; the origin where a web page sent
    /// it that may.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<HeaderValue>, Shut> {
        let mut given = headers.get_all(HOST).iter();
        let host = match (given.next(), given.next()) {
            (Some(host), None) => host.to_str().ok().and_then(parse).ok_or(Shut::NoHost)?,
            _ => return Err(Shut::NoHost),
        };
        if !self.is_ours(&host) {
            return Err(Shut::Host);
        }
        // A request for a proxy names the host once more.
        if let Some(authority) = uri.authority()
            && !parse(authority.as_str()).is_some_and(|host| self.is_ours(&host))
        {
            return Err(Shut::Host);
        }
        let mut given = headers.get_all(ORIGIN).iter();
        match (given.next(), given.next()) {
            (None, _) => match headers.get(FETCH_SITE).map(HeaderValue::as_bytes) {
                None | Some(b"none" | b"same-origin") => Ok(None),
                Some(_) => Err(Shut::Origin),
            },
            (Some(origin), None)
                if self
                    .origins
                    .iter()
                    .any(|one| one.as_bytes() == origin.as_bytes()) =>
            {
                Ok(Some(origin.clone()))
            }
            // A page of this very server; no other can say so, as the host is
            // one of ours.
            (Some(origin), None) if self.is_own(origin, &host) => Ok(None),
            _ => Err(Shut::Origin),
        }
    }

    /// Whether a page's origin is the host that the request is for.
    fn is_own(&self, origin: &HeaderValue, (name, port): &(String, Option<u16>)) -> bool {
        let scheme = if self.default_port == 443 {
            "https://"
        } else {
            "http://"
        };
        let origin = origin.to_str().ok();
        let page = origin.and_then(|origin| parse(origin.strip_prefix(scheme)?));
        page.is_some_and(|(page, of)| {
            page == *name && of.unwrap_or(self.default_port) == port.unwrap_or(self.default_port)
        })
    }

    fn is_ours(&self, (name, port): &(String, Option<u16>)) -> bool {
        let port = port.unwrap_or(self.default_port);
        let listed = self
            .hosts
            .iter()
            .any(|(host, only)| host == name && only.is_none_or(|only| only == port));
        let address = name
            .parse::<IpAddr>()
            .is_ok_and(|address| self.any_address || address.is_loopback());
        listed || address && port == self.port
    }
}

/// A host as a header gives it: the name in small letters, an address without
/// brackets, and the port.
fn parse(text: &str) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(text)
        .ok()
        .filter(|_| !text.contains('@'))?;
    let port = match text.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => Some(port.parse().ok()?),
        _ => None,
    };
    let name = authority.host();
    let name = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    (!name.is_empty()).then(|| (name.to_ascii_lowercase(), port))
}

/// Whether the request is a browser's question before another.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Tells the browser that this page may ask, and what.
pub(super) fn allow<B>(answer: &mut Response<B>, origin: HeaderValue, preflight: bool) {
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(VARY, HeaderValue::from_static("origin"));
    if preflight {
        headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(METHODS),
        );
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(SENT));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    } else {
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(SEEN),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors(loopback: bool) -> Doors {
        let hosts = [
            "Notes.example.org".to_owned(),
            "other.example:8443".to_owned(),
        ];
        let origins = [
            "http://localhost:6274/".to_owned(),
            "https://app.example:443".to_owned(),
        ];
        Doors::new(8765, false, loopback, &hosts, &origins).unwrap()
    }

    fn asked(doors: &Doors, uri: &str, headers: &[(&'static str, &str)]) -> Result<bool, Shut> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let checked = doors.check(&uri.parse().unwrap(), &map);
        checked.map(|origin| origin.is_some())
    }

    #[test]
    fn only_names_of_this_server_are_answered_to() {
        let doors = doors(true);
        let host = |host: &str| asked(&doors, "/mcp", &[("host", host)]);
        for ours in [
            "127.0.0.1:8765",
            "localhost:8765",
            "LOCALHOST:8765",
            "[::1]:8765",
            "notes.example.org",
            "notes.example.org:1",
            "other.example:8443",
        ] {
            assert_eq!(host(ours), Ok(false), "{ours}");
        }
        for other in [
            "evil.example",
            "evil.example:8765",
            "localhost.evil.example:8765",
            "127.0.0.1.evil.example:8765",
            "localhost",
            "localhost:80",
            "localhost.:8765",
            "127.0.0.1",
            "10.0.0.1:8765",
            "other.example",
            "other.example:8765",
            "2130706433:8765",
            "[::ffff:10.0.0.1]:8765",
        ] {
            assert_eq!(host(other), Err(Shut::Host), "{other}");
        }
        for none in [
            "",
            ":8765",
            "a@localhost:8765",
            "localhost:x",
            "localhost:",
            "a b",
            "localhost:99999",
        ] {
            assert_eq!(host(none), Err(Shut::NoHost), "{none}");
        }
        assert_eq!(asked(&doors, "/mcp", &[]), Err(Shut::NoHost));
        let twice = [("host", "localhost:8765"), ("host", "evil.example")];
        assert_eq!(asked(&doors, "/mcp", &twice), Err(Shut::NoHost));
        let proxied = "http://evil.example:8765/mcp";
        assert_eq!(
            asked(&doors, proxied, &[("host", "localhost:8765")]),
            Err(Shut::Host)
        );
    }

    #[test]
    fn beyond_this_machine_any_address_is_ours_and_no_name() {
        let doors = doors(false);
        let host = |host: &str| asked(&doors, "/mcp", &[("host", host)]);
        assert_eq!(host("192.168.1.5:8765"), Ok(false));
        assert_eq!(host("192.168.1.5:80"), Err(Shut::Host));
        assert_eq!(host("evil.example:8765"), Err(Shut::Host));
    }

    #[test]
    fn only_web_pages_that_the_user_allows_may_ask() {
        let doors = doors(true);
        let with = |name: &'static str, value: &str| {
            asked(&doors, "/mcp", &[("host", "localhost:8765"), (name, value)])
        };
        assert_eq!(with("origin", "http://localhost:6274"), Ok(true));
        assert_eq!(with("origin", "https://app.example"), Ok(true));
        // The conformance suite asks as a page of this server would.
        assert_eq!(with("origin", "http://localhost:8765"), Ok(false));
        for other in [
            "http://evil.example",
            "http://127.0.0.1:8765",
            "https://localhost:8765",
            "http://localhost",
            "http://localhost:8765/",
            "http://evil@localhost:8765",
            "http://localhost:62740",
            "https://localhost:6274",
            "null",
            "",
        ] {
            assert_eq!(with("origin", other), Err(Shut::Origin), "{other}");
        }
        assert_eq!(with("sec-fetch-site", "none"), Ok(false));
        assert_eq!(with("sec-fetch-site", "cross-site"), Err(Shut::Origin));
        assert_eq!(with("sec-fetch-site", "same-site"), Err(Shut::Origin));
    }

    #[test]
    fn what_is_no_host_or_origin_cannot_be_allowed() {
        let new = |hosts: &[&str], origins: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
            Doors::new(1, false, true, &owned(hosts), &owned(origins))
        };
        for host in ["", "*", "http://a.example", "a.example/path"] {
            assert!(host == "*" || new(&[host], &[]).is_err(), "{host}");
        }
        for origin in [
            "",
            "*",
            "null",
            "a.example",
            "http://a.example/path",
            "file:///x",
        ] {
            assert!(new(&[], &[origin]).is_err(), "{origin}");
        }
    }
}
