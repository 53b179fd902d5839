//! A collector of telemetry on this machine, as small as can be.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// All that a collector was sent.
pub(crate) struct Heard {
    pub(crate) connections: usize,
    pub(crate) requests: Vec<Received>,
}

/// What was sent in one request.
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// How a collector answers.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Takes,
    Refuses,
    Silent,
}

/// Listens on a port of its own.
pub(crate) struct Collector {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    ends: AtomicBool,
    received: Mutex<Vec<Received>>,
    connections: AtomicUsize,
}

impl Collector {
    /// One that takes what it is sent.
    pub(crate) fn start() -> Collector {
        Collector::of(Manner::Takes)
    }

    /// One that takes connections and never answers.
    pub(crate) fn silent() -> Collector {
        Collector::of(Manner::Silent)
    }

    /// One that wants none of it.
    pub(crate) fn refusing() -> Collector {
        Collector::of(Manner::Refuses)
    }

    fn of(manner: Manner) -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let thread = thread::spawn(move || {
            let mut serving = Vec::new();
            for stream in listener.incoming() {
                if own.ends.load(Ordering::SeqCst) {
                    break;
                }
                let stream = stream.unwrap();
                own.connections.fetch_add(1, Ordering::SeqCst);
                let own = own.clone();
                serving.push(thread::spawn(move || serve(stream, manner, &own.received)));
            }
            for connection in serving {
                // A client that went away in the middle sent nothing whole.
                let _ = connection.join().unwrap();
            }
        });
        Collector {
            address,
            shared,
            thread,
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends it, once its clients are gone: all it was sent.
    pub(crate) fn end(self) -> Heard {
        self.shared.ends.store(true, Ordering::SeqCst);
        // So that it looks up; whoever connected before was taken before.
        drop(TcpStream::connect(self.address).unwrap());
        self.thread.join().unwrap();
        Heard {
            connections: self.shared.connections.load(Ordering::SeqCst),
            requests: std::mem::take(&mut *self.shared.received.lock().unwrap()),
        }
    }
}

/// Requests of one connection, until the client closes it.
fn serve(stream: TcpStream, manner: Manner, received: &Mutex<Vec<Received>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let header = header.trim().to_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let status = match manner {
            Manner::Silent => continue,
            Manner::Refuses => "403 Forbidden",
            Manner::Takes => "200 OK",
        };
        received.lock().unwrap().push(Received { path, body });
        write!(writer, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")?;
    }
}
