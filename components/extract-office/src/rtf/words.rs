//! What the words of rich text do.

use crate::writer::once;

use super::{Ends, Format, Reader, Target, charsets};

impl Reader {
    pub(super) fn symbol(&mut self, symbol: u8) {
        self.flush();
        match symbol {
            b'~' => self.put("\u{A0}"),
            b'_' => self.put("\u{2011}"),
            // What follows is left out by those that do not know it.
            b'*' if self.state.target == Target::Body => self.state.target = Target::Skip,
            b'\n' | b'\r' => self.word("par", None),
            _ => {}
        }
    }

    fn shows(&self) -> bool {
        self.state.target == Target::Body && !self.state.deleted && !self.state.hidden
    }

    pub(super) fn word(&mut self, word: &str, number: Option<i32>) {
        if word == "u" {
            if let Some(number) = number {
                self.unicode(number);
            }
            return;
        }
        self.flush();
        self.high = None;
        if self.leave_out > 0 && !word.is_empty() {
            self.leave_out = 0;
        }
        let on = number != Some(0);
        let body = self.state.target == Target::Body;
        // Known destinations may be marked as ones to leave out when unknown.
        let fresh = self.states.last().is_some_and(|outer| {
            body || (outer.target == Target::Body && self.state.ends == Ends::Nothing)
        });
        match word {
            "fonttbl" => self.state.target = Target::Fonts,
            "stylesheet" => {
                self.value.clear();
                self.style = 0;
                self.state.target = Target::Styles;
            }
            "colortbl" | "pict" | "themedata" | "datastore" | "listtable" | "listoverridetable"
            | "rsidtbl" | "generator" | "xmlnstbl" | "latentstyles" | "objdata" | "nonshppict"
            | "bkmkstart" | "bkmkend" | "datafield" | "formfield" | "tc" | "xe" | "revtbl"
            | "atnid" | "atndate" | "atnref" | "private" | "filetbl" | "ftnsep" | "ftnsepc"
            | "ftncn" | "aftnsep" | "aftnsepc" | "aftncn" | "sp" | "upr"
                if body =>
            {
                self.state.target = Target::Skip;
            }
            "info" if body => self.state.target = Target::Skip,
            "title" | "author" | "keywords" | "subject" | "doccomm" | "category" | "company"
                if self.state.target == Target::Skip =>
            {
                self.value.clear();
                self.state.target = Target::Fact(match word {
                    "title" => "title",
                    "author" => "author",
                    "keywords" => "keywords",
                    "subject" => "subject",
                    "doccomm" => "description",
                    "category" => "categories",
                    _ => "company",
                });
            }
            "creatim" => self.state.ends = Ends::Date("created"),
            "revtim" => self.state.ends = Ends::Date("modified"),
            "yr" => self.date[0] = number.unwrap_or(0),
            "mo" => self.date[1] = number.unwrap_or(0),
            "dy" => self.date[2] = number.unwrap_or(0),
            "hr" => self.date[3] = number.unwrap_or(0),
            "min" => self.date[4] = number.unwrap_or(0),
            "ansicpg" => {
                if let Some(encoding) = number.and_then(charsets::of_code_page) {
                    self.ansi = encoding;
                    self.state.encoding = encoding;
                }
            }
            "mac" => {
                self.ansi = encoding_rs::MACINTOSH;
                self.state.encoding = self.ansi;
            }
            "f" | "af" if word == "f" => {
                self.font = number.unwrap_or(0);
                let found = self.fonts.get(&self.font).copied();
                self.state.encoding = found.unwrap_or(self.ansi);
            }
            "fcharset" => {
                let encoding = number.and_then(charsets::of_charset);
                if let (Target::Fonts, Some(encoding)) = (self.state.target, encoding) {
                    self.fonts.insert(self.font, encoding);
                }
            }
            "uc" => self.state.fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(10),
            "s" => {
                self.style = number.unwrap_or(0);
                if body {
                    self.format.heading = self.styles.get(&self.style).copied();
                }
            }
            "outlinelevel" => {
                let level = number.and_then(|level| u8::try_from(level + 1).ok());
                let level = level.filter(|level| (1..=9).contains(level));
                if self.state.target == Target::Styles {
                    self.style_level = level;
                } else if body {
                    self.format.heading = level;
                }
            }
            "ilvl" => {
                self.format.level = number
                    .and_then(|level| u8::try_from(level).ok())
                    .unwrap_or(0)
                    .min(8)
            }
            "field" if body => self.state.ends = Ends::Field,
            "fldinst" if fresh => self.state.target = Target::Instruction,
            "fldrslt" if std::mem::take(&mut self.page_number) => self.state.target = Target::Skip,
            "listtext" | "pntext" if fresh => {
                self.label.clear();
                self.state.target = Target::Label;
            }
            "footnote" if fresh => self.begin_stretch(Ends::Footnote),
            "ftnalt" => self.is_endnote = true,
            "annotation" if fresh => self.begin_stretch(Ends::Comment),
            "atnauthor" if fresh => {
                self.author.clear();
                self.state.target = Target::Author;
            }
            "header" | "headerl" | "headerr" | "headerf" if fresh => {
                self.begin_stretch(Ends::Header)
            }
            "footer" | "footerl" | "footerr" | "footerf" if fresh => {
                self.begin_stretch(Ends::Footer)
            }
            "shptxt" if fresh || self.state.target == Target::Skip => self.begin_stretch(Ends::Box),
            "shpinst" | "ud" | "shppict" if fresh => self.state.target = Target::Body,
            "v" => self.state.hidden = on,
            "deleted" => {
                self.deleted += usize::from(on && !self.state.deleted);
                self.state.deleted = on;
            }
            "plain" => {
                self.state.hidden = false;
                self.state.deleted = false;
                self.state.encoding = self.ansi;
            }
            "pard" if body => self.format = Format::default(),
            "intbl" if body => self.format.in_table = true,
            "tab" | "nestcell" if self.state.target == Target::Label => self.label.push(' '),
            word if charsets::sign(word).is_some() => {
                self.put(charsets::sign(word).unwrap_or_default());
            }
            _ if !self.shows() => {}
            "par" | "sect" | "page" => {
                self.paragraph();
                self.end_paragraph();
            }
            "cell" => {
                self.format.in_table = true;
                self.paragraph();
                self.end_cell();
            }
            "row" => {
                self.end_cell();
                self.stretch.row = false;
            }
            "tab" | "nestcell" | "nestrow" | "emspace" | "enspace" | "qmspace" => {
                self.paragraph();
                self.flow.rich().space();
            }
            "line" => {
                self.paragraph();
                self.flow.rich().newline();
            }
            _ => {}
        }
        if self.headers_wait() {
            for header in once(std::mem::take(&mut self.headers)) {
                self.flow.block(header);
            }
        }
    }

    /// Whether headers can be written: they come before the text.
    fn headers_wait(&mut self) -> bool {
        !self.headers.is_empty()
            && self.stretches.is_empty()
            && !self.stretch.table
            && !self.flow.in_paragraph()
    }
}
