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
pub(super) fn key(address: &str) -> String {
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
}
