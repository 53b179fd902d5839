//! Marks around words: emphasis, code, links.

use extract_core::{Link, LinkKind};

use super::{Inline, OpenInline, Writer};
use crate::address;

/// Longer labels, in bytes, are not gone on with: each time costs their length.
const MAX_JOINED: usize = 256;

impl Writer {
    pub(crate) fn open_inline(&mut self, inline: Inline) {
        let silent = match &inline {
            Inline::Link(_) => {
                self.end_link();
                false
            }
            // Headings are strong as they are.
            Inline::Strong => self.heading.is_some() || (self.flat && !self.cell),
            _ => false,
        };
        let twice = self.inlines.iter().any(|open| {
            open.inline == inline
                || (open.inline == Inline::Code && !matches!(inline, Inline::Link(_)))
        });
        self.inlines.push(OpenInline {
            inline: if silent || twice {
                Inline::Silent
            } else {
                inline
            },
            written: None,
        });
    }

    pub(crate) fn close_inline(&mut self) {
        if let Some(open) = self.inlines.pop()
            && let Some(start) = open.written
        {
            self.close_mark(&open.inline, start);
        }
    }

    /// A link does not hold another: it ends where that begins.
    fn end_link(&mut self) {
        let Some(at) = self
            .inlines
            .iter()
            .position(|open| matches!(open.inline, Inline::Link(_)))
        else {
            return;
        };
        if self.inlines[at].written.is_some() {
            self.suspend();
        }
        self.inlines[at].inline = Inline::Silent;
    }

    /// Closes what is open around the words; it opens again with the next, but
    /// for links, which end.
    pub(super) fn suspend(&mut self) {
        for at in (0..self.inlines.len()).rev() {
            let Some(start) = self.inlines[at].written.take() else {
                continue;
            };
            let inline = self.inlines[at].inline.clone();
            self.close_mark(&inline, start);
            if matches!(inline, Inline::Link(_)) {
                self.inlines[at].inline = Inline::Silent;
            }
        }
    }

    fn close_mark(&mut self, inline: &Inline, start: usize) {
        match inline {
            Inline::Strong => self.out.push_str("**"),
            Inline::Emphasis => self.out.push('*'),
            Inline::Struck => self.out.push_str("~~"),
            Inline::Quoted => self.out.push('”'),
            Inline::Code => self.out.push('`'),
            Inline::Link(href) => self.close_link(href, start),
            Inline::Silent => {}
        }
    }

    fn close_link(&mut self, href: &str, start: usize) {
        let label = self.out[start + 1..].to_owned();
        self.last_link = Some((start, self.out.len()));
        if label == href || href.strip_prefix("mailto:") == Some(&label) {
            // An address is a link as it is.
            self.out.truncate(start);
            self.out.push_str(&label);
            self.last_link = None;
        } else {
            self.out.push_str("](");
            address::push_destination(&mut self.out, href);
            self.out.push(')');
        }
        self.record(LinkKind::Hyperlink, href, &label, start);
    }

    pub(super) fn record(&mut self, kind: LinkKind, address: &str, label: &str, start: usize) {
        let (target, fragment) = address.split_once('#').unwrap_or((address, ""));
        self.links.push(Link {
            kind,
            target: address::decoded(target),
            heading: (!fragment.is_empty()).then(|| fragment.to_owned()),
            block: None,
            label: (!label.is_empty() && label != address).then(|| label.to_owned()),
            span: (start..self.out.len()).into(),
        });
    }

    /// Goes on with the last link where the next leads to the same: pages tear
    /// links apart, inside words too.
    pub(super) fn rejoin_link(&mut self) {
        let next = self.inlines.iter_mut().find(|open| open.written.is_none());
        if let Some(OpenInline {
            inline: Inline::Link(href),
            written,
        }) = next
            && let Some((start, label_end)) = self.last_link
            && let Some(last) = self.links.last()
            && last.span.end == self.out.len()
            && last.span.start == start
            && label_end - start <= MAX_JOINED
            && address::joined(last) == *href
        {
            self.out.truncate(label_end);
            self.links.pop();
            *written = Some(start);
        }
    }
}
