//! Two reports side by side.

use std::collections::HashMap;

use serde::Serialize;

use super::metrics::Estimate;
use super::report::{Kind, Measure, Report};
use crate::error::Error;
use crate::search::Mode;

/// What became of one measure between two reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The chunker, where several were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunker: Option<String>,
    /// How it was searched.
    pub mode: Mode,
    /// The measure.
    pub measure: String,
    /// In the first report.
    pub before: f64,
    /// In the second report.
    pub after: f64,
    /// Second minus first. Its bounds come from the queries that both asked,
    /// one by one; where there are none, from the two intervals.
    pub difference: Estimate,
    /// Whether it was computed query by query.
    pub paired: bool,
    /// Whether no difference at all is among what is likely.
    pub noise: bool,
}

/// What changed from one report to another of the same kind: whatever both
/// measured.
///
/// # Errors
/// When the reports are of different kinds or have nothing in common.
pub fn compare(before: &Report, after: &Report) -> Result<Vec<Change>, Error> {
    let hint =
        "Compare two reports that `pkb eval --out FILE` wrote for the same kind of test set.";
    if before.kind != after.kind {
        return Err(Error::usage(
            format!(
                "the first report measures {}, the second {}",
                what(before.kind),
                what(after.kind)
            ),
            hint,
        ));
    }
    let mut changes = Vec::new();
    for row in after.rows.iter().filter(|row| row.part.is_none()) {
        let same = before.rows.iter().find(|other| {
            other.part.is_none() && other.mode == row.mode && other.chunker == row.chunker
        });
        for measure in &row.measures {
            let Some(other) = same.and_then(|row| row.measure(&measure.name)) else {
                continue;
            };
            let (difference, paired) = match paired((before, other), (after, measure)) {
                Some(difference) => (difference, true),
                None => (apart(&other.estimate, &measure.estimate), false),
            };
            changes.push(Change {
                chunker: row.chunker.clone(),
                mode: row.mode,
                measure: measure.name.clone(),
                before: other.estimate.mean,
                after: measure.estimate.mean,
                difference,
                paired,
                noise: difference.is_noise(),
            });
        }
    }
    if changes.is_empty() {
        return Err(Error::usage("the two reports have no row in common", hint));
    }
    Ok(changes)
}

fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Collection => "a judged collection",
        Kind::Spans => "spans",
        Kind::Links => "links",
    }
}

/// Over the queries that both asked; none where there are none.
fn paired(before: (&Report, &Measure), after: (&Report, &Measure)) -> Option<Estimate> {
    if before.0.data != after.0.data || before.0.split != after.0.split {
        return None;
    }
    let known: HashMap<&String, f64> = before
        .0
        .queries
        .iter()
        .zip(before.1.values.iter().copied())
        .collect();
    let (new, old): (Vec<f64>, Vec<f64>) = after
        .0
        .queries
        .iter()
        .zip(&after.1.values)
        .filter_map(|(query, value)| Some((*value, *known.get(query)?)))
        .unzip();
    (!new.is_empty()).then(|| Estimate::of_difference(&new, &old))
}

/// The difference of two independent means: the half-widths of their intervals
/// add up as the standard errors do, by squares.
fn apart(before: &Estimate, after: &Estimate) -> Estimate {
    let mean = after.mean - before.mean;
    Estimate {
        mean,
        low: mean - (after.mean - after.low).hypot(before.high - before.mean),
        high: mean + (after.high - after.mean).hypot(before.mean - before.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvalOptions;
    use crate::eval::report::Row;

    fn report(kind: Kind, queries: &[&str], values: &[f64]) -> Report {
        let mut report = Report::new(kind, "set".into(), &EvalOptions::default());
        report.queries = queries.iter().map(|query| (*query).to_owned()).collect();
        report.rows.push(Row {
            chunker: None,
            mode: Mode::Lexical,
            part: None,
            chunks: None,
            measures: vec![Measure::of("nDCG@10", values.to_vec())],
        });
        report
    }

    #[test]
    fn the_same_queries_are_compared_one_by_one() {
        let before = report(Kind::Links, &["a", "b", "c"], &[0.1, 0.9, 0.5]);
        let after = report(Kind::Links, &["c", "d", "a"], &[0.6, 0.0, 0.2]);
        let [change] = compare(&before, &after).unwrap().try_into().unwrap();
        assert!(change.paired && !change.noise);
        assert!((change.difference.mean - 0.1).abs() < 1e-9);
    }

    #[test]
    fn without_shared_queries_the_intervals_decide() {
        let before = report(Kind::Links, &["a", "b"], &[0.1, 0.9]);
        let after = report(Kind::Links, &["c", "d"], &[0.2, 0.9]);
        let [change] = compare(&before, &after).unwrap().try_into().unwrap();
        assert!(!change.paired && change.noise);
        assert!((change.difference.mean - 0.05).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let links = report(Kind::Links, &["a"], &[0.1]);
        let error = compare(&links, &report(Kind::Spans, &["a"], &[0.1])).unwrap_err();
        assert!(error.to_string().contains("links"), "{error}");
        let mut other = links.clone();
        other.rows[0].mode = Mode::Dense;
        assert!(compare(&links, &other).is_err());
    }
}
