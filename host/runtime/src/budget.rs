//! The time that one call may take: CPU time of the thread that makes it, so
//! that a busy machine does not make a slow component of a good one.

use std::time::{Duration, Instant};

/// How many times its CPU time a call may take by the clock on the wall.
const MOST_WAITING: u32 = 10;

/// A call's time, running since it was made.
#[derive(Debug)]
pub(crate) struct Budget {
    allowed: Duration,
    since: Instant,
    cpu_since: Option<Duration>,
}

impl Budget {
    pub(crate) fn start(allowed: Duration) -> Self {
        Budget {
            allowed,
            since: Instant::now(),
            cpu_since: cpu_time(),
        }
    }

    /// Leaves out time that passed in waiting for somebody else's work.
    pub(crate) fn excuse(&mut self, waited: Duration) {
        self.since = self.since.checked_add(waited).unwrap_or(self.since);
    }

    /// Allows more time.
    pub(crate) fn grant(&mut self, more: Duration) {
        self.allowed += more;
    }

    /// What is left; none when it is used up. To be asked on the thread that
    /// started it.
    pub(crate) fn left(&self) -> Option<Duration> {
        let wall = self.since.elapsed();
        let used = match (self.cpu_since, cpu_time()) {
            (Some(since), Some(now)) => now.saturating_sub(since).max(wall / MOST_WAITING),
            _ => wall,
        };
        self.allowed
            .checked_sub(used)
            .filter(|left| !left.is_zero())
    }
}

/// CPU time of this thread; none where the system does not tell.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excused_waiting_does_not_count() {
        let mut budget = Budget::start(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(600));
        assert!(budget.left().is_none(), "waiting counts a little");
        budget.excuse(Duration::from_millis(590));
        if cpu_time().is_some() {
            assert!(budget.left().is_some());
        }
    }

    #[test]
    fn work_uses_a_budget_up_and_waiting_hardly_does() {
        let budget = Budget::start(Duration::from_millis(200));
        std::thread::sleep(Duration::from_millis(300));
        if cpu_time().is_some() {
            assert!(budget.left().is_some(), "sleeping took no CPU time");
        }
        let mut n = 0_u64;
        while budget.left().is_some() {
            n = std::hint::black_box(n + 1);
            assert!(
                budget.since.elapsed() < Duration::from_secs(30),
                "it never ends"
            );
        }
    }
}
