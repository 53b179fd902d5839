//! A network as tract runs it.

mod graph;

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tract_onnx::pb;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::{DimLike, ToDim};
use tract_onnx::tract_hir::infer::Factoid;

use crate::{Error, Pooling};

/// What to do about a file that is not what it should be.
const GET_AGAIN: &str = "Get the model again (`pkb model pull NAME`), or copy a sound export into \
                         place with `pkb model add`";
/// What to do about a network that this crate does not run.
const EXPORT: &str = "Take an export for feature extraction in 32-bit float, as `optimum-cli \
                      export onnx --task feature-extraction` makes it";

/// A network, folded and optimised for sequences of any length.
pub(crate) struct Plan {
    plan: Arc<TypedRunnableModel>,
    /// The type of its token ids.
    kind: DatumType,
    /// The number of its token ids, where that could be found out.
    vocabulary: Option<usize>,
    pooling: Pooling,
    dimensions: usize,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("dimensions", &self.dimensions)
            .finish_non_exhaustive()
    }
}

/// An input of the kind of network this crate runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The token ids.
    Ids,
    /// Ones: an unpadded sequence has nothing to hide.
    Mask,
    /// Zeros: there is one text in a sequence.
    Types,
}

impl Input {
    fn named(name: &str) -> Option<Self> {
        match name {
            "input_ids" => Some(Self::Ids),
            "attention_mask" => Some(Self::Mask),
            "token_type_ids" => Some(Self::Types),
            _ => None,
        }
    }
}

impl Plan {
    /// Builds the plan of the network whose file holds `bytes`.
    ///
    /// # Errors
    /// [`Error::Onnx`] or [`Error::Dimensions`].
    pub(crate) fn build(
        bytes: Vec<u8>,
        file: &Path,
        dimensions: usize,
        pooling: Pooling,
    ) -> Result<Self, Error> {
        let _span = tracing::info_span!("embed.load").entered();
        let started = std::time::Instant::now();
        // A damaged file can hold anything, and tract asserts here and there.
        let built = catch_unwind(AssertUnwindSafe(|| build(bytes, dimensions, pooling)))
            .unwrap_or_else(|panic| {
                Err(Fault::Other {
                    reason: panic_message(&*panic),
                    remedy: GET_AGAIN,
                })
            });
        tracing::debug!(file = %file.display(), took = ?started.elapsed(), "plan built");
        built.map_err(|fault| match fault {
            Fault::Dimensions(actual) => Error::Dimensions {
                file: file.to_path_buf(),
                actual,
                stated: dimensions,
            },
            Fault::Other { reason, remedy } => Error::Onnx {
                file: file.to_path_buf(),
                reason,
                remedy,
            },
        })
    }

    /// What runs the plan on one thread.
    pub(crate) fn worker(&self) -> Result<Worker, String> {
        let state = self.plan.spawn().map_err(|error| reason(&error))?;
        Ok(Worker {
            state,
            kind: self.kind,
            vocabulary: self.vocabulary,
            pooling: self.pooling,
            dimensions: self.dimensions,
        })
    }
}

/// What went wrong in [`build`].
enum Fault {
    /// The network makes vectors of this length.
    Dimensions(usize),
    /// Anything else.
    Other {
        reason: String,
        remedy: &'static str,
    },
}

impl Fault {
    fn damaged(reason: String) -> Self {
        Self::Other {
            reason,
            remedy: GET_AGAIN,
        }
    }

    fn unsupported(reason: String) -> Self {
        Self::Other {
            reason,
            remedy: EXPORT,
        }
    }
}

/// Reads, checks, simplifies and optimises a network.
fn build(bytes: Vec<u8>, dimensions: usize, pooling: Pooling) -> Result<Plan, Fault> {
    let (model, kind) = read(bytes, dimensions)?;
    let vocabulary = graph::vocabulary(&model);
    let plan = model
        .into_optimized()
        .and_then(TypedModel::into_runnable)
        .map_err(|error| Fault::unsupported(reason(&error)))?;
    Ok(Plan {
        plan,
        kind,
        vocabulary,
        pooling,
        dimensions,
    })
}

/// Reads, checks and simplifies a network: from token ids, of the type given
/// with it, to the one output that is wanted.
fn read(bytes: Vec<u8>, dimensions: usize) -> Result<(TypedModel, DatumType), Fault> {
    let unrunnable = |error: TractError| Fault::unsupported(reason(&error));

    // Exporters write shapes that contradict each other; what tract infers
    // from the operators is right.
    let onnx = tract_onnx::onnx()
        .with_ignore_output_shapes(true)
        .with_ignore_value_info(true);
    let proto = onnx
        .proto_model_for_read(&mut Cursor::new(bytes))
        .map_err(|error| {
            Fault::damaged(format!("it is not a sound ONNX file ({})", reason(&error)))
        })?;
    check_proto(&proto)?;
    let parsed = onnx.parse(&proto, None).map_err(unrunnable)?;
    drop(proto);
    if !parsed.unresolved_inputs.is_empty() {
        let missing = parsed.unresolved_inputs.join(", ");
        return Err(Fault::damaged(format!(
            "parts of it are missing: {missing}"
        )));
    }
    let mut model = parsed.model;

    let length = model.symbols.sym("length");
    // Without this tract must take lengths to be possibly zero, and chooses slow
    // ways to multiply and add.
    model
        .symbols
        .add_assertion("length >= 1")
        .map_err(unrunnable)?;
    let inputs = inputs(&model)?;
    for (slot, (_, kind)) in inputs.iter().enumerate() {
        let shape = tvec!(1.to_dim(), length.to_dim());
        model
            .set_input_fact(slot, InferenceFact::dt_shape(*kind, shape))
            .map_err(unrunnable)?;
    }
    let mut model = model.into_typed().map_err(unrunnable)?;
    let output = choose_output(&model, dimensions)?;
    model.select_output_outlets(&[output]).map_err(unrunnable)?;

    let constants: Vec<(usize, i64)> = inputs
        .iter()
        .enumerate()
        .filter_map(|(slot, (input, _))| match input {
            Input::Ids => None,
            Input::Mask => Some((slot, 1)),
            Input::Types => Some((slot, 0)),
        })
        .collect();
    let model = graph::simplify(model, &constants).map_err(unrunnable)?;
    let kind = inputs
        .iter()
        .find_map(|(input, kind)| (*input == Input::Ids).then_some(*kind))
        .unwrap_or(DatumType::I64);
    Ok((model, kind))
}

/// Looks for what tract would not say clearly, or would read from elsewhere.
fn check_proto(proto: &pb::ModelProto) -> Result<(), Fault> {
    let Some(graph) = &proto.graph else {
        return Err(Fault::damaged("it holds no network".into()));
    };
    // A network may name files of its own choice as the place of its weights.
    let outside = |tensor: &&pb::TensorProto| {
        tensor.data_location == Some(pb::tensor_proto::DataLocation::External as i32)
    };
    if let Some(tensor) = graph.initializer.iter().find(outside) {
        return Err(Fault::unsupported(format!(
            "it keeps weights in another file (`{}`), and a model here is one file",
            tensor.name
        )));
    }
    if graph.node.is_empty() || graph.output.is_empty() {
        return Err(Fault::damaged("it holds no network".into()));
    }
    Ok(())
}

/// What each input of the network is, and its integer type.
fn inputs(model: &InferenceModel) -> Result<Vec<(Input, DatumType)>, Fault> {
    let mut inputs = Vec::new();
    for (slot, outlet) in model.inputs.iter().enumerate() {
        let name = &model.node(outlet.node).name;
        let Some(input) = Input::named(name) else {
            return Err(Fault::unsupported(format!(
                "it asks for an input `{name}`, and only input_ids, attention_mask and \
                 token_type_ids are known"
            )));
        };
        let fact = model
            .input_fact(slot)
            .map_err(|error| Fault::unsupported(reason(&error)))?;
        let kind = fact.datum_type.concretize().unwrap_or(DatumType::I64);
        if !kind.is_integer() {
            return Err(Fault::unsupported(format!(
                "its input `{name}` is not of integers"
            )));
        }
        inputs.push((input, kind));
    }
    if inputs
        .iter()
        .filter(|(input, _)| *input == Input::Ids)
        .count()
        != 1
    {
        return Err(Fault::unsupported("it has no input named input_ids".into()));
    }
    Ok(inputs)
}

/// The output to take: the first that is one vector per token, such as
/// `last_hidden_state`, else the first that is one vector per sequence, such
/// as `sentence_embedding`. Outputs of the right length come first.
fn choose_output(model: &TypedModel, dimensions: usize) -> Result<OutletId, Fault> {
    let mut candidates = Vec::new();
    for outlet in &model.outputs {
        let fact = model
            .outlet_fact(*outlet)
            .map_err(|e| Fault::unsupported(reason(&e)))?;
        let length = fact.shape.last().and_then(|dim| dim.to_usize().ok());
        match (fact.rank(), length) {
            (3, Some(length)) => candidates.push((0, length, *outlet)),
            (2, Some(length)) => candidates.push((1, length, *outlet)),
            _ => {}
        }
    }
    candidates.sort_by_key(|(rank, length, _)| (*length != dimensions, *rank));
    match candidates.first() {
        Some((_, length, outlet)) if *length == dimensions => Ok(*outlet),
        Some((_, length, _)) => Err(Fault::Dimensions(*length)),
        None => Err(Fault::unsupported(
            "none of its outputs is one vector per token (last_hidden_state) or per text \
             (sentence_embedding)"
                .into(),
        )),
    }
}

/// Runs a plan on one thread, sequence by sequence.
pub(crate) struct Worker {
    state: TypedSimpleState,
    kind: DatumType,
    /// The number of its token ids, where that could be found out.
    vocabulary: Option<usize>,
    pooling: Pooling,
    dimensions: usize,
}

impl Worker {
    /// The pooled vector of one sequence, not brought to length 1; or what
    /// went wrong.
    pub(crate) fn run(&mut self, ids: &[u32]) -> Result<Vec<f32>, String> {
        if let (Some(vocabulary), Some(greatest)) = (self.vocabulary, ids.iter().max())
            && u64::from(*greatest) >= vocabulary as u64
        {
            return Err(format!(
                "token {greatest} is outside its vocabulary of {vocabulary} tokens"
            ));
        }
        // What does not fit a network makes tract fail, on some paths by
        // panicking. The state is set anew by the next run.
        catch_unwind(AssertUnwindSafe(|| self.run_inner(ids)))
            .unwrap_or_else(|panic| Err(panic_message(&*panic)))
    }

    fn run_inner(&mut self, ids: &[u32]) -> Result<Vec<f32>, String> {
        let ids: Vec<i64> = ids.iter().map(|id| i64::from(*id)).collect();
        let ids = Tensor::from_shape(&[1, ids.len()], &ids)
            .and_then(|tensor| {
                tensor
                    .cast_to_dt(self.kind)
                    .map(|tensor| tensor.into_owned())
            })
            .map_err(|error| reason(&error))?;
        let outputs = self
            .state
            .run(tvec!(ids.into_tvalue()))
            .map_err(|error| reason(&error))?;
        let output = outputs.first().ok_or("it gave no output")?;
        let output = output.cast_to::<f32>().map_err(|error| reason(&error))?;
        let view = output
            .to_plain_array_view::<f32>()
            .map_err(|error| reason(&error))?;
        let flat = view.as_slice().ok_or("its output is not contiguous")?;
        if flat.is_empty() || flat.len() % self.dimensions != 0 {
            return Err(format!("its output has the shape {:?}", output.shape()));
        }
        let mut tokens = flat.chunks_exact(self.dimensions);
        Ok(match self.pooling {
            Pooling::Cls => tokens.next().unwrap_or_default().to_vec(),
            Pooling::Mean => mean(tokens, self.dimensions),
        })
    }
}

/// The mean of vectors, at least one; of one alone it is that one.
fn mean<'a>(vectors: impl ExactSizeIterator<Item = &'a [f32]>, dimensions: usize) -> Vec<f32> {
    let count = vectors.len() as f32;
    let mut sum = vec![0.0; dimensions];
    for vector in vectors {
        sum.iter_mut()
            .zip(vector)
            .for_each(|(sum, number)| *sum += number);
    }
    sum.iter_mut().for_each(|number| *number /= count);
    sum
}

/// An error of tract's with its causes, on one line of bearable length.
fn reason(error: &TractError) -> String {
    let mut text = format!("{error:#}")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if let Some((end, _)) = text.char_indices().nth(400) {
        text.truncate(end);
        text.push_str(" ...");
    }
    text
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "the tensor engine gave up ({})",
        text.as_deref().unwrap_or("no reason given")
    )
}
