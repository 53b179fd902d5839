//! The component's settings.

use serde::Deserialize;

/// JSON Schema of [`Settings`].
pub const SETTINGS_SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "max_bytes": {
      "type": "integer",
      "minimum": 1024,
      "maximum": 134217728,
      "default": 67108864,
      "description": "What a message has beyond this many bytes is left out; a mailbox may be of any size."
    },
    "quotes": {
      "type": "string",
      "enum": ["drop", "keep"],
      "default": "drop",
      "description": "Whether quoted messages, signatures and list footers are dropped from the text or kept in it."
    },
    "attachments": {
      "type": "boolean",
      "default": true,
      "description": "Whether attachments become items of their own."
    },
    "min_inline_bytes": {
      "type": "integer",
      "minimum": 0,
      "default": 16384,
      "description": "Pictures shown inside a message, such as logos, are attachments from this many bytes on."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What a message has beyond this many bytes is left out.
    pub max_bytes: u64,
    /// What becomes of quoted messages and signatures.
    pub quotes: Quotes,
    /// Whether attachments become items of their own.
    pub attachments: bool,
    /// Pictures shown inside a message are attachments from this many bytes on.
    pub min_inline_bytes: u64,
}

/// What becomes of quoted messages, signatures and list footers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// They are dropped from the text.
    #[default]
    Drop,
    /// They stay in the text.
    Keep,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            quotes: Quotes::Drop,
            attachments: true,
            min_inline_bytes: 16 << 10,
        }
    }
}

const DEFAULT_MAX_BYTES: u64 = 64 << 20;
/// A message is held in memory whole, some of it twice.
const MOST_MAX_BYTES: u64 = 128 << 20;
const LEAST_MAX_BYTES: u64 = 1 << 10;

impl Settings {
    /// How many bytes of a message are read.
    pub(crate) fn message_limit(&self) -> usize {
        let limit = self.max_bytes.clamp(LEAST_MAX_BYTES, MOST_MAX_BYTES);
        usize::try_from(limit).unwrap_or(usize::MAX)
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
        assert_eq!(properties.len(), 4);
        let bounds = &schema["properties"]["max_bytes"];
        assert_eq!(bounds["maximum"], MOST_MAX_BYTES);
        assert_eq!(bounds["minimum"], LEAST_MAX_BYTES);
    }

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(parse("{}").unwrap(), Settings::default());
        let kept = parse(r#"{"quotes":"keep","max_bytes":5}"#).unwrap();
        assert_eq!(kept.quotes, Quotes::Keep);
        assert_eq!(kept.message_limit(), 1024);
        for wrong in [r#"{"quote":"keep"}"#, r#"{"quotes":"lose"}"#, "["] {
            assert_eq!(parse(wrong).unwrap_err().kind, FailureKind::InvalidInput);
        }
    }
}
