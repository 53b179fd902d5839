use extract_core::Mark;

use super::*;

const SLIDES: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

fn shape(placeholder: &str, paragraphs: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='1' name='x'/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )
}

fn p(text: &str) -> String {
    format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")
}

fn slide(root: &str, shapes: &str) -> String {
    format!(
        r#"<p:{root} xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{TYPES}" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"#
    )
}

#[test]
fn slides_come_in_their_order_with_notes_and_comments() {
    let first = slide("sld", &[
        shape("<p:ph type='sldNum'/>", &p("1")),
        shape("<p:ph idx='1'/>", &(p("Point") + "<a:p><a:pPr lvl='1'/><a:r><a:t>deeper</a:t></a:r></a:p><a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>no point</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type='alphaLcParenR'/></a:pPr><a:r><a:t>counted</a:t></a:r></a:p>")),
        shape("<p:ph type='title'/>", &p("The plan")),
        shape("", "<a:p><a:r><a:rPr><a:hlinkClick r:id='h'/></a:rPr><a:t>site</a:t></a:r><a:br/><a:fld type='slidenum'><a:t>1</a:t></a:fld></a:p>"),
        "<p:pic><p:nvPicPr><p:cNvPr id='2' name='y' descr='A hive'/></p:nvPicPr></p:pic>".to_owned(),
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody>".to_owned() + &p("a") + "</a:txBody></a:tc><a:tc><a:txBody>" + &p("b") + "</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        "<p:graphicFrame><dgm:relIds r:dm='d'/></p:graphicFrame>".to_owned(),
    ].concat());
    let parts = [
        (
            "_rels/.rels",
            relations(&[("a", "officeDocument", "ppt/presentation.xml")]),
        ),
        (
            "ppt/presentation.xml",
            format!(
                r#"<p:presentation xmlns:p="{SLIDES}" xmlns:r="{TYPES}"><p:sldIdLst><p:sldId id="256" r:id="two"/><p:sldId id="257" r:id="one"/><p:sldId id="258" r:id="gone"/></p:sldIdLst></p:presentation>"#
            ),
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&[
                ("one", "slide", "slides/slide1.xml"),
                ("two", "slide", "slides/slide2.xml"),
                ("gone", "slide", "slides/slide9.xml"),
                ("au", "commentAuthors", "commentAuthors.xml"),
            ]),
        ),
        (
            "ppt/slides/slide1.xml",
            slide("sld", &shape("", &p("A long sentence that is no title."))),
        ),
        ("ppt/slides/slide2.xml", first),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            relations(&[
                ("h", "hyperlink", "https://x.example"),
                ("n", "notesSlide", "../notesSlides/n.xml"),
                ("c", "comments", "../comments/c.xml"),
                ("d", "diagramData", "../diagrams/d.xml"),
            ]),
        ),
        (
            "ppt/notesSlides/n.xml",
            slide(
                "notes",
                &(shape("<p:ph type='sldImg'/>", "")
                    + &shape("<p:ph type='body' idx='1'/>", &p("Say hello."))),
            ),
        ),
        (
            "ppt/comments/c.xml",
            format!(
                r#"<p:cmLst xmlns:p="{SLIDES}"><p:cm authorId="0"><p:text>Too long</p:text></p:cm></p:cmLst>"#
            ),
        ),
        (
            "ppt/commentAuthors.xml",
            format!(
                r#"<p:cmAuthorLst xmlns:p="{SLIDES}"><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>"#
            ),
        ),
        (
            "ppt/diagrams/d.xml",
            format!(
                r#"<d xmlns:a="{DRAWING}">{}{}</d>"#,
                p("Collect"),
                p("Sell")
            ),
        ),
    ];
    let document = read("deck.pptx", pack(&parts));
    assert_eq!(
        document.text,
        "# Slide 1: The plan\n\n- Point\n  - deeper\n\nno point\n\n- a) counted\n\n[site](https://x.example)\n\n![A hive]()\n\n| a | b |\n|---|---|\n\nCollect\n\nSell\n\nComment by Ada: Too long\n\nNotes:\n\nSay hello.\n\n# Slide 2\n\nA long sentence that is no title.\n"
    );
    assert_eq!(document.title, "The plan");
    let second = document.text.find("# Slide 2").unwrap();
    assert_eq!(
        document.marks,
        [Mark::part(0, "slide 1"), Mark::part(second, "slide 2")]
    );
    assert_eq!(document.warnings, ["Slide 3 is missing from the file."]);
}

#[test]
fn open_document_slides_are_read() {
    let document = read("slides.fodp", fixture("slides.fodp"));
    assert_eq!(
        document.text,
        "# Slide 1: Bees on the quay\n\n- Nectar\n  - of clover\n- Pollen\n\nNotes:\n\nSpeak slowly about nectar.\n\n# Slide 2: Numbers\n\n| Year | Jars |\n|---|---|\n| 2023 | 47 |\n\nA shape with words\n"
    );
}
