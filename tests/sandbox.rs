//! Hostile components against the sandbox: each attack ends in the right error
//! within its deadline, and the next call works as if nothing had been.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pkb_runtime::{
    CallError, Chunk, Chunker, Document, Extractor, Limits, LoadError, Origin, PartFailure,
    Sandbox, Settings, TokenCounter,
};
use pkb_tests::guest_component;
use wasm_encoder::{
    CodeSection, ComponentSection, Function, FunctionSection, InstanceSection, Instruction,
    MemorySection, MemoryType, Module, ModuleArg, ModuleSection, RefType, StartSection,
    TableSection, TableType, TypeSection,
};

/// A behaved text of several characters that take more than one byte.
const TEXT: &str = "One naïve text,\nin two lines.\n";

/// Ends without a deadline of its own are held to this: far more than the
/// deadline, since the machine may be busy, and far less than forever.
const AT_LAST: Duration = Duration::from_secs(20);

fn limits() -> Limits {
    Limits {
        memory: 64 << 20,
        transfer: 16 << 20,
        deadline: Duration::from_millis(500),
        ..Limits::default()
    }
}

fn sandbox(limits: Limits) -> Sandbox {
    Sandbox::new(&Settings {
        cache: None,
        limits,
    })
    .unwrap()
}

fn attacks() -> Vec<u8> {
    std::fs::read(guest_component("attacks")).unwrap()
}

fn origin(bytes: Vec<u8>) -> Origin {
    Origin::Plugin {
        name: "attacks".into(),
        bytes: bytes.into(),
    }
}

type Extracted = Result<Document, PartFailure>;

/// Counts a token for every four bytes.
struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, texts: &[String]) -> Result<Vec<u32>, String> {
        Ok(texts
            .iter()
            .map(|text| text.len().div_ceil(4) as u32)
            .collect())
    }
}

fn split(chunker: &Chunker, attack: &str) -> Result<Vec<Chunk>, CallError> {
    let settings = format!(r#"{{"attack":"{attack}"}}"#);
    chunker.split("A title", TEXT, 256, &settings, Arc::new(Quarter))
}

fn behaves(chunker: &Chunker) {
    let chunks = chunker
        .split("A title", TEXT, 256, "{}", Arc::new(Quarter))
        .unwrap();
    assert_eq!(chunks.len(), 1);
    assert_eq!(
        (chunks[0].span.start, chunks[0].span.end),
        (0, TEXT.len() as u64)
    );
}

/// Each attack, the kind of error it ends in, and what the message says.
const ATTACKS: [(&str, &str, &str); 27] = [
    ("loop", "deadline", "chunker attacks ran past 0.5"),
    ("sleep", "deadline", "chunker attacks ran past 0.5"),
    ("count-trickle", "deadline", "chunker attacks ran past 0.5"),
    (
        "memory",
        "limit",
        "chunker attacks needed more memory than the 64 MiB it may have",
    ),
    ("huge-result", "limit", "needed more memory than the 64 MiB"),
    (
        "huge-context",
        "limit",
        "needed more memory than the 64 MiB",
    ),
    (
        "recursion",
        "limit",
        "needed more stack than it may have (endless recursion?)",
    ),
    (
        "frames",
        "crash",
        "chunker attacks crashed: it reached outside its memory, as endless recursion does",
    ),
    (
        "count-flood",
        "limit",
        "needed more than the 16 MiB it may hand over in one call",
    ),
    (
        "count-long",
        "limit",
        "needed more bytes in a text to count (1000000) than the",
    ),
    (
        "many-chunks",
        "invalid-result",
        "gave an invalid result: chunks that repeat the text 100000 times over",
    ),
    (
        "outside",
        "invalid-result",
        "a chunk reaches to byte 32 of a text of 31 bytes",
    ),
    (
        "far-outside",
        "invalid-result",
        "a chunk reaches to byte 18446744073709551615 of a text of 31 bytes",
    ),
    (
        "backwards",
        "invalid-result",
        "a chunk ends at byte 2, before its start at byte 5",
    ),
    ("empty-chunk", "invalid-result", "an empty chunk at byte 1"),
    (
        "boundary",
        "invalid-result",
        "from byte 0 to byte 7 does not start and end between characters",
    ),
    (
        "trap",
        "crash",
        "chunker attacks crashed: the chunker fell over",
    ),
    (
        "unreachable",
        "crash",
        "chunker attacks crashed: it gave up without a word (a trap)",
    ),
    (
        "exit",
        "crash",
        "chunker attacks crashed: it exited with status 1",
    ),
    ("fail", "invalid-input", "the text is not to my taste"),
    ("escapes", "invalid-input", "a bad chunk  [2J of  text"),
    ("nonsense", "internal", "no attack called nonsense"),
    ("file", "internal", "refused: "),
    ("write-file", "internal", "refused: "),
    ("socket", "internal", "refused: "),
    ("listen", "internal", "refused: "),
    (
        "environment",
        "internal",
        "refused: the environment is empty",
    ),
];

#[test]
fn every_attack_ends_in_its_error_and_the_next_call_works() {
    let sandbox = sandbox(limits());
    let chunker = sandbox.chunker(&origin(attacks())).unwrap();
    let mut wrong = Vec::new();
    for (attack, kind, message) in ATTACKS {
        let began = Instant::now();
        let result = split(&chunker, attack);
        let took = began.elapsed();
        match result {
            Ok(chunks) => wrong.push(format!("{attack}: gave {} chunks", chunks.len())),
            Err(error) => {
                let said = error.to_string();
                if error.kind() != kind || !said.contains(message) || said.contains("BREACH") {
                    wrong.push(format!("{attack}: {}: {said}", error.kind()));
                }
                assert!(!said.contains(char::is_control), "{attack}: {said:?}");
            }
        }
        assert!(took < AT_LAST, "{attack} took {took:?}");
        behaves(&chunker);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_written_file_is_nowhere() {
    let chunker = sandbox(limits()).chunker(&origin(attacks())).unwrap();
    split(&chunker, "write-file").unwrap_err();
    assert!(!std::path::Path::new("/tmp/pkb-was-here").exists());
}

#[test]
fn output_is_swallowed_and_does_no_harm() {
    let chunker = sandbox(limits()).chunker(&origin(attacks())).unwrap();
    assert_eq!(split(&chunker, "stdout").unwrap().len(), 1);
    behaves(&chunker);
}

#[test]
fn the_log_is_cut_to_size() {
    let log = Captured::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_ansi(false)
        .finish();
    let chunker = sandbox(Limits {
        deadline: AT_LAST,
        ..limits()
    })
    .chunker(&origin(attacks()))
    .unwrap();
    tracing::subscriber::with_default(subscriber, || {
        // Whether the guest gets to its end in time does not matter here.
        let _ = split(&chunker, "huge-log");
    });
    let bytes = log.0.lock().unwrap();
    let lines: Vec<&[u8]> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| line.contains(&b'x'))
        .collect();
    assert_eq!(lines.len(), 1_000);
    assert!(
        lines
            .iter()
            .all(|line| (4_096..4_400).contains(&line.len())),
        "{}",
        lines[0].len()
    );
}

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> tracing_subscriber::fmt::MakeWriter<'a> for Captured {
    type Writer = Captured;

    fn make_writer(&'a self) -> Captured {
        self.clone()
    }
}

/// Takes its time, and says how often it was asked.
#[derive(Default)]
struct Slow(Mutex<u32>);

impl TokenCounter for Slow {
    fn count(&self, texts: &[String]) -> Result<Vec<u32>, String> {
        *self.0.lock().unwrap() += 1;
        // Works instead of sleeping: what counts is the time on the processor.
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(100) {
            std::hint::spin_loop();
        }
        Ok(vec![1; texts.len()])
    }
}

#[test]
fn time_spent_counting_tokens_counts() {
    // 20 MB are handed over at once, which is counted in slices.
    let chunker = sandbox(Limits {
        transfer: 64 << 20,
        ..limits()
    })
    .chunker(&origin(attacks()))
    .unwrap();
    let slow = Arc::new(Slow::default());
    let result = chunker.split(
        "A title",
        TEXT,
        256,
        r#"{"attack":"count-flood"}"#,
        slow.clone(),
    );
    assert_eq!(result.unwrap_err().kind(), "deadline");
    let asked = *slow.0.lock().unwrap();
    assert!((1..50).contains(&asked), "asked {asked} times");
}

/// A counter that fails.
struct Broken;

impl TokenCounter for Broken {
    fn count(&self, _: &[String]) -> Result<Vec<u32>, String> {
        Err("the tokenizer is broken".into())
    }
}

/// A counter that loses texts.
struct Lossy;

impl TokenCounter for Lossy {
    fn count(&self, _: &[String]) -> Result<Vec<u32>, String> {
        Ok(Vec::new())
    }
}

#[test]
fn a_broken_counter_is_told_and_costs_one_call() {
    let chunker = sandbox(limits()).chunker(&origin(attacks())).unwrap();
    let counters: [(Arc<dyn TokenCounter>, &str); 2] = [
        (Arc::new(Broken), "the tokenizer is broken"),
        (Arc::new(Lossy), "1 texts gave 0 token counts"),
    ];
    for (counter, message) in counters {
        let result = chunker.split(
            "A title",
            TEXT,
            256,
            r#"{"attack":"count-trickle"}"#,
            counter,
        );
        let said = result.unwrap_err().to_string();
        assert!(said.contains(message), "{said}");
        behaves(&chunker);
    }
}

#[test]
fn attacks_on_many_threads_leave_others_alone() {
    let sandbox = sandbox(limits());
    let hostile = sandbox.chunker(&origin(attacks())).unwrap();
    let built_in = sandbox
        .chunker(&Origin::Builtin("chunk-markdown".into()))
        .unwrap();
    thread::scope(|scope| {
        for attack in ["loop", "memory", "recursion", "trap"] {
            let hostile = &hostile;
            scope.spawn(move || {
                for _ in 0..3 {
                    assert!(split(hostile, attack).is_err());
                }
            });
        }
        for _ in 0..30 {
            let chunks = built_in
                .split("A title", TEXT, 256, "{}", Arc::new(Quarter))
                .unwrap();
            assert_eq!(chunks.len(), 1);
        }
    });
    behaves(&hostile);
}

/// `component` with `copies` of a core module added, all of them started when
/// it is.
fn with_modules(component: &[u8], module: &Module, copies: u32) -> Vec<u8> {
    let types = wasmparser::Validator::new()
        .validate_all(component)
        .unwrap();
    let index = types.as_ref().module_count();
    let mut bytes = component.to_vec();
    ModuleSection(module).append_to_component(&mut bytes);
    let mut instances = InstanceSection::new();
    for _ in 0..copies {
        instances.instantiate(index, std::iter::empty::<(&str, ModuleArg)>());
    }
    instances.append_to_component(&mut bytes);
    bytes
}

fn with_memory(pages: u64, memory64: bool) -> Module {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages,
        maximum: None,
        memory64,
        shared: false,
        page_size_log2: None,
    });
    let mut module = Module::new();
    module.section(&memories);
    module
}

fn with_table(elements: u64) -> Module {
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: elements,
        maximum: None,
        shared: false,
    });
    let mut module = Module::new();
    module.section(&tables);
    module
}

fn that_never_starts() -> Module {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut body = Function::new([]);
    body.instruction(&Instruction::Loop(wasm_encoder::BlockType::Empty));
    body.instruction(&Instruction::Br(0));
    body.instruction(&Instruction::End);
    body.instruction(&Instruction::End);
    let mut code = CodeSection::new();
    code.function(&body);
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&StartSection { function_index: 0 })
        .section(&code);
    module
}

/// All that an extractor gives for an input of that name.
fn extract(extractor: &Extractor, name: &str) -> Result<Vec<Extracted>, CallError> {
    let mut documents = extractor.open(name, None, "{}", Arc::new(b"bytes".to_vec()), None)?;
    let mut all = Vec::new();
    while let Some(batch) = documents.next_batch()? {
        all.extend(batch.documents);
    }
    Ok(all)
}

#[test]
fn a_hostile_extractor_is_held_to_the_same_rules() {
    let bytes = std::fs::read(guest_component("attacks-extract")).unwrap();
    let extractor = sandbox(limits()).extractor(&origin(bytes)).unwrap();
    let attacks = [
        // One batch after the other is in time, and all together are not.
        ("endless", "ran past 0.5 s"),
        ("reads", "ran past 0.5 s"),
        ("nothing", "no documents, and yet not the end"),
        ("too many", "65 documents where 64 were asked for"),
        ("outside", "a mark at byte 8 of a text of 7 bytes"),
        ("nul", "a text with NUL characters"),
        (
            "pieces",
            "needed more than the 16 MiB it may hand over in one call",
        ),
        (
            "kind",
            "a document of the kind \"../Note\", which is not one lower-case word",
        ),
    ];
    for (attack, message) in attacks {
        let began = Instant::now();
        let said = extract(&extractor, attack).unwrap_err().to_string();
        assert!(said.ends_with(message), "{attack}: {said}");
        assert!(said.starts_with("extractor attacks "), "{attack}: {said}");
        assert!(began.elapsed() < AT_LAST, "{attack}");
        assert_eq!(extract(&extractor, "note.md").unwrap().len(), 1);
    }

    // What it does when it is through is held to its time too, and what it
    // gave before stands.
    let began = Instant::now();
    assert_eq!(extract(&extractor, "drop").unwrap().len(), 1);
    assert!(began.elapsed() < AT_LAST);

    let part = extract(&extractor, "escapes").unwrap().remove(0);
    assert_eq!(part.unwrap_err().failure.message, "a bad  [2Jpart");
}

/// Core modules that ask for too much as soon as they are started, how many of
/// each, and what the error says.
fn bombs() -> [(Module, u32, &'static str); 8] {
    let memory = "needed more memory than the 64 MiB it may have";
    let table = "needed more table elements than the 1048576 it may have";
    let instances = "needed more instances, memories or tables than the 64 it may have";
    [
        (with_memory(2_000, false), 1, memory),
        (with_memory(1 << 40, true), 1, memory),
        // Each within its bounds, and too much together.
        (with_memory(256, false), 6, memory),
        (with_memory(1, false), 100, instances),
        (with_table(3 << 20), 1, table),
        (with_table(1 << 18), 8, table),
        (Module::new(), 900, instances),
        (that_never_starts(), 1, "ran past 0.5 s"),
    ]
}

#[test]
fn bombs_that_go_off_at_the_start_are_defused() {
    let component = attacks();
    let cache = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new(&Settings {
        cache: Some(cache.path().to_owned()),
        limits: limits(),
    })
    .unwrap();
    let good = sandbox.chunker(&origin(component.clone())).unwrap();
    for (at, (module, copies, message)) in bombs().into_iter().enumerate() {
        let bomb = origin(with_modules(&component, &module, copies));
        let chunker = sandbox.chunker(&bomb).unwrap();
        let began = Instant::now();
        let counter = Arc::new(Quarter);
        let error = chunker
            .split("A title", TEXT, 256, "{}", counter)
            .unwrap_err();
        assert!(began.elapsed() < AT_LAST, "{at} took {:?}", began.elapsed());
        let kind = if message.starts_with("ran past") {
            "deadline"
        } else {
            "limit"
        };
        assert_eq!(error.kind(), kind, "{at}: {error}");
        assert!(error.to_string().ends_with(message), "{at}: {error}");

        let refused = sandbox.inspect(&bomb).unwrap_err();
        assert!(matches!(refused, LoadError::Undescribed { .. }), "{at}");
        assert!(refused.to_string().ends_with(message), "{at}: {refused}");
        behaves(&good);
    }
}

#[test]
fn compiling_is_held_to_its_time() {
    let impatient = sandbox(Limits {
        compile: Duration::ZERO,
        ..limits()
    });
    let error = impatient.inspect(&origin(attacks())).unwrap_err();
    assert!(matches!(error, LoadError::TooLarge { .. }), "{error}");
    assert_eq!(error.to_string(), "attacks took over 0 s to compile");
}
