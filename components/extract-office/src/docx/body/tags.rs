//! What the tags of WordprocessingML do.

use crate::rich::Rich;
use crate::xml::{Step, Tag};

use super::super::fields;
use super::super::symbols::symbol;
use super::{Body, Note, Paragraph, Takes};

impl Body<'_> {
    /// Tags that stand in properties of a paragraph, a run or a row.
    pub(super) fn property(&mut self, tag: &Tag<'_>) {
        let in_run = self.in_run_properties;
        if self.in_row_properties && tag.name == "del" {
            self.row_deleted = true;
        }
        let Some(paragraph) = self.paragraphs.last_mut() else {
            return;
        };
        if self.in_paragraph_properties {
            match tag.name {
                "pStyle" => {
                    let style = tag.attr("val").map(|id| id.into_owned());
                    let resolved = style.as_ref().map(|id| self.styles.resolve(id));
                    let resolved = resolved.unwrap_or_default();
                    paragraph.vanish = resolved.vanish;
                    self.page_pending |= resolved.page_before;
                    paragraph.style = style;
                }
                "outlineLvl" => paragraph.outline = tag.number("val"),
                "numId" => paragraph.list = tag.number("val"),
                "ilvl" => paragraph.level = tag.number("val"),
                "pageBreakBefore" => self.page_pending = tag.is_on(),
                "sectPr" => paragraph.page_after = true,
                "type" if tag.attr("val").as_deref() == Some("continuous") => {
                    paragraph.page_after = false;
                }
                "del" | "moveFrom" if in_run => paragraph.joined = true,
                _ => {}
            }
        } else if in_run && let Some(hidden) = self.runs.last_mut() {
            match tag.name {
                "rStyle" => {
                    let id = tag.attr("val").unwrap_or_default();
                    *hidden |= self.styles.resolve(&id).vanish;
                }
                "vanish" => *hidden = tag.is_on(),
                _ => {}
            }
        }
    }

    pub(super) fn word(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "p" => {
                // A paragraph whose end was deleted is still open.
                self.rich();
                self.paragraphs.push(Paragraph::default());
            }
            "pPr" => self.in_paragraph_properties = true,
            "rPr" => self.in_run_properties = true,
            "trPr" => self.in_row_properties = true,
            "r" => {
                let vanish = self
                    .paragraphs
                    .last()
                    .is_some_and(|paragraph| paragraph.vanish);
                self.runs.push(vanish);
            }
            "t" => self.takes = Takes::Words,
            "instrText" => self.takes = Takes::Instruction,
            "fldChar" => match tag.attr("fldCharType").as_deref() {
                Some("begin") => self.fields.begin(),
                Some("separate") => {
                    self.fields.hide_page_numbers(self.in_margins);
                    if let Some(address) = self.fields.separate()
                        && self.flow.open_link(&address)
                    {
                        self.fields.linked();
                    }
                }
                Some("end") => self.flow.close_link(self.fields.end()),
                _ => {}
            },
            "fldSimple"
                if self.in_margins
                    && tag
                        .attr("instr")
                        .is_some_and(|instr| fields::counts_pages(&instr)) =>
            {
                return Step::Skip;
            }
            "fldSimple" => {
                let address = tag.attr("instr").and_then(|instr| fields::link(&instr));
                self.open_link(address);
            }
            "hyperlink" => {
                let relation = tag.relation("id").and_then(|id| self.relations.get(&*id));
                let address =
                    relation
                        .filter(|relation| relation.external)
                        .map(|relation| match tag.attr("anchor") {
                            Some(anchor) => format!("{}#{anchor}", relation.target),
                            None => relation.target.clone(),
                        });
                self.open_link(address);
            }
            "tab" | "ptab" if !self.in_paragraph_properties => self.sign(Rich::space),
            "br" if tag.attr("type").as_deref() == Some("page") => {
                self.page_pending = true;
                self.sign(Rich::newline);
            }
            "br" | "cr" => self.sign(Rich::newline),
            "noBreakHyphen" => self.sign(|rich| rich.push("\u{2011}")),
            // It follows a break that stands in the text, too.
            "lastRenderedPageBreak" => self.page_pending = true,
            "sym" => {
                let code = tag
                    .attr("char")
                    .and_then(|code| u32::from_str_radix(&code, 16).ok());
                let font = tag.attr("font").unwrap_or_default();
                if let Some(sign) = code.and_then(|code| symbol(&font, code)) {
                    self.sign(|rich| rich.push(sign.encode_utf8(&mut [0; 4])));
                }
            }
            "footnoteReference" => self.refer(Note::Footnote, id(tag)),
            "endnoteReference" => self.refer(Note::Endnote, id(tag)),
            "commentReference" => self.refer(Note::Comment, id(tag)),
            "footnote" | "endnote" | "comment" => {
                // Others separate notes from the text.
                if !matches!(tag.attr("type").as_deref(), None | Some("normal"))
                    || !self.flow.open_frame()
                {
                    return Step::Skip;
                }
                let author = (tag.name == "comment").then(|| match tag.attr("author") {
                    Some(author) => format!("Comment by {author}:"),
                    None => "Comment:".to_owned(),
                });
                self.note = id(tag).map(|id| (id, author));
            }
            "txbxContent" => return Step::into_if(self.flow.open_frame()),
            "tbl" => return Step::into_if(self.flow.open_table()),
            "tr" => {
                self.row_deleted = false;
                self.flow.open_row();
            }
            "tc" => {
                if !self.flow.open_frame() {
                    return Step::Skip;
                }
                self.spans.push(1);
            }
            "gridSpan" => {
                if let Some(span) = self.spans.last_mut() {
                    *span = tag.number("val").unwrap_or(1);
                }
            }
            "del" | "moveFrom" => {
                self.deleted += 1;
                return Step::Skip;
            }
            // The reading of an Asian word, written over it, and what was
            // before a change.
            "rt" | "rPrChange" | "pPrChange" | "tblPrChange" | "trPrChange" | "tcPrChange"
            | "sectPrChange" | "numberingChange" | "tblGridChange" | "tblPrExChange" => {
                return Step::Skip;
            }
            _ => {}
        }
        Step::Into
    }

    fn open_link(&mut self, address: Option<String>) {
        let opened = match address {
            Some(address) => self.flow.open_link(&address),
            None => false,
        };
        self.links.push(opened);
    }
}

fn id(tag: &Tag<'_>) -> Option<String> {
    tag.attr("id").map(|id| id.into_owned())
}
