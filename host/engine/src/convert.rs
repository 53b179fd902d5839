//! The runtime's values as the store's: the two crates know nothing of one
//! another.

use pkb_runtime as wit;
use pkb_store::{Link, LinkKind, Mark, Place, Property, Scalar, Value};

pub(crate) fn mark(mark: wit::Mark) -> Mark {
    Mark {
        offset: mark.offset,
        place: place(mark.place),
    }
}

fn place(place: wit::Place) -> Place {
    match place {
        wit::Place::Page(page) => Place::Page(page),
        wit::Place::Line(line) => Place::Line(line),
        wit::Place::Second(second) => Place::Second(second),
        wit::Place::Part(part) => Place::Part(part),
    }
}

pub(crate) fn link(link: wit::Link) -> Link {
    Link {
        kind: match link.kind {
            wit::LinkKind::Wikilink => LinkKind::Wikilink,
            wit::LinkKind::Embed => LinkKind::Embed,
            wit::LinkKind::Hyperlink => LinkKind::Hyperlink,
            wit::LinkKind::Image => LinkKind::Image,
        },
        target: link.target,
        heading: link.heading,
        block: link.block,
        label: link.label,
        span: link.span.start..link.span.end,
    }
}

pub(crate) fn properties(properties: Vec<wit::Property>) -> Vec<Property> {
    properties
        .into_iter()
        .map(|property| Property {
            name: property.name,
            value: value(property.value),
        })
        .collect()
}

fn value(value: wit::Value) -> Value {
    match value {
        wit::Value::One(one) => Value::One(scalar(one)),
        wit::Value::Many(many) => Value::Many(many.into_iter().map(scalar).collect()),
    }
}

fn scalar(scalar: wit::Scalar) -> Scalar {
    match scalar {
        wit::Scalar::Text(text) => Scalar::Text(text),
        // A number that is none is kept as the text it stands for.
        wit::Scalar::Number(number) if number.is_nan() => Scalar::Text("NaN".into()),
        wit::Scalar::Number(number) => Scalar::Number(number),
        wit::Scalar::Boolean(boolean) => Scalar::Boolean(boolean),
        wit::Scalar::Timestamp(timestamp) => Scalar::Timestamp(timestamp),
    }
}

/// The property called `name`, in any letter case, where it is one text.
pub(crate) fn text(properties: &[Property], name: &str) -> Option<String> {
    match &find(properties, name)?.value {
        Value::One(Scalar::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        Value::Many(many) => match many.as_slice() {
            [Scalar::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The texts of the property called `name`, in any letter case.
pub(crate) fn texts(properties: &[Property], name: &str) -> Vec<String> {
    let scalars = match find(properties, name).map(|property| &property.value) {
        Some(Value::One(one)) => std::slice::from_ref(one),
        Some(Value::Many(many)) => many,
        None => &[],
    };
    let mut texts: Vec<String> = Vec::new();
    for scalar in scalars {
        if let Scalar::Text(text) = scalar
            && !text.trim().is_empty()
            && !texts.contains(text)
        {
            texts.push(text.clone());
        }
    }
    texts
}

/// The property called `name`, in any letter case, where it is one number.
pub(crate) fn number(properties: &[Property], name: &str) -> Option<f64> {
    match &find(properties, name)?.value {
        Value::One(Scalar::Number(number)) if number.is_finite() => Some(*number),
        _ => None,
    }
}

/// The property called `name`, in any letter case, where it is a time.
pub(crate) fn timestamp(properties: &[Property], name: &str) -> Option<i64> {
    match find(properties, name)?.value {
        Value::One(Scalar::Timestamp(timestamp)) => Some(timestamp),
        _ => None,
    }
}

fn find<'a>(properties: &'a [Property], name: &str) -> Option<&'a Property> {
    properties
        .iter()
        .find(|property| property.name.eq_ignore_ascii_case(name))
}
