use super::*;

fn text(csv: &str) -> String {
    read(csv, None, 1 << 20).text
}

#[test]
fn rows_stand_under_their_header() {
    let document = read("Name;Age\n\"Doe; Jane\";33\n\nBob|by;44\n", None, 1 << 20);
    assert_eq!(
        document.text,
        "| Name | Age |\n| --- | --- |\n| Doe; Jane | 33 |\n| Bob\\|by | 44 |\n"
    );
    let row = |n: &str| extract_core::Place::Part(format!("row {n}"));
    let rows: Vec<_> = document
        .marks
        .iter()
        .filter(|m| m.place == row("2") || m.place == row("3"))
        .collect();
    assert!(document.text[rows[0].offset..].starts_with("| Doe"));
    assert!(document.text[rows[1].offset..].starts_with("| Bob"));
    assert_eq!(
        document.properties[0],
        Property::texts("columns", ["Name", "Age"])
    );
    assert_eq!(document.properties[1], Property::number("rows", 2.0));
}

#[test]
fn lines_of_rows_are_those_of_the_file() {
    let csv = "a,b\n1,\"x\ny\"\n\n3,4\n";
    let document = read(csv, None, 1 << 20);
    let line_of = |needle: &str| {
        let at = document.text.find(needle).unwrap();
        let mark = document
            .marks
            .iter()
            .rev()
            .find_map(|mark| match mark.place {
                Place::Line(line) if mark.offset <= at => Some((mark.offset, line)),
                _ => None,
            });
        let (offset, line) = mark.unwrap();
        line + document.text[offset..at].matches('\n').count() as u32
    };
    assert_eq!(line_of("| a"), 1);
    assert_eq!(line_of("| 1"), 2);
    assert_eq!(line_of("| 3"), 5);
}

#[test]
fn a_table_without_header_gets_an_empty_one() {
    assert_eq!(
        text("2024-01-01,3.5\n2024-01-02,4\n"),
        "|  |  |\n| --- | --- |\n| 2024-01-01 | 3.5 |\n| 2024-01-02 | 4 |\n"
    );
}

#[test]
fn what_stands_before_the_table_stays_text() {
    let text =
        text("Statement of account\n\nDate,Amount,For\n2024-01-01,5,tea\n2024-01-02,6,milk\n");
    assert!(
        text.starts_with("Statement of account\n\n| Date | Amount | For |\n"),
        "{text}"
    );
}

#[test]
fn wide_rows_become_records() {
    let names: Vec<String> = (0..20).map(|n| format!("name{n}")).collect();
    let cells: Vec<String> = (0..20)
        .map(|n| {
            if n == 1 {
                String::new()
            } else {
                format!("c{n}")
            }
        })
        .collect();
    let text = text(&format!("{}\n{}\n", names.join("\t"), cells.join("\t")));
    assert!(text.starts_with("- name0: c0\n  name2: c2\n"), "{text}");
}

#[test]
fn a_quote_left_open_takes_nothing_with_it() {
    let mut csv = String::from("a,b\n1,\"open\n");
    for n in 0..100 {
        csv.push_str(&format!("{n},x\n"));
    }
    let document = read(&csv, None, 1 << 20);
    assert!(document.text.contains("| 99 | x |"));
    assert_eq!(document.warnings.len(), 1);
}

#[test]
fn rows_left_out_are_counted() {
    let csv: String = (0..1000).map(|n| format!("{n},x\n")).collect();
    let document = read(&csv, None, 500);
    assert!(
        document.warnings[0].contains("of 1000 rows"),
        "{:?}",
        document.warnings
    );
}

#[test]
fn spreadsheets_say_what_stands_between() {
    assert!(text("sep=|\nx|y,z\n1|2,5\n").starts_with("| x | y,z |"));
    assert!(text("a\tb,c\n1,5\t2\n").starts_with("| a | b,c |"));
}

#[test]
fn a_header_may_be_longer_than_most_rows() {
    assert_eq!(
        text(
            "version,date,end,later\n1,2004-01-01,2005-01-01\n2,2005-01-01,2006-01-01\n3,2006-01-01,2007-01-01,2008-01-01\n"
        ),
        "| version | date | end | later |\n| --- | --- | --- | --- |\n| 1 | 2004-01-01 | 2005-01-01 |\n| 2 | 2005-01-01 | 2006-01-01 |\n| 3 | 2006-01-01 | 2007-01-01 | 2008-01-01 |\n"
    );
}
