//! How to serve over HTTP: what the command line says, over what the home's
//! `settings.toml` says under `[http]`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use pkb_engine::{Error, Home};
use serde::Deserialize;

use crate::access::issuer::Trust;
use crate::cli::Web;

/// The table as a user writes it; every entry may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// Ask every client for a token.
    pub(super) require_token: bool,
    /// Names that clients reach this server by.
    pub(super) allow_hosts: Vec<String>,
    /// Origins of web pages that may use it.
    pub(super) allow_origins: Vec<String>,
    /// The certificate, in PEM.
    pub(super) tls_cert: Option<PathBuf>,
    /// Its private key, in PEM.
    pub(super) tls_key: Option<PathBuf>,
    /// Whose tokens are accepted beside pkb's own.
    pub(super) oauth: Option<Trust>,
    /// How much is allowed at once.
    pub(super) limits: Limits,
}

/// How much is allowed at once, and how fast.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Bytes of a request at most.
    pub(super) body_bytes: usize,
    /// Connections at once.
    pub(super) connections: u32,
    /// Requests worked on at once; more wait in line.
    pub(super) requests: u32,
    /// Requests that wait in line; more are turned away.
    pub(super) waiting: u32,
    /// Streams at once that only listen.
    pub(super) streams: u32,
    /// Sessions at once.
    pub(super) sessions: u32,
    /// Seconds after which a session that nobody uses ends.
    pub(super) session_idle_s: u32,
    /// Requests a second of one client, in the long run.
    pub(super) rate: NonZeroU32,
    /// Requests of one client that may come at once.
    pub(super) burst: NonZeroU32,
}

/// A constant as a number that is not 0.
const fn number(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body_bytes: 4 * 1024 * 1024,
            connections: 512,
            requests: 256,
            waiting: 1024,
            streams: 256,
            sessions: 256,
            session_idle_s: 1800,
            rate: number(200),
            burst: number(2000),
        }
    }
}

impl Limits {
    /// How long a session may go unused.
    pub(super) fn session_idle(&self) -> Duration {
        Duration::from_secs(self.session_idle_s.into())
    }
}

impl Settings {
    /// The home's settings with what the command line says put over them.
    ///
    /// # Errors
    /// When they cannot be understood or do not go together.
    pub(crate) fn new(home: &Home, web: &Web) -> Result<Settings, Error> {
        let table = home.settings()?.http.unwrap_or_default();
        let mut settings: Settings = table.try_into().map_err(|error: toml::de::Error| {
            Error::usage(
                format!(
                    "[http] in the home's settings.toml cannot be understood: {}",
                    error.message()
                ),
                format!("Mend it: {}.", home.folder.join("settings.toml").display()),
            )
        })?;
        settings.require_token |= web.require_token;
        settings.allow_hosts.extend(web.allow_host.iter().cloned());
        settings
            .allow_origins
            .extend(web.allow_origin.iter().cloned());
        if web.tls_cert.is_some() || web.tls_key.is_some() {
            settings.tls_cert = web.tls_cert.clone();
            settings.tls_key = web.tls_key.clone();
        }
        if settings.tls_cert.is_some() != settings.tls_key.is_some() {
            return Err(Error::usage(
                "HTTPS needs a certificate and its key",
                "Give both: --tls-cert FILE --tls-key FILE.",
            ));
        }
        settings.oauth = trust(settings.oauth, web)?;
        let limits = &settings.limits;
        let none = [
            limits.body_bytes == 0,
            limits.connections == 0,
            limits.requests == 0,
            limits.sessions == 0,
            limits.session_idle_s == 0,
        ];
        if none.contains(&true) {
            return Err(Error::usage(
                "a limit of 0 under [http.limits] would let nobody in",
                "Set it to 1 or more, or leave it out.",
            ));
        }
        Ok(settings)
    }
}

fn trust(settings: Option<Trust>, web: &Web) -> Result<Option<Trust>, Error> {
    let said = [&web.oauth_issuer, &web.oauth_audience, &web.oauth_jwks];
    if settings.is_none() && said.iter().all(|said| said.is_none()) {
        return Ok(None);
    }
    let mut trust = settings.unwrap_or_default();
    let put = |given: &Option<String>, into: &mut String| {
        if let Some(given) = given {
            into.clone_from(given);
        }
    };
    put(&web.oauth_issuer, &mut trust.issuer);
    put(&web.oauth_audience, &mut trust.audience);
    if web.oauth_jwks.is_some() {
        trust.jwks.clone_from(&web.oauth_jwks);
    }
    if trust.issuer.is_empty() || trust.audience.is_empty() {
        return Err(Error::usage(
            "an OAuth issuer's tokens are accepted only where they are made for this server",
            "Give both: --oauth-issuer URL --oauth-audience URL, the address that clients know this server by.",
        ));
    }
    Ok(Some(trust))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn settings(folder: &Path, text: &str, web: &Web) -> Result<Settings, String> {
        std::fs::write(folder.join("settings.toml"), text).unwrap();
        let home = Home {
            folder: folder.to_owned(),
            models: folder.join("models"),
            compiled: folder.join("compiled"),
        };
        Settings::new(&home, web).map_err(|error| error.to_string())
    }

    #[test]
    fn the_command_line_counts_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let none = Web::default();
        assert_eq!(settings(folder.path(), "", &none), Ok(Settings::default()));
        let text = "[http]\nallow_hosts = [\"a.example\"]\n[http.limits]\nrate = 5\n\
            [http.oauth]\nissuer = \"https://i.example\"\naudience = \"https://a.example/mcp\"\n";
        let web = Web {
            require_token: true,
            allow_host: vec!["b.example".into()],
            oauth_jwks: Some("keys.json".into()),
            ..Web::default()
        };
        let got = settings(folder.path(), text, &web).unwrap();
        assert!(got.require_token);
        assert_eq!(got.allow_hosts, ["a.example", "b.example"]);
        assert_eq!((got.limits.rate, got.limits.connections), (number(5), 512));
        let trust = got.oauth.unwrap();
        assert_eq!(
            (trust.issuer.as_str(), trust.jwks.as_deref()),
            ("https://i.example", Some("keys.json"))
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let none = Web::default();
        for text in [
            "[http]\nport = 1",
            "[http.limits]\nrate = 0",
            "[http.limits]\nrequests = 0",
            "[http]\ntls_cert = \"cert.pem\"",
            "[http.oauth]\nissuer = \"https://i.example\"\naudience = \"\"",
        ] {
            assert!(settings(folder.path(), text, &none).is_err(), "{text}");
        }
        let web = Web {
            oauth_issuer: Some("https://i.example".into()),
            ..Web::default()
        };
        assert!(settings(folder.path(), "", &web).is_err());
    }
}
