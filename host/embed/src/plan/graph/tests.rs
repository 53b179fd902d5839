use tract_onnx::tract_core::ops::binary::BinMiniOp;
use tract_onnx::tract_core::ops::cast::cast;
use tract_onnx::tract_core::ops::logic::Iff;
use tract_onnx::tract_core::ops::math;
use tract_onnx::tract_core::ops::nn::GeluExact;

use super::*;
use crate::plan::read;
use crate::testing::Net;

fn network(net: &Net) -> TypedModel {
    match read(net.onnx(), net.table[0].len()) {
        Ok((model, _)) => model,
        Err(crate::plan::Fault::Dimensions(actual)) => panic!("{actual} dimensions"),
        Err(crate::plan::Fault::Other { reason, .. }) => panic!("{reason}"),
    }
}

fn operations(model: &TypedModel) -> Vec<String> {
    let known = |node: &&TypedNode| !node.op_is::<Const>();
    model
        .nodes()
        .iter()
        .filter(known)
        .map(|node| node.op.name().into_owned())
        .collect()
}

fn run(model: TypedModel, input: Tensor) -> Vec<f32> {
    let plan = model.into_optimized().unwrap().into_runnable().unwrap();
    let outputs = plan.run(tvec!(input.into_tvalue())).unwrap();
    outputs[0]
        .to_plain_array_view::<f32>()
        .unwrap()
        .iter()
        .copied()
        .collect()
}

#[test]
fn of_masks_and_types_nothing_is_left() {
    let net = Net {
        inputs: vec!["attention_mask", "token_type_ids", "input_ids"],
        ..Net::default()
    };
    let model = network(&net);
    assert_eq!(model.inputs.len(), 1);
    assert_eq!(operations(&model), ["Source", "Gather"]);
}

#[test]
fn other_types_than_none_add_their_row() {
    // A first row that is not zero must be added, and just once.
    let mut model = TypedModel::default();
    let length = model.symbols.sym("length");
    let shape = tvec!(1.to_dim(), length.to_dim());
    let ids = model
        .add_source("ids", i64::datum_type().fact(shape.clone()))
        .unwrap();
    let types = model
        .add_source("types", i64::datum_type().fact(shape))
        .unwrap();
    let rows = Tensor::from_shape(&[2, 2], &[1f32, 2.0, 50.0, 60.0]).unwrap();
    let words = Tensor::from_shape(&[2, 2], &[10f32, 20.0, 30.0, 40.0]).unwrap();
    let rows = model.add_const("rows", rows).unwrap();
    let words = model.add_const("words", words).unwrap();
    let words = model
        .wire_node("word", Gather::new(0), &[words, ids])
        .unwrap()[0];
    let rows = model
        .wire_node("type", Gather::new(0), &[rows, types])
        .unwrap()[0];
    let sum = model.wire_node("sum", math::add(), &[words, rows]).unwrap();
    model.select_output_outlets(&sum).unwrap();
    let model = simplify(model, &[(1, 0)]).unwrap();
    assert_eq!(operations(&model), ["Source", "Gather", "Add"]);
    let ids = Tensor::from_shape(&[1, 3], &[1i64, 0, 1]).unwrap();
    assert_eq!(run(model, ids), [31.0, 42.0, 11.0, 22.0, 31.0, 42.0]);
}

/// tract itself leaves constants over 4 MiB to be computed on each run.
#[test]
fn large_tables_of_whole_numbers_are_unfolded_once() {
    let row = |token: usize| (0..64).map(|n| ((token + n) % 100) as f32 * 0.5).collect();
    let net = Net {
        table: (0..20_000).map(row).collect(),
        scale: Some(0.5),
        ..Net::default()
    };
    assert_eq!(operations(&network(&net)), ["Source", "Gather"]);
}

#[test]
fn the_vocabulary_is_found_behind_casts_and_only_there() {
    assert_eq!(vocabulary(&network(&Net::default())), Some(7));
    let mut model = TypedModel::default();
    let x = model.add_source("x", i32::fact([1, 3])).unwrap();
    let x = model
        .wire_node("cast", cast(f32::datum_type()), &[x])
        .unwrap();
    model.select_output_outlets(&x).unwrap();
    assert_eq!(vocabulary(&model), None);
}

fn source(model: &mut TypedModel) -> OutletId {
    let length = model.symbols.sym("length");
    let fact = f32::datum_type().fact(tvec!(1.to_dim(), length.to_dim()));
    model.add_source("x", fact).unwrap()
}

fn constant(model: &mut TypedModel, value: f32) -> OutletId {
    let name = format!("constant-{value}");
    model
        .add_const(name, Tensor::from_shape(&[1, 1], &[value]).unwrap())
        .unwrap()
}

/// `x * (0.5 * (1 + erf(x * scale)))`.
fn gelu(scale: f32) -> TypedModel {
    let mut model = TypedModel::default();
    let x = source(&mut model);
    let [scale, one, half] = [scale, 1.0, 0.5].map(|value| constant(&mut model, value));
    let scaled = model.wire_node("scaled", math::mul(), &[x, scale]).unwrap()[0];
    let erf = model.wire_node("erf", math::erf(), &[scaled]).unwrap()[0];
    let sum = model.wire_node("sum", math::add(), &[erf, one]).unwrap()[0];
    let halved = model
        .wire_node("halved", math::mul(), &[half, sum])
        .unwrap()[0];
    let product = model
        .wire_node("product", math::mul(), &[x, halved])
        .unwrap();
    model.select_output_outlets(&product).unwrap();
    model
}

#[test]
fn gelu_as_exports_write_it_becomes_one_operation() {
    let is_gelu = |model: &TypedModel| {
        model.nodes().iter().any(|node| {
            node.op_as::<ElementWiseOp>()
                .is_some_and(|op| op.0.is::<GeluExact>())
        })
    };
    let values: Vec<f32> = (-20..20).map(|n| n as f32 * 0.3).collect();
    let input = || Tensor::from_shape(&[1, values.len()], &values).unwrap();
    for (scale, expected) in [(std::f32::consts::FRAC_1_SQRT_2, true), (0.9, false)] {
        let plain = run(gelu(scale), input());
        let simplified = simplify(gelu(scale), &[]).unwrap();
        assert_eq!(is_gelu(&simplified), expected, "{scale}");
        let after = run(simplified, input());
        for (plain, after) in plain.iter().zip(after) {
            assert!((plain - after).abs() < 1e-5, "{plain} {after}");
        }
    }
}

#[test]
fn guards_against_nan_go_and_other_choices_stay() {
    let with = |test: Box<dyn TypedOp>, other: f32| {
        let mut model = TypedModel::default();
        let x = source(&mut model);
        let other = constant(&mut model, other);
        let inputs: &[OutletId] = if test.is::<ElementWiseOp>() {
            &[x]
        } else {
            &[x, other]
        };
        let condition = model.wire_node("condition", test, inputs).unwrap()[0];
        let chosen = model
            .wire_node("chosen", Iff, &[condition, other, x])
            .unwrap();
        model.select_output_outlets(&chosen).unwrap();
        simplify(model, &[]).unwrap()
    };
    let guard = with(Box::new(math::is_nan()), 0.0);
    assert_eq!(operations(&guard), ["Source"]);
    let less: Box<dyn BinMiniOp> = Box::new(tract_onnx::tract_core::ops::logic::CompLT);
    let choice = with(Box::new(TypedBinOp(less, None)), 2.0);
    let input = Tensor::from_shape(&[1, 3], &[1f32, 2.0, 3.0]).unwrap();
    assert_eq!(run(choice, input), [2.0, 2.0, 3.0]);
}
