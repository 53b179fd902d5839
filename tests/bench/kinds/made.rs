//! Files of our own making, of sentences of the notes in `fixtures/vault`.

use std::fmt::Write as _;

use pkb_tests::workspace_root;

use super::file;
use super::reading::File;
use crate::random::Random;

/// A sentence of fewer bytes is none.
const SHORTEST: usize = 24;

/// Makes files; every one is another, and the same in every run.
pub(super) struct Made {
    /// Without a character that is markup anywhere.
    sentences: Vec<String>,
    random: Random,
}

impl Made {
    pub(super) fn new() -> Self {
        let mut sentences = Vec::new();
        collect(&workspace_root().join("fixtures/vault"), &mut sentences);
        sentences.sort();
        assert!(sentences.len() > 50, "fixtures/vault has sentences");
        Made {
            sentences,
            random: Random(5),
        }
    }

    pub(super) fn sentence(&mut self) -> &str {
        let at = self.random.below(self.sentences.len());
        &self.sentences[at]
    }

    /// The first words of a sentence.
    pub(super) fn title(&mut self) -> String {
        let words = 2 + self.number(4);
        let sentence = self.sentence().trim_end_matches('.');
        let words: Vec<&str> = sentence.split(' ').take(words).collect();
        words.join(" ")
    }

    pub(super) fn paragraph(&mut self) -> String {
        let sentences: Vec<String> = (0..3 + self.number(5))
            .map(|_| self.sentence().to_owned())
            .collect();
        sentences.join(" ")
    }

    /// Below `end`.
    pub(super) fn number(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    /// The day of that number, and its time: `2021-03-04`, `05:06:07`.
    fn moment(&mut self) -> (String, String) {
        let year = 2012 + self.number(13);
        let (month, day) = (1 + self.number(12), 1 + self.number(28));
        let (hour, minute, second) = (self.number(24), self.number(60), self.number(60));
        (
            format!("{year}-{month:02}-{day:02}"),
            format!("{hour:02}:{minute:02}:{second:02}"),
        )
    }

    /// An id as videos have: eleven characters.
    fn video(number: usize) -> String {
        format!("v_{number:09}")
    }

    fn several(
        &mut self,
        count: usize,
        ending: &str,
        mut one: impl FnMut(&mut Self) -> String,
    ) -> Vec<File> {
        (0..count)
            .map(|number| {
                let text = one(self);
                file(format!("{number}.{ending}"), text)
            })
            .collect()
    }

    pub(super) fn notes(&mut self, count: usize) -> Vec<File> {
        self.several(count, "md", |made| {
            let (day, _) = made.moment();
            let mut text = format!(
                "---\ncreated: {day}\ntags: [a/b, c]\n---\n# {}\n",
                made.title()
            );
            for _ in 0..4 {
                let (title, other) = (made.title(), made.title());
                let (one, two) = (made.paragraph(), made.paragraph());
                let _ = write!(
                    text,
                    "\n## {title}\n\n{one} #tag\n\n- [[{other}]]\n\n{two}\n"
                );
            }
            text
        })
    }

    pub(super) fn letters(&mut self, count: usize) -> Vec<File> {
        self.several(count, "txt", |made| {
            let paragraphs: Vec<String> = (0..12).map(|_| made.paragraph()).collect();
            paragraphs.join("\n\n")
        })
    }

    /// Tables with eight columns.
    pub(super) fn tables(&mut self, count: usize, rows: usize) -> Vec<File> {
        self.several(count, "csv", |made| {
            let mut text = "id,day,time,name,what,amount,price,open\r\n".to_owned();
            for row in 0..rows {
                let ((day, time), name) = (made.moment(), made.title());
                let (amount, price, open) = (made.number(900), made.number(10_000), row % 3 == 0);
                let what = made.sentence();
                let _ = write!(
                    text,
                    "{row},{day},{time},{name},\"{what}\",{amount},{price}.50,{open}\r\n"
                );
            }
            text
        })
    }

    /// Lists of objects.
    pub(super) fn records(&mut self, count: usize, entries: usize) -> Vec<File> {
        self.several(count, "json", |made| {
            let entries: Vec<String> = (0..entries)
                .map(|id| {
                    let ((day, time), title) = (made.moment(), made.title());
                    let (what, size) = (made.sentence().to_owned(), made.number(1_000));
                    format!(
                        "{{\"id\":{id},\"title\":\"{title}\",\"at\":\"{day}T{time}Z\",\"about\":{{\"what\":\"{what}\",\"size\":{size}}}}}"
                    )
                })
                .collect();
            format!("[\n{}\n]", entries.join(",\n"))
        })
    }

    /// Articles, with what stands around them on a site.
    pub(super) fn pages(&mut self, count: usize) -> Vec<File> {
        self.several(count, "html", |made| {
            let title = made.title();
            let menu: String = (0..20)
                .map(|at| format!("<li><a href=\"/{at}\">{}</a></li>", made.title()))
                .collect();
            let article: String = (0..20)
                .map(|_| format!("<h2>{}</h2><p>{}</p>", made.title(), made.paragraph()))
                .collect();
            format!(
                "<!DOCTYPE html><html lang=\"en\"><head><title>{title}</title><style>p {{ margin: 0 }}</style></head>\
                 <body><nav><ul>{menu}</ul></nav><main><article><h1>{title}</h1>{article}</article></main>\
                 <footer><ul>{menu}</ul></footer></body></html>"
            )
        })
    }

    /// A mailbox of messages that quote one another.
    pub(super) fn correspondence(&mut self, count: usize) -> File {
        let mut mailbox = String::new();
        let mut before = String::new();
        for id in 0..count {
            let ((_, time), subject) = (self.moment(), self.title());
            let (one, two) = (self.paragraph(), self.paragraph());
            let quoted: String = before.lines().map(|line| format!("> {line}\r\n")).collect();
            let _ = write!(
                mailbox,
                "From ada@example.org Thu Jan  4 {time} 2024\r\nFrom: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\n\
                 Subject: Re: {subject}\r\nDate: Thu, 4 Jan 2024 {time} +0000\r\nMessage-ID: <{id}@example.org>\r\n\
                 In-Reply-To: <{}@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
                 {one}\r\n\r\nOn Wed, Jan 3, 2024 at 10:00 AM Bob <bob@example.org> wrote:\r\n{quoted}\r\n{two}\r\n\r\n",
                id.saturating_sub(1),
            );
            before = one;
        }
        file("all.mbox", mailbox)
    }

    /// A browser's export, in folders.
    pub(super) fn bookmarks(&mut self, count: usize) -> File {
        let mut text = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n\
             <META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n\
             <TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n"
            .to_owned();
        // Browsers write the icon of each page, of about a kilobyte.
        let icon = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQ".repeat(30);
        for id in 0..count {
            if id % 50 == 0 {
                let close = if id == 0 { "" } else { "</DL><p>\n" };
                let folder = self.title();
                let _ = write!(
                    text,
                    "{close}<DT><H3 ADD_DATE=\"1600000000\">{folder}</H3>\n<DL><p>\n"
                );
            }
            let (title, at) = (self.title(), 1_600_000_000 + self.number(100_000_000));
            let _ = writeln!(
                text,
                "<DT><A HREF=\"https://{}.example/page/{id}?utm_source=feed\" ADD_DATE=\"{at}\" ICON=\"data:image/png;base64,{icon}\">{title}</A>",
                id % 200,
            );
        }
        text.push_str("</DL><p>\n</DL><p>\n");
        file("bookmarks.html", text)
    }

    /// Videos that were watched, as Google Takeout writes them.
    pub(super) fn history_json(&mut self, count: usize) -> File {
        let entries: Vec<String> = (0..count)
            .map(|number| {
                let ((day, time), title) = (self.moment(), self.title());
                let (video, channel) = (Self::video(number), number % 300);
                format!(
                    "{{\n  \"header\": \"YouTube\",\n  \"title\": \"Watched {title}\",\n  \
                     \"titleUrl\": \"https://www.youtube.com/watch?v\\u003d{video}\",\n  \"subtitles\": [{{\n    \
                     \"name\": \"Channel {channel}\",\n    \"url\": \"https://www.youtube.com/channel/UC{channel:022}\"\n  }}],\n  \
                     \"time\": \"{day}T{time}.123Z\",\n  \"products\": [\"YouTube\"],\n  \
                     \"activityControls\": [\"YouTube watch history\"]\n}}"
                )
            })
            .collect();
        file("watch-history.json", format!("[{}]", entries.join(",")))
    }

    /// The same as a page, as Google Takeout writes it unless asked for JSON.
    pub(super) fn history_html(&mut self, count: usize) -> File {
        let cells: String = (0..count)
            .map(|number| {
                let ((_, time), title) = (self.moment(), self.title());
                let (video, channel) = (Self::video(number), number % 300);
                let (day, year) = (1 + number % 28, 2012 + number % 12);
                format!(
                    "<div class=\"outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp\"><div class=\"mdl-grid\">\
                     <div class=\"header-cell mdl-cell mdl-cell--12-col\"><p class=\"mdl-typography--title\">YouTube<br></p></div>\
                     <div class=\"content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1\">Watched&nbsp;\
                     <a href=\"https://www.youtube.com/watch?v={video}\">{title}</a><br>\
                     <a href=\"https://www.youtube.com/channel/UC{channel:022}\">Channel {channel}</a><br>\
                     {day:02}.11.{year}, {time} MEZ<br></div>\
                     <div class=\"content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right\"></div>\
                     <div class=\"content-cell mdl-cell mdl-cell--12-col mdl-typography--caption\"><b>Products:</b><br>&emsp;YouTube<br></div>\
                     </div></div>"
                )
            })
            .collect();
        file(
            "watch-history.html",
            format!(
                "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=UTF-8\"><title>My Activity History</title>\
                 <style type=\"text/css\">.outer-cell{{padding:5px}}</style></head><body><div class=\"mdl-grid\">{cells}</div></body></html>"
            ),
        )
    }
}

/// The messages in one file, in the way of mboxrd.
pub(super) fn mailbox(messages: &[File]) -> File {
    let mut mailbox = Vec::new();
    for message in messages {
        mailbox.extend(b"From someone@example.org Thu Jan  4 10:00:00 2024\n");
        for line in message.bytes.split_inclusive(|&byte| byte == b'\n') {
            let marks = line.iter().take_while(|&&byte| byte == b'>').count();
            if line[marks..].starts_with(b"From ") {
                mailbox.push(b'>');
            }
            mailbox.extend(line);
        }
        mailbox.extend(b"\n\n");
    }
    file("in.mbox", mailbox)
}

fn collect(folder: &std::path::Path, sentences: &mut Vec<String>) {
    const MARKUP: &str = "#|`<>[]*_{}&\"\\^~=:$%@";
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, sentences);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let plain = text
            .lines()
            .filter(|line| !line.contains(|c| MARKUP.contains(c)));
        let parts = plain.flat_map(|line| line.split_inclusive(". "));
        let parts = parts.map(|part| part.trim().trim_start_matches(['-', ' ']));
        let long = parts.filter(|part| part.len() >= SHORTEST && part.ends_with('.'));
        sentences.extend(long.map(str::to_owned));
    }
}
