use extract_core::{FailureKind, Mark, Property};

use super::*;

/// A Word file with this body and more parts; relationships are of the body.
fn docx(body: &str, list: &[(&str, &str, &str)], more: &[(&str, String)]) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="{WORD}" xmlns:r="{TYPES}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><w:body>{body}</w:body></w:document>"#
    );
    let mut parts = vec![
        (
            "_rels/.rels",
            relations(&[
                ("rId1", "officeDocument", "word/document.xml"),
                ("rId2", "extended-properties", "docProps/app.xml"),
            ]),
        ),
        ("word/_rels/document.xml.rels", relations(list)),
        ("word/document.xml", document),
    ];
    parts.extend(more.iter().cloned());
    pack(&parts)
}

fn body(body: &str) -> Document {
    read("a.docx", docx(body, &[], &[]))
}

fn part(root: &str, inner: &str) -> String {
    format!(r#"<w:{root} xmlns:w="{WORD}">{inner}</w:{root}>"#)
}

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn inserted_text_stays_and_deleted_text_goes() {
    let document = body(
        r#"<w:p><w:r><w:t xml:space="preserve">We </w:t></w:r><w:ins w:id="1"><w:r><w:t>really </w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>hate</w:delText></w:r></w:del><w:ins w:id="3"><w:r><w:t>love</w:t></w:r></w:ins></w:p>
        <w:p><w:moveFrom w:id="4"><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>
        <w:p><w:moveTo w:id="5"><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>
        <w:p><w:pPr><w:rPr><w:del w:id="6"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">One </w:t></w:r></w:p>
        <w:p><w:pPr><w:pPrChange w:id="7"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>paragraph</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:trPr><w:del w:id="8"/></w:trPr><w:tc><w:p><w:del w:id="9"><w:r><w:delText>c</w:delText></w:r></w:del></w:p></w:tc><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#,
    );
    assert_eq!(
        document.text,
        "We really love\n\nmoved\n\nOne paragraph\n\n| a | b |\n|---|---|\n"
    );
    assert_eq!(
        document.warnings,
        ["The document has tracked changes: the text of 3 deletions was left out."]
    );
}

#[test]
fn a_text_box_is_read_once() {
    let document = body(&format!(
        r#"<w:p><w:r><w:t>Before </w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="A frame"/><wps:wsp><wps:txbx><w:txbxContent>{0}{1}</w:txbxContent></wps:txbx></wps:wsp></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>{0}{1}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>after</w:t></w:r></w:p><w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent>{2}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>"#,
        p("In the"),
        p("box"),
        p("old box"),
    ));
    assert_eq!(
        document.text,
        "Before ![A frame]()after\n\nIn the\n\nbox\n\nold box\n"
    );
}

#[test]
fn notes_and_comments_follow_their_paragraph() {
    let more = [
        (
            "word/footnotes.xml",
            part(
                "footnotes",
                &format!(
                    r#"<w:footnote w:id="-1" w:type="separator">{}</w:footnote><w:footnote w:id="2">{}{}</w:footnote>"#,
                    p("sep"),
                    p("First"),
                    p("second")
                ),
            ),
        ),
        (
            "word/endnotes.xml",
            part(
                "endnotes",
                &format!(r#"<w:endnote w:id="2">{}</w:endnote>"#, p("The end")),
            ),
        ),
        (
            "word/comments.xml",
            part(
                "comments",
                &format!(
                    r#"<w:comment w:id="0" w:author="Ada">{}</w:comment>"#,
                    p("Really?")
                ),
            ),
        ),
    ];
    let bytes = docx(
        r#"<w:p><w:r><w:t>Word</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> more</w:t><w:endnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="0"/><w:footnoteReference w:id="9"/></w:r></w:p><w:p><w:r><w:t>Next</w:t></w:r></w:p>"#,
        &[
            ("r1", "footnotes", "footnotes.xml"),
            ("r2", "endnotes", "endnotes.xml"),
            ("r3", "comments", "comments.xml"),
        ],
        &more,
    );
    assert_eq!(
        read("a.docx", bytes).text,
        "Word[^1] more[^e1][^c1]\n\n[^1]: First second\n\n[^e1]: The end\n\n[^c1]: Comment by Ada: Really?\n\nNext\n"
    );
}

#[test]
fn headings_lists_and_links() {
    let more = [
        (
            "word/styles.xml",
            part(
                "styles",
                r#"<w:style w:styleId="T1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style><w:style w:type="character" w:styleId="Hid"><w:rPr><w:vanish/></w:rPr></w:style>"#,
            ),
        ),
        (
            "word/numbering.xml",
            part(
                "numbering",
                r#"<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="T1"/><w:lvlText w:val="§%1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>"#,
            ),
        ),
    ];
    let item = |level, text| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let bytes = docx(
        &format!(
            r#"<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>Scope</w:t></w:r></w:p><w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Direct</w:t></w:r></w:p>{}{}{}
            <w:p><w:hyperlink r:id="r9" w:anchor="top"><w:r><w:t>a </w:t></w:r><w:r><w:t>site</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve">, </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://two.example" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>two</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> </w:t><w:sym w:font="Wingdings" w:char="F0FC"/><w:noBreakHyphen/><w:softHyphen/></w:r><w:r><w:rPr><w:rStyle w:val="Hid"/></w:rPr><w:t>hidden</w:t></w:r><w:hyperlink w:anchor="x"><w:r><w:t>inside</w:t></w:r></w:hyperlink></w:p>"#,
            item(0, "One"),
            item(1, "Inner"),
            item(0, "Two")
        ),
        &[
            ("r1", "styles", "styles.xml"),
            ("r2", "numbering", "/word/numbering.xml"),
            ("r9", "hyperlink", "https://one.example/x"),
        ],
        &more,
    );
    let document = read("a.docx", bytes);
    assert_eq!(
        document.text,
        "# §1 Scope\n\n### Direct\n\n- One\n  - a) Inner\n- Two\n\n[a site](https://one.example/x#top), [two](https://two.example) ✓\u{2011}inside\n"
    );
    assert_eq!(document.title, "§1 Scope");
    let targets: Vec<_> = document
        .links
        .iter()
        .map(|link| link.target.as_str())
        .collect();
    assert_eq!(targets, ["https://one.example/x", "https://two.example"]);
    assert_eq!(document.warnings, ["Hidden text was left out in 1 place."]);
}

#[test]
fn tables_keep_their_columns_and_layout_tables_their_order() {
    let cell = |inner: &str, more: &str| format!("<w:tc><w:tcPr>{more}</w:tcPr>{inner}</w:tc>");
    let row = |cells: &str| format!("<w:tr>{cells}</w:tr>");
    let inner = format!(
        "<w:tbl>{}{}</w:tbl>",
        row(&(cell(&p("x"), "") + &cell(&p("y"), ""))),
        row(&cell(&p("z"), ""))
    );
    let table = format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row(&(cell(&p("A"), r#"<w:gridSpan w:val="2"/>"#) + &cell(&p("B"), ""))),
        row(&(cell(&p("1"), r#"<w:vMerge w:val="restart"/>"#)
            + &cell(&(p("2 | 3") + &p("lines")), "")
            + &cell(&inner, ""))),
        row(&(cell("<w:p/>", "<w:vMerge/>") + &cell(&p("4"), ""))),
    );
    let layout = format!("<w:tbl>{}</w:tbl>", row(&cell(&(p("Only") + &table), "")));
    let text = "| A |  | B |\n|---|---|---|\n| 1 | 2 \\| 3 lines | x y z |\n|  | 4 |\n";
    assert_eq!(body(&table).text, text);
    assert_eq!(body(&layout).text, format!("Only\n\n{text}"));
}

#[test]
fn headers_and_footers_come_once_without_page_numbers() {
    let field = r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE \* MERGEFORMAT</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>17</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>"#;
    let more = [
        ("word/header1.xml", part("hdr", &p("Confidential"))),
        ("word/header2.xml", part("hdr", &p("Confidential"))),
        (
            "word/footer1.xml",
            part(
                "ftr",
                &format!(
                    "<w:p><w:r><w:t>Page </w:t></w:r>{field}<w:r><w:t> of ACME</w:t></w:r></w:p>"
                ),
            ),
        ),
        ("word/footer2.xml", part("ftr", &p("17"))),
    ];
    let list = [
        ("a", "header", "header1.xml"),
        ("b", "header", "header2.xml"),
        ("c", "footer", "footer1.xml"),
        ("d", "footer", "footer2.xml"),
    ];
    let document = read("a.docx", docx(&p("Body"), &list, &more));
    assert_eq!(document.text, "Confidential\n\nBody\n\nPage of ACME\n");
}

#[test]
fn pages_are_marked_where_their_count_is_as_the_file_says() {
    let text = r#"<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t xml:space="preserve">two </w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>"#;
    let read = |pages: u32| {
        let app = format!(
            r#"<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Pages>{pages}</Pages></Properties>"#
        );
        read("a.docx", docx(text, &[], &[("docProps/app.xml", app)]))
    };
    let document = read(3);
    assert_eq!(document.text, "one\n\ntwo three\n");
    assert_eq!(
        document.marks,
        [Mark::page(0, 1), Mark::page(5, 2), Mark::page(9, 3)]
    );
    assert_eq!(read(4).marks, []);
}

#[test]
fn strict_files_and_formulas_are_read() {
    let document = body(
        r#"<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p>"#,
    );
    assert_eq!(document.text, "a/b^2\n");
    let strict = r#"<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body><w:p><w:r><w:t>Strict</w:t></w:r></w:p></w:body></w:document>"#;
    let list = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/word/main.xml"/></Relationships>"#;
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let bytes = pack(&[
        ("_rels/.rels", list),
        ("word/main.xml", strict),
        ("[Content_Types].xml", types),
    ]);
    assert_eq!(read("a.docx", bytes).text, "Strict\n");
}

#[test]
fn what_the_file_says_of_itself() {
    let core = r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Plan</dc:title><dc:creator>Ada; Bo</dc:creator><cp:keywords>work, home</cp:keywords><dcterms:created>2024-01-02T03:04:05Z</dcterms:created></cp:coreProperties>"#;
    let list = relations(&[
        ("a", "officeDocument", "word/document.xml"),
        ("b", "core-properties", "docProps/core.xml"),
    ]);
    let document = part("document", &format!("<w:body>{}</w:body>", p("x")));
    let bytes = pack(&[
        ("_rels/.rels", list),
        ("word/document.xml", document),
        ("docProps/core.xml", core.to_owned()),
    ]);
    let document = read("a.docx", bytes);
    assert_eq!(document.title, "Plan");
    assert_eq!(document.tags, ["work", "home"]);
    assert_eq!(
        document.properties,
        [
            Property::texts("author", ["Ada", "Bo"]),
            Property::timestamp("created", 1_704_164_645_000)
        ]
    );
}

#[test]
fn a_damaged_part_is_read_up_to_the_damage() {
    let document = body(&format!("{}<w:p><w:r><w:t>half</w:r>", p("whole")));
    assert_eq!(document.text, "whole\n\nhalf\n");
    assert_eq!(document.warnings.len(), 1);
    assert!(document.warnings[0].starts_with("The part word/document.xml is damaged at byte"));
}

#[test]
fn the_text_is_cut_at_its_limit() {
    let settings = Settings {
        max_text_bytes: 50,
        ..Settings::default()
    };
    let bytes = docx(&p("wörd").repeat(100), &[], &[]);
    let document = extract("a.docx", Box::new(bytes), &settings).unwrap();
    check(&document);
    assert!(document.text.len() <= 51 && document.text.starts_with("wörd\n\nwörd"));
    assert!(
        document.warnings[0].contains("max_text_bytes"),
        "{:?}",
        document.warnings
    );
}

#[test]
fn older_and_foreign_files_are_named() {
    let failure = |bytes: Vec<u8>| try_read("a.doc", bytes).unwrap_err();
    let ole = |stream: &str| {
        let mut bytes = vec![0; 2_048];
        bytes[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
        bytes[30] = 9;
        bytes[48] = 1;
        let name: Vec<u8> = stream.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes[1_024..1_024 + name.len()].copy_from_slice(&name);
        bytes
    };
    for (stream, says) in [
        ("WordDocument", ".docx"),
        ("Workbook", ".xlsx"),
        ("PowerPoint Document", ".pptx"),
        ("Other", "2003"),
    ] {
        let failure = failure(ole(stream));
        assert_eq!(failure.kind, FailureKind::Unsupported);
        assert!(failure.message.contains(says), "{failure}");
    }
    assert_eq!(
        failure(ole("EncryptedPackage")).kind,
        FailureKind::Encrypted
    );
    assert_eq!(failure(b"".to_vec()).kind, FailureKind::InvalidInput);
    assert_eq!(failure(b"hello".to_vec()).kind, FailureKind::InvalidInput);
    assert_eq!(
        failure(pack(&[("a.txt", "x")])).kind,
        FailureKind::Unsupported
    );
    assert!(
        failure(pack(&[("Index/Document.iwa", "x")]))
            .message
            .contains("Pages")
    );
}
