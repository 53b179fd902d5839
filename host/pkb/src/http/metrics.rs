//! What the server counts, for Prometheus.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pkb_engine::Tally;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// The media type of what [`Metrics::text`] gives.
pub(super) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bounds of the buckets that calls are counted in, in seconds.
const BUCKETS: [f64; 14] = [
    0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 120.0,
];

type Labels<const N: usize> = [(&'static str, &'static str); N];
type Timed = Family<Labels<1>, Histogram, fn() -> Histogram>;

/// What is counted; a copy counts into the same.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Counted>);

struct Counted {
    registry: Registry,
    calls: Family<Labels<2>, Counter>,
    times: Timed,
    requests: Family<[(&'static str, String); 2], Counter>,
    rejected: Family<Labels<1>, Counter>,
    connections: Gauge,
    sessions: Gauge,
    running: Gauge,
    waiting: Gauge,
    streams: Gauge,
    items: Gauge,
    deleted: Gauge,
    chunks: Gauge,
    missing: Gauge,
    database: Gauge,
    memory: Gauge,
}

/// A connection that is counted until this is dropped.
pub(super) struct Connected(Metrics);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.0.connections.dec();
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::default();
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("pkb_build", "The pkb that runs", Info::new(version));
        let start = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let started: Gauge<f64, AtomicU64> = Gauge::default();
        started.set(start.as_secs_f64());
        let unit = Unit::Seconds;
        registry.register_with_unit(
            "process_start_time",
            "When pkb started, since 1970",
            unit,
            started,
        );
        let calls = Family::default();
        registry.register(
            "pkb_tool_calls",
            "Calls of tools, by what came of them",
            Family::clone(&calls),
        );
        let times: Timed = Family::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register_with_unit(
            "pkb_tool_call",
            "How long calls took",
            Unit::Seconds,
            times.clone(),
        );
        let requests = Family::default();
        registry.register(
            "pkb_http_requests",
            "Requests, by path and status",
            Family::clone(&requests),
        );
        let rejected = Family::default();
        registry.register(
            "pkb_http_rejected",
            "What was turned away, and why",
            Family::clone(&rejected),
        );
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, Gauge::clone(&gauge));
            gauge
        };
        let connections = gauge("pkb_http_connections", "Connections that are open");
        let sessions = gauge("pkb_http_sessions", "Sessions of clients that have them");
        let running = gauge("pkb_http_running", "Requests that are worked on");
        let waiting = gauge("pkb_http_waiting", "Requests that wait in line");
        let streams = gauge("pkb_http_streams", "Streams that only listen");
        let items = gauge("pkb_items", "Items that can be searched");
        let deleted = gauge("pkb_items_deleted", "Items deleted with a way back");
        let chunks = gauge("pkb_chunks", "Chunks that can be searched");
        let missing = gauge("pkb_vectors_missing", "Different chunks without a vector");
        let mut bytes = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register_with_unit(name, help, Unit::Bytes, Gauge::clone(&gauge));
            gauge
        };
        let database = bytes("pkb_database", "Size of the database");
        let memory = bytes("process_resident_memory", "Memory that pkb takes");
        Metrics(Arc::new(Counted {
            registry,
            calls,
            times,
            requests,
            rejected,
            connections,
            sessions,
            running,
            waiting,
            streams,
            items,
            deleted,
            chunks,
            missing,
            database,
            memory,
        }))
    }

    /// Counts a call of a tool that took so long and came to that.
    pub(crate) fn record(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        self.0
            .calls
            .get_or_create(&[("tool", tool), ("outcome", outcome)])
            .inc();
        self.0
            .times
            .get_or_create(&[("tool", tool)])
            .observe(took.as_secs_f64());
    }

    /// Counts a request that was answered.
    pub(super) fn answered(&self, path: &'static str, status: u16) {
        let labels = [("path", path.to_owned()), ("status", status.to_string())];
        self.0.requests.get_or_create(&labels).inc();
    }

    /// Counts what was turned away.
    pub(super) fn rejected(&self, reason: &'static str) {
        self.0.rejected.get_or_create(&[("reason", reason)]).inc();
    }

    /// Counts a connection.
    pub(super) fn connected(&self) -> Connected {
        self.0.connections.inc();
        Connected(self.clone())
    }

    /// Notes how much there is of sessions, and of what is running, waiting and
    /// listening.
    pub(super) fn at_work(&self, sessions: usize, taken: [usize; 3]) {
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.0.sessions.set(number(sessions));
        let gauges = [&self.0.running, &self.0.waiting, &self.0.streams];
        for (gauge, taken) in gauges.into_iter().zip(taken) {
            gauge.set(number(taken));
        }
    }

    /// Notes how much is in the home.
    pub(super) fn tally(&self, tally: &Tally) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.0.items.set(number(tally.items));
        self.0.deleted.set(number(tally.deleted));
        self.0.chunks.set(number(tally.chunks));
        self.0.missing.set(number(tally.missing));
        self.0.database.set(number(tally.bytes));
    }

    /// All of it, as Prometheus reads it.
    pub(super) fn text(&self) -> String {
        if let Some(memory) = resident_memory() {
            self.0.memory.set(memory);
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.0.registry);
        text
    }
}

/// Bytes of memory this process takes, where the system says it in a file.
fn resident_memory() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::new();
        metrics.record("search_knowledge", "answered", Duration::from_millis(7));
        metrics.answered("/mcp", 200);
        metrics.rejected("host");
        let connected = metrics.connected();
        metrics.at_work(3, [1, 2, 0]);
        metrics.tally(&Tally {
            items: 9,
            ..Tally::default()
        });
        let text = metrics.text();
        for line in [
            "pkb_tool_calls_total{tool=\"search_knowledge\",outcome=\"answered\"} 1",
            "pkb_tool_call_seconds_bucket{le=\"0.01\",tool=\"search_knowledge\"} 1",
            "pkb_http_requests_total{path=\"/mcp\",status=\"200\"} 1",
            "pkb_http_rejected_total{reason=\"host\"} 1",
            "pkb_http_connections 1",
            "pkb_http_sessions 3",
            "pkb_http_waiting 2",
            "pkb_items 9",
            "# EOF",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
        drop(connected);
        assert!(metrics.text().contains("pkb_http_connections 0"));
    }
}
