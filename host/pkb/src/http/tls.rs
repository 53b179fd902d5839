//! HTTPS with the user's own certificate.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use pkb_engine::Error;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// The certificate in use; a renewed one is taken up while the server runs.
pub(super) struct Tls {
    cert: PathBuf,
    key: PathBuf,
    current: Mutex<(Option<Stamp>, Arc<ServerConfig>)>,
}

/// When each of the two files was changed, and its length in bytes.
type Stamp = [(SystemTime, u64); 2];

impl Tls {
    /// The certificate and key in those files.
    ///
    /// # Errors
    /// When one of them is not what it should be, or they do not belong
    /// together.
    pub(super) fn open(cert: &Path, key: &Path) -> Result<Tls, Error> {
        let config = Arc::new(load(cert, key)?);
        Ok(Tls {
            current: Mutex::new((stamp(cert, key), config)),
            cert: cert.to_owned(),
            key: key.to_owned(),
        })
    }

    /// What begins a connection.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(current.1.clone())
    }

    /// Takes up the files where they were replaced.
    pub(super) fn tidy(&self) {
        let now = stamp(&self.cert, &self.key);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if now == current.0 || now.is_none() {
            return;
        }
        match load(&self.cert, &self.key) {
            Ok(config) => {
                tracing::info!("the renewed certificate is in use");
                *current = (now, Arc::new(config));
            }
            // Perhaps only one of the two is there yet.
            Err(error) => {
                tracing::warn!("the certificate stays as it was: {error}");
                current.0 = now;
            }
        }
    }
}

/// What tells the two files from others in their places: when each was changed,
/// and how long it is. None where one is not there.
fn stamp(cert: &Path, key: &Path) -> Option<Stamp> {
    let of = |path| {
        let file = fs::metadata(path).ok()?;
        Some((file.modified().ok()?, file.len()))
    };
    Some([of(cert)?, of(key)?])
}

fn load(cert: &Path, key: &Path) -> Result<ServerConfig, Error> {
    let wrong = |path: &Path, why: String, hint: &str| {
        Error::usage(format!("{}: {why}", path.display()), hint.to_owned())
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect)
        .map_err(|error| {
            wrong(
                cert,
                error.to_string(),
                "--tls-cert takes a certificate in PEM.",
            )
        })?;
    if chain.is_empty() {
        let hint = "--tls-cert takes a file with a part that begins with BEGIN CERTIFICATE.";
        return Err(wrong(cert, "there is no certificate in it".into(), hint));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| {
        let hint = "--tls-key takes an unencrypted private key in PEM.";
        wrong(key, error.to_string(), hint)
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(cert, error.to_string(), "This is a fault of pkb."))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| {
            let hint = format!("Does the key in {} belong to it?", key.display());
            wrong(cert, error.to_string(), &hint)
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
