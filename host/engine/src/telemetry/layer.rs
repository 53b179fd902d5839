//! The layer that measures spans.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::Measured;
use super::numbers::Name;
use super::otlp::Meters;

/// Fields whose words are counted. Each has few values, none of which comes
/// from an item or a query.
pub(super) const WORDS: [&str; 5] = ["cache", "mode", "outcome", "reason", "verdict"];
/// A field that tells calls apart that have nothing in common but the stage: it
/// becomes part of the stage's name.
const APART: &str = "tool";

/// Fields that are numbers, of one span.
const MOST: usize = 6;

/// The spans that are stages: those of pkb's own crates.
pub(super) fn stages() -> FilterFn {
    let is_stage: fn(&Metadata<'_>) -> bool = is_stage;
    filter_fn(is_stage).with_max_level_hint(LevelFilter::TRACE)
}

pub(super) fn is_stage(span: &Metadata<'_>) -> bool {
    span.is_span() && span.target().starts_with("pkb")
}

/// Measures each span that it is shown.
pub(super) struct Stopwatch {
    measured: Arc<Measured>,
    meters: Option<Meters>,
}

impl Stopwatch {
    pub(super) fn new(measured: Arc<Measured>, meters: Option<Meters>) -> Self {
        Stopwatch { measured, meters }
    }
}

/// What is known of a span that is open.
struct Running {
    since: Instant,
    seen: Seen,
}

/// The fields of a span.
#[derive(Default)]
pub(super) struct Seen {
    numbers: [(&'static str, u64); MOST],
    used: usize,
    words: Vec<(&'static str, String)>,
    apart: Option<String>,
}

impl Seen {
    pub(super) fn numbers(&self) -> &[(&'static str, u64)] {
        &self.numbers[..self.used]
    }

    pub(super) fn words(&self) -> &[(&'static str, String)] {
        &self.words
    }

    fn name(&self, stage: &'static str) -> Name {
        match &self.apart {
            Some(which) => Cow::Owned(format!("{stage}/{which}")),
            None => Cow::Borrowed(stage),
        }
    }
}

impl Visit for Seen {
    fn record_u64(&mut self, field: &Field, value: u64) {
        let name = field.name();
        let known = self.numbers().iter().position(|(own, _)| *own == name);
        let at = known.unwrap_or(self.used);
        if let Some(number) = self.numbers.get_mut(at) {
            *number = (name, value);
            self.used = self.used.max(at + 1);
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.record_u64(field, u64::try_from(value).unwrap_or(0));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == APART {
            self.apart = Some(value.to_owned());
        } else if WORDS.contains(&field.name()) {
            self.words.retain(|(name, _)| *name != field.name());
            self.words.push((field.name(), value.to_owned()));
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Stopwatch {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut seen = Seen::default();
        attributes.record(&mut seen);
        let since = Instant::now();
        span.extensions_mut().insert(Running { since, seen });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(running) = span.extensions_mut().get_mut::<Running>() {
            values.record(&mut running.seen);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let Some(Running { since, seen }) = span.extensions_mut().remove::<Running>() else {
            return;
        };
        let took = since.elapsed();
        let name = seen.name(span.name());
        let time = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.measured.add(|numbers| {
            numbers.change(&name, |stage| {
                stage.call(time);
                for &(field, number) in seen.numbers() {
                    stage.add(&Cow::Borrowed(field), number);
                }
                for (field, word) in seen.words() {
                    stage.count(&Cow::Borrowed(*field), &Cow::Owned(word.clone()), 1);
                }
            });
        });
        if let Some(meters) = &self.meters {
            meters.record(&name, took, &seen);
        }
    }
}
