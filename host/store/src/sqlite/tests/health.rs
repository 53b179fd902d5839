use super::*;

impl Home {
    /// Does to the tables what no method would.
    fn meddle(&self, sql: &str) {
        let conn = rusqlite::Connection::open(self.path()).unwrap();
        conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}"))
            .unwrap();
    }

    fn remedies(&self) -> Vec<Remedy> {
        self.store
            .check()
            .unwrap()
            .iter()
            .map(|problem| problem.remedy)
            .collect()
    }
}

fn filled() -> Home {
    let home = Home::new();
    home.put("a.md", "first words\n\nsecond words");
    home.put("b.md", "third words");
    let model = home.store.ensure_model("f", "m", 2).unwrap();
    home.store
        .put_vectors(model, &[(ChunkHash::of("third words"), vec![1.0, 0.0])])
        .unwrap();
    home.assert_sound();
    home
}

#[test]
fn a_word_index_out_of_step_is_found_and_rebuilt() {
    for meddling in [
        "DELETE FROM terms WHERE rowid = 1",
        "INSERT INTO terms (rowid, body) VALUES (77, 'stray')",
        "DROP TRIGGER chunks_deleted; DELETE FROM chunks WHERE id = 3;
         CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
           DELETE FROM terms WHERE rowid = old.id; END;
         DELETE FROM vectors;",
        "INSERT INTO terms (terms) VALUES ('delete-all')",
        "UPDATE terms_data SET block = x'00ff00ff' WHERE id > 10",
    ] {
        let home = filled();
        home.meddle(meddling);
        let remedies = home.remedies();
        assert!(!remedies.is_empty(), "{meddling}");
        assert!(
            remedies.iter().all(|r| *r == Remedy::RebuildTerms),
            "{meddling} {remedies:?}"
        );
        home.store.rebuild_terms(7, &mut make_terms).unwrap();
        assert_eq!(home.store.terms_made_by().unwrap(), 7);
        home.assert_sound();
        assert_eq!(home.search("first"), ["a.md"]);
    }
}

#[test]
fn each_kind_of_problem_is_told_with_its_remedy() {
    let resync = [
        "UPDATE chunks SET end = 9999 WHERE id = 1",
        "UPDATE chunks SET ordinal = 5 WHERE id = 1",
        "UPDATE texts SET text = 'é' || text WHERE item_id = 2; UPDATE chunks SET start = 1 WHERE id = 3",
        "UPDATE texts SET marks = x'ff' WHERE item_id = 1",
        "DELETE FROM texts WHERE item_id = 2",
    ];
    let mend = [
        "UPDATE items SET status = 1 WHERE id = 1",
        "DELETE FROM ledger WHERE external_id = 'a.md'",
        "UPDATE ledger SET external_id = 'c.md' WHERE external_id = 'a.md'",
        "UPDATE ledger SET state = 2 WHERE external_id = 'a.md'",
    ];
    let all = resync.map(|meddling| (meddling, Remedy::Resync));
    for (meddling, remedy) in all
        .into_iter()
        .chain(mend.map(|meddling| (meddling, Remedy::MendLedger)))
    {
        let home = filled();
        home.meddle(meddling);
        let remedies = home.remedies();
        assert!(
            !remedies.is_empty() && remedies.iter().all(|r| *r == remedy),
            "{meddling} {remedies:?}"
        );
        assert!(home.store.mend_ledger().unwrap() > 0, "{meddling}");
        if remedy == Remedy::MendLedger {
            home.assert_sound();
        }
    }
    let home = filled();
    home.meddle("UPDATE vectors SET vector = x'0000'");
    assert_eq!(home.remedies(), [Remedy::RemoveDamagedVectors]);
    let found = home
        .store
        .dense(ModelId(1), &[1.0, 0.0], &Filter::default(), 5)
        .unwrap();
    assert!(found.items.is_empty() && found.all_missing, "{found:?}");
    assert_eq!(home.store.remove_damaged_vectors().unwrap(), 1);
    home.assert_sound();
    home.meddle("DELETE FROM items WHERE id = 1");
    assert!(home.remedies().contains(&Remedy::RemoveStrays));
    assert!(home.store.remove_strays().unwrap() > 0);
    home.assert_sound();
    home.meddle("DELETE FROM sources");
    assert!(home.remedies().contains(&Remedy::Restore));
}

#[test]
fn a_backup_is_a_whole_database() {
    let home = filled();
    let target = home.folder.path().join("copy's.db");
    home.store.backup(&target).unwrap();
    let copy = SqliteStore::open(&target).unwrap();
    assert_eq!(copy.check().unwrap(), []);
    assert_eq!(copy.stats().unwrap().chunks, 3);
    assert_eq!(
        copy.put(&[note(home.source, "c.md", "x")]).unwrap().len(),
        1
    );
    assert!(matches!(
        home.store.backup(&target),
        Err(Error::Exists { .. })
    ));
}

#[test]
fn numbers_add_up() {
    let home = filled();
    home.store.optimize().unwrap();
    let stats = home.store.stats().unwrap();
    assert_eq!((stats.items, stats.deleted, stats.chunks), (2, 0, 3));
    assert_eq!(stats.text_bytes, 25 + 11);
    assert_eq!(stats.bytes, std::fs::metadata(home.path()).unwrap().len());
    assert_eq!(stats.sources[0].ledger.indexed, 2);
    assert_eq!((stats.models[0].present, stats.models[0].missing), (1, 2));
}

#[test]
fn a_torn_database_is_written_anew_from_what_can_be_read() {
    let home = Home::new();
    let model = home.store.ensure_model("f", "m", 384).unwrap();
    for n in 0..200 {
        let mut item = note(home.source, &format!("{n}.md"), &format!("text number{n}"));
        item.tags = vec![format!("a tag that is long enough {n}").repeat(3)];
        home.put_item(item);
        let hash = ChunkHash::of(&format!("text number{n}"));
        let vector = vec![n as f32; 384];
        home.store.put_vectors(model, &[(hash, vector)]).unwrap();
    }
    home.store.optimize().unwrap();
    let torn: Vec<(usize, String)> = rusqlite::Connection::open(home.path())
        .unwrap()
        .prepare("SELECT pageno, name FROM dbstat WHERE pagetype = 'leaf' AND path <> '/'")
        .unwrap()
        .query_map([], |row| Ok((row.get::<_, i64>(0)? as usize, row.get(1)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    let Home { store, folder, .. } = home;
    drop(store);
    let path = folder.path().join("pkb.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let mut count = 0;
    for (page, name) in torn {
        // Of the vectors, those on the first page are left whole.
        let first = name == "vectors" && count == 0;
        count += usize::from(name == "vectors");
        if !first && ["vectors", "vectors_hash", "tags_tag", "terms_data"].contains(&&*name) {
            bytes[(page - 1) * 8192..page * 8192].fill(0xa5);
        }
    }
    assert!(count > 3, "{count}");
    std::fs::write(&path, bytes).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let problems = store.check().unwrap();
    assert!(problems.iter().any(|p| p.remedy == Remedy::Rewrite));
    store.rewrite().unwrap();
    store.rebuild_terms(1, &mut make_terms).unwrap();
    assert_eq!(store.check().unwrap(), []);
    let stats = store.stats().unwrap();
    assert_eq!(stats.items, 200);
    let present = stats.models[0].present;
    assert!(present > 0 && present < 100, "{present}");
}
