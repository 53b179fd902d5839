//! Ten thousand things in one another.

use crate::attacks::Attack;
use crate::packed::{mozlz4, zip};
use crate::pdf::{self, FONT, page, shown};
use crate::samples::{docx_of, epub_of, odf_of, pptx_of};

const DEPTH: usize = 10_000;

/// `open` and `close`, around `within`.
fn nested(open: &str, within: &str, close: &str) -> String {
    open.repeat(DEPTH) + within + &close.repeat(DEPTH)
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = markup();
    all.extend(packed());
    all.extend(data());
    all.extend(mail());
    all.extend(in_pdf());
    all
}

fn markup() -> Vec<Attack> {
    let page =
        |open: &str, close: &str| format!("<!doctype html><body>{}", nested(open, "bottom", close));
    let inside = |word: &str| {
        nested(
            &format!("#+begin_{word}\n"),
            "bottom\n",
            &format!("#+end_{word}\n"),
        )
    };
    let mut all: Vec<Attack> = [
        ("div", "<div>", "</div>"),
        ("b", "<b>", "</b>"),
        ("list", "<ul><li>", "</li></ul>"),
        ("quote", "<blockquote><p>", "</blockquote>"),
        ("table", "<table><tr><td>", "</td></tr></table>"),
        ("pre", "<pre><a href=x>", ""),
        ("svg", "<svg><foreignObject>", ""),
        ("template", "<template>", ""),
        ("select", "<select><option>", ""),
    ]
    .into_iter()
    .map(|(name, open, close)| Attack::new(format!("deep-{name}.html"), page(open, close)))
    .collect();
    all.extend([
        Attack::new("deep-quote.md", "> ".repeat(DEPTH) + "bottom"),
        Attack::new("deep-list.md", "- ".repeat(DEPTH) + "bottom"),
        Attack::new("deep-link.md", nested("[", "bottom", "](x)")),
        Attack::new("deep-image.md", nested("![", "bottom", "](x)")),
        Attack::new("deep-emphasis.md", nested("*a **b ", "bottom", "** *")),
        Attack::new("deep-html.md", nested("<div>\n\n", "bottom", "\n\n</div>")),
        Attack::new(
            "deep-yaml.md",
            format!("---\na: {}\n---\nbottom", nested("[", "1", "]")),
        ),
        Attack::new(
            "deep-block-yaml.md",
            format!("---\n{}\n---\nbottom", "- ".repeat(DEPTH)),
        ),
        Attack::new("deep-quote.org", inside("quote")),
        Attack::new("deep-link.org", nested("[[", "bottom", "]]")),
        Attack::new(
            "deep-heading.org",
            (0..1_000)
                .map(|n| "*".repeat(n) + " bottom\n")
                .collect::<String>(),
        ),
        Attack::new(
            "deep-list.org",
            (0..1_000)
                .map(|n| " ".repeat(n) + "- bottom\n")
                .collect::<String>(),
        ),
        Attack::new(
            "deep-list.rst",
            (0..1_000)
                .map(|n| " ".repeat(2 * n) + "* bottom\n\n")
                .collect::<String>(),
        ),
        Attack::new("deep-group.tex", nested("\\textbf{", "bottom", "}")),
        Attack::new(
            "deep-bookmarks.html",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n".to_owned()
                + &"<DT><H3>f</H3>\n<DL><p>\n".repeat(DEPTH)
                + "<DT><A HREF=\"https://a.example/\">bottom</A>\n",
        ),
        Attack::new(
            "deep-activity.html",
            format!(
                "<html><body><div class=\"outer-cell\">{}",
                nested("<div class=\"content-cell\">", "bottom", "</div>")
            ),
        ),
        Attack::new(
            "deep.rtf",
            r"{\rtf1 ".to_owned() + &nested(r"{\b ", "bottom", "}") + "}",
        ),
        Attack::new(
            "deep-table.rtf",
            r"{\rtf1 ".to_owned() + &nested(r"{\*\nesttableprops{\trowd ", "bottom", "}}") + "}",
        ),
        Attack::new(
            "deep.ics",
            "BEGIN:VCALENDAR\r\n".to_owned()
                + &nested("BEGIN:VEVENT\r\n", "SUMMARY:bottom\r\n", "END:VEVENT\r\n"),
        ),
        Attack::new(
            "deep.vcf",
            nested("BEGIN:VCARD\r\nFN:a\r\n", "FN:bottom\r\n", "END:VCARD\r\n"),
        ),
        Attack::new(
            "deep.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\n".to_owned()
                + &nested("<c.a>", "bottom", "</c>")
                + "\n",
        ),
    ]);
    all
}

fn packed() -> Vec<Attack> {
    let table = nested(
        "<w:tbl><w:tr><w:tc>",
        "<w:p><w:r><w:t>bottom</w:t></w:r></w:p>",
        "</w:tc></w:tr></w:tbl>",
    );
    let inserted = format!(
        "<w:p>{}</w:p>",
        nested("<w:ins>", "<w:r><w:t>bottom</w:t></w:r>", "</w:ins>")
    );
    let boxes = nested(
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent>",
        "<w:p/>",
        "</w:txbxContent></v:textbox></w:pict></w:r></w:p>",
    );
    let list = format!(
        "<office:text>{}</office:text>",
        nested(
            "<text:list><text:list-item>",
            "<text:p>bottom</text:p>",
            "</text:list-item></text:list>"
        )
    );
    let spans = format!(
        "<office:text><text:p>{}</text:p></office:text>",
        nested("<text:span>", "bottom", "</text:span>")
    );
    let shapes = nested(
        "<p:grpSp>",
        "<p:sp><p:txBody><a:p><a:r><a:t>bottom</a:t></a:r></a:p></p:txBody></p:sp>",
        "</p:grpSp>",
    );
    let contents = nested(
        "<navPoint id=\"n\"><navLabel><text>a</text></navLabel><content src=\"c.xhtml\"/>",
        "",
        "</navPoint>",
    );
    vec![
        Attack::new("deep-table.docx", zip(&docx_of(&table))),
        Attack::new("deep-insert.docx", zip(&docx_of(&inserted))),
        Attack::new("deep-box.docx", zip(&docx_of(&boxes))),
        Attack::new("deep-list.odt", zip(&odf_of("text", &list))),
        Attack::new("deep-span.odt", zip(&odf_of("text", &spans))),
        Attack::new("deep-group.pptx", zip(&pptx_of(&shapes))),
        Attack::new(
            "deep-contents.epub",
            zip(&epub_of("<p>bottom</p>", &contents)),
        ),
        Attack::new(
            "deep-chapter.epub",
            zip(&epub_of(&nested("<div>", "bottom", "</div>"), "")),
        ),
    ]
}

fn data() -> Vec<Attack> {
    let folders = nested(r#"{"name":"f","type":"folder","children":["#, "", "]}");
    let places = nested(
        r#"{"title":"f","typeCode":2,"type":"text/x-moz-place-container","children":["#,
        "",
        "]}",
    );
    vec![
        Attack::new("deep-lists.json", nested("[", "", "]")),
        Attack::new("deep-objects.json", nested(r#"{"a":"#, "1", "}")),
        Attack::new("deep-open.json", "[".repeat(DEPTH)),
        Attack::new("deep-lines.jsonl", (nested("[", "1", "]") + "\n").repeat(3)),
        Attack::new(
            "deep.ipynb",
            format!(
                r#"{{"cells":[{{"cell_type":"markdown","source":{}}}]}}"#,
                nested("[", "1", "]")
            ),
        ),
        Attack::new(
            "deep-activity.json",
            format!(
                r#"[{{"header":"YouTube","title":"a","titleUrl":"https://www.youtube.com/watch?v=aaaaaaaaaa1","products":["YouTube"],"details":{}}}]"#,
                nested("[", "1", "]")
            ),
        ),
        Attack::new(
            "Bookmarks",
            format!(r#"{{"roots":{{"bookmark_bar":{folders}}}}}"#),
        ),
        Attack::new("bookmarks-2024-01-05.json", places.clone()),
        Attack::new("bookmarks-2024-01-05.jsonlz4", mozlz4(places.as_bytes())),
        Attack::new("deep.xml", nested("<a>", "bottom", "</a>")),
        Attack::new(
            "deep.svg",
            format!(
                "<svg>{}</svg>",
                nested("<g>", "<text>bottom</text>", "</g>")
            ),
        ),
        Attack::new(
            "deep.opml",
            format!(
                "<opml><body>{}</body></opml>",
                nested("<outline text=\"a\">", "", "</outline>")
            ),
        ),
        Attack::new(
            "deep.plist",
            format!(
                "<plist>{}</plist>",
                nested("<array>", "<string>bottom</string>", "</array>")
            ),
        ),
        Attack::new("deep.rs", nested("fn a() {", "bottom", "}")),
    ]
}

fn mail() -> Vec<Attack> {
    let header = "From: a@example.org\r\nSubject: Deep\r\nMIME-Version: 1.0\r\n";
    let boundaries: String = (0..DEPTH)
        .map(|n| format!("Content-Type: multipart/mixed; boundary=\"b{n}\"\r\n\r\n--b{n}\r\n"))
        .collect();
    let same = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n".repeat(DEPTH);
    let letters = format!("Content-Type: message/rfc822\r\n\r\n{header}").repeat(DEPTH);
    let web = format!(
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/\r\nMIME-Version: 1.0\r\n{}",
        boundaries.replace("mixed", "related")
    );
    vec![
        Attack::new(
            "deep-parts.eml",
            format!("{header}{boundaries}\r\nbottom\r\n"),
        ),
        Attack::new("deep-same.eml", format!("{header}{same}\r\nbottom\r\n")),
        Attack::new(
            "deep-letters.eml",
            format!("{header}{letters}\r\nbottom\r\n"),
        ),
        Attack::new(
            "deep-quotes.eml",
            format!("{header}\r\n{} bottom\r\n", ">".repeat(DEPTH)),
        ),
        Attack::new(
            "deep-comments.eml",
            format!(
                "From: {}a@example.org\r\n{header}\r\nbottom\r\n",
                "(".repeat(DEPTH)
            ),
        ),
        Attack::new("deep-parts.mhtml", format!("{web}\r\nbottom\r\n")),
    ]
}

fn in_pdf() -> Vec<Attack> {
    let with = |catalog: &str| pdf::file(&page(catalog, "", FONT, &shown("text")));
    let mut all: Vec<Attack> = [
        ("array", "[", "]"),
        ("dictionary", "<< /A ", ">>"),
        ("string", "(", ")"),
    ]
    .into_iter()
    .map(|(name, open, close)| {
        let value = nested(open, "1", close);
        Attack::new(format!("deep-{name}.pdf"), with(&format!("/Names {value}")))
    })
    .collect();
    all.extend(
        ["q ", "BT ", "/P BMC ", "[", "<< /A "]
            .into_iter()
            .enumerate()
            .map(|(n, open)| {
                let content = open.repeat(DEPTH) + &shown("text");
                Attack::new(
                    format!("deep-content-{n}.pdf"),
                    pdf::file(&page("", "", FONT, &content)),
                )
            }),
    );
    // Each object holds the next one.
    let chain = |first: &dyn Fn(usize) -> String, last: &str| -> Vec<String> {
        (0..DEPTH)
            .map(|n| first(6 + n))
            .chain([last.to_owned()])
            .collect()
    };
    let mut pages = page("", "", FONT, &shown("text"));
    pages[1] = "<< /Type /Pages /Count 1 /Kids [5 0 R] >>".into();
    pages.extend(chain(
        &|next| format!("<< /Type /Pages /Count 1 /Kids [{next} 0 R] >>"),
        "<< /Type /Page /Contents 4 0 R >>",
    ));
    let mut outline = page("/Outlines 5 0 R", "", FONT, &shown("text"));
    outline.extend(chain(
        &|next| format!("<< /Title (a) /First {next} 0 R >>"),
        "<< /Title (a) >>",
    ));
    let mut wide = page("/Outlines 5 0 R", "", FONT, &shown("text"));
    wide.extend(chain(
        &|next| format!("<< /Title (a) /First {next} 0 R /Next {next} 0 R >>"),
        "<< /Title (a) >>",
    ));
    let mut names = page(
        "/Names << /EmbeddedFiles 5 0 R >>",
        "",
        FONT,
        &shown("text"),
    );
    names.extend(chain(
        &|next| format!("<< /Kids [{next} 0 R {next} 0 R] >>"),
        "<< /Names [] >>",
    ));
    all.extend([
        Attack::new("deep-pages.pdf", pdf::file(&pages)),
        Attack::new("deep-outline.pdf", pdf::file(&outline)),
        Attack::new("doubling-outline.pdf", pdf::file(&wide)),
        Attack::new("doubling-names.pdf", pdf::file(&names)),
    ]);
    all
}
