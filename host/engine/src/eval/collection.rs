//! Ranking quality on a judged collection in BEIR's layout (Thakur et al.
//! 2021): `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use pkb_store::Filter;
use serde::Deserialize;

use super::ask::{in_parallel, ranked};
use super::lines::{Layout, id, judgements_file};
use super::metrics::{Judged, ndcg, recall, reciprocal_rank};
use super::report::{Kind, Measure, Report, Row};
use super::scratch::{Document, Scratch};
use super::{EvalOptions, spread};
use crate::engine::missing_model;
use crate::error::Error;
use crate::home::Home;
use crate::job::{Job, Stage};
use crate::search::Mode;

/// Items asked for: the depth that recall is measured at.
pub(super) const DEPTH: usize = 100;

const LAYOUT: Layout = Layout(
    "A collection is a folder with corpus.jsonl (`_id`, `title`, `text`), queries.jsonl (`_id`, `text`) and qrels/test.tsv (query, document, gain, parted by tabs).",
);

#[derive(Deserialize)]
struct CorpusLine {
    #[serde(rename = "_id", deserialize_with = "id")]
    id: String,
    #[serde(default)]
    title: Option<String>,
    text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id", deserialize_with = "id")]
    id: String,
    text: String,
}

/// A query and what answers it.
pub(super) struct Query {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) judged: Judged,
    /// What is searched.
    pub(super) filter: Filter,
}

/// Searches the collection in `folder` with every judged query of `split`, in
/// a database of its own that uses the models, settings and plugins of `home`.
///
/// # Errors
/// When a file is missing or is not as BEIR lays it out; when a way to search
/// was asked for that needs a model and there is none; [`Error::Stopped`].
pub fn collection(
    home: &Home,
    folder: &Path,
    split: &str,
    options: &EvalOptions,
    job: &dyn Job,
) -> Result<Report, Error> {
    let mut report = Report::new(Kind::Collection, name_of(folder), options);
    let (documents, queries) = read(folder, split, options, &mut report.notes)?;
    let scratch = Scratch::open(
        home,
        options.keep.as_deref(),
        options.chunker.as_deref(),
        options.chunker_settings.as_deref(),
    )?;
    let embedded = scratch.fill(&documents, options.wants_vectors(), job)?;
    let modes = options.modes(embedded.model.is_some());
    if embedded.model.is_none() && options.wants_vectors() {
        let missing = missing_model(&scratch.engine.model_name()?);
        if modes.is_empty() {
            return Err(Error::NotFound {
                what: missing,
                near: Vec::new(),
                hint: String::new(),
            });
        }
        report
            .notes
            .push(format!("Searched by word only: {missing}"));
    }
    let names = scratch.names()?;
    for mode in modes {
        let row = score(mode, &queries, job, |query| {
            let request = options.request(&query.text, mode, &query.filter, DEPTH);
            let mut ranked = ranked(&scratch.engine, &names, &request)?;
            // As BEIR does: in some collections queries are documents too.
            ranked.retain(|id| *id != query.id);
            Ok(ranked)
        })?;
        report.rows.push(row);
    }
    report.split = Some(split.to_owned());
    report.model = embedded.model;
    report.chunker = Some(scratch.pipeline.chunker_name().to_owned());
    report.chunker_settings = options.chunker_settings.clone();
    report.documents = documents.len() as u64;
    report.chunks = Some(scratch.engine.everything().stats()?.chunks);
    report.queries = queries.into_iter().map(|query| query.id).collect();
    report.add_differences();
    Ok(report)
}

/// Asks every query in one way; what is found is measured at 10 and at
/// [`DEPTH`].
pub(super) fn score(
    mode: Mode,
    queries: &[Query],
    job: &dyn Job,
    ask: impl Fn(&Query) -> Result<Vec<String>, Error> + Sync,
) -> Result<Row, Error> {
    let scores = in_parallel(queries.len(), Stage::Asking, job, |at| {
        let query = &queries[at];
        let ranked = ask(query)?;
        Ok([
            ndcg(&ranked, &query.judged, 10),
            recall(&ranked, &query.judged, DEPTH),
            reciprocal_rank(&ranked, &query.judged, 10),
        ])
    })?;
    let measures = ["nDCG@10", "recall@100", "MRR@10"];
    let measure = |(at, name): (usize, &&str)| {
        Measure::of(name, scores.iter().map(|scores| scores[at]).collect())
    };
    Ok(Row {
        chunker: None,
        mode,
        part: None,
        chunks: None,
        measures: measures.iter().enumerate().map(measure).collect(),
    })
}

fn read(
    folder: &Path,
    split: &str,
    options: &EvalOptions,
    notes: &mut Vec<String>,
) -> Result<(Vec<Document>, Vec<Query>), Error> {
    if !folder.is_dir() {
        return Err(LAYOUT.unfit(folder, "it is not a folder"));
    }
    let corpus = folder.join("corpus.jsonl");
    let mut documents = Vec::new();
    let mut ids = HashSet::new();
    for (at, line) in LAYOUT.json::<CorpusLine>(&corpus)? {
        if !ids.insert(line.id.clone()) {
            let what = format!("the id {:?} stood on a line before", line.id);
            return Err(LAYOUT.malformed(&corpus, at, what));
        }
        documents.push(document(line));
    }
    let qrels = folder.join("qrels");
    if !qrels.is_dir() {
        return Err(LAYOUT.unfit(&qrels, "there is no such folder"));
    }
    let file = judgements_file(LAYOUT, &qrels, split)?;
    let mut judgements = LAYOUT.judgements(&file)?;
    let absent = judgements
        .values()
        .flat_map(HashMap::keys)
        .filter(|id| !ids.contains(*id))
        .count();
    if absent > 0 {
        notes.push(format!(
            "{absent} judged documents are not in the corpus; they count as not found"
        ));
    }
    let queries = LAYOUT
        .json::<QueryLine>(&folder.join("queries.jsonl"))?
        .into_iter()
        .filter_map(|(_, line)| {
            Some(Query {
                judged: judgements.remove(&line.id)?,
                id: line.id,
                text: line.text,
                filter: Filter::default(),
            })
        });
    let queries = spread(queries.collect(), options.limit_queries);
    if !judgements.is_empty() {
        notes.push(format!(
            "{} judged queries are not in queries.jsonl; they were left out",
            judgements.len()
        ));
    }
    if queries.is_empty() {
        return Err(LAYOUT.unfit(&file, "it judges no query of queries.jsonl"));
    }
    Ok((documents, queries))
}

/// Title and text together, as BEIR's baselines read them, and as a note that
/// begins with its title.
fn document(line: CorpusLine) -> Document {
    let title = line.title.unwrap_or_default().trim().to_owned();
    let text = match title.as_str() {
        "" => line.text,
        title => format!("{title}\n\n{}", line.text),
    };
    Document {
        id: line.id,
        title,
        text,
        chunk: None,
    }
}

/// What people call a folder.
pub(super) fn name_of(folder: &Path) -> String {
    let whole = folder.canonicalize();
    let whole = whole.as_deref().unwrap_or(folder);
    whole.file_name().map_or_else(
        || folder.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(corpus: &str, queries: &str, qrels: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("qrels")).unwrap();
        for (name, text) in [
            ("corpus.jsonl", corpus),
            ("queries.jsonl", queries),
            ("qrels/test.tsv", qrels),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn refused(folder: &Path, split: &str) -> Error {
        match read(folder, split, &EvalOptions::default(), &mut Vec::new()) {
            Ok(_) => panic!("it was read"),
            Err(error) => error,
        }
    }

    const CORPUS: &str =
        "{\"_id\": 1, \"title\": \"T\", \"text\": \"x\"}\n{\"_id\": \"b\", \"text\": \"y\"}\n";
    const QUERIES: &str =
        "{\"_id\": \"q\", \"text\": \"x?\"}\n{\"_id\": \"r\", \"text\": \"y?\"}\n";

    #[test]
    fn a_collection_is_read() {
        let folder = folder(CORPUS, QUERIES, "q\t1\t1\nq\tgone\t1\nz\tb\t1\n");
        let mut notes = Vec::new();
        let (documents, queries) =
            read(folder.path(), "test", &EvalOptions::default(), &mut notes).unwrap();
        assert_eq!(documents[0].text, "T\n\nx");
        assert_eq!(
            (documents[1].id.as_str(), documents[1].text.as_str()),
            ("b", "y")
        );
        assert_eq!(queries.len(), 1);
        assert_eq!(queries[0].judged.len(), 2);
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn what_is_malformed_is_named_by_file_and_line() {
        let cases = [
            (
                "{\"_id\": 1, \"text\": \"x\"}\n\nnonsense\n",
                QUERIES,
                "q\t1\t1",
                "line 3 of ",
                "corpus.jsonl",
            ),
            (
                "{\"_id\": 1, \"text\": \"x\"}\n{\"_id\": \"1\", \"text\": \"x\"}\n",
                QUERIES,
                "q\t1\t1",
                "line 2 of ",
                "stood on a line before",
            ),
            (
                "{\"_id\": 1}\n",
                QUERIES,
                "q\t1\t1",
                "line 1 of ",
                "missing field `text`",
            ),
            (CORPUS, "[1]\n", "q\t1\t1", "line 1 of ", "queries.jsonl"),
            (CORPUS, QUERIES, "q\t1\n", "line 1 of ", "2 columns"),
            (CORPUS, QUERIES, "", "test.tsv", "judges no query"),
        ];
        for (corpus, queries, qrels, first, second) in cases {
            let error = refused(folder(corpus, queries, qrels).path(), "test").to_string();
            assert!(error.contains(first) && error.contains(second), "{error}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let folder = folder(CORPUS, QUERIES, "q\t1\t1");
        let error = refused(folder.path(), "dev");
        assert!(error.to_string().contains("no dev.tsv"), "{error}");
        assert!(error.hint().unwrap().contains("test"));
        let error = refused(&folder.path().join("qrels"), "test");
        assert!(
            error
                .to_string()
                .contains("corpus.jsonl: there is no such file"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("queries.jsonl"));
    }
}
