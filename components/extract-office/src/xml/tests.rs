use super::*;

/// Starts, ends and text in one line.
#[derive(Default)]
struct Log(String);

impl Handler for Log {
    fn start(&mut self, tag: &Tag<'_>) -> Step {
        if tag.name == "skip" {
            return Step::Skip;
        }
        self.0 += &format!("<{}>", tag.name);
        Step::Into
    }
    fn end(&mut self, _: Ns, name: &str) {
        self.0 += &format!("</{name}>");
    }
    fn text(&mut self, text: &str) {
        self.0 += text;
    }
}

fn log(text: &str) -> (String, Option<Damage>) {
    let mut log = Log::default();
    let damage = drive(text, &mut log).err();
    (log.0, damage)
}

#[test]
fn what_is_left_out_stays_out_with_what_is_in_it() {
    let (log, damage) = log("<a>1<skip>2<skip/><b>3</b></skip>4<c/></a>");
    assert_eq!((log.as_str(), damage), ("<a>14<c></c></a>", None));
}

#[test]
fn of_alternatives_the_first_is_taken() {
    let mc = r#"xmlns:m="http://schemas.openxmlformats.org/markup-compatibility/2006""#;
    let (first, damage) = log(&format!(
        "<a {mc}><m:AlternateContent><m:Choice>1<m:AlternateContent><m:Fallback>2</m:Fallback></m:AlternateContent></m:Choice><m:Choice>3</m:Choice><m:Fallback>4</m:Fallback></m:AlternateContent>5</a>"
    ));
    assert_eq!((first.as_str(), damage), ("<a>125</a>", None));
    let (fallback, _) = log(&format!(
        "<a {mc}><m:AlternateContent><m:Fallback>4</m:Fallback></m:AlternateContent></a>"
    ));
    assert_eq!(fallback, "<a>4</a>");
}

#[test]
fn entities_of_the_file_are_never_expanded() {
    let bomb = r#"<!DOCTYPE a [<!ENTITY x "boom"><!ENTITY y "&x;&x;&x;">]><a>1&amp;&#x41;&lt;&y;2 & 3</a>"#;
    let (log, damage) = log(bomb);
    assert_eq!(damage, None);
    assert!(!log.contains("boom"));
    assert!(log.starts_with("<a>1&A<2"), "{log}");
}

#[test]
fn damage_keeps_what_comes_before() {
    for broken in ["<a>1<b>2</a>", "<a>1<b>2", "<a>1<b>2<"] {
        let (log, damage) = log(broken);
        assert!(log.starts_with("<a>1<b>2"), "{log}");
        assert!(damage.is_some(), "{broken}");
    }
}

#[test]
fn deep_nesting_ends_the_part() {
    let deep = "<a>".repeat(100_000);
    let (log, damage) = log(&deep);
    assert!(damage.is_some());
    assert_eq!(log.matches("<a>").count(), MOST_DEPTH);
}

#[test]
fn parts_are_decoded_as_they_say() {
    let utf16: Vec<u8> = "<a>ä</a>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(decode(utf16.clone()), "<a>ä</a>");
    let marked = [&[0xFF, 0xFE], utf16.as_slice()].concat();
    assert_eq!(decode(marked), "<a>ä</a>");
    assert_eq!(decode(b"\xEF\xBB\xBF<a/>".to_vec()), "<a/>");
    let latin = b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xE4</a>".to_vec();
    assert!(decode(latin).ends_with("<a>ä</a>"));
    assert_eq!(decode(b"<a>\xE4</a>".to_vec()), "<a>\u{FFFD}</a>");
}
