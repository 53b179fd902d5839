//! Fields: what is computed, of which only the result counts.

/// More of an instruction is not kept, in bytes.
const MOST_INSTRUCTION: usize = 4_096;
/// Fields in fields, deeper than this, are not told apart.
const MOST_FIELDS: usize = 64;

#[derive(Debug, Default)]
struct Field {
    instruction: String,
    /// Whether its result has begun.
    result: bool,
    /// Whether a link was opened for it.
    link: bool,
    /// Whether its result is not shown.
    hidden: bool,
}

/// The fields that are open.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    open: Vec<Field>,
    /// Fields not told apart.
    uncounted: usize,
}

impl Fields {
    /// A field begins.
    pub(crate) fn begin(&mut self) {
        if self.open.len() < MOST_FIELDS {
            self.open.push(Field::default());
        } else {
            self.uncounted += 1;
        }
    }

    /// A piece of the instruction.
    pub(crate) fn instruct(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut()
            && !field.result
            && field.instruction.len() + text.len() <= MOST_INSTRUCTION
        {
            field.instruction.push_str(text);
        }
    }

    /// The result begins. Gives the address where the field is a link.
    pub(crate) fn separate(&mut self) -> Option<String> {
        if self.uncounted > 0 {
            return None;
        }
        let field = self.open.last_mut()?;
        field.result = true;
        link(&field.instruction)
    }

    /// Does not show the result of the innermost field where it is the number of
    /// a page, if `hide` is set.
    pub(crate) fn hide_page_numbers(&mut self, hide: bool) {
        if let Some(field) = self.open.last_mut() {
            field.hidden = hide && counts_pages(&field.instruction);
        }
    }

    /// A link was opened for the field.
    pub(crate) fn linked(&mut self) {
        if let Some(field) = self.open.last_mut() {
            field.link = true;
        }
    }

    /// The field ends. True where a link ends with it.
    pub(crate) fn end(&mut self) -> bool {
        if self.uncounted > 0 {
            self.uncounted -= 1;
            return false;
        }
        self.open.pop().is_some_and(|field| field.link)
    }

    /// Whether text is part of another field's instruction.
    pub(crate) fn hides(&self) -> bool {
        match self.open.split_last() {
            Some((own, outer)) => {
                own.hidden || outer.iter().any(|field| !field.result || field.hidden)
            }
            None => false,
        }
    }
}

/// Whether a field gives the number of the page, or of pages.
pub(crate) fn counts_pages(instruction: &str) -> bool {
    let word = instruction.split_whitespace().next().unwrap_or_default();
    ["PAGE", "NUMPAGES", "SECTIONPAGES"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// The address of a `HYPERLINK "address" \l "place"` field. A place in the
/// document itself is no address.
pub(crate) fn link(instruction: &str) -> Option<String> {
    let rest = instruction.trim_start();
    let word = rest
        .get(..9)
        .filter(|word| word.eq_ignore_ascii_case("HYPERLINK"))?;
    let mut rest = rest[word.len()..].trim_start();
    let mut address = None;
    let mut place = None;
    let mut is_place = false;
    while !rest.is_empty() {
        if let Some(switch) = rest.strip_prefix('\\') {
            // Of the switches only \l is followed by something that matters.
            is_place = switch.starts_with('l');
            let end = switch.find(char::is_whitespace).unwrap_or(switch.len());
            rest = switch[end..].trim_start();
            continue;
        }
        let (value, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        if is_place {
            place = place.or(Some(value));
        } else {
            address = address.or(Some(value));
        }
        is_place = false;
        rest = after.trim_start();
    }
    let address = address.filter(|address| !address.trim().is_empty())?;
    Some(match place {
        Some(place) => format!("{address}#{place}"),
        None => address.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_from_instructions() {
        let is = |instruction, address: Option<&str>| {
            assert_eq!(link(instruction).as_deref(), address, "{instruction}");
        };
        is(
            r#" HYPERLINK "https://x.example/a b" "#,
            Some("https://x.example/a b"),
        );
        is(
            r#"hyperlink https://x.example \o "tip""#,
            Some("https://x.example"),
        );
        is(
            r#" HYPERLINK "https://x.example" \l "top""#,
            Some("https://x.example#top"),
        );
        is(r#" HYPERLINK \l "_Toc1" "#, None);
        is(r#" PAGEREF _Toc1 \h "#, None);
        is("HYPERLINKÄ", Some("Ä"));
        is("HYPERLIN", None);
    }

    #[test]
    fn results_show_and_instructions_do_not() {
        let mut fields = Fields::default();
        assert!(!fields.hides());
        fields.begin();
        fields.instruct("IF ");
        assert!(!fields.hides(), "text in a broken field is shown");
        fields.begin();
        fields.instruct("MERGEFIELD x");
        assert_eq!(fields.separate(), None);
        assert!(fields.hides());
        assert!(!fields.end());
        fields.separate();
        assert!(!fields.hides());
        fields.end();
        for _ in 0..1_000 {
            fields.begin();
        }
        for _ in 0..1_000 {
            fields.end();
        }
        assert!(!fields.hides() && fields.open.is_empty());
    }
}
