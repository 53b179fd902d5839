//! Listings: which items there are, without a query.

use pkb_store::{Deleted, Filter, Item, ItemQuery, ItemStatus, Order, Page, Test};

use crate::engine::Engine;
use crate::error::Error;

/// Items in a listing, unless asked otherwise.
const USUAL: u64 = 100;

/// What a listing is to show.
#[derive(Clone, Debug, Default)]
pub struct BrowseRequest {
    /// Which items. Soft-deleted ones are left out, unless it asks for that
    /// status.
    pub filter: Filter,
    /// In which order.
    pub order: Order,
    /// The order turned round; items without what it goes by stay last.
    pub reverse: bool,
    /// How many to pass over.
    pub offset: u64,
    /// How many at most; 0 counts as 100.
    pub limit: u64,
    /// Only how many there are.
    pub count_only: bool,
}

impl Engine {
    /// A page of items.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown source; when the database cannot be
    /// read.
    pub fn browse(&self, request: &BrowseRequest) -> Result<Page<Item>, Error> {
        let _span = tracing::info_span!("browse").entered();
        self.know_sources(&request.filter)?;
        let asks_for_deleted =
            request.filter.conditions.iter().any(|condition| {
                !condition.not && condition.test == Test::Status(ItemStatus::Deleted)
            });
        self.store().items(&ItemQuery {
            filter: request.filter.clone(),
            deleted: if asks_for_deleted {
                Deleted::Only
            } else {
                Deleted::Exclude
            },
            order: request.order,
            reverse: request.reverse,
            offset: request.offset,
            limit: match request.limit {
                _ if request.count_only => 0,
                0 => USUAL,
                limit => limit,
            },
        })
    }
}
