//! Fonts: how wide a character code is, and which text it stands for.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::{
    CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont,
};
use hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, Stream, String as PdfString,
};
use unicode_normalization::UnicodeNormalization;

use super::unicode::ToUnicode;

/// The fonts of a document.
pub(crate) struct Fonts<'a> {
    cache: FontCache<'a>,
    faces: HashMap<ObjectIdentifier, Option<Rc<Face<'a>>>>,
    fallback: Option<Option<Rc<Face<'a>>>>,
    substitutes: FontResolverFn,
    cmaps: CMapResolverFn,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Self {
            cache: FontCache::new(),
            faces: HashMap::new(),
            fallback: None,
            substitutes: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(font) => Some(font.pick_standard_font().get_font_data()),
            }),
            cmaps: Arc::new(load_embedded),
        }
    }
}

impl<'a> Fonts<'a> {
    /// The font of a dictionary; nothing where it is damaged.
    pub(super) fn get(&mut self, dict: &Dict<'a>) -> Option<Rc<Face<'a>>> {
        if let Some(known) = dict.obj_id().and_then(|id| self.faces.get(&id)) {
            return known.clone();
        }
        let face = self
            .cache
            .font(dict, &self.substitutes, &self.cmaps)
            .map(|font| Rc::new(Face::new(font, Some(dict))));
        if let Some(id) = dict.obj_id() {
            self.faces.insert(id, face.clone());
        }
        face
    }

    /// What is taken where no font, or none that exists, was chosen.
    pub(super) fn fallback(&mut self) -> Option<Rc<Face<'a>>> {
        let (cache, substitutes) = (&self.cache, &self.substitutes);
        self.fallback
            .get_or_insert_with(|| {
                let font = cache.standard_font(StandardFont::Helvetica, substitutes)?;
                Some(Rc::new(Face::new(font, None)))
            })
            .clone()
    }
}

/// A font and what it says its codes mean.
pub(crate) struct Face<'a> {
    font: Font<'a>,
    /// What a font size of 1 is in text space; not 1 for Type 3 fonts.
    scale: f64,
    texts: RefCell<HashMap<u32, Option<String>>>,
    dict: Option<Dict<'a>>,
    // Both large, and needed for few fonts.
    collection: OnceCell<Option<Collection>>,
    /// The font's own map, read leniently.
    map: OnceCell<Option<ToUnicode>>,
    /// Glyph -> character, as the embedded font tells it.
    reverse: OnceCell<HashMap<u32, char>>,
}

impl<'a> Face<'a> {
    fn new(font: Font<'a>, dict: Option<&Dict<'a>>) -> Self {
        Self {
            font,
            scale: dict.and_then(type3_scale).unwrap_or(1.0),
            texts: RefCell::default(),
            dict: dict.cloned(),
            collection: OnceCell::new(),
            map: OnceCell::new(),
            reverse: OnceCell::new(),
        }
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn is_vertical(&self) -> bool {
        !self.font.is_horizontal()
    }

    /// The code at an offset, which lies within the bytes, and its length.
    pub(super) fn read_code(&self, bytes: &[u8], offset: usize) -> (u32, usize) {
        self.font.read_code(bytes, offset)
    }

    /// In thousandths of the font's size.
    pub(super) fn advance(&self, code: u32) -> (f64, f64) {
        let by = self.font.code_advance(code);
        (by.x, by.y)
    }

    /// The text of a code, empty where its neighbour has it; nothing where
    /// nothing tells it.
    pub(super) fn text(&self, code: u32, length: usize) -> Option<String> {
        if let Some(known) = self.texts.borrow().get(&code) {
            return known.clone();
        }
        let text = self.find_text(code, length);
        self.texts.borrow_mut().insert(code, text.clone());
        text
    }

    fn find_text(&self, code: u32, length: usize) -> Option<String> {
        let glyph = self.font.glyph(self.font.map_code(code), code);
        let told = match &glyph {
            FontGlyph::Outline(outline) => outline.as_unicode(),
            FontGlyph::Type3(type3) => type3.as_unicode(),
        };
        told.and_then(readable)
            .or_else(|| {
                let map = self.map.get_or_init(|| {
                    let stream = self.dict.as_ref()?.get::<Stream<'_>>("ToUnicode")?;
                    Some(ToUnicode::parse(&stream.decoded_data().ok()?))
                });
                let text = map.as_ref()?.text(code)?;
                if text.is_empty() {
                    return Some(text);
                }
                readable(BfString::String(text))
            })
            .or_else(|| {
                let collection = self
                    .collection
                    .get_or_init(|| self.dict.as_ref().and_then(Collection::new));
                readable(collection.as_ref()?.text(code, length)?)
            })
            .or_else(|| {
                let FontGlyph::Outline(outline) = &glyph else {
                    return None;
                };
                let map = self.reverse.get_or_init(|| {
                    outline
                        .font_data()
                        .map(|font| reverse_map((*font.data).as_ref()))
                        .unwrap_or_default()
                });
                let c = *map.get(&outline.glyph_id().to_u32())?;
                readable(BfString::Char(c))
            })
    }
}

/// The text as it is searched: ligatures and presentation forms as letters;
/// nothing where it says nothing.
fn readable(told: BfString) -> Option<String> {
    let told = match told {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    };
    let mut text = String::with_capacity(told.len());
    for c in told.chars() {
        match c {
            '\u{FB00}'..='\u{FB06}' | '\u{FB13}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}' => text.extend(std::iter::once(c).nfkc()),
            '\t' | '\n' | '\r' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{3000}' => text.push(' '),
            // Private characters mean nothing outside the font.
            '\u{F0B7}' => text.push('•'),
            '\u{F0A7}' => text.push('▪'),
            '\u{F0D8}' => text.push('▸'),
            '\u{F0FC}' => text.push('✓'),
            '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => {
                // Symbol fonts put their codes there.
                if let '\u{F020}'..='\u{F07E}' = c
                    && let Some(plain) = char::from_u32(u32::from(c) - 0xF000)
                {
                    text.push(plain);
                }
            }
            '\u{FFFD}' | '\u{FFFE}' | '\u{FFFF}' | '\u{FEFF}' | '\u{200B}' => {}
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The character collection (Adobe-Japan1 and such) of a font whose codes are
/// no Unicode: it tells the text where the font does not.
struct Collection {
    /// Codes -> numbers in the collection; none where they are the same.
    encoding: Option<CMap>,
    unicode: CMap,
}

impl Collection {
    fn new(dict: &Dict<'_>) -> Option<Self> {
        let kids = dict.get::<Array<'_>>("DescendantFonts")?;
        let kid = kids.iter::<Dict<'_>>().next()?;
        let info = kid.get::<Dict<'_>>("CIDSystemInfo")?;
        let registry = info.get::<PdfString<'_>>("Registry")?;
        let ordering = info.get::<PdfString<'_>>("Ordering")?;
        let family = CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes());
        let unicode = CMap::parse(load_embedded(family.ucs2_cmap()?)?, load_embedded)?;
        let encoding = match dict.get::<Object<'_>>("Encoding")? {
            Object::Name(name) => match CMapName::from_bytes(&name) {
                CMapName::IdentityH | CMapName::IdentityV => None,
                known => Some(CMap::parse(load_embedded(known)?, load_embedded)?),
            },
            Object::Stream(stream) => {
                Some(CMap::parse(&stream.decoded_data().ok()?, load_embedded)?)
            }
            _ => return None,
        };
        Some(Self { encoding, unicode })
    }

    fn text(&self, code: u32, length: usize) -> Option<BfString> {
        let number = match &self.encoding {
            Some(cmap) => cmap.lookup_cid_code(code, u8::try_from(length).ok()?)?,
            None => code,
        };
        self.unicode.lookup_bf_string(number)
    }
}

/// Glyph -> character by an embedded TrueType or OpenType font's own table.
fn reverse_map(font: &[u8]) -> HashMap<u32, char> {
    let mut map = HashMap::new();
    let Ok(font) = skrifa::FontRef::new(font) else {
        return map;
    };
    for (code, glyph) in skrifa::MetadataProvider::charmap(&font).mappings() {
        if let Some(c) = char::from_u32(code) {
            map.entry(glyph.to_u32()).or_insert(c);
        }
    }
    map
}

/// Glyphs of Type 3 fonts have a space of their own; its box tells how high
/// they are.
fn type3_scale(dict: &Dict<'_>) -> Option<f64> {
    if dict.get::<Name<'_>>("Subtype")?.as_str() != "Type3" {
        return None;
    }
    let matrix = dict.get::<[f64; 6]>("FontMatrix")?;
    let bbox = dict.get::<[f64; 4]>("FontBBox").unwrap_or_default();
    let mut height = (bbox[3] - bbox[1]).abs();
    if height == 0.0 {
        // Letters are about half as wide as high.
        let widths = dict.get::<Array<'_>>("Widths")?;
        height = 1.6 * widths.iter::<f64>().fold(0.0, |most, width| f64::max(most, width.abs()));
    }
    let scale = (height * matrix[3].hypot(matrix[2])).abs();
    (scale.is_finite() && scale > 0.0).then_some(scale)
}
