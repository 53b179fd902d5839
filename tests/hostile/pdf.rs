//! PDF files.

/// A file of these objects; the first has the number 1 and is the catalog.
pub(crate) fn file(objects: &[String]) -> Vec<u8> {
    file_with(objects, "")
}

/// The same, with more in the trailer.
pub(crate) fn file_with(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).into_bytes());
    }
    let (xref, size) = (out.len(), objects.len() + 1);
    out.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").into_bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    out.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{xref}\n%%EOF\n")
            .into_bytes(),
    );
    out
}

/// A stream; `dict` is what its dictionary has beside the length.
pub(crate) fn stream(dict: &str, content: &str) -> String {
    format!(
        "<< {dict} /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// A usual font, for the resources.
pub(crate) const FONT: &str =
    "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// Objects 1 to 4: catalog, pages, one page and its content, with that font.
/// What is given stands in the catalog, in the page and in its resources.
pub(crate) fn page(catalog: &str, page: &str, fonts: &str, content: &str) -> Vec<String> {
    vec![
        format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>"),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".into(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R {page} \
             /Resources << /Font << {fonts} >> /XObject << /X 5 0 R >> >> >>"
        ),
        stream("", content),
    ]
}

/// Content that shows a line of text.
pub(crate) fn shown(text: &str) -> String {
    format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET")
}

/// A sound file: two pages, an outline, something attached.
pub(crate) fn sound(word: &str) -> Vec<u8> {
    let mut objects = page(
        "/Outlines 6 0 R /Names << /EmbeddedFiles << /Names [(a.txt) 8 0 R] >> >> \
         /PageLabels << /Nums [0 << /S /r >>] >>",
        "/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /URI (https://a.example/) >> >>]",
        FONT,
        &(shown(&format!("The {word} tree")) + " /X Do"),
    );
    objects[1] = "<< /Type /Pages /Count 2 /Kids [3 0 R 10 0 R] >>".into();
    objects.extend([
        stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << {FONT} >> >>"),
            "BT /F1 12 Tf 50 600 Td [(in a) -250 (form)] TJ ET",
        ),
        "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>".into(),
        format!("<< /Title (The {word} tree) /Parent 6 0 R /Dest [3 0 R /Fit] >>"),
        "<< /Type /Filespec /F (a.txt) /EF << /F 9 0 R >> >>".into(),
        stream("/Type /EmbeddedFile", "attached"),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate 90 /Contents 4 0 R \
             /Resources << /Font << {FONT} >> >> >>"
        ),
    ]);
    file_with(
        &objects,
        "/Info << /Title (A title) /Author (Ada) /CreationDate (D:20240104101112Z) >>",
    )
}
