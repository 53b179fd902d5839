//! Size and speed over a real vault of 7,425 small notes.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use super::*;

/// The pages of the archive, unpacked by `gzip` where there is one.
fn pages() -> Option<Vec<(String, String)>> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/vaults")
        .read_dir()
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.to_string_lossy().contains("tldr"))?;
    let unpacked = std::process::Command::new("gzip")
        .arg("-dc")
        .arg(archive)
        .output()
        .ok()?;
    let mut rest = unpacked.stdout.as_slice();
    let mut pages = Vec::new();
    // The tar format: a header of 512 bytes with name, size (octal) and type,
    // then the content, filled up to a multiple of 512.
    while let Some((header, after)) = rest.split_at_checked(512) {
        let field = |range: Range<usize>| {
            let text = String::from_utf8_lossy(&header[range]).into_owned();
            text.trim_end_matches('\0').trim().to_owned()
        };
        let size = usize::from_str_radix(&field(124..135), 8).unwrap_or(0);
        let Some(content) = after.get(..size) else {
            break;
        };
        let name = format!("{}/{}", field(345..500), field(0..100));
        if header[156] == b'0' && name.ends_with(".md") {
            pages.push((name, String::from_utf8_lossy(content).into_owned()));
        }
        rest = after.get(size.next_multiple_of(512)..).unwrap_or_default();
    }
    pages.sort();
    Some(pages)
}

#[test]
fn a_vault_of_small_notes_is_quick_and_fits_its_budget() {
    let Some(pages) = pages() else {
        eprintln!("skipped: ../shared/data/vaults holds no tldr pages, or there is no tar");
        return;
    };
    let home = Home::new();
    let items: Vec<ItemWrite> = pages
        .iter()
        .map(|(name, text)| {
            let mut item = note(home.source, name, text);
            let end = text.trim_end().len();
            let title = text
                .lines()
                .next()
                .unwrap_or("")
                .trim_start_matches("# ")
                .to_owned();
            item.chunks = vec![ChunkWrite {
                span: 0..end as u64,
                headings: vec![title.clone()],
                context: Some(title.clone()),
                hash: ChunkHash::of(&text[..end]),
                terms: Terms::default(),
            }];
            item.title = title;
            item.modified = Some(1_700_000_000_000);
            item.provenance.stamp = format!("{}:1700000000000000000", text.len());
            item.marks = vec![Mark {
                offset: 0,
                place: Place::Line(1),
            }];
            analyzed(item)
        })
        .collect();
    let started = Instant::now();
    for batch in items.chunks(200) {
        home.store.put(batch).unwrap();
    }
    let cold = started.elapsed();
    let started = Instant::now();
    for batch in items.chunks(200) {
        home.store.put(batch).unwrap();
    }
    let again = started.elapsed();
    let started = Instant::now();
    assert_eq!(home.store.stamps(home.source).unwrap().len(), items.len());
    let stamps = started.elapsed();
    let started = Instant::now();
    let store = SqliteStore::open(home.path()).unwrap();
    let query = LexicalQuery::any(["compress", "files", "the", "directory"]);
    assert_eq!(
        store
            .lexical(&query, &Filter::default(), 50)
            .unwrap()
            .items
            .len(),
        50
    );
    let search = started.elapsed();

    let model = store.ensure_model("f", "m", 384).unwrap();
    let mut after = None;
    loop {
        let page = store.unembedded(model, after, 500).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.cursor);
        let vectors: Vec<_> = page.iter().map(|c| (c.hash, vec![0.05; 384])).collect();
        store.put_vectors(model, &vectors).unwrap();
    }
    let started = Instant::now();
    let dense = || {
        store
            .dense(model, &vec![0.1; 384], &Filter::default(), 50)
            .unwrap()
    };
    assert_eq!(dense().items.len(), 50);
    let load = started.elapsed();
    let started = Instant::now();
    dense();
    let nearest = started.elapsed();
    store.optimize().unwrap();
    let stats = store.stats().unwrap();
    assert_eq!(stats.items, items.len() as u64);
    let budget = 2 * stats.text_bytes + 600 * stats.chunks;
    eprintln!(
        "{} notes of {} bytes: cold {cold:?}, again {again:?}, stamps {stamps:?}, open and search {search:?}, vectors loaded {load:?}, searched {nearest:?}; {} bytes a chunk, budget {}",
        stats.items,
        stats.text_bytes / stats.items,
        stats.bytes / stats.chunks,
        budget / stats.chunks,
    );
    let tables: Vec<String> = store
        .pool
        .read("look", |tx| {
            tx.prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY 1 ORDER BY 2 DESC LIMIT 16")?
                .query_map([], |row| {
                    let (name, size): (String, i64) = (row.get(0)?, row.get(1)?);
                    Ok(format!("{name} {}", size as u64 / stats.chunks))
                })?
                .collect()
        })
        .unwrap();
    eprintln!("bytes a chunk: {}", tables.join(", "));
    assert!(
        stats.bytes <= budget,
        "{} bytes, budget {budget}",
        stats.bytes
    );
    assert_eq!(store.check().unwrap(), []);
}
