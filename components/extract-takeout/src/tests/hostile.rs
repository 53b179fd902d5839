//! Files made to break readers.

use super::*;

/// The files that damage is done to.
const FILES: [&str; 9] = [
    "YouTube and YouTube Music/history/watch-history.json",
    "YouTube and YouTube Music/history/watch-history.html",
    "YouTube and YouTube Music/playlists/Watch later.csv",
    "YouTube and YouTube Music/comments/comments.csv",
    "My Activity/Search/MyActivity.json",
    "Chrome/History.json",
    "Keep/Shopping.json",
    "Calendar/Home.ics",
    "Contacts/All Contacts/All Contacts.vcf",
];

#[test]
fn deep_json_costs_no_stack() {
    for json in [
        "[",
        r#"{"items":["#,
        r#"[{"title":"x","snippet":["#,
        r#"{"labels":["#,
    ] {
        let deep = format!("{json}{}", "[".repeat(1_000_000));
        assert!(extract("a.json", deep.into()).is_err());
        let deep = format!("{json}{}", r#"{"a":"#.repeat(1_000_000));
        assert!(extract("a.json", deep.into()).is_err());
    }
}

#[test]
fn deep_components_cost_no_stack() {
    let ics = format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\n".repeat(100_000));
    sound(&extract("a.ics", ics.into()).unwrap());
    let vcf = "BEGIN:VCARD\nFN:A\n".repeat(10_000);
    let documents = extract("a.vcf", vcf.into()).unwrap();
    sound(&documents);
    assert_eq!(documents.len(), 10_001);
}

#[test]
fn a_page_that_is_one_endless_cell_is_cut() {
    let mut html = fixture(FILES[1]);
    html.extend_from_slice(&b"<div class=\"outer-cell\"><div class=\"content-cell\">".repeat(2));
    html.extend_from_slice(&b"<b><br>x".repeat(1 << 20));
    let documents = extract("a.html", html).unwrap();
    sound(&documents);
    assert!(documents.len() > 3);
}

#[test]
fn cells_are_found_across_the_pieces_of_a_stream() {
    let cell = |at: usize| {
        format!(
            "<div class=\"outer-cell x\"><div class=\"content-cell\"><a href=\"https://a.example/{at}\">{at}</a><br>31.01.2018, 22:54:50 UTC<br></div></div>{}",
            " ".repeat(at % 977)
        )
    };
    let html: String = (0..8000).map(cell).collect();
    assert!(html.len() > 4 << 20);
    let documents = extract("a.html", html.into()).unwrap();
    assert_eq!(documents.len(), 8001);
    assert!(documents[0].warnings.is_empty());
}

/// Each cell used to move all that was read after it.
#[test]
fn a_page_of_empty_cells_takes_linear_time() {
    let html = "<div class=\"outer-cell\">".repeat(1 << 18);
    let documents = extract("a.html", html.into()).unwrap();
    assert_eq!(documents.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(documents) = extract("a", bytes) {
            sound(&documents);
        }
    }

    #[test]
    fn damaged_files_are_taken(at in 0..100_000_usize, byte: u8, cut in 0..100_000_usize) {
        for path in FILES {
            let mut bytes = fixture(path);
            let length = bytes.len();
            bytes[at % length] = byte;
            if cut % 2 == 0 {
                bytes.truncate(length - cut % length);
            }
            if let Ok(documents) = extract("a", bytes) {
                sound(&documents);
            }
        }
    }
}
