//! What can go wrong with a component.

use std::time::Duration;

use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use crate::bindings::types::{Failure, FailureKind};

/// The most bytes of a failure's message.
pub(crate) const MOST_MESSAGE: usize = 2_000;

/// Why a component cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not a component, or one that the engine refuses.
    #[error("{name} is not a usable WebAssembly component: {reason}")]
    Invalid {
        /// The component's file or name.
        name: String,
        /// What the engine says.
        reason: String,
    },
    /// A core module where a component is wanted.
    #[error(
        "{name} is a core WebAssembly module, not a component. Build it with `cargo build --target wasm32-wasip2`, or wrap it with `wasm-tools component new`"
    )]
    CoreModule {
        /// The component's file or name.
        name: String,
    },
    /// Fits none of the worlds in `wit/`.
    #[error("{name} does not fit a pkb world: {missing}")]
    WrongWorld {
        /// The component's file or name.
        name: String,
        /// What is missing or not allowed.
        missing: String,
    },
    /// Over a limit before anything ran.
    #[error("{name} {what}")]
    TooLarge {
        /// The component's file or name.
        name: String,
        /// Which limit, with both numbers.
        what: String,
    },
    /// Its own description could not be had.
    #[error("{name} does not describe itself: {reason}")]
    Undescribed {
        /// The component's file or name.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// No component of this name.
    #[error("there is no {world} called {name:?}; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The world asked for.
        world: String,
        /// The names there are.
        known: String,
    },
    /// The host's own fault or the system's.
    #[error("the sandbox cannot start: {0}")]
    Host(String),
}

/// Why one call into a component gave no result. The instance that made it is
/// gone; the next call gets a new one.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// The component says so itself: an ordinary failure.
    #[error("{message}")]
    Failed {
        /// The kind it gave.
        kind: FailureKind,
        /// Its sentence.
        message: String,
    },
    /// Stopped at the deadline.
    #[error("{component} ran past {} s", (.after.as_secs_f64() * 10.0).round() / 10.0)]
    Deadline {
        /// World and name, such as `chunker acme-lines`.
        component: String,
        /// The deadline.
        after: Duration,
    },
    /// Stopped at a limit.
    #[error("{component} needed more {what}")]
    Limit {
        /// World and name.
        component: String,
        /// Which limit, with its number.
        what: String,
    },
    /// Trapped.
    #[error("{component} crashed: {reason}")]
    Trapped {
        /// World and name.
        component: String,
        /// The trap and the panic message, where there is one.
        reason: String,
    },
    /// Gave a result that breaks the contract in `wit/`.
    #[error("{component} gave an invalid result: {reason}")]
    Invalid {
        /// World and name.
        component: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl CallError {
    /// A short word for the ledger: `invalid-input`, `encrypted`, `deadline`,
    /// `limit`, `crash` ...
    pub fn kind(&self) -> &'static str {
        match self {
            CallError::Failed { kind, .. } => match kind {
                FailureKind::InvalidInput => "invalid-input",
                FailureKind::Unsupported => "unsupported",
                FailureKind::Encrypted => "encrypted",
                FailureKind::TooLarge => "too-large",
                FailureKind::Unavailable => "unavailable",
                FailureKind::Internal => "internal",
            },
            CallError::Deadline { .. } => "deadline",
            CallError::Limit { .. } => "limit",
            CallError::Trapped { .. } => "crash",
            CallError::Invalid { .. } => "invalid-result",
        }
    }

    /// What a component said that it could not do.
    pub fn failed(failure: Failure) -> Self {
        CallError::Failed {
            kind: failure.kind,
            message: one_line(&failure.message, MOST_MESSAGE),
        }
    }
}

/// What was going on when a call ended in a trap.
pub(crate) struct Circumstances<'a> {
    pub(crate) component: &'a str,
    pub(crate) deadline: Duration,
    pub(crate) refused: Option<&'static str>,
    pub(crate) limits: &'a crate::Limits,
    pub(crate) stderr: &'a str,
}

/// Names the reason of a trap in terms a person can act on.
pub(crate) fn explain(error: &wasmtime::Error, now: &Circumstances<'_>) -> CallError {
    let component = now.component.to_owned();
    let trap = error.downcast_ref::<Trap>();
    if trap == Some(&Trap::Interrupt) {
        return CallError::Deadline {
            component,
            after: now.deadline,
        };
    }
    match now.refused {
        Some("memory") => {
            let what = format!(
                "memory than the {} MiB it may have",
                now.limits.memory >> 20
            );
            return CallError::Limit { component, what };
        }
        Some(other) => {
            let what = format!("{other} than the {} it may have", now.limits.table_elements);
            return CallError::Limit { component, what };
        }
        None => {}
    }
    if trap == Some(&Trap::StackOverflow) {
        return CallError::Limit {
            component,
            what: "stack than it may have (endless recursion?)".into(),
        };
    }
    if let Some(OverLimit(what)) = error.downcast_ref() {
        return CallError::Limit {
            component,
            what: what.clone(),
        };
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return CallError::Trapped {
            component,
            reason: format!("it exited with status {}", exit.0),
        };
    }
    let whole = format!("{error:#}");
    if whole.contains("fuel allocated for hostcalls") {
        let what = format!(
            "than the {} MiB it may hand over in one call",
            now.limits.transfer >> 20
        );
        return CallError::Limit { component, what };
    }
    if whole.contains("instance count too high") || whole.contains("resource limit exceeded") {
        let what = format!(
            "instances, memories or tables than the {} it may have",
            now.limits.instances
        );
        return CallError::Limit { component, what };
    }
    let said = now
        .stderr
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty() && !line.starts_with("note:"));
    let reason = match (trap, said) {
        (Some(Trap::UnreachableCodeReached), Some(said)) => said.trim().to_owned(),
        (Some(trap), Some(said)) => format!("{}; it said: {}", name_of(*trap), said.trim()),
        (Some(trap), None) => name_of(*trap),
        (None, _) => whole,
    };
    CallError::Trapped {
        component,
        reason: one_line(&reason, 500),
    }
}

/// What a trap is called, and what is behind it most often.
fn name_of(trap: Trap) -> String {
    match trap {
        Trap::UnreachableCodeReached => "it gave up without a word (a trap)".into(),
        // The stack of most languages lies in linear memory, at its start.
        Trap::MemoryOutOfBounds => {
            "it reached outside its memory, as endless recursion does".into()
        }
        other => other
            .to_string()
            .trim_start_matches("wasm trap: ")
            .to_owned(),
    }
}

/// A limit of a host function, crossed: what the guest needed more of.
#[derive(Debug, thiserror::Error)]
#[error("needed more {0}")]
pub(crate) struct OverLimit(pub(crate) String);

/// At most `most` bytes of what a component says, cut at a character and made
/// safe to show on one line: without line breaks, terminal escapes and
/// characters that turn the writing direction.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut line: String = text[..end]
        .chars()
        .map(|c| if c.is_control() || turns(c) { ' ' } else { c })
        .collect();
    if end < text.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_component_says_is_one_safe_line() {
        assert_eq!(one_line("a\r\nb\u{1b}[2Jc\u{202e}d", 100), "a  b [2Jc d");
        assert_eq!(one_line("aé", 2), "a…");
        assert_eq!(one_line("aé", 3), "aé");
    }
}
