//! What the address of a record says of it.

use extract_core::canonical_url;

/// Where a redirect of Google's leads; the address itself where it is none.
pub(crate) fn target(url: &str) -> String {
    let redirect = host(url).is_some_and(is_google) && path(url) == "/url";
    let to = redirect.then(|| {
        let to = parameter(url, "q").or_else(|| parameter(url, "url"));
        to.filter(|to| to.starts_with("http://") || to.starts_with("https://"))
    });
    to.flatten().unwrap_or_else(|| url.to_owned())
}

/// What was searched for, where the address is that of a search at Google or
/// YouTube.
pub(crate) fn search(url: &str) -> Option<String> {
    let host = host(url)?;
    let path = path(url);
    let youtube = host == "youtube.com" || host.ends_with(".youtube.com");
    if !youtube && !is_google(host) {
        return None;
    }
    let query = if let Some(place) = path.strip_prefix("/maps/search/") {
        decode(place.split('/').next()?)
    } else if path.ends_with("/search") || path == "/results" || path == "/maps" {
        let names = ["search_query", "q", "query"];
        names.iter().find_map(|name| parameter(url, name))?
    } else {
        return None;
    };
    let words: Vec<&str> = query.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The address of a search without what else the page was told.
pub(crate) fn search_page(url: &str) -> String {
    let Some((page, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let query = query.split('#').next().unwrap_or_default();
    let needed = ["q", "query", "search_query", "tbm", "udm"];
    let pairs = query.split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        needed.contains(&name)
    });
    let pairs: Vec<&str> = pairs.collect();
    let page = if pairs.is_empty() {
        page.to_owned()
    } else {
        format!("{page}?{}", pairs.join("&"))
    };
    canonical_url(&page).unwrap_or(page)
}

/// Whether the address is that of a YouTube channel.
pub(crate) fn is_channel(url: &str) -> bool {
    let host = host(url).unwrap_or_default();
    let path = path(url);
    let begins = ["/channel/", "/user/", "/c/", "/@"];
    (host == "youtube.com" || host.ends_with(".youtube.com"))
        && begins.iter().any(|begin| path.starts_with(begin))
}

/// The canonical address of a page on the web; nothing for a browser's own.
pub(crate) fn page(url: &str) -> Option<String> {
    let page = canonical_url(url)?;
    (page.starts_with("http://") || page.starts_with("https://")).then_some(page)
}

/// The host without `www.`.
fn host(url: &str) -> Option<&str> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', ':']).next()?;
    Some(host.strip_prefix("www.").unwrap_or(host))
}

/// `google.de`, `maps.google.co.uk` ...
fn is_google(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let ends = labels
        .by_ref()
        .take_while(|label| *label != "google")
        .count();
    ends <= 2 && host.split('.').any(|label| label == "google")
}

fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1.split('#').next()?;
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key == name && !value.is_empty()).then(|| decode(value))
    })
}

/// Percent escapes and `+` of a query.
pub(crate) fn decode(raw: &str) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.starts_with('+'))
        });
        match (first, digits) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_told_by_their_address() {
        for (url, query) in [
            (
                "https://www.google.com/search?q=adobe+creative%20cloud&ei=1",
                "adobe creative cloud",
            ),
            ("https://www.google.co.uk/search?hl=en&q=caf%C3%A9", "café"),
            ("https://www.youtube.com/results?search_query=cats", "cats"),
            (
                "https://www.google.com/maps/search/pizza+rome/@41.9,12.4,13z",
                "pizza rome",
            ),
            (
                "https://play.google.com/store/search?q=notes&c=apps",
                "notes",
            ),
        ] {
            assert_eq!(search(url).as_deref(), Some(query), "{url}");
        }
        for url in [
            "https://example.com/search?q=a",
            "https://google.example.com.evil.org/search?q=a",
            "https://www.google.com/search?q=",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "no address",
        ] {
            assert_eq!(search(url), None, "{url}");
        }
    }

    #[test]
    fn redirects_lead_to_the_page() {
        let url = "https://www.google.com/url?q=http://www.adobe.com/a%3Fb&usg=x";
        assert_eq!(target(url), "http://www.adobe.com/a?b");
        for url in [
            "https://www.google.com/url?q=javascript:x",
            "https://a.example/url?q=http://b.example",
        ] {
            assert_eq!(target(url), url);
        }
    }
}
