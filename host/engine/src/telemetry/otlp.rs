//! The export to an OpenTelemetry collector, for those who ask for it: stages
//! as traces and as metrics, over OTLP/HTTP. Spans have names, times, numbers
//! and the words of [`super::layer::WORDS`]; messages of the log never leave.

use std::env;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, MeterProvider};
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, Protocol, RetryPolicy, SpanExporter, WithExportConfig,
    WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

use super::layer::{Seen, is_stage};
use super::numbers::Name;
use crate::error::Error;

/// Names the collector; the standard's other variables count too.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// What a collector may take for one request.
const PATIENCE: Duration = Duration::from_secs(5);
/// What the end of a command may take longer for what is left to be sent.
const LAST: Duration = Duration::from_millis(500);
/// An answer of a collector is a few bytes; no more of it is read.
const MOST_ANSWER: u64 = 64 << 10;

/// Sends stages to a collector while the process runs.
pub struct Exporter {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
}

impl Exporter {
    /// To the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names, such as
    /// `http://localhost:4318`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Usage`] where the variable is not set, or names no address.
    pub fn from_environment() -> Result<Exporter, Error> {
        let endpoint = env::var(ENDPOINT).unwrap_or_default();
        if endpoint.trim().is_empty() {
            return Err(Error::usage(
                format!("telemetry is to be exported, but {ENDPOINT} does not say where to"),
                format!(
                    "Set it to the address of a collector, such as {ENDPOINT}=http://localhost:4318."
                ),
            ));
        }
        Exporter::to(&endpoint).map_err(|error| {
            Error::usage(
                format!("telemetry cannot be exported: {error}"),
                format!("Look at the variables that begin with OTEL_, {ENDPOINT} first."),
            )
        })
    }

    fn to(endpoint: &str) -> Result<Exporter, ExporterBuildError> {
        let client: Arc<dyn HttpClient> = Arc::new(Client::of(endpoint));
        let spans = SpanExporter::builder()
            .with_http()
            .with_shared_http_client(client.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        let metrics = MetricExporter::builder()
            .with_http()
            .with_shared_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        let mut resource = Resource::builder()
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        if env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("pkb");
        }
        let resource = resource.build();
        Ok(Exporter {
            tracers: SdkTracerProvider::builder()
                .with_resource(resource.clone())
                .with_batch_exporter(spans)
                .build(),
            meters: SdkMeterProvider::builder()
                .with_resource(resource)
                .with_periodic_exporter(metrics)
                .build(),
        })
    }

    /// Sends stages as traces; those of single items, thousands in a sync, are
    /// in the metrics alone.
    pub(super) fn layer(&self) -> Box<dyn Layer<Registry> + Send + Sync> {
        let wanted = filter_fn(|metadata| is_stage(metadata) && *metadata.level() <= Level::DEBUG)
            .with_max_level_hint(LevelFilter::DEBUG);
        tracing_opentelemetry::layer()
            .with_tracer(self.tracers.tracer("pkb"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(wanted)
            .boxed()
    }

    pub(super) fn meters(&self) -> Meters {
        let meter = self.meters.meter("pkb");
        Meters {
            times: meter
                .f64_histogram("pkb.stage.duration")
                .with_unit("s")
                .with_description("Time that one call of a stage took")
                .build(),
            amounts: meter
                .u64_counter("pkb.stage.amount")
                .with_description("What went through a stage: files, bytes, chunks, tokens ...")
                .build(),
        }
    }

    /// Sends what is left, for as long as [`LAST`]; a collector that needs
    /// longer does not get it.
    pub(super) fn finish(&self) {
        let (tracers, meters) = (self.tracers.clone(), self.meters.clone());
        let (done, wait) = mpsc::channel::<()>();
        let work = move || {
            // What they answer was logged where it happened.
            let _ = tracers.shutdown_with_timeout(LAST);
            let _ = meters.shutdown_with_timeout(LAST);
            drop(done);
        };
        if thread::Builder::new().spawn(work).is_ok() {
            let _ = wait.recv_timeout(LAST);
        }
    }
}

/// Stages as metrics.
pub(super) struct Meters {
    times: Histogram<f64>,
    amounts: Counter<u64>,
}

impl Meters {
    pub(super) fn record(&self, stage: &Name, took: Duration, seen: &Seen) {
        let stage = KeyValue::new("stage", stage.clone().into_owned());
        let mut about = vec![stage.clone()];
        let words = seen.words().iter();
        about.extend(words.map(|(field, word)| KeyValue::new(*field, word.clone())));
        self.times.record(took.as_secs_f64(), &about);
        for &(field, number) in seen.numbers() {
            self.amounts
                .add(number, &[stage.clone(), KeyValue::new("of", field)]);
        }
    }
}

/// Speaks HTTP for the exporters, on their own threads.
#[derive(Debug)]
struct Client {
    agent: ureq::Agent,
    /// Whether it was said already that sending fails.
    said: AtomicBool,
}

impl Client {
    fn of(endpoint: &str) -> Client {
        let uri: Option<ureq::http::Uri> = endpoint.trim().parse().ok();
        let host = uri
            .as_ref()
            .and_then(ureq::http::Uri::host)
            .unwrap_or_default();
        // What stays on this machine goes through no proxy.
        let near = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        let proxy = if near {
            None
        } else {
            ureq::Proxy::try_from_env()
        };
        let agent = ureq::Agent::config_builder()
            .proxy(proxy)
            .http_status_as_error(false)
            .user_agent(concat!("pkb/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent();
        Client {
            agent,
            said: AtomicBool::new(false),
        }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let (parts, body) = request.into_parts();
        let sent = self
            .agent
            .run(Request::from_parts(parts, body.to_vec()))
            .and_then(|response| {
                let (parts, mut body) = response.into_parts();
                let bytes = body.with_config().limit(MOST_ANSWER).read_to_vec()?;
                Ok(Response::from_parts(parts, Bytes::from(bytes)))
            });
        let problem = match &sent {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("it answers {}", response.status())),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem
            && !self.said.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "telemetry cannot be sent to {host}: {problem}. Nothing else is affected; look at {ENDPOINT}"
            );
        }
        Ok(sent?)
    }
}

impl HttpClient for Client {
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        // It is called on a thread of its own, which may wait.
        let sent = self.send(request);
        Box::pin(std::future::ready(sent))
    }
}
