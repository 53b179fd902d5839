//! Tables, notes, calendars, contacts, YouTube's resources.

use super::*;

#[test]
fn playlists_of_both_layouts_are_read() {
    let new = read("YouTube and YouTube Music/playlists/Bread-videos.csv");
    assert_eq!(
        parts(&new),
        [
            ("playlist", "", "Bread"),
            ("video", "aaaaaaaaaa1", "YouTube video aaaaaaaaaa1"),
            ("video", "bbbbbbbbbb2", "YouTube video bbbbbbbbbb2"),
        ]
    );
    assert_eq!(new[1].tags, ["Bread"]);
    assert_eq!(times(&new[1], "created"), ["2023-11-12T08:20:00Z"]);

    let old = read("YouTube and YouTube Music/playlists/Watch later.csv");
    assert_eq!(
        parts(&old),
        [
            ("playlist", "", "Watch later"),
            ("video", "dddddddddd4", "YouTube video dddddddddd4"),
            ("video", "-_eeeeeeee5", "YouTube video -_eeeeeeee5"),
        ]
    );
    assert!(old[0].text.starts_with("For the train, mostly\n\n"));
    assert_eq!(times(&old[0], "created"), ["2019-01-02T03:04:05Z"]);
    assert_eq!(times(&old[2], "created"), ["2020-01-02T03:04:05Z"]);

    let all = read("YouTube and YouTube Music/playlists/playlists.csv");
    assert_eq!(
        parts(&all)[1],
        ("playlist", "PLaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "Bread")
    );
}

#[test]
fn headings_in_other_languages_do_not_matter() {
    let csv = "ID de vídeo,Fecha y hora\naaaaaaaaaa1,2023-11-12T08:20:00+00:00\n";
    let documents = extract("Pan-vídeos.csv", csv.into()).unwrap();
    assert_eq!(parts(&documents)[0], ("playlist", "", "Pan"));
    assert_eq!(documents.len(), 2);
    let csv = "Kanal-ID,Kanal-URL,Kanaltitel\nUCaaaaaaaaaaaaaaaaaaaaaa,http://www.youtube.com/channel/UCaaaaaaaaaaaaaaaaaaaaaa,Krume\n";
    let documents = extract("Abos.csv", csv.into()).unwrap();
    assert_eq!(
        parts(&documents)[1],
        ("channel", "UCaaaaaaaaaaaaaaaaaaaaaa", "Krume")
    );
}

#[test]
fn subscriptions_and_comments_are_read() {
    let documents = read("YouTube and YouTube Music/subscriptions/subscriptions.csv");
    assert_eq!(
        parts(&documents)[1..],
        [
            ("channel", "UCaaaaaaaaaaaaaaaaaaaaaa", "Crumb Lab"),
            ("channel", "UCbbbbbbbbbbbbbbbbbbbbbb", "Bakers, The"),
        ]
    );
    let documents = read("YouTube and YouTube Music/comments/comments.csv");
    assert_eq!(documents[1].title, "Mine never rises");
    assert_eq!(documents[1].kind, "comment");
    assert_eq!(text(&documents[1], "video"), Some("aaaaaaaaaa1"));
}

#[test]
fn other_tables_are_refused() {
    for csv in ["", "a,b\n1,2\n", "name\nfoo\n"] {
        let failure = extract("t.csv", csv.into()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported, "{csv:?}");
    }
}

#[test]
fn notes_are_read_with_their_lists_and_labels() {
    let note = read("Keep/Shopping.json").remove(0);
    assert_eq!(
        (note.kind.as_str(), note.part.as_str(), note.title.as_str()),
        ("note", "", "Shopping")
    );
    assert_eq!(
        note.text,
        "- [ ] flour\n- [x] salt\n\n[Rye bread](https://bread.example/rye)\n\nAll about rye\n\n![17f.jpg](<17f.jpg>)"
    );
    assert_eq!(note.tags, ["kitchen"]);
    assert_eq!(times(&note, "modified"), ["2023-11-12T08:11:01.123Z"]);
    assert_eq!(texts(&note, "attachments"), ["17f.jpg"]);
    assert_eq!(
        value(&note, "pinned"),
        Some(&Value::One(Scalar::Boolean(true)))
    );
    assert_eq!(note.links.len(), 2);

    let untitled = read("Keep/2023-11-12T08_11_01.123Z.json").remove(0);
    assert_eq!(untitled.title, "# not a heading");
    assert_eq!(
        untitled.text,
        "\\# not a heading\nCall the mill, see https://mill.example/"
    );
    assert_eq!(
        value(&untitled, "archived"),
        Some(&Value::One(Scalar::Boolean(true)))
    );
}

#[test]
fn thrown_away_notes_and_twins_are_left_out_with_the_reason() {
    for (path, reason) in [("Keep/Old.json", "trash"), ("Keep/Shopping.html", "JSON")] {
        let failure = try_read(path).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported);
        assert!(failure.message.contains(reason), "{failure}");
    }
}

#[test]
fn a_calendar_has_each_event_once() {
    let documents = read("Calendar/Home.ics");
    assert_eq!(
        parts(&documents),
        [
            ("", "", "Home"),
            ("event", "baking@example.com", "Baking class"),
            ("event", "fair@example.com", "Bread fair"),
        ]
    );
    let class = &documents[1];
    assert_eq!(
        class.text,
        "- When: 2024-07-02 19:00 to 21:00, Europe/Berlin\n\
         - Repeats: Every week on Tuesday, until 2024-12-31\n\
         - Not on: 2024-07-09\n\
         - Where: Mill Lane 3, kitchen\n\
         - Organizer: Anna Beck (anna@example.com)\n\
         - Guests: Ben Roth (ben@example.com)\n\n\
         Bring your own starter, please.\n\n\\# one jar each\n\n\
         Changed:\n\n\
         - 2024-07-16 19:00: 2024-07-17 18:00 to 20:00, Europe/Berlin, Baking class (at Ben's)"
    );
    assert_eq!(times(class, "start"), ["2024-07-02T17:00:00Z"]);
    assert_eq!(times(class, "modified"), ["2024-06-02T10:00:00Z"]);
    assert_eq!(documents[2].text, "- When: 2024-08-01 to 2024-08-03");
}

#[test]
fn an_unknown_zone_is_said() {
    let ics = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;TZID=Mars/Base:20240101T100000\nDURATION:PT90M\nSUMMARY:Tea\nEND:VEVENT\nEND:VCALENDAR";
    let documents = extract("a.ics", ics.into()).unwrap();
    assert_eq!(
        documents[0].warnings,
        ["The time zone Mars/Base is not known; 1 time in it count as UTC."]
    );
    assert_eq!(documents[1].part, "event/2024-01-01 10:00 Tea");
    assert_eq!(times(&documents[1], "end"), ["2024-01-01T11:30:00Z"]);
}

#[test]
fn contacts_of_all_versions_are_read() {
    let documents = read("Contacts/All Contacts/All Contacts.vcf");
    let anna = &documents[1];
    assert_eq!(
        parts(&documents)[1],
        (
            "contact",
            "contact/Anna Beck anna@example.com+49 30 1234567",
            "Anna Beck"
        )
    );
    assert_eq!(
        anna.text,
        "Baker, Crumb Lab, Ovens\n\n\
         - Email (home): anna@example.com\n\
         - Phone (cell): +49 30 1234567\n\
         - Address (home): Mill Lane 3, Berlin, 10115, Germany\n\
         - Birthday: 1980-02-29\n\n\
         <https://anna.example/>\n\n\
         Likes rye, hates raisins.\nMet in 2019."
    );
    assert_eq!(anna.tags, ["friends"]);
    assert_eq!(anna.aliases, ["Annie"]);
    assert_eq!(texts(anna, "email"), ["anna@example.com"]);
    let jurgen = &documents[2];
    assert_eq!(jurgen.title, "Jürgen Müller");
    assert_eq!(jurgen.text, "- Phone (cell): 0170 1234567");
    assert_eq!(documents.len(), 3);

    let four = "BEGIN:VCARD\nVERSION:4.0\nUID:urn:uuid:1\nFN:Zoë\nEMAIL;PREF=1:mailto:z@example.com\nTEL;VALUE=uri;TYPE=\"voice,home\":tel:+1-555\nBDAY:--0203\nEND:VCARD";
    let documents = extract("z.vcf", four.into()).unwrap();
    assert_eq!(documents[1].part, "urn:uuid:1");
    assert_eq!(
        documents[1].text,
        "- Email: z@example.com\n- Phone (home): +1-555\n- Birthday: --0203"
    );
}

#[test]
fn real_answers_of_youtube_are_read() {
    for (file, kind, count) in [
        ("playlist_items/playlist_items_paged_1.json", "video", 10),
        ("playlist_items/playlist_items_paged_2.json", "video", 3),
        ("subscriptions/subscriptions_by_mine_p1.json", "channel", 9),
        ("videos/videos_info_multi.json", "video", 2),
        ("playlists/playlists_paged_1.json", "playlist", 10),
        ("search/search_channels.json", "channel", 5),
        ("search/search_by_keywords_p1.json", "video", 25),
        ("channels/info_multiple.json", "channel", 2),
    ] {
        let Some(documents) = real(&format!("youtube/python-youtube/apidata/{file}")) else {
            return;
        };
        let own = documents.iter().filter(|document| document.kind == kind);
        assert_eq!(own.count(), count, "{file}");
    }
}
