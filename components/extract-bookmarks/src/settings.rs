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
      "default": 67108864,
      "description": "Files of more bytes than this are refused, before and after decompression."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused, before and after
    /// decompression.
    pub max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extract_core::{FailureKind, Input};

    #[test]
    fn the_schema_names_each_setting_and_its_default() {
        let schema: serde_json::Value = serde_json::from_str(SETTINGS_SCHEMA).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let defaults: serde_json::Map<_, _> = properties
            .iter()
            .map(|(name, about)| (name.clone(), about["default"].clone()))
            .collect();
        let parsed: Settings = serde_json::from_value(defaults.into()).unwrap();
        assert_eq!(parsed, Settings::default());
        let input = Input {
            settings: r#"{"max_byte":1}"#,
            ..Input::default()
        };
        let failure = input.settings::<Settings>().unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
    }
}
