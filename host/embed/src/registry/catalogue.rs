//! Models that can be downloaded by name: pinned to a revision, each file by
//! size and SHA-256.

use crate::settings::{Pooling, Settings};

/// A model that can be downloaded.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name it is pulled and kept under.
    pub name: &'static str,
    /// One sentence for a person.
    pub summary: &'static str,
    /// SPDX identifier of the model's licence.
    pub licence: &'static str,
    /// Where it comes from on the Hugging Face hub: `owner/name`.
    pub repository: &'static str,
    /// The commit of that repository.
    pub revision: &'static str,
    /// The network.
    pub onnx: File,
    /// The tokenizer.
    pub tokenizer: File,
    /// What the model's card calls it.
    pub title: &'static str,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Put before a query.
    pub query_prefix: &'static str,
    /// Put before a stored text.
    pub passage_prefix: &'static str,
    /// The most tokens it reads at once, special tokens included.
    pub limit: usize,
    /// Length of its vectors.
    pub dimensions: usize,
}

impl Entry {
    /// Bytes to download in all.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.onnx.bytes + self.tokenizer.bytes
    }

    /// What goes into its `model.toml`.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            name: Some(self.title.to_owned()),
            summary: Some(self.summary.to_owned()),
            pooling: self.pooling,
            query_prefix: self.query_prefix.to_owned(),
            passage_prefix: self.passage_prefix.to_owned(),
            limit: self.limit,
            dimensions: self.dimensions,
        }
    }
}

/// A file of a model that can be downloaded.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct File {
    /// Path inside the repository.
    pub path: &'static str,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: &'static str,
}

/// All models that can be downloaded, the default one first.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "minilm",
        summary: "English; small and fast",
        licence: "Apache-2.0",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        onnx: File {
            path: "onnx/model.onnx",
            bytes: 90_405_214,
            sha256: "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
        },
        tokenizer: File {
            path: "tokenizer.json",
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        title: "all-MiniLM-L6-v2",
        pooling: Pooling::Mean,
        query_prefix: "",
        passage_prefix: "",
        limit: 256,
        dimensions: 384,
    },
    Entry {
        name: "bge-small-en",
        summary: "English; better ranking than minilm, about half its speed",
        licence: "MIT",
        repository: "BAAI/bge-small-en-v1.5",
        revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        onnx: File {
            path: "onnx/model.onnx",
            bytes: 133_093_490,
            sha256: "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
        },
        tokenizer: File {
            path: "tokenizer.json",
            bytes: 711_396,
            sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        title: "bge-small-en-v1.5",
        pooling: Pooling::Cls,
        query_prefix: "Represent this sentence for searching relevant passages: ",
        passage_prefix: "",
        limit: 512,
        dimensions: 384,
    },
    Entry {
        name: "multilingual-e5-small",
        summary: "About 100 languages; large download",
        licence: "MIT",
        repository: "intfloat/multilingual-e5-small",
        revision: "614241f622f53c4eeff9890bdc4f31cfecc418b3",
        onnx: File {
            path: "onnx/model.onnx",
            bytes: 470_268_510,
            sha256: "ca456c06b3a9505ddfd9131408916dd79290368331e7d76bb621f1cba6bc8665",
        },
        tokenizer: File {
            path: "tokenizer.json",
            bytes: 17_082_730,
            sha256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
        },
        title: "multilingual-e5-small",
        pooling: Pooling::Mean,
        query_prefix: "query: ",
        passage_prefix: "passage: ",
        limit: 512,
        dimensions: 384,
    },
];

/// The model of this name, if it can be downloaded.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_pinned_and_sound() {
        for entry in CATALOGUE {
            for file in [&entry.onnx, &entry.tokenizer] {
                assert_eq!(file.sha256.len(), 64, "{}", entry.name);
                assert!(
                    file.sha256
                        .bytes()
                        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                );
                assert!(file.bytes > 0);
            }
            assert_eq!(entry.revision.len(), 40, "{}", entry.name);
            assert!(crate::registry::check_name(entry.name).is_ok());
            let text = toml::to_string(&entry.settings()).unwrap();
            assert_eq!(toml::from_str::<Settings>(&text).unwrap(), entry.settings());
            assert_eq!(find(entry.name), Some(entry));
        }
    }

    #[test]
    fn the_default_can_be_downloaded() {
        assert!(find(crate::registry::DEFAULT).is_some());
    }
}
