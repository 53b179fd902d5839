//! Embedding real chunks, beside ONNX Runtime on the same ids where Python has
//! it.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Instant;

use pkb_embed::Model;
use pkb_tests::{model_folder, python_with, texts};

use crate::{heading, line};

const TOKENIZER: &[u8] = include_bytes!("../../components/tokenize/data/minilm/tokenizer.json");
const CHUNKS: usize = 2_000;

/// The same work in ONNX Runtime: one sequence at a time in each of as many
/// processes as there are cores, longest first, unpadded.
const PEER: &str = r#"
import json, sys, time, threading
import numpy as np, onnxruntime as ort
ids = sorted(json.load(open(sys.argv[2])), key=len, reverse=True)
cores = int(sys.argv[3])
options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
names = [i.name for i in session.get_inputs()]
def run(seq):
    a = np.array([seq], dtype=np.int64)
    feed = {"input_ids": a, "attention_mask": np.ones_like(a), "token_type_ids": np.zeros_like(a)}
    session.run(None, {n: feed[n] for n in names})
run(ids[0])
lock, at = threading.Lock(), [0]
def work():
    while True:
        with lock:
            n = at[0]; at[0] += 1
        if n >= len(ids): return
        run(ids[n])
t = time.time()
threads = [threading.Thread(target=work) for _ in range(cores)]
[x.start() for x in threads]; [x.join() for x in threads]
print(sum(map(len, ids)) / (time.time() - t))
"#;

pub(crate) fn measure() {
    heading("Embedding (target: at least ONNX Runtime's speed in float)");
    let Some(folder) = model_folder() else { return };
    let (Some(mut texts), Some(more)) =
        (texts("rust-book-src", 400), texts("obsidian-help-en", 400))
    else {
        return;
    };
    texts.extend(more);
    let tokenizer = tokenize::Tokenizer::load(TOKENIZER).unwrap();
    let options = chunk_markdown::Options {
        budget: 254,
        settings: chunk_markdown::Settings::default(),
    };
    let mut chunks = Vec::new();
    for text in &texts {
        let split = chunk_markdown::split("", text, &options, &mut |texts| {
            tokenizer.count(texts).unwrap()
        })
        .unwrap();
        chunks.extend(split.into_iter().map(|chunk| text[chunk.span].to_owned()));
    }
    chunks.truncate(CHUNKS);
    let ids = tokenizer.encode(&chunks).unwrap();
    let tokens: usize = ids.iter().map(Vec::len).sum();
    let model = Model::load(&folder).unwrap();
    model.embed(&ids[..8], &|| false, &|_| {}).unwrap();
    let began = Instant::now();
    model.embed(&ids, &|| false, &|_| {}).unwrap();
    let rate = tokens as f64 / began.elapsed().as_secs_f64();
    line(
        &format!("{} chunks, {tokens} tokens", chunks.len()),
        format!("{rate:.0} tokens/s"),
    );

    let Some(python) = python_with("onnxruntime") else {
        return;
    };
    let mut json = String::from("[");
    for (at, ids) in ids.iter().enumerate() {
        let _ = write!(json, "{}{ids:?}", if at == 0 { "" } else { "," });
    }
    json.push(']');
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("ids.json");
    fs::write(&file, json).unwrap();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let output = Command::new(python)
        .args(["-c", PEER])
        .arg(folder.join("model.onnx"))
        .arg(&file)
        .arg(cores.to_string())
        .output()
        .unwrap();
    match String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse::<f64>()
    {
        Ok(peer) => line(
            "beside ONNX Runtime, same ids",
            format!("{:.2}x its {peer:.0} tokens/s", rate / peer),
        ),
        Err(_) => line(
            "ONNX Runtime failed",
            String::from_utf8_lossy(&output.stderr),
        ),
    }
}
