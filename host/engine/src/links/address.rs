//! Addresses of the web and of files, compared.

/// Whether a link's target leads out of its source: it has a scheme of at least
/// two letters (RFC 3986, section 3.1; one letter is a Windows drive), or
/// begins with a host.
pub(super) fn is_address(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let length = target
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    length >= 2 && target.as_bytes()[0].is_ascii_alphabetic() && target[length..].starts_with(':')
}

/// An address as it is compared with others: letter case of scheme and host, a
/// slash at the end, and whether the connection is encrypted do not count.
pub(crate) fn key(address: &str) -> String {
    let address = address.trim();
    let (scheme, rest) = address.split_once("//").unwrap_or(("", address));
    let scheme = match scheme.to_ascii_lowercase() {
        web if ["", "http:", "https:"].contains(&web.as_str()) && rest.len() < address.len() => {
            "https:".to_owned()
        }
        other => other,
    };
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host);
    let (path, fragment) = match path.split_once('#') {
        Some((path, "")) => (path, None),
        Some((path, fragment)) => (path, Some(fragment)),
        None => (path, None),
    };
    let mut key = format!(
        "{scheme}//{}{}",
        host.to_ascii_lowercase(),
        path.trim_end_matches('/')
    );
    if let Some(fragment) = fragment {
        key.push('#');
        key.push_str(fragment);
    }
    key
}

/// Parameters that tell who sent a reader, never what is read.
const TRACKING: [&str; 10] = [
    "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid", "ref_src", "_ga",
];

/// Whether it is an address of the web.
pub(crate) fn is_web(address: &str) -> bool {
    let scheme = address.trim().split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|s| s.eq_ignore_ascii_case("https") || s.eq_ignore_ascii_case("http"))
}

/// What all spellings of a page's address have in common: as [`key`], without
/// `www.`, places within the page, and parameters that only track; of a video
/// on YouTube its id.
pub(crate) fn page(address: &str) -> String {
    let key = key(address);
    let (before, fragment) = match key.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (key.as_str(), None),
    };
    let (place, query) = before.split_once('?').unwrap_or((before, ""));
    let (scheme, place) = place.split_once("//").unwrap_or(("", place));
    let place = place.trim_end_matches('/');
    let place = place.strip_prefix("www.").unwrap_or(place);
    if let Some(id) = video(place, query) {
        return format!("https://youtube.com/watch?v={id}");
    }
    let tracks = |pair: &str| {
        let name = pair.split('=').next().unwrap_or_default().to_lowercase();
        name.starts_with("utm_") || TRACKING.contains(&name.as_str())
    };
    let kept = query.split('&').filter(|pair| !pair.is_empty());
    let kept: Vec<&str> = kept.filter(|pair| !tracks(pair)).collect();
    let mut page = format!("{scheme}//{place}");
    if !kept.is_empty() {
        page.push('?');
        page.push_str(&kept.join("&"));
    }
    // Some pages keep in it which page they are.
    if let Some(route) = fragment.filter(|fragment| fragment.starts_with(['!', '/'])) {
        page.push('#');
        page.push_str(route);
    }
    page
}

/// The scheme and host of a page.
pub(crate) fn site(page: &str) -> &str {
    let host = page.find("//").map_or(0, |at| at + 2);
    let end = page[host..].find(['/', '?', '#']);
    &page[..end.map_or(page.len(), |end| host + end)]
}

fn video<'a>(place: &'a str, query: &'a str) -> Option<&'a str> {
    let (host, path) = place.split_once('/')?;
    let id = match host {
        "youtu.be" => path,
        "youtube.com" | "m.youtube.com" | "music.youtube.com" | "youtube-nocookie.com" => {
            match path.split_once('/') {
                Some(("shorts" | "embed" | "v" | "live", id)) => id,
                None if path == "watch" => {
                    query.split('&').find_map(|pair| pair.strip_prefix("v="))?
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    let id = id.split('/').next().unwrap_or_default();
    (!id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for address in [
            "https://x.y",
            "mailto:a@b.c",
            "//x.y",
            "file:///a",
            "obsidian://open",
        ] {
            assert!(is_address(address), "{address}");
        }
        for path in [
            "a/b.md",
            "C:\\a",
            "note: a thing",
            "",
            "/a",
            "../x",
            "été:1",
        ] {
            assert_eq!(is_address(path), path.starts_with("note:"), "{path}");
        }
    }

    #[test]
    fn the_same_page_has_one_key() {
        let same = [
            "https://Example.org/a/",
            "http://example.org/a",
            "//EXAMPLE.org/a#",
        ];
        for address in same {
            assert_eq!(key(address), key(same[0]), "{address}");
        }
        for other in [
            "https://example.org/A",
            "https://example.org/a?b",
            "https://example.org/a#b",
            "https://example.org",
            "ftp://example.org/a",
        ] {
            assert_ne!(key(other), key(same[0]), "{other}");
        }
        assert_eq!(key("https://x.y/"), key("https://x.y"));
    }

    #[test]
    fn a_page_has_many_spellings() {
        for same in [
            "https://www.example.org/a/?utm_source=x&b=1",
            "http://example.org/a?b=1&fbclid=2#part",
            "https://EXAMPLE.org/a?b=1",
        ] {
            assert_eq!(page(same), "https://example.org/a?b=1", "{same}");
        }
        for same in [
            "https://youtu.be/dQw4w9WgXcQ?t=42",
            "https://www.youtube.com/watch?list=x&v=dQw4w9WgXcQ&t=42s",
            "https://m.youtube.com/shorts/dQw4w9WgXcQ",
        ] {
            assert_eq!(page(same), "https://youtube.com/watch?v=dQw4w9WgXcQ");
        }
        assert_ne!(page("https://a.b/#/one"), page("https://a.b/#/two"));
        assert_ne!(page("https://a.b/c?d"), page("https://a.b/c"));
        assert_eq!(site(&page("https://www.a.b/c?d")), "https://a.b");
        assert_eq!(site("https://a.b"), "https://a.b");
    }

    #[test]
    fn only_the_web_is_the_web() {
        assert!(is_web(" HTTPS://a.b") && is_web("http://a.b"));
        assert!(!is_web("a.b") && !is_web("file:///a") && !is_web("pkb://item/1"));
    }
}
