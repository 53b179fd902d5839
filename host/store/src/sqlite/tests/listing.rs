//! Listings: their orders and pages.

use super::*;

#[test]
fn every_order_goes_both_ways_and_ends_with_what_has_no_value() {
    let home = Home::new();
    // External id, title, times, duration and views alike.
    for (id, title, value) in [
        ("1", "zebra", Some(3)),
        ("2", "Étude", None),
        ("3", "eta", Some(1)),
        ("4", "Apple", Some(2)),
        ("5", "F", None),
        ("6", "apple", Some(2)),
    ] {
        let mut item = note(home.source, id, "x");
        item.title = title.into();
        (item.created, item.modified, item.published) = (value, value, value);
        item.duration = value.map(|n| n as f64);
        item.views = value.map(|n| n as u64);
        home.put_item(item);
    }
    let list = |order, reverse, offset, limit| {
        let query = ItemQuery {
            order,
            reverse,
            offset,
            limit,
            ..ItemQuery::default()
        };
        let page = home.store.items(&query).unwrap();
        assert_eq!(page.total, 6);
        page.entries
            .into_iter()
            .map(|i| i.external_id)
            .collect::<String>()
    };
    let orders = [Time::Created, Time::Modified, Time::Published].map(Order::Time);
    for order in orders.into_iter().chain([Order::Duration, Order::Views]) {
        assert_eq!(list(order, false, 0, 100), "346125", "{order:?}");
        assert_eq!(list(order, true, 0, 100), "146325", "{order:?}");
        let pages: Vec<String> = (0..4).map(|page| list(order, true, page * 2, 2)).collect();
        assert_eq!(pages, ["14", "63", "25", ""], "{order:?}");
        assert_eq!(list(order, false, 0, 0), "");
    }
    assert_eq!(list(Order::Title, false, 0, 100), "463251");
    assert_eq!(list(Order::Title, true, 0, 100), "152346");
    assert_eq!(list(Order::Path, false, 0, 100), "123456");
    assert_eq!(list(Order::Path, true, 0, 100), "654321");
    // Those without a time of change were stored just now.
    assert_eq!(list(Order::Recent, false, 2, 100), "1643");
    assert_eq!(list(Order::Recent, true, 0, 4), "3461");
}
