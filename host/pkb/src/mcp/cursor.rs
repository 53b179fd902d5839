//! Cursors: where a list or a text goes on. They hold all that is needed, so
//! that nothing is kept for whoever may never come back.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use pkb_engine::Error;
use rmcp::model::JsonObject;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The form of cursors; another one is told apart by it.
const FORM: u8 = 1;
/// Arguments that say how much of an answer is wanted, not which.
const HOW_MUCH: [&str; 4] = ["cursor", "limit", "max_tokens", "explain"];

/// A few bytes that tell one thing from another; no secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark([u8; 4]);

impl Mark {
    /// Of anything that can be written as JSON.
    pub(super) fn of(what: &impl Serialize) -> Mark {
        let text = serde_json::to_vec(what).unwrap_or_default();
        let hash = Sha256::digest(text);
        Mark([hash[0], hash[1], hash[2], hash[3]])
    }

    /// Of what is asked of a tool, however much of the answer is wanted.
    pub(super) fn of_call(tool: &str, arguments: &JsonObject) -> Mark {
        let asked: Vec<_> = (arguments.iter())
            .filter(|(name, value)| !HOW_MUCH.contains(&name.as_str()) && !value.is_null())
            .collect();
        Mark::of(&(tool, asked))
    }
}

/// Where something goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The first entry, or byte, that was not shown.
    pub(super) at: u64,
    /// Where it ends; 0 where that is where it ends anyway.
    pub(super) end: u64,
    /// What was asked.
    pub(super) asked: Mark,
    /// What it was asked of, as it was.
    pub(super) state: Mark,
}

impl Cursor {
    pub(super) fn write(self) -> String {
        let mut bytes = vec![FORM];
        number(self.at, &mut bytes);
        number(self.end, &mut bytes);
        bytes.extend(self.asked.0);
        bytes.extend(self.state.0);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The cursor that is written so, for what is asked.
    ///
    /// # Errors
    /// When it is none, or one for something else.
    pub(super) fn read(text: &str, asked: Mark) -> Result<Cursor, Error> {
        let wrong = |what: &str| {
            Error::Usage {
            what: what.into(),
            hint: "Give a cursor as the answer before gave it, with the other arguments as they were; or leave it out \
                   to begin anew."
                .into(),
        }
        };
        let cursor = parse(text.trim()).ok_or_else(|| wrong("this is no cursor that pkb gave"))?;
        if cursor.asked != asked {
            return Err(wrong("this cursor belongs to another call"));
        }
        Ok(cursor)
    }
}

fn parse(text: &str) -> Option<Cursor> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let mut rest = bytes.as_slice().strip_prefix(&[FORM])?;
    let at = take(&mut rest)?;
    let end = take(&mut rest)?;
    let (asked, rest) = rest.split_first_chunk::<4>()?;
    let (state, rest) = rest.split_first_chunk::<4>()?;
    rest.is_empty().then_some(Cursor {
        at,
        end,
        asked: Mark(*asked),
        state: Mark(*state),
    })
}

/// Seven bits a byte, the lowest first.
fn number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(arguments: serde_json::Value) -> Mark {
        Mark::of_call("search_knowledge", arguments.as_object().unwrap())
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let asked = asked(json!({"query": "a"}));
        for (at, end) in [(0, 0), (10, 0), (127, 128), (1 << 40, u64::MAX)] {
            let cursor = Cursor {
                at,
                end,
                asked,
                state: Mark::of(&7),
            };
            assert_eq!(Cursor::read(&cursor.write(), asked).unwrap(), cursor);
        }
    }

    #[test]
    fn a_cursor_goes_with_what_was_asked_but_not_with_how_much() {
        let one = asked(json!({"query": "a", "tags": ["x"]}));
        let same = json!({"tags": ["x"], "query": "a", "limit": 3, "max_tokens": 900, "cursor": "b", "mode": null});
        assert_eq!(one, asked(same));
        let cursor = Cursor {
            at: 10,
            end: 0,
            asked: one,
            state: Mark::default(),
        };
        for other in [
            json!({"query": "b", "tags": ["x"]}),
            json!({"query": "a"}),
            json!({"query": "a", "tags": ["x"], "mode": "dense"}),
        ] {
            let wrong = Cursor::read(&cursor.write(), asked(other)).unwrap_err();
            assert!(wrong.to_string().contains("another call"), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let good = Cursor {
            at: 3,
            end: 9,
            asked: Mark::default(),
            state: Mark::default(),
        }
        .write();
        let cut = &good[..good.len() - 2];
        for wrong in [
            "",
            "30",
            "ÿ",
            "AQ",
            cut,
            &format!("{good}AA"),
            "////////////",
        ] {
            let error = Cursor::read(wrong, Mark::default()).unwrap_err();
            assert!(error.to_string().contains("no cursor"), "{wrong}: {error}");
        }
    }
}
