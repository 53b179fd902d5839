//! A folder, an index that follows it from sync to sync, and what the index
//! must say after each: what a fresh one of the folder as it is would, but for
//! what a person decided and what a cloud has.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use pkb_engine::{
    Access, Engine, Job, Mode, NewFolder, SearchRequest, Stage, SyncOptions, SyncReport,
};
use pkb_store::{ItemId, SqliteStore, Store};
use pkb_tests::{Dump, Numbers, dump, home};
use tempfile::TempDir;

use crate::steps::{Content, Folder, Step};

const SOURCE: &str = "notes";

/// An engine and its store, used again by each case.
pub(crate) struct Index {
    engine: Engine,
    store: SqliteStore,
    database: std::path::PathBuf,
    _home: TempDir,
}

impl Index {
    pub(crate) fn new(models: Option<&Path>) -> Index {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path(), models);
        let database = home.database();
        Index {
            engine: Engine::open(home, Access::Write).unwrap(),
            store: SqliteStore::open(&database).unwrap(),
            database,
            _home: folder,
        }
    }

    /// Forgets everything, and has `root` as its one source.
    fn begin(&self, root: &Path) {
        if !self.engine.sources().unwrap().is_empty() {
            self.engine.remove_source(SOURCE).unwrap();
        }
        let new = NewFolder {
            name: Some(SOURCE.into()),
            ..NewFolder::default()
        };
        self.engine.add_folder(root, &new).unwrap();
    }

    fn sync(&self, options: SyncOptions, job: &dyn Job) -> SyncReport {
        self.engine.sync(&[], options, job).unwrap()
    }

    fn dump(&self) -> (Dump, Numbers) {
        dump(&self.store, SOURCE)
    }

    /// Paths of the items that have the word.
    fn found(&self, word: &str) -> BTreeSet<String> {
        let request = SearchRequest {
            query: word.into(),
            limit: 100,
            mode: Mode::Lexical,
            ..SearchRequest::default()
        };
        let answer = self.engine.search(&request).unwrap();
        let paths = answer
            .hits
            .into_iter()
            .flat_map(|hit| [hit.citation.path].into_iter().chain(hit.same));
        paths
            .map(|path| path[SOURCE.len() + 1..].to_owned())
            .collect()
    }

    fn vectors(&self) -> BTreeSet<Vec<u8>> {
        let database = rusqlite::Connection::open(&self.database).unwrap();
        let mut select = database.prepare("SELECT hash FROM vectors").unwrap();
        let hashes = select.query_map([], |row| row.get(0)).unwrap();
        hashes.map(Result::unwrap).collect()
    }

    fn chunk_hashes(&self, items: &Numbers) -> BTreeSet<Vec<u8>> {
        items
            .live
            .values()
            .flat_map(|item| self.store.chunks(*item).unwrap())
            .map(|chunk| chunk.hash.0.to_vec())
            .collect()
    }
}

/// What there was when a sync was last through.
struct Past {
    content: Content,
    dump: Dump,
    numbers: Numbers,
}

/// An item that a person deleted.
struct Removed {
    item: ItemId,
    path: String,
    bytes: Vec<u8>,
    /// As it was listed.
    listed: String,
    /// Whether it is known to be deleted still: nothing has happened since that
    /// could be taken in two ways.
    certain: bool,
}

/// An item that a person brought back whose file is gone.
struct Restored {
    item: ItemId,
    path: String,
    bytes: Vec<u8>,
    /// As it is listed.
    listed: String,
    /// Whether nothing has happened since that could be taken in two ways.
    certain: bool,
}

pub(crate) struct World<'a> {
    index: &'a Index,
    fresh: &'a Index,
    embeds: bool,
    folder: Folder,
    _root: TempDir,
    past: Option<Past>,
    removed: Vec<Removed>,
    restored: Vec<Restored>,
    /// A sync was stopped since.
    crashed: bool,
}

impl<'a> World<'a> {
    pub(crate) fn new(index: &'a Index, fresh: &'a Index, embeds: bool) -> World<'a> {
        let root = tempfile::tempdir().unwrap();
        index.begin(root.path());
        World {
            index,
            fresh,
            embeds,
            folder: Folder::new(&root.path().canonicalize().unwrap()),
            _root: root,
            past: None,
            removed: Vec::new(),
            restored: Vec::new(),
            crashed: false,
        }
    }

    pub(crate) fn go(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Sync => self.sync(),
                Step::Crash { after } => self.crash(*after),
                Step::Remove { nth } => self.remove(*nth),
                Step::Restore { nth } => self.restore(*nth),
                step => {
                    let between = Cell::new(false);
                    let index = self.index;
                    let embeds = self.embeds;
                    self.folder.change(step, &mut || {
                        between.set(true);
                        index.sync(options(embeds, true), &Stops::never());
                    });
                    if between.get() {
                        self.doubt();
                    }
                }
            }
        }
        let problems = self.index.engine.check().unwrap();
        assert!(problems.is_empty(), "{problems:?}");
    }

    fn crash(&mut self, after: usize) {
        let report = self
            .index
            .sync(options(self.embeds, true), &Stops::after(after));
        // One that ran through may have found nothing to ask about.
        drop(report);
        self.doubt();
    }

    /// A sync has looked, and nobody knows how far it came.
    fn doubt(&mut self) {
        self.crashed = true;
        for removed in &mut self.removed {
            removed.certain = false;
        }
        for restored in &mut self.restored {
            restored.certain = false;
        }
    }

    /// A person deletes one of the items there are.
    fn remove(&mut self, nth: usize) {
        let (dump, numbers) = self.index.dump();
        let content = self.folder.content();
        // What stands in the file now is not what is deleted, unless a sync
        // has just been.
        let known = self.past.as_ref().map(|past| &past.content.files);
        let settled = |path: &String| {
            !self.crashed
                && content.files.contains_key(path)
                && known.is_some_and(|known| known.get(path) == content.files.get(path))
        };
        let live: Vec<(&String, &ItemId)> = numbers
            .live
            .iter()
            .filter(|(path, _)| settled(path))
            .collect();
        if live.is_empty() {
            return;
        }
        let (path, item) = live[nth % live.len()];
        assert_eq!(self.index.store.soft_delete(&[*item], "user").unwrap(), 1);
        if let Some(past) = &mut self.past {
            past.numbers.live.remove(path);
            past.numbers.deleted.insert(path.clone());
        }
        self.restored.retain(|own| own.item != *item);
        self.removed.push(Removed {
            item: *item,
            path: path.clone(),
            bytes: content.files[path].clone(),
            listed: dump.items[path].clone(),
            certain: true,
        });
    }

    /// A person brings one back, whether or not its file is there.
    fn restore(&mut self, nth: usize) {
        let content = self.folder.content();
        let known: Vec<usize> = (0..self.removed.len())
            .filter(|at| {
                let removed = &self.removed[*at];
                let there = content.files.get(&removed.path);
                removed.certain
                    && there.is_none_or(|bytes| *bytes == removed.bytes)
                    && !content.away.contains(&removed.path)
            })
            .collect();
        if known.is_empty() {
            return;
        }
        let removed = self.removed.remove(known[nth % known.len()]);
        assert_eq!(self.index.store.restore(&[removed.item]).unwrap(), 1);
        if let Some(past) = &mut self.past {
            past.numbers.deleted.remove(&removed.path);
        }
        self.restored.push(Restored {
            item: removed.item,
            path: removed.path,
            bytes: removed.bytes,
            listed: removed.listed,
            certain: true,
        });
    }

    /// Takes out of what is there what a person brought back and no file holds.
    fn follow_restored(&mut self, content: &Content, have: &mut Dump, numbers: &Numbers) {
        let all: Vec<Vec<u8>> = self.restored.iter().map(|own| own.bytes.clone()).collect();
        let past = self.past.as_ref();
        self.restored.retain_mut(|own| {
            let at = numbers.live.iter().find(|(_, item)| **item == own.item);
            let Some((at, _)) = at else {
                assert!(!own.certain, "{} was brought back and is gone", own.path);
                return false;
            };
            if content.away.contains(at) {
                return true;
            }
            if content.files.contains_key(at) {
                return false;
            }
            let holders = |content: &Content| -> Vec<String> {
                let files = content.files.iter();
                let files = files.filter(|(_, bytes)| **bytes == own.bytes);
                files.map(|(path, _)| path.clone()).collect()
            };
            if let ([there], Some(past)) = (holders(content).as_slice(), past)
                && own.certain
                && !own.bytes.is_empty()
                && all.iter().filter(|bytes| **bytes == own.bytes).count() == 1
                && holders(&past.content).is_empty()
                && !past.numbers.live.contains_key(there)
            {
                panic!("{} is not what is there again as {there}", own.path);
            }
            if own.certain && *at == own.path {
                // It may have moved while it was deleted.
                let without_url = |listed: &str| -> Vec<String> {
                    let lines = listed.lines().filter(|line| !line.starts_with("url:"));
                    lines.map(str::to_owned).collect()
                };
                assert_eq!(without_url(&have.items[at]), without_url(&own.listed));
            }
            have.items.remove(at);
            have.ledger.remove(at);
            own.path.clone_from(at);
            true
        });
    }

    fn sync(&mut self) {
        let content = self.folder.content();
        let before = self.index.vectors();
        let mut report = self
            .index
            .sync(options(self.embeds, false), &Stops::never());
        if let Some(problem) = &report.sources[0].problem {
            assert!(problem.contains("--accept-removals"), "{problem}");
            assert!(content.files.is_empty(), "few items: {problem}");
            let held = self.index.dump().1.live;
            if let Some(past) = &self.past
                && !self.crashed
            {
                for path in past.numbers.live.keys() {
                    assert!(held.contains_key(path), "{path} went unasked");
                }
            }
            report = self.index.sync(options(self.embeds, true), &Stops::never());
        } else if let Some(past) = &self.past
            && content.files.is_empty()
        {
            let gone = |path: &&String| !content.away.contains(*path);
            let gone = past.numbers.live.keys().filter(gone).count();
            assert!(self.crashed || gone == 0, "all went unasked");
        }
        assert!(report.complete(), "{report:?}");
        self.fresh.begin(&self.folder.root);
        self.fresh.sync(options(false, true), &Stops::never());
        let (want, _) = self.fresh.dump();
        let (have, numbers) = self.index.dump();
        self.compare(&content, &want, &have, &numbers);
        if !self.crashed
            && let Some(past) = &self.past
        {
            keep_identities(past, &content, &numbers);
        }
        if self.embeds {
            let hashes = self.index.chunk_hashes(&numbers);
            let new: Vec<_> = hashes.difference(&before).collect();
            let made = report.embedding.as_ref().unwrap().made as usize;
            assert_eq!(made, new.len(), "what has a vector is not embedded again");
            assert!(self.index.vectors().is_superset(&hashes));
        }
        // No file of those is there, nor to be expected.
        let mut numbers = numbers;
        for own in &self.restored {
            numbers.live.remove(&own.path);
            numbers.deleted.insert(own.path.clone());
        }
        self.past = Some(Past {
            content,
            dump: have,
            numbers,
        });
        self.crashed = false;
    }

    fn compare(&mut self, content: &Content, want: &Dump, have: &Dump, numbers: &Numbers) {
        let (mut want, mut have) = (want.clone(), have.clone());
        self.follow_restored(content, &mut have, numbers);
        // What a cloud took away is as it was last seen.
        for path in &content.away {
            let here = have.items.remove(path);
            if let (false, Some(past)) = (self.crashed, &self.past)
                && self.removed.iter().all(|removed| removed.path != *path)
            {
                assert_eq!(here.as_ref(), past.dump.items.get(path), "{path} is away");
            }
        }
        // What a person deleted stays so until its file holds other bytes.
        let hidden: Vec<String> = want
            .items
            .keys()
            .filter(|path| !have.items.contains_key(*path) && !content.away.contains(*path))
            .cloned()
            .collect();
        for path in &hidden {
            let bytes = &content.files[path];
            assert!(
                self.removed.iter().any(|removed| removed.bytes == *bytes),
                "{path} is missing, which nobody deleted: {:?}",
                String::from_utf8_lossy(bytes)
            );
            want.items.remove(path);
        }
        self.follow_removed(content, &hidden);
        want.ledger
            .retain(|path, _| !numbers.deleted.contains(path));
        have.ledger
            .retain(|path, _| !numbers.deleted.contains(path));
        assert_eq!(want, have);

        let words = content.files.values().filter_map(|bytes| number(bytes));
        let words: BTreeSet<String> = words.map(|n| format!("word{n}x7")).collect();
        let others = ["heading", "template", "added", "inner", "alias1"].map(str::to_owned);
        for word in words.iter().chain(&others) {
            let mut want = self.fresh.found(word);
            want.retain(|path| !hidden.contains(path));
            let mut have = self.index.found(word);
            have.retain(|path| !content.away.contains(path));
            have.retain(|path| self.restored.iter().all(|own| own.path != *path));
            assert_eq!(want, have, "search for {word}");
        }
    }

    /// Where the deleted items are now, as far as that is certain.
    fn follow_removed(&mut self, content: &Content, hidden: &[String]) {
        let Some(past) = &self.past else { return };
        for removed in self.removed.iter_mut().filter(|removed| removed.certain) {
            let with_bytes = |content: &Content| -> Vec<String> {
                let files = content.files.iter();
                files
                    .filter(|(_, bytes)| **bytes == removed.bytes)
                    .map(|(path, _)| path.clone())
                    .collect()
            };
            let there = with_bytes(content);
            if there.contains(&removed.path) {
                assert!(hidden.contains(&removed.path), "{} came back", removed.path);
            } else if content.files.contains_key(&removed.path) || self.crashed {
                removed.certain = false;
            } else if let [path] = there.as_slice()
                && with_bytes(&past.content).as_slice() == [removed.path.clone()]
                && !past.numbers.live.contains_key(path)
                && !removed.bytes.is_empty()
            {
                assert!(
                    hidden.contains(path),
                    "{} came back as {path}",
                    removed.path
                );
                removed.path.clone_from(path);
            } else {
                removed.certain =
                    there.is_empty() && !past.content.files.contains_key(&removed.path);
            }
        }
    }
}

/// Checks that what can be told to be the same is the same item.
fn keep_identities(past: &Past, content: &Content, numbers: &Numbers) {
    let before = numbered(&past.content);
    let after = numbered(content);
    let absent = |path: &str| !content.files.contains_key(path) && !content.away.contains(path);
    for (n, paths) in &before {
        let ([from], Some(now)) = (paths.as_slice(), after.get(n)) else {
            continue;
        };
        let [to] = now.as_slice() else { continue };
        let (Some(was), Some(is)) = (past.numbers.live.get(from), numbers.live.get(to)) else {
            continue;
        };
        let (old, new) = (&past.content.files[from], &content.files[to]);
        // Without another text that is there in part, longer than its edits.
        let moved = absent(from)
            && !past.numbers.live.contains_key(to)
            && (old == new || new.starts_with(old) && new.len() < old.len() + 60)
            // An item that was deleted there, or a file of a like name that is
            // gone, comes before a like text.
            && (old == new
                || !past.numbers.deleted.contains(to) && !has_namesake(past, content, from, to));
        let swapped = || {
            let (Some(there), Some(here)) = (past.content.files.get(to), content.files.get(from))
            else {
                return false;
            };
            old == new && there == here && unique(there, past) && number(there).is_some()
        };
        if from == to || moved || swapped() {
            assert_eq!(was, is, "{from}, now {to}, is another item");
        }
    }
}

fn unique(bytes: &[u8], past: &Past) -> bool {
    past.content
        .files
        .values()
        .filter(|other| *other == bytes)
        .count()
        == 1
}

/// Whether another item, or another file, has a name that is like one of these
/// but for case and encoding.
fn has_namesake(past: &Past, content: &Content, from: &str, to: &str) -> bool {
    let alike = |path: &str| {
        let composed = path.replace("e\u{301}", "\u{e9}");
        composed.to_lowercase()
    };
    let all = past.content.files.keys().chain(past.numbers.deleted.iter());
    all.chain(content.files.keys()).any(|path| {
        path != from && path != to && (alike(path) == alike(from) || alike(path) == alike(to))
    })
}

/// The number of what a note says of its own.
fn number(bytes: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (_, rest) = text.split_once("rank: ")?;
    rest.lines().next()?.parse().ok()
}

/// Where a note of each number is.
fn numbered(content: &Content) -> BTreeMap<usize, Vec<String>> {
    let mut numbered: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (path, bytes) in &content.files {
        if let Some(n) = number(bytes) {
            numbered.entry(n).or_default().push(path.clone());
        }
    }
    numbered
}

fn options(embeds: bool, accept_removals: bool) -> SyncOptions {
    SyncOptions {
        accept_removals,
        skip_embedding: !embeds,
        ..SyncOptions::default()
    }
}

/// Stops a job when it has asked so often.
struct Stops(AtomicUsize);

impl Stops {
    fn never() -> Stops {
        Stops(AtomicUsize::new(usize::MAX))
    }

    fn after(times: usize) -> Stops {
        Stops(AtomicUsize::new(times))
    }
}

impl Job for Stops {
    fn stop(&self) -> bool {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
                usize::MAX => Some(left),
                left => Some(left.saturating_sub(1)),
            });
        left == Ok(0)
    }

    fn progress(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}
