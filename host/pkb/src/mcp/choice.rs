//! Which items a tool is asked for.

use pkb_engine::{Error, Filter, Test, Time, conditions};
use schemars::JsonSchema;
use serde::Deserialize;

use super::render::{date, line};
use crate::filters::When;

/// What is asked for most has an argument of its own; all else there is goes
/// into one, in the language of queries, so that a tool's schema stays short.
/// What is empty counts as not given: models write that.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Choice {
    /// Only these.
    sources: Vec<String>,
    /// From 2024-03, today, last-month, 7d.
    after: Option<When>,
    /// Such as kind:note tag:work -tag:draft path:a/** title:x author:x lang:de
    /// before:2024 created:2024.. duration:>10m is:untagged prop.x:y.
    filter: Option<String>,
}

impl Choice {
    /// What it asks of an item, and that in words, a sentence for each part.
    ///
    /// # Errors
    /// [`Error::Usage`] where the filter holds what is no condition.
    pub(super) fn filter(&self) -> Result<(Filter, Vec<String>), Error> {
        let given = |text: &&String| !text.trim().is_empty();
        let mut filter = Filter::default();
        let mut words = Vec::new();
        let sources: Vec<String> = self.sources.iter().filter(given).cloned().collect();
        if !sources.is_empty() {
            words.push(format!("in the source {}", line(&sources.join(" or "))));
            filter = filter.and(Test::Source(sources));
        }
        if let Some(when) = &self.after {
            let start = when.start();
            let said = date(start).unwrap_or_else(|| start.to_string());
            words.push(format!("dated from {said}"));
            filter = filter.and(Test::Time {
                which: Time::Any,
                from: Some(start),
                until: None,
            });
        }
        if let Some(more) = &self.filter {
            let (asked, understood) = conditions(more)?;
            filter.conditions.extend(asked.conditions);
            let understood = understood.iter().map(|part| line(&part.meaning));
            words.extend(understood);
        }
        Ok((filter, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn asked(arguments: Value) -> Result<(Filter, Vec<String>), String> {
        let choice: Choice = serde_json::from_value(arguments).map_err(|e| e.to_string())?;
        choice.filter().map_err(|e| e.to_string())
    }

    #[test]
    fn all_parts_are_conditions_and_are_said_in_words() {
        let (filter, words) = asked(json!({
            "sources": ["a", "b"], "after": "1970-01-02",
            "filter": "before:1971 tag:x kind:note -tag:draft is:deleted",
        }))
        .unwrap();
        assert_eq!(filter.conditions.len(), 7, "{filter:?}");
        assert_eq!(filter.conditions[3].test, Test::Tag("x".into()));
        assert_eq!(words.len(), 7, "{words:?}");
        assert_eq!(words[0], "in the source a or b");
        assert!(words[1].starts_with("dated from 1970-01-0"), "{words:?}");
        assert_eq!(words[5], "not with the tag #draft");
    }

    #[test]
    fn what_is_empty_is_not_given() {
        let (filter, words) = asked(json!({"sources": [""], "filter": "  "})).unwrap();
        assert!(filter.is_empty() && words.is_empty());
    }

    #[test]
    fn what_is_no_condition_is_named() {
        let wrong = asked(json!({"filter": "kind:note plain words"})).unwrap_err();
        assert!(wrong.contains("\"plain\" is no condition"), "{wrong}");
        let wrong = asked(json!({"after": "someday"})).unwrap_err();
        assert!(wrong.contains("last-month"), "{wrong}");
    }
}
