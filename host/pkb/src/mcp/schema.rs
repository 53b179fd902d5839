//! JSON Schemas of arguments and answers, in the plain form that every client
//! understands.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// What a tool accepts.
pub(super) fn input<T: JsonSchema>() -> Arc<JsonObject> {
    object::<T>(SchemaSettings::draft2020_12())
}

/// What a tool answers.
pub(super) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    object::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn object<T: JsonSchema>(settings: SchemaSettings) -> Arc<JsonObject> {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let generator = settings
        .with_transform(RecursiveTransform(simplify))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    let object = schema.ensure_object();
    // The type's own name and comment say nothing that the tool does not.
    object.remove("title");
    object.remove("description");
    object.entry("properties").or_insert_with(|| json!({}));
    Arc::new(std::mem::take(object))
}

/// Takes out what some clients stumble over: formats that are Rust's own, and
/// null as another type of what may be left out.
fn simplify(schema: &mut Schema) {
    schema.remove("format");
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
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
            json!({"type": "integer", "minimum": 0, "description": "One line and another."})
        );
        assert_eq!(
            schema["properties"]["inner"]["properties"]["text"]["type"],
            "string"
        );
        assert_eq!(schema["required"], json!(["inner"]));
        assert!(schema.get("title").is_none());
    }
}
