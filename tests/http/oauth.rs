//! Access tokens of an OAuth issuer: only those that it made for this server.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, PublicKeyData, SignatureAlgorithm};
use serde_json::{Value, json};

use crate::server::{Place, Server, call};

const ISSUER: &str = "https://login.example.org/";
const AUDIENCE: &str = "https://notes.example.org/mcp";

/// A key of an issuer.
struct Key {
    id: &'static str,
    pair: KeyPair,
    algorithm: Algorithm,
}

impl Key {
    fn new(id: &'static str, kind: &'static SignatureAlgorithm, algorithm: Algorithm) -> Key {
        Key {
            id,
            pair: KeyPair::generate_for(kind).unwrap(),
            algorithm,
        }
    }

    fn elliptic(id: &'static str) -> Key {
        Key::new(id, &PKCS_ECDSA_P256_SHA256, Algorithm::ES256)
    }

    fn public(&self) -> Value {
        let raw = self.pair.der_bytes();
        let text = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        match self.algorithm {
            Algorithm::ES256 => json!({
                "kty": "EC", "crv": "P-256", "kid": self.id, "use": "sig", "alg": "ES256",
                "x": text(&raw[1..33]), "y": text(&raw[33..65]),
            }),
            _ => json!({ "kty": "OKP", "crv": "Ed25519", "kid": self.id, "x": text(raw) }),
        }
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        let der = self.pair.serialize_der();
        let key = match self.algorithm {
            Algorithm::ES256 => EncodingKey::from_ec_der(&der),
            _ => EncodingKey::from_ed_der(&der),
        };
        encode(&header, claims, &key).unwrap()
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now() + 600, "nbf": now() - 10,
        "scope": "openid pkb:read",
    })
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut claims = claims();
    change(&mut claims);
    claims
}

fn serve(place: &Place, keys: &[&Key]) -> Server {
    let file = place.path("keys.json");
    let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
    fs::write(&file, json!({ "keys": keys }).to_string()).unwrap();
    place.serve(&[
        "--oauth-issuer",
        ISSUER,
        "--oauth-audience",
        AUDIENCE,
        "--oauth-jwks",
        file.to_str().unwrap(),
    ])
}

fn status(server: &Server, token: &str) -> u16 {
    server
        .search(&[("authorization", &format!("Bearer {token}"))])
        .status
}

#[test]
fn only_tokens_that_the_issuer_made_for_this_server_let_in() {
    let place = Place::new();
    let (key, edwards) = (
        Key::elliptic("one"),
        Key::new("two", &PKCS_ED25519, Algorithm::EdDSA),
    );
    let server = serve(&place, &[&key, &edwards]);
    assert_eq!(server.search(&[]).status, 401);
    assert_eq!(status(&server, &key.sign(&claims())), 200);
    assert_eq!(status(&server, &edwards.sign(&claims())), 200);
    let many = with(|claims| claims["aud"] = json!(["https://else.example", AUDIENCE]));
    assert_eq!(status(&server, &key.sign(&many)), 200);
    let other_way = with(|claims| {
        claims["scope"] = Value::Null;
        claims["scp"] = json!(["pkb:admin"]);
    });
    assert_eq!(status(&server, &key.sign(&other_way)), 200);
    // A token of this home still does.
    assert_eq!(status(&server, &place.token("own", "read")), 200);

    let refused = [
        (
            "another server's",
            with(|claims| claims["aud"] = "https://else.example/mcp".into()),
        ),
        (
            "a prefix",
            with(|claims| claims["aud"] = "https://notes.example.org".into()),
        ),
        ("nobody's", with(|claims| claims["aud"] = Value::Null)),
        (
            "another issuer's",
            with(|claims| claims["iss"] = "https://login.example.org".into()),
        ),
        ("without issuer", with(|claims| claims["iss"] = Value::Null)),
        ("over", with(|claims| claims["exp"] = (now() - 120).into())),
        ("endless", with(|claims| claims["exp"] = Value::Null)),
        ("early", with(|claims| claims["nbf"] = (now() + 600).into())),
    ];
    for (what, claims) in refused {
        assert_eq!(status(&server, &key.sign(&claims)), 401, "{what}");
    }
    let stranger = Key::elliptic("one");
    assert_eq!(
        status(&server, &stranger.sign(&claims())),
        401,
        "signed by another"
    );
    let unknown = Key::elliptic("three");
    assert_eq!(
        status(&server, &unknown.sign(&claims())),
        401,
        "a key that is not the issuer's"
    );
    let good = key.sign(&claims());
    let (head, signature) = good.rsplit_once('.').unwrap();
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let more = part(&with(|claims| claims["scope"] = "pkb:admin".into()));
    let changed = format!("{}.{more}.{signature}", head.split_once('.').unwrap().0);
    assert_eq!(status(&server, &changed), 401, "changed");
    for header in [
        json!({ "alg": "none" }),
        json!({ "alg": "none", "kid": "one" }),
    ] {
        assert_eq!(
            status(&server, &format!("{}.{}.", part(&header), part(&claims()))),
            401,
            "unsigned"
        );
    }
    // The public key, taken for a secret that both sides share.
    let mut shared = Header::new(Algorithm::HS256);
    shared.kid = Some("one".into());
    let public = key.public().to_string();
    let secret = EncodingKey::from_secret(public.as_bytes()).unwrap();
    assert_eq!(
        status(&server, &encode(&shared, &claims(), &secret).unwrap()),
        401
    );
    for nonsense in ["", "a.b.c", "...", &"x".repeat(20_000)] {
        assert!(matches!(status(&server, nonsense), 400 | 401), "{nonsense}");
    }
}

#[test]
fn scopes_of_the_issuer_are_scopes_here() {
    let place = Place::new();
    let key = Key::elliptic("one");
    let server = serve(&place, &[&key]);
    let ask = |scope: &str, tool: &str| {
        let token = key.sign(&with(|claims| claims["scope"] = scope.into()));
        let arguments = if tool == "search_knowledge" {
            json!({ "query": "salt" })
        } else {
            json!({})
        };
        server.post(
            &call(tool, arguments),
            &[("authorization", &format!("Bearer {token}"))],
        )
    };
    assert_eq!(ask("pkb:read", "search_knowledge").status, 200);
    let reply = ask("pkb:read", "sync_knowledge_base");
    let challenge = reply.header("www-authenticate").unwrap();
    assert_eq!(reply.status, 403);
    assert!(challenge.contains("scope=\"pkb:write\""), "{challenge}");
    assert!(
        challenge.contains("/.well-known/oauth-protected-resource/mcp\""),
        "{challenge}"
    );
    assert_eq!(ask("pkb:write", "sync_knowledge_base").status, 200);
    assert_eq!(ask("openid profile", "search_knowledge").status, 403);
}

#[test]
fn a_client_is_told_who_issues_tokens() {
    let place = Place::new();
    let key = Key::elliptic("one");
    let server = serve(&place, &[&key]);
    let reply = server.search(&[]);
    let challenge = reply.header("www-authenticate").unwrap();
    let url =
        "resource_metadata=\"https://notes.example.org/.well-known/oauth-protected-resource/mcp\"";
    assert!(
        challenge.starts_with("bearer ") && challenge.contains(url),
        "{challenge}"
    );
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let metadata = server.get(path, &[]).json();
        assert_eq!(metadata["resource"], AUDIENCE);
        assert_eq!(metadata["authorization_servers"], json!([ISSUER]));
        assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
        assert_eq!(
            metadata["scopes_supported"],
            json!(["pkb:read", "pkb:write", "pkb:admin"])
        );
    }
}

#[test]
fn keys_are_had_from_where_the_issuer_says() {
    let key = Key::elliptic("one");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    let metadata = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") }).to_string();
    let keys = json!({ "keys": [key.public()] }).to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read(&mut byte).unwrap_or(0) == 0 {
                    break;
                }
                head.push(byte[0]);
            }
            let (status, body) = if head.starts_with(b"GET /keys ") {
                ("200 OK", keys.as_str())
            } else if head.starts_with(b"GET /.well-known/openid-configuration ") {
                ("200 OK", metadata.as_str())
            } else {
                ("404 Not Found", "")
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let place = Place::new();
    let server = place.serve(&["--oauth-issuer", &issuer, "--oauth-audience", AUDIENCE]);
    let token = key.sign(&with(|claims| claims["iss"] = issuer.clone().into()));
    assert_eq!(status(&server, &token), 200);
}

#[test]
fn an_issuer_is_trusted_as_a_whole_or_not_at_all() {
    let place = Place::new();
    let fail = |arguments: &[&str]| {
        let all = [["serve", "--http", "127.0.0.1:0"].as_slice(), arguments].concat();
        let (code, said) = place.fail(&all);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("hint:"), "{said}");
    };
    fail(&["--oauth-issuer", ISSUER]);
    fail(&["--oauth-audience", AUDIENCE]);
    fail(&["--oauth-issuer", "login", "--oauth-audience", AUDIENCE]);
    fail(&[
        "--oauth-issuer",
        "http://login.example.org",
        "--oauth-audience",
        AUDIENCE,
    ]);
    place.settings(&format!(
        "[http.oauth]\nissuer = \"{ISSUER}\"\naudience = \"{AUDIENCE}\"\nalgorithms = [\"HS256\"]\n"
    ));
    fail(&[]);
}
