//! What may be loaded and what not: bad files, components that ask for too
//! much, and the registry of plugins.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pkb_runtime::{Limits, LoadError, Origin, PluginError, Plugins, Sandbox, Settings};
use pkb_tests::{builtin_component, guest_component};
use wasm_encoder::{
    Component, ComponentImportSection, ComponentSection, ComponentTypeRef, ComponentTypeSection,
    CustomSection, InstanceType, Module,
};

fn sandbox() -> Sandbox {
    Sandbox::new(&Settings::default()).unwrap()
}

fn attacks() -> Vec<u8> {
    fs::read(guest_component("attacks")).unwrap()
}

fn plugin(bytes: &[u8]) -> Origin {
    Origin::Plugin {
        name: "brought.wasm".into(),
        bytes: bytes.into(),
    }
}

fn refusal(sandbox: &Sandbox, bytes: &[u8]) -> String {
    sandbox.inspect(&plugin(bytes)).unwrap_err().to_string()
}

/// A component that differs from `bytes` in nothing but a note.
fn with_note(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    CustomSection {
        name: "note".into(),
        data: b"differs".as_slice().into(),
    }
    .append_to_component(&mut bytes);
    bytes
}

/// A component that imports one more instance, an empty one.
fn with_import(component: &[u8], name: &str) -> Vec<u8> {
    let types = wasmparser::Validator::new()
        .validate_all(component)
        .unwrap();
    let index = types.as_ref().component_type_count();
    let mut bytes = component.to_vec();
    let mut section = ComponentTypeSection::new();
    section.instance(&InstanceType::new());
    section.append_to_component(&mut bytes);
    let mut imports = ComponentImportSection::new();
    imports.import(name, ComponentTypeRef::Instance(index));
    imports.append_to_component(&mut bytes);
    bytes
}

#[test]
fn what_is_no_component_is_refused_with_the_remedy() {
    let sandbox = sandbox();
    let module = Module::new().finish();
    assert_eq!(
        refusal(&sandbox, &module),
        "brought.wasm is a core WebAssembly module, not a component. Build it with `cargo build --target \
         wasm32-wasip2`, or wrap it with `wasm-tools component new`"
    );
    for bytes in [b"".as_slice(), b"\0asm", b"# A note\n", &[0xff; 4_096]] {
        let said = refusal(&sandbox, bytes);
        assert!(
            said.starts_with("brought.wasm is not a usable WebAssembly component: "),
            "{said}"
        );
    }
    let said = refusal(&sandbox, &Component::new().finish());
    assert!(
        said.starts_with("brought.wasm does not fit a pkb world: it exports no interface at all"),
        "{said}"
    );
    assert!(said.contains("pkb:plugin/chunk"), "{said}");
}

#[test]
fn damaged_components_never_bring_the_host_down() {
    let sandbox = sandbox();
    let whole = attacks();
    for part in 1..20 {
        let cut = &whole[..whole.len() * part / 20];
        let error = sandbox.inspect(&plugin(cut)).unwrap_err();
        assert!(
            matches!(
                error,
                LoadError::Invalid { .. } | LoadError::WrongWorld { .. }
            ),
            "{part}/20: {error}"
        );
    }
    // Some of these are still components, and some even describe themselves.
    for place in 1..12 {
        let mut bytes = whole.clone();
        let at = bytes.len() * place / 12;
        bytes[at] ^= 0x55;
        let _ = sandbox.inspect(&plugin(&bytes));
    }
    assert_eq!(sandbox.inspect(&plugin(&whole)).unwrap().name, "attacks");
}

#[test]
fn imports_beyond_the_world_are_refused_by_name() {
    let sandbox = sandbox();
    let component = attacks();
    for import in [
        "wasi:http/outgoing-handler@0.2.0",
        "pkb:plugin/blobs@0.1.0",
        "acme:secrets/keys@1.0.0",
    ] {
        assert_eq!(
            refusal(&sandbox, &with_import(&component, import)),
            format!(
                "brought.wasm does not fit a pkb world: it imports {import}, which a chunker may not have"
            )
        );
    }
}

#[test]
fn a_component_of_another_world_is_refused() {
    let sandbox = sandbox();
    let extractor = Origin::Builtin("extract-markdown".into());
    let error = sandbox.chunker(&extractor).err().unwrap().to_string();
    assert_eq!(
        error,
        "extract-markdown does not fit a pkb world: it is an extractor, where a chunker is needed"
    );
    let chunker = plugin(&attacks());
    assert!(matches!(
        sandbox.extractor(&chunker).err(),
        Some(LoadError::WrongWorld { .. })
    ));
    assert!(matches!(
        sandbox.fuser(&chunker).err(),
        Some(LoadError::WrongWorld { .. })
    ));
    assert!(matches!(
        sandbox.analyzer(&chunker).err(),
        Some(LoadError::WrongWorld { .. })
    ));
    assert!(matches!(
        sandbox.tokenizer(&chunker, Arc::from(*b"{}")).err(),
        Some(LoadError::WrongWorld { .. })
    ));
    let unknown = sandbox
        .chunker(&Origin::Builtin("chunk-mardown".into()))
        .err()
        .unwrap()
        .to_string();
    assert!(
        unknown.starts_with("there is no chunker called \"chunk-mardown\"; there are: "),
        "{unknown}"
    );
}

#[test]
fn a_huge_file_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge.wasm");
    // A hole: reading it would take 40 GiB of memory.
    fs::File::create(&file).unwrap().set_len(40 << 30).unwrap();
    let error = Plugins::inspect(&sandbox(), &file).unwrap_err().to_string();
    assert_eq!(
        error,
        "huge.wasm has 40960 MiB, and a component may have 64 MiB at most"
    );
    let small = Sandbox::new(&Settings {
        limits: Limits {
            component_bytes: 1_000,
            ..Limits::default()
        },
        cache: None,
    });
    let error = small.unwrap().inspect(&plugin(&attacks())).unwrap_err();
    assert!(matches!(error, LoadError::TooLarge { .. }), "{error}");
}

#[test]
fn plugins_are_added_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let plugins = Plugins::in_folder(&folder.path().join("not there yet"));
    let sandbox = sandbox();
    assert_eq!(plugins.list().unwrap(), []);
    assert_eq!(
        plugins.get("attacks").unwrap_err().to_string(),
        "there is no plugin called attacks; none were added yet"
    );

    let added = plugins.add(&sandbox, &guest_component("attacks")).unwrap();
    assert_eq!(
        (added.name.as_str(), added.world.as_str()),
        ("attacks", "chunker")
    );
    assert_eq!(added.summary, "Misbehaves as told.");
    assert_eq!(added.sha256.len(), 64);
    assert!(added.settings_schema.contains("attack"));
    assert!(
        added
            .imports
            .iter()
            .any(|import| import == "pkb:plugin/tokens@0.1.0"),
        "{:?}",
        added.imports
    );
    assert_eq!(plugins.list().unwrap(), std::slice::from_ref(&added));
    assert_eq!(plugins.get("attacks").unwrap(), added);
    assert_eq!(
        plugins.add(&sandbox, &guest_component("attacks")).unwrap(),
        added,
        "adding it again is no error"
    );
    assert_eq!(plugins.list().unwrap().len(), 1);
    assert!(sandbox.chunker(&plugins.origin("attacks").unwrap()).is_ok());

    let other = folder.path().join("other.wasm");
    fs::write(&other, with_note(&attacks())).unwrap();
    let error = plugins.add(&sandbox, &other).unwrap_err();
    assert!(matches!(error, PluginError::Taken { .. }), "{error}");
    assert!(error.to_string().contains("attacks"), "{error}");
    assert_eq!(plugins.list().unwrap(), std::slice::from_ref(&added));

    assert_eq!(plugins.remove("attacks").unwrap(), added);
    assert_eq!(plugins.list().unwrap(), []);
    assert!(matches!(
        plugins.remove("attacks"),
        Err(PluginError::Unknown { .. })
    ));
    assert_eq!(plugins.add(&sandbox, &other).unwrap().name, "attacks");
}

#[test]
fn a_built_in_name_cannot_be_taken() {
    let folder = tempfile::tempdir().unwrap();
    let plugins = Plugins::in_folder(folder.path());
    let error = plugins
        .add(&sandbox(), &builtin_component("chunk-markdown"))
        .unwrap_err();
    assert!(matches!(error, PluginError::BuiltinName(_)), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("chunk-markdown is the name of a built-in component"),
        "{error}"
    );
    assert_eq!(plugins.list().unwrap(), []);
}

#[test]
fn a_plugin_that_changed_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let plugins = Plugins::in_folder(folder.path());
    let added = plugins
        .add(&sandbox(), &guest_component("attacks"))
        .unwrap();
    let file = folder.path().join(format!("{}.wasm", added.sha256));
    fs::write(&file, with_note(&attacks())).unwrap();
    assert_eq!(
        plugins.origin("attacks").unwrap_err().to_string(),
        "the file of plugin attacks has changed since it was added, so it is not run. Add it \
         again with `pkb plugin add FILE`"
    );
    plugins
        .add(&sandbox(), &guest_component("attacks"))
        .unwrap();
    assert!(plugins.origin("attacks").is_ok(), "adding it puts it right");
    fs::remove_file(&file).unwrap();
    let error = plugins.origin("attacks").unwrap_err();
    assert!(
        matches!(&error, PluginError::File { path, .. } if *path == file),
        "{error}"
    );
    plugins.remove("attacks").unwrap();
}

#[test]
fn a_damaged_list_is_told_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let plugins = Plugins::in_folder(folder.path());
    let list = folder.path().join("plugins.json");
    for damage in ["", "[{]", r#"{"plugins":[]}"#, r#"[{"name":"attacks"}]"#] {
        fs::write(&list, damage).unwrap();
        let errors = [
            plugins.list().unwrap_err(),
            plugins.origin("attacks").unwrap_err(),
            plugins.remove("attacks").unwrap_err(),
            plugins
                .add(&sandbox(), &guest_component("attacks"))
                .unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, PluginError::List { .. }), "{error}");
            let said = error.to_string();
            assert!(
                said.contains("plugins.json, the list of plugins, is damaged"),
                "{said}"
            );
        }
        assert_eq!(fs::read_to_string(&list).unwrap(), damage);
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let plugins = Plugins::in_folder(Path::new("unused"));
    for path in ["no/such/file.wasm", "."] {
        let error = plugins.add(&sandbox(), Path::new(path)).unwrap_err();
        assert!(matches!(&error, PluginError::File { .. }), "{error}");
        assert!(error.to_string().starts_with(path), "{error}");
    }
}
