//! What was measured, in a form that is kept and compared.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::EvalOptions;
use super::metrics::Estimate;
use crate::search::{Fusion, Mode};

/// The kind of test set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A judged collection in BEIR's layout.
    Collection,
    /// Questions with the spans that answer them.
    Spans,
    /// The links of a user's own items.
    Links,
}

/// What was measured, and how it came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of pkb.
    pub pkb: String,
    /// When it was measured, as RFC 3339 writes it.
    pub date: String,
    /// The kind of test set.
    pub kind: Kind,
    /// The test set's folder, or the source; for people.
    pub data: String,
    /// The judgements used: `test`, `train` ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// The model embedded with; none where only words were searched.
    pub model: Option<String>,
    /// The chunker; none where several were compared or sources have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunker: Option<String>,
    /// The chunker's settings, a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunker_settings: Option<String>,
    /// How the legs were put together, where that is not the usual way; for
    /// people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fusion: Option<String>,
    /// Documents searched.
    pub documents: u64,
    /// Chunks searched; none where that differs from row to row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// The queries, by id, in the order of the values of each measure.
    pub queries: Vec<String>,
    /// One for each way to search, and each chunker where they are compared.
    pub rows: Vec<Row>,
    /// Fused search against its better leg, row by row.
    #[serde(default)]
    pub differences: Vec<Difference>,
    /// What the reader should know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How one way to search came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The chunker, where several are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunker: Option<String>,
    /// How it was searched.
    pub mode: Mode,
    /// The text whose queries alone count; none where all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Chunks searched, where that differs from row to row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// What was measured.
    pub measures: Vec<Measure>,
}

/// One measure over all queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Such as `nDCG@10`.
    pub name: String,
    /// Its mean and how sure that is.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Its value for each query; empty where only a part of them counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
}

/// How much better fused search does than its better leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The chunker, where several are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunker: Option<String>,
    /// The measure.
    pub measure: String,
    /// The leg that does better by that measure.
    pub better_leg: Mode,
    /// Fused minus that leg, query by query.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether no difference at all is among what is likely.
    pub noise: bool,
}

impl Report {
    /// An empty one of this version and this moment.
    pub(super) fn new(kind: Kind, data: String, options: &EvalOptions) -> Report {
        Report {
            pkb: env!("CARGO_PKG_VERSION").to_owned(),
            date: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            kind,
            data,
            split: None,
            model: None,
            chunker: None,
            chunker_settings: None,
            fusion: fusion(&options.fusion),
            documents: 0,
            chunks: None,
            queries: Vec::new(),
            rows: Vec::new(),
            differences: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Compares the fused row of each chunker with the better leg beside it.
    pub(super) fn add_differences(&mut self) {
        let whole = |row: &&Row| row.part.is_none();
        for fused in self.rows.iter().filter(whole) {
            if fused.mode != Mode::Hybrid {
                continue;
            }
            let legs: Vec<&Row> = self
                .rows
                .iter()
                .filter(whole)
                .filter(|row| row.chunker == fused.chunker && row.mode != Mode::Hybrid)
                .collect();
            if legs.len() < 2 {
                continue;
            }
            for measure in &fused.measures {
                let best = legs
                    .iter()
                    .filter_map(|leg| Some((leg.mode, leg.measure(&measure.name)?)))
                    .max_by(|(_, a), (_, b)| a.estimate.mean.total_cmp(&b.estimate.mean));
                let Some((better_leg, leg)) = best else {
                    continue;
                };
                let estimate = Estimate::of_difference(&measure.values, &leg.values);
                self.differences.push(Difference {
                    chunker: fused.chunker.clone(),
                    measure: measure.name.clone(),
                    better_leg,
                    estimate,
                    noise: estimate.is_noise(),
                });
            }
        }
    }
}

/// What was asked for besides the usual; none where nothing was.
fn fusion(fusion: &Fusion) -> Option<String> {
    let parts = [
        fusion
            .weights
            .map(|(word, meaning)| format!("weights {word}:{meaning}")),
        fusion.k.map(|k| format!("k {k}")),
        (fusion.depth > 0).then(|| format!("depth {}", fusion.depth)),
        fusion.recency.map(|days| format!("recency {days} days")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl Row {
    /// The measure of that name.
    pub fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.name == name)
    }
}

impl Measure {
    /// From the value of each query.
    pub(super) fn of(name: &str, values: Vec<f64>) -> Measure {
        Measure {
            name: name.to_owned(),
            estimate: Estimate::of(&values),
            // Six places are beyond any difference that counts.
            values: values
                .into_iter()
                .map(|v| (v * 1e6).round() / 1e6)
                .collect(),
        }
    }

    /// The same without the value of each query.
    pub(super) fn summary(name: &str, values: &[f64]) -> Measure {
        Measure {
            name: name.to_owned(),
            estimate: Estimate::of(values),
            values: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mode: Mode, values: &[f64]) -> Row {
        Row {
            chunker: None,
            mode,
            part: None,
            chunks: None,
            measures: vec![Measure::of("nDCG@10", values.to_vec())],
        }
    }

    #[test]
    fn fused_search_is_compared_with_the_better_leg() {
        let mut report = Report::new(Kind::Collection, "set".into(), &EvalOptions::default());
        report.rows = vec![
            row(Mode::Lexical, &[0.5, 0.5, 0.4]),
            row(Mode::Dense, &[0.1, 0.2, 0.1]),
            row(Mode::Hybrid, &[0.6, 0.6, 0.5]),
        ];
        report.add_differences();
        let [difference] = report.differences.as_slice() else {
            panic!("{:?}", report.differences)
        };
        assert_eq!(difference.better_leg, Mode::Lexical);
        assert!((difference.estimate.mean - 0.1).abs() < 1e-9 && !difference.noise);

        report.differences.clear();
        report.rows.remove(1);
        report.add_differences();
        assert!(report.differences.is_empty(), "one leg is no comparison");
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let options = EvalOptions {
            fusion: Fusion {
                weights: Some((2.0, 1.0)),
                ..Fusion::default()
            },
            ..EvalOptions::default()
        };
        let mut report = Report::new(Kind::Links, "notes".into(), &options);
        assert_eq!(report.fusion.as_deref(), Some("weights 2:1"));
        report.queries = vec!["a".into(), "b".into()];
        report.rows = vec![row(Mode::Hybrid, &[0.123_456_789, 1.0])];
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.contains("0.123457"), "{text}");
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }
}
