//! JSON Schemas of arguments and answers, in the plain form that every client
//! understands.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// An object of which the schema says no more: its fields stand in the comment
/// of the list that it is an entry of, in a fraction of the tokens.
pub(super) struct Object;

impl JsonSchema for Object {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}

/// What a tool accepts.
pub(super) fn input<T: JsonSchema>() -> Arc<JsonObject> {
    object::<T>(SchemaSettings::draft2020_12())
}

/// What a tool answers. Names say what most fields are, and models read answers
/// rather than this, so only lists of objects keep their comments.
pub(super) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = (*object::<T>(SchemaSettings::draft2020_12().for_serialize())).clone();
    schema.remove("required");
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()) {
        let plain = field["type"] != "object" && field["items"]["type"] != "object";
        if let Some(field) = field.as_object_mut().filter(|_| plain) {
            field.remove("description");
        }
    }
    Arc::new(schema)
}

fn object<T: JsonSchema>(settings: SchemaSettings) -> Arc<JsonObject> {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let generator = settings
        .with_transform(RecursiveTransform(simplify))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    let object = schema.ensure_object();
    // The type's own name and comment say nothing that the tool does not; the
    // dialect is the one that the protocol takes where none is named.
    object.remove("title");
    object.remove("description");
    object.remove("$schema");
    // A field that is not there is refused with the names there are.
    object.remove("additionalProperties");
    object.entry("properties").or_insert_with(|| json!({}));
    Arc::new(std::mem::take(object))
}

/// Takes out what some clients stumble over: formats that are Rust's own, and
/// null as another type of what may be left out.
fn simplify(schema: &mut Schema) {
    schema.remove("format");
    // That what is left out is empty goes without saying.
    let empty = [json!(null), json!(false), json!(0), json!(""), json!([])];
    if (schema.get("default")).is_some_and(|default| empty.contains(default)) {
        schema.remove("default");
    }
    // So does that numbers of things are not negative.
    if schema.get("minimum") == Some(&json!(0)) {
        schema.remove("minimum");
    }
    if let Some(kind) = schema.get_mut("type")
        && let Some(kinds) = kind.as_array_mut()
    {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            *kind = only.clone();
        }
    }
    // Descriptions are written in lines of source code.
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Example {
        /// One line
        /// and another.
        number: Option<u32>,
        inner: Inner,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        text: String,
    }

    #[test]
    fn schemas_are_plain() {
        let schema = input::<Example>();
        let number = &schema["properties"]["number"];
        assert_eq!(
            *number,
            json!({"type": "integer", "description": "One line and another."})
        );
        assert_eq!(
            schema["properties"]["inner"]["properties"]["text"]["type"],
            "string"
        );
        assert_eq!(schema["required"], json!(["inner"]));
        assert!(schema.get("title").is_none());
    }
}
