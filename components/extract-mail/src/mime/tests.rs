use super::*;

/// What a multipart has is in its parts.
const ALL: &str = "...";

fn shape(raw: &str) -> Vec<(String, String)> {
    let tree = parse(raw.as_bytes());
    tree.parts
        .iter()
        .map(|part| {
            let media = format!("{}/{}", part.media.kind, part.media.subtype);
            let body = match part.media.is_multipart() {
                true => ALL,
                false => &raw[part.body.clone()],
            };
            (media, body.to_owned())
        })
        .collect()
}

fn shape_is(raw: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(media, body)| ((*media).to_owned(), (*body).to_owned()))
        .collect();
    assert_eq!(shape(raw), expected);
}

#[test]
fn parts_end_before_the_line_end_of_their_boundary() {
    shape_is(
        "Content-Type: multipart/mixed; boundary=x\n\npreamble\n--x\n\nfirst\n\n--x  \nContent-Type: text/html\n\n<p>\n--x--\nepilogue\n",
        &[
            ("multipart/mixed", ALL),
            ("text/plain", "first\n"),
            ("text/html", "<p>"),
        ],
    );
}

#[test]
fn an_outer_boundary_ends_what_was_left_open_inside() {
    shape_is(
        "Content-Type: multipart/mixed; boundary=ab\r\n\r\n--ab\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\n\r\none\r\n--ab\r\n\r\ntwo\r\n--ab--\r\n",
        &[
            ("multipart/mixed", ALL),
            ("multipart/alternative", ALL),
            ("text/plain", "one"),
            ("text/plain", "two"),
        ],
    );
}

#[test]
fn a_multipart_without_its_boundary_is_text() {
    shape_is(
        "Content-Type: multipart/mixed; boundary=never\n\nHello\n",
        &[("text/plain", "Hello\n")],
    );
    shape_is(
        "Content-Type: multipart/mixed\n\n--seen\n\nHello\n--seen--\n",
        &[("multipart/mixed", ALL), ("text/plain", "Hello")],
    );
}

#[test]
fn a_part_may_lack_the_blank_line_before_its_text() {
    shape_is(
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nHello\n\nyou\n--x--\n",
        &[("multipart/mixed", ALL), ("text/plain", "Hello\n\nyou")],
    );
}

#[test]
fn parts_of_a_digest_are_messages() {
    shape_is(
        "Content-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: a\n\nb\n--x--\n",
        &[
            ("multipart/digest", ALL),
            ("message/rfc822", "Subject: a\n\nb"),
        ],
    );
}

#[test]
fn depth_and_number_of_parts_are_bounded() {
    let mut deep = String::new();
    for level in 0..10_000 {
        deep += &format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
    }
    let tree = parse(deep.as_bytes());
    assert_eq!(tree.parts.len(), MOST_DEPTH + 1);
    assert!(
        tree.warnings
            .iter()
            .any(|warning| warning.contains("nested"))
    );

    let wide = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n{}",
        "--b\n\n".repeat(10_000)
    );
    let tree = parse(wide.as_bytes());
    assert_eq!(tree.parts.len(), MOST_PARTS);
    assert!(
        tree.warnings
            .iter()
            .any(|warning| warning.contains("beyond"))
    );
}

#[test]
fn file_names_are_read_in_all_their_spellings() {
    for header in [
        "Content-Disposition: attachment; filename=\"Grüße.pdf\"",
        "Content-Disposition: attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf",
        "Content-Disposition: attachment; filename*0*=UTF-8''Gr%C3%BC; filename*1*=%C3%9Fe.pdf",
        "Content-Disposition: attachment; filename=\"=?utf-8?q?Gr=C3=BC=C3=9Fe.pdf?=\"",
        "Content-Type: application/pdf; name=\"=?utf-8?q?Gr=C3=BC=C3=9Fe.pdf?=\"",
    ] {
        let tree = parse(format!("{header}\n\nx").as_bytes());
        assert_eq!(
            tree.parts[0].media.file_name.as_deref(),
            Some("Grüße.pdf"),
            "{header}"
        );
    }
}
