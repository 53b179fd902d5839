//! Whose tasks are whose, and whether what they came to may still be told.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pkb_engine::Engine;
use rmcp::model::{DetailedTask, ErrorData, TaskPayload};
use rmcp::task_manager::TaskManager;

use super::tool::failure;
use crate::access::Grant;

/// The tasks that clients were given.
#[derive(Default)]
pub(super) struct Owners(Mutex<HashMap<String, Begun>>);

struct Begun {
    /// The name of the grant that it was given under.
    owner: String,
    /// The sources that there were, which its result may name.
    sources: Vec<String>,
}

impl Owners {
    /// Notes a task before its id is told, and forgets those that the manager
    /// has.
    pub(super) fn note(&self, tasks: &TaskManager, id: &str, owner: &Grant, sources: Vec<String>) {
        let owner = owner.name.clone();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|id, _| tasks.get_task(id).is_ok());
        known.insert(id.to_owned(), Begun { owner, sources });
    }

    /// The sources that a caller's task may name.
    ///
    /// # Errors
    /// The same for a task of somebody else as for one that is none.
    pub(super) fn sources(&self, id: &str, caller: &Grant) -> Result<Vec<String>, ErrorData> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (known.get(id).filter(|task| task.owner == caller.name))
            .map(|task| task.sources.clone())
            .ok_or_else(|| ErrorData::invalid_params(format!("unknown task: {id}"), None))
    }
}

/// The names of all sources that a client may know of.
pub(super) fn names(engine: &Engine) -> Vec<String> {
    let sources = engine.sources().unwrap_or_default();
    sources.into_iter().map(|source| source.spec.name).collect()
}

/// Takes back what a task came to where a source that it may name is private
/// by now, or gone.
pub(super) fn withhold(task: &mut DetailedTask, then: &[String], now: &[String]) {
    if then.iter().all(|name| now.contains(name)) {
        return;
    }
    if let TaskPayload::Completed { result } = &mut task.payload {
        let told = failure(
            "What this task did stays done, but its report is gone, as it may name a source that is not there any \
             more. `list_sources` says how the others are.",
        );
        *result = match serde_json::to_value(told) {
            Ok(serde_json::Value::Object(told)) => told,
            _ => Default::default(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::task_manager::TaskOptions;

    #[tokio::test]
    async fn a_task_of_somebody_else_is_none() {
        let (owners, tasks) = (Owners::default(), TaskManager::new());
        let task = tasks.spawn(TaskOptions::new(), |_| {
            Box::pin(async { Ok(failure("done")) })
        });
        let named = |name: &str| Grant {
            name: name.into(),
            ..Grant::OWNER
        };
        owners.note(&tasks, &task.task_id, &named("ada"), vec!["notes".into()]);
        let own = owners.sources(&task.task_id, &named("ada")).unwrap();
        assert_eq!(own, ["notes"]);
        let other = owners.sources(&task.task_id, &named("bob")).unwrap_err();
        let none = tasks.get_task("unheard").unwrap_err();
        assert_eq!(other.code, none.code);
        assert_eq!(
            other.message.replace(&task.task_id, "unheard"),
            none.message
        );
    }
}
