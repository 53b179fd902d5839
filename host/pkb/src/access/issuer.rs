//! Access tokens of an OAuth issuer that the user trusts: JSON Web Tokens made
//! for this server (RFC 8707, RFC 9068).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use pkb_engine::Error;
use serde::{Deserialize, Serialize};
use url::Url;

use super::keys::{self, Place};
use super::{Grant, Refused, Scope};

/// What is accepted where the user names no algorithms: signatures with a
/// public key only, so that nobody who can check a token can make one.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// How far the issuer's clock and this one may differ, in seconds.
const LEEWAY: u64 = 30;
/// Bytes of a token at most.
const LONGEST: usize = 16 * 1024;
/// How long keys are used before they are looked up again.
const FRESH: Duration = Duration::from_secs(3600);
/// How long after a look-up the next may follow, whatever unknown keys tokens
/// name.
const BETWEEN: Duration = Duration::from_secs(30);

/// An issuer as the settings name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trust {
    /// Its URL, exactly as its tokens name it.
    pub(crate) issuer: String,
    /// The URL that clients know this server by.
    pub(crate) audience: String,
    /// Where its keys are: a URL or a file; else where its metadata says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) jwks: Option<String>,
    /// Which signatures are accepted; all that are safe where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) algorithms: Vec<String>,
}

/// Judges the tokens of one issuer. It may read a file or make a request, so
/// it is called where waiting is allowed.
pub(crate) struct Issuer {
    /// Its URL.
    pub(crate) issuer: String,
    /// The URL that its tokens must be made for.
    pub(crate) audience: Url,
    audience_text: String,
    algorithms: Vec<Algorithm>,
    place: Place,
    known: Mutex<Known>,
    /// Held while the keys are looked up.
    looking: Mutex<()>,
}

#[derive(Default)]
struct Known {
    keys: Vec<Jwk>,
    /// When they were looked up; none while they never were.
    got: Option<Instant>,
    /// When the last look-up began, whatever came of it.
    tried: Option<Instant>,
}

/// What a token says of its holder.
#[derive(Deserialize)]
struct Claims {
    exp: u64,
    #[serde(default)]
    sub: Option<String>,
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    scope: Option<Scopes>,
    /// What some issuers call it.
    #[serde(default)]
    scp: Option<Scopes>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scopes {
    Text(String),
    List(Vec<String>),
}

impl Scopes {
    fn words(&self) -> Vec<&str> {
        match self {
            Scopes::Text(text) => text.split_ascii_whitespace().collect(),
            Scopes::List(list) => list.iter().map(String::as_str).collect(),
        }
    }
}

impl Issuer {
    /// An issuer to trust.
    ///
    /// # Errors
    /// When the settings do not hold together, in words for the user.
    pub(crate) fn new(trust: &Trust) -> Result<Issuer, Error> {
        let address = |text: &str, what: &str| {
            Url::parse(text)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https") && url.fragment().is_none())
                .ok_or_else(|| {
                    Error::usage(
                        format!("the OAuth {what} {text:?} is no address"),
                        "Give an http or https address without a fragment, such as https://notes.example.org/mcp.",
                    )
                })
        };
        let issuer = address(&trust.issuer, "issuer")?;
        let audience = address(&trust.audience, "audience")?;
        let mut algorithms = Vec::new();
        for name in &trust.algorithms {
            let known = ALGORITHMS
                .into_iter()
                .find(|algorithm| format!("{algorithm:?}") == *name);
            algorithms.push(known.ok_or_else(|| {
                let names = ALGORITHMS.map(|algorithm| format!("{algorithm:?}"));
                Error::usage(
                    format!("signatures of the kind {name:?} are not accepted"),
                    format!("These are: {}.", names.join(", ")),
                )
            })?);
        }
        if algorithms.is_empty() {
            algorithms = ALGORITHMS.to_vec();
        }
        Ok(Issuer {
            place: Place::of(trust.jwks.as_deref(), &issuer)?,
            issuer: trust.issuer.clone(),
            audience_text: trust.audience.clone(),
            audience,
            algorithms,
            known: Mutex::default(),
            looking: Mutex::default(),
        })
    }

    /// The URL that its tokens must be made for, as the user gave it.
    pub(crate) fn audience_text(&self) -> &str {
        &self.audience_text
    }

    /// What the token lets its holder do, and until when.
    ///
    /// # Errors
    /// Why it lets nobody in.
    pub(crate) fn check(&self, token: &str) -> Result<(Grant, Option<Timestamp>), Refused> {
        if token.len() > LONGEST {
            return Err(Refused::Unknown);
        }
        let header = decode_header(token).map_err(|_| Refused::Unknown)?;
        if !self.algorithms.contains(&header.alg) {
            return Err(Refused::Invalid(format!(
                "signatures of the kind {:?} are not accepted",
                header.alg
            )));
        }
        let key = self.key(header.kid.as_deref(), header.alg)?;
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience_text]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY;
        let claims = match decode::<Claims>(token, &key, &validation) {
            Ok(data) => data.claims,
            Err(error) => {
                use jsonwebtoken::errors::ErrorKind;
                return Err(match error.kind() {
                    ErrorKind::ExpiredSignature => Refused::Expired,
                    ErrorKind::InvalidAudience => {
                        Refused::Invalid("it was made for another server".into())
                    }
                    ErrorKind::InvalidIssuer => Refused::Invalid("it is of another issuer".into()),
                    ErrorKind::ImmatureSignature => Refused::Invalid("it is not valid yet".into()),
                    ErrorKind::MissingRequiredClaim(claim) => {
                        Refused::Invalid(format!("it does not say {claim}"))
                    }
                    _ => Refused::Unknown,
                });
            }
        };
        let scopes = [&claims.scope, &claims.scp];
        let scopes = scopes.into_iter().flatten().flat_map(Scopes::words);
        let scope = Scope::of_oauth(scopes).ok_or(Refused::NoScope)?;
        let name = claims.sub.or(claims.client_id);
        let grant = Grant {
            scope,
            name: name.unwrap_or_else(|| self.issuer.clone()),
        };
        let until = i64::try_from(claims.exp.saturating_add(LEEWAY)).ok();
        Ok((
            grant,
            until.and_then(|until| Timestamp::from_second(until).ok()),
        ))
    }

    /// The key that the token names, or the only one that can have signed it.
    fn key(&self, id: Option<&str>, algorithm: Algorithm) -> Result<DecodingKey, Refused> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |known: &Known| {
            let since = |then: Option<Instant>| then.map(|then| then.elapsed());
            let stale = since(known.got).is_none_or(|age| age > FRESH);
            let may = since(known.tried).is_none_or(|age| age > BETWEEN);
            may && (stale || choose(&known.keys, id, algorithm).is_none())
        };
        let (look, waits) = {
            let known = known();
            (wanted(&known), choose(&known.keys, id, algorithm).is_none())
        };
        // One look-up at a time. Whose key is known does not wait for one, so
        // that an issuer that hangs holds up nobody whom it let in before.
        let looking = match waits {
            true => Some(self.looking.lock().unwrap_or_else(PoisonError::into_inner)),
            false => self.looking.try_lock().ok(),
        };
        if look && looking.is_some() && wanted(&known()) {
            known().tried = Some(Instant::now());
            match keys::fetch(&self.place, &self.issuer) {
                Ok(JwkSet { keys, .. }) => {
                    let mut known = known();
                    known.keys = keys;
                    known.got = Some(Instant::now());
                }
                // The keys there are stay good: an issuer that is away for a
                // moment locks nobody out.
                Err(problem) => {
                    tracing::warn!("the keys of {} cannot be had: {problem}", self.issuer)
                }
            }
            known().tried = Some(Instant::now());
        }
        let known = known();
        match choose(&known.keys, id, algorithm) {
            Some(key) => DecodingKey::from_jwk(key).map_err(|error| {
                Refused::Unavailable(format!("a key of the issuer is of no use: {error}"))
            }),
            None if known.got.is_none() => Err(Refused::Unavailable(
                "the issuer's keys are not known".into(),
            )),
            None => Err(Refused::Invalid("the issuer has no such key".into())),
        }
    }
}

/// The key to check with. A token that names none is checked with the only key
/// that fits.
fn choose<'a>(keys: &'a [Jwk], id: Option<&str>, algorithm: Algorithm) -> Option<&'a Jwk> {
    let mut fitting = keys.iter().filter(|key| fits(key, algorithm));
    match id {
        Some(id) => fitting.find(|key| key.common.key_id.as_deref() == Some(id)),
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}

fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    use jsonwebtoken::jwk::EllipticCurve::{Ed25519, P256, P384};
    let signs = !matches!(
        key.common.public_key_use,
        Some(PublicKeyUse::Encryption | PublicKeyUse::Other(_))
    );
    let said = key.common.key_algorithm;
    let as_said = said.is_none_or(|said| said == KeyAlgorithm::from(algorithm));
    let able = match (&key.algorithm, algorithm) {
        (AlgorithmParameters::EllipticCurve(key), Algorithm::ES256) => key.curve == P256,
        (AlgorithmParameters::EllipticCurve(key), Algorithm::ES384) => key.curve == P384,
        (AlgorithmParameters::OctetKeyPair(key), Algorithm::EdDSA) => key.curve == Ed25519,
        (
            AlgorithmParameters::RSA(_),
            Algorithm::RS256
            | Algorithm::RS384
            | Algorithm::RS512
            | Algorithm::PS256
            | Algorithm::PS384
            | Algorithm::PS512,
        ) => true,
        _ => false,
    };
    signs && as_said && able
}
