//! Where an issuer's keys are, and how they are got: the only request that pkb
//! makes when it serves, and only for an issuer that the user named.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet};
use pkb_engine::Error;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::{Host, Url};

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer, or of a file, at most.
const MOST: u64 = 256 * 1024;

/// Where keys are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a file.
    File(PathBuf),
    /// At an address.
    Url(Url),
    /// Where the metadata at one of these addresses says.
    Metadata(Vec<Url>),
}

impl Place {
    /// As the user says, or as the issuer's address implies (RFC 8414 and
    /// OpenID Connect Discovery).
    ///
    /// # Errors
    /// When that would be asked for without encryption.
    pub(super) fn of(given: Option<&str>, issuer: &Url) -> Result<Place, Error> {
        let place = match given {
            Some(text) => match Url::parse(text) {
                Ok(url) if matches!(url.scheme(), "http" | "https") => Place::Url(url),
                _ => Place::File(text.into()),
            },
            None => {
                let path = issuer.path().trim_end_matches('/');
                let at = |path: String| {
                    let mut url = issuer.clone();
                    url.set_path(&path);
                    url.set_query(None);
                    url
                };
                Place::Metadata(vec![
                    at(format!("/.well-known/oauth-authorization-server{path}")),
                    at(format!("{path}/.well-known/openid-configuration")),
                ])
            }
        };
        let asked = match &place {
            Place::File(_) => &[],
            Place::Url(url) => std::slice::from_ref(url),
            Place::Metadata(urls) => urls.as_slice(),
        };
        match asked.iter().find(|url| !safe(url)) {
            Some(url) => Err(Error::usage(
                format!("keys from {url} could be anybody's"),
                "Keys are had over https only, or from a file: --oauth-jwks FILE.",
            )),
            None => Ok(place),
        }
    }
}

/// Whether what comes from there is what was sent: https, or this machine.
fn safe(url: &Url) -> bool {
    let near = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || url.scheme() == "http" && near
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// The keys. Those that are of no kind that is known are left out.
///
/// # Errors
/// In words for the log.
pub(super) fn fetch(place: &Place, issuer: &str) -> Result<JwkSet, String> {
    match place {
        Place::File(path) => {
            let mut text = String::new();
            File::open(path)
                .and_then(|file| file.take(MOST).read_to_string(&mut text))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            keys(
                serde_json::from_str(&text)
                    .map_err(|error| format!("{}: {error}", path.display()))?,
            )
        }
        Place::Url(url) => keys(get(url)?),
        Place::Metadata(urls) => {
            let mut problem = String::new();
            for url in urls {
                match get::<Metadata>(url) {
                    Ok(metadata) if metadata.issuer != issuer => {
                        problem = format!("{url} speaks for another issuer, {:?}", metadata.issuer);
                    }
                    Ok(metadata) => match Url::parse(&metadata.jwks_uri) {
                        Ok(at) if safe(&at) => return keys(get(&at)?),
                        _ => problem = format!("{url} names keys that are not had over https"),
                    },
                    Err(error) => problem = error,
                }
            }
            Err(problem)
        }
    }
}

#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

fn keys(set: Set) -> Result<JwkSet, String> {
    let keys: Vec<Jwk> = set
        .keys
        .into_iter()
        .filter_map(|key| serde_json::from_value(key).ok())
        // Secrets that both sides share are none that an issuer shows.
        .filter(|key: &Jwk| {
            use AlgorithmParameters::{EllipticCurve, OctetKeyPair, RSA};
            matches!(key.algorithm, EllipticCurve(_) | OctetKeyPair(_) | RSA(_))
        })
        .collect();
    if keys.is_empty() {
        return Err("there is no key in it that can be used".into());
    }
    Ok(JwkSet { keys })
}

fn get<T: DeserializeOwned>(url: &Url) -> Result<T, String> {
    let secure = url.scheme() == "https";
    // What stays on this machine goes through no proxy.
    let proxy = if secure {
        ureq::Proxy::try_from_env()
    } else {
        None
    };
    let agent = ureq::Agent::config_builder()
        .proxy(proxy)
        .https_only(secure)
        .max_redirects(if secure { 3 } else { 0 })
        .user_agent(concat!("pkb/", env!("CARGO_PKG_VERSION")))
        .timeout_global(Some(PATIENCE))
        .build()
        .new_agent();
    let text = agent
        .get(url.as_str())
        .header("accept", "application/json")
        .call()
        .and_then(|mut response| {
            response
                .body_mut()
                .with_config()
                .limit(MOST)
                .read_to_string()
        })
        .map_err(|error| format!("{url}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{url}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_looked_for_where_the_issuer_has_them() {
        let issuer = Url::parse("https://login.example.org/tenant/").unwrap();
        let place = Place::of(None, &issuer).unwrap();
        let urls = [
            "https://login.example.org/.well-known/oauth-authorization-server/tenant",
            "https://login.example.org/tenant/.well-known/openid-configuration",
        ];
        assert_eq!(
            place,
            Place::Metadata(urls.map(|url| Url::parse(url).unwrap()).to_vec())
        );
        assert_eq!(
            Place::of(Some("keys.json"), &issuer).unwrap(),
            Place::File("keys.json".into())
        );
    }

    #[test]
    fn keys_that_anybody_could_have_sent_are_not_asked_for() {
        let near = Url::parse("http://127.0.0.1:9000").unwrap();
        let far = Url::parse("http://login.example.org").unwrap();
        assert!(Place::of(None, &near).is_ok());
        assert!(Place::of(None, &far).is_err());
        assert!(Place::of(Some("http://login.example.org/keys"), &near).is_err());
        assert!(Place::of(Some("https://login.example.org/keys"), &far).is_ok());
    }

    #[test]
    fn a_set_of_keys_is_read_past_those_that_are_not_known() {
        let set = |text: &str| keys(serde_json::from_str(text).unwrap());
        let one = r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}, {"kty": 7}, 9]}"#;
        assert_eq!(set(one).unwrap().keys.len(), 1);
        assert!(set(r#"{"keys": []}"#).is_err());
    }
}
