//! Searching by meaning: exact, beside sqlite-vec on the same vectors.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pkb_store::{
    ChunkHash, ChunkWrite, DenseMatches, Filter, ItemWrite, ModelId, Provenance, SourceId,
    SourceSpec, SqliteStore, Store, Test,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::random::Random;
use crate::{heading, line, ms, percentile};

const DIMENSIONS: usize = 384;
const FOUND: usize = 20;
/// Queries of each measurement.
const QUERIES: usize = 21;

pub(crate) fn measure() {
    heading("vectors: exact search, 384 dimensions, the best 20 items");
    let small = Filled::new(100_000, 1);
    let mut random = Random(2);
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|_| vector(&mut random)).collect();
    {
        let store = small.open_and_load(&queries[0]);
        let unfiltered = Filter::default();
        line(
            "100,000 chunks, median",
            ms(small.median(&store, &queries, &unfiltered)),
        );
        line(
            "the same, filtered to a tenth of the items",
            ms(small.median(&store, &queries, &tenth())),
        );
        line("memory of the process", memory());
    }
    million(&queries);
    beside_sqlite_vec(&small, &queries);
}

/// A million chunks, a hundred to an item.
fn million(queries: &[Vec<f32>]) {
    let large = Filled::new(1_000_000, 100);
    let store = large.open_and_load(&queries[0]);
    let unfiltered = Filter::default();
    line(
        "1,000,000 chunks, median (budget 60 ms)",
        ms(large.median(&store, queries, &unfiltered)),
    );
    line(
        "the same, filtered to a tenth of the items",
        ms(large.median(&store, queries, &tenth())),
    );
    line("memory of the process (budget 600 MB)", memory());
}

fn beside_sqlite_vec(filled: &Filled, queries: &[Vec<f32>]) {
    let peer = Peer::with_vectors_of(filled);
    let store = filled.open();
    let unfiltered = Filter::default();
    filled.search(&store, &queries[0], &unfiltered);
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    let mut same = 0;
    for query in queries {
        let began = Instant::now();
        let found = filled.search(&store, query, &unfiltered);
        mine.push(began.elapsed());
        let began = Instant::now();
        let wanted = peer.search(query);
        theirs.push(began.elapsed());
        let found: Vec<i64> = found.items.iter().map(|item| item.chunks[0].0.0).collect();
        same += usize::from(found == wanted);
    }
    let (mine, theirs) = (percentile(&mut mine, 0.5), percentile(&mut theirs, 0.5));
    line(
        "100,000 chunks in turns with sqlite-vec 0.1.9, median",
        ms(mine),
    );
    line("sqlite-vec 0.1.9, in memory, median", ms(theirs));
    line(
        "times faster (budget 10)",
        format!("{:.0}", theirs.as_secs_f64() / mine.as_secs_f64()),
    );
    line(
        "queries with the same 20 in the same order",
        format!("{same} of {}", queries.len()),
    );
}

fn tenth() -> Filter {
    Test::Path("0/".into()).into()
}

/// Memory that the process has now, where the system says.
fn memory() -> String {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
            let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
            Some(format!("{} MB", kib / 1000))
        })
        .unwrap_or_else(|| "not known on this system".into())
}

/// A store full of chunks with vectors.
struct Filled {
    folder: TempDir,
    model: ModelId,
    chunks: usize,
}

impl Filled {
    fn new(chunks: usize, per_item: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let store = SqliteStore::open(folder.path().join("pkb.db")).unwrap();
        let source = SourceSpec {
            name: "bench".into(),
            kind: "folder".into(),
            location: "/bench".into(),
            settings: "{}".into(),
            chunker: None,
            chunker_settings: None,
        };
        let source = store.add_source(&source).unwrap().id;
        let model = store
            .ensure_model("bench", "bench", DIMENSIONS as u32)
            .unwrap();
        let mut random = Random(1);
        let items: Vec<usize> = (0..chunks / per_item).collect();
        for batch in items.chunks((5_000 / per_item).max(1)) {
            let batch: Vec<ItemWrite> = batch.iter().map(|n| item(source, *n, per_item)).collect();
            store.put(&batch).unwrap();
            let hashes = batch.iter().flat_map(|item| &item.chunks);
            let vectors: Vec<_> = hashes.map(|c| (c.hash, vector(&mut random))).collect();
            store.put_vectors(model, &vectors).unwrap();
        }
        store.optimize().unwrap();
        Self {
            folder,
            model,
            chunks,
        }
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(self.folder.path().join("pkb.db")).unwrap()
    }

    /// Opens the store and says how long the first search takes, which reads
    /// all vectors.
    fn open_and_load(&self, query: &[f32]) -> SqliteStore {
        let began = Instant::now();
        let store = self.open();
        self.search(&store, query, &Filter::default());
        line(
            &format!("{} chunks, opening and the first search", self.chunks),
            ms(began.elapsed()),
        );
        store
    }

    fn search(&self, store: &SqliteStore, query: &[f32], filter: &Filter) -> DenseMatches {
        store.dense(self.model, query, filter, FOUND).unwrap()
    }

    fn median(&self, store: &SqliteStore, queries: &[Vec<f32>], filter: &Filter) -> Duration {
        let mut times: Vec<Duration> = queries
            .iter()
            .map(|query| {
                let began = Instant::now();
                black_box(self.search(store, query, filter));
                began.elapsed()
            })
            .collect();
        percentile(&mut times, 0.5)
    }
}

fn item(source: SourceId, number: usize, chunks: usize) -> ItemWrite {
    let parts: Vec<String> = (0..chunks).map(|n| format!("{number} {n}")).collect();
    let text = parts.join("\n");
    let mut start = 0;
    let chunks = parts.iter().map(|part| {
        let span = start..start + part.len() as u64;
        start = span.end + 1;
        ChunkWrite {
            span,
            headings: Vec::new(),
            context: None,
            hash: ChunkHash::of(part),
            terms: pkb_store::Terms::default(),
        }
    });
    ItemWrite {
        source,
        external_id: format!("{}/{number}.md", number % 10),
        kind: "note".into(),
        title: number.to_string(),
        url: None,
        author: None,
        language: None,
        created: None,
        modified: None,
        published: None,
        duration: None,
        views: None,
        categories: Vec::new(),
        size: text.len() as u64,
        content_hash: [0; 32],
        marks: Vec::new(),
        chunks: chunks.collect(),
        text,
        properties: Vec::new(),
        tags: Vec::new(),
        aliases: Vec::new(),
        links: Vec::new(),
        chunk_set: None,
        provenance: Provenance {
            stamp: String::new(),
            pipeline: "bench".into(),
            component: None,
            warnings: Vec::new(),
        },
    }
}

/// sqlite-vec with the vectors of a store, as they are stored.
struct Peer(Connection);

impl Peer {
    fn with_vectors_of(filled: &Filled) -> Self {
        register();
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(&format!(
            "CREATE VIRTUAL TABLE peer USING vec0(
               vector float[{DIMENSIONS}] distance_metric=cosine
             );"
        ))
        .unwrap();
        let from = Connection::open(filled.folder.path().join("pkb.db")).unwrap();
        let mut select = from
            .prepare(
                "SELECT c.id, v.vector FROM chunks c
                 JOIN vectors v ON v.hash = c.hash ORDER BY c.id",
            )
            .unwrap();
        let mut rows = select.query([]).unwrap();
        let tx = conn.unchecked_transaction().unwrap();
        let mut insert = conn
            .prepare("INSERT INTO peer (rowid, vector) VALUES (?1, ?2)")
            .unwrap();
        while let Some(row) = rows.next().unwrap() {
            let id: i64 = row.get(0).unwrap();
            // A scale, then a signed byte a number.
            let packed = row.get_ref(1).unwrap().as_blob().unwrap();
            let (scale, numbers) = packed.split_first_chunk::<4>().unwrap();
            let scale = f32::from_le_bytes(*scale);
            let vector: Vec<f32> = numbers
                .iter()
                .map(|byte| f32::from(byte.cast_signed()) * scale)
                .collect();
            insert.execute((id, bytes(&vector))).unwrap();
        }
        drop(insert);
        tx.commit().unwrap();
        Self(conn)
    }

    /// The nearest chunks, best first.
    fn search(&self, query: &[f32]) -> Vec<i64> {
        self.0
            .prepare_cached(
                "SELECT rowid FROM peer WHERE vector MATCH ?1 AND k = ?2 ORDER BY distance",
            )
            .unwrap()
            .query_map((bytes(query), FOUND as i64), |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap()
    }
}

/// A vector as sqlite-vec takes it.
fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Makes sqlite-vec part of every connection opened from now on.
#[allow(
    unsafe_code,
    reason = "an extension in C is registered by the address of its entry point, which has another type in its crate"
)]
fn register() {
    type Entry = unsafe extern "C" fn(
        *mut rusqlite::ffi::sqlite3,
        *mut *mut std::ffi::c_char,
        *const rusqlite::ffi::sqlite3_api_routines,
    ) -> std::ffi::c_int;
    // SAFETY: the function is sqlite-vec's entry point, which is written to be
    // called in just this way.
    unsafe {
        let entry: Entry =
            std::mem::transmute::<*const (), Entry>(sqlite_vec::sqlite3_vec_init as *const ());
        rusqlite::ffi::sqlite3_auto_extension(Some(entry));
    }
}

/// Of unit length, about one of 500 subjects: as alike as the vectors of texts
/// about one thing are, and as unlike as those of others.
fn vector(random: &mut Random) -> Vec<f32> {
    let subject = random.below(500) as u64 + 1;
    let mut subject = Random(subject.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut vector: Vec<f32> = (0..DIMENSIONS)
        .map(|_| subject.number() + 1.5 * random.number())
        .collect();
    crate::random::normalize(&mut vector);
    vector
}
