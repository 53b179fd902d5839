//! What Word, Excel and PowerPoint files share.

use extract_core::Failure;

use crate::package::{Package, targets};
use crate::properties::Facts;
use crate::xml::{self, Handler, Ns, Step, Tag};

/// What the file says of itself.
///
/// # Errors
/// Where the file unpacks to too much.
pub(crate) fn facts(package: &mut Package) -> Result<Facts, Failure> {
    let relations = package.relations("")?;
    let mut reader = FactsReader::default();
    for kind in [
        "core-properties",
        "extended-properties",
        "extendedProperties",
    ] {
        if let Some(part) = targets(&relations, &[kind]).first()
            && let Some(text) = package.text(part)?
            && let Err(damage) = xml::drive(&text, &mut reader)
        {
            package.warnings.push(damage.warning(part));
        }
    }
    Ok(reader.facts)
}

/// The part that should hold the document is not there.
pub(crate) fn without_main(part: &str) -> Failure {
    Failure::invalid(format!(
        "The file is damaged: the part {part}, which holds its text, is missing."
    ))
}

#[derive(Default)]
struct FactsReader {
    facts: Facts,
    value: String,
}

impl Handler for FactsReader {
    fn start(&mut self, _: &Tag<'_>) -> Step {
        self.value.clear();
        Step::Into
    }

    fn end(&mut self, ns: Ns, name: &str) {
        let value = std::mem::take(&mut self.value);
        let name = match (ns, name) {
            (Ns::Dc, "title") => "title",
            (Ns::Dc, "creator") => "author",
            (Ns::Dc, "subject") => "subject",
            (Ns::Dc, "description") => "description",
            (Ns::Dc, "created") => "created",
            (Ns::Dc, "modified") => "modified",
            (Ns::Properties, "keywords") => "keywords",
            (Ns::Properties, "category") => "categories",
            (Ns::Properties, "Pages") => "pages",
            (Ns::Properties, "Company") => "company",
            _ => return,
        };
        self.facts.add(name, &value);
    }

    fn text(&mut self, text: &str) {
        self.value.push_str(text);
    }
}
