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
      "description": "Files of more bytes than this are refused."
    },
    "content": {
      "type": "string",
      "enum": ["main", "all"],
      "default": "main",
      "description": "What of a page is read: its main content, or all that it shows."
    },
    "images": {
      "type": "string",
      "enum": ["described", "all"],
      "default": "described",
      "description": "Which pictures are shown as links: those with a description, or all."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused.
    pub max_bytes: u64,
    /// What of a page is read.
    pub content: Which,
    /// Which pictures are shown.
    pub images: Images,
}

/// What of a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Its main content.
    #[default]
    Main,
    /// All that it shows.
    All,
}

/// Which pictures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Images {
    /// Those with a description.
    #[default]
    Described,
    /// All but those of no size.
    All,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            content: Which::Main,
            images: Images::Described,
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
        let all = parse(r#"{"content":"all","images":"all"}"#).unwrap();
        assert_eq!((all.content, all.images), (Which::All, Images::All));
        for wrong in [r#"{"contents":"all"}"#, r#"{"content":"some"}"#, "["] {
            assert_eq!(parse(wrong).unwrap_err().kind, FailureKind::InvalidInput);
        }
    }
}
