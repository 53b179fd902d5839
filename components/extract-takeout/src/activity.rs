//! Records of what a person did: YouTube's histories, My Activity, Chrome's
//! history.

mod address;
mod affix;
mod entry;
pub(crate) mod history;
pub(crate) mod html;
pub(crate) mod json;

/// One thing a person did.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Record {
    /// The product, as the export names it: `YouTube`, `Search`, `Maps` ...
    pub(crate) product: String,
    /// What was done and to what, in the language of the account.
    pub(crate) title: String,
    /// Whether the title is only what it was done to.
    pub(crate) bare: bool,
    /// What was done (`Watched`), where it stands apart from the title.
    pub(crate) verb: String,
    pub(crate) url: String,
    /// Who made it or where it came from, with an address or none.
    pub(crate) subtitles: Vec<(String, String)>,
    pub(crate) description: String,
    /// Milliseconds since 1970.
    pub(crate) time: Option<i64>,
    /// Whether it was an advertisement that Google showed.
    pub(crate) ad: bool,
}
