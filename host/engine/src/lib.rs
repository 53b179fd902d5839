//! Ingest and search: the only crate that knows all the others.
//!
//! An [`Engine`] is one open home. Everything a person or a client can ask of
//! pkb is a method of it; the command line and the MCP server only translate.
//! Everything here is synchronous; an async caller runs it on a thread for
//! blocking work.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod backup;
mod browse;
mod citation;
mod clip;
mod clock;
mod components;
mod convert;
mod deletion;
mod embedding;
mod engine;
mod error;
pub mod eval;
mod extracting;
mod formats;
mod fresh;
mod health;
mod home;
mod ingest;
mod job;
mod links;
mod notes;
mod ocr;
mod overview;
mod pipeline;
mod place;
mod preload;
mod query;
mod reach;
mod reading;
mod rechunk;
mod resemblance;
mod search;
mod seen;
mod similar;
mod snippet;
mod sources;
mod survey;
pub mod telemetry;
mod terms;
mod tokens;
mod trial;
mod watch;

pub use backup::{BackedUp, RestoredBackup};
pub use browse::BrowseRequest;
pub use citation::Citation;
pub use clip::{ClipRequest, Clipped};
pub use deletion::{DeletedRequest, Purged, Removed, Restored, Selection};
pub use embedding::EmbedReport;
pub use engine::{Access, DEFAULT_MODEL, Engine};
pub use error::Error;
pub use eval::EvalOptions;
pub use extracting::{ExtractRequest, ExtractedDocument, Extraction, NotExtracted};
pub use fresh::Look;
pub use health::{
    ChunkSetHealth, ComponentHealth, Health, LedgerRequest, ModelHealth, SourceNow, Tally,
};
pub use home::{Home, HomeSettings, short_path};
pub use ingest::{Change, SourceReport, SyncOptions, SyncReport};
pub use job::{Job, Stage, Unwatched};
pub use links::{Backlink, LinkOut, Linked, Links};
pub use notes::{AddedNote, NewNote, NoteChange, TagChange, UpdatedNote};
pub use ocr::{OcrSettings, When as OcrWhen};
pub use overview::Overview;
pub use place::Places;
pub use query::dates::{range_of, span_of};
pub use query::lengths::seconds_of;
pub use query::{Phrase, Query, Understood, conditions};
pub use reach::{Marks, Reach, Visibility};
pub use reading::{Part, ReadRequest, Reading};
pub use search::{
    Also, Confidence, Freshness, Fusion, Hit, LegSummary, Level, Mode, SearchAnswer, SearchRequest,
    Times, Why,
};
pub use similar::{Similar, SimilarAnswer};
pub use snippet::Snippet;
pub use sources::{AddedFolder, NewFolder, SourceChange, json_object};
pub use survey::{ExtensionCount, KindCount, Survey};
pub use trial::{Trial, TrialChunk, TrialDocument};
pub use watch::{Changed, How, Watch, WatchEvent, WatchHandle, WatchOptions};

// What the edges show of the parts below.
pub use pkb_embed as embed;
pub use pkb_runtime::{ComponentInfo, Plugin, Plugins, World};
pub use pkb_store::{
    Condition, Deleted, Erased, Filter, Holder, Item, ItemStatus, LedgerRow, LedgerState,
    LedgerTotals, LinkKind, Mark, Millis, Order, Page, Place, Problem, Property, Remedy, Scalar,
    Source, SourceStats, SyncCounts, Test, Time, Value,
};
