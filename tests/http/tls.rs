//! HTTPS with the user's own certificate.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::server::{Place, Reply, Server};

fn certificate(
    place: &Place,
    name: &str,
) -> (String, String, rustls::pki_types::CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])
        .unwrap();
    let (cert, key) = (
        place.path(&format!("{name}.crt")),
        place.path(&format!("{name}.key")),
    );
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    (text(cert), text(key), made.cert.der().clone())
}

/// The answer over HTTPS from a server that shows that certificate.
fn ask(
    server: &Server,
    trusted: rustls::pki_types::CertificateDer<'static>,
) -> Result<Reply, String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.at).unwrap());
    let text = format!(
        "GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        server.host()
    );
    stream
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Reply::parse(&answer).ok_or_else(|| "no answer".to_owned())
}

#[test]
fn a_certificate_makes_it_https() {
    let place = Place::new();
    let (cert, key, der) = certificate(&place, "one");
    let server = place.serve(&["--tls-cert", &cert, "--tls-key", &key]);
    assert!(server.url.starts_with("https://"), "{}", server.url);
    assert_eq!(ask(&server, der).unwrap().status, 200);
    let (_, _, other) = certificate(&place, "two");
    assert!(
        ask(&server, other).is_err(),
        "a client sees whom it speaks with"
    );
    // What is not encrypted is not answered, and does no harm.
    let plain = server.raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(!plain.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn what_is_no_certificate_is_said_to_be_none() {
    let place = Place::new();
    let (cert, key, _) = certificate(&place, "one");
    let (other, _, _) = certificate(&place, "two");
    let fail = |cert: &str, key: &str| {
        place.fail(&[
            "serve",
            "--http",
            "127.0.0.1:0",
            "--tls-cert",
            cert,
            "--tls-key",
            key,
        ])
    };
    let missing = place.path("none").to_str().unwrap().to_owned();
    for (cert, key) in [
        (&missing, &key),
        (&cert, &missing),
        (&key, &key),
        (&cert, &cert),
        (&other, &key),
    ] {
        let (code, said) = fail(cert, key);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("hint:"), "{said}");
    }
    let (code, said) = place.fail(&["serve", "--http", "127.0.0.1:0", "--tls-cert", &cert]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--tls-key"), "{said}");
}
