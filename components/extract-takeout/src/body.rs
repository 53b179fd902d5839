//! A document's text as it is written, with its links.

use extract_core::{Link, LinkKind, canonical_url, escape_line};

/// A text with its links.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
}

impl Body {
    /// Adds Markdown as a paragraph of its own.
    pub(crate) fn paragraph(&mut self, markdown: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(markdown);
    }

    /// Adds a plain name as a paragraph, after the Markdown `before`, linked
    /// where it has an address.
    pub(crate) fn line(&mut self, before: &str, name: &str, url: &str) {
        let label = escape_line(name);
        if label.is_empty() {
            return;
        }
        let url = canonical_url(url);
        if url.is_some() && canonical_url(name) == url {
            self.paragraph(before);
            self.push_address(&url.unwrap_or_default());
            return;
        }
        self.paragraph(before);
        let Some(url) = url else {
            self.text.push_str(&label);
            return;
        };
        let start = self.text.len();
        let label = label.replace(['[', ']'], " ");
        // An address with parentheses would end at the first.
        let (open, close) = if url.contains(['(', ')', ' ']) {
            ("<", ">")
        } else {
            ("", "")
        };
        self.text
            .push_str(&format!("[{label}]({open}{url}{close})"));
        self.link(LinkKind::Hyperlink, start, url, Some(label));
    }

    /// Adds an address as a paragraph.
    pub(crate) fn address(&mut self, url: &str) {
        self.paragraph("");
        self.push_address(url);
    }

    /// Adds a file as a paragraph that shows it in place.
    pub(crate) fn image(&mut self, path: &str) {
        self.paragraph("");
        let start = self.text.len();
        let shown = path.replace(['[', ']', '\n'], " ");
        let target = path.replace(['<', '>', '\n'], " ");
        self.text.push_str(&format!("![{shown}](<{target}>)"));
        self.link(LinkKind::Image, start, path.to_owned(), None);
    }

    fn push_address(&mut self, url: &str) {
        let start = self.text.len();
        self.text.push_str(&format!("<{url}>"));
        self.link(LinkKind::Hyperlink, start, url.to_owned(), None);
    }

    fn link(&mut self, kind: LinkKind, start: usize, target: String, label: Option<String>) {
        self.links.push(Link {
            kind,
            target,
            heading: None,
            block: None,
            label,
            span: (start..self.text.len()).into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_linked_where_they_lead_somewhere() {
        let mut body = Body::default();
        body.line("By ", "A [b]", "https://a.example/x(y)");
        body.line("", "https://a.example", "https://a.example/");
        body.line("", "plain", "nowhere");
        body.line("", " ", "https://a.example/");
        body.image("a b.png");
        assert_eq!(
            body.text,
            "By [A  b ](<https://a.example/x(y)>)\n\n<https://a.example/>\n\nplain\n\n![a b.png](<a b.png>)"
        );
        for (link, target) in
            body.links
                .iter()
                .zip(["https://a.example/x(y)", "https://a.example/", "a b.png"])
        {
            assert_eq!(link.target, target);
            assert!(body.text[link.span.start..link.span.end].contains(target));
        }
        assert_eq!(body.links.len(), 3);
    }
}
