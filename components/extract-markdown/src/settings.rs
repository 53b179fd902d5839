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
    "format": {
      "type": "string",
      "enum": ["auto", "markdown", "text"],
      "default": "auto",
      "description": "How a file is read: as Markdown, as plain text without markup, or as its extension says."
    }
  }
}"#;

/// File name extensions, in lower case, that mean Markdown.
const MARKDOWN_EXTENSIONS: [&str; 11] = [
    "md", "markdown", "mdx", "mdown", "mdwn", "mkd", "mkdn", "mkdown", "qmd", "rmd", "livemd",
];

/// What a user can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Files of more bytes than this are refused.
    pub max_bytes: u64,
    /// How files are read.
    pub format: Format,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// As Markdown where the file name's extension says so, else as text.
    #[default]
    Auto,
    /// As Markdown.
    Markdown,
    /// As plain text: no frontmatter, tags, links or comments.
    Text,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            format: Format::Auto,
        }
    }
}

impl Format {
    /// Whether the file called `name` is read as Markdown.
    pub(crate) fn is_markdown(self, name: &str) -> bool {
        match self {
            Self::Markdown => true,
            Self::Text => false,
            Self::Auto => name.rsplit_once('.').is_some_and(|(_, extension)| {
                MARKDOWN_EXTENSIONS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            }),
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
        assert_eq!(properties.len(), 2);
    }

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(parse("").unwrap(), Settings::default());
        assert_eq!(parse("{}").unwrap(), Settings::default());
        let text = parse(r#"{"format":"text","max_bytes":5}"#).unwrap();
        assert_eq!((text.format, text.max_bytes), (Format::Text, 5));
        for wrong in [r#"{"fromat":"text"}"#, r#"{"format":"pdf"}"#, "[", "3"] {
            let failure = parse(wrong).unwrap_err();
            assert_eq!(failure.kind, FailureKind::InvalidInput);
        }
    }

    #[test]
    fn the_extension_tells_markdown_from_text() {
        for name in ["a.md", "A.MD", "x.y.markdown", "p.mdx"] {
            assert!(Format::Auto.is_markdown(name), "{name}");
        }
        for name in ["a.txt", "md", "README", "a.md.txt", ""] {
            assert!(!Format::Auto.is_markdown(name), "{name}");
        }
    }
}
