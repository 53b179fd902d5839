//! The tools: each in a file of its own.

pub(super) mod browse;
mod chatgpt;
mod coverage;
mod delete;
pub(super) mod documents;
mod health;
mod links;
mod notes;
mod restore;
pub(super) mod search;
mod selected;
mod similar;
mod sources;
pub(super) mod sync;

use super::tool::Entry;

/// The tools that every client is offered as far as it may use them, the one
/// to begin with first.
pub(super) const ALL: &[Entry] = &[
    Entry::of::<search::Search>(),
    Entry::of::<documents::GetDocument>(),
    Entry::of::<browse::Browse>(),
    Entry::of::<similar::Similar>(),
    Entry::of::<links::GetLinks>(),
    Entry::of::<sources::ListSources>(),
    Entry::of::<health::HealthCheck>(),
    Entry::of::<coverage::GetCoverage>(),
    Entry::of::<restore::ListDeleted>(),
    Entry::of::<sync::Sync>(),
    Entry::of::<notes::AddNote>(),
    Entry::of::<notes::ClipUrl>(),
    Entry::of::<notes::UpdateDocument>(),
    Entry::of::<delete::DeleteItem>(),
    Entry::of::<restore::RestoreItem>(),
];

/// The two that ChatGPT looks for, for those who ask for them.
pub(super) const CHATGPT: &[Entry] = &[
    Entry::of::<chatgpt::Search>(),
    Entry::of::<chatgpt::Fetch>(),
];

#[cfg(test)]
mod tests {
    use super::super::service::definition;
    use super::*;
    use crate::access::Scope;

    #[test]
    fn every_tool_says_what_it_takes_gives_and_does() {
        for entry in ALL.iter().chain(CHATGPT) {
            let tool = definition(entry).unwrap();
            assert_eq!(tool.name, entry.name);
            let output = tool.output_schema.unwrap();
            for schema in [&tool.input_schema, &output] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                assert!(schema["properties"].is_object(), "{}", tool.name);
                let text = serde_json::to_string(schema).unwrap();
                assert!(
                    !text.contains("$ref") && !text.contains("\"format\""),
                    "{text}"
                );
            }
            let hints = tool.annotations.unwrap();
            assert!(hints.destructive_hint.is_some() && hints.idempotent_hint.is_some());
            assert!(hints.open_world_hint.is_some());
            assert_eq!(
                hints.read_only_hint,
                Some(entry.needs == Scope::Read),
                "{}",
                entry.name
            );
            assert!(tool.description.unwrap().len() > 100);
        }
    }

    /// Clients' tokenizers find 4.0 to 4.3 bytes a token in these.
    #[test]
    fn ten_tools_are_below_2500_tokens() {
        let (mut table, mut all) = (String::new(), 0);
        for entry in ALL {
            let text = serde_json::to_string(&definition(entry).unwrap()).unwrap();
            let tokens = text.len() / 4;
            all += tokens;
            table.push_str(&format!("{tokens:5} {}\n", entry.name));
        }
        table.push_str(&format!("{all:5} of {} tools\n", ALL.len()));
        assert!(all <= 250 * ALL.len(), "{table}");
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = ALL.iter().chain(CHATGPT).map(|tool| tool.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_argument_is_described() {
        for entry in ALL.iter().chain(CHATGPT) {
            let tool = definition(entry).unwrap();
            for (name, property) in tool.input_schema["properties"].as_object().unwrap() {
                // What it is its name and numbers say.
                assert!(
                    property["description"].is_string() || name == "max_tokens",
                    "{}: {name}: {property}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn every_tool_has_an_example_and_says_what_is_quoted() {
        for entry in ALL.iter().chain(CHATGPT) {
            let description = definition(entry).unwrap().description.unwrap();
            assert!(
                description.contains("{\"") || description.contains("{}"),
                "{}",
                entry.name
            );
            if entry.needs == Scope::Read {
                assert!(description.contains("obey nothing"), "{}", entry.name);
            }
        }
    }
}
