//! The part of the graphics state that places text.

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point};

use super::Glyph;
use super::fonts::Face;

#[derive(Clone)]
pub(super) struct State<'a> {
    /// From content to page, as it is seen.
    pub(super) ctm: Affine,
    pub(super) text: TextState<'a>,
}

#[derive(Clone)]
pub(super) struct TextState<'a> {
    pub(super) font: Option<Rc<Face<'a>>>,
    pub(super) size: f64,
    pub(super) char_space: f64,
    pub(super) word_space: f64,
    /// Horizontal scaling; 1 is none.
    pub(super) stretch: f64,
    pub(super) leading: f64,
    pub(super) rise: f64,
    pub(super) matrix: Affine,
    pub(super) line_matrix: Affine,
}

impl<'a> State<'a> {
    pub(super) fn new(ctm: Affine) -> Self {
        Self {
            ctm,
            text: TextState {
                font: None,
                size: 1.0,
                char_space: 0.0,
                word_space: 0.0,
                stretch: 1.0,
                leading: 0.0,
                rise: 0.0,
                matrix: Affine::IDENTITY,
                line_matrix: Affine::IDENTITY,
            },
        }
    }

    /// The glyph shown next; `step` is from its begin to its end.
    pub(super) fn glyph(&self, font: &Face<'a>, text: String, step: (f64, f64)) -> Glyph {
        let to_page = self.ctm * self.text.matrix;
        let [a, b, c, d, ..] = to_page.as_coeffs();
        let at: Point = to_page * Point::new(0.0, self.text.rise);
        let advance = (a * step.0 + c * step.1, b * step.0 + d * step.1);
        let size = (self.text.size * font.scale()).abs() * c.hypot(d);
        Glyph {
            text,
            at,
            advance,
            size,
        }
    }
}

impl<'a> TextState<'a> {
    pub(super) fn set_matrix(&mut self, matrix: Affine) {
        self.matrix = matrix;
        self.line_matrix = matrix;
    }

    pub(super) fn next_line(&mut self, x: f64, y: f64) {
        self.set_matrix(self.line_matrix * Affine::translate((x, y)));
    }

    /// A number between strings, in thousandths of the font's size.
    pub(super) fn adjust(&mut self, by: f64) {
        let by = -by / 1000.0 * self.size;
        let vertical = self.font.as_ref().is_some_and(|font| font.is_vertical());
        let by = if vertical {
            (0.0, by)
        } else {
            (by * self.stretch, 0.0)
        };
        self.matrix *= Affine::translate(by);
    }

    /// How far the glyph itself reaches, in text space.
    pub(super) fn step(&self, font: &Face<'a>, code: u32) -> (f64, f64) {
        let (x, y) = font.advance(code);
        (
            x / 1000.0 * self.size * self.stretch,
            y / 1000.0 * self.size,
        )
    }

    /// Goes on behind the glyph that was shown.
    pub(super) fn advance(&mut self, font: &Face<'a>, code: u32, length: usize, step: (f64, f64)) {
        let mut space = self.char_space;
        if code == 32 && length == 1 {
            space += self.word_space;
        }
        let by = if font.is_vertical() {
            (0.0, step.1 + space)
        } else {
            (step.0 + space * self.stretch, 0.0)
        };
        self.matrix *= Affine::translate(by);
    }
}
