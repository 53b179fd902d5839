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
      "default": 134217728,
      "description": "Files of more bytes than this are refused."
    },
    "passwords": {
      "type": "array",
      "items": { "type": "string" },
      "default": [],
      "description": "Passwords tried on encrypted files, after the empty one."
    },
    "max_ocr_pages": {
      "type": "integer",
      "minimum": 0,
      "default": 200,
      "description": "Pages without a text layer that are read by OCR, in one file, where the host offers it."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused.
    pub max_bytes: u64,
    /// Tried on encrypted files, after the empty one.
    pub passwords: Vec<String>,
    /// How many pages of a file are read by OCR at most.
    pub max_ocr_pages: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 128 << 20,
            passwords: Vec::new(),
            max_ocr_pages: 200,
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
        assert_eq!(parse("{}").unwrap(), Settings::default());
        let given = parse(r#"{"passwords":["a"],"max_ocr_pages":0}"#).unwrap();
        assert_eq!(given.passwords, ["a"]);
        assert_eq!(given.max_ocr_pages, 0);
        for wrong in [r#"{"password":"a"}"#, r#"{"passwords":"a"}"#, "["] {
            assert_eq!(parse(wrong).unwrap_err().kind, FailureKind::InvalidInput);
        }
    }
}
