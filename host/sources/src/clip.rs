//! Web clips: one page of the web, kept as a note in a folder.
//!
//! A clip is a person's own request of one page, as a browser's is. So
//! `robots.txt`, which speaks to crawlers, is not asked; what the site answers
//! (a login, a paywall, a wish that no copies be kept) is told as it comes, and
//! never worked around. Where the page is read is up to the caller: this module
//! [fetches](Fetcher::fetch) bytes, and [saves](save) the note made of them.

mod addresses;
mod fetch;
mod frontmatter;
mod note;
mod save;
mod slug;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

pub use addresses::is_public;
pub use fetch::{Fetched, Fetcher, Kind, Limits};
pub use frontmatter::quoted;
pub use note::Clip;
pub use save::{Outcome, Saved, save};

/// Why a page was not clipped, said so that a person can act on it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The address is none of a page.
    #[error("\"{url}\" is not the address of a web page: {reason}")]
    Address {
        /// The address as given, or as a redirect gave it.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The name stands for an address that is not on the public network.
    #[error(
        "{host} is at {address}, which is not on the public internet; if it is a server of the user, the user can clip from it with `pkb clip URL --allow-private`"
    )]
    Private {
        /// The host of the address.
        host: String,
        /// What its name stands for.
        address: IpAddr,
    },
    /// The server could not be reached, or did not answer in time.
    #[error("{url} could not be fetched ({reason}): check the address and the connection")]
    Unreachable {
        /// The address.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The server answered, and not with the page.
    #[error("{url} was not given: the server answered {status}{}", meaning(*.status))]
    Refused {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// Redirects that come to no end.
    #[error("{url} redirects more than {most} times")]
    Redirects {
        /// The address that was asked for.
        url: String,
        /// How many are followed.
        most: u32,
    },
    /// More bytes than are taken.
    #[error("{url} has more than {most} bytes, which is the limit for one page")]
    TooLarge {
        /// The address.
        url: String,
        /// The limit, in bytes.
        most: u64,
    },
    /// Something that is neither page nor PDF.
    #[error("{url} is of the type {media_type}; pages (HTML) and PDF files can be clipped")]
    Unsupported {
        /// The address.
        url: String,
        /// As the server says it.
        media_type: String,
    },
    /// The folder cannot be looked through, or the note not be written.
    #[error(transparent)]
    Folder(#[from] crate::Error),
}

/// What a status means for a reader.
fn meaning(status: u16) -> &'static str {
    match status {
        401 | 407 => " (it asks for a login)",
        402 => " (it asks for payment)",
        403 => " (it does not let this page be read by programs, or by you)",
        404 | 410 => " (there is no such page, or no more)",
        429 => " (too many requests; try again later)",
        451 => " (not available for legal reasons)",
        500.. => " (it has a problem of its own; try again later)",
        _ => "",
    }
}
