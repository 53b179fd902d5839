//! Typed handles: a call takes plain values, and what comes back was checked
//! against the contract in `wit/`.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::ResourceAny;

use crate::bindings::types::Span;
use crate::bindings::{Batch, Chunk, Document, Fused, Leg, Piece, Term};
use crate::bindings::{analyzer, chunker, extractor, fuser, tokenizer};
use crate::component::{ComponentInfo, Instance, Loaded, Pool};
use crate::error::{CallError, MOST_MESSAGE, one_line};
use crate::guest::{Blob, PictureReader, TokenCounter};

/// Documents asked for at a time.
const DOCUMENTS_AT_ONCE: u32 = 64;
/// The most bytes of files inside an input that come at a time.
const PIECES_AT_ONCE: usize = 16 << 20;
/// The longest name of a part, in bytes.
const LONGEST_PART: usize = 4_096;
/// The longest name of a kind of item, in bytes.
const LONGEST_KIND: usize = 32;
/// The most bytes of a chunk's context and headings together.
const MOST_CONTEXT: usize = 16 << 10;
/// How many times over the chunks of a text may cover it together.
const MOST_COVER: usize = 16;

macro_rules! about {
    ($($handle:ident),*) => {$(
        impl $handle {
            /// What the component is; without its own description.
            pub fn info(&self) -> &ComponentInfo {
                &self.pool.loaded.info
            }
        }
    )*};
}

about!(Extractor, Chunker, Tokenizer, Analyzer, Fuser);

/// Bytes of one file -> the documents in it.
pub struct Extractor {
    pool: Pool<Instance<extractor::Extractor>>,
}

/// One file's documents, as they are asked for.
pub struct Documents<'a> {
    pool: &'a Pool<Instance<extractor::Extractor>>,
    instance: Option<Instance<extractor::Extractor>>,
    documents: ResourceAny,
    input: usize,
    /// Of the time that the whole input is given.
    left: Duration,
    last: bool,
}

impl Extractor {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Extractor {
            pool: Pool::new(loaded),
        }
    }

    /// Opens an input. `name` is the file name with extension; `settings` a
    /// JSON object; `pictures` reads the words in pictures, where that is
    /// wanted.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn open(
        &self,
        name: &str,
        media_type: Option<&str>,
        settings: &str,
        blob: Arc<dyn Blob>,
        pictures: Option<Arc<dyn PictureReader>>,
    ) -> Result<Documents<'_>, CallError> {
        let loaded = &self.pool.loaded;
        let mut instance = self.pool.instance()?;
        let input = usize::try_from(blob.size()).unwrap_or(usize::MAX);
        let opening = extractor::exports::pkb::plugin::extract::Input {
            name: name.to_owned(),
            media_type: media_type.map(str::to_owned),
            settings: settings.to_owned(),
        };
        let documents = loaded.call(&mut instance, input, |store, exports| {
            let blob = store.data_mut().lend(blob)?;
            store.data_mut().pictures = pictures;
            exports
                .pkb_plugin_extract()
                .call_open(store, &opening, blob)
        });
        match documents {
            Ok(documents) => {
                let left = instance.store.data().budget.left().unwrap_or_default();
                Ok(Documents {
                    pool: &self.pool,
                    instance: Some(instance),
                    documents,
                    input,
                    left,
                    last: false,
                })
            }
            Err(error) => {
                if matches!(error, CallError::Failed { .. }) {
                    self.pool.rest(instance);
                }
                Err(error)
            }
        }
    }
}

impl Documents<'_> {
    /// The next documents, and pieces of files inside the input; none at the
    /// end.
    ///
    /// # Errors
    /// [`CallError`]; after one there is nothing more to come.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, CallError> {
        let Some(mut instance) = self.instance.take() else {
            return Ok(None);
        };
        let loaded = &self.pool.loaded;
        if self.last {
            // Dropping runs the guest's code once more. A trap in it loses the
            // instance, and nothing else.
            let deadline = loaded.shared.limits.deadline;
            let dropped = loaded.call_within(&mut instance, 0, deadline, |store, _| {
                self.documents.resource_drop(store).map(Ok)
            });
            instance.store.data_mut().pictures = None;
            if dropped.is_ok() {
                self.pool.rest(instance);
            }
            return Ok(None);
        }
        let mut batch =
            loaded.call_within(&mut instance, self.input, self.left, |store, exports| {
                exports.pkb_plugin_extract().documents().call_next(
                    store,
                    self.documents,
                    DOCUMENTS_AT_ONCE,
                )
            })?;
        self.left = instance.store.data().budget.left().unwrap_or_default();
        let most = DOCUMENTS_AT_ONCE as usize;
        for (what, count) in [
            ("documents", batch.documents.len()),
            ("pieces of files", batch.pieces.len()),
        ] {
            if count > most {
                return Err(loaded.invalid(format!("{count} {what} where {most} were asked for")));
            }
        }
        if batch.documents.is_empty() && batch.pieces.is_empty() && !batch.last {
            return Err(loaded.invalid("no documents, and yet not the end"));
        }
        check_pieces(&batch.pieces).map_err(|reason| loaded.invalid(reason))?;
        for document in &mut batch.documents {
            match document {
                Ok(document) => {
                    check_document(document).map_err(|reason| loaded.invalid(reason))?
                }
                Err(part) => {
                    check_part(&part.part).map_err(|reason| loaded.invalid(reason))?;
                    part.failure.message = one_line(&part.failure.message, MOST_MESSAGE);
                }
            }
        }
        self.last = batch.last;
        self.instance = Some(instance);
        Ok(Some(batch))
    }
}

/// Document text -> chunks.
pub struct Chunker {
    pool: Pool<Instance<chunker::Chunker>>,
}

impl Chunker {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Chunker {
            pool: Pool::new(loaded),
        }
    }

    /// The chunks of `text`. `budget` is in tokens, at least 16; `settings` a
    /// JSON object.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn split(
        &self,
        title: &str,
        text: &str,
        budget: u32,
        settings: &str,
        tokens: Arc<dyn TokenCounter>,
    ) -> Result<Vec<Chunk>, CallError> {
        use chunker::exports::pkb::plugin::chunk::{Options, SourceText};

        let source = SourceText {
            title: title.to_owned(),
            text: text.to_owned(),
        };
        let options = Options {
            budget,
            settings: settings.to_owned(),
        };
        let chunks = self.pool.run(title.len() + text.len(), |store, exports| {
            store.data_mut().tokens = Some(tokens);
            let chunks = exports
                .pkb_plugin_chunk()
                .call_split(&mut *store, &source, &options);
            store.data_mut().tokens = None;
            chunks
        })?;
        check_chunks(text, &chunks).map_err(|reason| self.pool.loaded.invalid(reason))?;
        Ok(chunks)
    }
}

/// Text -> token ids, with one tokenizer definition.
pub struct Tokenizer {
    pool: Pool<LoadedTokenizer>,
    definition: Arc<[u8]>,
}

/// An instance that has read the definition.
struct LoadedTokenizer {
    instance: Instance<tokenizer::Tokenizer>,
    tokenizer: ResourceAny,
}

impl Tokenizer {
    pub(crate) fn new(loaded: Loaded, definition: Arc<[u8]>) -> Self {
        Tokenizer {
            pool: Pool::new(loaded),
            definition,
        }
    }

    /// The ids of each text, special tokens included.
    ///
    /// # Errors
    /// [`CallError`]; also when the definition cannot be read.
    pub fn encode(&self, texts: &[String]) -> Result<Vec<Vec<u32>>, CallError> {
        self.with(texts, |loaded, it, input| {
            loaded.call(&mut it.instance, input, |store, exports| {
                exports
                    .pkb_plugin_tokenize()
                    .tokenizer()
                    .call_encode(store, it.tokenizer, texts)
            })
        })
    }

    /// The number of tokens of each text, special tokens not included.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn count(&self, texts: &[String]) -> Result<Vec<u32>, CallError> {
        self.with(texts, |loaded, it, input| {
            loaded.call(&mut it.instance, input, |store, exports| {
                exports
                    .pkb_plugin_tokenize()
                    .tokenizer()
                    .call_count(store, it.tokenizer, texts)
            })
        })
    }

    /// How many special tokens stand around one text.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn special_count(&self) -> Result<u32, CallError> {
        let mut it = self.instance()?;
        let count = self
            .pool
            .loaded
            .call(&mut it.instance, 0, |store, exports| {
                exports
                    .pkb_plugin_tokenize()
                    .tokenizer()
                    .call_special_count(store, it.tokenizer)
                    .map(Ok)
            })?;
        self.give_back(it);
        Ok(count)
    }

    fn with<R>(
        &self,
        texts: &[String],
        work: impl FnOnce(&Loaded, &mut LoadedTokenizer, usize) -> Result<Vec<R>, CallError>,
    ) -> Result<Vec<R>, CallError> {
        let mut it = self.instance()?;
        let input = texts.iter().map(String::len).sum();
        let results = work(&self.pool.loaded, &mut it, input);
        if matches!(results, Ok(_) | Err(CallError::Failed { .. })) {
            self.give_back(it);
        }
        let results = results?;
        if results.len() != texts.len() {
            let reason = format!("{} results for {} texts", results.len(), texts.len());
            return Err(self.pool.loaded.invalid(reason));
        }
        Ok(results)
    }

    fn instance(&self) -> Result<LoadedTokenizer, CallError> {
        if let Some(it) = self.pool.take() {
            return Ok(it);
        }
        let loaded = &self.pool.loaded;
        let mut instance = loaded.instantiate::<tokenizer::Tokenizer>()?;
        let tokenizer = loaded.call(&mut instance, self.definition.len(), |store, exports| {
            exports
                .pkb_plugin_tokenize()
                .tokenizer()
                .call_load(store, &self.definition)
        })?;
        Ok(LoadedTokenizer {
            instance,
            tokenizer,
        })
    }

    fn give_back(&self, it: LoadedTokenizer) {
        let memory = it.instance.store.data().limiter.memory;
        self.pool.give_back(it, memory);
    }
}

impl TokenCounter for Tokenizer {
    fn count(&self, texts: &[String]) -> Result<Vec<u32>, String> {
        Tokenizer::count(self, texts).map_err(|error| error.to_string())
    }
}

/// Text -> lexical terms.
pub struct Analyzer {
    pool: Pool<Instance<analyzer::Analyzer>>,
}

impl Analyzer {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Analyzer {
            pool: Pool::new(loaded),
        }
    }

    /// The terms of each text.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn analyze(&self, texts: &[String]) -> Result<Vec<Vec<Term>>, CallError> {
        let loaded = &self.pool.loaded;
        let input = texts.iter().map(String::len).sum();
        let terms = self.pool.run(input, |store, exports| {
            exports.pkb_plugin_analyze().call_analyze(store, texts)
        })?;
        if terms.len() != texts.len() {
            return Err(loaded.invalid(format!(
                "{} results for {} texts",
                terms.len(),
                texts.len()
            )));
        }
        for (text, terms) in texts.iter().zip(&terms) {
            for term in terms {
                check_span(text, term.span)
                    .map_err(|reason| loaded.invalid(format!("a term {reason}")))?;
            }
        }
        Ok(terms)
    }
}

/// Ranked lists -> one ranked list.
pub struct Fuser {
    pool: Pool<Instance<fuser::Fuser>>,
}

impl Fuser {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Fuser {
            pool: Pool::new(loaded),
        }
    }

    /// At most `limit` entries, best first; `settings` is a JSON object.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn fuse(&self, legs: &[Leg], limit: u32, settings: &str) -> Result<Vec<Fused>, CallError> {
        use fuser::exports::pkb::plugin::fuse::Options;

        let input = legs.iter().map(|leg| leg.ids.len() * 8).sum();
        let options = Options {
            limit,
            settings: settings.to_owned(),
        };
        let fused = self.pool.run(input, |store, exports| {
            exports.pkb_plugin_fuse().call_fuse(store, legs, &options)
        })?;
        check_fused(legs, limit, &fused).map_err(|reason| self.pool.loaded.invalid(reason))?;
        Ok(fused)
    }
}

fn check_span(text: &str, span: Span) -> Result<(), String> {
    let fits = usize::try_from(span.start)
        .ok()
        .zip(usize::try_from(span.end).ok())
        .is_some_and(|(start, end)| text.get(start..end).is_some());
    if fits {
        return Ok(());
    }
    if span.end > text.len() as u64 {
        return Err(format!(
            "reaches to byte {} of a text of {} bytes",
            span.end,
            text.len()
        ));
    }
    if span.end < span.start {
        return Err(format!(
            "ends at byte {}, before its start at byte {}",
            span.end, span.start
        ));
    }
    Err(format!(
        "from byte {} to byte {} does not start and end between characters",
        span.start, span.end
    ))
}

fn check_document(document: &Document) -> Result<(), String> {
    let mut before = 0;
    for mark in &document.marks {
        let inside =
            usize::try_from(mark.offset).is_ok_and(|offset| document.text.is_char_boundary(offset));
        if mark.offset < before || !inside {
            return Err(format!(
                "a mark at byte {} of a text of {} bytes",
                mark.offset,
                document.text.len()
            ));
        }
        before = mark.offset;
    }
    for link in &document.links {
        check_span(&document.text, link.span).map_err(|reason| format!("a link {reason}"))?;
    }
    if document.text.contains('\0') {
        return Err("a text with NUL characters".into());
    }
    let word = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if document.kind.len() > LONGEST_KIND || !document.kind.bytes().all(word) {
        return Err(format!(
            "a document of the kind {:?}, which is not one lower-case word",
            one_line(&document.kind, 80)
        ));
    }
    check_part(&document.part)
}

fn check_part(part: &str) -> Result<(), String> {
    if part.len() > LONGEST_PART || part.contains(char::is_control) {
        return Err(format!(
            "a part called {:?}, which is too long or holds control characters",
            one_line(part, 80)
        ));
    }
    Ok(())
}

fn check_pieces(pieces: &[Piece]) -> Result<(), String> {
    let mut bytes = 0_usize;
    for piece in pieces {
        check_part(&piece.part)?;
        if piece.part.is_empty() {
            return Err("a piece of a file that is no part of the input".into());
        }
        bytes = bytes.saturating_add(piece.content.len());
    }
    if bytes > PIECES_AT_ONCE {
        return Err(format!(
            "{bytes} bytes of files at once, where {PIECES_AT_ONCE} may come"
        ));
    }
    Ok(())
}

fn check_chunks(text: &str, chunks: &[Chunk]) -> Result<(), String> {
    let mut before = 0;
    let mut covered = 0_usize;
    for chunk in chunks {
        check_span(text, chunk.span).map_err(|reason| format!("a chunk {reason}"))?;
        if chunk.span.start == chunk.span.end {
            return Err(format!("an empty chunk at byte {}", chunk.span.start));
        }
        if chunk.span.start < before {
            return Err("chunks out of order".into());
        }
        before = chunk.span.start;
        covered += usize::try_from(chunk.span.end - chunk.span.start).unwrap_or(usize::MAX);
        let around = chunk.context.as_ref().map_or(0, String::len)
            + chunk.headings.iter().map(String::len).sum::<usize>();
        if around > MOST_CONTEXT {
            return Err(format!(
                "a chunk with {around} bytes of headings and context"
            ));
        }
    }
    if covered > text.len().saturating_mul(MOST_COVER) {
        return Err(format!(
            "chunks that repeat the text {} times over",
            covered / text.len().max(1)
        ));
    }
    Ok(())
}

fn check_fused(legs: &[Leg], limit: u32, fused: &[Fused]) -> Result<(), String> {
    if fused.len() > limit as usize {
        return Err(format!(
            "{} entries where {limit} were asked for",
            fused.len()
        ));
    }
    let known: std::collections::HashSet<u64> = legs
        .iter()
        .flat_map(|leg| leg.ids.iter().copied())
        .collect();
    let mut seen = std::collections::HashSet::new();
    for entry in fused {
        if !known.contains(&entry.id) || !seen.insert(entry.id) {
            return Err(format!(
                "the id {}, which no leg holds or which was there before",
                entry.id
            ));
        }
        if entry.ranks.len() != legs.len() {
            return Err(format!(
                "{} ranks for {} legs",
                entry.ranks.len(),
                legs.len()
            ));
        }
    }
    Ok(())
}
