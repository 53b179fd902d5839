use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::thread;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::*;
use crate::{FolderSettings, FolderSource};

/// Answers each connection with what stands for the path of its request.
fn serve(answers: &[(&str, Vec<u8>)]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answers: HashMap<String, Vec<u8>> = answers
        .iter()
        .map(|(path, answer)| ((*path).to_owned(), answer.clone()))
        .collect();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                request.push(byte[0]);
            }
            let request = String::from_utf8(request).unwrap();
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let _ = stream.write_all(
                answers
                    .get(&path)
                    .map_or(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n", |answer| {
                        answer
                    }),
            );
        }
    });
    address
}

fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let head = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn html(body: &str) -> Vec<u8> {
    answer(
        "200 OK",
        &["content-type: text/html; charset=utf-8"],
        body.as_bytes(),
    )
}

/// Sends each name to an address of its own.
#[derive(Debug)]
struct Names(Vec<(&'static str, SocketAddr)>);

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        for (name, address) in &self.0 {
            if uri.host() == Some(name) {
                addresses.push(*address);
            }
        }
        if addresses.is_empty() {
            return Err(ureq::Error::HostNotFound);
        }
        Ok(addresses)
    }
}

fn limits() -> Limits {
    Limits {
        patience: Duration::from_secs(10),
        ..Limits::default()
    }
}

/// One that finds every page of `x.example` at the server.
fn fetcher(server: SocketAddr) -> Fetcher {
    Fetcher::with_resolver(limits(), true, Names(vec![("x.example", server)]))
}

#[test]
fn a_page_comes_with_its_hash_and_its_end_address() {
    let server = serve(&[
        ("/a", answer("301 Moved", &["location: /b?c=d#e"], b"")),
        (
            "/b?c=d",
            answer(
                "200 OK",
                &[
                    "content-type: text/html; charset=koi8-r",
                    "x-robots-tag: noindex, NoArchive",
                ],
                b"<p>abc",
            ),
        ),
        (
            "/pdf",
            answer(
                "200 OK",
                &["content-type: application/octet-stream"],
                b"%PDF-1.7 ...",
            ),
        ),
        ("/bare", answer("200 OK", &[], b" <!DOCTYPE HTML><p>x")),
    ]);
    let fetched = fetcher(server).fetch(" http://x.example/a#here").unwrap();
    assert_eq!(fetched.url, "http://x.example/b?c=d");
    assert_eq!(fetched.bytes, b"<p>abc");
    assert_eq!(fetched.kind, Kind::Page);
    assert_eq!(
        fetched.media_type.as_deref(),
        Some("text/html; charset=koi8-r")
    );
    assert_eq!(fetched.sha256.len(), 64);
    assert!(fetched.warnings[0].contains("noarchive"));
    let pdf = fetcher(server).fetch("http://x.example/pdf").unwrap();
    assert_eq!((pdf.kind, pdf.warnings.len()), (Kind::Pdf, 0));
    assert_eq!(
        fetcher(server).fetch("http://x.example/bare").unwrap().kind,
        Kind::Page
    );
}

#[test]
fn private_addresses_are_refused_before_a_byte_is_sent() {
    let server = serve(&[("/", html("secret"))]);
    let strict = Fetcher::with_resolver(limits(), false, Names(vec![("x.example", server)]));
    let error = strict.fetch("http://x.example/").unwrap_err();
    assert!(
        matches!(&error, ClipError::Private { host, .. } if host == "x.example"),
        "{error}"
    );
    assert!(error.to_string().contains("--allow-private"), "{error}");
    // One private address among public ones is enough.
    let mixed = Names(vec![
        ("x.example", "1.1.1.1:9".parse().unwrap()),
        ("x.example", server),
    ]);
    let strict = Fetcher::with_resolver(limits(), false, mixed);
    assert!(matches!(
        strict.fetch("http://x.example/"),
        Err(ClipError::Private { .. })
    ));
    // Addresses as names, in all their spellings, by the system's resolver.
    let strict = Fetcher::new(limits(), false);
    let port = server.port();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "0.0.0.0",
    ] {
        let error = strict.fetch(&format!("http://{host}:{port}/")).unwrap_err();
        assert!(
            matches!(error, ClipError::Private { .. }),
            "{host}: {error}"
        );
    }
    assert_eq!(
        fetcher(server).fetch("http://x.example/").unwrap().bytes,
        b"secret"
    );
}

#[test]
fn a_redirect_into_the_private_network_is_refused() {
    let inside = serve(&[("/", html("secret"))]);
    let server = serve(&[(
        "/",
        answer("302 Found", &["location: http://inside.example/"], b""),
    )]);
    // Nothing on this machine is public: the check is given what it would see.
    #[derive(Debug)]
    struct Inside(SocketAddr, SocketAddr);
    impl Resolver for Inside {
        fn resolve(
            &self,
            uri: &Uri,
            config: &Config,
            timeout: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            match uri.host() {
                Some("inside.example") => {
                    let names = Names(vec![("inside.example", self.1)]);
                    Checking(names).resolve(uri, config, timeout)
                }
                _ => Names(vec![("x.example", self.0)]).resolve(uri, config, timeout),
            }
        }
    }
    /// The check itself, as it is for everyone.
    #[derive(Debug)]
    struct Checking(Names);
    impl Resolver for Checking {
        fn resolve(
            &self,
            uri: &Uri,
            config: &Config,
            timeout: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            fetch::check(self.0.resolve(uri, config, timeout)?, uri)
        }
    }
    let fetcher = Fetcher::with_resolver(limits(), true, Inside(server, inside));
    let error = fetcher.fetch("http://x.example/").unwrap_err();
    assert!(
        matches!(&error, ClipError::Private { host, .. } if host == "inside.example"),
        "{error}"
    );
}

#[test]
fn redirects_end_and_stay_on_the_web() {
    let server = serve(&[
        ("/loop", answer("302 Found", &["location: /loop"], b"")),
        (
            "/file",
            answer("302 Found", &["location: file:///etc/passwd"], b""),
        ),
        ("/bad", answer("302 Found", &["location: http://"], b"")),
        ("/none", answer("302 Found", &[], b"")),
    ]);
    let error = |path: &str| {
        fetcher(server)
            .fetch(&format!("http://x.example{path}"))
            .unwrap_err()
    };
    assert!(matches!(
        error("/loop"),
        ClipError::Redirects { most: 10, .. }
    ));
    assert!(matches!(error("/file"), ClipError::Address { .. }));
    assert!(matches!(error("/bad"), ClipError::Address { .. }));
    assert!(matches!(
        error("/none"),
        ClipError::Refused { status: 302, .. }
    ));
}

#[test]
fn refusals_are_told_as_they_come() {
    let server = serve(&[
        ("/401", answer("401 No", &[], b"")),
        ("/402", answer("402 No", &[], b"")),
        ("/403", answer("403 No", &[], b"")),
        ("/451", answer("451 No", &[], b"")),
        ("/500", answer("500 No", &[], b"")),
        (
            "/zip",
            answer("200 OK", &["content-type: application/zip"], b"PK"),
        ),
        (
            "/text",
            answer("200 OK", &["content-type: text/plain"], b"words"),
        ),
    ]);
    for (path, part) in [
        ("/401", "401 (it asks for a login)"),
        ("/402", "402 (it asks for payment)"),
        ("/403", "403 (it does not let"),
        ("/404", "404 (there is no such page"),
        ("/451", "451 (not available for legal reasons)"),
        ("/500", "500 (it has a problem"),
        ("/zip", "of the type application/zip"),
        ("/text", "of the type text/plain"),
    ] {
        let error = fetcher(server)
            .fetch(&format!("http://x.example{path}"))
            .unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    for address in [
        "x.example",
        "ftp://x.example/",
        "file:///etc/passwd",
        "http://me:pass@x.example/",
        "http://",
    ] {
        let error = fetcher(server).fetch(address).unwrap_err();
        assert!(matches!(error, ClipError::Address { .. }), "{error}");
    }
    let error = fetcher(server)
        .fetch("http://nowhere.example/")
        .unwrap_err();
    assert!(matches!(error, ClipError::Unreachable { .. }), "{error}");
}

#[test]
fn pages_have_a_size_and_a_time() {
    let server = serve(&[
        ("/long", html(&"x".repeat(2_000))),
        // Says more than it sends, and then nothing.
        (
            "/short",
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 100\r\n\r\nx".to_vec(),
        ),
    ]);
    let small = Limits {
        bytes: 1_000,
        ..limits()
    };
    let small = Fetcher::with_resolver(small, true, Names(vec![("x.example", server)]));
    let error = small.fetch("http://x.example/long").unwrap_err();
    assert!(
        matches!(error, ClipError::TooLarge { most: 1_000, .. }),
        "{error}"
    );
    let error = fetcher(server).fetch("http://x.example/short").unwrap_err();
    assert!(matches!(error, ClipError::Unreachable { .. }), "{error}");

    // A server that takes the connection and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let hasty = Limits {
        patience: Duration::from_millis(200),
        ..limits()
    };
    let names = Names(vec![("x.example", silent.local_addr().unwrap())]);
    let error = Fetcher::with_resolver(hasty, true, names)
        .fetch("http://x.example/")
        .unwrap_err();
    assert!(matches!(error, ClipError::Unreachable { .. }), "{error}");
}

fn folder(path: &Path) -> FolderSource {
    FolderSource::open(path, &FolderSettings::default()).unwrap()
}

const CLIP: Clip<'static> = Clip {
    url: "https://birds.example/herons?page=1",
    title: "Herons: \"at work\"",
    authors: &[],
    published: Some("2024-03-01T10:00:00Z"),
    clipped: "2026-11-30T12:00:00+01:00",
    tags: &[],
    sha256: "aa",
    text: "The heron stands.\n",
};

#[test]
fn a_clip_is_a_note_with_frontmatter() {
    let temp = tempfile::tempdir().unwrap();
    let (authors, tags) = (
        ["Ada".to_owned(), "Bo".to_owned()],
        ["#birds".to_owned(), "long legs".to_owned()],
    );
    let clip = Clip {
        authors: &authors,
        tags: &tags,
        ..CLIP
    };
    let saved = save(&folder(temp.path()), &clip).unwrap();
    assert_eq!(saved.external_id, "2026-11-30_herons-at-work.md");
    assert_eq!(saved.outcome, Outcome::Created);
    let note = std::fs::read_to_string(temp.path().join(&saved.external_id)).unwrap();
    let hash = note.split("text_sha256: \"").nth(1).unwrap()[..64].to_owned();
    assert_eq!(
        note,
        format!(
            "---\ntitle: \"Herons: \\\"at work\\\"\"\nurl: \"https://birds.example/herons?page=1\"\n\
             author: [\"Ada\", \"Bo\"]\npublished: 2024-03-01T10:00:00Z\nclipped: 2026-11-30T12:00:00+01:00\n\
             tags: [\"birds\", \"long-legs\"]\nsha256: \"aa\"\ntext_sha256: \"{hash}\"\n---\n\n\
             # Herons: \"at work\"\n\nThe heron stands.\n"
        )
    );
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn clipping_again_updates_the_same_note_wherever_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let source = folder(temp.path());
    let saved = save(&source, &CLIP).unwrap();
    std::fs::create_dir(temp.path().join("Birds")).unwrap();
    std::fs::rename(
        temp.path().join(saved.external_id),
        temp.path().join("Birds/My heron.md"),
    )
    .unwrap();
    // Another page of the same name, and a note of one's own on the page.
    std::fs::write(
        temp.path().join("mine.md"),
        "---\nurl: https://birds.example/herons?page=1\n---\nMine\n",
    )
    .unwrap();
    let other = Clip {
        url: "https://birds.example/herons?page=2",
        ..CLIP
    };
    for expected in [
        "2026-11-30_herons-at-work.md",
        "2026-11-30_herons-at-work-2.md",
    ] {
        let url = format!("{}&n={expected}", other.url);
        let saved = save(&source, &Clip { url: &url, ..other }).unwrap();
        assert_eq!(
            (&*saved.external_id, saved.outcome),
            (expected, Outcome::Created)
        );
    }
    // The same again, later, does not touch it.
    let later = Clip {
        clipped: "2026-12-01T08:00:00Z",
        ..CLIP
    };
    let path = temp.path().join("Birds/My heron.md");
    let before = std::fs::read_to_string(&path).unwrap();
    let saved = save(&source, &later).unwrap();
    assert_eq!(
        (&*saved.external_id, saved.outcome),
        ("Birds/My heron.md", Outcome::Unchanged)
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    // What changed is written anew.
    let changed = Clip {
        url: "http://birds.example/herons?page=1#top",
        sha256: "bb",
        text: "It struck.",
        ..later
    };
    let saved = save(&source, &changed).unwrap();
    assert_eq!(
        (&*saved.external_id, saved.outcome),
        ("Birds/My heron.md", Outcome::Updated)
    );
    let note = std::fs::read_to_string(&path).unwrap();
    assert!(
        note.contains("It struck.") && !note.contains("stands"),
        "{note}"
    );
    assert!(
        note.contains("clipped: 2026-12-01T08:00:00Z") && !note.contains("As edited"),
        "{note}"
    );
    assert_eq!(
        std::fs::read_dir(temp.path().join("Birds"))
            .unwrap()
            .count(),
        1
    );
    assert!(
        std::fs::read_to_string(temp.path().join("mine.md"))
            .unwrap()
            .contains("Mine")
    );
}

#[test]
fn what_a_person_added_stays() {
    let temp = tempfile::tempdir().unwrap();
    let source = folder(temp.path());
    let tags = ["Birds".to_owned()];
    let saved = save(
        &source,
        &Clip {
            tags: &tags,
            ..CLIP
        },
    )
    .unwrap();
    let path = temp.path().join(saved.external_id);
    let note = std::fs::read_to_string(&path).unwrap();
    let mine = note
        .replace(
            "tags: [\"Birds\"]",
            "tags:\n  - birds\n  - \"to read\"\nrating: 5\nseen:\n  - pond # twice",
        )
        .replace("stands.", "stands. **Remember this.**");
    std::fs::write(&path, &mine).unwrap();
    // The page is as it was: the text stays, the tags join.
    let tags = ["legs".to_owned(), "BIRDS".to_owned()];
    let again = Clip {
        tags: &tags,
        ..CLIP
    };
    assert_eq!(save(&source, &again).unwrap().outcome, Outcome::Updated);
    let note = std::fs::read_to_string(&path).unwrap();
    assert!(
        note.contains("tags: [\"birds\", \"to-read\", \"legs\"]\n"),
        "{note}"
    );
    assert!(
        note.contains("\nrating: 5\nseen:\n  - pond # twice\n---\n"),
        "{note}"
    );
    assert!(
        note.contains("Remember this") && !note.contains("As edited"),
        "{note}"
    );
    assert_eq!(save(&source, &again).unwrap().outcome, Outcome::Unchanged);
    // The page changed: the new text, and the person's below it.
    let changed = Clip {
        sha256: "bb",
        text: "It struck.",
        ..again
    };
    assert_eq!(save(&source, &changed).unwrap().outcome, Outcome::Updated);
    let note = std::fs::read_to_string(&path).unwrap();
    let (new, old) = note
        .split_once("\n## As edited after 2026-11-30\n")
        .unwrap();
    assert!(
        new.contains("It struck.") && old.contains("Remember this"),
        "{note}"
    );
    assert_eq!(save(&source, &changed).unwrap().outcome, Outcome::Unchanged);
}
