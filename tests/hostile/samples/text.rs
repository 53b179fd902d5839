//! Files that are text: notes, data, pages, mail, bookmarks, exports.

use super::Sample;

/// A message.
pub(super) fn message(word: &str) -> String {
    format!(
        "From: Ada <ada@example.org>\nTo: bob@example.org\nSubject: =?utf-8?B?w6k=?= letter\n\
         Date: Thu, 4 Jan 2024 10:00:00 +0000\nMessage-ID: <{word}@example.org>\n\nAbout the {word} tree.\n"
    )
}

/// A message with two bodies, something attached and another message in it.
pub(super) fn letter(word: &str) -> String {
    format!(
        "From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: A letter\r\nMessage-ID: <l{word}@example.org>\r\n\
         References: <a@example.org> <b@example.org>\r\nDate: Thu, 4 Jan 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n\
         --y\r\nContent-Type: text/plain; charset=iso-8859-1; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
         The {word} tree =E9 is \r\nflowed.\r\n> quoted\r\n-- \r\nAda\r\n--y\r\nContent-Type: text/html\r\n\r\n<p>The {word} <b>tree</b></p>\r\n--y--\r\n\
         --x\r\nContent-Type: text/markdown; name*=utf-8''a%20b.md\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nIyBBdHRhY2hlZA==\r\n\
         --x\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@example.org\r\nSubject: Inner\r\n\r\ninner\r\n--x--\r\n"
    )
}

/// What Firefox packs.
pub(super) fn firefox_backup(word: &str) -> String {
    format!(
        r#"{{"guid":"root________","title":"","type":"text/x-moz-place-container","root":"placesRoot","children":[
{{"guid":"menu________","title":"menu","root":"bookmarksMenuFolder","children":[
{{"guid":"x","title":"The {word} tree","dateAdded":1466009029000000,"typeCode":1,"tags":"one,two","uri":"https://{word}.example/"}},
{{"title":"Folder","typeCode":2,"children":[{{"title":"B","uri":"https://b.example/"}}]}}]}}]}}"#
    )
}

pub(super) fn samples(word: &str) -> Vec<Sample> {
    let note = format!(
        "---\ntitle: A note\ntags: [a, b]\ndate: 2024-01-04\n---\n# A note\n\nAbout the {word} tree: [[link#here|there]], [page](https://a.example/), #trees ^block\n\n- [ ] one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {{}}\n```\n"
    );
    let mut latin = b"Gr\xfc\xdfe aus der alten Zeit, sch\xf6ne Gr\xfc\xdfe an alle. ".to_vec();
    latin.extend(format!("Der Baum: {word}.\n").bytes());
    let wide: Vec<u8> = format!("\u{feff}Wide: {word} tree\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let page = format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title><meta name=author content=Ada>\
         <script>var gone;</script></head><body><nav>Home</nav><article><h1>A page</h1><p>The {word} tree stands in the garden, \
         and has stood there for longer than anybody remembers.</p><table><tr><th>a<td>b</table><pre>x = 1</pre><ul><li>one<li>two</ul></article></body></html>"
    );
    let web = web_archive(&page);
    let mut samples = vec![
        Sample::plain("extract-markdown", "note.md", note),
        Sample::plain("extract-markdown", "latin.txt", latin),
        Sample::plain("extract-markdown", "wide.txt", wide),
        Sample::plain("extract-html", "page.html", page),
        Sample::plain("extract-html", "page.mhtml", web),
    ];
    let texts = [
        (
            "outline.org",
            format!(
                "#+TITLE: Outline\n* TODO [#A] The {word} tree :a:b:\n  SCHEDULED: <2024-01-04 Thu>\n:PROPERTIES:\n:ID: x\n:END:\n- one\n  1. two\n#+begin_src rust\nfn main() {{}}\n#+end_src\n| a | b |\n|---+---|\n[[https://a.example][link]]\n"
            ),
        ),
        (
            "text.rst",
            format!(
                "Title\n=====\n\nThe {word} tree, `link <https://a.example>`_.\n\n.. code-block:: rust\n\n   fn main() {{}}\n\n.. note:: A note\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n"
            ),
        ),
        (
            "text.tex",
            format!(
                "\\documentclass{{article}}\n\\title{{T}}\n\\begin{{document}}\n\\section{{One}}\nThe {word} tree.\n\\end{{document}}\n"
            ),
        ),
        (
            "film.srt",
            format!(
                "1\n00:00:01,000 --> 00:00:02,500\n<i>The {word} tree</i>\n\n2\n01:00:01,000 --> 01:00:02,500\nand on\n"
            ),
        ),
        (
            "film.vtt",
            format!(
                "WEBVTT\n\nNOTE no\n\n00:01.000 --> 00:02.500 align:start\n<v Ada>The {word} tree</v>\n"
            ),
        ),
        (
            "film.ass",
            format!(
                "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.50,D,Ada,0,0,0,,{{\\i1}}The {word} tree\\Nand on\n"
            ),
        ),
        (
            "table.csv",
            format!("name,number\n\"the {word} tree\",1\n\"two\nlines\",2\n"),
        ),
        ("table.tsv", format!("name\tnumber\nthe {word} tree\t1\n")),
        (
            "data.json",
            format!(
                r#"{{"name":"the {word} tree","list":[1,2.5e3,null,true,{{"a":"\u00e9\ud83d\ude00"}}]}}"#
            ),
        ),
        (
            "lines.jsonl",
            format!("{{\"name\":\"the {word} tree\"}}\n{{\"name\":\"two\"}}\n"),
        ),
        (
            "book.ipynb",
            format!(
                r##"{{"cells":[{{"cell_type":"markdown","source":["# One\n","the {word} tree"]}},{{"cell_type":"code","source":"x = 1","outputs":[{{"output_type":"stream","text":["1"]}}]}}],"metadata":{{"language_info":{{"name":"python"}}}},"nbformat":4}}"##
            ),
        ),
        (
            "feeds.opml",
            format!(
                r#"<?xml version="1.0"?><opml version="2.0"><head><title>Feeds</title></head><body><outline text="The {word} tree"><outline text="A" xmlUrl="https://a.example/feed"/></outline></body></opml>"#
            ),
        ),
        (
            "feed.rss",
            format!(
                r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title><item><title>The {word} tree</title><link>https://a.example/</link><description><![CDATA[<p>x</p>]]></description></item></channel></rss>"#
            ),
        ),
        (
            "picture.svg",
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg"><title>The {word} tree</title><g><text x="1">one &amp; two</text></g></svg>"#
            ),
        ),
        (
            "main.rs",
            format!(
                "//! The {word} tree.\n\nfn main() {{\n    println!(\"one\");\n}}\n\n/// Two.\nstruct Two;\n"
            ),
        ),
        ("settings.toml", format!("[tree]\nname = \"{word}\"\n")),
    ];
    samples.extend(texts.map(|(name, text)| Sample::plain("extract-text", name, text)));
    samples.extend(bookmarks(word));
    samples.extend(exports(word));
    samples
}

fn web_archive(page: &str) -> String {
    format!(
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/\r\nSubject: A page\r\nDate: Thu, 4 Jan 2024 10:00:00 -0000\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"--b--\"\r\n\r\n----b--\r\nContent-Type: text/html\r\n\
         Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://a.example/\r\n\r\n{}\r\n----b----\r\n",
        page.replace('=', "=3D")
    )
}

fn bookmarks(word: &str) -> Vec<Sample> {
    vec![
        Sample::plain(
            "extract-bookmarks",
            "bookmarks.html",
            format!(
                "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n<DT><H3 ADD_DATE=\"1466009029\">Folder</H3>\n<DL><p>\n<DT><A HREF=\"https://{word}.example/\" ADD_DATE=\"1466009029\" TAGS=\"a,b\" ICON=\"data:image/png;base64,AAAA\">The {word} tree</A>\n<DD>About it\n</DL><p>\n</DL><p>\n"
            ),
        ),
        Sample::plain(
            "extract-bookmarks",
            "Bookmarks",
            format!(
                r#"{{"checksum":"x","roots":{{"bookmark_bar":{{"children":[{{"date_added":"13350000000000000","name":"The {word} tree","type":"url","url":"https://{word}.example/"}},{{"children":[],"name":"Folder","type":"folder"}}],"name":"Bar","type":"folder"}}}},"version":1}}"#
            ),
        ),
        Sample::plain(
            "extract-bookmarks",
            "bookmarks-2024-01-04.json",
            firefox_backup(word),
        ),
    ]
}

fn exports(word: &str) -> Vec<Sample> {
    let texts = [
        (
            "watch-history.json",
            format!(
                r#"[{{"header":"YouTube","title":"Watched The {word} tree","titleUrl":"https://www.youtube.com/watch?v=aaaaaaaaaa1","subtitles":[{{"name":"Trees","url":"https://www.youtube.com/channel/UCaaaaaaaaaaaaaaaaaaaaaa"}}],"time":"2023-11-12T08:11:01.123Z","products":["YouTube"]}}]"#
            ),
        ),
        (
            "watch-history.html",
            format!(
                "<html><head><title>Verlauf</title></head><body><div class=\"mdl-grid\"><div class=\"outer-cell mdl-cell\"><div class=\"mdl-grid\"><div class=\"header-cell mdl-cell\"><p class=\"mdl-typography--title\">YouTube<br></p></div><div class=\"content-cell mdl-cell mdl-typography--body-1\"><a href=\"https://www.youtube.com/watch?v=aaaaaaaaaa1\">Der Baum {word}</a> angesehen<br><a href=\"https://www.youtube.com/channel/UCaaaaaaaaaaaaaaaaaaaaaa\">Trees</a><br>12.11.2023, 09:11:01 MEZ<br></div></div></div></div></body></html>"
            ),
        ),
        (
            "Shopping.json",
            format!(
                r#"{{"color":"DEFAULT","isTrashed":false,"isPinned":true,"listContent":[{{"text":"{word}","isChecked":false}}],"title":"Shopping","userEditedTimestampUsec":1699776661123000,"labels":[{{"name":"kitchen"}}]}}"#
            ),
        ),
        (
            "History.json",
            format!(
                r#"{{"Browser History":[{{"page_transition":"LINK","title":"The {word} tree","url":"https://{word}.example/","time_usec":1699776661123000}}]}}"#
            ),
        ),
        (
            "Home.ics",
            format!(
                "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a{word}@example.org\r\nDTSTART;TZID=Europe/Berlin:20240104T100000\r\nDTEND:20240104T110000Z\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nSUMMARY:The {word}\r\n  tree\r\nDESCRIPTION:one\\, two\\nthree\r\nATTENDEE;CN=Bob:mailto:bob@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
            ),
        ),
        (
            "All Contacts.vcf",
            format!(
                "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada {word}\r\nN:{word};Ada;;;\r\nEMAIL;TYPE=INTERNET:ada@example.org\r\nTEL;TYPE=CELL:123\r\nNOTE:one\\, two\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=A9=\r\nx\r\nEND:VCARD\r\n"
            ),
        ),
    ];
    texts
        .map(|(name, text)| Sample::plain("extract-takeout", name, text))
        .into()
}
