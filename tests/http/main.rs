//! `pkb serve --http`, as clients and as attackers meet it: the real program
//! at a real address.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure here is the failure of a test"
)]

mod codes;
mod doors;
mod eras;
mod oauth;
mod server;
mod stopping;
mod storms;
mod tls;
mod tokens;
