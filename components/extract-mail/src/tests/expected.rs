//! Messages of the mail-parser project beside what that project reads in them.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::headers::Headers;
use crate::structure::Structure;
use crate::{body, mime};

/// Messages that are read in another way, on purpose; README.md says why.
const OTHERWISE: &[&str] = &[
    "legacy/010",
    "legacy/020",
    "legacy/022",
    "legacy/027",
    "legacy/033",
    "legacy/052",
    "thirdparty/002",
    "thirdparty/005",
    "malformed/001",
    "malformed/002",
    "malformed/003",
    "malformed/004",
    "malformed/006",
    "malformed/008",
    "malformed/009",
    "malformed/011",
    "malformed/016",
    "malformed/019",
    "malformed/020",
    "malformed/021",
];

pub(super) fn root() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let name = "formats/mail/mail-parser";
    let path = workspace.join("../shared/data").join(name);
    if !path.exists() {
        eprintln!("skipped: ../shared/data/{name} is absent");
        return None;
    }
    Some(path)
}

/// What both say of a message, in the words of a comparison.
#[derive(Debug, PartialEq)]
struct Summary {
    subject: String,
    from: Vec<(String, String)>,
    date: Option<i64>,
    text: Vec<String>,
}

/// One line, as a title is.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without what line ends and the ends of parts are written with.
fn tidy(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace(['\0', '\u{FEFF}'], "")
        .trim_end()
        .to_owned()
}

fn theirs(json: &Json) -> Summary {
    let headers = json["parts"][0]["headers"].as_array().unwrap();
    let find = |name: &str| {
        let found = headers.iter().find(|header| header["name"] == name);
        found.map_or(&Json::Null, |header| &header["value"])
    };
    let mut from = Vec::new();
    let address = &find("from")["Address"];
    let mut add = |list: &Json| {
        for one in list.as_array().into_iter().flatten() {
            let part = |name: &str| line(one[name].as_str().unwrap_or_default());
            from.push((part("name"), part("address")));
        }
    };
    add(&address["List"]);
    for group in address["Group"].as_array().into_iter().flatten() {
        add(&group["addresses"]);
    }
    let date = &find("date")["DateTime"];
    let number = |name: &str| date[name].as_i64();
    let date = number("year").and_then(|year| {
        let civil = jiff::civil::DateTime::new(
            i16::try_from(year).unwrap(),
            i8::try_from(number("month")?).unwrap(),
            i8::try_from(number("day")?).unwrap(),
            i8::try_from(number("hour")?).unwrap(),
            i8::try_from(number("minute")?).unwrap(),
            i8::try_from(number("second")?).unwrap(),
            0,
        );
        let offset = number("tz_hour")? * 3_600 + number("tz_minute")? * 60;
        let sign = if date["tz_before_gmt"] == true { 1 } else { -1 };
        let utc = jiff::tz::Offset::UTC.to_timestamp(civil.ok()?).ok()?;
        Some((utc.as_second() + sign * offset) * 1_000)
    });
    let text = json["text_body"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|number| {
            let body = &json["parts"][number.as_u64().unwrap() as usize]["body"];
            body["Text"].as_str().or(body["Html"].as_str()).map(tidy)
        })
        .filter(|text| !text.is_empty())
        .collect();
    Summary {
        subject: line(find("subject")["Text"].as_str().unwrap_or_default()),
        from,
        date,
        text,
    }
}

fn ours(raw: &[u8]) -> Summary {
    let tree = mime::parse(raw);
    let headers = Headers::of(&raw[tree.parts[0].header.clone()]);
    let structure = Structure::of(&tree);
    let from = headers.people("from").into_iter().map(|person| {
        (
            person.name.unwrap_or_default(),
            person.address.unwrap_or_default(),
        )
    });
    Summary {
        subject: line(&headers.text("subject").unwrap_or_default()),
        from: from.collect(),
        date: headers.date("date"),
        text: structure
            .text
            .iter()
            .map(|&number| tidy(&body::decoded(raw, &tree, number).0))
            .filter(|text| !text.is_empty())
            .collect(),
    }
}

#[test]
fn messages_are_read_as_expected() {
    let Some(root) = root() else { return };
    let (mut agree, mut differ) = (0, Vec::new());
    for folder in ["rfc", "legacy", "thirdparty", "malformed"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "json")
            })
            .collect();
        files.sort();
        for path in files {
            let json: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let raw = std::fs::read(path.with_extension("eml")).unwrap();
            let name = format!("{folder}/{}", path.file_stem().unwrap().to_string_lossy());
            let (theirs, ours) = (theirs(&json), ours(&raw));
            if theirs == ours {
                agree += 1;
            } else {
                if !OTHERWISE.contains(&name.as_str()) {
                    eprintln!("{name}\n  expected {theirs:?}\n  read     {ours:?}");
                }
                differ.push(name);
            }
        }
    }
    eprintln!(
        "{agree} messages agree, {} are read otherwise",
        differ.len()
    );
    assert_eq!(differ, OTHERWISE);
    assert_eq!(agree + differ.len(), 83);
}
