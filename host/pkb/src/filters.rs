//! What is given on the command line or by a client -> which items count.

use pkb_engine::{Filter, Test};

pub(crate) fn filter(sources: Vec<String>, tags: Vec<String>, path: Option<String>) -> Filter {
    let mut filter = Filter::default();
    if !sources.is_empty() {
        filter = filter.and(Test::Source(sources));
    }
    for tag in tags {
        filter = filter.and(Test::Tag(tag));
    }
    if let Some(path) = path {
        filter = filter.and(Test::Path(path));
    }
    filter
}
