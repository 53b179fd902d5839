//! Marked content: texts that stand for what is shown, and layers.

use std::collections::HashSet;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, String as PdfString};

use super::Glyph;
use crate::strings;

/// Deeper nesting than this is not kept apart.
const MOST_NESTED: usize = 1000;

/// The marked content that is open.
#[derive(Default)]
pub(super) struct Marked {
    open: Vec<Open>,
    /// Begun but not kept, as too deep.
    beyond: usize,
}

struct Open {
    /// What stands for the glyphs from `from` on.
    text: Option<String>,
    from: usize,
    hidden: bool,
}

impl Marked {
    pub(super) fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hidden)
    }

    pub(super) fn begin(&mut self, text: Option<String>, hidden: bool, from: usize) {
        if self.open.len() == MOST_NESTED {
            self.beyond += 1;
            return;
        }
        let hidden = hidden || self.is_hidden();
        self.open.push(Open { text, from, hidden });
    }

    pub(super) fn end(&mut self, glyphs: &mut Vec<Glyph>) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(open) = self.open.pop()
            && let Some(text) = open.text
        {
            replace(glyphs, open.from, text);
        }
    }

    pub(super) fn finish(mut self, glyphs: &mut Vec<Glyph>) {
        self.beyond = 0;
        while !self.open.is_empty() {
            self.end(glyphs);
        }
    }
}

/// One glyph with the text in place of those from `from` on, as far as they
/// stand on the first one's line.
fn replace(glyphs: &mut Vec<Glyph>, from: usize, text: String) {
    let Some(shown) = glyphs.get(from..).filter(|shown| !shown.is_empty()) else {
        return;
    };
    let first = &shown[0];
    let length = first.advance.0.hypot(first.advance.1);
    let along = if length > 0.0 {
        (first.advance.0 / length, first.advance.1 / length)
    } else {
        (1.0, 0.0)
    };
    let (mut begin, mut end) = (0.0_f64, 0.0_f64);
    for glyph in shown {
        let (dx, dy) = (glyph.at.x - first.at.x, glyph.at.y - first.at.y);
        let aside = dy * along.0 - dx * along.1;
        if aside.abs() > first.size * 0.5 {
            continue;
        }
        let near = dx * along.0 + dy * along.1;
        let far = near + glyph.advance.0 * along.0 + glyph.advance.1 * along.1;
        begin = begin.min(near).min(far);
        end = end.max(near).max(far);
    }
    let mut glyph = first.clone();
    glyph.text = text;
    glyph.at.x += begin * along.0;
    glyph.at.y += begin * along.1;
    glyph.advance = ((end - begin) * along.0, (end - begin) * along.1);
    glyphs.truncate(from);
    glyphs.push(glyph);
}

pub(super) fn actual_text(dict: &Dict<'_>) -> Option<String> {
    let text = dict.get::<PdfString<'_>>("ActualText")?;
    Some(strings::decode(text.as_bytes()))
}

/// Layers that are off when the document is opened.
pub(super) fn hidden_layers(catalog: &Dict<'_>) -> HashSet<ObjectIdentifier> {
    let mut hidden = HashSet::new();
    let Some(all) = catalog.get::<Dict<'_>>("OCProperties") else {
        return hidden;
    };
    let Some(config) = all.get::<Dict<'_>>("D") else {
        return hidden;
    };
    let list = |dict: &Dict<'_>, key: &str| -> Vec<ObjectIdentifier> {
        let array = dict.get::<Array<'_>>(key);
        let ids = array.iter().flat_map(Array::raw_iter);
        ids.filter_map(|item| item.as_obj_ref().map(Into::into)).collect()
    };
    if config.get::<Name<'_>>("BaseState").is_some_and(|base| base.as_str() == "OFF") {
        hidden.extend(list(&all, "OCGs"));
    }
    for on in list(&config, "ON") {
        hidden.remove(&on);
    }
    hidden.extend(list(&config, "OFF"));
    hidden
}

/// Whether a layer, or a combination of layers, is hidden.
pub(super) fn is_hidden(
    dict: &Dict<'_>,
    id: Option<ObjectIdentifier>,
    hidden: &HashSet<ObjectIdentifier>,
) -> bool {
    if hidden.is_empty() {
        return false;
    }
    if dict.get::<Name<'_>>("Type").is_none_or(|kind| kind.as_str() != "OCMD") {
        return id.is_some_and(|id| hidden.contains(&id));
    }
    let members: Vec<ObjectIdentifier> = match dict.get::<Array<'_>>("OCGs") {
        Some(list) => list
            .raw_iter()
            .filter_map(|item| item.as_obj_ref().map(Into::into))
            .collect(),
        None => dict.get_ref("OCGs").map(Into::into).into_iter().collect(),
    };
    if members.is_empty() {
        return false;
    }
    let off = members.iter().filter(|id| hidden.contains(id)).count();
    let policy = dict.get::<Name<'_>>("P");
    !match policy.as_ref().map_or("AnyOn", Name::as_str) {
        "AllOn" => off == 0,
        "AnyOff" => off > 0,
        "AllOff" => off == members.len(),
        _ => off < members.len(),
    }
}
