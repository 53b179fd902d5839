//! A page of the web, fetched because a person asked for it, read as any file
//! is, and kept as a note in a folder.

use std::fs;
use std::sync::Arc;

use jiff::Timestamp;
use pkb_runtime::Document;
use pkb_sources::clip::{self, Clip, Fetcher, Kind, Limits, Outcome};
use pkb_store::{Scalar, Source, Value};
use serde::Serialize;

use crate::convert;
use crate::engine::Engine;
use crate::error::Error;
use crate::extracting::Outside;
use crate::job::Job;
use crate::ocr::OcrSettings;
use crate::pipeline::walk::{Input, Own, Walk};
use crate::sources::{NewFolder, SourceSettings};

/// The source for clips where the user names none, and its folder in the home.
const CLIPS: &str = "clips";

/// What to clip, and where to.
#[derive(Clone, Debug, Default)]
pub struct ClipRequest {
    /// The page's address.
    pub url: String,
    /// The folder source that it goes to; none for `clips`, which is made in
    /// the home where it is missing.
    pub source: Option<String>,
    /// Tags for the note.
    pub tags: Vec<String>,
    /// Whether the page may be on this machine or in a private network.
    pub allow_private: bool,
    /// Leave the embedding for later.
    pub skip_embedding: bool,
}

/// A page that was clipped.
#[derive(Clone, Debug, Serialize)]
pub struct Clipped {
    /// The note: `source/path`.
    pub path: String,
    /// The page's title.
    pub title: String,
    /// Its own address.
    pub url: String,
    /// `created`, `updated` or `unchanged`.
    pub outcome: &'static str,
    /// What a person should know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Engine {
    /// Fetches a page or a PDF file, keeps it as a note in a folder source, and
    /// indexes it. Clipping the same page again updates the note.
    ///
    /// # Errors
    /// When the page cannot be had or read, the source is no folder, or the note
    /// cannot be written.
    pub fn clip(&self, request: &ClipRequest, job: &dyn Job) -> Result<Clipped, Error> {
        let known = self.clips(request.source.as_deref())?;
        if let Some(source) = &known {
            self.writable_folder(source)?;
        }
        let fetched = Fetcher::new(Limits::default(), request.allow_private).fetch(&request.url)?;
        let mut warnings = fetched.warnings;
        let name = match fetched.kind {
            Kind::Page => "page.html",
            Kind::Pdf => "page.pdf",
        };
        let bytes = match fetched.kind {
            Kind::Page => saved_from(&fetched.url, fetched.bytes),
            Kind::Pdf => fetched.bytes,
        };
        let document = self.read_page(name, fetched.media_type, bytes)?;
        warnings.extend(document.warnings);
        let properties = convert::properties(document.properties);
        let own_url = convert::text(&properties, "url");
        let url = own_url
            .filter(|own| is_of_the_same_site(own, &fetched.url))
            .unwrap_or(fetched.url);
        let published = convert::timestamp(&properties, "published")
            .and_then(|at| Timestamp::from_millisecond(at).ok())
            .map(|at| at.to_string());
        let clipped = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let authors: Vec<String> = properties
            .iter()
            .filter(|property| property.name.eq_ignore_ascii_case("author"))
            .flat_map(|property| match &property.value {
                Value::One(one) => std::slice::from_ref(one),
                Value::Many(many) => many,
            })
            .filter_map(|scalar| match scalar {
                Scalar::Text(author) => Some(author.clone()),
                _ => None,
            })
            .collect();
        // A page that cannot be had leaves no source behind.
        let source = match known {
            Some(source) => source,
            None => self.add_clips()?,
        };
        let folder = self.writable_folder(&source)?;
        let clip = Clip {
            url: &url,
            title: &document.title,
            authors: &authors,
            published: published.as_deref(),
            clipped: &clipped,
            tags: &request.tags,
            sha256: &fetched.sha256,
            text: &document.text,
        };
        let saved = self.changing(|| Ok(clip::save(&folder, &clip)?))?;
        self.index_file(
            &source,
            &folder,
            &saved.external_id,
            request.skip_embedding,
            job,
            &mut warnings,
        )?;
        Ok(Clipped {
            path: format!("{}/{}", source.spec.name, saved.external_id),
            title: document.title,
            url,
            outcome: match saved.outcome {
                Outcome::Created => "created",
                Outcome::Updated => "updated",
                Outcome::Unchanged => "unchanged",
            },
            warnings,
        })
    }

    /// The folder source that clips go to; none where that is to be made.
    fn clips(&self, named: Option<&str>) -> Result<Option<Source>, Error> {
        if let Some(name) = named {
            return self.source(name).map(Some);
        }
        let source = self.store().source(CLIPS)?;
        if source.is_none() && self.everything().source(CLIPS)?.is_some() {
            return Err(Error::usage(
                "it is not said where the clip goes",
                "Name a folder source; a clip becomes a note in it.",
            ));
        }
        Ok(source)
    }

    /// Makes the source for clips.
    fn add_clips(&self) -> Result<Source, Error> {
        let folder = self.home().folder.join(CLIPS);
        fs::create_dir_all(&folder)
            .map_err(|error| Error::file("cannot make the folder for clips", &folder, error))?;
        let new = NewFolder {
            name: Some(CLIPS.into()),
            ..NewFolder::default()
        };
        Ok(self.add_folder(&folder, &new)?.source)
    }

    fn read_page(
        &self,
        name: &str,
        media_type: Option<String>,
        bytes: Vec<u8>,
    ) -> Result<Document, Error> {
        let size = bytes.len() as u64;
        let outside = Outside::new(
            self,
            &SourceSettings::default(),
            &OcrSettings::default(),
            size,
        )?;
        let input = Input {
            id: name.to_owned(),
            name: name.to_owned(),
            media_type,
            blob: Arc::new(bytes),
        };
        // What is attached to a PDF is not the page.
        match Walk::new(&outside, size).file(input, 0, &mut |_| Ok(()))? {
            Own::Document(document, _) => Ok(*document),
            Own::Failed(error, _) => Err(error.into()),
            Own::Skipped(_, message, _) => Err(Error::usage(
                format!("the page cannot be read: {message}"),
                "Pages (HTML) and PDF files can be clipped.",
            )),
        }
    }
}

/// Whether a page may call itself by that address: one of its own site, and not
/// the site's front page, which many name for all their pages.
fn is_of_the_same_site(own: &str, fetched: &str) -> bool {
    let parts = |url: &str| {
        let (scheme, rest) = url.split_once("://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.strip_prefix("www.").unwrap_or(host);
        matches!(scheme, "http" | "https").then(|| (host.to_lowercase(), path.is_empty()))
    };
    match (parts(own), parts(fetched)) {
        (Some((own, front)), Some((fetched, asked_front))) => {
            own == fetched && (!front || asked_front)
        }
        _ => false,
    }
}

/// A page with the comment that browsers put into saved ones, by which its
/// relative links are understood.
fn saved_from(url: &str, page: Vec<u8>) -> Vec<u8> {
    let wide = page.starts_with(b"\xFF\xFE") || page.starts_with(b"\xFE\xFF");
    if wide || url.contains("--") || url.contains(['<', '>']) {
        return page;
    }
    let mark = b"\xEF\xBB\xBF";
    let rest = page.strip_prefix(mark).unwrap_or(&page);
    let comment = format!("<!-- saved from url=({:04}){url} -->\n", url.len());
    [comment.as_bytes(), rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_take_the_place_of_another_sites() {
        let same = is_of_the_same_site;
        assert!(same(
            "https://example.org/a",
            "http://www.example.org/a?b=c"
        ));
        assert!(!same("https://bank.example/a", "https://evil.example/a"));
        assert!(!same("https://example.org/", "https://example.org/a"));
        assert!(same("https://example.org/", "https://example.org/"));
        assert!(!same("file:///etc/passwd", "https://example.org/a"));
    }

    #[test]
    fn the_address_of_a_page_stands_before_it() {
        let page = saved_from("https://example.org/a", b"<p>x".to_vec());
        assert_eq!(
            page,
            b"<!-- saved from url=(0021)https://example.org/a -->\n<p>x"
        );
        assert_eq!(saved_from("https://a/--", b"<p>".to_vec()), b"<p>");
    }
}
