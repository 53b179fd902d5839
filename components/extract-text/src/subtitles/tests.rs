use super::*;
use extract_core::{Mark, Place};

fn seconds(document: &Document) -> Vec<(usize, f64)> {
    document
        .marks
        .iter()
        .map(|mark| match mark.place {
            Place::Second(second) => (mark.offset, second),
            _ => panic!("{mark:?}"),
        })
        .collect()
}

#[test]
fn cues_become_paragraphs_with_seconds() {
    let srt = "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>Good\nmorning</i>,\n\n2\n00:00:02,500 --> 00:00:04,000\nall &amp; sundry.\n3\n00:01:00,000 --> 00:01:02,000\n- Who?\n- Me < you.\n";
    let document = read(srt, How::Srt, "my talk.de.srt");
    assert_eq!(
        document.text,
        "Good morning, all & sundry.\n\n– Who? – Me < you.\n"
    );
    assert_eq!(seconds(&document), [(0, 1.0), (14, 2.5), (29, 60.0)]);
    assert_eq!(document.title, "my talk");
    assert_eq!(
        document.properties,
        [
            Property::number("duration", 62.0),
            Property::text("lang", "de")
        ]
    );
}

#[test]
fn speakers_are_named_where_they_begin() {
    let vtt = "WEBVTT\nKind: captions\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE 1\nnothing\n\nintro\n00:01.000 --> 00:02.000 line:0 align:start\n<v.loud Ann>Hi <c.x>there</c>.\n\n00:02.000 --> 00:03.000\n<v Ann>How are you?\n\n00:03.000 --> 00:04.000\n<v Bob>Fine. <00:03.500>Thanks.</v>\n";
    let document = read(vtt, How::Vtt, "a.vtt");
    assert_eq!(
        document.text,
        "Ann: Hi there. How are you?\n\nBob: Fine. Thanks.\n"
    );
    assert!(document.properties.contains(&Property::text("lang", "en")));
}

#[test]
fn captions_that_roll_are_said_once() {
    let vtt = "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n \nhello<00:00:01.000><c> world</c>\n\n00:00:02.000 --> 00:00:02.010\nhello world\n \n\n00:00:02.010 --> 00:00:04.000\nhello world\nnext<00:00:03.000><c> line</c>\n\n00:00:04.000 --> 00:00:04.010\nnext line\n \n\n00:00:04.010 --> 00:00:06.000\nnext line\nand more\n";
    let document = read(vtt, How::Vtt, "a.en.vtt");
    assert_eq!(document.text, "hello world next line and more\n");
    assert_eq!(seconds(&document).len(), 3);
}

#[test]
fn a_word_said_twice_stays_twice() {
    let srt: String = (0..9)
        .map(|n| {
            format!(
                "{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{}\n\n",
                if n < 2 { "No." } else { ["a", "b"][n % 2] }
            )
        })
        .collect();
    assert!(
        read(&srt, How::Srt, "a.srt")
            .text
            .starts_with("No. No. a b")
    );
}

#[test]
fn each_way_of_writing_is_read() {
    let cases = [
        (How::Sbv, "0:00:01.000,0:00:02.000\nHello\nyou\n\n"),
        (
            How::Ass,
            "[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.00,{\\b1}Hello\\Nyou\n",
        ),
        (How::Lrc, "[ar:Someone]\n[00:01.00]Hello\n[00:01.50]you\n"),
        (
            How::TimedText,
            "<transcript><text start=\"1\" dur=\"1\">Hello</text><text start=\"1.5\" dur=\".5\">&lt;i&gt;you&lt;/i></text></transcript>",
        ),
        (
            How::TimedText,
            "<timedtext format=\"3\"><body><p t=\"1000\" d=\"1000\"><s>Hello</s><s t=\"2\"> you</s></p></body></timedtext>",
        ),
        (
            How::TimedText,
            "<tt xmlns=\"http://www.w3.org/ns/ttml\"><body><p begin=\"00:00:01.000\" end=\"2s\">Hello<br/>you</p></body></tt>",
        ),
        (
            How::Json3,
            "{\"wireMagic\":\"pb3\",\"events\":[{\"tStartMs\":1000,\"dDurationMs\":1000,\"segs\":[{\"utf8\":\"Hello\"},{\"utf8\":\" you\"}]},{\"tStartMs\":0}]}",
        ),
    ];
    for (how, text) in cases {
        let document = read(text, how, "a");
        assert_eq!(document.text, "Hello you\n", "{how:?}");
        assert_eq!(document.marks[0], Mark::second(0, 1.0), "{how:?}");
    }
}

#[test]
fn what_has_no_cues_stays_text() {
    let document = read("WEBVTT\n\nnothing\n", How::Vtt, "a.vtt");
    assert_eq!(document.text, "WEBVTT\n\nnothing\n");
    assert_eq!(document.warnings.len(), 1);
}

#[test]
fn names_tell_the_language() {
    assert_eq!(
        split_language("talk.pt_BR.forced.srt"),
        ("talk", Some("pt-BR".into()))
    );
    assert_eq!(split_language("the.big.srt"), ("the.big", None));
    assert_eq!(split_language("talk.eng.srt"), ("talk", Some("eng".into())));
    assert_eq!(split_language("a.srt"), ("a", None));
}

#[test]
fn a_subtitle_is_told_by_its_look() {
    let srt = "1\n00:00:01,000 --> 00:00:02,500\nHi\n";
    assert_eq!(How::of("txt", srt), Some(How::Srt));
    assert_eq!(How::of("txt", "1\n2\n"), None);
    assert_eq!(How::of("", "WEBVTT\n"), Some(How::Vtt));
    assert_eq!(How::of("json", "{\"a\": 1}"), None);
}

#[test]
fn a_real_transcript_gives_its_cues() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/formats/youtube/youtube-transcript-api/transcript.xml.static"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: there is no transcript at {path}");
        return;
    };
    assert_eq!(How::of("xml", &text), Some(How::TimedText));
    let document = read(&text, How::TimedText, "a.xml");
    assert!(
        document
            .text
            .starts_with("Hey, this is just a test this is not the original transcript")
    );
    assert_eq!(seconds(&document).len(), 3);
}
