//! The host's side of a running instance: what it holds, and the functions of
//! `pkb:plugin` that a guest may call.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime::{Result, Trap, error::format_err};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::bindings::{blobs, log, ocr, tokens, types};
use crate::budget::Budget;
use crate::error::{OverLimit, one_line};
use crate::limits::{Limiter, Limits};
use crate::tail::Tail;
use crate::wasi;

/// The most that one `blob.read` gives, in bytes.
const MOST_READ: u32 = 16 << 20;
/// The largest picture whose words are read, in bytes.
const MOST_PICTURE: usize = 16 << 20;
/// What a call's deadline grows by for each picture that it has read, and for
/// how many of an instance's.
const TIME_TO_DRAW: Duration = Duration::from_secs(2);
const MOST_READ_PICTURES: u32 = 200;
/// The most bytes of one log message.
const MOST_LOGGED: usize = 4_096;
/// The most log messages of one call.
const MOST_MESSAGES: u32 = 1_000;
/// The most bytes of text handed to the token counter before the clock is
/// looked at again.
const COUNTED_AT_ONCE: usize = 1 << 20;
/// How much longer than its input a text may be whose tokens a guest asks for,
/// in bytes: room for what it puts before a chunk.
const MOST_BESIDE_INPUT: usize = 64 << 10;

/// Bytes that an extractor reads by offset.
pub trait Blob: Send + Sync {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// Up to `length` bytes from `offset` on; fewer only at the end.
    ///
    /// # Errors
    /// What the system says, such as a file that vanished.
    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>>;
}

impl Blob for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.len());
        let end = start.saturating_add(length).min(self.len());
        Ok(self[start..end].to_vec())
    }
}

/// Counts tokens for chunkers.
pub trait TokenCounter: Send + Sync {
    /// The number of tokens of each text, special tokens not included.
    ///
    /// # Errors
    /// A sentence that says why the texts cannot be counted; the chunker that
    /// asked is stopped.
    fn count(&self, texts: &[String]) -> std::result::Result<Vec<u32>, String>;
}

/// Reads the words in pictures for extractors.
pub trait PictureReader: Send + Sync {
    /// Whether it can read at all.
    ///
    /// # Errors
    /// A sentence that says what would help.
    fn available(&self) -> std::result::Result<(), String>;

    /// The words in a picture (a PNG file), a line for each line.
    ///
    /// # Errors
    /// A sentence that says why this one cannot be read.
    fn read(&self, png: &[u8]) -> std::result::Result<String, String>;
}

#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub type BlobHandle = Arc<dyn Blob>;

/// The data of one instance's store.
pub(crate) struct Guest {
    wasi: WasiCtx,
    table: ResourceTable,
    pub(crate) limiter: Limiter,
    pub(crate) stderr: Tail,
    pub(crate) name: Arc<str>,
    pub(crate) tokens: Option<Arc<dyn TokenCounter>>,
    pub(crate) pictures: Option<Arc<dyn PictureReader>>,
    messages: u32,
    /// Pictures read since the instance was made.
    read: u32,
    /// The time that the running call has.
    pub(crate) budget: Budget,
    /// Size of the running call's input, in bytes.
    input: usize,
}

impl Guest {
    pub(crate) fn new(name: Arc<str>, limits: &Limits) -> Self {
        let stderr = Tail::default();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        Guest {
            wasi: wasi::nothing(stderr.clone()),
            table,
            limiter: Limiter::new(limits),
            stderr,
            name,
            tokens: None,
            pictures: None,
            messages: 0,
            read: 0,
            budget: Budget::start(limits.deadline),
            input: 0,
        }
    }

    /// Makes ready for a call with `input` bytes of input that may take
    /// `deadline`: what an earlier one left behind does not count in it.
    pub(crate) fn begin(&mut self, input: usize, deadline: Duration) {
        self.messages = 0;
        self.limiter.refused = None;
        self.stderr.clear();
        self.budget = Budget::start(deadline);
        self.input = input;
    }

    pub(crate) fn lend(&mut self, blob: BlobHandle) -> Result<Resource<BlobHandle>> {
        Ok(self.table.push(blob)?)
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl HasData for Guest {
    type Data<'a> = &'a mut Guest;
}

/// Everything that the host offers to components.
pub(crate) fn add_to_linker(linker: &mut Linker<Guest>) -> Result<()> {
    wasi::add_to_linker(linker)?;
    log::add_to_linker::<Guest, Guest>(linker, |guest| guest)?;
    tokens::add_to_linker::<Guest, Guest>(linker, |guest| guest)?;
    types::add_to_linker::<Guest, Guest>(linker, |guest| guest)?;
    blobs::add_to_linker::<Guest, Guest>(linker, |guest| guest)?;
    ocr::add_to_linker::<Guest, Guest>(linker, |guest| guest)?;
    Ok(())
}

impl types::Host for Guest {}

impl log::Host for Guest {
    fn write(&mut self, level: log::Level, message: String) -> Result<()> {
        self.messages += 1;
        if self.messages > MOST_MESSAGES {
            return Ok(());
        }
        let component: &str = &self.name;
        let message = one_line(&message, MOST_LOGGED);
        match level {
            log::Level::Error => tracing::error!(component, "{message}"),
            log::Level::Warn => tracing::warn!(component, "{message}"),
            log::Level::Info => tracing::info!(component, "{message}"),
            log::Level::Debug => tracing::debug!(component, "{message}"),
            log::Level::Trace => tracing::trace!(component, "{message}"),
        }
        Ok(())
    }
}

impl tokens::Host for Guest {
    fn count(&mut self, texts: Vec<String>) -> Result<Vec<u32>> {
        let counter = self
            .tokens
            .clone()
            .ok_or_else(|| format_err!("no tokens can be counted in this call"))?;
        // The deadline stops running guests only, so the time that counting
        // takes is held to it here.
        let most = self.input.saturating_add(MOST_BESIDE_INPUT);
        if let Some(text) = texts.iter().find(|text| text.len() > most) {
            let what = format!(
                "bytes in a text to count ({}) than the {most} that its input allows",
                text.len()
            );
            return Err(OverLimit(what).into());
        }
        let mut counts = Vec::with_capacity(texts.len());
        let mut rest = texts.as_slice();
        while !rest.is_empty() {
            if self.budget.left().is_none() {
                return Err(Trap::Interrupt.into());
            }
            let (batch, after) = rest.split_at(batch_of(rest));
            let counted = counter
                .count(batch)
                .map_err(|reason| format_err!("counting tokens failed: {reason}"))?;
            if counted.len() != batch.len() {
                return Err(format_err!(
                    "{} texts gave {} token counts",
                    batch.len(),
                    counted.len()
                ));
            }
            counts.extend(counted);
            rest = after;
        }
        Ok(counts)
    }
}

/// How many of the texts, at least one, make up what is counted at once.
fn batch_of(texts: &[String]) -> usize {
    let mut bytes = 0;
    let fits = |text: &&String| {
        bytes += text.len();
        bytes <= COUNTED_AT_ONCE
    };
    texts.iter().take_while(fits).count().max(1)
}

impl ocr::Host for Guest {
    fn available(&mut self) -> Result<std::result::Result<(), types::Failure>> {
        Ok(match &self.pictures {
            Some(pictures) => pictures.available().map_err(no_ocr),
            None => Err(no_ocr("Words in pictures are not read here.".into())),
        })
    }

    fn read(&mut self, png: Vec<u8>) -> Result<std::result::Result<String, types::Failure>> {
        let Some(pictures) = self.pictures.clone() else {
            return Ok(Err(no_ocr("Words in pictures are not read here.".into())));
        };
        if png.len() > MOST_PICTURE {
            return Ok(Err(types::Failure {
                kind: types::FailureKind::TooLarge,
                message: format!(
                    "A picture of {} bytes is over the limit of {MOST_PICTURE}.",
                    png.len()
                ),
            }));
        }
        if self.budget.left().is_none() {
            return Err(Trap::Interrupt.into());
        }
        let asked = Instant::now();
        let read = pictures.read(&png);
        self.budget.excuse(asked.elapsed());
        // The page had to be drawn for it.
        if self.read < MOST_READ_PICTURES {
            self.read += 1;
            self.budget.grant(TIME_TO_DRAW);
        }
        Ok(read.map_err(no_ocr))
    }
}

fn no_ocr(message: String) -> types::Failure {
    types::Failure {
        kind: types::FailureKind::Unavailable,
        message,
    }
}

impl blobs::Host for Guest {}

impl blobs::HostBlob for Guest {
    fn size(&mut self, blob: Resource<BlobHandle>) -> Result<u64> {
        Ok(self.table.get(&blob)?.size())
    }

    fn read(
        &mut self,
        blob: Resource<BlobHandle>,
        offset: u64,
        length: u32,
    ) -> Result<std::result::Result<Vec<u8>, types::Failure>> {
        let read = self
            .table
            .get(&blob)?
            .read(offset, length.min(MOST_READ) as usize);
        Ok(read.map_err(|error| types::Failure {
            kind: types::FailureKind::Unavailable,
            message: format!("reading it failed: {error}"),
        }))
    }

    fn drop(&mut self, blob: Resource<BlobHandle>) -> Result<()> {
        self.table.delete(blob)?;
        Ok(())
    }
}
