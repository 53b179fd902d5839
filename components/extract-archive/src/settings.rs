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
      "default": 8589934592,
      "description": "An archive is read until its files have this many bytes together, unpacked."
    },
    "max_entries": {
      "type": "integer",
      "minimum": 0,
      "default": 100000,
      "description": "An archive is read until it has given this many files."
    },
    "hidden": {
      "type": "boolean",
      "default": false,
      "description": "Reads files and folders whose name begins with a dot, and node_modules, too."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Bytes of all files together, unpacked, up to which they are read.
    pub max_bytes: u64,
    /// Files up to which they are read.
    pub max_entries: u64,
    /// Whether files and folders are read whose name begins with a dot.
    pub hidden: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 8 << 30,
            max_entries: 100_000,
            hidden: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extract_core::Input;

    #[test]
    fn the_schema_names_each_setting_and_its_default() {
        let schema: serde_json::Value = serde_json::from_str(SETTINGS_SCHEMA).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let defaults: serde_json::Map<_, _> = properties
            .iter()
            .map(|(name, about)| (name.clone(), about["default"].clone()))
            .collect();
        let settings = serde_json::Value::Object(defaults).to_string();
        let input = Input {
            settings: &settings,
            ..Input::default()
        };
        assert_eq!(input.settings::<Settings>().unwrap(), Settings::default());
        assert_eq!(properties.len(), 3);
    }
}
