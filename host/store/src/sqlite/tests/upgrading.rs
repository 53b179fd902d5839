use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::sqlite::migrate::{self, Layout};

fn old_database(schema: u32) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pkb.db");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/homes");
    std::fs::copy(fixtures.join(format!("schema-{schema}.db")), &path).unwrap();
    (folder, path)
}

#[test]
fn there_is_a_database_of_every_schema_before_this_one() {
    for schema in 1..migrate::CURRENT {
        let (_folder, path) = old_database(schema);
        let conn = Connection::open(path).unwrap();
        assert_eq!(migrate::layout(&conn).unwrap(), Layout::Version(schema));
    }
}

#[test]
fn a_migration_that_breaks_off_leaves_the_old_database() {
    for schema in 1..migrate::CURRENT {
        let (_folder, path) = old_database(schema);
        let dump = |conn: &Connection| -> Vec<String> {
            conn.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY rowid")
                .unwrap()
                .query_map([], |row| row.get(0))
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap()
        };
        let conn = Connection::open(&path).unwrap();
        let before = dump(&conn);
        let tx = conn.unchecked_transaction().unwrap();
        migrate::steps(&tx, schema).unwrap();
        assert_ne!(dump(&tx), before);
        drop(tx);
        drop(conn);
        let conn = Connection::open(&path).unwrap();
        assert_eq!(dump(&conn), before);
        assert_eq!(migrate::layout(&conn).unwrap(), Layout::Version(schema));
        drop(conn);
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.stats().unwrap().items, 30);
        store.rebuild_terms(1, &mut make_terms).unwrap();
        assert_eq!(store.check().unwrap(), []);
    }
}
