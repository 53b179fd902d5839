use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::*;
use crate::registry::Registry;
use crate::registry::catalogue::{Entry, File as Pinned};
use crate::settings::Pooling;
use crate::testing::Net;

/// What the server does with one request.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Answers as asked, ranges included.
    Serve,
    /// Answers with the whole file whatever was asked.
    Whole,
    /// As `Serve`, but hangs up after so many bytes.
    Cut(usize),
    /// Sends other bytes of the same number.
    Garble,
    /// Sends a file that is longer by one, without saying how long.
    Longer,
    /// Says it will send a file of this size.
    Sized(usize),
    /// Answers with a status alone.
    Status(u16),
    /// Sends the client to the same path under `/moved`.
    Redirect,
    /// Says nothing and keeps the line open.
    Hang,
}

/// A request's path and `Range`.
type Request = (String, Option<String>);

/// An HTTP server of one file per path, on a port of its own.
struct Server {
    endpoint: String,
    /// All so far.
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves the files, doing the acts in turn and then `Serve`.
    fn new(files: Vec<(String, Vec<u8>)>, acts: &[Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let acts = Arc::new(Mutex::new(acts.iter().copied().collect::<VecDeque<_>>()));
        let files = Arc::new(files);
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, seen, acts) =
                    (Arc::clone(&files), Arc::clone(&seen), Arc::clone(&acts));
                std::thread::spawn(move || {
                    // The client may hang up at any time.
                    let _ = answer(stream, &files, &seen, &acts);
                });
            }
        });
        Self { endpoint, requests }
    }

    fn ranges(&self) -> Vec<Option<String>> {
        self.requests
            .lock()
            .unwrap()
            .iter()
            .map(|(_, range)| range.clone())
            .collect()
    }
}

fn answer(
    mut stream: TcpStream,
    files: &[(String, Vec<u8>)],
    seen: &Mutex<Vec<Request>>,
    acts: &Mutex<VecDeque<Act>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap()?;
    let path = first.split(' ').nth(1).unwrap().to_owned();
    let mut range = None;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "range" => range = Some(value.trim().to_owned()),
            "accept-encoding" => assert_eq!(value.trim(), "identity"),
            _ => {}
        }
    }
    seen.lock().unwrap().push((path.clone(), range.clone()));
    let act = acts.lock().unwrap().pop_front().unwrap_or(Act::Serve);
    let plain = path.trim_start_matches("/moved");
    let Some((_, content)) = files.iter().find(|(name, _)| name == plain) else {
        return write!(
            stream,
            "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"
        );
    };
    let start: usize = match (&act, &range) {
        (Act::Whole, _) | (_, None) => 0,
        (_, Some(range)) => range
            .strip_prefix("bytes=")
            .unwrap()
            .strip_suffix('-')
            .unwrap()
            .parse()
            .unwrap(),
    };
    let mut body = content[start..].to_vec();
    let mut said = Some(body.len());
    match act {
        Act::Status(status) => {
            return write!(
                stream,
                "HTTP/1.1 {status} No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
            );
        }
        Act::Redirect => {
            return write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: /moved{path}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            );
        }
        Act::Hang => {
            std::thread::sleep(Duration::from_secs(5));
            return Ok(());
        }
        Act::Garble => body.iter_mut().for_each(|byte| *byte ^= 0x55),
        Act::Longer => {
            body.push(0);
            said = None;
        }
        Act::Sized(size) => said = Some(size),
        Act::Serve | Act::Whole | Act::Cut(_) => {}
    }
    if start > 0 {
        let (last, total) = (content.len() - 1, content.len());
        write!(stream, "HTTP/1.1 206 Partial Content\r\n")?;
        write!(stream, "Content-Range: bytes {start}-{last}/{total}\r\n")?;
    } else {
        write!(stream, "HTTP/1.1 200 OK\r\n")?;
    }
    if let Some(said) = said {
        write!(stream, "Content-Length: {said}\r\n")?;
    }
    write!(stream, "Connection: close\r\n\r\n")?;
    if let Act::Cut(length) = act {
        body.truncate(length);
    }
    stream.write_all(&body)
}

#[derive(Default)]
struct Watch {
    bytes: Vec<(u64, u64)>,
    notes: Vec<String>,
    stop_at: Option<u64>,
}

impl Progress for Watch {
    fn bytes(&mut self, done: u64, total: u64) {
        self.bytes.push((done, total));
    }
    fn note(&mut self, message: &str) {
        self.notes.push(message.to_owned());
    }
    fn stop(&self) -> bool {
        let done = self.bytes.last().map_or(0, |(done, _)| *done);
        self.stop_at.is_some_and(|stop_at| done >= stop_at)
    }
}

fn client() -> Client {
    Client::with(None, Duration::from_millis(300), Duration::from_millis(1))
}

fn content() -> Vec<u8> {
    (0..300_000u32)
        .flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 7).to_le_bytes())
        .collect()
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

struct Run {
    server: Server,
    folder: tempfile::TempDir,
    watch: Watch,
    result: Result<(), Error>,
}

impl Run {
    /// Downloads one file from a server that acts so, with `part` being there
    /// already.
    fn new(acts: &[Act], part: Option<&[u8]>) -> Self {
        Self::stopping(acts, part, None)
    }

    fn stopping(acts: &[Act], part: Option<&[u8]>, stop_at: Option<u64>) -> Self {
        let server = Server::new(vec![("/file".to_owned(), content())], acts);
        let folder = tempfile::tempdir().unwrap();
        if let Some(part) = part {
            fs::write(folder.path().join("file.part"), part).unwrap();
        }
        let mut watch = Watch {
            stop_at,
            ..Watch::default()
        };
        let result = Self::fetch(&server, folder.path(), &mut watch);
        Self {
            server,
            folder,
            watch,
            result,
        }
    }

    fn fetch(server: &Server, folder: &Path, watch: &mut Watch) -> Result<(), Error> {
        let bytes = content();
        let wanted = Wanted {
            url: format!("{}/file", server.endpoint),
            bytes: bytes.len() as u64,
            sha256: &hash(&bytes),
            by_hand: "Do it by hand".to_owned(),
        };
        client().fetch(&wanted, &folder.join("file"), watch)
    }

    fn file(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join("file")).ok()
    }

    fn part(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join("file.part")).ok()
    }

    fn message(&self) -> String {
        self.result.as_ref().unwrap_err().to_string()
    }
}

#[test]
fn a_file_comes_whole() {
    let run = Run::new(&[], None);
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
    assert!(run.part().is_none());
    let total = content().len() as u64;
    assert_eq!(run.watch.bytes.last(), Some(&(total, total)));
    assert!(run.watch.bytes.is_sorted());
    assert!(run.watch.notes.is_empty());
}

#[test]
fn what_is_here_is_not_fetched_again() {
    let mut run = Run::new(&[], None);
    Run::fetch(&run.server, run.folder.path(), &mut run.watch).unwrap();
    assert_eq!(run.server.ranges().len(), 1);
}

#[test]
fn a_broken_connection_is_gone_on_from() {
    let run = Run::new(&[Act::Cut(100_000), Act::Cut(200_000)], None);
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
    let ranges = run.server.ranges();
    assert_eq!(ranges[0], None);
    assert_eq!(ranges[1].as_deref(), Some("bytes=100000-"));
    assert_eq!(ranges[2].as_deref(), Some("bytes=300000-"));
    assert_eq!(run.watch.notes.len(), 2);
    assert!(
        run.watch.notes[0].contains("100000 of 1200000 bytes"),
        "{:?}",
        run.watch.notes
    );
}

#[test]
fn an_interrupted_download_is_gone_on_from_later() {
    let run = Run::stopping(&[], None, Some(400_000));
    assert!(matches!(run.result, Err(Error::Stopped)));
    let part = run.part().unwrap();
    assert!(part.len() >= 400_000 && part.len() < content().len());
    assert!(run.file().is_none());

    let run = Run::new(&[], Some(&part));
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
    assert_eq!(
        run.server.ranges(),
        [Some(format!("bytes={}-", part.len()))]
    );
}

#[test]
fn a_part_that_is_complete_needs_no_request() {
    let run = Run::new(&[Act::Status(500)], Some(&content()));
    run.result.as_ref().unwrap();
    assert!(run.server.ranges().is_empty());
}

#[test]
fn a_part_that_is_too_long_is_begun_anew() {
    let run = Run::new(&[], Some(&vec![0; content().len() + 1]));
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
    assert_eq!(run.server.ranges(), [None]);
}

#[test]
fn a_server_that_knows_no_ranges_starts_anew() {
    let run = Run::new(&[Act::Cut(100_000), Act::Whole], None);
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
}

#[test]
fn a_wrong_hash_deletes_what_came_and_says_so() {
    let run = Run::new(&[Act::Garble], None);
    let message = run.message();
    assert!(
        matches!(run.result, Err(Error::WrongContent { .. })),
        "{message}"
    );
    assert!(message.contains(&hash(&content())), "{message}");
    assert!(run.part().is_none() && run.file().is_none());

    let run = Run::new(&[], Some(b"not the beginning of it"));
    assert!(matches!(run.result, Err(Error::WrongContent { .. })));
    assert!(run.part().is_none() && run.file().is_none());
}

#[test]
fn a_wrong_size_is_found_out() {
    let run = Run::new(&[Act::Sized(77)], None);
    assert!(
        run.message().contains("it has 77 bytes, not 1200000"),
        "{}",
        run.message()
    );
    let run = Run::new(&[Act::Longer], None);
    assert!(
        run.message().contains("more than 1200000 bytes"),
        "{}",
        run.message()
    );
    assert!(run.part().is_none() && run.file().is_none());
}

#[test]
fn what_is_not_there_is_not_asked_for_again() {
    for status in [404, 401, 403] {
        let run = Run::new(&[Act::Status(status)], None);
        let message = run.message();
        assert!(message.contains(&status.to_string()), "{message}");
        assert!(
            message.contains("/file") && message.contains("Do it by hand"),
            "{message}"
        );
        assert_eq!(run.server.ranges().len(), 1);
    }
}

#[test]
fn what_may_pass_is_tried_again_and_then_given_up() {
    let run = Run::new(
        &[Act::Status(503), Act::Status(429), Act::Status(500)],
        None,
    );
    run.result.as_ref().unwrap();
    assert_eq!(run.watch.notes.len(), 3);

    let run = Run::new(&[Act::Status(503); 9], None);
    let message = run.message();
    assert!(
        message.contains("503") && message.contains("4 times in a row"),
        "{message}"
    );
    assert!(message.contains("Do it by hand"), "{message}");
    assert_eq!(run.server.ranges().len(), 4);
}

#[test]
fn slow_progress_is_progress() {
    let run = Run::new(&[Act::Cut(1000); 9], None);
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
}

#[test]
fn a_silent_server_is_waited_for_so_long_and_no_longer() {
    let run = Run::new(&[Act::Hang, Act::Serve], None);
    run.result.as_ref().unwrap();
    assert_eq!(run.watch.notes.len(), 1);
}

#[test]
fn redirects_are_followed_with_the_range() {
    let run = Run::new(&[Act::Redirect], Some(&content()[..5000]));
    run.result.as_ref().unwrap();
    assert_eq!(run.file().unwrap(), content());
    let requests = run.server.requests.lock().unwrap().clone();
    assert_eq!(
        requests[1],
        ("/moved/file".to_owned(), Some("bytes=5000-".to_owned()))
    );
}

#[test]
fn no_server_is_said_with_the_remedy() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let wanted = Wanted {
        url: format!("http://{port}/file"),
        bytes: 5,
        sha256: "0",
        by_hand: "Do it by hand".to_owned(),
    };
    let folder = tempfile::tempdir().unwrap();
    let result = client().fetch(&wanted, &folder.path().join("file"), &mut Watch::default());
    let message = result.unwrap_err().to_string();
    assert!(message.contains("could not be reached"), "{message}");
    assert!(message.contains("Do it by hand"), "{message}");
}

proptest::proptest! {
    #[test]
    fn any_content_range_is_read_or_refused(value in ".{0,40}") {
        let _ = content_range(&value);
    }
}

#[test]
fn content_ranges_are_read() {
    assert_eq!(content_range("bytes 5-9/10"), Some((5, Some(10))));
    assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
    assert_eq!(content_range("bytes */10"), None);
}

/// A catalogue entry of the test network, and a server that has it.
fn entry(acts: &[Act]) -> (Entry, Server) {
    fn leak(text: String) -> &'static str {
        Box::leak(text.into_boxed_str())
    }
    let (onnx, tokenizer) = (Net::default().onnx(), b"{}".to_vec());
    let file = |path, bytes: &[u8]| Pinned {
        path,
        bytes: bytes.len() as u64,
        sha256: leak(hash(bytes)),
    };
    let entry = Entry {
        name: "tiny",
        summary: "For tests",
        licence: "MIT",
        repository: "owner/tiny",
        revision: "abc",
        onnx: file("onnx/model.onnx", &onnx),
        tokenizer: file("tokenizer.json", &tokenizer),
        title: "Tiny",
        pooling: Pooling::Mean,
        query_prefix: "query: ",
        passage_prefix: "",
        limit: 8,
        dimensions: 3,
    };
    let files = vec![
        ("/owner/tiny/resolve/abc/onnx/model.onnx".to_owned(), onnx),
        (
            "/owner/tiny/resolve/abc/tokenizer.json".to_owned(),
            tokenizer,
        ),
    ];
    (entry, Server::new(files, acts))
}

#[test]
fn a_model_is_pulled_and_works() {
    let (entry, server) = entry(&[]);
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path().join("models"));
    let mut watch = Watch::default();
    // A trailing slash is easily written.
    let endpoint = format!("{}/", server.endpoint);
    let info = registry
        .pull_entry(&entry, &endpoint, &client(), &mut watch)
        .unwrap();
    assert_eq!(info.name, "Tiny");
    assert_eq!(info.query_prefix, "query: ");
    assert_eq!(watch.bytes.last(), Some(&(entry.bytes(), entry.bytes())));
    assert!(watch.bytes.iter().all(|(_, total)| *total == entry.bytes()));
    let model = registry.open("tiny").unwrap();
    assert_eq!(
        model.embed(&[vec![2]], &|| false, &|_| ()).unwrap(),
        [[0.0, 1.0, 0.0]]
    );
    assert!(!registry.parts("tiny").exists());

    // Again: nothing is asked of the server, not even for another model's sake.
    let again = registry
        .pull_entry(&entry, &endpoint, &client(), &mut watch)
        .unwrap();
    assert_eq!(again, info);
    assert_eq!(server.ranges().len(), 2);
    fs::write(registry.folder().join("tiny/model.onnx"), "x").unwrap();
    let error = registry
        .pull_entry(&entry, &endpoint, &client(), &mut watch)
        .unwrap_err();
    assert!(matches!(error, Error::ModelExists { .. }), "{error}");
}

#[test]
fn a_model_is_seen_only_when_complete() {
    let (entry, server) = entry(&[Act::Serve, Act::Status(404)]);
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    let pull = || registry.pull_entry(&entry, &server.endpoint, &client(), &mut ());
    let message = pull().unwrap_err().to_string();
    assert!(message.contains("pkb model add tiny FOLDER"), "{message}");
    assert!(registry.list().unwrap().is_empty());
    // The tokenizer is here already, so only the network is asked for.
    pull().unwrap();
    assert_eq!(server.ranges().len(), 3);
    registry.remove("tiny").unwrap();
}

#[test]
fn two_pulls_at_once_make_one_model() {
    let (entry, server) = entry(&[Act::Cut(10), Act::Cut(10)]);
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                registry
                    .pull_entry(&entry, &server.endpoint, &client(), &mut ())
                    .unwrap();
            });
        }
    });
    assert_eq!(registry.list().unwrap().len(), 1);
    let paths: Vec<_> = server
        .requests
        .lock()
        .unwrap()
        .iter()
        .map(|r| r.0.clone())
        .collect();
    let networks = paths
        .iter()
        .filter(|path| path.ends_with("model.onnx"))
        .count();
    assert!(networks <= 2, "{paths:?}");
}
