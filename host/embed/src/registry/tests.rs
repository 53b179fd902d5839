use super::*;
use crate::testing::{Net, toml};

fn source() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    Net::default().write(folder.path(), &toml("mean", 8, 3));
    folder
}

fn hidden(registry: &Registry) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(registry.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') && !name.ends_with(".lock"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_model_is_added_listed_opened_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path().join("not/yet/there"));
    assert!(registry.list().unwrap().is_empty());
    let source = source();
    fs::write(source.path().join("unrelated.bin"), [0; 1000]).unwrap();

    let info = registry.add("mine", source.path()).unwrap();
    assert_eq!(info.name, "mine");
    assert_eq!(
        registry.path("mine").unwrap(),
        registry.folder().join("mine")
    );
    assert!(!registry.folder().join("mine/unrelated.bin").exists());
    let model = registry.open("mine").unwrap();
    assert_eq!(model.info().fingerprint, info.fingerprint);
    assert_eq!(
        model.embed(&[vec![1]], &|| false, &|_| ()).unwrap(),
        [[1.0, 0.0, 0.0]]
    );

    registry.add("a-second", source.path()).unwrap();
    let listed = registry.list().unwrap();
    let names: Vec<&str> = listed.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["a-second", "mine"]);
    assert_eq!(listed[1].info.as_ref().unwrap(), &info);
    assert!(listed[1].bytes > 100);

    registry.remove("mine").unwrap();
    assert!(matches!(
        registry.open("mine"),
        Err(Error::UnknownModel { .. })
    ));
    assert!(hidden(&registry).is_empty(), "{:?}", hidden(&registry));
    registry.add("mine", source.path()).unwrap();
}

#[test]
fn what_does_not_work_is_not_added() {
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    let broken = source();
    fs::write(broken.path().join(ONNX), "not a network").unwrap();
    assert!(matches!(
        registry.add("broken", broken.path()),
        Err(Error::Onnx { .. })
    ));
    let wrong = source();
    fs::write(wrong.path().join(MODEL_TOML), toml("mean", 8, 4)).unwrap();
    assert!(matches!(
        registry.add("wrong", wrong.path()),
        Err(Error::Dimensions { .. })
    ));
    let part = source();
    fs::remove_file(part.path().join(TOKENIZER)).unwrap();
    assert!(matches!(
        registry.add("part", part.path()),
        Err(Error::MissingFile { .. })
    ));
    assert!(registry.list().unwrap().is_empty());
    assert!(hidden(&registry).is_empty(), "{:?}", hidden(&registry));
}

#[test]
fn a_name_is_taken_once() {
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    let source = source();
    registry.add("mine", source.path()).unwrap();
    let message = registry.add("mine", source.path()).unwrap_err().to_string();
    assert!(message.contains("pkb model remove mine"), "{message}");
}

#[test]
fn names_that_are_no_folder_names_are_refused() {
    let registry = Registry::new("nowhere");
    for name in [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        ".hidden",
        "Upper",
        "a b",
        "ä",
        "dot.",
        "con",
        "nul.txt",
        "com1",
        &"x".repeat(65),
    ] {
        assert!(
            matches!(registry.path(name), Err(Error::BadName { .. })),
            "{name}"
        );
        assert!(
            matches!(registry.remove(name), Err(Error::BadName { .. })),
            "{name}"
        );
        assert!(matches!(
            registry.add(name, Path::new("nowhere")),
            Err(Error::BadName { .. })
        ));
    }
    for name in ["a", "bge-small-en-v1.5", "0_x", "comma", "console"] {
        assert!(
            matches!(registry.path(name), Err(Error::UnknownModel { .. })),
            "{name}"
        );
    }
}

#[test]
fn an_unknown_model_is_told_how_to_get() {
    let registry = Registry::new("nowhere");
    let message = registry.path(DEFAULT).unwrap_err().to_string();
    assert!(message.contains("pkb model pull minilm"), "{message}");
    let message = registry.path("other").unwrap_err().to_string();
    assert!(message.contains("pkb model add other FOLDER"), "{message}");
    let message = registry
        .pull("other", HUB, &mut ())
        .unwrap_err()
        .to_string();
    assert!(message.contains("minilm, bge-small-en"), "{message}");
}

#[test]
fn a_model_that_cannot_be_used_is_listed_with_the_reason() {
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    fs::create_dir(home.path().join("empty")).unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    fs::create_dir(home.path().join(".minilm.part")).unwrap();
    let listed = registry.list().unwrap();
    assert_eq!(listed.len(), 1);
    assert!(
        listed[0]
            .info
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("model.toml is missing")
    );
}

#[test]
fn the_lock_keeps_others_out_until_it_ends() {
    struct Watch(Vec<String>);
    impl Progress for Watch {
        fn note(&mut self, message: &str) {
            self.0.push(message.to_owned());
        }
        fn stop(&self) -> bool {
            true
        }
    }
    let home = tempfile::tempdir().unwrap();
    let registry = Registry::new(home.path());
    let held = registry.lock("mine", &mut ()).unwrap();
    let mut watch = Watch(Vec::new());
    assert!(matches!(
        registry.lock("mine", &mut watch),
        Err(Error::Stopped)
    ));
    assert!(watch.0[0].contains("another process"));
    assert!(registry.lock("other", &mut watch).is_ok());
    drop(held);
    assert!(registry.lock("mine", &mut watch).is_ok());
}
