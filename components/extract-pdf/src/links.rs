//! Web addresses that places on a page link to.

use std::collections::HashSet;

use hayro_font::kurbo::{Affine, Rect};
use hayro_syntax::object::{Array, Dict, Name, String as PdfString};
use hayro_syntax::page::Page;

use crate::layout::Block;
use crate::strings;

/// Links of a page beyond this are left out.
const MOST_LINKS: usize = 2000;
/// Longer addresses are left out.
const MOST_ADDRESS: usize = 4000;
/// Lines compared with links on a page at most.
const MOST_LOOKS: usize = 2_000_000;

/// Gives each link of the page to the lines it lies on.
pub(crate) fn attach(page: &Page<'_>, to_seen: Affine, blocks: &mut [Block]) {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else {
        return;
    };
    let mut looks = MOST_LOOKS;
    let links = annotations
        .iter::<Dict<'_>>()
        .filter_map(|dict| link(&dict));
    for (rect, address) in links.take(MOST_LINKS) {
        let rect = to_seen.transform_rect_bbox(rect);
        // The address of a long link is told once, at its first line.
        let mut told = HashSet::new();
        for line in blocks.iter_mut().flatten() {
            looks = looks.saturating_sub(1);
            if looks == 0 {
                return;
            }
            let middle = line.base - 0.3 * line.size;
            let within = line.upright
                && (rect.y0..=rect.y1).contains(&middle)
                && line.left < rect.x1
                && line.right > rect.x0;
            if within && !line.links.contains(&address) && told.insert(address.clone()) {
                line.links.push(address.clone());
            }
        }
    }
}

fn link(dict: &Dict<'_>) -> Option<(Rect, String)> {
    if dict.get::<Name<'_>>("Subtype")?.as_str() != "Link" {
        return None;
    }
    let action = dict.get::<Dict<'_>>("A")?;
    if action.get::<Name<'_>>("S")?.as_str() != "URI" {
        return None;
    }
    let address = strings::decode(action.get::<PdfString<'_>>("URI")?.as_bytes());
    let address = address.trim();
    let is_one = !address.is_empty()
        && address.len() <= MOST_ADDRESS
        && !address.contains(char::is_whitespace);
    let [x0, y0, x1, y1] = dict.get::<[f64; 4]>("Rect")?;
    is_one.then(|| (Rect::from_points((x0, y0), (x1, y1)), address.to_owned()))
}
