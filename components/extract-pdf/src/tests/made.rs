//! PDF files made for tests.

/// A PDF file of these objects, the first of them numbered 1 and the catalog.
pub(super) fn file(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).into_bytes());
    }
    let xref = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R /Info 3 0 R >>\nstartxref\n{xref}\n%%EOF\n")
            .into_bytes(),
    );
    out
}

/// A stream object; `dict` is what its dictionary has beside the length.
pub(super) fn stream(dict: &str, content: &str) -> String {
    format!(
        "<< {dict} /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// A document whose pages have this content; fonts are `/F1` (Helvetica) and
/// what `resources` adds. Objects: 1 catalog, 2 pages, 3 information, then the
/// `more` ones, then each page and its content.
#[derive(Default)]
pub(super) struct Made<'a> {
    pub(super) catalog: &'a str,
    pub(super) info: &'a str,
    pub(super) page: &'a str,
    pub(super) resources: &'a str,
    pub(super) more: Vec<String>,
    pub(super) pages: Vec<String>,
}

impl Made<'_> {
    /// The number of a page's object, the first page being 0.
    pub(super) fn page_id(&self, page: usize) -> usize {
        4 + self.more.len() + page * 2
    }

    pub(super) fn file(&self) -> Vec<u8> {
        let count = self.pages.len();
        let kids: Vec<String> = (0..count)
            .map(|page| format!("{} 0 R", self.page_id(page)))
            .collect();
        let mut objects = vec![
            format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalog),
            format!(
                "<< /Type /Pages /Count {count} /Kids [{}] >>",
                kids.join(" ")
            ),
            format!("<< {} >>", self.info),
        ];
        objects.extend(self.more.iter().cloned());
        for (index, content) in self.pages.iter().enumerate() {
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R {} /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> {} >> >>",
                self.page_id(index) + 1,
                self.page,
                self.resources,
            ));
            objects.push(stream("", content));
        }
        file(&objects)
    }
}

/// Content that shows each line at its place, in points from the lower left.
pub(super) fn shown(lines: &[(f64, f64, &str)]) -> String {
    let lines = lines
        .iter()
        .map(|(x, y, text)| format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET\n"));
    lines.collect()
}

/// A document of one page.
pub(super) fn page(content: &str) -> Vec<u8> {
    let made = Made {
        pages: vec![content.to_owned()],
        ..Made::default()
    };
    made.file()
}
