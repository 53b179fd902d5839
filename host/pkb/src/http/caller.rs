//! Who asks: the bearer token in the `Authorization` header, as RFC 6750 and
//! MCP's authorization have it.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::answers::{self, INVALID_REQUEST, Plain, TURNED_AWAY};
use crate::access::issuer::Issuer;
use crate::access::{Grant, Live, Refused, Scope, tokens};

/// Where RFC 9728 has a server say who issues its tokens.
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";

/// Whose requests count together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// Those from an address, where no token is needed or none is shown.
    Address(IpAddr),
    /// Those with this token of the home, by its hash: a name may be given
    /// again.
    Token([u8; 32]),
    /// Those of this subject of the issuer.
    Subject(String),
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// Whose requests it counts among.
    pub(super) key: Key,
    /// What it may do.
    pub(super) grant: Grant,
    /// Until when.
    pub(super) until: Option<Timestamp>,
}

/// Why nobody is let in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Denied {
    /// A token is needed and none is shown.
    Missing,
    /// What is shown is not how a token is shown.
    Malformed(&'static str),
    /// The token does not hold.
    Invalid(String),
    /// The token holds and is not enough.
    Scope(Scope),
    /// It cannot be judged now.
    Unavailable,
}

/// Judges who asks.
pub(super) struct Access {
    tokens: Live,
    issuer: Option<Arc<Issuer>>,
    always: bool,
}

/// Headers by which a proxy says that it hands on another's request.
const FORWARDED: [&str; 5] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
];

impl Access {
    /// With these tokens and this issuer; `always` where a token is needed
    /// even if there is none.
    pub(super) fn new(tokens: Live, issuer: Option<Issuer>, always: bool) -> Self {
        Access {
            always: always || issuer.is_some(),
            tokens,
            issuer: issuer.map(Arc::new),
        }
    }

    /// Whether a token is needed.
    pub(super) fn needs_token(&self) -> bool {
        self.always || self.tokens.needed()
    }

    /// Whether any token could let a client in.
    pub(super) fn has_token(&self) -> bool {
        self.issuer.is_some() || self.tokens.any(Timestamp::now())
    }

    /// Who sent these headers.
    ///
    /// # Errors
    /// Why that one is not let in.
    pub(super) async fn caller(&self, headers: &HeaderMap, from: IpAddr) -> Result<Caller, Denied> {
        if !self.needs_token() {
            // What a proxy hands on may come from anywhere, and would pass for
            // this machine's own.
            if FORWARDED.iter().any(|name| headers.contains_key(*name)) {
                return Err(Denied::Missing);
            }
            return Ok(Caller {
                key: address(from),
                grant: Grant::of_this_machine(),
                until: None,
            });
        }
        let token = bearer(headers)?;
        if token.starts_with(tokens::PREFIX) {
            let (grant, until) = self.tokens.check(token, Timestamp::now()).map_err(denied)?;
            return Ok(Caller {
                key: Key::Token(tokens::hash(token)),
                grant,
                until,
            });
        }
        let Some(issuer) = self.issuer.clone() else {
            return Err(denied(Refused::Unknown));
        };
        let token = token.to_owned();
        let checked = spawn_blocking(move || issuer.check(&token)).await;
        let (grant, until) = checked.map_err(|_| Denied::Unavailable)?.map_err(denied)?;
        Ok(Caller {
            key: Key::Subject(grant.name.clone()),
            grant,
            until,
        })
    }

    /// Whether one who was let in before still would be.
    pub(super) fn holds(&self, key: &Key, until: Option<Timestamp>) -> bool {
        let now = Timestamp::now();
        match key {
            Key::Address(_) => !self.needs_token(),
            Key::Token(hash) => self.tokens.holds(hash, now),
            Key::Subject(_) => until.is_none_or(|until| now < until),
        }
    }

    /// What RFC 9728 has a server say of itself; none without an issuer.
    pub(super) fn metadata(&self) -> Option<Value> {
        let issuer = self.issuer.as_ref()?;
        Some(json!({
            "resource": issuer.audience_text(),
            "resource_name": "pkb",
            "authorization_servers": [issuer.issuer],
            "scopes_supported": Scope::ALL.map(Scope::oauth),
            "bearer_methods_supported": ["header"],
        }))
    }

    /// Whether the metadata stands at that path.
    pub(super) fn is_metadata(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(METADATA) else {
            return false;
        };
        let known = |issuer: &Arc<Issuer>| rest == issuer.audience.path().trim_end_matches('/');
        matches!(rest, "" | "/mcp") || self.issuer.as_ref().is_some_and(known)
    }

    /// Where the client finds the metadata; none without an issuer.
    fn metadata_url(&self) -> Option<String> {
        let mut url = self.issuer.as_ref()?.audience.clone();
        let path = format!("{METADATA}{}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(None);
        Some(url.into())
    }

    /// The answer to one who is not let in.
    pub(super) fn refuse(&self, denied: &Denied) -> Response<Plain> {
        let (status, error, scope, message) = match denied {
            Denied::Missing => (
                StatusCode::UNAUTHORIZED,
                None,
                Some(Scope::Read),
                "a token is needed: send one that `pkb token new` made, in the Authorization header, \
                 as Bearer and the token"
                    .to_owned(),
            ),
            Denied::Malformed(why) => (
                StatusCode::BAD_REQUEST,
                Some("invalid_request"),
                None,
                (*why).to_owned(),
            ),
            Denied::Invalid(why) => (
                StatusCode::UNAUTHORIZED,
                Some("invalid_token"),
                Some(Scope::Read),
                format!("the token is not accepted: {why}"),
            ),
            Denied::Scope(needed) => (
                StatusCode::FORBIDDEN,
                Some("insufficient_scope"),
                Some(*needed),
                format!("this needs a token of the scope {needed}"),
            ),
            Denied::Unavailable => {
                let message = "the token cannot be checked now; try again";
                let answer =
                    answers::refusal(StatusCode::SERVICE_UNAVAILABLE, TURNED_AWAY, message);
                return answers::later(answer, 5);
            }
        };
        let mut challenge = "Bearer realm=\"pkb\"".to_owned();
        let mut say = |name: &str, value: &str| {
            challenge.push_str(&format!(", {name}=\"{}\"", quotable(value)));
        };
        if let Some(error) = error {
            say("error", error);
            say("error_description", &message);
        }
        if let Some(scope) = scope {
            say("scope", scope.oauth());
        }
        if let Some(url) = self.metadata_url() {
            say("resource_metadata", &url);
        }
        let mut answer = answers::refusal(status, INVALID_REQUEST, message);
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        answer
    }
}

/// The key of an address. Whoever has one address of version 6 has all that
/// begin like it.
pub(super) fn address(from: IpAddr) -> Key {
    Key::Address(match from {
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.into(),
            None => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        },
        address => address,
    })
}

fn bearer(headers: &HeaderMap) -> Result<&str, Denied> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let header = match (given.next(), given.next()) {
        (None, _) => return Err(Denied::Missing),
        (Some(header), None) => header,
        _ => {
            return Err(Denied::Malformed(
                "there is more than one Authorization header",
            ));
        }
    };
    let shown = header.to_str().ok().and_then(|text| text.split_once(' '));
    match shown {
        Some((scheme, token))
            if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() =>
        {
            Ok(token.trim())
        }
        Some((scheme, _)) if !scheme.eq_ignore_ascii_case("bearer") => Err(Denied::Missing),
        _ => Err(Denied::Malformed(
            "the Authorization header is not Bearer and a token",
        )),
    }
}

fn denied(refused: Refused) -> Denied {
    match refused {
        Refused::Unknown => Denied::Invalid("it is not known here".into()),
        Refused::Expired => Denied::Invalid("it has expired".into()),
        Refused::Invalid(why) => Denied::Invalid(why),
        Refused::NoScope => Denied::Scope(Scope::Read),
        Refused::Unavailable(why) => {
            tracing::warn!("a token cannot be judged: {why}");
            Denied::Unavailable
        }
    }
}

/// What may stand between quotes in a header.
fn quotable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '`' => '\'',
            ' '..='~' => c,
            _ => '?',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_taken_from_one_header_only() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(of(&["Bearer pkb_x"]).unwrap(), "pkb_x");
        assert_eq!(of(&["bearer  pkb_x "]).unwrap(), "pkb_x");
        assert_eq!(of(&[]), Err(Denied::Missing));
        assert_eq!(of(&["Basic cGtiOnBrYg=="]), Err(Denied::Missing));
        for wrong in [
            ["Bearer"].as_slice(),
            &["Bearer "],
            &["Bearer a", "Bearer b"],
        ] {
            assert!(matches!(of(wrong), Err(Denied::Malformed(_))), "{wrong:?}");
        }
    }

    #[test]
    fn neighbours_count_as_one() {
        let key = |text: &str| address(text.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_eq!(key("::ffff:10.0.0.1"), key("10.0.0.1"));
        assert_ne!(key("10.0.0.1"), key("10.0.0.2"));
    }
}
