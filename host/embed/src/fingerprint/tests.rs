use super::*;
use crate::files::MODEL_TOML;
use crate::testing::{Net, toml};

fn age(path: &Path, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds))
        .unwrap();
}

fn fingerprint(folder: &Path) -> String {
    crate::Model::open(folder)
        .unwrap()
        .info()
        .fingerprint
        .clone()
}

#[test]
fn what_changes_vectors_changes_the_fingerprint_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    Net::default().write(folder, &toml("mean", 8, 3));
    let first = fingerprint(folder);
    assert_eq!(first.len(), 32);
    assert_eq!(fingerprint(folder), first);

    let base = toml("mean", 8, 3);
    let write = |text: &str| std::fs::write(folder.join(MODEL_TOML), text).unwrap();
    write(&format!("name = \"other\"\nsummary = \"words\"\n{base}"));
    assert_eq!(fingerprint(folder), first, "a name changes no vector");

    let mut seen = vec![first.clone()];
    for text in [
        toml("cls", 8, 3),
        toml("mean", 9, 3),
        toml("mean", 8, 4),
        format!("query_prefix = \"a\"\n{base}"),
        format!("passage_prefix = \"a\"\n{base}"),
    ] {
        write(&text);
        let other = fingerprint(folder);
        assert!(!seen.contains(&other), "{text}");
        seen.push(other);
    }
    write(&base);
    std::fs::write(folder.join(TOKENIZER), "[]").unwrap();
    assert_ne!(fingerprint(folder), first);
    std::fs::write(folder.join(TOKENIZER), "{}").unwrap();
    assert_eq!(fingerprint(folder), first);
    std::fs::write(folder.join(ONNX), "other").unwrap();
    assert_ne!(fingerprint(folder), first);
}

#[test]
fn hashes_of_young_files_are_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    Net::default().write(folder.path(), &toml("mean", 8, 3));
    Hashes::of(folder.path()).unwrap();
    assert!(!folder.path().join(REMEMBERED).exists());
}

/// Without the change time, which no test can set, a stamp settles by the
/// modification time alone, as it does where systems have no change time.
#[test]
fn a_remembered_hash_is_used_until_the_stamp_differs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    Net::default().write(folder, &toml("mean", 8, 3));
    age(&folder.join(ONNX), 100);
    let hashes = Hashes::of(folder).unwrap();

    let lie = blake3::hash(b"something else");
    let entry = |stamp: Stamp| Entry {
        file: ONNX.to_owned(),
        blake3: lie.to_hex().to_string(),
        stamp,
    };
    let stamp = Stamp::of(&folder.join(ONNX).metadata().unwrap());
    remember(
        folder,
        &Remembered {
            files: vec![entry(stamp.clone())],
        },
    )
    .unwrap();
    assert_eq!(
        Hashes::of(folder).unwrap().onnx,
        lie,
        "the remembered hash was not used"
    );

    for other in [
        Stamp {
            size: stamp.size + 1,
            ..stamp.clone()
        },
        Stamp {
            modified: stamp.modified.map(|time| time - 1),
            ..stamp.clone()
        },
        Stamp {
            changed: Some(1),
            ..stamp.clone()
        },
        Stamp {
            inode: Some(-1),
            ..stamp.clone()
        },
    ] {
        remember(
            folder,
            &Remembered {
                files: vec![entry(other)],
            },
        )
        .unwrap();
        assert_eq!(Hashes::of(folder).unwrap(), hashes);
    }
    std::fs::write(folder.join(REMEMBERED), "damaged [").unwrap();
    assert_eq!(Hashes::of(folder).unwrap(), hashes);
}

#[test]
fn what_is_remembered_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let stamp = Stamp {
        size: 5,
        modified: Some(-3),
        changed: None,
        inode: Some(7),
    };
    let files = vec![Entry {
        file: ONNX.into(),
        blake3: "ab".into(),
        stamp: stamp.clone(),
    }];
    remember(folder.path(), &Remembered { files }).unwrap();
    let back = remembered(folder.path());
    assert_eq!(back.files[0].stamp, stamp);
    assert_eq!(back.files[0].file, ONNX);
}
