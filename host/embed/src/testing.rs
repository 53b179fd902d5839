//! Small networks and model folders for tests, written byte by byte.

use std::path::Path;

use crate::files::{MODEL_TOML, ONNX, TOKENIZER};

/// Protocol Buffers, as far as ONNX needs them.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn int(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u64, message: Message) -> Self {
        self.bytes(field, &message.0)
    }

    fn all(self, field: u64, messages: Vec<Message>) -> Self {
        messages
            .into_iter()
            .fold(self, |whole, message| whole.message(field, message))
    }
}

const FLOAT: u64 = 1;
const INT8: u64 = 3;
const INT64: u64 = 7;

fn tensor(name: &str, kind: u64, shape: &[usize], raw: &[u8]) -> Message {
    shape
        .iter()
        .fold(Message::default(), |tensor, dim| tensor.int(1, *dim as u64))
        .int(2, kind)
        .bytes(8, name.as_bytes())
        .bytes(9, raw)
}

fn floats(name: &str, shape: &[usize], values: &[f32]) -> Message {
    let raw: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    tensor(name, FLOAT, shape, &raw)
}

fn value(name: &str, kind: u64, shape: &[&str]) -> Message {
    let dims = shape.iter().map(|dim| match dim.parse() {
        Ok(size) => Message::default().int(1, size),
        Err(_) => Message::default().bytes(2, dim.as_bytes()),
    });
    let shape = Message::default().all(1, dims.collect());
    let kind = Message::default().int(1, kind).message(2, shape);
    Message::default()
        .bytes(1, name.as_bytes())
        .message(2, Message::default().message(1, kind))
}

fn node(op: &str, inputs: &[&str], output: &str, attributes: &[(&str, i64)]) -> Message {
    let attributes = attributes.iter().map(|(name, value)| {
        Message::default()
            .bytes(1, name.as_bytes())
            .int(3, *value as u64)
            .int(20, 2)
    });
    inputs
        .iter()
        .fold(Message::default(), |node, input| {
            node.bytes(1, input.as_bytes())
        })
        .bytes(2, output.as_bytes())
        .bytes(4, op.as_bytes())
        .all(5, attributes.collect())
}

/// A network that looks each token's vector up in a table.
pub(crate) struct Net {
    /// One vector per token id.
    pub(crate) table: Vec<Vec<f32>>,
    /// Its inputs, in this order.
    pub(crate) inputs: Vec<&'static str>,
    /// Whether it makes the mean over the tokens itself.
    pub(crate) pooled: bool,
    /// Whether the table is stored in whole numbers, with this scale.
    pub(crate) scale: Option<f32>,
    /// Whether the table's bytes are said to be in another file.
    pub(crate) external: bool,
    /// The operator between the table and the output; it takes one tensor.
    pub(crate) last: &'static str,
}

impl Default for Net {
    fn default() -> Self {
        Self {
            table: vec![
                vec![9.0, 9.0, 9.0],
                vec![1.0, 0.0, 0.0],
                vec![0.0, 1.0, 0.0],
                vec![0.0, 0.0, 1.0],
                vec![0.0, 0.0, 0.0],
                vec![f32::NAN, 0.0, 0.0],
                vec![-1.0, 0.0, 0.0],
            ],
            inputs: vec!["input_ids", "attention_mask"],
            pooled: false,
            scale: None,
            external: false,
            last: "Identity",
        }
    }
}

impl Net {
    /// The bytes of its ONNX file.
    pub(crate) fn onnx(&self) -> Vec<u8> {
        let shape = [self.table.len(), self.table[0].len()];
        let dimensions = shape[1].to_string();
        let flat: Vec<f32> = self.table.concat();
        let mut nodes = Vec::new();
        let mut constants = Vec::new();
        if let Some(scale) = self.scale {
            let whole: Vec<u8> = flat
                .iter()
                .map(|value| (value / scale) as i8 as u8)
                .collect();
            constants.push(tensor("table_q", INT8, &shape, &whole));
            constants.push(floats("scale", &[], &[scale]));
            nodes.push(node(
                "Cast",
                &["table_q"],
                "table_f",
                &[("to", FLOAT as i64)],
            ));
            nodes.push(node("Mul", &["table_f", "scale"], "table", &[]));
        } else {
            let mut table = floats("table", &shape, &flat);
            if self.external {
                table = table.int(14, 1);
            }
            constants.push(table);
        }
        nodes.push(node("Gather", &["table", "input_ids"], "rows", &[]));
        let mut hidden = "rows";
        if self.inputs.contains(&"attention_mask") {
            // As exports write it: rows * unsqueeze(cast(mask)), and a term of
            // (1 - mask) * -1000 that would show if the mask were not ones.
            constants.push(tensor("two", INT64, &[1], &2i64.to_le_bytes()));
            constants.push(floats("one", &[], &[1.0]));
            constants.push(floats("low", &[], &[-1000.0]));
            nodes.push(node(
                "Cast",
                &["attention_mask"],
                "mask_f",
                &[("to", FLOAT as i64)],
            ));
            nodes.push(node("Unsqueeze", &["mask_f", "two"], "mask", &[]));
            nodes.push(node("Mul", &["rows", "mask"], "masked", &[]));
            nodes.push(node("Sub", &["one", "mask"], "hidden_tokens", &[]));
            nodes.push(node("Mul", &["hidden_tokens", "low"], "lowered", &[]));
            nodes.push(node("Add", &["masked", "lowered"], "attended", &[]));
            hidden = "attended";
        }
        if self.inputs.contains(&"token_type_ids") {
            // The second type's row would spoil everything.
            let types: Vec<f32> = (0..2 * shape[1])
                .map(|index| if index < shape[1] { 0.0 } else { 1e6 })
                .collect();
            constants.push(floats("types", &[2, shape[1]], &types));
            nodes.push(node(
                "Gather",
                &["types", "token_type_ids"],
                "type_rows",
                &[],
            ));
            nodes.push(node("Add", &[hidden, "type_rows"], "typed", &[]));
            hidden = "typed";
        }
        nodes.push(node(self.last, &[hidden], "last_hidden_state", &[]));
        let mut output = value(
            "last_hidden_state",
            FLOAT,
            &["batch", "sequence", &dimensions],
        );
        if self.pooled {
            constants.push(tensor("axis", INT64, &[1], &1i64.to_le_bytes()));
            let keep = [("keepdims", 0)];
            nodes.push(node(
                "ReduceMean",
                &["last_hidden_state", "axis"],
                "pooled",
                &keep,
            ));
            output = value("pooled", FLOAT, &["batch", &dimensions]);
        }
        let inputs = self
            .inputs
            .iter()
            .map(|name| value(name, INT64, &["batch", "sequence"]));
        let graph = Message::default()
            .all(1, nodes)
            .bytes(2, b"test")
            .all(5, constants)
            .all(11, inputs.collect())
            .message(12, output);
        Message::default()
            .int(1, 8)
            .message(7, graph)
            .message(8, Message::default().int(2, 18))
            .0
    }

    /// Writes a model of this network into `folder`.
    pub(crate) fn write(&self, folder: &Path, toml: &str) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(ONNX), self.onnx()).unwrap();
        std::fs::write(folder.join(TOKENIZER), "{}").unwrap();
        std::fs::write(folder.join(MODEL_TOML), toml).unwrap();
    }
}

/// The settings of a test network.
pub(crate) fn toml(pooling: &str, limit: usize, dimensions: usize) -> String {
    format!("pooling = \"{pooling}\"\nlimit = {limit}\ndimensions = {dimensions}\n")
}
