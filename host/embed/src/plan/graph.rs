//! Making a network cheaper before tract optimises it: what is constant is
//! computed once, and what only padding needs is left out.

use std::collections::HashMap;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::array::MultiBroadcastTo;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::konst::Const;
use tract_onnx::tract_core::ops::logic::Iff;
use tract_onnx::tract_core::ops::math::IsNan;

/// The network with the inputs at the slots in `constants` replaced by the
/// value given with each, in the shape of the input; then folded.
pub(super) fn simplify(
    mut model: TypedModel,
    constants: &[(usize, i64)],
) -> TractResult<TypedModel> {
    fix_inputs(&mut model, constants)?;
    fold(&mut model)?;
    drop_nan_guards(&mut model)?;
    model.declutter()?;
    Ok(model)
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
            .map(|outlet| known.get(outlet).map(|tensor| Arc::clone(tensor).into_tvalue()))
            .collect::<Option<TVec<TValue>>>()
        else {
            continue;
        };
        // What needs the length of the sequence cannot be computed yet.
        let Ok(Some(outputs)) = node.op.eval_out_of_plan(inputs) else { continue };
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
        let tests_nan = test.op_as::<ElementWiseOp>().is_some_and(|op| op.0.is::<IsNan>());
        let shape = &model.outlet_fact(node.id.into())?.shape;
        if tests_nan && test.inputs[0] == guarded && model.outlet_fact(guarded)?.shape == *shape {
            let kept = patch.tap_model(model, guarded)?;
            patch.shunt_outside(model, node.id.into(), kept)?;
        }
    }
    patch.apply(model)?;
    model.compact()
}
