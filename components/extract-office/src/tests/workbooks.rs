use super::*;

const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

fn xlsx(sheets: &[(&str, &str)], more: &[(&str, String)]) -> Vec<u8> {
    let mut list: Vec<(String, String)> = Vec::new();
    let mut names = String::new();
    for (index, (name, _)) in sheets.iter().enumerate() {
        names += &format!(r#"<sheet name="{name}" sheetId="{index}" r:id="s{index}"/>"#);
        list.push((format!("s{index}"), format!("worksheets/sheet{index}.xml")));
    }
    let mut relations_of: Vec<(&str, &str, &str)> = list
        .iter()
        .map(|(id, part)| (id.as_str(), "worksheet", part.as_str()))
        .collect();
    relations_of.push(("str", "sharedStrings", "sharedStrings.xml"));
    relations_of.push(("sty", "styles", "styles.xml"));
    let mut parts = vec![
        (
            "_rels/.rels".to_owned(),
            relations(&[("a", "officeDocument", "xl/workbook.xml")]),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!(
                r#"<workbook xmlns="{SHEET}" xmlns:r="{TYPES}"><sheets>{names}</sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            relations(&relations_of),
        ),
    ];
    for (index, (_, rows)) in sheets.iter().enumerate() {
        parts.push((
            format!("xl/worksheets/sheet{index}.xml"),
            format!(r#"<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>"#),
        ));
    }
    parts.extend(
        more.iter()
            .map(|(name, text)| ((*name).to_owned(), text.clone())),
    );
    let parts: Vec<(&str, &String)> = parts
        .iter()
        .map(|(name, text)| (name.as_str(), text))
        .collect();
    pack(
        &parts
            .iter()
            .map(|(name, text)| (*name, text.as_bytes()))
            .collect::<Vec<_>>(),
    )
}

#[test]
fn cells_of_every_sort() {
    let more = [
        (
            "xl/sharedStrings.xml",
            format!(
                r#"<sst xmlns="{SHEET}"><si><t>Name</t></si><si><r><t>Wh</t></r><r><t>en</t></r><rPh><t>reading</t></rPh></si></sst>"#
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{SHEET}"><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></styleSheet>"#
            ),
        ),
        (
            "xl/worksheets/_rels/sheet0.xml.rels",
            relations(&[("c", "comments", "../comments1.xml")]),
        ),
        (
            "xl/comments1.xml",
            format!(
                r#"<comments xmlns="{SHEET}"><authors><author>Ada</author></authors><commentList><comment ref="A2" authorId="0"><text><r><t>Ada:</t></r><r><t xml:space="preserve">
check</t></r></text></comment><comment ref="F9" authorId="0"><text><t>lost</t></text></comment></commentList></comments>"#
            ),
        ),
    ];
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Inline</t></is></c></row>
        <row r="2"><c r="A2" t="str"><f>CONCAT("x")</f><v>formula</v></c><c r="B2" s="1"><v>45000</v></c><c r="D2" s="2"><v>0.5</v></c></row>
        <row><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c r="D3"><v>0.1</v></c></row>"#;
    let document = read("book.xlsx", xlsx(&[("Data", rows), ("Empty", "")], &more));
    assert_eq!(
        document.text,
        "# Data\n\n| Name | When | Inline |\n|---|---|---|\n| formula (Comment by Ada: check) | 2023-03-15 | 50% |\n| TRUE | #N/A | 0.1 |\n\nF9 (Comment by Ada: lost)\n\n# Empty\n"
    );
    assert_eq!(document.title, "book");
    let offset = document.text.find("| formula").unwrap();
    let mark = document
        .marks
        .iter()
        .find(|mark| mark.offset == offset)
        .unwrap();
    assert_eq!(mark.place, Place::Part("Data row 2".into()));
}

#[test]
fn a_cell_far_away_costs_nothing() {
    let rows = r#"<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>"#;
    assert_eq!(read("a.xlsx", xlsx(&[("S", rows)], &[])).text, "# S\n\n7\n");
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>"#.to_owned()
        + &r#"<row><c r="XFD1"><v>3</v></c></row>"#.repeat(1_000);
    let document = read("a.xlsx", xlsx(&[("S", &rows)], &[]));
    assert!(document.text.len() < 20_000);
    assert!(document.text.ends_with("|  | 3 |\n"));
}

#[test]
fn a_long_string_that_every_cell_shows_is_cut() {
    let long = "long words ".repeat(20_000);
    let more = [(
        "xl/sharedStrings.xml",
        format!(r#"<sst xmlns="{SHEET}"><si><t>{long}</t></si></sst>"#),
    )];
    let row = format!("<row>{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(16_000));
    let document = read("a.xlsx", xlsx(&[("S", &row.repeat(2))], &more));
    assert!(
        (1 << 20..9 << 20).contains(&document.text.len()),
        "{}",
        document.text.len()
    );
}

#[test]
fn a_table_that_is_written_bit_by_bit_has_one_header() {
    let row = "<row><c><v>1</v></c><c><v>2</v></c></row>";
    let document = read("a.xlsx", xlsx(&[("S", &row.repeat(250_000))], &[]));
    assert_eq!(document.text.matches("|---|---|").count(), 1);
    assert_eq!(document.text.matches("| 1 | 2 |").count(), 250_000);
    assert_eq!(document.marks.len(), 250_001);
}

#[test]
fn a_large_sheet_is_cut_with_a_warning() {
    let row =
        r#"<row><c t="inlineStr"><is><t>some words in a cell</t></is></c><c><v>5</v></c></row>"#;
    let settings = Settings {
        max_text_bytes: 10_000,
        ..Settings::default()
    };
    let document = extract(
        "a.xlsx",
        Box::new(xlsx(&[("S", &row.repeat(5_000))], &[])),
        &settings,
    )
    .unwrap();
    check(&document);
    assert!((9_900..=10_001).contains(&document.text.len()));
    assert!(document.warnings[0].contains("cut after 10000 bytes"));
}

#[test]
fn open_document_sheets_are_read() {
    let document = read("sheet.fods", fixture("sheet.fods"));
    assert_eq!(
        document.text,
        "# Harvest\n\nHarvest of the harbour\n\n| Day | Jars | Share (Comment by Cleo Dahl: Of all jars) |\n|---|---|---|\n| 2023-07-15 | 47.5 | 12.5% |\n| 2024-08-01 | 95 |\n\n# Hives\n\n| Name | Sunny |\n|---|---|\n| Old pier | TRUE |\n"
    );
}
