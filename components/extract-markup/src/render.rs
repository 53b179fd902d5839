//! Tree -> Markdown.

use std::ops::Range;

use extract_core::Link;

use crate::address::{is_video, leads_somewhere, resolve};
use crate::dom::{Dom, NodeId};
use crate::hidden::is_hidden;
use crate::names::{Attribute, Name};
use crate::table::{self, Grid};
use crate::writer::{Gap, Inline, Writer};

/// Blocks of less text than this, in bytes, are lines, as of an address; others
/// are paragraphs.
const SHORT_BLOCK: usize = 80;
/// Numbers of ordered lists start within this.
const MAX_START: u32 = 999_999;

/// What to render, and how.
#[derive(Default)]
pub struct Options<'a> {
    /// Where the page is from: an absolute address. Links are resolved by it.
    pub base: Option<&'a str>,
    /// Says of an element that it, and all in it, is left out; beside what
    /// [`is_hidden`] says.
    pub leave_out: Option<&'a dyn Fn(NodeId) -> bool>,
    /// Pictures without a description are shown too.
    pub all_images: bool,
}

/// Markdown and the links in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Without blank lines at its ends.
    pub text: String,
    /// In order of their start.
    pub links: Vec<Link>,
}

/// Renders stretches of nodes, each with all that is in them, as blocks.
pub fn render(dom: &Dom, stretches: &[Range<NodeId>], options: &Options<'_>) -> Rendered {
    let mut renderer = Renderer {
        dom,
        options,
        out: Writer::new(),
        lists: Vec::new(),
    };
    for stretch in stretches {
        renderer.out.gap(Gap::Blank);
        renderer.nodes(stretch.start, stretch.end);
    }
    let Writer { out, mut links, .. } = renderer.out;
    links.sort_by_key(|link| (link.span.start, std::cmp::Reverse(link.span.end)));
    Rendered { text: out, links }
}

/// What is due where an element ends.
enum Leave {
    Nothing,
    Gap(Gap),
    Inline,
    Container(Gap),
    Heading,
    List(Gap),
}

struct Renderer<'a> {
    dom: &'a Dom,
    options: &'a Options<'a>,
    out: Writer,
    /// The open lists, with the number of the next item where they count.
    lists: Vec<Option<u32>>,
}

impl Renderer<'_> {
    /// Renders the nodes from `start` to before `end`.
    fn nodes(&mut self, start: NodeId, end: NodeId) {
        let mut open: Vec<(NodeId, Leave)> = Vec::new();
        let mut id = start;
        while id < end {
            while open.last().is_some_and(|&(end, _)| end <= id) {
                if let Some((_, leave)) = open.pop() {
                    self.leave(leave);
                }
            }
            let after = self.dom.end(id);
            match self.enter(id) {
                Some(leave) => {
                    open.push((after, leave));
                    id += 1;
                }
                None => id = after,
            }
        }
        while let Some((_, leave)) = open.pop() {
            self.leave(leave);
        }
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Gap(gap) => self.out.gap(gap),
            Leave::Inline => self.out.close_inline(),
            Leave::Container(gap) => self.out.close_container(gap),
            Leave::Heading => self.out.close_heading(),
            Leave::List(gap) => {
                self.lists.pop();
                self.out.gap(gap);
            }
        }
    }

    /// Begins an element; nothing when all of it is done.
    fn enter(&mut self, id: NodeId) -> Option<Leave> {
        let dom = self.dom;
        let name = dom.name(id);
        if name == Name::Text {
            self.out.text(dom.text(id));
            return None;
        }
        if self
            .options
            .leave_out
            .is_some_and(|leave_out| leave_out(id))
        {
            return None;
        }
        if is_hidden(dom, id) {
            if matches!(name, Name::Audio | Name::Iframe | Name::Video) {
                self.player(id);
            }
            return None;
        }
        match name {
            Name::Br => self.out.line_break(),
            Name::Hr => self.out.rule(),
            Name::Img => self.image(id),
            Name::Math => self.math(id),
            Name::Pre | Name::Listing | Name::Xmp | Name::Plaintext => self.preformatted(id),
            Name::Table => match table::grid(dom, id) {
                Some(grid) if !self.out.is_flat() => self.table(&grid),
                _ => return Some(self.block(Gap::Blank)),
            },
            _ => return Some(self.begin(id, name)),
        }
        None
    }

    fn begin(&mut self, id: NodeId, name: Name) -> Leave {
        match name {
            Name::A => return self.link(id),
            Name::B | Name::Strong => return self.inline(id, Inline::Strong),
            Name::Em | Name::I => return self.inline(id, Inline::Emphasis),
            Name::Del | Name::S | Name::Strike => return self.inline(id, Inline::Struck),
            Name::Q => return self.inline(id, Inline::Quoted),
            Name::Code | Name::Tt => {
                // Code that links to what it names stays a link.
                return match self.dom.first(id, Name::A) {
                    Some(_) => Leave::Nothing,
                    None => self.inline(id, Inline::Code),
                };
            }
            Name::Blockquote => {
                self.out.open_quote();
                return Leave::Container(Gap::Blank);
            }
            Name::Ul | Name::Ol | Name::Menu | Name::Dir => return self.list(id, name),
            Name::Li => return self.item(),
            Name::Dt => {
                self.out.gap(Gap::Blank);
                return Leave::Gap(Gap::Line);
            }
            _ => {}
        }
        if let Some(level) = name.heading() {
            if self.out.is_flat() {
                return self.block(Gap::Blank);
            }
            self.out.open_heading(level);
            return Leave::Heading;
        }
        match name {
            Name::Dd
            | Name::Legend
            | Name::Option
            | Name::Summary
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => self.block(Gap::Line),
            Name::Div if self.is_short(id) => self.block(Gap::Line),
            _ if name.is_block() => self.block(Gap::Blank),
            _ => Leave::Nothing,
        }
    }

    fn block(&mut self, gap: Gap) -> Leave {
        self.out.gap(gap);
        Leave::Gap(gap)
    }

    /// Whether an element has little text.
    fn is_short(&self, id: NodeId) -> bool {
        let mut bytes = 0;
        // White space between elements makes many nodes; a block of more is
        // none of one line.
        for id in self.dom.descendants(id).take(SHORT_BLOCK) {
            bytes += self.dom.text(id).trim_ascii().len();
            if bytes >= SHORT_BLOCK {
                return false;
            }
        }
        self.dom.descendants(id).len() <= SHORT_BLOCK
    }

    fn inline(&mut self, id: NodeId, inline: Inline) -> Leave {
        if self.is_torn(id, inline == Inline::Code) {
            return Leave::Nothing;
        }
        self.out.open_inline(inline);
        Leave::Inline
    }

    /// Whether the element begins or ends within a word, which marks would tear
    /// apart (`<b>O</b>nce`), or beside one where only code's marks are marks
    /// (`<b>Note:</b>this`).
    fn is_torn(&self, id: NodeId, code: bool) -> bool {
        let dom = self.dom;
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inner = |c: Option<char>| {
            c.is_some_and(|c| c.is_alphanumeric() || !(code || c.is_whitespace()))
        };
        // No block may stand between the two characters.
        let joined = |text: NodeId, around: NodeId| {
            let between = dom.ancestors(text).take_while(|&id| id != around);
            between.take(8).all(|id| !dom.name(id).is_block())
        };
        let (end, around) = (dom.end(id), dom.parent(id));
        if end < dom.len()
            && letter(dom.text(end).chars().next())
            && inner(dom.text(end - 1).chars().next_back())
        {
            return joined(end - 1, id) && dom.parent(end) == around;
        }
        id + 1 < end
            && inner(dom.text(id + 1).chars().next())
            && letter(dom.text(id - 1).chars().next_back())
            && joined(id - 1, around)
    }

    fn link(&mut self, id: NodeId) -> Leave {
        let href = self.dom.attribute(id, Attribute::Href).unwrap_or_default();
        let href = resolve(self.options.base, href);
        if !leads_somewhere(&href) || self.is_on_this_page(&href) {
            return Leave::Nothing;
        }
        self.out.open_inline(Inline::Link(href));
        Leave::Inline
    }

    fn is_on_this_page(&self, href: &str) -> bool {
        let page = |address: &str| address.split('#').next().map(str::to_owned);
        href.contains('#') && self.options.base.and_then(page) == page(href)
    }

    fn list(&mut self, id: NodeId, name: Name) -> Leave {
        let next = (name == Name::Ol).then(|| {
            self.dom
                .attribute(id, Attribute::Start)
                .and_then(|start| start.trim().parse::<u32>().ok())
                .map_or(1, |start| start.min(MAX_START))
        });
        let gap = if self.lists.is_empty() {
            Gap::Blank
        } else {
            Gap::Line
        };
        self.out.gap(gap);
        self.lists.push(next);
        Leave::List(gap)
    }

    fn item(&mut self) -> Leave {
        let marker = match self.lists.last_mut() {
            Some(Some(next)) => {
                let marker = format!("{next}. ");
                *next = next.saturating_add(1).min(MAX_START);
                marker
            }
            _ => "- ".to_owned(),
        };
        self.out.open_item(marker);
        Leave::Container(Gap::Line)
    }

    fn image(&mut self, id: NodeId) {
        let attribute = |name| self.dom.attribute(id, name).map(str::trim);
        let alt = attribute(Attribute::Alt).unwrap_or_default();
        let dot =
            |name| attribute(name).is_some_and(|size| matches!(size, "0" | "1" | "0px" | "1px"));
        if (alt.is_empty() && !self.options.all_images)
            || dot(Attribute::Width)
            || dot(Attribute::Height)
        {
            return;
        }
        // Pages that load pictures late have a stand-in in `src`.
        let src = [Attribute::DataSrc, Attribute::DataOriginal, Attribute::Src]
            .into_iter()
            .filter_map(attribute)
            .map(|src| resolve(self.options.base, src))
            .find(|src| leads_somewhere(src));
        match src {
            Some(src) => self.out.image(alt, &src),
            None => self.out.text(alt),
        }
    }

    /// A player of a recording, as a link to that.
    fn player(&mut self, id: NodeId) {
        let dom = self.dom;
        let sources = std::iter::once(id).chain(dom.children(id));
        let src = sources
            .filter_map(|id| dom.attribute(id, Attribute::Src))
            .map(|src| resolve(self.options.base, src))
            .find(|src| leads_somewhere(src));
        let Some(src) = src else { return };
        // Other frames are advertisements more often than not.
        if dom.name(id) == Name::Iframe && !is_video(&src) {
            return;
        }
        let kind = if dom.name(id) == Name::Audio {
            "Audio"
        } else {
            "Video"
        };
        self.out.gap(Gap::Blank);
        self.out.open_inline(Inline::Link(src));
        self.out
            .text(dom.attribute(id, Attribute::Title).unwrap_or(kind));
        self.out.close_inline();
        self.out.gap(Gap::Blank);
    }

    /// A formula, as TeX where the page has it.
    fn math(&mut self, id: NodeId) {
        let dom = self.dom;
        let tex = dom
            .descendants(id)
            .find(|&id| {
                dom.name(id) == Name::Annotation
                    && dom.attribute(id, Attribute::Encoding) == Some("application/x-tex")
            })
            .map(|id| dom.text_under(id))
            .or_else(|| dom.attribute(id, Attribute::Alttext).map(str::to_owned));
        match tex {
            Some(tex) if !tex.trim().is_empty() => self.out.formula(&tex),
            _ => self.out.text(&dom.text_under(id)),
        }
    }

    fn preformatted(&mut self, id: NodeId) {
        let mut text = String::new();
        let mut line_start = true;
        let mut skip_to = 0;
        for id in self.dom.descendants(id) {
            if id < skip_to {
                continue;
            }
            let name = self.dom.name(id);
            if name == Name::Br {
                text.push('\n');
            } else if name == Name::Text {
                text.push_str(self.dom.text(id));
            } else if is_hidden(self.dom, id) {
                skip_to = self.dom.end(id);
            } else if name.is_block() && !line_start {
                text.push('\n');
            }
            line_start = text.is_empty() || text.ends_with('\n');
        }
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.trim_end();
        let text = text.strip_prefix('\n').unwrap_or(text);
        if !text.trim().is_empty() {
            let language = self.language(id).unwrap_or_default();
            self.out.preformatted(text, &language);
        }
    }

    /// The language of code, as its classes tell it.
    fn language(&self, id: NodeId) -> Option<String> {
        let dom = self.dom;
        let code = dom.children(id).find(|&id| dom.name(id) == Name::Code);
        let around = dom.ancestors(id).take(2);
        code.into_iter().chain([id]).chain(around).find_map(|id| {
            let data = [Attribute::DataLang, Attribute::DataLanguage];
            let data = data.into_iter().find_map(|name| dom.attribute(id, name));
            let class = dom.attribute(id, Attribute::Class).unwrap_or_default();
            let said = data.or_else(|| language_of_classes(class))?;
            let said = said.trim().to_lowercase();
            let fits = |c: char| c.is_ascii_alphanumeric() || "+-#._".contains(c);
            let none = ["none", "default", "plaintext", "text", "plain"].contains(&&*said);
            (!none && (1..=32).contains(&said.len()) && said.chars().all(fits)).then_some(said)
        })
    }

    fn table(&mut self, grid: &Grid) {
        self.out.gap(Gap::Blank);
        if let Some(caption) = grid.caption {
            self.nodes(caption + 1, self.dom.end(caption));
            self.out.gap(Gap::Blank);
        }
        for (number, row) in grid.rows.iter().enumerate() {
            let mut columns = 0;
            self.out.open_row();
            for &(cell, span) in &row.cells {
                self.out.open_cell();
                if let Some(cell) = cell {
                    self.nodes(cell + 1, self.dom.end(cell));
                }
                self.out.close_cell();
                for _ in 1..span {
                    self.out.open_cell();
                    self.out.close_cell();
                }
                columns += span;
            }
            // The first row counts the columns of all.
            for _ in columns..if number == 0 { grid.columns } else { 0 } {
                self.out.open_cell();
                self.out.close_cell();
            }
            self.out.close_row();
            if number == 0 {
                self.out.row_rule(grid.columns.max(columns));
            }
        }
        self.out.gap(Gap::Blank);
    }
}

fn language_of_classes(classes: &str) -> Option<&str> {
    let mut classes = classes.split([' ', ';']).filter(|class| !class.is_empty());
    while let Some(class) = classes.next() {
        for prefix in [
            "language-",
            "lang-",
            "highlight-source-",
            "highlight-",
            "sourceCode-",
        ] {
            if let Some(language) = class.strip_prefix(prefix) {
                return Some(language);
            }
        }
        // SyntaxHighlighter: `brush: php`.
        if class == "brush:" {
            return classes.next();
        }
        if let Some(language) = class.strip_prefix("brush:") {
            return Some(language);
        }
    }
    None
}
