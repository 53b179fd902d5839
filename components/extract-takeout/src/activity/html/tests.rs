//! Cells by themselves.

use super::*;

fn record(html: &str) -> Record {
    read_cell(html).record(Order::DayFirst, &mut Dates::default())
}

#[test]
fn what_stands_where_tells_what_it_is() {
    let cell = record(
        "<div class=\"outer-cell\"><div class=\"header-cell\"><p>YouTube<br></p></div>\
         <div class=\"content-cell body-1\">Vous avez regardé&nbsp;<a href=\"https://a.example/1\">Un <b>titre</b></a><br>\
         <a href=\"https://a.example/2\">Chaîne</a><br>31 janv. 2018, 22:54:50 UTC<br></div>",
    );
    assert_eq!(cell.product, "YouTube");
    assert_eq!(cell.verb, "Vous avez regardé");
    assert_eq!(cell.title, "Un titre");
    assert_eq!(cell.url, "https://a.example/1");
    assert_eq!(
        cell.subtitles,
        [("Chaîne".to_owned(), "https://a.example/2".to_owned())]
    );
    assert_eq!(cell.time, Some(1_517_439_290_000));
    assert!(!cell.ad);
}

#[test]
fn a_cell_without_links_has_its_text_for_a_title() {
    let cell =
        record("<div class=\"content-cell body-1\">Used Chrome<br>31.01.2018, 22:54:50 UTC</div>");
    assert_eq!((cell.title.as_str(), cell.bare), ("Used Chrome", false));
    assert!(cell.time.is_some());
    let cell = record("<div class=\"content-cell body-1\">Only this</div>");
    assert_eq!((cell.title.as_str(), cell.time), ("Only this", None));
}

#[test]
fn only_details_tell_an_advertisement() {
    let ad = |caption: &str| {
        let html = format!(
            "<div class=\"header-cell\"><p>YouTube</p></div><div class=\"content-cell caption\">{caption}</div>"
        );
        record(&html).ad
    };
    assert!(ad(
        "<b>Produits :</b><br>&emsp;YouTube<br><b>Détails :</b><br>&emsp;Provenant de Google Ads<br>"
    ));
    assert!(!ad("<b>Products:</b><br>&emsp;Google Play Store<br>"));
    assert!(!ad(
        "<b>Products:</b><br>&emsp;YouTube<br><b>Why is this here?</b><br>&emsp;This activity was saved to your Google Account because the following settings were on"
    ));
}
