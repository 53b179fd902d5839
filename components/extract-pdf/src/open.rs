//! Bytes -> an opened PDF file.

use std::sync::Arc;

use extract_core::{Failure, FailureKind};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use unicode_normalization::UnicodeNormalization;

/// Opens the file with no password, or with the first of `passwords` that fits.
///
/// # Errors
/// [`FailureKind::Encrypted`] where none does, [`FailureKind::Unsupported`] for
/// encryption that is not read, [`FailureKind::InvalidInput`] for what is no PDF
/// file or has no page left.
pub(crate) fn open(bytes: Vec<u8>, passwords: &[String]) -> Result<Pdf, Failure> {
    let bytes = Arc::new(bytes);
    let mut result = Pdf::new(Arc::clone(&bytes));
    for password in passwords.iter().flat_map(|password| spellings(password)) {
        if !is_locked(&result) {
            break;
        }
        result = Pdf::new_with_password(Arc::clone(&bytes), &password);
    }
    let pdf = result.map_err(|error| failure(error, !passwords.is_empty()))?;
    if pdf.pages().is_empty() {
        return Err(Failure::invalid(
            "The PDF file has no page that can be read.",
        ));
    }
    Ok(pdf)
}

/// A password as typed, and as newer files want it prepared (RFC 4013).
fn spellings(password: &str) -> Vec<String> {
    let prepared: String = password
        .chars()
        .filter(|&c| !matches!(c, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}'))
        .nfkc()
        .collect();
    if prepared == password {
        vec![prepared]
    } else {
        vec![password.to_owned(), prepared]
    }
}

fn is_locked(result: &Result<Pdf, LoadPdfError>) -> bool {
    matches!(
        result,
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected))
    )
}

fn failure(error: LoadPdfError, had_passwords: bool) -> Failure {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) if had_passwords => {
            Failure::new(
                FailureKind::Encrypted,
                "The PDF file is encrypted and none of the given passwords opens it; add the right one to the setting passwords of its source.",
            )
        }
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Failure::new(
            FailureKind::Encrypted,
            "The PDF file is encrypted; give its password in the setting passwords of its source.",
        ),
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => Failure::new(
            FailureKind::Unsupported,
            "The PDF file is encrypted in a way that is not read.",
        ),
        LoadPdfError::Decryption(_) => {
            Failure::invalid("The PDF file is encrypted and what is needed to open it is damaged.")
        }
        LoadPdfError::Invalid => {
            Failure::invalid("The file is no PDF file, or too damaged to be read.")
        }
    }
}
