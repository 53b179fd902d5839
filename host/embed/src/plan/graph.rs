//! Making a network cheaper before tract optimises it: what is constant is
//! computed once, and what only padding needs is left out.

use std::collections::HashMap;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::DimLike;
use tract_onnx::tract_core::model::TypedModelHelpers;
use tract_onnx::tract_core::ops::array::{Gather, GatherNd, MultiBroadcastTo};
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::cast::Cast;
use tract_onnx::tract_core::ops::change_axes::AxisOp;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::konst::Const;
use tract_onnx::tract_core::ops::logic::Iff;
use tract_onnx::tract_core::ops::math::{Add, Erf, IsNan, Mul};

/// The network with the inputs at the slots in `constants` replaced by the
/// value given with each, in the shape of the input; then folded.
pub(super) fn simplify(
    mut model: TypedModel,
    constants: &[(usize, i64)],
) -> TractResult<TypedModel> {
    fix_inputs(&mut model, constants)?;
    fold(&mut model)?;
    drop_nan_guards(&mut model)?;
    halve_last(&mut model)?;
    // Twice: tract proves conditions on positions (such as `i >= 0`) that masks
    // are made of, after which more is known to be the same everywhere.
    for _ in 0..2 {
        shrink_repeated(&mut model)?;
        model.declutter()?;
    }
    Ok(model)
}

/// How many token ids the table has rows for that they are looked up in, where
/// the network, with the ids as its only input, does that first.
pub(super) fn vocabulary(model: &TypedModel) -> Option<usize> {
    let mut ids = *model.inputs.first()?;
    loop {
        let reader = model.outlet_successors(ids).first()?;
        let node = model.node(reader.node);
        if node.op_is::<Cast>() {
            ids = node.id.into();
            continue;
        }
        let gather = node.op_as::<Gather>().filter(|_| reader.slot == 1)?;
        return model
            .outlet_fact(node.inputs[0])
            .ok()?
            .shape
            .get(gather.axis)?
            .to_usize()
            .ok();
    }
}

/// Replaces inputs by constants broadcast to their shape.
fn fix_inputs(model: &mut TypedModel, constants: &[(usize, i64)]) -> TractResult<()> {
    let mut patch = TypedModelPatch::new("inputs that are the same for every sequence");
    for (slot, value) in constants {
        let outlet = model.inputs[*slot];
        let fact = model.outlet_fact(outlet)?;
        let name = format!("{}.fixed", model.node(outlet.node).name);
        let one = Tensor::from_shape(&vec![1; fact.rank()], &[*value])?;
        let one = one.cast_to_dt(fact.datum_type)?.into_owned();
        let one = patch.add_const(format!("{name}.value"), one)?;
        let shape = fact.shape.clone();
        let fixed = patch.wire_node(&name, MultiBroadcastTo { shape }, &[one])?[0];
        patch.shunt_outside(model, outlet, fixed)?;
    }
    patch.apply(model)?;
    let kept: Vec<OutletId> = model
        .inputs
        .iter()
        .enumerate()
        .filter(|(slot, _)| constants.iter().all(|(fixed, _)| fixed != slot))
        .map(|(_, outlet)| *outlet)
        .collect();
    model.set_input_outlets(&kept)
}

/// Computes every node that depends on constants alone. tract does this itself
/// only up to 4 MiB, and would else dequantize an embedding table on each run.
fn fold(model: &mut TypedModel) -> TractResult<()> {
    let mut known: HashMap<OutletId, Arc<Tensor>> = HashMap::new();
    let mut patch = TypedModelPatch::new("constants");
    for id in model.eval_order()? {
        let node = model.node(id);
        if let Some(constant) = node.op_as::<Const>() {
            known.insert(id.into(), Arc::clone(constant.val()));
            continue;
        }
        if node.inputs.is_empty() {
            continue;
        }
        let Some(inputs) = node
            .inputs
            .iter()
            .map(|outlet| {
                known
                    .get(outlet)
                    .map(|tensor| Arc::clone(tensor).into_tvalue())
            })
            .collect::<Option<TVec<TValue>>>()
        else {
            continue;
        };
        // What needs the length of the sequence cannot be computed yet.
        let Ok(Some(outputs)) = node.op.eval_out_of_plan(inputs) else {
            continue;
        };
        for (slot, output) in outputs.into_iter().enumerate() {
            known.insert(OutletId::new(id, slot), output.into_arc_tensor());
        }
    }
    for (outlet, value) in known {
        let node = model.node(outlet.node);
        // Only what a node that stays reads is needed.
        if node.op_is::<Const>() {
            continue;
        }
        let name = format!("{}.folded.{}", node.name, outlet.slot);
        let constant = patch.wire_node(name, Const::new(value)?, &[])?[0];
        patch.shunt_outside(model, outlet, constant)?;
    }
    patch.apply(model)?;
    model.compact()
}

/// Leaves out `where(isnan(x), c, x)`, with which exports undo the NaN that a
/// softmax over hidden tokens alone gives. No token is hidden here, and a NaN
/// from elsewhere is found in the vector.
fn drop_nan_guards(model: &mut TypedModel) -> TractResult<()> {
    let mut patch = TypedModelPatch::new("guards against padding");
    for node in model.nodes() {
        if !node.op_is::<Iff>() {
            continue;
        }
        let (condition, guarded) = (node.inputs[0], node.inputs[2]);
        let test = model.node(condition.node);
        let tests_nan = test
            .op_as::<ElementWiseOp>()
            .is_some_and(|op| op.0.is::<IsNan>());
        let shape = &model.outlet_fact(node.id.into())?.shape;
        if tests_nan && test.inputs[0] == guarded && model.outlet_fact(guarded)?.shape == *shape {
            let kept = patch.tap_model(model, guarded)?;
            patch.shunt_outside(model, node.id.into(), kept)?;
        }
    }
    patch.apply(model)?;
    model.compact()
}

/// Turns `x * (0.5 * (1 + erf(..)))`, as exports write GELU, into
/// `(x * (1 + erf(..))) * 0.5`, which is the same to the bit and which tract
/// knows to run as one operation.
fn halve_last(model: &mut TypedModel) -> TractResult<()> {
    let mut patch = TypedModelPatch::new("order of the factors of GELU");
    for erf in model.nodes() {
        if !erf
            .op_as::<ElementWiseOp>()
            .is_some_and(|op| op.0.is::<Erf>())
        {
            continue;
        }
        let Some(sum) = model.find_succ_bin_with_const::<Add>(erf, 1.0) else {
            continue;
        };
        let Some(half) = model.find_succ_bin_with_const::<Mul>(sum, 0.5) else {
            continue;
        };
        let Some(product) = model.single_succ(half.id)? else {
            continue;
        };
        let multiplies = product
            .op_as::<TypedBinOp>()
            .is_some_and(|op| op.0.is::<Mul>());
        let factors: TVec<OutletId> = half.inputs.iter().copied().collect();
        let (Some(x), Some(factor)) = (
            product.inputs.iter().find(|outlet| outlet.node != half.id),
            factors.iter().find(|outlet| outlet.node != sum.id),
        ) else {
            continue;
        };
        if !multiplies {
            continue;
        }
        let (x, factor) = (
            patch.tap_model(model, *x)?,
            patch.tap_model(model, *factor)?,
        );
        let sum = patch.tap_model(model, sum.id.into())?;
        let name = format!("{}.unhalved", product.name);
        let unhalved = patch.wire_node(name, product.op.clone(), &[x, sum])?[0];
        let halved = patch.wire_node(&product.name, half.op.clone(), &[unhalved, factor])?[0];
        patch.shunt_outside(model, product.id.into(), halved)?;
    }
    patch.apply(model)?;
    model.compact()
}

/// Replaces operands that only repeat a known value along the sequence, such as
/// the mask of a sequence in which nothing is hidden, by that value alone;
/// where it is neutral (adding 0), tract then leaves the operation out.
fn shrink_repeated(model: &mut TypedModel) -> TractResult<()> {
    let mut known: HashMap<OutletId, Arc<Tensor>> = HashMap::new();
    for id in model.eval_order()? {
        if let Some(value) = repeated_value(model, id, &known)? {
            known.insert(id.into(), value);
        }
    }
    let mut patch = TypedModelPatch::new("operands that repeat one value");
    for node in model.nodes() {
        let broadcasts = node.op_is::<TypedBinOp>() || node.op_is::<Iff>();
        if !broadcasts || known.contains_key(&node.id.into()) {
            continue;
        }
        let mut facts: TVec<TypedFact> = model
            .node_input_facts(node.id)?
            .into_iter()
            .cloned()
            .collect();
        let mut shrunk = HashMap::new();
        for (slot, outlet) in node.inputs.iter().enumerate() {
            let Some(value) = known.get(outlet) else {
                continue;
            };
            let small = TypedFact::try_from(value)?;
            if small.shape != facts[slot].shape {
                facts[slot] = small;
                shrunk.insert(slot, value);
            }
        }
        let shapes_stay = || -> TractResult<bool> {
            let outputs = node.op.output_facts(&facts.iter().collect::<TVec<_>>())?;
            Ok(outputs[0].shape == model.outlet_fact(node.id.into())?.shape)
        };
        if shrunk.is_empty() || !shapes_stay()? {
            continue;
        }
        let mut inputs = TVec::new();
        for (slot, outlet) in node.inputs.iter().enumerate() {
            inputs.push(match shrunk.get(&slot) {
                Some(value) => {
                    let name = format!("{}.repeated.{slot}", node.name);
                    patch.add_const(name, Arc::clone(value))?
                }
                None => patch.tap_model(model, *outlet)?,
            });
        }
        let output = patch.wire_node(&node.name, node.op.clone(), &inputs)?[0];
        patch.shunt_outside(model, node.id.into(), output)?;
    }
    patch.apply(model)?;
    model.compact()
}

/// The value that broadcasts to what the node gives for every sequence, of the
/// same rank, if that follows from its inputs'.
fn repeated_value(
    model: &TypedModel,
    id: usize,
    known: &HashMap<OutletId, Arc<Tensor>>,
) -> TractResult<Option<Arc<Tensor>>> {
    let node = model.node(id);
    if let Some(constant) = node.op_as::<Const>() {
        return Ok(Some(Arc::clone(constant.val())));
    }
    let output = model.outlet_fact(id.into())?;
    let inputs: Option<TVec<Arc<Tensor>>> = node
        .inputs
        .iter()
        .map(|outlet| known.get(outlet).cloned())
        .collect();
    let evaluated = |inputs: TVec<Arc<Tensor>>| -> Option<Arc<Tensor>> {
        let inputs = inputs.into_iter().map(IntoTValue::into_tvalue).collect();
        let outputs = node.op.eval_out_of_plan(inputs).ok().flatten()?;
        let value = outputs.into_iter().next()?.into_arc_tensor();
        (value.rank() == output.rank()).then_some(value)
    };
    // The same value in every place, wherever the indices point.
    if node.op_is::<GatherNd>() {
        return Ok(known
            .get(&node.inputs[0])
            .and_then(|data| data.as_uniform())
            .and_then(|value| {
                value
                    .broadcast_scalar_to_shape(&vec![1; output.rank()])
                    .ok()
            })
            .map(Tensor::into_arc_tensor));
    }
    let Some(mut inputs) = inputs.filter(|inputs| !inputs.is_empty()) else {
        return Ok(None);
    };
    if node.op_is::<MultiBroadcastTo>() {
        let mut value = inputs.remove(0).into_tensor();
        while value.rank() < output.rank() {
            value.insert_axis(0)?;
        }
        return Ok(Some(value.into_arc_tensor()));
    }
    let by_place = node.op_is::<TypedBinOp>()
        || node.op_is::<ElementWiseOp>()
        || node.op_is::<Cast>()
        || node.op_is::<Iff>()
        || matches!(
            node.op_as(),
            Some(AxisOp::Add(_) | AxisOp::Rm(_) | AxisOp::Move(..))
        );
    // Rows of a table: the table itself is known whole.
    let rows = node.op_is::<Gather>()
        && model.outlet_fact(node.inputs[0])?.shape.as_concrete() == Some(inputs[0].shape());
    Ok(if by_place || rows {
        evaluated(inputs)
    } else {
        None
    })
}

#[cfg(test)]
mod tests;
