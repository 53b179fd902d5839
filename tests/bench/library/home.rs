//! The home with the library: made once, kept among what cargo builds.
//!
//! Texts, chunks and words are made as `pkb sync` makes them. To embed 100,000
//! chunks takes hours, so only the pages that the notes are made of are embedded:
//! a chunk's vector is the sum of those of the pages that its first and its last
//! passage are from and of a little noise, of length 1. They are written through
//! the store, as the engine does it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pkb_embed::Model;
use pkb_engine::{Access, Engine, Home, NewFolder, SyncOptions, Unwatched};
use pkb_store::{ChunkHash, SqliteStore, Store};
use pkb_tests::{model_folder, target_folder};

use super::TOKENIZER;
use super::notes::{Page, note, pages};
use crate::line;
use crate::random::{Random, normalize};

/// Grows when the library would come out differently.
const RECIPE: &str = "2";
const CHUNKS: u64 = 100_000;
/// Notes written between two looks at how many chunks there are.
const STEP: usize = 500;
/// Length of the noise, beside two vectors of length 1.
const NOISE: f32 = 0.5;

/// The home and the model it is searched with.
pub(super) struct Kept {
    pub(super) home: Home,
    /// The model's folder.
    pub(super) model: PathBuf,
}

impl Kept {
    /// The home, made where it is not there; none where what it is made of is
    /// not.
    pub(super) fn make() -> Option<Kept> {
        let model = model_folder()?;
        let folder = target_folder().join("bench-library");
        let home = Home::locate(
            Some(folder.join("home")),
            model.parent().map(Path::to_owned),
        );
        let kept = Kept {
            home: home.unwrap(),
            model,
        };
        let mark = folder.join("recipe");
        if fs::read_to_string(&mark).is_ok_and(|recipe| recipe == RECIPE) && kept.is_complete() {
            return Some(kept);
        }
        let pages = pages()?;
        line("making the library", "takes some minutes, once");
        let _ = fs::remove_dir_all(&folder);
        kept.fill(&folder.join("notes"), &pages);
        kept.embed(&pages);
        fs::write(mark, RECIPE).unwrap();
        Some(kept)
    }

    fn is_complete(&self) -> bool {
        let health = Engine::open(self.home.clone(), Access::Write)
            .and_then(|engine| Arc::new(engine).health());
        health.is_ok_and(|health| health.store.chunks >= CHUNKS && health.model.missing == 0)
    }

    /// Writes notes and has them read, until there are enough chunks.
    fn fill(&self, folder: &Path, pages: &[Page]) {
        // Without a model, so that nothing is embedded.
        let home = Home {
            models: folder.join("no-models"),
            ..self.home.clone()
        };
        let engine = Arc::new(Engine::open(home, Access::Write).unwrap());
        let mut written = 0;
        while engine.health().unwrap().store.chunks < CHUNKS {
            for number in written..written + STEP {
                let note = note(number, pages);
                let file = folder.join(note.source).join(&note.path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, note.text).unwrap();
            }
            if written == 0 {
                for source in ["work", "home", "archive"] {
                    let settings = NewFolder {
                        name: Some(source.into()),
                        ..NewFolder::default()
                    };
                    engine.add_folder(&folder.join(source), &settings).unwrap();
                }
            }
            written += STEP;
            engine
                .sync(&[], SyncOptions::default(), &Unwatched)
                .unwrap();
        }
    }

    /// Gives every chunk a vector.
    fn embed(&self, pages: &[Page]) {
        let model = Model::load(&self.model).unwrap();
        let tokenizer = tokenize::Tokenizer::load(TOKENIZER).unwrap();
        let gists: Vec<String> = pages.iter().map(Page::gist).collect();
        let vectors = model
            .embed(&tokenizer.encode(&gists).unwrap(), &|| false, &|_| {})
            .unwrap();
        let mut page_of: HashMap<&str, usize> = HashMap::new();
        for (at, page) in pages.iter().enumerate() {
            page_of.extend(page.passages.iter().map(|passage| (passage.as_str(), at)));
        }

        let store = SqliteStore::open(self.home.database()).unwrap();
        let info = model.info();
        let id = store
            .ensure_model(&info.fingerprint, &info.name, info.dimensions as u32)
            .unwrap();
        let mut after = None;
        let mut random = Random(11);
        loop {
            let batch = store.unembedded(id, after, 1_000).unwrap();
            let Some(last) = batch.last() else {
                break;
            };
            after = Some(last.cursor);
            let made: Vec<(ChunkHash, Vec<f32>)> = batch
                .iter()
                .map(|chunk| {
                    let known: Vec<usize> = chunk
                        .text
                        .split("\n\n")
                        .filter_map(|passage| page_of.get(passage.trim()).copied())
                        .collect();
                    let any = random.below(pages.len());
                    let (one, other) = (
                        known.first().copied().unwrap_or(any),
                        known.last().copied().unwrap_or(any),
                    );
                    let pairs = vectors[one].iter().zip(&vectors[other]);
                    let step = NOISE * (3.0 / info.dimensions as f32).sqrt();
                    let mut vector: Vec<f32> =
                        pairs.map(|(a, b)| a + b + step * random.number()).collect();
                    normalize(&mut vector);
                    (chunk.hash, vector)
                })
                .collect();
            store.put_vectors(id, &made).unwrap();
        }
        store.set_current_model(id).unwrap();
        store.optimize().unwrap();
    }
}
