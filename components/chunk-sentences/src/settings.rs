//! What a user can choose, and the sizes that follow from it.

use serde::Deserialize;

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
      "default": 500,
      "description": "The most tokens in a window; what the model reads where that is less."
    },
    "overlap": {
      "type": "integer",
      "minimum": 0,
      "maximum": 4294967294,
      "default": 50,
      "description": "The most tokens that a window repeats of the one before; less than `tokens`."
    }
  }
}"#;

/// The settings of this component.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The most tokens in a window, at least [`MIN_BUDGET`]; the budget where
    /// that is less.
    pub tokens: u32,
    /// The most tokens that a window repeats of the one before; less than
    /// `tokens`. Where the budget makes windows smaller, at most half of one.
    pub overlap: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tokens: 500,
            overlap: 50,
        }
    }
}

/// Sizes in tokens that one call works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The most a chunk may have.
    pub(crate) window: usize,
    /// The most a chunk repeats; less than `window`.
    pub(crate) overlap: usize,
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
                "the settings of chunk-sentences cannot be read: {error}; it takes {{\"tokens\": number, \"overlap\": number}}"
            ))
        })?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Failure> {
        let Self { tokens, overlap } = *self;
        if tokens < MIN_BUDGET {
            Err(invalid(format!(
                "the setting `tokens` of chunk-sentences is {tokens}; give at least {MIN_BUDGET}, or leave it out"
            )))
        } else if overlap >= tokens {
            Err(invalid(format!(
                "the setting `overlap` of chunk-sentences is {overlap} and `tokens` is {tokens}; give an overlap smaller than the window"
            )))
        } else {
            Ok(())
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
        let (window, overlap) = if budget < self.tokens {
            (budget, self.overlap.min(budget / 2))
        } else {
            (self.tokens, self.overlap)
        };
        Ok(Sizes {
            window: window as usize,
            overlap: overlap as usize,
        })
    }
}

fn invalid(message: String) -> Failure {
    Failure {
        kind: FailureKind::InvalidInput,
        message,
    }
}
