//! Pages without a text layer -> the words in their picture.

use extract_core::{Failure, Ocr};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::Pixmap;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_syntax::page::Page;

/// What OCR programs read best.
const DOTS_PER_INCH: f32 = 300.0;
/// Larger pages are drawn smaller.
const MOST_PIXELS: f32 = 9_000_000.0;
/// Longest side of a picture.
const MOST_SIDE: f32 = 20_000.0;

/// The words on the page; empty where there are none.
///
/// # Errors
/// What the host says, or that the page could not be drawn.
pub(crate) fn read(page: &Page<'_>, ocr: &dyn Ocr) -> Result<String, Failure> {
    ocr.read(&png(page)?)
}

/// The page as a grey PNG file.
fn png(page: &Page<'_>) -> Result<Vec<u8>, Failure> {
    let (width, height) = page.render_dimensions();
    let scale = (DOTS_PER_INCH / 72.0)
        .min((MOST_PIXELS / (width * height)).sqrt())
        .min(MOST_SIDE / width.max(height));
    let drawn = hayro::render(
        page,
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &PixmapSettings {
            x_scale: scale,
            y_scale: scale,
            bg_color: WHITE,
        },
    );
    encode(&drawn).ok_or_else(|| Failure::invalid("The page could not be drawn."))
}

fn encode(drawn: &Pixmap) -> Option<Vec<u8>> {
    // Opaque, as the background is.
    let grey: Vec<u8> = drawn
        .data()
        .iter()
        .map(|pixel| {
            let [r, g, b] = [pixel.r, pixel.g, pixel.b].map(u32::from);
            ((r * 299 + g * 587 + b * 114) / 1000) as u8
        })
        .collect();
    let mut out = Vec::new();
    let (width, height) = (u32::from(drawn.width()), u32::from(drawn.height()));
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&grey).ok()?;
    writer.finish().ok()?;
    Some(out)
}
