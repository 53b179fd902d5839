use super::*;
use crate::testing::Net;

fn read(text: &[u8]) -> Result<Settings, Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(MODEL_TOML), text).unwrap();
    Settings::read(folder.path())
}

#[test]
fn the_sample_is_read_as_it_says() {
    let settings = read(SAMPLE.as_bytes()).unwrap();
    assert_eq!(settings.pooling, Pooling::Mean);
    assert_eq!((settings.limit, settings.dimensions), (256, 384));
    assert_eq!(settings.query_prefix, "");
}

#[test]
fn prefixes_keep_their_spaces_and_a_byte_order_mark_is_no_error() {
    let text = "\u{feff}pooling = \"cls\"\r\nquery_prefix = \"query: \"\r\nlimit = 512\r\ndimensions = 8\r\n";
    let settings = read(text.as_bytes()).unwrap();
    assert_eq!(settings.query_prefix, "query: ");
    assert_eq!(settings.pooling, Pooling::Cls);
}

#[test]
fn mistakes_are_named_and_shown_how_to_mend() {
    for (text, part) in [
        ("pooling = \"max\"\nlimit = 9\ndimensions = 3", "max"),
        (
            "pooling = \"mean\"\nlimit = 2\ndimensions = 3",
            "`limit` is 2",
        ),
        (
            "pooling = \"mean\"\nlimit = 9\ndimensions = 0",
            "`dimensions` is 0",
        ),
        ("pooling = \"mean\"\nlimit = -9\ndimensions = 3", "limit"),
        ("pooling = \"mean\"\nlimit = 9", "dimensions"),
        (
            "pooling = \"mean\"\nlimit = 9\ndimensions = 3\nprefix = 1",
            "prefix",
        ),
        ("not toml", "line 1"),
    ] {
        let message = read(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
        assert!(message.contains("dimensions = 384"), "no sample: {message}");
    }
    assert!(read(b"\xff\xfe").unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn a_missing_one_beside_the_others_is_shown_how_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let message = Settings::read(folder.path()).unwrap_err().to_string();
    assert!(
        message.contains("model.toml is missing") && !message.contains("384"),
        "{message}"
    );

    Net::default().write(folder.path(), "");
    std::fs::remove_file(folder.path().join(MODEL_TOML)).unwrap();
    let message = Settings::read(folder.path()).unwrap_err().to_string();
    assert!(message.contains("dimensions = 384"), "{message}");
}

proptest::proptest! {
    #[test]
    fn any_text_is_settings_or_an_error(text in ".{0,200}") {
        let _ = read(text.as_bytes());
    }
}
