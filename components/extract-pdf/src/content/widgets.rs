//! Annotations, as far as they show text on the page.

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::object::{Dict, Name, Object, Stream, String as PdfString};
use hayro_syntax::page::Resources;

use super::state::State;
use super::{Glyph, Run};
use crate::strings;

/// Fields inherit from fields at most so many steps away.
const MOST_PARENTS: usize = 16;

impl<'a> Run<'_, 'a> {
    /// What an annotation looks like, where it is seen: what a form was filled
    /// in with, a text put on the page.
    pub(super) fn annotation(&mut self, dict: &Dict<'a>, resources: &Resources<'a>, state: &State<'a>) {
        const HIDDEN: u32 = 1 << 1 | 1 << 5;
        if dict.get::<u32>("F").unwrap_or(0) & HIDDEN != 0
            || dict.get::<Name<'a>>("Subtype").is_some_and(|kind| kind.as_str() == "Popup")
        {
            return;
        }
        let before = self.out.glyphs.len();
        self.look(dict, resources, state);
        if self.out.glyphs.len() == before
            && let Some(glyph) = value(dict, state)
        {
            self.out.glyphs.push(glyph);
        }
    }

    fn look(&mut self, dict: &Dict<'a>, resources: &Resources<'a>, state: &State<'a>) {
        let look = dict.get::<Dict<'a>>("AP").and_then(|looks| looks.get::<Object<'a>>("N"));
        let stream = match look {
            Some(Object::Stream(stream)) => stream,
            Some(Object::Dict(states)) => {
                let now = dict.get::<Name<'a>>("AS");
                match now.and_then(|now| states.get::<Stream<'a>>(now)) {
                    Some(stream) => stream,
                    None => return,
                }
            }
            _ => return,
        };
        let form = stream.dict();
        let (Some(rect), Some(bbox)) = (dict.get::<[f64; 4]>("Rect"), form.get::<[f64; 4]>("BBox"))
        else {
            return;
        };
        let matrix = Affine::new(form.get::<[f64; 6]>("Matrix").unwrap_or(Affine::IDENTITY.as_coeffs()));
        let rect = Rect::from_points((rect[0], rect[1]), (rect[2], rect[3]));
        let seen = matrix
            .transform_rect_bbox(Rect::from_points((bbox[0], bbox[1]), (bbox[2], bbox[3])));
        if seen.width() <= 0.0 || seen.height() <= 0.0 {
            return;
        }
        let fit = Affine::translate((rect.x0, rect.y0))
            * Affine::scale_non_uniform(rect.width() / seen.width(), rect.height() / seen.height())
            * Affine::translate((-seen.x0, -seen.y0));
        let mut state = state.clone();
        state.ctm *= fit;
        self.form(&stream, resources, state);
    }
}

/// What a text field was filled in with, where its look does not show it.
fn value(dict: &Dict<'_>, state: &State<'_>) -> Option<Glyph> {
    if dict.get::<Name<'_>>("Subtype")?.as_str() != "Widget" {
        return None;
    }
    let kind = inherited(dict, |field| field.get::<Name<'_>>("FT"))?;
    if !matches!(kind.as_str(), "Tx" | "Ch") {
        return None;
    }
    let raw = inherited(dict, |field| field.get::<PdfString<'_>>("V"))?;
    let text = strings::decode(raw.as_bytes());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return None;
    }
    let [x0, y0, x1, y1] = dict.get::<[f64; 4]>("Rect")?;
    let rect = Rect::from_points((x0, y0), (x1, y1));
    // About where a viewer would show it.
    let size = (rect.height() * 0.8).min(12.0);
    let width = (text.chars().count() as f64 * size * 0.5).min(rect.width());
    let begin = state.ctm * Point::new(rect.x0, rect.center().y - size * 0.35);
    let end = state.ctm * Point::new(rect.x0 + width, rect.center().y - size * 0.35);
    Some(Glyph {
        text,
        at: begin,
        advance: (end.x - begin.x, end.y - begin.y),
        size,
    })
}

/// A value of the field, or of the field it is a part of.
fn inherited<'a, T>(dict: &Dict<'a>, get: impl Fn(&Dict<'a>) -> Option<T>) -> Option<T> {
    let mut field = dict.clone();
    for _ in 0..MOST_PARENTS {
        if let Some(value) = get(&field) {
            return Some(value);
        }
        field = field.get::<Dict<'a>>("Parent")?;
    }
    None
}
