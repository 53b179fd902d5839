//! What the tags of text do.

use crate::rich::Rich;
use crate::xml::{Step, Tag};

use super::{Body, List, MOST_LISTS};

impl Body<'_> {
    pub(super) fn text_tag(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "p" | "h" => self.begin_paragraph(tag),
            "span" => {
                let style = tag.attr("style-name").unwrap_or_default();
                let outer = self.spans.last().copied().unwrap_or(false);
                self.spans.push(self.styles.hides(&style).unwrap_or(outer));
            }
            "a" => self.open_link(tag),
            "s" | "tab" => self.sign(Rich::space),
            "line-break" => self.sign(Rich::newline),
            "soft-page-break" => {
                if self.paragraphs.is_empty() {
                    self.page_pending = true;
                } else {
                    self.flow.rich().page_break();
                }
            }
            "list" => {
                let name = tag.attr("style-name").map(|name| name.into_owned());
                let style = name
                    .or_else(|| self.lists.last().map(|list| list.style.clone()))
                    .unwrap_or_default();
                let goes_on = tag.attr("continue-numbering").as_deref() == Some("true")
                    || tag.attr("continue-list").is_some();
                if self.lists.is_empty() && !goes_on {
                    self.counters.remove(&style);
                }
                self.lists.push(List {
                    style,
                    fresh: false,
                });
            }
            "list-item" => {
                if let Some(list) = self.lists.last_mut() {
                    list.fresh = true;
                    if let Some(start) = tag.number::<u32>("start-value") {
                        let level = self.lists.len().min(MOST_LISTS) - 1;
                        if let Some(list) = self.lists.last() {
                            let counters = self.counters.entry(list.style.clone()).or_default();
                            counters[level] = Some(start.saturating_sub(1));
                        }
                    }
                }
            }
            "note" => self.is_endnote = tag.attr("note-class").as_deref() == Some("endnote"),
            "note-body" => return Step::into_if(self.open_frame()),
            "deletion" => {
                self.deleted += 1;
                return Step::Skip;
            }
            "section" if tag.attr("display").as_deref() == Some("none") => {
                self.hidden += 1;
                return Step::Skip;
            }
            "hidden-text" | "hidden-paragraph"
                if tag.attr("is-hidden").as_deref() == Some("true") =>
            {
                self.hidden += 1;
                return Step::Skip;
            }
            // What numbers a note, and what an index is made by.
            "page-number" | "page-count" if self.in_margins => return Step::Skip,
            "note-citation" | "insertion" | "format-change" | "ruby-text" | "script"
            | "variable-decls" | "sequence-decls" | "user-field-decls" => return Step::Skip,
            name if name.ends_with("-source") => return Step::Skip,
            _ => {}
        }
        Step::Into
    }

    pub(super) fn open_link(&mut self, tag: &Tag<'_>) {
        let address = tag.attr("href").unwrap_or_default();
        // A place in the document itself is no address.
        let opened = !address.starts_with('#')
            && !self.paragraphs.is_empty()
            && !self.hides()
            && self.flow.open_link(&address);
        self.links.push(opened);
    }
}
