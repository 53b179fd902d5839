//! The component's settings.

use serde::Deserialize;

/// JSON Schema of [`Settings`].
pub const SETTINGS_SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "max_bytes": {
      "type": "integer",
      "minimum": 0,
      "default": 2147483648,
      "description": "Files of more bytes than this are refused. Pictures and films inside a file count, though they are not read."
    },
    "max_unpacked_bytes": {
      "type": "integer",
      "minimum": 0,
      "default": 268435456,
      "description": "Files whose text parts unpack to more bytes than this together are refused."
    },
    "max_text_bytes": {
      "type": "integer",
      "minimum": 0,
      "default": 16777216,
      "description": "The text of a document is cut after this many bytes, with a warning."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused.
    pub max_bytes: u64,
    /// Files whose text parts unpack to more bytes than this are refused.
    pub max_unpacked_bytes: u64,
    /// A document's text is cut after this many bytes.
    pub max_text_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 2 << 30,
            max_unpacked_bytes: 256 << 20,
            max_text_bytes: 16 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extract_core::{Failure, FailureKind, Input};

    fn parse(settings: &str) -> Result<Settings, Failure> {
        let input = Input {
            settings,
            ..Input::default()
        };
        input.settings()
    }

    #[test]
    fn the_schema_names_each_setting_and_its_default() {
        let schema: serde_json::Value = serde_json::from_str(SETTINGS_SCHEMA).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let defaults: serde_json::Map<_, _> = properties
            .iter()
            .map(|(name, about)| (name.clone(), about["default"].clone()))
            .collect();
        let json = serde_json::Value::Object(defaults).to_string();
        assert_eq!(parse(&json).unwrap(), Settings::default());
        assert_eq!(properties.len(), 3);
    }

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(parse("").unwrap(), Settings::default());
        assert_eq!(parse(r#"{"max_bytes":5}"#).unwrap().max_bytes, 5);
        for wrong in [r#"{"max":1}"#, r#"{"max_bytes":-1}"#, "["] {
            assert_eq!(parse(wrong).unwrap_err().kind, FailureKind::InvalidInput);
        }
    }
}
