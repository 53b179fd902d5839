//! What was measured, for people.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;

use jiff::civil::Date;
use jiff::{Timestamp, ZonedDateTime};
use serde::Serialize;

use super::folder::{self, Folder};
use super::numbers::{Numbers, Stage};
use super::stages::known;
use crate::error::Error;
use crate::home::Home;
use crate::query::dates::span_of;

/// What a home's pkb did, and how long that took.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// The first day that counts and that something was measured on, in UTC;
    /// none where there is none.
    pub since: Option<String>,
    /// Days that something was measured on.
    pub days: usize,
    /// The stages that were gone through, in the order of the work.
    pub stages: Vec<StageReport>,
    /// What was done, in sum.
    pub totals: Totals,
}

/// What was measured of one stage.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StageReport {
    /// Its name: one of [`super::STAGES`], for `mcp.request` with the tool's
    /// name behind it.
    pub stage: String,
    /// What it is.
    pub about: &'static str,
    /// How often it was gone through.
    pub calls: u64,
    /// Calls in a second of its own time.
    pub per_second: f64,
    /// Half of the calls took no longer, in milliseconds.
    pub p50_ms: f64,
    /// 95 of 100 calls took no longer, in milliseconds.
    pub p95_ms: f64,
    /// 99 of 100 calls took no longer, in milliseconds.
    pub p99_ms: f64,
    /// The longest call, in milliseconds.
    pub max_ms: f64,
    /// All calls together, in milliseconds. Calls that ran side by side, or
    /// within another stage, count in full.
    pub total_ms: f64,
    /// What went through it: bytes, chunks, tokens ...
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub amounts: BTreeMap<String, u64>,
    /// How often it came to what.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outcomes: BTreeMap<String, BTreeMap<String, u64>>,
}

/// What was done, in sum.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Files read, those that failed not counted.
    pub files: u64,
    /// Bytes of the files that were opened.
    pub bytes: u64,
    /// Files that could not be read, by reason.
    pub failures: BTreeMap<String, u64>,
    /// Chunks made.
    pub chunks: u64,
    /// Vectors made.
    pub vectors: u64,
    /// Tokens that they were made of.
    pub tokens: u64,
    /// Tokens in a second of the model's time; 0 where there were none.
    pub tokens_per_second: f64,
    /// Searches that looked for something.
    pub searches: u64,
    /// Of these, those with strong evidence.
    pub strong: u64,
    /// Those with partial evidence.
    pub partial: u64,
    /// Those with none.
    pub none: u64,
    /// Components made ready from the cache of compiled ones.
    pub components_cached: u64,
    /// Components compiled.
    pub components_compiled: u64,
    /// Size of the database now, in bytes.
    pub database_bytes: u64,
}

impl Stats {
    /// What was measured in `home` since a date or for a time such as `7d`, or
    /// ever. Days count in whole.
    ///
    /// # Errors
    /// [`Error::Usage`] for a date that is none.
    pub fn of(home: &Home, since: Option<&str>) -> Result<Stats, Error> {
        let since = match since {
            Some(since) => first_day(since, &ZonedDateTime::now())?,
            None => Date::MIN,
        };
        let (numbers, days) = Folder::of_home(&home.folder).since(since);
        let mut stages: Vec<StageReport> = numbers
            .stages()
            .map(|(name, stage)| StageReport::of(name, stage))
            .collect();
        stages.sort_by_key(|report| known(&report.stage).0);
        Ok(Stats {
            since: days.first().map(Date::to_string),
            days: days.len(),
            stages,
            totals: Totals {
                database_bytes: database_bytes(home),
                ..Totals::of(&numbers)
            },
        })
    }

    /// Forgets what was measured in `home`.
    ///
    /// # Errors
    /// When the files cannot be removed.
    pub fn reset(home: &Home) -> Result<(), Error> {
        Folder::of_home(&home.folder).clear().map_err(|error| {
            Error::file(
                "cannot forget what was measured",
                &home.folder.join("telemetry"),
                error,
            )
        })
    }
}

fn first_day(since: &str, now: &ZonedDateTime) -> Result<Date, Error> {
    let span = span_of(since, now);
    let moment = span.and_then(|span| Timestamp::from_millisecond(span.start).ok());
    moment.map(folder::day_of).ok_or_else(|| {
        Error::usage(
            format!("{since:?} is no date"),
            "Write a time such as 24h, 7d or 2w, or a date such as 2026-11-30.",
        )
    })
}

impl StageReport {
    fn of(name: &str, stage: &Stage) -> StageReport {
        let quantile = |share| ms(stage.times.quantile(share).min(stage.longest));
        let total = stage.total as f64 / 1e9;
        let text = |name: &Cow<'static, str>| name.clone().into_owned();
        StageReport {
            stage: name.to_owned(),
            about: known(name).1,
            calls: stage.calls,
            per_second: per_second(stage.calls, total),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
            max_ms: ms(stage.longest),
            total_ms: ms(stage.total),
            amounts: stage
                .sums
                .iter()
                .map(|(field, sum)| (text(field), *sum))
                .collect(),
            outcomes: stage
                .words
                .iter()
                .map(|(field, words)| {
                    let words = words.iter().map(|(word, count)| (text(word), *count));
                    (text(field), words.collect())
                })
                .collect(),
        }
    }
}

impl Totals {
    fn of(numbers: &Numbers) -> Totals {
        let none = Stage::default();
        let stage = |name| numbers.stage(name).unwrap_or(&none);
        let (read, model, search) = (stage("ingest.read"), stage("embed.model"), stage("search"));
        let failures: BTreeMap<String, u64> = read
            .words
            .get("reason")
            .into_iter()
            .flatten()
            .map(|(reason, count)| (reason.clone().into_owned(), *count))
            .collect();
        let failed = failures.values().sum();
        let verdicts = ["strong", "partial", "none"].map(|word| search.counted("verdict", word));
        Totals {
            files: read.calls.saturating_sub(failed),
            bytes: read.sum("bytes"),
            failures,
            chunks: stage("ingest.chunk").sum("chunks"),
            vectors: stage("embed.store").sum("vectors"),
            tokens: model.sum("tokens"),
            tokens_per_second: per_second(model.sum("tokens"), model.total as f64 / 1e9),
            searches: verdicts.iter().sum(),
            strong: verdicts[0],
            partial: verdicts[1],
            none: verdicts[2],
            components_cached: stage("component.load").counted("cache", "hit"),
            components_compiled: stage("component.compile").calls,
            database_bytes: 0,
        }
    }
}

/// The database's file and its log. It need not be opened for that, so that
/// numbers can be had of a damaged home too.
fn database_bytes(home: &Home) -> u64 {
    let database = home.database();
    let log = database.with_extension("db-wal");
    [database, log]
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|file| file.len())
        .sum()
}

/// In thousandths.
fn ms(nanoseconds: u64) -> f64 {
    (nanoseconds as f64 / 1e3).round() / 1e3
}

/// In hundredths; 0 where no time was spent.
fn per_second(number: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        (number as f64 / seconds * 100.0).round() / 100.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_told_in_numbers() {
        let mut stage = Stage::default();
        for time in 1..=100 {
            stage.call(time * 1_000_000);
        }
        let report = StageReport::of("search", &stage);
        assert_eq!(
            (report.calls, report.max_ms, report.total_ms),
            (100, 100.0, 5050.0)
        );
        for (found, exact) in [
            (report.p50_ms, 50.0),
            (report.p95_ms, 95.0),
            (report.p99_ms, 99.0),
            (report.per_second, 19.8),
        ] {
            assert!(
                (found / exact - 1.0_f64).abs() < 0.02,
                "{found} is not {exact}"
            );
        }
        assert!(report.p99_ms <= report.max_ms);
    }

    #[test]
    fn since_is_a_date_or_a_time() {
        let now = jiff::civil::date(2026, 11, 30).at(8, 0, 0, 0);
        let now = now.to_zoned_datetime(jiff::tz::TimeZone::UTC).unwrap();
        let day = |since| first_day(since, &now).unwrap().to_string();
        assert_eq!(day("7d"), "2026-11-23");
        assert_eq!(day("24h"), "2026-11-29");
        assert_eq!(day("2026-11-02"), "2026-11-02");
        assert_eq!(day("yesterday"), "2026-11-29");
        assert!(matches!(first_day("soon", &now), Err(Error::Usage { .. })));
    }
}
