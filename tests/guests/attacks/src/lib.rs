//! A hostile chunker: its setting `attack` picks a way to misbehave, or the
//! first line of the text does, as `attack: NAME`. Without either it behaves
//! and gives one chunk.

#[cfg(target_family = "wasm")]
#[allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "generated, and hostile on purpose"
)]
mod guest {
    use std::hint::black_box;
    use std::io::Write;

    wit_bindgen::generate!({ path: "../../../wit", world: "chunker" });

    use exports::pkb::plugin::about::{Description, Guest as About};
    use exports::pkb::plugin::chunk::{Chunk, Guest as Chunker, Options, SourceText};
    use pkb::plugin::types::{Failure, FailureKind, Span};

    struct Attacks;

    export!(Attacks);

    impl About for Attacks {
        fn describe() -> Description {
            Description {
                name: "attacks".into(),
                version: env!("CARGO_PKG_VERSION").into(),
                summary: "Misbehaves as told.".into(),
                settings_schema: r#"{"type":"object","properties":{"attack":{"type":"string"}}}"#
                    .into(),
            }
        }
    }

    fn whole(text: &str) -> Result<Vec<Chunk>, Failure> {
        Ok(vec![chunk(0, text.len() as u64)])
    }

    fn chunk(start: u64, end: u64) -> Chunk {
        Chunk {
            span: Span { start, end },
            headings: Vec::new(),
            context: None,
        }
    }

    /// Fills the host's stack: its frames take next to no linear memory.
    fn recurse(depth: u64) -> u64 {
        if black_box(depth) == u64::MAX {
            0
        } else {
            recurse(depth + 1).wrapping_add(depth)
        }
    }

    /// Fills the guest's own stack, in linear memory.
    fn recurse_with_frames(depth: u64) -> u64 {
        let frame = black_box([depth; 64]);
        if black_box(depth) == u64::MAX {
            0
        } else {
            recurse_with_frames(depth + 1) + frame[(depth % 64) as usize]
        }
    }

    impl Chunker for Attacks {
        fn split(source: SourceText, options: Options) -> Result<Vec<Chunk>, Failure> {
            let settings: serde_json::Value =
                serde_json::from_str(&options.settings).unwrap_or_default();
            let asked = settings["attack"].as_str().map(str::to_owned);
            let first = source.text.lines().next().unwrap_or_default();
            let attack = asked
                .or_else(|| first.strip_prefix("attack: ").map(str::to_owned))
                .unwrap_or_default();
            let text = &source.text;
            match attack.as_str() {
                "" => whole(text),
                // Behaved, and unlike what it does without settings.
                "first-line" => Ok(vec![chunk(0, first.len() as u64)]),
                "loop" => loop {
                    black_box(0);
                },
                "sleep" => {
                    std::thread::sleep(std::time::Duration::from_secs(3600));
                    loop {
                        black_box(0);
                    }
                }
                "memory" => {
                    let mut hoard: Vec<Vec<u8>> = Vec::new();
                    loop {
                        hoard.push(black_box(vec![1; 16 << 20]));
                    }
                }
                "recursion" => Err(Failure {
                    kind: FailureKind::Internal,
                    message: recurse(0).to_string(),
                }),
                "frames" => Err(Failure {
                    kind: FailureKind::Internal,
                    message: recurse_with_frames(0).to_string(),
                }),
                "huge-result" => Ok((0..20_000_000)
                    .map(|_| chunk(0, text.len() as u64))
                    .collect()),
                "many-chunks" => Ok((0..100_000).map(|_| chunk(0, text.len() as u64)).collect()),
                "huge-context" => Ok(vec![Chunk {
                    context: Some("x".repeat(64 << 20)),
                    ..chunk(0, text.len() as u64)
                }]),
                "outside" => Ok(vec![chunk(0, text.len() as u64 + 1)]),
                "far-outside" => Ok(vec![chunk(u64::MAX - 1, u64::MAX)]),
                "backwards" => Ok(vec![chunk(5, 2)]),
                "empty-chunk" => Ok(vec![chunk(1, 1)]),
                "boundary" => {
                    let inside = text
                        .char_indices()
                        .find(|(_, c)| c.len_utf8() > 1)
                        .map_or(1, |(at, _)| at + 1);
                    Ok(vec![chunk(0, inside as u64)])
                }
                "trap" => panic!("the chunker fell over"),
                "unreachable" => core::arch::wasm32::unreachable(),
                "exit" => std::process::exit(3),
                "fail" => Err(Failure {
                    kind: FailureKind::InvalidInput,
                    message: "the text is not to my taste".into(),
                }),
                "huge-log" => {
                    for _ in 0..100_000 {
                        pkb::plugin::log::write(
                            pkb::plugin::log::Level::Error,
                            &"x".repeat(100_000),
                        );
                    }
                    whole(text)
                }
                "count-flood" => {
                    let texts: Vec<String> = (0..400).map(|_| "word ".repeat(10_000)).collect();
                    loop {
                        black_box(pkb::plugin::tokens::count(&texts));
                    }
                }
                "count-trickle" => loop {
                    black_box(pkb::plugin::tokens::count(&["word".to_owned()]));
                },
                "count-long" => {
                    let text = ["word ".repeat(200_000)];
                    loop {
                        black_box(pkb::plugin::tokens::count(&text));
                    }
                }
                "escapes" => Err(Failure {
                    kind: FailureKind::InvalidInput,
                    message: "a bad\nchunk \u{1b}[2J\u{202e}of\r\ntext".into(),
                }),
                // What a grant would be needed for: told as a failure, so that
                // the test sees what the guest saw.
                "file" => seen(
                    std::fs::read_to_string("/etc/passwd")
                        .map(|text| text.len())
                        .map_err(|e| e.to_string()),
                ),
                "write-file" => seen(
                    std::fs::write("/tmp/pkb-was-here", "x")
                        .map(|()| 0)
                        .map_err(|e| e.to_string()),
                ),
                "socket" => seen(
                    std::net::TcpStream::connect("127.0.0.1:80")
                        .map(|_| 0)
                        .map_err(|e| e.to_string()),
                ),
                "listen" => seen(
                    std::net::TcpListener::bind("127.0.0.1:0")
                        .map(|_| 0)
                        .map_err(|e| e.to_string()),
                ),
                "environment" => {
                    let all: Vec<String> = std::env::vars()
                        .map(|(key, value)| format!("{key}={value}"))
                        .collect();
                    if all.is_empty() {
                        seen(Err("the environment is empty".into()))
                    } else {
                        seen(Ok(all.len()))
                    }
                }
                "stdout" => {
                    for _ in 0..10_000 {
                        println!("guest-was-here");
                        eprintln!("guest-was-here");
                    }
                    let _ = std::io::stdout().flush();
                    whole(text)
                }
                other => Err(Failure {
                    kind: FailureKind::Internal,
                    message: format!("no attack called {other}"),
                }),
            }
        }
    }

    fn seen(result: Result<usize, String>) -> Result<Vec<Chunk>, Failure> {
        let message = match result {
            Ok(n) => format!("BREACH: it worked ({n})"),
            Err(refusal) => format!("refused: {refusal}"),
        };
        Err(Failure {
            kind: FailureKind::Internal,
            message,
        })
    }
}
