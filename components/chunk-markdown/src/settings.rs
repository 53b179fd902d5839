//! What a user can choose, and the sizes that follow from it.

use serde::Deserialize;

use crate::params::{DEFAULT_TARGET, TARGET_SHARE};
use crate::{Failure, FailureKind, MIN_BUDGET};

/// JSON Schema of [`Settings`].
pub const SETTINGS_SCHEMA: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "tokens": {
      "type": "integer",
      "minimum": 16,
      "maximum": 4294967295,
      "description": "Size to aim for, in tokens of the model; never more than the model reads. By default 165, or three quarters of what the model reads where that is less."
    },
    "context": {
      "type": "boolean",
      "default": true,
      "description": "Put the headings a chunk stands under, the first sentence of a paragraph that was split if it is short, the sentence before a table, and the header of a table or code block that was split, before its text when it is embedded."
    }
  }
}"#;

/// The settings of this component.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Size to aim for in tokens, at least [`MIN_BUDGET`]; the budget where
    /// that is less. None: 165, or three quarters of the budget.
    pub tokens: Option<u32>,
    /// Whether chunks carry context.
    pub context: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tokens: None,
            context: true,
        }
    }
}

/// Sizes in tokens that one call works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The most a chunk with its context may have.
    pub(crate) budget: usize,
    /// What a chunk should have; at most `budget`.
    pub(crate) target: usize,
    /// Whether chunks carry context.
    pub(crate) context: bool,
}

impl Settings {
    /// Reads settings from a JSON object; an empty string counts as `{}`.
    ///
    /// # Errors
    /// [`FailureKind::InvalidInput`] when it is no such object, names a
    /// setting that does not exist, or a value is out of range.
    pub fn parse(json: &str) -> Result<Self, Failure> {
        if json.trim().is_empty() {
            return Ok(Self::default());
        }
        let settings: Self = serde_json::from_str(json).map_err(|error| {
            invalid(format!(
                "the settings of chunk-markdown cannot be read: {error}; it takes {{\"tokens\": number, \"context\": true or false}}"
            ))
        })?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Failure> {
        match self.tokens {
            Some(tokens) if tokens < MIN_BUDGET => Err(invalid(format!(
                "the setting `tokens` of chunk-markdown is {tokens}; give at least {MIN_BUDGET}, or leave it out"
            ))),
            _ => Ok(()),
        }
    }

    /// The sizes for a budget of so many tokens.
    pub(crate) fn sizes(&self, budget: u32) -> Result<Sizes, Failure> {
        self.check()?;
        if budget < MIN_BUDGET {
            return Err(invalid(format!(
                "the token budget is {budget}, and a chunk needs at least {MIN_BUDGET}; use a model that reads longer texts"
            )));
        }
        let budget = budget as usize;
        let target = match self.tokens {
            Some(tokens) => (tokens as usize).min(budget),
            None => DEFAULT_TARGET.min(budget * TARGET_SHARE.0 / TARGET_SHARE.1),
        };
        Ok(Sizes {
            budget,
            target,
            context: self.context,
        })
    }
}

fn invalid(message: String) -> Failure {
    Failure {
        kind: FailureKind::InvalidInput,
        message,
    }
}
