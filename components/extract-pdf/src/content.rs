//! A page's content -> glyphs with their place and Unicode text.
//!
//! Only what text needs is interpreted: no paths, colours or pictures. Work is
//! counted, as content can call itself over and over (forms in forms).

mod fonts;
mod marked;
mod state;
mod unicode;
mod widgets;

use std::collections::HashSet;

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};

pub(crate) use fonts::Fonts;
use marked::Marked;
use state::{State, TextState};

/// Forms in forms deeper than this are left out.
const MOST_DEPTH: usize = 24;
/// Saved graphics states more than this are not kept.
const MOST_SAVED: usize = 4096;
/// More glyphs on a page than this are left out.
const MOST_GLYPHS: usize = 400_000;
/// What calling a form costs beside its content, in operations.
const COST_OF_CALL: u64 = 50;

/// A stretch of text that was shown at once: mostly one character.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Glyph {
    /// Unicode, in logical order; empty where the font does not tell it.
    pub(crate) text: String,
    /// Where it begins on the base line, in points from the page's upper left
    /// corner as it is seen, `y` going down.
    pub(crate) at: Point,
    /// From there to where it ends.
    pub(crate) advance: (f64, f64),
    /// Height of its font in points.
    pub(crate) size: f64,
}

/// What the content of a page has.
#[derive(Debug, Default)]
pub(crate) struct PageContent {
    /// In the order shown.
    pub(crate) glyphs: Vec<Glyph>,
    /// Shown characters whose font does not tell what they are.
    pub(crate) unknown: usize,
    /// Whether the work allowed did not suffice.
    pub(crate) cut: bool,
    /// Whether pictures or drawings are shown.
    pub(crate) drawn: bool,
    /// From the page's own coordinates to the page as it is seen.
    pub(crate) to_seen: Affine,
    /// Width and height of the page as it is seen, in points.
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Reads the content of pages, of one document all.
pub(crate) struct Reader<'a> {
    fonts: Fonts<'a>,
    hidden: HashSet<ObjectIdentifier>,
    /// Operations left for the whole document.
    work: u64,
}

impl<'a> Reader<'a> {
    /// `bytes` is the document's length, which the work allowed goes by.
    pub(crate) fn new(catalog: Option<&Dict<'a>>, bytes: usize) -> Self {
        Self {
            fonts: Fonts::default(),
            hidden: catalog.map(marked::hidden_layers).unwrap_or_default(),
            work: 2_000_000 + 6 * bytes as u64,
        }
    }

    /// Whether no work is left for more pages.
    pub(crate) fn is_spent(&self) -> bool {
        self.work == 0
    }

    /// The glyphs of a page and of the annotations on it.
    pub(crate) fn read(&mut self, page: &Page<'a>) -> PageContent {
        let (width, height) = page.render_dimensions();
        let to_seen = Affine::new(page.initial_transform(true).as_coeffs());
        let mut run = Run {
            fonts: &mut self.fonts,
            hidden: &self.hidden,
            work: &mut self.work,
            depth: 0,
            out: PageContent {
                width: f64::from(width),
                height: f64::from(height),
                to_seen,
                ..PageContent::default()
            },
        };
        let state = State::new(to_seen);
        if let Some(content) = page.page_stream() {
            run.content(content, page.resources(), state.clone());
        }
        for annotation in page
            .raw()
            .get::<Array<'a>>("Annots")
            .iter()
            .flat_map(|all| all.iter::<Dict<'a>>())
        {
            if *run.work == 0 {
                break;
            }
            run.annotation(&annotation, page.resources(), &state);
        }
        let mut out = run.out;
        let bounds = Rect::new(0.0, 0.0, out.width, out.height).inflate(1.0, 1.0);
        out.glyphs.retain(|glyph| {
            glyph.size.is_finite()
                && glyph.advance.0.is_finite()
                && glyph.advance.1.is_finite()
                && bounds.contains(glyph.at)
        });
        out
    }
}

/// One page's reading.
struct Run<'r, 'a> {
    fonts: &'r mut Fonts<'a>,
    hidden: &'r HashSet<ObjectIdentifier>,
    work: &'r mut u64,
    depth: usize,
    out: PageContent,
}

impl<'a> Run<'_, 'a> {
    /// Takes work; false, and a note of it, where none is left.
    fn spend(&mut self, cost: u64) -> bool {
        *self.work = self.work.saturating_sub(cost);
        self.out.cut |= *self.work == 0;
        *self.work > 0
    }

    fn content(&mut self, content: &[u8], resources: &Resources<'a>, mut state: State<'a>) {
        let mut operations = TypedIter::new(content);
        let mut saved: Vec<State<'a>> = Vec::new();
        let mut marked = Marked::default();
        while let Some(operation) = operations.next() {
            if !self.spend(1) {
                break;
            }
            match operation {
                TypedInstruction::SaveState(_) if saved.len() < MOST_SAVED => {
                    saved.push(state.clone());
                }
                TypedInstruction::RestoreState(_) => {
                    if let Some(before) = saved.pop() {
                        // Text positions are no part of the graphics state.
                        let text = (state.text.matrix, state.text.line_matrix);
                        state = before;
                        (state.text.matrix, state.text.line_matrix) = text;
                    }
                }
                TypedInstruction::Transform(t) => {
                    state.ctm *= Affine::new([
                        t.0.as_f64(),
                        t.1.as_f64(),
                        t.2.as_f64(),
                        t.3.as_f64(),
                        t.4.as_f64(),
                        t.5.as_f64(),
                    ]);
                }
                TypedInstruction::SetGraphicsState(name) => {
                    self.graphics_state(name.0, resources, &mut state.text);
                }
                TypedInstruction::XObject(name) => {
                    if !marked.is_hidden()
                        && let Some(stream) = resources.get_x_object(name.0)
                    {
                        self.x_object(&stream, resources, &state);
                    }
                }
                TypedInstruction::FillPathNonZero(_)
                | TypedInstruction::FillPathNonZeroCompatibility(_)
                | TypedInstruction::FillPathEvenOdd(_)
                | TypedInstruction::StrokePath(_)
                | TypedInstruction::CloseAndStrokePath(_)
                | TypedInstruction::FillAndStrokeNonZero(_)
                | TypedInstruction::FillAndStrokeEvenOdd(_)
                | TypedInstruction::CloseFillAndStrokeNonZero(_)
                | TypedInstruction::CloseFillAndStrokeEvenOdd(_)
                | TypedInstruction::Shading(_)
                | TypedInstruction::InlineImage(_) => self.out.drawn |= !marked.is_hidden(),
                TypedInstruction::BeginMarkedContent(_) => {
                    marked.begin(None, false, self.out.glyphs.len());
                }
                TypedInstruction::BeginMarkedContentWithProperties(tag) => {
                    let (text, hidden) = self.marked_content(tag.0, tag.1, resources);
                    marked.begin(text, hidden, self.out.glyphs.len());
                }
                TypedInstruction::EndMarkedContent(_) => marked.end(&mut self.out.glyphs),
                other => self.text(&other, resources, &mut state, marked.is_hidden()),
            }
        }
        marked.finish(&mut self.out.glyphs);
    }

    fn text(
        &mut self,
        operation: &TypedInstruction<'_, '_>,
        resources: &Resources<'a>,
        state: &mut State<'a>,
        hidden: bool,
    ) {
        let text = &mut state.text;
        match operation {
            TypedInstruction::BeginText(_) => text.set_matrix(Affine::IDENTITY),
            TypedInstruction::SetTextMatrix(m) => text.set_matrix(Affine::new([
                m.0.as_f64(),
                m.1.as_f64(),
                m.2.as_f64(),
                m.3.as_f64(),
                m.4.as_f64(),
                m.5.as_f64(),
            ])),
            TypedInstruction::TextFont(font) => {
                text.size = font.1.as_f64();
                text.font = match resources.get_font(font.0) {
                    Some(dict) => self.fonts.get(&dict),
                    None => self.fonts.fallback(),
                };
            }
            TypedInstruction::CharacterSpacing(n) => text.char_space = n.0.as_f64(),
            TypedInstruction::WordSpacing(n) => text.word_space = n.0.as_f64(),
            TypedInstruction::HorizontalScaling(n) => text.stretch = n.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(n) => text.leading = n.0.as_f64(),
            TypedInstruction::TextRise(n) => text.rise = n.0.as_f64(),
            TypedInstruction::NextLine(n) => text.next_line(n.0.as_f64(), n.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(n) => {
                text.leading = -n.1.as_f64();
                text.next_line(n.0.as_f64(), n.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => text.next_line(0.0, -text.leading),
            TypedInstruction::ShowText(shown) => self.show(shown.0.as_bytes(), state, hidden),
            TypedInstruction::NextLineAndShowText(shown) => {
                text.next_line(0.0, -text.leading);
                self.show(shown.0.as_bytes(), state, hidden);
            }
            TypedInstruction::ShowTextWithParameters(shown) => {
                text.word_space = shown.0.as_f64();
                text.char_space = shown.1.as_f64();
                text.next_line(0.0, -text.leading);
                self.show(shown.2.as_bytes(), state, hidden);
            }
            TypedInstruction::ShowTexts(list) => {
                for part in list.0.iter::<Object<'_>>() {
                    match part {
                        Object::Number(by) => state.text.adjust(by.as_f64()),
                        Object::String(shown) => self.show(shown.as_bytes(), state, hidden),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, bytes: &[u8], state: &mut State<'a>, hidden: bool) {
        let font = match &state.text.font {
            Some(font) => font.clone(),
            None => match self.fonts.fallback() {
                Some(font) => font,
                None => return,
            },
        };
        if !self.spend(bytes.len() as u64) {
            return;
        }
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = font.read_code(bytes, at);
            at += length.max(1);
            let step = state.text.step(&font, code);
            if !hidden {
                if self.out.glyphs.len() >= MOST_GLYPHS {
                    self.out.cut = true;
                    return;
                }
                let text = font.text(code, length);
                self.out.unknown += usize::from(text.is_none());
                let text = text.unwrap_or_default();
                self.out.glyphs.push(state.glyph(&font, text, step));
            }
            state.text.advance(&font, code, length, step);
        }
    }

    fn graphics_state(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        text: &mut TextState<'a>,
    ) {
        let Some(font) = resources
            .get_ext_g_state(name)
            .and_then(|dict| dict.get::<Array<'a>>("Font"))
        else {
            return;
        };
        let mut parts = font.iter::<Object<'a>>();
        if let (Some(Object::Dict(dict)), Some(Object::Number(size))) = (parts.next(), parts.next())
        {
            text.font = self.fonts.get(&dict);
            text.size = size.as_f64();
        }
    }

    /// The text that stands for the content, and whether its layer is hidden.
    fn marked_content(
        &self,
        tag: &Name<'_>,
        properties: &Object<'_>,
        resources: &Resources<'a>,
    ) -> (Option<String>, bool) {
        let is_layer = tag.as_str() == "OC";
        match properties {
            Object::Dict(dict) => (marked::actual_text(dict), false),
            Object::Name(name) => {
                let Some(dict) = resources.properties.get::<Dict<'a>>(name) else {
                    return (None, false);
                };
                let layer = resources.properties.get_ref(name).map(Into::into);
                let hidden = is_layer && marked::is_hidden(&dict, layer, self.hidden);
                (marked::actual_text(&dict), hidden)
            }
            _ => (None, false),
        }
    }

    fn x_object(&mut self, stream: &Stream<'a>, resources: &Resources<'a>, state: &State<'a>) {
        let dict = stream.dict();
        if let Some(layer) = dict.get::<Dict<'a>>("OC") {
            let id = dict.get_ref("OC").map(Into::into);
            if marked::is_hidden(&layer, id, self.hidden) {
                return;
            }
        }
        match dict.get::<Name<'a>>("Subtype").as_ref().map(Name::as_str) {
            Some("Image") => self.out.drawn = true,
            Some("Form") => self.form(stream, resources, state.clone()),
            _ => {}
        }
    }

    fn form(&mut self, stream: &Stream<'a>, resources: &Resources<'a>, mut state: State<'a>) {
        if self.depth == MOST_DEPTH || !self.spend(COST_OF_CALL) {
            return;
        }
        let Ok(content) = stream.decoded_data() else {
            return;
        };
        if !self.spend(content.len() as u64 / 16) {
            return;
        }
        let dict = stream.dict();
        let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
        if let Some(matrix) = dict.get::<[f64; 6]>("Matrix") {
            state.ctm *= Affine::new(matrix);
        }
        self.depth += 1;
        self.content(&content, own.as_ref().unwrap_or(resources), state);
        self.depth -= 1;
    }
}
