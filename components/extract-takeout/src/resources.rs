//! YouTube's resources, as older exports (`likes.json`, `subscriptions.json`,
//! playlists) and the YouTube Data API have them.

use extract_core::{Document, Property, escape_plain, is_youtube_id, title};
use serde_json::Value;

use crate::activity::json::{Activity, time};
use crate::body::Body;

/// The document of a playlist's entry, a video, a subscription, a channel, a
/// playlist or a search's result; nothing for other resources.
pub(crate) fn document(resource: &Activity) -> Option<Document> {
    let snippet = &resource.snippet;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = resource.kind.0.strip_prefix("youtube#").unwrap_or_default();
    // What an entry is about, which is not the entry itself.
    let about = |name: &str| {
        [
            &resource.content_details,
            &snippet["resourceId"],
            &resource.id,
        ]
        .into_iter()
        .map(|part| text(&part[name]))
        .find(|id| !id.is_empty())
    };
    let own = |of: &str| {
        (kind == of)
            .then(|| text(&resource.id))
            .filter(|id| !id.is_empty())
    };

    let (kind, id, url) = if let Some(id) = own("video")
        .or_else(|| about("videoId"))
        .filter(|id| is_youtube_id(id))
    {
        let url = format!("https://www.youtube.com/watch?v={id}");
        ("video", id, url)
    } else if let Some(id) = own("channel").or_else(|| about("channelId")) {
        let url = format!("https://www.youtube.com/channel/{id}");
        ("channel", id, url)
    } else if let Some(id) = own("playlist").or_else(|| about("playlistId")) {
        let url = format!("https://www.youtube.com/playlist?list={id}");
        ("playlist", id, url)
    } else {
        return None;
    };

    // In a list the channel is that of the list's owner.
    let author = [&snippet["videoOwnerChannelTitle"], &snippet["channelTitle"]]
        .into_iter()
        .map(text)
        .find(|name| !name.is_empty())
        .filter(|_| kind != "channel");
    let mut body = Body::default();
    let mut properties = vec![Property::text("url", &url)];
    if let Some(author) = author {
        body.line("Channel: ", &author, "");
        properties.push(Property::text("author", author));
    }
    let description = text(&snippet["description"]);
    if !description.trim().is_empty() {
        body.paragraph(&escape_plain(description.trim()));
    }
    body.address(&url);

    let is_entry =
        resource.content_details["videoId"].is_string() || snippet["resourceId"].is_object();
    let at = time(&text(&snippet["publishedAt"]));
    let published = time(&text(&resource.content_details["videoPublishedAt"]));
    let (created, published) = if is_entry {
        (at, published)
    } else {
        (None, published.or(at))
    };
    properties.extend(created.map(|at| Property::timestamp("created", at)));
    properties.extend(published.map(|at| Property::timestamp("published", at)));
    let seconds = seconds(&text(&resource.content_details["duration"]));
    properties.extend(seconds.map(|seconds| Property::number("duration", seconds)));
    let views = text(&resource.statistics["viewCount"]).parse::<u32>().ok();
    properties.extend(views.map(|views| Property::number("views", f64::from(views))));
    let tags = snippet["tags"].as_array().into_iter().flatten();
    let mut tags: Vec<String> = tags.filter_map(|tag| title::tidy(tag.as_str()?)).collect();
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.to_lowercase()));

    Some(Document {
        title: title::tidy(&text(&snippet["title"]))
            .unwrap_or_else(|| format!("YouTube {kind} {id}")),
        part: id,
        kind: kind.to_owned(),
        text: body.text,
        links: body.links,
        properties,
        tags,
        ..Document::default()
    })
}

/// Seconds of `PT1H2M3S`, `P1DT2H`.
fn seconds(text: &str) -> Option<f64> {
    let span: jiff::Span = text.parse().ok()?;
    let days_are_24_hours = jiff::SpanRelativeTo::days_are_24_hours();
    span.total((jiff::Unit::Second, days_are_24_hours)).ok()
}
