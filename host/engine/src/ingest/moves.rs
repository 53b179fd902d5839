//! Items that are at another path than before. Told by what a folder holds,
//! since no event can be relied on to say so.
//!
//! By bytes: what was in an item stands in another file, and its own file is
//! gone or holds something else. An item whose file is still there moves only
//! if another takes its place: two that exchange names, or each that takes the
//! name of the next. Otherwise the file was edited after it was copied, and
//! the item stays with its name. By name: nothing but letter case or the way
//! accents are encoded is different, as disks and sync tools change them.
//! [`resembling`](super::resembling) finds what was edited too.

use std::collections::{HashMap, HashSet};

use pkb_store::Stamp;
use unicode_normalization::UnicodeNormalization;

use super::changes::{File, Known, is_deleted_by_user, is_live};
use crate::links::fold;

/// A new path for an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Move {
    pub(super) from: String,
    pub(super) to: String,
}

/// A file that is new or holds other bytes than before, as far as can be told
/// without reading more than is needed.
pub(super) struct Written<'a> {
    pub(super) file: &'a File,
    /// Hash of its bytes; none where no item had as many.
    pub(super) hash: Option<[u8; 32]>,
}

/// The files that may hold other bytes than before.
pub(super) fn written<'a>(files: &'a [File], known: &Known) -> impl Iterator<Item = &'a File> {
    files.iter().filter(|file| {
        known
            .get(&file.id)
            .is_none_or(|own| own.stamp != file.stamp)
    })
}

/// What is to be hashed to find moves: files that may hold other bytes than
/// before, and as many as an item did whose file is gone or written to. None at
/// all where nothing can have moved.
pub(super) fn to_hash<'a>(files: &'a [File], known: &Known, gone: &[String]) -> Vec<&'a File> {
    let written: Vec<&File> = written(files, known).collect();
    let items = || {
        let replaced = written.iter().map(|file| &file.id);
        let stamps = gone.iter().chain(replaced).filter_map(|id| known.get(id));
        stamps.filter(|own| own.item.is_some())
    };
    // One file that was written to cannot change places with itself.
    if items().take(2).count() < 2 && !gone.iter().any(|id| known[id].item.is_some()) {
        return Vec::new();
    }
    let sizes: HashSet<u64> = items().filter_map(|own| own.size).collect();
    written
        .into_iter()
        .filter(|file| sizes.contains(&file.size))
        .collect()
}

/// The items that moved, among those whose files are `gone`, judged by the
/// bytes of `written` files and then by their names.
pub(super) fn find(written: &[Written<'_>], known: &Known, gone: &[String]) -> Vec<Move> {
    let mut moves = by_bytes(written, known, gone);
    by_name(written, known, gone, &mut moves);
    let mut moves: Vec<Move> = moves
        .into_iter()
        .map(|(to, from)| Move { from, to })
        .collect();
    moves.sort_unstable();
    moves
}

/// From where to where, by where to.
type Moves = HashMap<String, String>;

/// Moves that cannot be: where to, where from.
type Misfits = HashSet<(String, String)>;

/// How often items are paired with files, at most.
const ROUNDS: usize = 4;

/// The ids of one kind, by the bytes that stand or stood there.
type ByHash<'a> = HashMap<[u8; 32], Vec<&'a str>>;

fn by_bytes(written: &[Written<'_>], known: &Known, gone: &[String]) -> Moves {
    // Where items come from, the likeliest first: their file is gone; it holds
    // something else; they were deleted.
    let (mut lost, mut replaced, mut deleted) = <(ByHash<'_>, ByHash<'_>, ByHash<'_>)>::default();
    for id in gone {
        let own = &known[id];
        let Some(hash) = own.content_hash else {
            continue;
        };
        // Nothing tells one empty file from another.
        if is_live(own) {
            lost.entry(hash).or_default().push(id);
        } else if own.size != Some(0) {
            deleted.entry(hash).or_default().push(id);
        }
    }
    // Where they go to: to where no item is that can be found, or else.
    let (mut free, mut taken, mut back) = <(ByHash<'_>, ByHash<'_>, ByHash<'_>)>::default();
    for written in written {
        let id = written.file.id.as_str();
        let own = known.get(id);
        let before = own.and_then(|own| own.content_hash);
        if let Some(hash) = written.hash
            && Some(hash) != before
        {
            let there = own.is_some_and(is_wanted);
            let to = if there { &mut taken } else { &mut free };
            to.entry(hash).or_default().push(id);
        } else if let Some(hash) = written.hash
            && own.is_some_and(|own| !is_live(own) && !is_deleted_by_user(own))
        {
            // An item that is deleted said the same here once; one that can be
            // found comes first.
            back.entry(hash).or_default().push(id);
        }
        if let Some(before) = before
            && written.hash != Some(before)
        {
            replaced.entry(before).or_default().push(id);
        }
    }
    let gone: HashSet<&str> = gone.iter().map(String::as_str).collect();
    // Of several files with the same bytes, the one that was tried may turn out
    // to be no place for the item.
    let mut misfits = Misfits::new();
    let mut best = Moves::new();
    for _ in 0..ROUNDS {
        let (mut lost, mut replaced, mut deleted) =
            (lost.clone(), replaced.clone(), deleted.clone());
        let (mut free, mut taken, mut back) = (free.clone(), taken.clone(), back.clone());
        let mut moves = Moves::new();
        let mut follow = |from: &mut ByHash<'_>, to: &mut ByHash<'_>| {
            for (hash, from) in from {
                if let Some(to) = to.get_mut(hash) {
                    moves.extend(pair(from, to, &misfits));
                }
            }
        };
        follow(&mut lost, &mut free);
        follow(&mut lost, &mut back);
        follow(&mut lost, &mut taken);
        follow(&mut replaced, &mut taken);
        follow(&mut replaced, &mut free);
        follow(&mut deleted, &mut free);
        let found = keep_possible(&mut moves, known, &gone);
        if moves.len() > best.len() {
            best = moves;
        }
        if found.is_empty() {
            break;
        }
        misfits.extend(found);
    }
    make_room(&mut best, known, &gone);
    best
}

/// Pairs ids (where to, where from) and takes them out of both lists: those
/// first whose paths end alike the furthest.
fn pair<'a>(
    from: &mut Vec<&'a str>,
    to: &mut Vec<&str>,
    misfits: &Misfits,
) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let depth = |ids: &[&str]| ids.iter().map(|id| id.split('/').count()).max();
    let shared = depth(from).unwrap_or(0).min(depth(to).unwrap_or(0));
    for parts in (0..=shared).rev() {
        let mut ends: HashMap<&'a str, Vec<&'a str>> = HashMap::new();
        for &id in from.iter().rev() {
            if let Some(end) = end(id, parts) {
                ends.entry(end).or_default().push(id);
            }
        }
        to.retain(|to| {
            let fits = |from: &&str| {
                misfits.is_empty() || !misfits.contains(&((*to).to_owned(), (*from).to_owned()))
            };
            let found = end(to, parts).and_then(|end| {
                let like = ends.get_mut(end)?;
                let at = like.iter().rposition(fits)?;
                Some(like.remove(at))
            });
            if let Some(found) = found {
                pairs.push(((*to).to_owned(), found.to_owned()));
                from.retain(|id| *id != found);
            }
            found.is_none()
        });
        if from.is_empty() || to.is_empty() {
            break;
        }
    }
    pairs
}

/// The last parts of a path; none where it has fewer.
fn end(id: &str, parts: usize) -> Option<&str> {
    match parts {
        0 => Some(""),
        _ => match id.rmatch_indices('/').nth(parts - 1) {
            Some((slash, _)) => Some(&id[slash + 1..]),
            None => (id.split('/').count() == parts).then_some(id),
        },
    }
}

/// Leaves out what takes an item's place that stays, and what leaves a file
/// that no other item gets. Returns those of the first kind that are not for
/// the sake of another.
fn keep_possible(moves: &mut Moves, known: &Known, gone: &HashSet<&str>) -> Misfits {
    let mut misfits = None;
    loop {
        let leaving: HashSet<&str> = moves.values().map(String::as_str).collect();
        let stays = |to: &str| known.get(to).is_some_and(is_wanted) && !leaving.contains(to);
        let left_empty = |from: &str| !gone.contains(from) && !moves.contains_key(from);
        let wrong: Vec<(String, String)> = moves
            .iter()
            .filter(|(to, from)| stays(to) || left_empty(from))
            .map(|(to, from)| (to.clone(), from.clone()))
            .collect();
        misfits.get_or_insert_with(|| {
            let misfits = wrong.iter().filter(|(to, _)| stays(to));
            misfits.cloned().collect()
        });
        if wrong.is_empty() {
            return misfits.unwrap_or_default();
        }
        for (to, _) in wrong {
            moves.remove(&to);
        }
    }
}

/// Whether there is an item that goes by its file: it can be searched, and was
/// not brought back by a person while its file was gone.
fn is_wanted(stamp: &Stamp) -> bool {
    is_live(stamp) && !stamp.restored
}

/// A deleted item in the way of one that moves gets the path that becomes free
/// by it, so that it can still be brought back; so does one that a person
/// brought back, whose text no file has.
fn make_room(moves: &mut Moves, known: &Known, gone: &HashSet<&str>) {
    let leaving: HashSet<String> = moves.values().cloned().collect();
    let in_the_way: Vec<String> = moves
        .keys()
        .filter(|to| known.get(*to).is_some_and(|own| own.item.is_some()))
        .filter(|to| !leaving.contains(*to))
        .cloned()
        .collect();
    for id in in_the_way {
        let mut free = moves[&id].as_str();
        while let (false, Some(from)) = (gone.contains(free), moves.get(free)) {
            free = from;
        }
        let free = free.to_owned();
        moves.insert(free, id);
    }
}

/// Adds items whose paths differ in letter case or encoding only from those of
/// new files.
fn by_name(written: &[Written<'_>], known: &Known, gone: &[String], moves: &mut Moves) {
    let leaving: HashSet<String> = moves.values().cloned().collect();
    let mut lost: Vec<&str> = gone
        .iter()
        .filter(|id| known[*id].item.is_some() && !is_deleted_by_user(&known[*id]))
        .map(String::as_str)
        .filter(|id| !leaving.contains(*id) && !moves.contains_key(*id))
        .collect();
    let mut new: Vec<&str> = written
        .iter()
        .map(|written| written.file.id.as_str())
        .filter(|id| known.get(*id).is_none_or(|own| own.item.is_none()))
        .filter(|id| !moves.contains_key(*id))
        .collect();
    if lost.is_empty() || new.is_empty() {
        return;
    }
    let encoded = |id: &str| id.nfc().collect::<String>();
    for key in [&encoded as &dyn Fn(&str) -> String, &fold] {
        let mut names: HashMap<String, Vec<&str>> = HashMap::new();
        // Live ones are found before deleted ones.
        lost.sort_by_key(|id| is_live(&known[*id]));
        for id in &lost {
            names.entry(key(id)).or_default().push(id);
        }
        new.retain(|to| {
            let found = names.get_mut(&key(to)).and_then(Vec::pop);
            if let Some(found) = found {
                moves.insert((*to).to_owned(), found.to_owned());
                lost.retain(|id| *id != found);
            }
            found.is_none()
        });
    }
}

#[cfg(test)]
mod tests {
    use pkb_store::{ItemId, LedgerState};

    use super::*;

    /// What was there: each file's content, after a `!` where it was deleted
    /// by its file's going, after a `?` where a person deleted it, after a `+`
    /// where a person brought it back.
    fn known(before: &[(&str, &str)]) -> Known {
        let stamp = |(at, (id, marked)): (i64, &(&str, &str))| {
            let (deleted, content) = match marked.split_at_checked(1) {
                Some(("!", content)) => (Some("file_deleted"), content),
                Some(("?", content)) => (Some("user"), content),
                Some(("+", content)) => (None, content),
                _ => (None, *marked),
            };
            let stamp = Stamp {
                stamp: content.to_owned(),
                pipeline: String::new(),
                state: LedgerState::Indexed,
                item: Some(ItemId(at)),
                content_hash: Some(*blake3::hash(content.as_bytes()).as_bytes()),
                size: Some(content.len() as u64),
                deleted_from: deleted.map(str::to_owned),
                restored: marked.starts_with('+'),
            };
            ((*id).to_owned(), stamp)
        };
        (1..).zip(before).map(stamp).collect()
    }

    /// The moves between two states of a folder, as `from>to`.
    fn moves(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<String> {
        let known = known(before);
        let files: Vec<File> = after
            .iter()
            .map(|(id, content)| File {
                id: (*id).to_owned(),
                size: content.len() as u64,
                modified: None,
                stamp: (*content).to_owned(),
            })
            .collect();
        let mut gone: Vec<String> = known
            .keys()
            .filter(|id| files.iter().all(|file| file.id != **id))
            .cloned()
            .collect();
        gone.sort();
        let hashed = to_hash(&files, &known, &gone);
        let written: Vec<Written<'_>> = written(&files, &known)
            .map(|file| Written {
                file,
                hash: hashed
                    .iter()
                    .any(|hashed| hashed.id == file.id)
                    .then(|| *blake3::hash(file.stamp.as_bytes()).as_bytes()),
            })
            .collect();
        find(&written, &known, &gone)
            .into_iter()
            .map(|found| format!("{}>{}", found.from, found.to))
            .collect()
    }

    #[test]
    fn renames_swaps_and_chains_are_followed() {
        assert_eq!(moves(&[("a", "1")], &[("b", "1")]), ["a>b"]);
        let two = [("a", "1"), ("b", "2")];
        assert_eq!(moves(&two, &[("a", "2"), ("b", "1")]), ["a>b", "b>a"]);
        assert_eq!(moves(&two, &[("b", "1"), ("c", "2")]), ["a>b", "b>c"]);
        let three = [("a", "1"), ("b", "2"), ("c", "3")];
        assert_eq!(
            moves(&three, &[("a", "3"), ("b", "1"), ("c", "2")]),
            ["a>b", "b>c", "c>a"]
        );
    }

    #[test]
    fn a_copy_takes_no_identity_away() {
        // Copied, copied and then edited, copied over another.
        assert!(moves(&[("a", "1")], &[("a", "1"), ("b", "1")]).is_empty());
        assert!(moves(&[("a", "1")], &[("a", "new"), ("b", "1")]).is_empty());
        let two = [("a", "1"), ("b", "2")];
        assert!(moves(&two, &[("a", "1"), ("b", "1")]).is_empty());
        // Moved over another, which keeps its name: what a save does that
        // writes beside the note first.
        assert!(moves(&two, &[("b", "1")]).is_empty());
        // A swap of which one was edited.
        assert!(moves(&two, &[("a", "2"), ("b", "new")]).is_empty());
    }

    #[test]
    fn copies_do_not_hide_where_items_went() {
        let two = [("a", "1"), ("b", "2")];
        // Exchanged, and one of them copied.
        assert_eq!(
            moves(&two, &[("a", "2"), ("b", "1"), ("c", "1")]),
            ["a>b", "b>a"]
        );
        // One after the other, and one copied over a third.
        let three = [("a", "1"), ("b", "2"), ("d", "3")];
        assert_eq!(
            moves(&three, &[("b", "1"), ("c", "2"), ("d", "2")]),
            ["a>b", "b>c"]
        );
    }

    #[test]
    fn equal_files_keep_their_names_where_they_can() {
        let before = [("x/a", ""), ("x/b", ""), ("x/deep/c", ""), ("z", "")];
        let after = [("y/deep/c", ""), ("y/b", ""), ("y/a", ""), ("y/other", "")];
        assert_eq!(
            moves(&before, &after),
            ["x/a>y/a", "x/b>y/b", "x/deep/c>y/deep/c", "z>y/other"]
        );
        // One of two is gone, and only one is new.
        assert_eq!(
            moves(&[("a", "1"), ("b", "1")], &[("a", "1"), ("c", "1")]),
            ["b>c"]
        );
    }

    #[test]
    fn names_that_differ_in_case_or_encoding_only_are_the_same() {
        assert_eq!(moves(&[("Note", "1")], &[("note", "2")]), ["Note>note"]);
        assert_eq!(
            moves(&[("caf\u{e9}", "1")], &[("cafe\u{301}", "2")]),
            ["caf\u{e9}>cafe\u{301}"]
        );
        // Encoding is nearer than case, and content than both.
        let before = [("caf\u{e9}", "1"), ("Caf\u{e9}", "2")];
        let after = [("cafe\u{301}", "3"), ("CAFE\u{301}", "4")];
        assert_eq!(
            moves(&before, &after),
            ["Caf\u{e9}>CAFE\u{301}", "caf\u{e9}>cafe\u{301}"]
        );
        assert_eq!(
            moves(&[("Note", "1")], &[("note", "2"), ("other", "1")]),
            ["Note>other"]
        );
        // Both are there: two items.
        assert!(moves(&[("Note", "1")], &[("Note", "1"), ("note", "1")]).is_empty());
    }

    #[test]
    fn deleted_items_come_back_elsewhere_and_make_room() {
        assert_eq!(moves(&[("a", "!1")], &[("b", "1")]), ["a>b"]);
        assert_eq!(moves(&[("a", "?1")], &[("b", "1")]), ["a>b"]);
        assert!(moves(&[("a", "!")], &[("b", "")]).is_empty());
        // The one that can be found is meant.
        let both = [("a", "!1"), ("b", "1")];
        assert_eq!(moves(&both, &[("c", "1")]), ["b>c"]);
        // Moved to where a deleted one was.
        let old = [("draft", "2"), ("note", "!1")];
        assert_eq!(moves(&old, &[("note", "2")]), ["draft>note", "note>draft"]);
        let chain = [("a", "1"), ("b", "2"), ("c", "?3")];
        assert_eq!(
            moves(&chain, &[("b", "1"), ("c", "2")]),
            ["a>b", "b>c", "c>a"]
        );
        let same = [("a", "!1"), ("b", "1")];
        assert_eq!(moves(&same, &[("a", "1")]), ["a>b", "b>a"]);
        // What a person brought back is there elsewhere, or keeps its text.
        assert_eq!(moves(&[("a", "+1")], &[("b", "1")]), ["a>b"]);
        let back = [("draft", "2"), ("note", "+1")];
        assert_eq!(moves(&back, &[("note", "2")]), ["draft>note", "note>draft"]);
        // It is there itself again, and nothing moved.
        assert!(moves(&[("a", "!1")], &[("a", "1")]).is_empty());
    }

    #[test]
    fn only_what_may_have_moved_is_hashed() {
        let known = known(&[("a", "1"), ("b", "22")]);
        let file = |id: &str, content: &str| File {
            id: id.to_owned(),
            size: content.len() as u64,
            modified: None,
            stamp: content.to_owned(),
        };
        let hashed = |files: &[File], gone: &[String]| -> Vec<String> {
            let hashed = to_hash(files, &known, gone);
            hashed.into_iter().map(|file| file.id.clone()).collect()
        };
        let new = [file("a", "1"), file("b", "22"), file("c", "1")];
        assert!(hashed(&new, &[]).is_empty(), "nothing is missing");
        let edited = [file("a", "2"), file("b", "22"), file("c", "1")];
        assert!(hashed(&edited, &[]).is_empty(), "one alone was written to");
        let gone = ["b".to_owned()];
        let moved = [file("a", "1"), file("c", "22"), file("d", "333")];
        assert_eq!(hashed(&moved, &gone), ["c"]);
        let swapped = [file("a", "22"), file("b", "1")];
        assert_eq!(hashed(&swapped, &[]), ["a", "b"]);
    }
}
