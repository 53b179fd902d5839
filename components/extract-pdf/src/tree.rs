//! Name and number trees: sorted maps in many objects.

use std::collections::HashSet;

use hayro_syntax::object::{Array, Dict, Object, ObjectIdentifier};

/// Entries beyond this are left out.
const MOST: usize = 100_000;
/// Nodes that lie deeper are left out: an object remembers the chain that it was
/// reached by, so a chain costs the square of its length.
const DEEPEST: usize = 100;

/// The dictionaries a number tree maps to.
pub(crate) fn numbers<'a>(root: &Dict<'a>) -> Vec<(usize, Dict<'a>)> {
    let mut out = Vec::new();
    walk(root, "Nums", &mut |entries| {
        let mut entries = entries.iter::<Object<'a>>();
        while let (Some(key), Some(value)) = (entries.next(), entries.next()) {
            if let (Object::Number(key), Some(dict)) = (key, value.into_dict())
                && let Ok(key) = usize::try_from(key.as_i64())
            {
                out.push((key, dict));
            }
        }
        out.len() < MOST
    });
    out
}

/// What a name tree maps to.
pub(crate) fn names<'a>(root: &Dict<'a>) -> Vec<(Vec<u8>, Object<'a>)> {
    let mut out = Vec::new();
    walk(root, "Names", &mut |entries| {
        let mut entries = entries.iter::<Object<'a>>();
        while let (Some(key), Some(value)) = (entries.next(), entries.next()) {
            if let Some(key) = key.into_string() {
                out.push((key.as_bytes().to_vec(), value));
            }
        }
        out.len() < MOST
    });
    out
}

/// Calls `leaf` for each node's entries until it says no.
fn walk<'a>(root: &Dict<'a>, key: &str, leaf: &mut dyn FnMut(Array<'a>) -> bool) {
    let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
    let mut open = vec![(root.clone(), 0)];
    let mut count = 0;
    while let Some((node, depth)) = open.pop() {
        count += 1;
        let again = node.obj_id().is_some_and(|id| !seen.insert(id));
        if again || count > MOST {
            continue;
        }
        if let Some(entries) = node.get::<Array<'a>>(key)
            && !leaf(entries)
        {
            return;
        }
        if depth < DEEPEST
            && let Some(kids) = node.get::<Array<'a>>("Kids")
        {
            let kids: Vec<Dict<'a>> = kids.iter::<Dict<'a>>().take(MOST).collect();
            open.extend(kids.into_iter().rev().map(|kid| (kid, depth + 1)));
        }
    }
}
