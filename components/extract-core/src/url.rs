//! Addresses of pages: one spelling for one page.

use url::Url;

/// Longer addresses are programs or files in disguise, not places.
const MOST_BYTES: usize = 16 << 10;

/// Schemes of addresses that name no page: they hold a program, the content
/// itself, or a query of the browser's own database.
const NO_PLACE: [&str; 7] = [
    "about",
    "blob",
    "data",
    "javascript",
    "place",
    "vbscript",
    "view-source",
];

/// Beginnings of parameters that tell who sent a reader, never what is read.
const TRACKING_PREFIXES: [&str; 4] = ["utm_", "mtm_", "hsa_", "_hs"];

/// Parameters of that sort, in lower case.
const TRACKING: [&str; 47] = [
    "__hsfp",
    "__hssc",
    "__hstc",
    "_bta_c",
    "_bta_tid",
    "_ga",
    "_gl",
    "_ke",
    "_kx",
    "_openstat",
    "dclid",
    "ef_id",
    "epik",
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "ml_subscriber",
    "ml_subscriber_hash",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "pk_campaign",
    "pk_kwd",
    "rb_clickid",
    "ref_src",
    "ref_url",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
];

/// Parameters that YouTube adds for its own sake, in lower case.
const YOUTUBE_TRACKING: [&str; 5] = ["ab_channel", "app", "feature", "pp", "si"];

/// The one spelling of a page's address: scheme and host in lower case, host in
/// ASCII (IDNA) and without a last dot, no default port, no user name, no
/// escapes that are not needed, no fragment but for routes (`#!`, `#/`), no
/// parameters that only track. The order of parameters stays: it can matter.
/// Every address of a YouTube video becomes that of its watch page.
///
/// Nothing for what is no absolute address, and for addresses that name no page
/// (`javascript:`, `data:`, `place:` ...).
pub fn canonical_url(raw: &str) -> Option<String> {
    let mut url = parse(raw)?;
    if let Some(id) = video_id(&url) {
        return Some(format!("https://www.youtube.com/watch?v={id}"));
    }
    let youtube = is_youtube(&url);
    if youtube {
        url.set_scheme("https").ok()?;
        if host(&url) != "music.youtube.com" {
            url.set_host(Some("www.youtube.com")).ok()?;
        }
    }
    if is_web(&url) {
        let host = url.host_str()?;
        if host.ends_with('.') {
            // Nothing but dots is no host.
            let bare = host.trim_end_matches('.').to_owned();
            url.set_host(Some(&bare)).ok()?;
        }
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        let path = tidy_escapes(url.path());
        url.set_path(&path);
        let query = url.query().and_then(|query| essential(query, youtube));
        url.set_query(query.as_deref());
    }
    let route = url.fragment().and_then(route);
    url.set_fragment(route.as_deref());
    if url.scheme() == "file" {
        // Of a drive the host goes, but only where the drive is written so.
        url = Url::parse(url.as_str()).ok()?;
    }
    Some(url.into())
}

/// The id of the YouTube video whose page, short, embedded player or short link
/// the address names.
pub fn youtube_video_id(raw: &str) -> Option<String> {
    video_id(&parse(raw)?)
}

/// Whether a text has the form of a YouTube video's id.
pub fn is_youtube_id(text: &str) -> bool {
    text.len() == 11
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn parse(raw: &str) -> Option<Url> {
    let raw = raw.trim();
    if raw.len() > MOST_BYTES {
        return None;
    }
    let url = Url::parse(raw).ok()?;
    (!NO_PLACE.contains(&url.scheme())).then_some(url)
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.trim_end_matches('.')
}

fn is_youtube(url: &Url) -> bool {
    const HOSTS: [&str; 4] = [
        "youtube.com",
        "www.youtube.com",
        "m.youtube.com",
        "music.youtube.com",
    ];
    is_web(url) && url.port().is_none() && HOSTS.contains(&host(url))
}

fn video_id(url: &Url) -> Option<String> {
    let mut segments = url.path_segments()?;
    let first = segments.next()?;
    let nocookie = ["youtube-nocookie.com", "www.youtube-nocookie.com"];
    let id = if is_web(url) && matches!(host(url), "youtu.be" | "www.youtu.be") {
        first.to_owned()
    } else if is_youtube(url) || (is_web(url) && nocookie.contains(&host(url))) {
        match first {
            "watch" => {
                let mut pairs = url.query_pairs();
                pairs.find(|(name, _)| name == "v")?.1.into_owned()
            }
            "shorts" | "embed" | "v" | "live" | "e" => segments.next()?.to_owned(),
            _ => return None,
        }
    } else {
        return None;
    };
    // The player of a whole playlist stands where an id would.
    (is_youtube_id(&id) && id != "videoseries" && id != "live_stream").then_some(id)
}

/// A query without the parameters that only track; nothing when none is left.
fn essential(query: &str, youtube: bool) -> Option<String> {
    let tracks = |pair: &str| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        TRACKING.contains(&name.as_str())
            || TRACKING_PREFIXES
                .iter()
                .any(|begin| name.starts_with(begin))
            || (youtube && YOUTUBE_TRACKING.contains(&name.as_str()))
    };
    let pairs = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !tracks(pair));
    let kept: Vec<String> = pairs.map(tidy_escapes).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

/// A fragment that says which page is shown, without what a browser is to
/// highlight in it.
fn route(fragment: &str) -> Option<String> {
    let fragment = fragment.split(":~:").next().unwrap_or_default();
    let is_route = fragment.len() > 1 && fragment.starts_with(['!', '/']);
    is_route.then(|| fragment.to_owned())
}

/// Escapes in upper case, and none for characters that stand for themselves
/// everywhere (RFC 3986, 2.3).
fn tidy_escapes(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let byte = rest
            .get(1..3)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(byte) = byte else {
            out.push('%');
            rest = &rest[1..];
            continue;
        };
        // A decoded dot could become a step up the path.
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') {
            out.push(byte as char);
        } else {
            out.push_str(&rest[..3].to_ascii_uppercase());
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(raw: &str) -> String {
        canonical_url(raw).unwrap_or_else(|| panic!("{raw} is an address"))
    }

    #[test]
    fn spellings_of_one_page_become_one() {
        for (raw, expected) in [
            ("HTTP://Example.COM", "http://example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("https://example.com.:443/a", "https://example.com/a"),
            ("https://example.com:8443/", "https://example.com:8443/"),
            ("https://me:secret@example.com/", "https://example.com/"),
            (
                "https://bücher.example/ä",
                "https://xn--bcher-kva.example/%C3%A4",
            ),
            ("  https://example.com/a/../b ", "https://example.com/b"),
            (
                "https://example.com/%7euser/%c3%a4",
                "https://example.com/~user/%C3%A4",
            ),
            ("https://example.com/100%", "https://example.com/100%"),
            ("https://example.com/a#part", "https://example.com/a"),
            ("https://example.com/#/inbox", "https://example.com/#/inbox"),
            ("https://example.com/#!/a", "https://example.com/#!/a"),
            (
                "https://example.com/#/a:~:text=x",
                "https://example.com/#/a",
            ),
            ("https://example.com/a/", "https://example.com/a/"),
            ("https://example.com/?", "https://example.com/"),
        ] {
            assert_eq!(canonical(raw), expected, "{raw}");
        }
    }

    #[test]
    fn parameters_that_only_track_go_and_others_keep_their_order() {
        for (raw, expected) in [
            (
                "https://a.example/?utm_source=x&b=2&a=1&fbclid=y",
                "https://a.example/?b=2&a=1",
            ),
            ("https://a.example/?UTM_Medium=x", "https://a.example/"),
            (
                "https://a.example/?gclid=1&mc_eid=2&igshid=3",
                "https://a.example/",
            ),
            (
                "https://a.example/?q=a+b%20c&&flag",
                "https://a.example/?q=a+b%20c&flag",
            ),
            (
                "https://a.example/?v=1&si=2&feature=3",
                "https://a.example/?v=1&si=2&feature=3",
            ),
        ] {
            assert_eq!(canonical(raw), expected, "{raw}");
        }
    }

    #[test]
    fn every_address_of_a_video_is_its_watch_page() {
        for raw in [
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "http://youtube.com/watch?feature=share&v=dQw4w9WgXcQ&t=42s",
            "https://m.youtube.com/watch?v=dQw4w9WgXcQ&list=PL0123456789",
            "https://music.youtube.com/watch?v=dQw4w9WgXcQ&si=abc",
            "https://youtu.be/dQw4w9WgXcQ?t=3",
            "https://www.youtube.com/shorts/dQw4w9WgXcQ",
            "https://www.youtube.com/live/dQw4w9WgXcQ?feature=share",
            "https://www.youtube.com/embed/dQw4w9WgXcQ?autoplay=1",
            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
        ] {
            let expected = "https://www.youtube.com/watch?v=dQw4w9WgXcQ";
            assert_eq!(canonical(raw), expected, "{raw}");
            assert_eq!(youtube_video_id(raw).as_deref(), Some("dQw4w9WgXcQ"));
        }
        for (raw, expected) in [
            (
                "http://m.youtube.com/@name?si=x",
                "https://www.youtube.com/@name",
            ),
            (
                "https://www.youtube.com/embed/videoseries?list=PL1",
                "https://www.youtube.com/embed/videoseries?list=PL1",
            ),
            (
                "https://youtube.com.example/watch?v=dQw4w9WgXcQ",
                "https://youtube.com.example/watch?v=dQw4w9WgXcQ",
            ),
            (
                "https://www.youtube.com/watch?v=short",
                "https://www.youtube.com/watch?v=short",
            ),
        ] {
            assert_eq!(canonical(raw), expected, "{raw}");
            assert_eq!(youtube_video_id(raw), None);
        }
    }

    #[test]
    fn what_names_no_page_has_no_address() {
        for raw in [
            "javascript:alert(1)",
            " JavaScript:void(0)",
            "data:text/html,hi",
            "place:sort=8&maxResults=10",
            "about:blank",
            "",
            "example.com/a",
            "/a/b",
            "http://",
            "https://[::1",
            "http://./",
            "http://../",
        ] {
            assert_eq!(canonical_url(raw), None, "{raw}");
        }
        let long = format!("https://example.com/{}", "a".repeat(MOST_BYTES));
        assert_eq!(canonical_url(&long), None);
        for raw in [
            "ftp://example.com/a",
            "file:///home/a",
            "chrome://settings/",
        ] {
            assert_eq!(canonical(raw), raw);
        }
    }

    proptest! {
        #[test]
        fn a_canonical_address_stays_as_it_is(
            raw in "(https?|ftp|file|x)://([a-zé.:@%0-9]{0,12}|(www\\.|m\\.)?youtube\\.com|youtu\\.be)/[ -~é]{0,40}"
        ) {
            if let Some(once) = canonical_url(&raw) {
                prop_assert_eq!(canonical_url(&once), Some(once.clone()));
            }
        }

        #[test]
        fn any_text_is_taken(raw in ".{0,60}") {
            canonical_url(&raw);
            youtube_video_id(&raw);
        }
    }
}
