//! What is asked for, and what is found.

use super::{Chunk, Item, ItemId, ItemStatus, Mark, Millis, SourceId};

/// Which soft-deleted items a listing shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Deleted {
    /// None.
    #[default]
    Exclude,
    /// No others.
    Only,
    /// Only those that were deleted before that time.
    Before(Millis),
    /// All items.
    Include,
}

/// Which items count: those that meet every condition. Soft-deleted items never
/// pass in a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// All of them must hold.
    pub conditions: Vec<Condition>,
    /// Sources whose items are as if they were not there: they pass nowhere, and
    /// what a word weighs is worked out without them.
    pub without: Vec<SourceId>,
}

impl Filter {
    /// Whether every item passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.without.is_empty()
    }

    /// This and one more condition.
    #[must_use]
    pub fn and(mut self, test: Test) -> Self {
        self.conditions.push(test.into());
        self
    }
}

impl From<Test> for Filter {
    fn from(test: Test) -> Self {
        Self::default().and(test)
    }
}

/// A test, or its contrary.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The test must not hold.
    pub not: bool,
    /// What is asked of an item.
    pub test: Test,
}

impl From<Test> for Condition {
    fn from(test: Test) -> Self {
        Self { not: false, test }
    }
}

/// What can be asked of an item. What an item does not have (no author, no
/// duration) fails every test of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Its source has one of these names.
    Source(Vec<String>),
    /// It is of one of these kinds, in any letter case.
    Kind(Vec<String>),
    /// It has this tag or one below it, in any letter case: `a` also finds
    /// `a/b`. A `#` before it does not count.
    Tag(String),
    /// Its external id starts so or, where this holds `*`, `?` or `[`, is what
    /// this glob describes: `*` and `?` stand for anything but `/`, `**` for
    /// anything, `**/` for any folders or none, `[a-z]` and `[!a-z]` for a
    /// character; a backslash takes the meaning from the one after it. Letter
    /// case does not count in a glob. What begins with the name of a source and
    /// `/` is also looked for within that source.
    Path(String),
    /// Its title or an alias holds these characters, in any letter case.
    Title(String),
    /// Its language is this one, or one of its regional forms: `de` also finds
    /// `de-AT`.
    Language(String),
    /// Its author or channel holds these characters, in any letter case.
    Author(String),
    /// Its time lies in a range.
    Time {
        /// Which time.
        which: Time,
        /// Not before.
        from: Option<Millis>,
        /// Before.
        until: Option<Millis>,
    },
    /// Its duration lies in a range, ends included, in seconds.
    Duration {
        /// At least.
        least: Option<f64>,
        /// At most.
        most: Option<f64>,
    },
    /// It has the property, in any letter case; with a value, one of the
    /// property's values is that one.
    Property {
        /// The property's name.
        name: String,
        /// Text compares in any letter case and numbers as numbers; `yes` is
        /// true and `no` is false; a date is the year, month, day ... that it
        /// lies in, in UTC.
        value: Option<String>,
    },
    /// One of its chunks holds one of these: index terms, parted by spaces, that
    /// stand one after the other in one column.
    Terms(Vec<String>),
    /// It is in this state.
    Status(ItemStatus),
    /// It has no tag.
    Untagged,
    /// It is one of these.
    Items(Vec<ItemId>),
}

/// A time of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// The first it has of: published, modified, created, ingested.
    #[default]
    Any,
    /// When the original was made.
    Created,
    /// When the original was last changed.
    Modified,
    /// When the original was published.
    Published,
    /// When its present content was stored here.
    Ingested,
}

/// The order of a listing. Items without what it goes by come last, those with
/// the same stand by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By source name, then external id.
    #[default]
    Path,
    /// By title, in any letter case.
    Title,
    /// By a time, the earliest first.
    Time(Time),
    /// By duration, the shortest first.
    Duration,
    /// By views, the fewest first.
    Views,
    /// Last changed first; without a time of change, last stored first.
    Recent,
    /// Last deleted first.
    Deleted,
}

/// A page of items.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemQuery {
    /// Which items.
    pub filter: Filter,
    /// Soft-deleted ones.
    pub deleted: Deleted,
    /// In which order.
    pub order: Order,
    /// The order turned round; what comes last for want of a value stays last.
    pub reverse: bool,
    /// How many to pass over.
    pub offset: u64,
    /// How many at most; 0 only counts.
    pub limit: u64,
}

impl Default for ItemQuery {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            deleted: Deleted::Exclude,
            order: Order::Path,
            reverse: false,
            offset: 0,
            limit: 100,
        }
    }
}

/// One page and the size of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The entries asked for.
    pub entries: Vec<T>,
    /// How many there are without offset and limit.
    pub total: u64,
}

/// What to look for by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalQuery {
    /// A chunk matches when it holds any of them.
    pub words: Vec<Word>,
    /// How matches are weighed.
    pub ranking: Ranking,
}

impl LexicalQuery {
    /// Chunks that hold any of these index terms, with the usual ranking.
    pub fn any<T: Into<String>>(terms: impl IntoIterator<Item = T>) -> Self {
        let word = |term: T| Word {
            any: vec![term.into()],
            ..Word::default()
        };
        Self {
            words: terms.into_iter().map(word).collect(),
            ranking: Ranking::default(),
        }
    }
}

/// One word of a query, as index terms. Several terms for one word are variants
/// of it: they count together, as if they were one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// A chunk that holds any of these holds the word.
    pub any: Vec<String>,
    /// So does one that holds a term that begins so.
    pub prefix: Option<String>,
    /// The very form that was asked for, and what share of its own score counts
    /// on top where a chunk holds it.
    pub exact: Option<(String, f64)>,
}

/// The constants of BM25 over three columns (Robertson and Zaragoza 2009,
/// section 3.6, BM25F with one length normalisation): occurrences are added up
/// with the weights of their columns before they saturate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// How soon more occurrences stop to count.
    pub k1: f64,
    /// How much a chunk's length counts, from 0 to 1.
    pub b: f64,
    /// Weight of an occurrence in the title or an alias.
    pub title: f64,
    /// Weight of an occurrence in a heading or a tag.
    pub headings: f64,
    /// Weight of an occurrence in the text.
    pub body: f64,
    /// What share of an item's score is that of its text as a whole; the rest
    /// is that of its best chunk. From 0 to 1.
    pub whole: f64,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            title: 1.5,
            headings: 1.25,
            body: 1.0,
            whole: 0.5,
        }
    }
}

/// A chunk with all that is needed to show and cite it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: Chunk,
    /// The item it is part of.
    pub item: Item,
    /// The text of the span.
    pub text: String,
    /// The line of the item's text (not of the original) that the span starts
    /// on, counted from 1.
    pub text_line: u32,
    /// The marks that say where the span stands in the original: of each kind
    /// of place the last at or before the start, and all within the span.
    pub marks: Vec<Mark>,
    /// What could not be read of the item as it should, one sentence each.
    pub warnings: Vec<String>,
}
