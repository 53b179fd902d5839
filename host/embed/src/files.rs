//! The files of a model's folder.

use std::io::Read;
use std::path::Path;

use crate::Error;

/// The network.
pub(crate) const ONNX: &str = "model.onnx";
/// The tokenizer's definition.
pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// What cannot be read off the network: [`crate::settings`].
pub(crate) const MODEL_TOML: &str = "model.toml";

/// Reads one whole file of a model's folder.
pub(crate) fn read(folder: &Path, file: &'static str) -> Result<Vec<u8>, Error> {
    let path = folder.join(file);
    std::fs::read(&path).map_err(|error| missing_or_io(folder, file, error))
}

/// The BLAKE3 hash of a file's bytes, read in pieces.
pub(crate) fn blake3(folder: &Path, file: &'static str) -> Result<blake3::Hash, Error> {
    let path = folder.join(file);
    let mut input =
        std::fs::File::open(&path).map_err(|error| missing_or_io(folder, file, error))?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize()),
            Ok(count) => {
                hasher.update(&buffer[..count]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read", &path)(error)),
        }
    }
}

/// The right error for a file of a model's folder that did not open.
pub(crate) fn missing_or_io(folder: &Path, file: &'static str, error: std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        Error::MissingFile {
            folder: folder.to_path_buf(),
            file,
            hint: String::new(),
        }
    } else {
        Error::io("read", &folder.join(file))(error)
    }
}
