//! Every page gives a sound document or a failure, in the time it may take.

#![no_main]

use extract_core::Input;
use extract_html::{Images, Settings, Which, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for content in [Which::Main, Which::All] {
        let settings = Settings {
            content,
            images: Images::All,
            ..Settings::default()
        };
        let input = Input {
            name: "page.html",
            ..Input::default()
        };
        let Ok(document) = extract(&input, bytes.to_vec(), &settings) else {
            return;
        };
        let text = &document.text;
        assert_eq!(text.trim_matches('\n'), text);
        assert!(!text.contains(['\r', '\0']));
        let mut last = 0;
        for link in &document.links {
            assert!(link.span.start >= last);
            last = link.span.start;
            assert!(
                text.get(link.span.start..link.span.end)
                    .is_some_and(|span| !span.is_empty())
            );
        }
        assert!(!document.title.is_empty());
        assert!(
            text.len() <= bytes.len() * 32 + 64,
            "{} of {}",
            text.len(),
            bytes.len()
        );
    }
});
