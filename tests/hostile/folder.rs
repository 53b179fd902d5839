//! All hostile files in one folder, with sound ones between them, through the
//! real program.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use pkb_tests::Library;

use crate::attacks::{Attack, Content, attacks};
use crate::library::{Row, assert_accounted_for, failed, run_watched};

/// The most memory that pkb may have meanwhile, in bytes.
const MOST_MEMORY: u64 = 1 << 30;

fn write(folder: &Path, attack: &Attack) {
    let mut file = File::create_new(folder.join(&attack.name)).unwrap();
    match &attack.content {
        Content::Whole(bytes) => file.write_all(bytes).unwrap(),
        Content::Sparse(head, size) => {
            file.write_all(head).unwrap();
            file.set_len(*size).unwrap();
        }
    }
}

/// What the ledger says of each file and of what is inside it.
fn by_file(rows: &[Row]) -> BTreeMap<&str, Vec<&Row>> {
    let mut files: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let file = row.external_id.split("//").next().unwrap();
        files.entry(file).or_default().push(row);
    }
    files
}

#[test]
fn hostile_files_cost_a_line_each_and_all_else_is_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let attacks = attacks();
    for attack in &attacks {
        write(folder.path(), attack);
    }
    // Before, between and after them.
    let sound: Vec<String> = ('a'..='z').map(|c| format!("{c}-sound.md")).collect();
    for name in &sound {
        std::fs::write(folder.path().join(name), format!("About the quince {name}")).unwrap();
    }
    let library = Library::of(folder);
    let began = Instant::now();
    let (output, peak) = run_watched(&library, &["--json", "sync"]);
    eprintln!("{} hostile files in {:.1?}", attacks.len(), began.elapsed());
    assert!(output.status.success(), "{output:?}");
    match peak {
        Some(peak) => {
            eprintln!("{} MiB of memory at most", peak >> 20);
            assert!(peak < MOST_MEMORY, "{} MiB", peak >> 20);
        }
        None => eprintln!("skipped: this system does not tell how much memory pkb had"),
    }

    let rows = assert_accounted_for(&library);
    let mut wrong = Vec::new();
    for (file, rows) in by_file(&rows) {
        let failed: Vec<&&Row> = rows.iter().filter(|row| row.state == "failed").collect();
        // Of files that lie inside others, each is accounted for.
        let too_many = failed.len() > 1 && file != "bomb-nested.zip";
        if too_many || !rows.iter().all(|row| row.is_ordinary()) {
            let shown: Vec<&&&Row> = failed.iter().take(3).collect();
            wrong.push(format!("{file}: {} lines, {shown:#?}", failed.len()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {}",
        wrong.len(),
        wrong.join("\n")
    );

    for name in &sound {
        let row = rows.iter().find(|row| row.external_id == *name).unwrap();
        assert_eq!(row.state, "indexed", "{row:?}");
    }
    assert!(
        library
            .found("quince")
            .iter()
            .all(|path| path.ends_with("-sound.md"))
    );
    let again = library.sync();
    for what in ["added", "updated", "deleted"] {
        assert_eq!(again[what], 0, "{what}: {again}");
    }
    assert_eq!(again["failed"], failed(&rows), "none is tried again");
    library.assert_sound();
}
