//! Which files are read. Real ones come from the shared data, and from this
//! project's own code; the others are made, the same in every run.

use std::path::{Path, PathBuf};

use pkb_tests::{shared_data, texts, workspace_root};

use super::made::{self, Made};
use super::office;
use super::reading::{self, File};
use super::{Kind, file};

/// Real pages that are taken out of their archive.
const PAGES: &str = "html/readability-60.tar.gz";

/// The kinds, and what is left out for want of files.
pub(super) fn kinds() -> (Vec<Kind>, Vec<String>) {
    let formats = shared_data().map(|folder| folder.join("formats"));
    let real = |folder: &str, endings: &[&str]| {
        let folder = formats.as_ref().map(|formats| formats.join(folder));
        folder.map_or_else(Vec::new, |folder| files(&folder, endings))
    };
    let mut made = Made::new();
    let mut kinds = Vec::new();
    let mut left_out = vec![
        "OpenDocument, presentations, RTF, subtitles, Org, calendars, contacts, notes of Keep: \
         there is no material to speak of"
            .to_owned(),
    ];
    let mut add = |name, reader, made, files: Vec<File>| {
        kinds.push(Kind {
            name,
            reader,
            made,
            files,
        });
    };

    let (is_made, notes) = or_made(notes(), || made.notes(200));
    add("markdown", &reading::MARKDOWN, is_made, notes.clone());
    add("text", &reading::MARKDOWN, true, made.letters(200));
    let tables = made.tables(20, 2_000);
    add("csv", &reading::TEXT, true, tables.clone());
    let mut data = real("markdown_spec", &[".json"]);
    data.extend(real("youtube/youtube-transcript-api", &[".json.static"]));
    let (is_made, data) = or_made(data, || made.records(20, 2_000));
    add("json", &reading::TEXT, is_made, data);
    let mut code = files(&workspace_root().join("components"), &[".rs"]);
    code.extend(files(&workspace_root().join("host"), &[".rs"]));
    add("code", &reading::TEXT, false, code);

    let packed = formats.as_ref().and_then(|formats| {
        let bytes = std::fs::read(formats.join(PAGES)).ok()?;
        Some(file("pages.tar.gz", bytes))
    });
    let (is_made, pages) = or_made(packed.as_ref().map_or_else(Vec::new, pages), || {
        made.pages(60)
    });
    add("html", &reading::HTML, is_made, pages.clone());
    let pdfs = real("pdf", &[".pdf"]);
    if pdfs.is_empty() {
        left_out.push("pdf: there are no real files, and none are made".into());
    }
    add("pdf", &reading::PDF, false, pdfs);
    let documents = real("docx", &[".docx"]);
    if documents.is_empty() {
        left_out.push("docx: there are no real files".into());
    }
    add("docx", &reading::OFFICE, false, documents);
    add(
        "docx, long",
        &reading::OFFICE,
        true,
        office::documents(&mut made, 5, 1_500),
    );
    add(
        "xlsx",
        &reading::OFFICE,
        true,
        office::workbooks(&mut made, 5, 5_000),
    );
    add(
        "epub",
        &reading::OFFICE,
        true,
        office::books(&mut made, 5, 30),
    );

    let mail = real("mail", &[".eml"]);
    let is_made = mail.is_empty();
    let mail = if is_made {
        files(&workspace_root().join("fixtures/mail"), &[".eml"])
    } else {
        mail
    };
    add("eml", &reading::MAIL, is_made, mail.clone());
    add(
        "mbox, of the same",
        &reading::MAIL,
        is_made,
        vec![made::mailbox(&mail)],
    );
    add(
        "mbox, long",
        &reading::MAIL,
        true,
        vec![made.correspondence(4_000)],
    );

    let bookmarks = real("bookmarks", &[".htm"]);
    let (is_made, bookmarks) = or_made(bookmarks, || {
        files(
            &workspace_root().join("fixtures/bookmarks"),
            &[".html", ".json", "Bookmarks"],
        )
    });
    add("bookmarks", &reading::BOOKMARKS, is_made, bookmarks);
    add(
        "bookmarks, long",
        &reading::BOOKMARKS,
        true,
        vec![made.bookmarks(5_000)],
    );
    add(
        "history, JSON",
        &reading::TAKEOUT,
        true,
        vec![made.history_json(5_000)],
    );
    add(
        "history, HTML",
        &reading::TAKEOUT,
        true,
        vec![made.history_html(5_000)],
    );

    let inside: Vec<File> = [notes, tables, pages, mail].concat();
    add(
        "zip",
        &reading::ARCHIVE,
        true,
        vec![office::archive(&inside)],
    );
    add(
        "tar.gz",
        &reading::ARCHIVE,
        false,
        packed.into_iter().collect(),
    );
    (kinds, left_out)
}

/// The real files, or where there are none those made; and whether they are.
fn or_made(real: Vec<File>, made: impl FnOnce() -> Vec<File>) -> (bool, Vec<File>) {
    match real.is_empty() {
        true => (true, made()),
        false => (false, real),
    }
}

/// A real vault.
fn notes() -> Vec<File> {
    let notes = texts("obsidian-help-en", usize::MAX).unwrap_or_default();
    let named = notes.into_iter().enumerate();
    named
        .map(|(number, text)| file(format!("{number}.md"), text))
        .collect()
}

/// The saved pages in their archive; those that only say what is expected are
/// left there.
fn pages(packed: &File) -> Vec<File> {
    let unpacked = reading::seen_native(&reading::ARCHIVE, packed).unwrap();
    unpacked
        .into_files()
        .filter(|(name, _)| name.ends_with("source.html"))
        .map(|(name, bytes)| file(name.replace('/', "-"), bytes))
        .collect()
}

/// The files in a folder, and in those inside it, with one of these endings, by
/// path.
fn files(folder: &Path, endings: &[&str]) -> Vec<File> {
    let mut paths = Vec::new();
    collect(folder, endings, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // What `.json.static` is called where it comes from.
            let name = name.trim_end_matches(".static");
            file(name, std::fs::read(&path).unwrap())
        })
        .collect()
}

fn collect(folder: &Path, endings: &[&str], paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            collect(&path, endings, paths);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            paths.push(path);
        }
    }
}
