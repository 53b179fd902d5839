//! What one component may use.

use std::time::Duration;

use wasmtime::{ResourceLimiter, Result, error::format_err};

/// Caps for one instance of a component. Built-in components and plugins run
/// under the same ones.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of all linear memories together.
    pub memory: usize,
    /// Elements of all tables together.
    pub table_elements: usize,
    /// Core instances, linear memories and tables, each.
    pub instances: usize,
    /// Live resource handles, the host's and the guest's.
    pub handles: usize,
    /// Bytes that may cross from guest to host in one call, counted in the
    /// host's representation: arguments of a host call, or the result of a
    /// call into the guest.
    pub transfer: usize,
    /// CPU time that one call may take before it is stopped, whatever its
    /// input. By the clock on the wall it may take ten times as long.
    pub deadline: Duration,
    /// Added to the deadline for each MiB of input.
    pub deadline_per_mib: Duration,
    /// Size of a component file, in bytes.
    pub component_bytes: usize,
    /// How long compiling a component may take.
    pub compile: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory: 512 << 20,
            table_elements: 1 << 20,
            instances: 64,
            handles: 10_000,
            transfer: 192 << 20,
            deadline: Duration::from_secs(5),
            deadline_per_mib: Duration::from_secs(2),
            component_bytes: 64 << 20,
            compile: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// The deadline of a call with `input` bytes of input.
    pub(crate) fn deadline_for(&self, input: usize) -> Duration {
        self.deadline
            + self
                .deadline_per_mib
                .mul_f64(input as f64 / (1 << 20) as f64)
    }
}

/// Counts an instance's memories and tables against its limits. Refusing a
/// growth lets the guest handle it; that it was refused is remembered, so that
/// the trap which usually follows is reported for what it is.
#[derive(Debug)]
pub(crate) struct Limiter {
    memory_limit: usize,
    table_limit: usize,
    instances: usize,
    pub(crate) memory: usize,
    elements: usize,
    /// Set once a growth was refused: `memory` or `table elements`.
    pub(crate) refused: Option<&'static str>,
}

impl Limiter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Limiter {
            memory_limit: limits.memory,
            table_limit: limits.table_elements,
            instances: limits.instances,
            memory: 0,
            elements: 0,
            refused: None,
        }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > self.memory_limit {
            self.refused = Some("memory");
            return Ok(false);
        }
        self.memory = total;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        self.refused = Some("memory");
        Err(format_err!("growing a memory failed: {error}"))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        let total = self
            .elements
            .saturating_add(desired.saturating_sub(current));
        if total > self.table_limit {
            self.refused = Some("table elements");
            return Ok(false);
        }
        self.elements = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.instances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_count_together() {
        let mut limiter = Limiter::new(&Limits {
            memory: 100,
            table_elements: 10,
            ..Limits::default()
        });
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(
            !limiter.memory_growing(0, 60, None).unwrap(),
            "a second memory over the sum"
        );
        assert_eq!(limiter.refused, Some("memory"));
        assert!(limiter.memory_growing(60, 100, None).unwrap());
        assert!(limiter.table_growing(0, 10, None).unwrap());
        assert!(!limiter.table_growing(0, 1, None).unwrap());
        assert_eq!(limiter.refused, Some("table elements"));
    }

    #[test]
    fn deadline_grows_with_the_input() {
        let limits = Limits::default();
        assert_eq!(limits.deadline_for(0), limits.deadline);
        assert_eq!(
            limits.deadline_for(3 << 20),
            limits.deadline + limits.deadline_per_mib * 3
        );
    }
}
