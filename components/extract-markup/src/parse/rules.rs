//! Which tags end which elements, and which are implied.

use html5gum::State;

use super::{Builder, Open, Tag, hash};
use crate::names::Name;

impl Builder {
    /// Whether the innermost open element is not one of HTML.
    fn in_foreign(&self) -> bool {
        (self.is_open(Name::Svg) || self.is_open(Name::Math))
            && self
                .find(
                    |open| matches!(open.name, Name::Svg | Name::Math),
                    |name| name == Name::ForeignObject,
                )
                .is_some()
    }

    pub(super) fn start_tag(&mut self, tag: &Tag, self_closing: bool) -> Option<State> {
        let name = tag.name;
        if self.in_foreign() {
            if !ends_foreign(name) {
                if self_closing {
                    self.insert(tag);
                } else {
                    self.push(tag);
                }
                return None;
            }
            self.close(|name| matches!(name, Name::Svg | Name::Math), |_| false);
        }
        if self.top() == Name::Head && !name.is_metadata() && name != Name::Head {
            self.close_from(self.stack.len() - 1);
        }
        if name.closes_p() && self.is_open(Name::P) {
            self.close(
                |name| name == Name::P,
                |name| name.is_scope() || name == Name::Button,
            );
        }
        match name {
            Name::Html if self.is_open(Name::Html) => return None,
            Name::Head if std::mem::replace(&mut self.seen_head, true) => return None,
            Name::Body if std::mem::replace(&mut self.seen_body, true) => return None,
            _ if name.heading().is_some() => {
                if self.top().heading().is_some() {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::Li => self.close(|name| name == Name::Li, ends_item),
            Name::Dd | Name::Dt => {
                self.close(|name| matches!(name, Name::Dd | Name::Dt), ends_item);
            }
            Name::Option | Name::Optgroup => {
                if self.top() == Name::Option {
                    self.close_from(self.stack.len() - 1);
                }
                if name == Name::Optgroup && self.top() == Name::Optgroup {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::Button => self.close(|name| name == Name::Button, Name::is_scope),
            Name::Rp | Name::Rt => {
                if matches!(self.top(), Name::Rp | Name::Rt) {
                    self.close_from(self.stack.len() - 1);
                }
            }
            Name::A => self.end_inline(|open| open.name == Name::A),
            Name::Table | Name::Form if self.is_between_cells() => {
                if name == Name::Form {
                    self.insert(tag);
                    return None;
                }
                self.close(|name| name == Name::Table, |_| false);
            }
            _ => self.table_part(tag),
        }
        if name.is_void() {
            self.insert(tag);
            return None;
        }
        self.push(tag);
        match name {
            Name::Title | Name::Textarea => Some(State::RcData),
            Name::Script => Some(State::ScriptData),
            Name::Style | Name::Iframe | Name::Xmp | Name::Noembed | Name::Noframes => {
                Some(State::RawText)
            }
            Name::Plaintext => Some(State::PlainText),
            _ => None,
        }
    }

    fn is_between_cells(&self) -> bool {
        let top = self.top();
        top.is_row_group() || matches!(top, Name::Table | Name::Tr)
    }

    /// Ends what a row group, row or cell ends, and begins the row that a cell
    /// needs.
    fn table_part(&mut self, tag: &Tag) {
        let end = |name: Name| matches!(name, Name::Table | Name::Template);
        let name = tag.name;
        if !self.is_open(Name::Table) {
            // Part of a table that was cut out of its page.
            if name.is_cell() {
                self.close(Name::is_cell, |name| name == Name::Tr);
            } else if name == Name::Tr {
                self.close(|name| name == Name::Tr, |_| false);
            }
            return;
        }
        let inside = |at: Option<usize>| at.map_or(0, |at| at + 1);
        if name.is_row_group() || matches!(name, Name::Caption | Name::Colgroup) {
            self.close_from(inside(self.find(|open| end(open.name), |_| false)));
        } else if name == Name::Tr || name.is_cell() {
            if name.is_cell()
                && let Some(row) = self.find(|open| open.name == Name::Tr, end)
            {
                self.close_from(row + 1);
                return;
            }
            let outer = |open: &Open| open.name.is_row_group() || end(open.name);
            self.close_from(inside(self.find(outer, |_| false)));
            if name.is_cell() {
                let mut attributes = std::mem::take(&mut self.dom.attributes);
                let own = attributes.split_off(tag.first_attribute);
                self.dom.attributes = attributes;
                self.push(&Tag {
                    name: Name::Tr,
                    hash: hash(b"tr"),
                    first_attribute: tag.first_attribute,
                    seen: 0,
                    attribute: None,
                });
                self.dom.attributes.extend(own);
            }
        }
    }

    /// Ends an inline element: at once, or with the blocks that are open in it.
    fn end_inline(&mut self, is: impl Fn(&Open) -> bool) {
        let mut inside_block = false;
        for at in (0..self.stack.len()).rev() {
            let open = self.stack[at];
            if is(&open) && !open.ended {
                self.stack[at].ended = inside_block;
                if !inside_block {
                    self.close_from(at);
                }
                return;
            }
            if open.name.is_scope() {
                return;
            }
            inside_block |= open.name.is_block();
        }
    }

    pub(super) fn end_tag(&mut self, name: Name, hash: u32) {
        match name {
            // What follows them still belongs to the page.
            Name::Html | Name::Body => return,
            Name::Br => {
                let tag = Tag {
                    name,
                    hash,
                    first_attribute: self.dom.attributes.len(),
                    seen: 0,
                    attribute: None,
                };
                if !self.is_full() {
                    self.insert(&tag);
                }
                return;
            }
            _ if name.heading().is_some() => {
                self.close(|open| open.heading().is_some(), Name::is_scope);
                return;
            }
            _ => {}
        }
        if !self.is_open(name) {
            return;
        }
        let is = |open: &Open| open.name == name && open.hash == hash;
        let at = match name {
            Name::Caption | Name::Table | Name::Td | Name::Th | Name::Tr => {
                self.find(is, |name| matches!(name, Name::Table | Name::Template))
            }
            _ if name.is_row_group() => {
                self.find(is, |name| matches!(name, Name::Table | Name::Template))
            }
            Name::Li => self.find(is, |name| is_list(name) || name.is_scope()),
            Name::P => self.find(is, |name| name == Name::Button || name.is_scope()),
            _ if name.is_block() || name.is_scope() || name.is_metadata() => {
                self.find(is, Name::is_scope)
            }
            Name::Audio
            | Name::Button
            | Name::Canvas
            | Name::Datalist
            | Name::ForeignObject
            | Name::Head
            | Name::Map
            | Name::Select
            | Name::Textarea
            | Name::Video => self.find(is, Name::is_scope),
            _ => {
                self.end_inline(is);
                return;
            }
        };
        if let Some(at) = at {
            self.close_from(at);
        }
    }
}

fn is_list(name: Name) -> bool {
    matches!(name, Name::Ul | Name::Ol | Name::Menu | Name::Dir)
}

/// Elements that keep the items inside them from ending those around them.
fn ends_item(name: Name) -> bool {
    name.is_scope()
        || name == Name::Button
        || (name.is_block() && !matches!(name, Name::Address | Name::Div | Name::P))
}

/// HTML elements that end an open `svg` or `math` instead of being part of it.
fn ends_foreign(name: Name) -> bool {
    !matches!(
        name,
        Name::A
            | Name::Annotation
            | Name::Font
            | Name::ForeignObject
            | Name::Link
            | Name::Script
            | Name::Style
            | Name::Summary
            | Name::Template
            | Name::Title
            | Name::Video
            | Name::Audio
            | Name::Iframe
            | Name::Canvas
            | Name::Svg
            | Name::Math
            | Name::Other
    )
}
