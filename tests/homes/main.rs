//! A home over the years: what is deleted and brought back, what is removed
//! without a trace, copies, upgrades and repairs; through the binary, on real
//! files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod backups;
mod deletion;
mod repairs;
mod traces;
mod upgrades;

use std::process::Output;

use pkb_engine::{Access, Engine, Home, SearchRequest};
use pkb_tests::Library;
use rusqlite::Connection;

/// A library of these notes, synced.
fn library(notes: &[(&str, &str)]) -> Library {
    let library = Library::new();
    for (name, text) in notes {
        library.write(name, text);
    }
    library.sync();
    library
}

/// This process as another one that has the home open: what a server does.
fn server(library: &Library) -> Engine {
    let home = Home {
        folder: library.home.path().to_owned(),
        models: library.home_file("models"),
        compiled: library.home_file("compiled"),
    };
    Engine::open(home, Access::Read).unwrap()
}

/// Paths of what an open engine finds.
fn finds(engine: &Engine, query: &str) -> Vec<String> {
    let answer = engine.search(&SearchRequest {
        query: query.into(),
        limit: 10,
        ..SearchRequest::default()
    });
    let hits = answer.unwrap().hits;
    hits.into_iter().map(|hit| hit.citation.path).collect()
}

fn database(library: &Library) -> Connection {
    Connection::open(library.home_file("pkb.db")).unwrap()
}

fn number(library: &Library, sql: &str) -> i64 {
    database(library)
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a run that must end with that code says on stderr.
fn fails(library: &Library, code: i32, arguments: &[&str]) -> String {
    let output = library.output(arguments);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}
