//! The words of commands that serve, and of who may ask.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};

use crate::access::{Lifetime, Scope};

/// Without --http the client starts pkb itself and speaks with it on stdin and
/// stdout. With it, pkb serves any number of clients at the address that it
/// prints; limits and what else seldom changes stand in the home's
/// settings.toml, under [http].
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve over HTTP at this address, such as 127.0.0.1:8765; port 0 takes
    /// any free one. An address that other machines reach needs a token
    /// (`pkb token new`).
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<String>,
    #[command(flatten)]
    pub(crate) web: Web,
    /// Take in what changes in the sources meanwhile [default].
    #[arg(long, overrides_with = "no_watch")]
    pub(crate) watch: bool,
    /// Leave the sources alone but for a look before each search.
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Offer no tool that changes anything.
    #[arg(long, env = "PKB_READ_ONLY", value_parser = switch)]
    pub(crate) read_only: bool,
    /// Offer `search` and `fetch` too, as ChatGPT wants them.
    #[arg(long)]
    pub(crate) chatgpt: bool,
    /// Also answer from this private source; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) private: Vec<String>,
    /// Make folders sources first, those that are none yet.
    #[arg(long, value_name = "DIR", num_args = 0.., value_parser = maybe_path())]
    pub(crate) folder: Vec<PathBuf>,
}

/// How to serve over HTTP, beyond the address.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct Web {
    /// Ask every client for a token, on this machine too.
    #[arg(long, requires = "http")]
    pub(crate) require_token: bool,
    /// Another name that clients reach this server by, such as
    /// notes.example.org or notes.example.org:8443; may be given several times.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// A web page's origin that may use this server, such as
    /// http://localhost:6274; may be given several times.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Serve HTTPS with this certificate and what it rests on, in PEM.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Accept access tokens of this OAuth issuer too.
    #[arg(long, value_name = "URL", requires = "http")]
    pub(crate) oauth_issuer: Option<String>,
    /// The address that clients know this server by, which those tokens must
    /// be made for, such as https://notes.example.org/mcp.
    #[arg(long, value_name = "URL", requires = "http")]
    pub(crate) oauth_audience: Option<String>,
    /// Where the issuer's keys are: a URL or a file [default: where the
    /// issuer's metadata says].
    #[arg(long, value_name = "URL|FILE", requires = "http")]
    pub(crate) oauth_jwks: Option<String>,
}

/// A token lets a client in that reaches pkb over HTTP. Once there is one,
/// every client needs one. It is shown when it is made and never again: the
/// home keeps a hash of it.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token and print it, once.
    New {
        /// What to call it [default: token-1, token-2 and so on].
        #[arg(long)]
        name: Option<String>,
        /// What it lets a client do: read looks only; write also adds, edits,
        /// syncs, and deletes with a way back; admin also deletes for good.
        #[arg(long, value_name = "SCOPE", default_value = "read")]
        scope: Scope,
        /// When it stops being valid: after a time such as 12h, 90d or 1y, at
        /// the end of a day such as 2027-06-30, or never.
        #[arg(long, value_name = "WHEN", default_value = "90d")]
        expires: Lifetime,
    },
    /// List the tokens there are.
    List,
    /// End a token at once, in running servers too.
    Revoke {
        /// Its name or id.
        #[arg(value_name = "NAME|ID")]
        token: String,
    },
}

/// What a client hands on where a bundle's user left a setting open.
const OPEN: &str = "${user_config.";

/// A path that a client may leave open: empty, or a setting of a bundle's that
/// its user did not make. Both come out empty.
pub(super) fn maybe_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(|path| match path.to_str() {
        Some(open) if open.starts_with(OPEN) => PathBuf::new(),
        _ => PathBuf::from(path),
    })
}

/// Yes or no, as a variable says it; left open is no.
fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" | "" => Ok(false),
        open if open.starts_with(OPEN) => Ok(false),
        _ => Err(format!("{text:?} is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn what_a_client_leaves_open_is_not_given() {
        let serve = |arguments: &[&str]| {
            let all = ["pkb", "serve"].iter().chain(arguments);
            match Cli::try_parse_from(all).unwrap().command {
                Command::Serve(serve) => serve,
                other => panic!("{other:?}"),
            }
        };
        assert!(serve(&["--folder"]).folder.is_empty());
        let given = serve(&["--folder", "a", "${user_config.folders}", "", "--read-only"]);
        assert_eq!(given.folder, ["a", "", ""].map(PathBuf::from));
        assert!(given.read_only);
        for (text, meant) in [
            ("true", true),
            ("False", false),
            ("", false),
            ("${user_config.x}", false),
        ] {
            assert_eq!(switch(text), Ok(meant), "{text}");
        }
        assert!(switch("perhaps").is_err());
    }
}
