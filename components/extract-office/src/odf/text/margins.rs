//! Headers and footers.

use crate::xml::{Handler, Ns, Step, Tag};

use super::Body;

/// Reads the headers and footers of master pages.
pub(in crate::odf) struct Margins<'b, 'a> {
    pub(super) body: &'b mut Body<'a>,
}

impl Handler for Margins<'_, '_> {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match (tag.ns, tag.name) {
            (Ns::Style, name) if name.starts_with("header") || name.starts_with("footer") => {
                // One that is not shown says so.
                if tag.attr("display").as_deref() == Some("false") || !self.body.open_frame() {
                    return Step::Skip;
                }
                Step::Into
            }
            (Ns::Office, "body" | "styles" | "automatic-styles") => Step::Skip,
            (Ns::Style, _) | (Ns::Office, "master-styles" | "document" | "document-styles") => {
                Step::Into
            }
            // Of a slide's master only what it shows on each slide is there.
            (Ns::Draw | Ns::Presentation, _) if self.body.paragraphs.is_empty() => Step::Skip,
            _ => self.body.start(tag),
        }
    }

    fn end(&mut self, ns: Ns, name: &str) {
        match (ns, name) {
            (Ns::Style, name) if name.starts_with("header") => {
                let blocks = self.body.close_frame();
                self.body.headers.push(blocks);
            }
            (Ns::Style, name) if name.starts_with("footer") => {
                let blocks = self.body.close_frame();
                self.body.footers.push(blocks);
            }
            (Ns::Style | Ns::Office, _) => {}
            _ => self.body.end(ns, name),
        }
    }

    fn text(&mut self, text: &str) {
        self.body.text(text);
    }
}
