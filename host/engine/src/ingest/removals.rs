//! When so much of a source is gone that a person is asked first.

/// A sync that would remove a larger share of a source stops and asks ...
const REMOVALS_SHARE: f64 = 0.3;
/// ... if the source has at least so many items.
const REMOVALS_FROM: usize = 20;
/// Missing items that are named.
const NAMED: usize = 3;

/// What a removal is judged by.
pub(super) struct Removals<'a> {
    /// Where the source is.
    pub(super) location: &'a str,
    /// Items there were.
    pub(super) items: usize,
    /// Those that are gone, by external id.
    pub(super) gone: &'a [String],
    /// Whether the source holds no file that is taken at all.
    pub(super) empty: bool,
}

impl Removals<'_> {
    /// Why they are not to be removed without asking; none where they can be.
    /// An empty folder may be where a drive is mounted, however few items it
    /// had.
    pub(super) fn problem(&self) -> Option<String> {
        let (items, gone, location) = (self.items, self.gone.len(), self.location);
        if gone == 0 {
            return None;
        }
        let what = if self.empty {
            match items {
                1 => format!("no file is left in {location}, where 1 item was"),
                _ => format!("no file is left in {location}, where {items} items were"),
            }
        } else if items >= REMOVALS_FROM && gone as f64 > items as f64 * REMOVALS_SHARE {
            format!("{gone} of its {items} items are gone from {location}")
        } else {
            return None;
        };
        let named: Vec<&str> = self.gone.iter().map(String::as_str).take(NAMED).collect();
        let others = match gone - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "{what} ({}{others}). Nothing was removed, in case the folder is only missing for now, as when a drive \
             is not connected. If they are gone for good, `pkb sync` with --accept-removals removes them",
            named.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(items: usize, gone: usize, empty: bool) -> Option<String> {
        let gone: Vec<String> = (0..gone).map(|n| format!("{n}.md")).collect();
        let removals = Removals {
            location: "/notes",
            items,
            gone: &gone,
            empty,
        };
        removals.problem()
    }

    #[test]
    fn much_at_once_is_asked_about() {
        assert_eq!(problem(19, 18, false), None, "few items");
        assert_eq!(problem(20, 6, false), None, "30%");
        let said = problem(20, 7, false).unwrap();
        assert!(
            said.starts_with("7 of its 20 items are gone from /notes"),
            "{said}"
        );
        assert!(said.contains("(0.md, 1.md, 2.md and 4 more)"), "{said}");
    }

    #[test]
    fn an_empty_folder_is_asked_about_whatever_was_in_it() {
        assert_eq!(problem(0, 0, true), None, "it never held anything");
        assert_eq!(
            problem(3, 0, true),
            None,
            "what is left was brought back by a person"
        );
        let said = problem(1, 1, true).unwrap();
        assert!(
            said.starts_with("no file is left in /notes, where 1 item was (0.md)"),
            "{said}"
        );
        assert!(problem(500, 500, true).unwrap().contains("500 items were"));
    }
}
