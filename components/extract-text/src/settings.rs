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
    "max_text": {
      "type": "integer",
      "minimum": 0,
      "default": 16777216,
      "description": "Tables and data are read until their text has this many bytes."
    },
    "format": {
      "type": "string",
      "enum": ["auto", "text", "code", "csv", "tsv", "json", "notebook", "xml", "opml", "org", "rst", "asciidoc", "latex", "subtitles"],
      "default": "auto",
      "description": "How a file is read: as its name and content say, or as this."
    }
  }
}"#;

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused.
    pub max_bytes: u64,
    /// Bytes of text up to which tables and data are read.
    pub max_text: usize,
    /// How files are read.
    pub format: Format,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// As its name and its content say.
    #[default]
    Auto,
    /// As text without markup.
    Text,
    /// As code, in the language that its name says.
    Code,
    /// As a table with commas, semicolons, tabs or bars between.
    Csv,
    /// As a table with tabs between.
    Tsv,
    /// As JSON, one value or many.
    Json,
    /// As a Jupyter notebook.
    Notebook,
    /// As XML.
    Xml,
    /// As an outline in XML.
    Opml,
    /// As an Org file.
    Org,
    /// As reStructuredText.
    Rst,
    /// As AsciiDoc.
    AsciiDoc,
    /// As LaTeX.
    Latex,
    /// As subtitles of any kind.
    Subtitles,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_text: 16 << 20,
            format: Format::Auto,
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
        for format in properties["format"]["enum"].as_array().unwrap() {
            serde_json::from_value::<Format>(format.clone()).unwrap();
        }
    }
}
