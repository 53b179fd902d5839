//! YouTube's CSV files: playlists of both layouts, subscriptions, comments.
//! Their headings are in the language of the account; ids show what a row is.

use extract_core::{
    Decoded, Document, Failure, FailureKind, Property, escape_plain, is_youtube_id, title,
};
use serde::Deserialize;

use crate::body::Body;
use crate::items::Items;

/// Reads such a file.
///
/// # Errors
/// For bytes that are no text, and as unsupported for other tables.
pub(crate) fn read(name: &str, bytes: Vec<u8>) -> Result<Vec<Document>, Failure> {
    let Decoded { text, mut warnings } = extract_core::decode(bytes)?;
    let mut table = Table {
        playlist: title::tidy(&playlist_name(name)),
        ..Table::default()
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    for row in reader.records() {
        match row {
            Ok(row) => {
                let cells: Vec<&str> = row.iter().map(str::trim).collect();
                table.take(&cells);
            }
            Err(error) => warnings.push(format!("A row could not be read: {error}.")),
        }
    }
    if table.items.documents.is_empty() && !table.is_playlist {
        return Err(Failure::new(
            FailureKind::Unsupported,
            "The table is none of those that YouTube exports.",
        ));
    }
    let rows = table.items.documents.len();
    let title = table.playlist.filter(|_| table.videos > 0);
    let text = format!("{rows} {}", if rows == 1 { "entry" } else { "entries" });
    let mut documents = table.items.into_documents(name, text, warnings);
    if let (Some(own), Some(title)) = (documents.first_mut(), title) {
        own.title = title;
        own.kind = "playlist".to_owned();
        if !table.description.is_empty() {
            let description = escape_plain(&table.description);
            own.text = format!("{description}\n\n{}", own.text);
        }
        own.properties = table.properties;
    }
    Ok(documents)
}

/// `Name-videos.csv`, in other languages with their word.
fn playlist_name(name: &str) -> String {
    const VIDEOS: [&str; 9] = [
        "vid",
        "víd",
        "wid",
        "вид",
        "відео",
        "動画",
        "影片",
        "视频",
        "동영상",
    ];
    let stem = title::from_name(name);
    match stem.rsplit_once('-') {
        Some((name, word)) if !name.is_empty() => {
            let word = word.trim().to_lowercase();
            let is_videos = VIDEOS.iter().any(|begin| word.starts_with(begin));
            if is_videos {
                name.trim().to_owned()
            } else {
                stem
            }
        }
        _ => stem,
    }
}

#[derive(Default)]
struct Table {
    items: Items,
    /// The playlist that the file is, where it is one.
    playlist: Option<String>,
    is_playlist: bool,
    description: String,
    properties: Vec<Property>,
    videos: usize,
    /// The headings above the rows.
    headings: Vec<String>,
}

impl Table {
    fn take(&mut self, cells: &[&str]) {
        let Some(first) = cells.first().copied() else {
            return;
        };
        if is_comment_id(first) && cells.len() >= 4 {
            self.comment(cells);
        } else if is_youtube_id(first) && !self.headings.is_empty() {
            self.video(cells);
        } else if is_channel_id(first) && cells.len() >= 3 && !is_channel_id(cells[1]) {
            self.subscription(cells);
        } else if is_playlist_id(first) && cells.len() >= 5 {
            self.list(cells);
        } else {
            self.headings = cells.iter().map(|cell| cell.to_lowercase()).collect();
        }
    }

    fn video(&mut self, cells: &[&str]) {
        let id = cells[0];
        // A list within the file, before its videos, is what the file is.
        if self.videos == 0
            && self.is_playlist
            && self.items.documents.len() == 1
            && let Some(list) = self.items.documents.pop()
        {
            self.playlist = Some(list.title);
            self.properties = list.properties;
        }
        self.videos += 1;
        let url = format!("https://www.youtube.com/watch?v={id}");
        let mut body = Body::default();
        body.address(&url);
        let mut properties = vec![Property::text("url", &url)];
        let added = cells.get(1).and_then(|cell| date(cell));
        properties.extend(added.map(|at| Property::timestamp("created", at)));
        let list = self.playlist.clone();
        properties.extend(list.as_ref().map(|list| Property::text("playlist", list)));
        self.items.add(Document {
            part: id.to_owned(),
            kind: "video".to_owned(),
            title: format!("YouTube video {id}"),
            text: body.text,
            links: body.links,
            properties,
            tags: list.into_iter().collect(),
            ..Document::default()
        });
    }

    fn subscription(&mut self, cells: &[&str]) {
        let id = cells[0];
        let url = format!("https://www.youtube.com/channel/{id}");
        let mut body = Body::default();
        body.address(&url);
        self.items.add(Document {
            part: id.to_owned(),
            kind: "channel".to_owned(),
            title: title::tidy(cells[2]).unwrap_or_else(|| format!("YouTube channel {id}")),
            text: body.text,
            links: body.links,
            properties: vec![Property::text("url", &url)],
            ..Document::default()
        });
    }

    /// A playlist's own row: in the older layout before its videos, in the newer
    /// one of many in `playlists.csv`.
    fn list(&mut self, cells: &[&str]) {
        self.is_playlist = true;
        let id = cells[0];
        let named = |words: &[&str]| {
            let at = self
                .headings
                .iter()
                .position(|heading| words.iter().any(|word| heading.contains(word)));
            at.and_then(|at| cells.get(at))
                .map(|cell| (*cell).to_owned())
        };
        let title =
            named(&["title", "titel", "titre", "título", "titolo", "タイトル"]).or_else(|| {
                cells[1..]
                    .iter()
                    .find(|cell| is_name(cell))
                    .map(|cell| (*cell).to_owned())
            });
        let description = named(&["descri", "beschreibung", "説明"]).unwrap_or_default();
        let url = format!("https://www.youtube.com/playlist?list={id}");
        let mut body = Body::default();
        if !description.is_empty() {
            body.paragraph(&escape_plain(&description));
        }
        body.address(&url);
        let mut properties = vec![Property::text("url", &url)];
        let dates: Vec<i64> = cells.iter().filter_map(|cell| date(cell)).collect();
        properties.extend(
            dates
                .iter()
                .min()
                .map(|at| Property::timestamp("created", *at)),
        );
        properties.extend(
            dates
                .iter()
                .max()
                .map(|at| Property::timestamp("modified", *at)),
        );
        self.description = description;
        self.items.add(Document {
            part: id.to_owned(),
            kind: "playlist".to_owned(),
            title: title
                .and_then(|title| title::tidy(&title))
                .unwrap_or_else(|| format!("YouTube playlist {id}")),
            text: body.text,
            links: body.links,
            properties,
            ..Document::default()
        });
    }

    fn comment(&mut self, cells: &[&str]) {
        let written = cells.iter().rev().find_map(|cell| comment_text(cell));
        let Some(written) = written.filter(|text| !text.trim().is_empty()) else {
            return;
        };
        let mut body = Body::default();
        body.paragraph(&escape_plain(written.trim()));
        let mut properties = Vec::new();
        if let Some(video) = cells[1..].iter().find(|cell| is_youtube_id(cell)) {
            body.address(&format!("https://www.youtube.com/watch?v={video}"));
            properties.push(Property::text("video", *video));
        }
        let at = cells.iter().find_map(|cell| date(cell));
        properties.extend(at.map(|at| Property::timestamp("created", at)));
        self.items.add(Document {
            part: cells[0].to_owned(),
            kind: "comment".to_owned(),
            title: title::tidy(&written).unwrap_or_default(),
            text: body.text,
            links: body.links,
            properties,
            ..Document::default()
        });
    }
}

/// The text in `{"text":"a"},{"text":"b"}`.
fn comment_text(cell: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Run {
        text: String,
    }
    if !cell.starts_with('{') {
        return None;
    }
    let runs: Vec<Run> = serde_json::from_str(&format!("[{cell}]")).ok()?;
    Some(runs.into_iter().map(|run| run.text).collect())
}

fn is_id(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_channel_id(text: &str) -> bool {
    text.len() == 24 && text.starts_with("UC") && is_id(text)
}

fn is_comment_id(text: &str) -> bool {
    text.len() >= 20 && text.starts_with("Ug") && text.split('.').all(is_id)
}

fn is_playlist_id(text: &str) -> bool {
    let begins = ["PL", "FL", "LL", "WL", "UU", "OL", "RD"];
    begins.iter().any(|begin| text.starts_with(begin))
        && is_id(text)
        && (text.len() >= 13 || text.len() == 2)
}

/// Whether a cell can be a name rather than a date, a number, a switch or an id.
fn is_name(cell: &str) -> bool {
    let switches = ["true", "false", "private", "public", "unlisted"];
    !cell.is_empty()
        && date(cell).is_none()
        && cell.parse::<f64>().is_err()
        && !is_channel_id(cell)
        && !cell.contains("://")
        && !switches.contains(&cell.to_lowercase().as_str())
}

/// `2020-05-05 12:00:00 UTC`, `2023-08-01T12:00:00+00:00`: milliseconds.
fn date(cell: &str) -> Option<i64> {
    let utc = cell.strip_suffix(" UTC").map(|bare| format!("{bare}Z"));
    let timestamp: jiff::Timestamp = utc.as_deref().unwrap_or(cell).parse().ok()?;
    Some(timestamp.as_millisecond())
}
