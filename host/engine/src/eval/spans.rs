//! Chunking quality on questions with the stretches of text that answer them,
//! in the layout of Chroma's evaluation (Smith and Troynikov 2024): how much of
//! the answers the best chunks hold, and how much else.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use pkb_runtime::World;
use pkb_store::{Filter, Test};
use serde::Deserialize;

use super::ask::{Names, in_parallel, ranked};
use super::collection::name_of;
use super::lines::{Layout, id};
use super::ranges::{Characters, coverage};
use super::report::{Kind, Measure, Report, Row};
use super::scratch::{Document, Scratch};
use super::splitter::split;
use super::{EvalOptions, spread};
use crate::engine::missing_model;
use crate::error::Error;
use crate::home::Home;
use crate::job::{Job, Stage};
use crate::search::{Mode, SearchRequest};

/// Chunks retrieved for a question.
const RETRIEVED: usize = 5;
/// Sizes of the plain splitter that chunkers are measured beside, in tokens.
const PLAIN: [u32; 2] = [200, 400];
/// What is measured, in the order of [`coverage`].
const MEASURES: [&str; 3] = ["recall@5", "precision@5", "IoU@5"];

const LAYOUT: Layout = Layout(
    "Such a set is a folder with questions.jsonl (`_id`, `text`, `corpus`, `references` with `start_index` and `end_index` in characters of the corpus, the end not included) and the texts in corpora/.",
);

#[derive(Deserialize)]
struct QuestionLine {
    #[serde(rename = "_id", deserialize_with = "id")]
    id: String,
    text: String,
    corpus: String,
    references: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(default)]
    content: Option<String>,
    start_index: usize,
    end_index: usize,
}

/// A text that is searched.
struct Text {
    name: String,
    title: String,
    text: String,
    characters: Characters,
}

/// A question, with the characters of one of the texts that answer it.
struct Question {
    id: String,
    text: String,
    corpus: usize,
    asked: Vec<Range<usize>>,
}

/// What cuts the texts.
enum Cutter {
    Chunker(String),
    Plain(u32),
}

impl Cutter {
    fn name(&self) -> String {
        match self {
            Cutter::Chunker(name) => name.clone(),
            Cutter::Plain(tokens) => format!("plain {tokens} tokens"),
        }
    }
}

/// Cuts the texts in `folder` with every chunker there is, and with a plain
/// splitter; each chunk becomes an item, and every question is asked for its
/// five best among the chunks of the text that it is about, through a filter as
/// a person's search has it.
///
/// # Errors
/// When a file is missing or is not laid out so; when a chunker fails; when a
/// way to search was asked for that needs a model and there is none;
/// [`Error::Stopped`].
pub fn spans(
    home: &Home,
    folder: &Path,
    options: &EvalOptions,
    job: &dyn Job,
) -> Result<Report, Error> {
    let (texts, questions) = read(folder)?;
    let questions = spread(questions, options.limit_queries);
    let mut report = Report::new(Kind::Spans, name_of(folder), options);
    report.documents = texts.len() as u64;
    report.chunker_settings = options.chunker_settings.clone();
    let (cutters, chosen) = (cutters(home, options)?, options.chunker.is_some());
    for cutter in cutters {
        let set = (texts.as_slice(), questions.as_slice());
        match measure(home, &cutter, set, options, job, &mut report) {
            // One chunker that cannot do it does not keep the others.
            Err(error @ (Error::Load(_) | Error::Plugin(_) | Error::Usage { .. }))
                if !chosen && matches!(cutter, Cutter::Chunker(_)) =>
            {
                report
                    .notes
                    .push(format!("{} was left out: {error}", cutter.name()));
            }
            other => other?,
        }
    }
    report.queries = questions.into_iter().map(|question| question.id).collect();
    report.add_differences();
    report.notes.push(
        "Recall, precision and IoU are shares of characters. Each question searches only the text that it is about."
            .into(),
    );
    Ok(report)
}

/// Cuts the texts in one way and asks every question in every way.
fn measure(
    home: &Home,
    cutter: &Cutter,
    (texts, questions): (&[Text], &[Question]),
    options: &EvalOptions,
    job: &dyn Job,
    report: &mut Report,
) -> Result<(), Error> {
    let keep = options
        .keep
        .as_ref()
        .map(|folder| folder.join(cutter.name().replace(' ', "-")));
    let chosen = match cutter {
        Cutter::Chunker(name) => Some(name.as_str()),
        Cutter::Plain(_) => None,
    };
    let settings = options
        .chunker_settings
        .as_deref()
        .filter(|_| chosen.is_some());
    let scratch = Scratch::open(home, keep.as_deref(), chosen, settings)?;
    let (pieces, documents) = cut(&scratch, cutter, texts, job)?;
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
        let note = format!("Searched by word only: {missing}");
        if !report.notes.contains(&note) {
            report.notes.push(note);
        }
    }
    report.model = embedded.model;
    let names = scratch.names()?;
    for mode in modes {
        let scores = in_parallel(questions.len(), Stage::Asking, job, |at| {
            let question = &questions[at];
            let own = Filter::from(Test::Path(folder_of(question.corpus)));
            let request = options.request(&question.text, mode, &own, RETRIEVED);
            ask(&scratch, &names, &request, question, &pieces)
        })?;
        let chunks = pieces.len() as u64;
        let rows = rows(cutter, mode, chunks, &scores, questions, texts);
        report.rows.extend(rows);
    }
    Ok(())
}

/// The chunker that was chosen, or all; then the plain splitters.
fn cutters(home: &Home, options: &EvalOptions) -> Result<Vec<Cutter>, Error> {
    let mut all: Vec<Cutter> = match &options.chunker {
        Some(name) => vec![Cutter::Chunker(name.clone())],
        None => crate::components::Components::new(home)
            .list()?
            .into_iter()
            .filter(|info| info.world == World::Chunker)
            .map(|info| Cutter::Chunker(info.name))
            .collect(),
    };
    all.extend(PLAIN.map(Cutter::Plain));
    Ok(all)
}

/// What the ids of a text's chunks start with. A number, as a text's name may
/// hold what a filter takes for a pattern.
fn folder_of(corpus: usize) -> String {
    format!("{corpus}/")
}

/// Cuts all texts; each chunk is a document, named by its text and its number
/// among the chunks of all texts.
fn cut(
    scratch: &Scratch,
    cutter: &Cutter,
    texts: &[Text],
    job: &dyn Job,
) -> Result<(Vec<Range<usize>>, Vec<Document>), Error> {
    let cut = in_parallel(texts.len(), Stage::Reading, job, |at| {
        let text = &texts[at];
        match cutter {
            Cutter::Chunker(_) => scratch.chunks(&text.name, &text.title, &text.text),
            Cutter::Plain(size) => {
                let count = |texts: &[String]| scratch.pipeline.count_tokens(texts);
                let ranges = split(&text.text, *size, &count)?;
                Ok(ranges
                    .into_iter()
                    .map(|range| (range, Vec::new(), None))
                    .collect())
            }
        }
    })?;
    let (mut pieces, mut documents) = (Vec::new(), Vec::new());
    for (corpus, (text, cut)) in texts.iter().zip(cut).enumerate() {
        for (bytes, headings, context) in cut {
            documents.push(Document {
                id: format!("{}{}", folder_of(corpus), pieces.len()),
                title: text.title.clone(),
                text: text.text[bytes.clone()].to_owned(),
                chunk: Some((headings, context)),
            });
            pieces.push(text.characters.characters(&bytes));
        }
    }
    Ok((pieces, documents))
}

/// The measures of one question; `pieces` are the characters of each chunk.
fn ask(
    scratch: &Scratch,
    names: &Names,
    request: &SearchRequest,
    question: &Question,
    pieces: &[Range<usize>],
) -> Result<[f64; 3], Error> {
    let found = ranked(&scratch.engine, names, request)?;
    let number = |id: &String| id.rsplit('/').next()?.parse::<usize>().ok();
    let found = found.iter().filter_map(number);
    let found: Vec<Range<usize>> = found
        .filter_map(|number| pieces.get(number).cloned())
        .collect();
    Ok(coverage(&question.asked, &found))
}

/// One row over all questions, and one for each text where there are several.
fn rows(
    cutter: &Cutter,
    mode: Mode,
    chunks: u64,
    scores: &[[f64; 3]],
    questions: &[Question],
    texts: &[Text],
) -> Vec<Row> {
    let row = |part: Option<String>, measures: Vec<Measure>| Row {
        chunker: Some(cutter.name()),
        mode,
        part,
        chunks: Some(chunks),
        measures,
    };
    let values = |measure: usize, corpus: Option<usize>| -> Vec<f64> {
        let of = |question: &Question| corpus.is_none_or(|corpus| corpus == question.corpus);
        let scores = scores.iter().zip(questions);
        let scores = scores.filter(|(_, question)| of(question));
        scores.map(|(scores, _)| scores[measure]).collect()
    };
    let named = || MEASURES.iter().enumerate();
    let whole = named().map(|(at, name)| Measure::of(name, values(at, None)));
    let mut rows = vec![row(None, whole.collect())];
    if texts.len() > 1 {
        for (corpus, text) in texts.iter().enumerate() {
            let part = named().map(|(at, name)| Measure::summary(name, &values(at, Some(corpus))));
            rows.push(row(Some(text.name.clone()), part.collect()));
        }
    }
    rows
}

fn read(folder: &Path) -> Result<(Vec<Text>, Vec<Question>), Error> {
    if !folder.is_dir() {
        return Err(LAYOUT.unfit(folder, "it is not a folder"));
    }
    let file = folder.join("questions.jsonl");
    let mut texts: Vec<Text> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut ids = HashSet::new();
    let mut questions = Vec::new();
    for (at, line) in LAYOUT.json::<QuestionLine>(&file)? {
        let malformed = |what: String| LAYOUT.malformed(&file, at, what);
        if !ids.insert(line.id.clone()) {
            return Err(malformed(format!(
                "the id {:?} stood on a line before",
                line.id
            )));
        }
        let corpus = match numbers.get(&line.corpus) {
            Some(number) => *number,
            None => {
                if line.corpus.contains(['/', '\\']) || line.corpus.starts_with('.') {
                    let what = format!("the corpus {:?} is not a file's name", line.corpus);
                    return Err(malformed(what));
                }
                texts.push(text(folder, &line.corpus)?);
                numbers.insert(line.corpus.clone(), texts.len() - 1);
                texts.len() - 1
            }
        };
        let asked = line
            .references
            .iter()
            .map(|reference| asked(reference, &texts[corpus]).map_err(malformed));
        let asked: Vec<Range<usize>> = asked.collect::<Result<_, _>>()?;
        if asked.is_empty() {
            return Err(malformed("it has no reference".into()));
        }
        questions.push(Question {
            id: line.id,
            text: line.text,
            corpus,
            asked,
        });
    }
    if questions.is_empty() {
        return Err(LAYOUT.unfit(&file, "it holds no question"));
    }
    Ok((texts, questions))
}

/// The characters that a reference means, checked against the text.
fn asked(reference: &Reference, text: &Text) -> Result<Range<usize>, String> {
    let range = reference.start_index..reference.end_index;
    if range.is_empty() {
        return Err(format!(
            "the reference from {} to {} is empty",
            range.start, range.end
        ));
    }
    let Some(bytes) = text.characters.bytes(&range) else {
        return Err(format!(
            "the reference ends at character {}, but {} has {}",
            range.end,
            text.name,
            text.characters.count()
        ));
    };
    match &reference.content {
        Some(content) if *content != text.text[bytes] => Err(format!(
            "the reference's content is not what stands at its place in {}: are the offsets in characters?",
            text.name
        )),
        _ => Ok(range),
    }
}

fn text(folder: &Path, name: &str) -> Result<Text, Error> {
    let file = folder.join("corpora").join(name);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(LAYOUT.unfit(&file, "there is no such file"));
        }
        Err(error) => return Err(Error::file("cannot read", &file, error)),
    };
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str());
    Ok(Text {
        title: stem.unwrap_or(name).replace(['_', '-'], " "),
        name: name.to_owned(),
        characters: Characters::of(&text),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Übung macht den Meister. 日本 ist fern.\n";

    fn folder(questions: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("corpora")).unwrap();
        std::fs::write(folder.path().join("corpora/a.md"), TEXT).unwrap();
        std::fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
        folder
    }

    fn question(references: &str) -> String {
        format!(
            "{{\"_id\": \"q\", \"text\": \"Wo?\", \"corpus\": \"a.md\", \"references\": [{references}]}}\n"
        )
    }

    #[test]
    fn offsets_are_characters() {
        let reference = r#"{"content": "日本", "start_index": 25, "end_index": 27}"#;
        let folder = folder(&question(reference));
        let (texts, questions) = read(folder.path()).unwrap();
        assert_eq!(questions[0].asked, vec![25..27]);
        let bytes = texts[0].characters.bytes(&(25..27)).unwrap();
        assert_eq!(bytes, 26..32);
    }

    #[test]
    fn what_is_malformed_is_named_by_file_and_line() {
        let reference = |content: &str, start: usize, end: usize| {
            question(&format!(
                r#"{{"content": "{content}", "start_index": {start}, "end_index": {end}}}"#
            ))
        };
        let good = reference("Übung", 0, 5);
        for (questions, says) in [
            (format!("{good}{good}"), "line 2 of "),
            (format!("\n{}", reference("Übung", 0, 6)), "line 2 of "),
            // Byte offsets, of the text that lies one character further on.
            (reference("日本", 26, 32), "in characters"),
            (reference("", 5, 5), "is empty"),
            (reference("x", 0, 900), "has 38"),
            (question(""), "no reference"),
            (good.replace("a.md", "b.md"), "b.md: there is no such file"),
            (good.replace("a.md", "../a.md"), "not a file's name"),
            ("{}\n".into(), "missing field"),
            (String::new(), "no question"),
        ] {
            let folder = folder(&questions);
            let error = match read(folder.path()) {
                Ok(_) => panic!("{questions} was read"),
                Err(error) => error,
            };
            assert!(error.to_string().contains(says), "{error}");
            assert!(error.hint().unwrap().contains("questions.jsonl"));
        }
    }
}
