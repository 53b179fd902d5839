//! Addresses of links.

use extract_core::Link;

/// The scheme of an address (RFC 3986, 3.1) of at least two letters, as one is
/// a Windows drive.
fn scheme(address: &str) -> Option<&str> {
    let length = address
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    let scheme = &address[..length];
    (length >= 2
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && address[length..].starts_with(':'))
    .then_some(scheme)
}

/// Whether there is something to go to: not a script, not data, not nothing.
pub(crate) fn leads_somewhere(address: &str) -> bool {
    if address.is_empty() || address.starts_with('#') {
        return false;
    }
    scheme(address).is_none_or(|scheme| {
        !["javascript", "data", "about", "blob", "cid", "vbscript"]
            .iter()
            .any(|nowhere| scheme.eq_ignore_ascii_case(nowhere))
    })
}

/// Whether an address, absolute or without its scheme, is of a site's player of
/// videos.
pub fn is_video(address: &str) -> bool {
    const HOSTS: [&str; 10] = [
        "archive.org",
        "bilibili.com",
        "dailymotion.com",
        "player.bilibili.com",
        "player.twitch.tv",
        "player.vimeo.com",
        "upload.wikimedia.org",
        "v.qq.com",
        "youtube-nocookie.com",
        "youtube.com",
    ];
    let rest = address.split_once("//").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    HOSTS.contains(&host.strip_prefix("www.").unwrap_or(host))
}

/// An address as it is meant on the page at `base`, an absolute address of the
/// web (RFC 3986, 5.2). White space inside is dropped, as browsers do.
pub fn resolve(base: Option<&str>, address: &str) -> String {
    let address = address.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let address: String = address
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    if scheme(&address).is_some() {
        return address;
    }
    let Some(base) = base.map(str::trim) else {
        return address;
    };
    let Some((web, rest)) = base.split_once("://") else {
        return address;
    };
    if let Some(rest) = address.strip_prefix("//") {
        return format!("{web}://{rest}");
    }
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if address.starts_with('/') {
        return format!("{web}://{host}{}", without_dots(&address));
    }
    if address.starts_with('?') {
        return format!("{web}://{host}{path}{address}");
    }
    if address.is_empty() || address.starts_with('#') {
        return address;
    }
    let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    let folder = if folder.is_empty() { "/" } else { folder };
    let whole = format!("{folder}{address}");
    format!("{web}://{host}{}", without_dots(&whole))
}

/// The path with `.` and `..` carried out.
fn without_dots(whole: &str) -> String {
    let (path, rest) = whole.split_at(whole.find(['?', '#']).unwrap_or(whole.len()));
    let mut parts: Vec<&str> = Vec::new();
    let mut folder = false;
    for part in path.split('/').skip(1) {
        folder = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut out = String::with_capacity(whole.len());
    for part in parts {
        out.push('/');
        out.push_str(part);
    }
    if folder || out.is_empty() {
        out.push('/');
    }
    out.push_str(rest);
    out
}

/// Adds the destination of a Markdown link, which has no spaces and no
/// parentheses that do not pair.
pub(crate) fn push_destination(out: &mut String, address: &str) {
    for c in address.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            '|' => out.push_str("%7C"),
            c if c.is_whitespace() || c.is_control() => {}
            c => out.push(c),
        }
    }
}

/// The address that a link was made of, where it has a scheme.
pub(crate) fn joined(link: &Link) -> String {
    match &link.heading {
        Some(fragment) => format!("{}#{fragment}", link.target),
        None => link.target.clone(),
    }
}

/// A path with `%20` and its like decoded; an address with a scheme stays as it
/// is, and so does what would not be UTF-8 or has control characters.
pub(crate) fn decoded(address: &str) -> String {
    if !address.contains('%') || scheme(address).is_some() || address.starts_with("//") {
        return address.to_owned();
    }
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| {
            after
                .get(at)
                .and_then(|&byte| char::from(byte).to_digit(16))
        };
        let value = digit(0)
            .zip(digit(1))
            .and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        match value {
            Some(value) if first == b'%' => {
                bytes.push(value);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains(char::is_control) => decoded,
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 3986, 5.4, that web pages use.
    #[test]
    fn addresses_are_resolved_as_the_standard_says() {
        let base = "http://a/b/c/d;p?q";
        for (address, expected) in [
            ("g:h", "http://a/b/c/g:h"),
            ("mailto:h", "mailto:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g#s", "http://a/b/c/g#s"),
            (";x", "http://a/b/c/;x"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("g/../h", "http://a/b/c/h"),
            ("#s", "#s"),
            (" h\nttp://x/y ", "http://x/y"),
        ] {
            assert_eq!(resolve(Some(base), address), expected, "{address}");
        }
        assert_eq!(resolve(Some("https://x.y"), "a"), "https://x.y/a");
        assert_eq!(resolve(None, "/a b"), "/a b");
        assert_eq!(resolve(Some("nonsense"), "a"), "a");
    }

    #[test]
    fn nowhere_is_known() {
        for nowhere in [
            "",
            "#top",
            "javascript:x()",
            "JavaScript:",
            "data:image/png;base64,A",
        ] {
            assert!(!leads_somewhere(nowhere), "{nowhere}");
        }
        assert!(leads_somewhere("a.html") && leads_somewhere("mailto:a@b.c"));
    }

    #[test]
    fn players_are_known_by_their_host() {
        for player in [
            "https://www.youtube.com/embed/x",
            "//player.vimeo.com/video/1",
            "http://youtube-nocookie.com?x",
        ] {
            assert!(is_video(player), "{player}");
        }
        for other in [
            "https://x.y/youtube.com",
            "youtube.com/x",
            "https://youtube.com.evil.example/",
            "",
        ] {
            assert!(!is_video(other), "{other}");
        }
    }

    #[test]
    fn destinations_hold_together() {
        let mut out = String::new();
        push_destination(&mut out, "a b(c)<d>\n");
        assert_eq!(out, "a%20b%28c%29%3Cd%3E");
        assert_eq!(decoded("a%20b%C3%A4%"), "a bä%");
        assert_eq!(decoded("%FF%00"), "%FF%00");
        assert_eq!(decoded("http://x/%20"), "http://x/%20");
    }
}
