//! Answers within a budget of tokens: what a client's model can take in.
//! README.md says how tokens are counted, and against what that was measured.
//!
//! A tool makes its answer in several forms, each shorter than the one before;
//! [`fit`] takes the first that fits. [`list`] is the same for a list of
//! entries: their snippets shrink first, then entries are left out from the
//! end. What text and data say counts together, as clients show either or both.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use pkb_engine::{Engine, Error};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool::{Answer, Call};

const USUAL: u32 = 4_000;
/// Enough for one entry of any list with ordinary names, and for health_check.
const LEAST: u32 = 600;
const MOST: u32 = 50_000;

/// The argument that says how many tokens an answer may have.
const ARGUMENT: &str = "max_tokens";

/// How many tokens an answer may have: 4,000 unless asked otherwise.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "u64")]
pub(super) struct MaxTokens(u32);

impl Default for MaxTokens {
    fn default() -> Self {
        MaxTokens(USUAL)
    }
}

impl TryFrom<u64> for MaxTokens {
    type Error = String;

    /// More than the most is taken as the most: an answer that is shorter than
    /// it may be is no harm.
    fn try_from(tokens: u64) -> Result<Self, String> {
        match u32::try_from(tokens).unwrap_or(MOST) {
            tokens if tokens < LEAST => Err(format!(
                "{ARGUMENT} is {tokens}, and is to be from {LEAST} to {MOST}"
            )),
            tokens => Ok(MaxTokens(tokens.min(MOST))),
        }
    }
}

impl JsonSchema for MaxTokens {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "MaxTokens".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": LEAST,
            "maximum": MOST,
            "default": USUAL,
        })
    }
}

impl MaxTokens {
    /// What the arguments of a call ask for, whatever its tool makes of them.
    pub(super) fn of(arguments: &JsonObject) -> MaxTokens {
        let asked = arguments.get(ARGUMENT).and_then(Value::as_u64);
        asked.map_or_else(MaxTokens::default, |asked| {
            MaxTokens::try_from(asked).unwrap_or(MaxTokens(LEAST))
        })
    }

    fn tokens(self) -> usize {
        self.0 as usize
    }

    /// So many bytes for each token.
    pub(super) fn bytes(self, each: usize) -> usize {
        self.tokens().saturating_mul(each)
    }
}

/// Bytes for each token of the budget from which an answer is beyond it without
/// being counted, as few texts have so few tokens ...
const SURELY_MORE: usize = 8;
/// ... and how many bytes a token of an answer has, about.
const ABOUT: usize = 3;

/// How a list is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// How many entries are left, from the first.
    pub(super) entries: usize,
    /// How long a snippet may be, in bytes.
    pub(super) snippet: usize,
    /// Whether an entry holds only what is needed to find it again.
    pub(super) bare: bool,
}

/// Lengths of snippets, in bytes, from as long as they come.
const SNIPPETS: [usize; 4] = [400, 240, 150, 90];
/// The last of them, for one entry that is cut to the bone.
const LAST: [usize; 2] = [60, 0];

/// The answer with as much of a list as fits: `make` makes it as the cut says,
/// and says in it what was left out and how to get that.
///
/// # Errors
/// When not even the shortest answer fits: how many tokens that needs.
pub(super) fn list<T: Serialize>(
    call: &Call,
    most: MaxTokens,
    entries: usize,
    make: impl Fn(Cut) -> Answer<T>,
) -> Result<Answer<T>, Error> {
    let cut = |entries, snippet, bare| Cut {
        entries,
        snippet,
        bare,
    };
    let mut cuts: Vec<Cut> = (SNIPPETS.iter())
        .map(|snippet| cut(entries, *snippet, false))
        .collect();
    let shortest = SNIPPETS[SNIPPETS.len() - 1];
    cuts.extend((1..entries).rev().map(|left| cut(left, shortest, false)));
    cuts.extend(LAST.map(|snippet| cut(entries.min(1), snippet, true)));
    fit(call, most, cuts.len(), |form| make(cuts[form]))
}

/// The first of `forms` answers that fits, where each is shorter than the one
/// before.
///
/// # Errors
/// When not even the last one fits: how many tokens that needs.
pub(super) fn fit<T: Serialize>(
    call: &Call,
    most: MaxTokens,
    forms: usize,
    make: impl Fn(usize) -> Answer<T>,
) -> Result<Answer<T>, Error> {
    let engine = call.engine();
    let mut tried = Tried::new(make(0));
    tried.count(engine, most);
    // Bytes are known at once, tokens have to be counted: what was counted last
    // says about how many bytes fit.
    let (mut from, mut fitting) = (1, 0);
    while tried.tokens > most.tokens() {
        if from >= forms {
            return Err(too_little(most, tried.tokens));
        }
        let room = tried.room(most);
        fitting = first_within(from..forms, room, &make);
        tried = Tried::new(make(fitting));
        tried.count(engine, most);
        from = fitting + 1;
    }
    // One step back where much room is left.
    if fitting > 1 && tried.tokens * 10 < most.tokens() * 9 {
        let better = first_within(1..fitting, tried.room(most), &make);
        let mut other = Tried::new(make(better));
        other.count(engine, most);
        if other.tokens <= most.tokens() {
            tried = other;
        }
    }
    call.fitted.store(tried.bytes, Ordering::Relaxed);
    Ok(tried.answer)
}

/// The first of the forms with at most so many bytes; the last where none has.
fn first_within<T: Serialize>(
    forms: std::ops::Range<usize>,
    room: usize,
    make: &impl Fn(usize) -> Answer<T>,
) -> usize {
    let (mut low, mut high) = (forms.start, forms.end - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if Tried::new(make(middle)).bytes <= room {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn too_little(most: MaxTokens, needed: usize) -> Error {
    let enough = needed.div_ceil(50) * 50;
    Error::Usage {
        what: format!(
            "even the shortest answer needs {needed} tokens, and {ARGUMENT} is {}",
            most.0
        ),
        hint: format!("Call again with {ARGUMENT}: {enough}."),
    }
}

/// An answer with its size.
struct Tried<T> {
    answer: Answer<T>,
    data: String,
    bytes: usize,
    tokens: usize,
}

impl<T: Serialize> Tried<T> {
    fn new(answer: Answer<T>) -> Self {
        let data = serde_json::to_string(&answer.data).unwrap_or_default();
        let bytes = answer.text.len() + data.len();
        Tried {
            answer,
            data,
            bytes,
            tokens: bytes,
        }
    }

    fn count(&mut self, engine: &Engine, most: MaxTokens) {
        self.tokens = tokens(engine, most, &[&self.answer.text, &self.data]);
    }

    /// About how many bytes like these fit.
    fn room(&self, most: MaxTokens) -> usize {
        let share = most.tokens() as f64 / self.tokens.max(1) as f64;
        (self.bytes as f64 * share * 0.98) as usize
    }
}

/// How many tokens the texts have together, where that can be too many: a token
/// is at least a byte.
fn tokens(engine: &Engine, most: MaxTokens, texts: &[&str]) -> usize {
    let bytes = texts.iter().map(|text| text.len()).sum();
    if bytes <= most.tokens() {
        return bytes;
    }
    if bytes / SURELY_MORE > most.tokens() {
        return bytes / ABOUT;
    }
    match engine.count_tokens(texts) {
        Ok(counts) => counts.iter().map(|count| *count as usize).sum(),
        Err(error) => {
            tracing::warn!("tokens cannot be counted, so bytes are: {error}");
            bytes
        }
    }
}

/// Makes sure that no result is beyond the budget, also of a tool that does not
/// see to it itself: cuts its text, and drops entries of its data from the end.
pub(super) fn enforce(call: &Call, most: MaxTokens, result: &mut CallToolResult) {
    let mut text = match result.content.as_slice() {
        [ContentBlock::Text(text)] => text.text.clone(),
        _ => return,
    };
    let mut data = result.structured_content.take();
    let json = |data: &Option<Value>| data.as_ref().map(Value::to_string).unwrap_or_default();
    let mut written = json(&data);
    if text.len() + written.len() > call.fitted.load(Ordering::Relaxed) {
        let engine = call.engine();
        let mut before = usize::MAX;
        loop {
            let sum = tokens(engine, most, &[&text, &written]);
            // Tokens may seem to grow from one round to the next, as they are
            // counted only where that is worth it; bytes are what they are.
            let bytes = text.len() + written.len();
            if sum <= most.tokens() || bytes >= before {
                break;
            }
            if before == usize::MAX {
                tracing::warn!("an answer of {sum} tokens is cut to {}", most.tokens());
            }
            before = bytes;
            let of_data = written.len() >= text.len();
            if !(of_data && data.as_mut().is_some_and(halve)) {
                text = cut(&text, text.len() / 2);
            }
            written = json(&data);
        }
    }
    result.content = vec![ContentBlock::text(text)];
    result.structured_content = data;
}

/// Halves the longest part of a value, where that leaves its form as it is.
fn halve(value: &mut Value) -> bool {
    let size = |value: &Value| value.to_string().len();
    match value {
        Value::String(text) if text.len() > 40 => {
            text.truncate(text.floor_char_boundary(text.len() / 2));
            text.push('…');
            true
        }
        Value::Array(list) => {
            let all: usize = list.iter().map(size).sum();
            let largest = list.iter_mut().max_by_key(|entry| size(entry));
            match largest {
                Some(largest) if size(largest) * 2 > all => {
                    if halve(largest) {
                        return true;
                    }
                }
                None => return false,
                Some(_) => {}
            }
            list.truncate(list.len() / 2);
            true
        }
        Value::Object(fields) => {
            let mut fields: Vec<&mut Value> = fields.values_mut().collect();
            fields.sort_by_key(|field| std::cmp::Reverse(size(field)));
            fields.into_iter().any(halve)
        }
        _ => false,
    }
}

/// The beginning of a text, what is quoted in it closed, and a word on that.
fn cut(text: &str, bytes: usize) -> String {
    const SAID: &str =
        "(The rest is left out: a greater max_tokens or a narrower question shows it.)\n";
    let body = text.strip_suffix(SAID).unwrap_or(text);
    let mut head = body[..body.floor_char_boundary(bytes.min(body.len()))].to_owned();
    if !head.ends_with('\n') {
        head.push('\n');
    }
    if let Some(at) = head.find("\n<quoted") {
        let tag = &head[at + 2..];
        let tag: String = tag.chars().take_while(|c| *c != '>').collect();
        let end = format!("</{tag}>\n");
        if !head.contains(&end) {
            head.push_str(&end);
        }
    }
    head + SAID
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn budgets_are_from_600_to_50000() {
        let asked = |arguments: Value| MaxTokens::of(arguments.as_object().unwrap()).0;
        assert_eq!(asked(json!({})), USUAL);
        assert_eq!(asked(json!({"max_tokens": null})), USUAL);
        assert_eq!(asked(json!({"max_tokens": 900})), 900);
        assert_eq!(asked(json!({"max_tokens": 1_000_000_u64})), MOST);
        assert_eq!(asked(json!({"max_tokens": 3})), LEAST);
        let parsed = |value: Value| serde_json::from_value::<MaxTokens>(value);
        assert_eq!(parsed(json!(u64::MAX)).unwrap().0, MOST);
        let wrong = parsed(json!(599)).unwrap_err().to_string();
        assert!(wrong.contains("600 to 50000"), "{wrong}");
    }

    #[test]
    fn a_text_that_is_cut_stays_quoted() {
        let text = format!(
            "3 items. Between <quoted-2> and so on.\n<quoted-2>\n{}\n</quoted-2>\nMore.\n",
            "words of an item ".repeat(50)
        );
        let mut shorter = text;
        for _ in 0..3 {
            shorter = cut(&shorter, shorter.len() / 2);
            assert_eq!(shorter.matches("</quoted-2>\n").count(), 1, "{shorter}");
            assert_eq!(shorter.matches("is left out").count(), 1, "{shorter}");
        }
        assert!(cut("é日本", 2).starts_with("é\n"));
    }

    /// Whether two values have the same fields and types.
    fn alike(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Object(one), Value::Object(other)) => (one.iter())
                .all(|(name, value)| other.get(name).is_some_and(|other| alike(value, other))),
            (Value::Array(one), Value::Array(other)) => {
                other.len() <= one.len() && other.iter().zip(one).all(|(a, b)| alike(b, a))
            }
            (Value::String(_), Value::String(_)) => true,
            (one, other) => one == other,
        }
    }

    #[test]
    fn data_that_is_halved_keeps_its_form_and_gets_small() {
        let entry =
            |number: u64| json!({"item": number, "title": "a title ".repeat(number as usize % 40)});
        for entries in [0, 1, 2, 7, 100] {
            let whole = json!({
                "total": 7,
                "notice": "some words",
                "list": (0..entries).map(entry).collect::<Vec<_>>(),
                "inner": {"text": "日本語".repeat(entries as usize * 10), "flag": true},
            });
            let mut data = whole.clone();
            let mut rounds = 0;
            while halve(&mut data) {
                rounds += 1;
                assert!(rounds < 200, "it ends");
                assert!(alike(&whole, &data), "{data}");
            }
            assert!(data.to_string().len() < 300, "{data}");
        }
    }
}
