//! What is written into the user's folders, and what marks on sources keep from
//! whom: by the command line and by bare lines to the server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure here is the failure of a test"
)]

mod adding;
mod marks;
mod server;
mod updating;

use pkb_tests::Library;

/// What a run that must fail says on stderr.
fn fails(library: &Library, code: i32, arguments: &[&str]) -> String {
    let output = library.output(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {output:?}"
    );
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}
