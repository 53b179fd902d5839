//! Tables of contents, of both sorts.

use crate::xml::{self, Handler, Ns, Step, Tag};

/// The targets of a table of contents with what they are called, in order.
pub(super) fn read(text: &str) -> Vec<(String, String)> {
    let mut contents = Contents::default();
    // Names of some chapters are better than none.
    let _ = xml::drive(text, &mut contents);
    contents.found
}

#[derive(Default)]
struct Contents {
    found: Vec<(String, String)>,
    target: Option<String>,
    label: String,
    /// Labels of the older sort whose targets come after them.
    waiting: Option<String>,
    takes: bool,
    /// Whether this is a list of pages, of which there are as many.
    navs: Vec<bool>,
}

impl Contents {
    fn add(&mut self, target: String, label: &str) {
        if let Some(label) = extract_core::title::tidy(label) {
            self.found.push((target, label));
        }
    }
}

impl Handler for Contents {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name {
            "pageList" | "navList" => return Step::Skip,
            "nav" => {
                let sort = tag.attr("type").unwrap_or_default();
                let is_toc = sort.is_empty() || sort.split_whitespace().any(|word| word == "toc");
                if !is_toc {
                    return Step::Skip;
                }
                self.navs.push(is_toc);
            }
            "a" if !self.navs.is_empty() => {
                self.target = tag.attr("href").map(|href| href.into_owned());
                self.label.clear();
                self.takes = true;
            }
            "navLabel" => {
                self.label.clear();
                self.takes = true;
            }
            "content" => {
                if let (Some(target), Some(label)) = (tag.attr("src"), self.waiting.take()) {
                    self.add(target.into_owned(), &label);
                }
            }
            _ => {}
        }
        Step::Into
    }

    fn end(&mut self, _: Ns, name: &str) {
        match name {
            "nav" => drop(self.navs.pop()),
            "a" => {
                self.takes = false;
                let label = std::mem::take(&mut self.label);
                if let Some(target) = self.target.take() {
                    self.add(target, &label);
                }
            }
            "navLabel" => {
                self.takes = false;
                self.waiting = Some(std::mem::take(&mut self.label));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.takes {
            self.label.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sorts_are_read() {
        let new = r##"<html xmlns:epub="x"><body><nav epub:type="toc"><ol><li><a href="a.xhtml#x">One <b>1</b></a></li></ol></nav><nav epub:type="page-list"><a href="a.xhtml">7</a></nav><a href="z">no</a></body></html>"##;
        assert_eq!(read(new), [("a.xhtml#x".into(), "One 1".into())]);
        let old = r#"<ncx><docTitle><text>T</text></docTitle><navMap><navPoint><navLabel><text>One</text></navLabel><content src="a.html"/><navPoint><navLabel><text>Two</text></navLabel><content src="b.html"/></navPoint></navPoint></navMap></ncx>"#;
        assert_eq!(
            read(old),
            [
                ("a.html".into(), "One".into()),
                ("b.html".into(), "Two".into())
            ]
        );
    }
}
