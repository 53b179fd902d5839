//! The stages, by name.

/// The stages that are measured, with what each is, in the order in which work
/// goes through them. The names are stable: logs, exports and `pkb stats` have
/// them. `mcp.request` is followed by the tool's name.
pub const STAGES: &[(&str, &str)] = &[
    (
        "sync",
        "one sync of any number of sources, embedding included",
    ),
    ("ingest", "one source brought up to date, without embedding"),
    ("ingest.scan", "looking at what a source holds"),
    (
        "ingest.moves",
        "finding out which new files are old ones, moved",
    ),
    (
        "ingest.read",
        "one file: opened, hashed, extracted, chunked, analyzed",
    ),
    ("ingest.extract", "bytes to text, by the extractor"),
    ("ingest.chunk", "text to chunks, by the chunker"),
    ("ingest.analyze", "text to terms, by the analyzer"),
    ("ingest.store", "a batch of items written"),
    (
        "rechunk",
        "items split anew where the chunker or the model is another",
    ),
    ("embed", "one pass that makes missing vectors"),
    ("embed.load", "building the model's plan"),
    ("embed.tokenize", "a batch of texts to tokens"),
    ("embed.model", "a batch of tokens to vectors"),
    ("embed.store", "a batch of vectors written"),
    ("watch.look", "a watched source looked at"),
    ("search", "one search, from query to hits"),
    ("search.parse", "taking the query apart"),
    ("search.lexical", "ranking by word"),
    ("search.embed", "the query to a vector"),
    ("search.dense", "ranking by meaning"),
    ("search.fuse", "one ranking out of all"),
    ("search.show", "reading and cutting what is shown"),
    ("read", "an item, or a part of it"),
    ("similar", "items near to one"),
    ("links", "links from and to an item"),
    ("browse", "a list of items"),
    ("overview", "what is in the index, for a client"),
    ("tokens.count", "counting the tokens of answers"),
    ("note.add", "a note written and taken in"),
    ("note.update", "a note's title or tags changed"),
    ("delete", "items taken out of all searches"),
    ("restore", "deleted items brought back"),
    ("erase", "items removed for good, with their traces"),
    ("mcp.request", "one call of a tool by a client"),
    ("component.load", "a component made ready to run"),
    (
        "component.compile",
        "a component compiled, as it was not in the cache",
    ),
    ("store.commit", "one transaction that writes"),
    ("store.migrate", "tables brought up to date"),
    ("store.terms", "the word index made anew"),
    (
        "store.optimize",
        "the database brought into good shape after a large sync",
    ),
    ("store.check", "everything stored checked"),
    ("store.backup", "a copy of the database made"),
    ("store.put_back", "a copy put in the database's place"),
];

/// Where a stage stands in the order, and what it is. One that is not in it,
/// which another version of pkb had, comes last.
pub(super) fn known(name: &str) -> (usize, &'static str) {
    let base = name.split('/').next().unwrap_or(name);
    let mut known = STAGES.iter().enumerate();
    let found = known.find(|(_, (stage, _))| *stage == base);
    found.map_or((STAGES.len(), ""), |(place, (_, about))| (place, *about))
}
