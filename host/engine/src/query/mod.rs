//! What a person typed -> what is looked for. No input is ever an error.
//!
//! | typed | meant |
//! | --- | --- |
//! | `plain words` | items with all of them first, then by how much of them they hold |
//! | `"a phrase"` | must be there, word for word |
//! | `-word`, `-"a phrase"` | must not be there |
//! | `source:notes`, `kind:note,page` | of this source; of one of these kinds; several such fields mean any of them |
//! | `tag:work` | with this tag or one below it, `#work/2024` |
//! | `path:journal/`, `path:**/draft*` | whose path begins so, or fits the glob |
//! | `title:budget`, `author:"Jane Doe"`, `lang:de` | with this in the title; by her; in German |
//! | `before:2024`, `after:7d`, `on:last-month` | by date: when published, else modified, else created |
//! | `created:2024-01..2024-03`, `modified:`, `published:`, `ingested:` | by one of these dates |
//! | `duration:>10m`, `duration:5m..20m` | recordings that last so long |
//! | `is:untagged`, `is:stale` | without tags; whose latest state could not be read |
//! | `prop.status:done`, `prop.status:*` | with this property in the frontmatter, of this value or of any |
//!
//! `after:2024-03-09` includes that day, `before:` does not. Each field can be
//! turned round with a minus: `-tag:draft`. Whatever is not exactly one of these
//! is a plain word: `foo:bar`, `12:30`, `DEC-0054`, `--dry-run`, an unclosed
//! quote; where a field was meant (`after:soon`, `is:new`), a note says so. A
//! minus excludes only before a letter, digit or quote and after white
//! space, and never where nothing else would be left to look for.

pub(crate) mod dates;
mod fields;
pub(crate) mod lengths;
mod stopwords;
#[cfg(test)]
mod tests;

use jiff::ZonedDateTime;
use pkb_store::{Condition, Filter, ItemStatus, Test};
use serde::Serialize;

use self::fields::Outcome;
use crate::error::Error;

/// The longest query that is taken whole, in bytes; the rest is left out.
const LONGEST: usize = 128 << 10;
/// What an embedding model is given of a query, in bytes: more than any reads.
const LONGEST_TEXT: usize = 8 << 10;
/// Fields and phrases that count; more are words.
const MOST_PARTS: usize = 64;
/// Notes on what was not understood; a paste may hold any number.
const MOST_NOTES: usize = 4;

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is left when fields and exclusions are taken out: what meaning is
    /// looked for by.
    pub text: String,
    /// Words to look for, function words left out where anything else is asked.
    pub words: Vec<String>,
    /// Phrases that must be there, and words and phrases that must not.
    pub phrases: Vec<Phrase>,
    /// What the fields ask of an item.
    pub conditions: Vec<Condition>,
    /// What else than plain words was understood, in order.
    pub understood: Vec<Understood>,
    /// What was meant to say more than plain words, it seems, and was not
    /// understood: sentences for the person who asks.
    pub notes: Vec<String>,
}

/// A phrase, or a single word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// It must not be there.
    pub not: bool,
    /// As typed, without quotes.
    pub text: String,
}

/// How a part of the query was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Understood {
    /// The part, as typed.
    pub as_typed: String,
    /// What it is taken to mean.
    pub meaning: String,
}

impl Query {
    /// Takes `input` apart, dates as seen from the present time and place.
    pub fn parse(input: &str) -> Query {
        Query::parse_at(input, &ZonedDateTime::now())
    }

    /// The items that `input` chooses where it is to be exact: for what is
    /// deleted, say.
    ///
    /// # Errors
    /// [`Error::Usage`] where anything but fields is in it, or nothing.
    pub fn only_fields(input: &str) -> Result<Filter, Error> {
        let (filter, _) = conditions(input)?;
        if filter.is_empty() {
            return Err(Error::usage("the filter is empty", CONDITIONS));
        }
        Ok(filter)
    }

    /// Takes `input` apart, dates as seen from `now`.
    pub fn parse_at(input: &str, now: &ZonedDateTime) -> Query {
        let input = clean(input);
        let mut query = Query::default();
        let mut excluded = Vec::new();
        for piece in Pieces::of(&input) {
            let parts = query.understood.len() + excluded.len();
            if parts >= MOST_PARTS {
                query.plain(piece.whole);
                continue;
            }
            let outcome = match piece.field {
                Some((name, value)) => fields::field(name, value, piece.not, now),
                None => Outcome::Word,
            };
            if let Outcome::Unclear(problem) = &outcome
                && query.notes.len() < MOST_NOTES
            {
                let note = format!("{} was taken as words: {problem}.", piece.whole);
                query.notes.push(note);
            }
            if let Outcome::Field(field) = outcome {
                let or = if query.ask(field.condition) {
                    "or "
                } else {
                    ""
                };
                query.understand(piece.whole, format!("{or}{}", field.meaning));
            } else if piece.not && has_word(piece.body) {
                excluded.push(piece);
            } else if piece.quoted {
                query.add_text(piece.body);
                if has_word(piece.body) {
                    query.phrases.push(Phrase {
                        not: false,
                        text: piece.body.to_owned(),
                    });
                    query.understand(piece.whole, "these words, one after the other".into());
                }
            } else {
                query.plain(piece.whole);
            }
        }
        let nothing_else =
            query.words.is_empty() && query.phrases.is_empty() && query.conditions.is_empty();
        for piece in excluded {
            if nothing_else {
                query.plain(piece.body);
                continue;
            }
            query.phrases.push(Phrase {
                not: true,
                text: piece.body.to_owned(),
            });
            query.understand(piece.whole, "must not be there".into());
        }
        let phrases = query.phrases.iter().any(|phrase| !phrase.not);
        stopwords::remove(&mut query.words, phrases);
        query
    }

    /// Whether there is nothing to look for, be it that items are only chosen.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.iter().all(|phrase| phrase.not)
    }

    /// Adds a condition and says whether it was joined with one before: an item
    /// has one source and one kind, so several of these mean any of them.
    fn ask(&mut self, condition: Condition) -> bool {
        let joined = !condition.not
            && self.conditions.iter_mut().any(|before| {
                let (known, more) = match (&mut before.test, &condition.test) {
                    (Test::Source(known), Test::Source(more))
                    | (Test::Kind(known), Test::Kind(more)) => (known, more),
                    _ => return false,
                };
                if !before.not {
                    known.extend(more.iter().cloned());
                }
                !before.not
            });
        if !joined {
            self.conditions.push(condition);
        }
        joined
    }

    fn plain(&mut self, words: &str) {
        self.add_text(words);
        for word in words.split_whitespace() {
            if has_word(word) {
                self.words.push(word.to_owned());
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if !text.is_empty() && self.text.len() + text.len() < LONGEST_TEXT {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(text);
        }
    }

    fn understand(&mut self, as_typed: &str, meaning: String) {
        self.understood.push(Understood {
            as_typed: as_typed.to_owned(),
            meaning,
        });
    }
}

/// What `input` asks of items, in the same language but without words, and how
/// each part is understood; also `is:deleted`, which listings can show.
///
/// # Errors
/// [`Error::Usage`] for what is no condition: nobody looks for words here.
pub fn conditions(input: &str) -> Result<(Filter, Vec<Understood>), Error> {
    if input.len() > LONGEST_TEXT {
        return Err(Error::usage(
            format!("the filter is longer than {LONGEST_TEXT} bytes"),
            CONDITIONS,
        ));
    }
    let now = ZonedDateTime::now();
    let input = clean(input);
    let mut query = Query::default();
    for piece in Pieces::of(&input) {
        let field = match piece.field {
            Some((name, value)) if name.eq_ignore_ascii_case("is") && value == "deleted" => {
                query.ask(Condition {
                    not: piece.not,
                    test: Test::Status(ItemStatus::Deleted),
                });
                query.understand(piece.whole, "that is deleted".into());
                continue;
            }
            Some((name, value)) => fields::field(name, value, piece.not, &now),
            None => Outcome::Word,
        };
        match field {
            Outcome::Field(field) => {
                query.ask(field.condition);
                query.understand(piece.whole, field.meaning);
            }
            Outcome::Unclear(problem) => {
                return Err(no_condition(piece.whole, &problem));
            }
            Outcome::Word => return Err(no_condition(piece.whole, "there is no such field")),
        }
    }
    let filter = Filter {
        conditions: query.conditions,
        ..Filter::default()
    };
    Ok((filter, query.understood))
}

fn no_condition(part: &str, why: &str) -> Error {
    Error::usage(format!("{part:?} is no condition: {why}"), CONDITIONS)
}

/// What conditions are like.
const CONDITIONS: &str = "A filter holds fields alone, such as source:notes, kind:note, tag:work, path:journal/, \
                          title:\"old plan\", author:Ann, lang:de, after:2024-03, before:7d, \
                          created:2024-01..2024-03, duration:>10m, is:untagged or prop.status:done, each with a minus \
                          before it for the contrary.";

/// Whether there is anything in it that an index could hold: a letter, a digit,
/// a symbol; not only ASCII punctuation and white space.
fn has_word(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_alphanumeric() || !(c.is_ascii() || c.is_whitespace() || is_quote(c)))
}

fn is_quote(c: char) -> bool {
    closing(c).is_some() || matches!(c, '”' | '»' | '」')
}

/// What closes a quote that `c` opens.
fn closing(c: char) -> Option<&'static [char]> {
    Some(match c {
        '"' => &['"'],
        '“' => &['”', '“'],
        '„' => &['“', '”'],
        '«' => &['»'],
        '「' => &['」'],
        _ => return None,
    })
}

/// A stretch of the query that belongs together.
#[derive(Clone, Copy)]
struct Piece<'a> {
    /// All of it, as typed.
    whole: &'a str,
    /// Without minus and quotes.
    body: &'a str,
    not: bool,
    quoted: bool,
    /// Name and value, where there is a colon.
    field: Option<(&'a str, &'a str)>,
}

/// The pieces of a query: words, phrases and fields. Each byte is looked at a
/// bounded number of times, whatever stands there.
struct Pieces<'a> {
    rest: &'a str,
    /// The last place of each closing quote, so that an unclosed one does not
    /// make the rest be gone through again and again.
    last: [(char, Option<usize>); 5],
    /// Bytes before `rest`.
    at: usize,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a str) -> Self {
        Pieces {
            rest: text,
            last: ['"', '“', '”', '»', '」'].map(|c| (c, text.rfind(c))),
            at: 0,
        }
    }

    /// Where a quote that begins at `from` of the rest ends: the end of its
    /// body and the end of the quote.
    fn quote(&self, from: usize) -> Option<(usize, usize, usize)> {
        let open = self.rest[from..].chars().next()?;
        let close = closing(open)?;
        let begins = from + open.len_utf8();
        let possible = close.iter().any(|c| {
            self.last.iter().any(|(known, last)| {
                known == c && last.is_some_and(|last| last >= self.at + begins)
            })
        });
        if !possible {
            return None;
        }
        let body = self.rest[begins..].find(close)?;
        let ends = begins + body;
        let closed = self.rest[ends..].chars().next()?;
        Some((begins, ends, ends + closed.len_utf8()))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let trimmed = self.rest.trim_start();
        self.at += self.rest.len() - trimmed.len();
        self.rest = trimmed;
        let first = trimmed.chars().next()?;
        let after_minus = trimmed
            .strip_prefix('-')
            .and_then(|rest| rest.chars().next());
        let not =
            after_minus.is_some_and(|c| c.is_alphanumeric() || closing(c).is_some() || c == '#');
        let from = usize::from(not);
        let starts_quote = closing(if not { after_minus? } else { first }).is_some();
        let mut piece =
            if let Some((begins, ends, after)) = starts_quote.then(|| self.quote(from)).flatten() {
                Piece {
                    whole: &trimmed[..after],
                    body: &trimmed[begins..ends],
                    not,
                    quoted: true,
                    field: None,
                }
            } else {
                self.word(from, not)
            };
        piece.body = piece.body.trim();
        self.rest = &trimmed[piece.whole.len()..];
        self.at += piece.whole.len();
        Some(piece)
    }
}

impl<'a> Pieces<'a> {
    /// A word or field, up to white space; the value of a field may be quoted.
    fn word(&self, from: usize, not: bool) -> Piece<'a> {
        let text = self.rest;
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let mut piece = Piece {
            whole: &text[..end],
            body: &text[from..end],
            not,
            quoted: false,
            field: None,
        };
        if let Some(colon) = text[from..end].find(':') {
            let name = &text[from..from + colon];
            let value = from + colon + 1;
            piece.field = Some((name, &text[value..end]));
            let quoted = text[value..].chars().next().and_then(closing).is_some();
            if quoted && let Some((begins, ends, after)) = self.quote(value) {
                piece.whole = &text[..after];
                piece.body = &text[from..after];
                piece.field = Some((name, &text[begins..ends]));
            }
        }
        piece
    }
}

/// Without control characters, and not beyond measure.
fn clean(input: &str) -> String {
    let mut end = input.len().min(LONGEST);
    while !input.is_char_boundary(end) {
        end -= 1;
    }
    let plain: String = input[..end]
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.trim().to_owned()
}
