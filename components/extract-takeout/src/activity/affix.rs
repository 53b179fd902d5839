//! Titles such as `Watched X`, `X angesehen`, `X を視聴しました`: what is the
//! same in all of them is what was done.

use std::collections::HashMap;

/// What stands before and after the name of a thing.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Affix {
    before: String,
    after: String,
}

/// How the languages that we know put it, as `(before, after, activity)`.
const KNOWN: [(&str, &str, &str); 43] = [
    ("Watched ", "", "watched"),
    ("Listened to ", "", "watched"),
    ("Viewed ", "", "viewed"),
    ("Visited ", "", "visited"),
    ("Searched for ", "", "searched"),
    ("Liked ", "", "liked"),
    ("Disliked ", "", "disliked"),
    ("Subscribed to ", "", "subscribed"),
    ("Saved ", "", "saved"),
    ("Voted on ", "", "voted"),
    ("Used ", "", "used"),
    ("Read ", "", "viewed"),
    ("", " angesehen", "watched"),
    ("", " aufgerufen", "visited"),
    ("", " besucht", "visited"),
    ("", " gesucht", "searched"),
    ("", " verwendet", "used"),
    ("Vous avez regardé ", "", "watched"),
    ("Vous avez consulté ", "", "visited"),
    ("Vous avez recherché ", "", "searched"),
    ("Vous avez utilisé ", "", "used"),
    ("Has visto ", "", "watched"),
    ("Has visitado ", "", "visited"),
    ("Has buscado ", "", "searched"),
    ("Hai guardato ", "", "watched"),
    ("Hai visitato ", "", "visited"),
    ("Hai cercato ", "", "searched"),
    ("Assistiu a ", "", "watched"),
    ("Visitou ", "", "visited"),
    ("Pesquisou ", "", "searched"),
    ("", " bekeken", "watched"),
    ("", " bezocht", "visited"),
    ("Obejrzano: ", "", "watched"),
    ("Odwiedzono: ", "", "visited"),
    ("Tittade på ", "", "watched"),
    ("Вы посмотрели видео ", "", "watched"),
    ("", " を視聴しました", "watched"),
    ("", " を検索しました", "searched"),
    ("", " にアクセスしました", "visited"),
    ("", " を使用しました", "used"),
    ("", "을(를) 시청했습니다.", "watched"),
    ("已观看", "", "watched"),
    ("已觀看", "", "watched"),
];

/// With fewer titles than this, what they have in common says nothing.
const FEWEST: usize = 8;

/// This many titles are looked at.
const MOST: usize = 2000;

/// Common beginnings and ends are sought up to this many characters.
const LONGEST: usize = 32;

/// Finds the affix of a file's titles.
#[derive(Debug, Default)]
pub(crate) struct Learner {
    titles: Vec<String>,
    /// Around addresses that stand in for names: nothing could be clearer.
    around_urls: HashMap<Affix, usize>,
}

impl Learner {
    pub(crate) fn see(&mut self, title: &str, url: &str) {
        if self.titles.len() == MOST {
            return;
        }
        if let Some((before, after)) = title.split_once(url).filter(|_| !url.is_empty()) {
            let affix = Affix {
                before: before.to_owned(),
                after: after.to_owned(),
            };
            *self.around_urls.entry(affix).or_default() += 1;
        } else {
            self.titles.push(title.to_owned());
        }
    }

    /// The affix that most titles have; an empty one where none is found.
    pub(crate) fn learn(&self) -> Affix {
        // The affix itself breaks ties, for the same answer each time.
        let mut found: Vec<_> = self.around_urls.iter().collect();
        found.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.before.cmp(&b.0.before)));
        if let Some((affix, _)) = found.first() {
            return (*affix).clone();
        }
        let most = |affix: &Affix| {
            let having = self
                .titles
                .iter()
                .filter(|title| affix.strip(title).is_some());
            having.count() * 2 > self.titles.len()
        };
        let known = KNOWN.iter().map(|(before, after, _)| Affix {
            before: (*before).to_owned(),
            after: (*after).to_owned(),
        });
        if let Some(affix) = known.into_iter().find(most) {
            return affix;
        }
        if self.titles.len() < FEWEST {
            return Affix::default();
        }
        let before = common(self.titles.iter().map(|title| title.chars()));
        let after = common(self.titles.iter().map(|title| title.chars().rev()));
        Affix {
            before: whole_words(before),
            after: whole_words(after).chars().rev().collect(),
        }
    }
}

/// The longest beginning that four in five of the texts share.
fn common<C: Iterator<Item = char>>(texts: impl Iterator<Item = C>) -> String {
    let texts: Vec<Vec<char>> = texts.map(|text| text.take(LONGEST).collect()).collect();
    let mut best = String::new();
    for length in 2..=LONGEST {
        let mut counts: HashMap<&[char], usize> = HashMap::new();
        for text in texts.iter().filter(|text| text.len() >= length) {
            *counts.entry(&text[..length]).or_default() += 1;
        }
        let needed = (texts.len() * 4).div_ceil(5);
        match counts.into_iter().find(|(_, count)| *count >= needed) {
            Some((begin, _)) => best = begin.iter().collect(),
            None => break,
        }
    }
    best
}

/// Cuts a beginning back to the end of its last whole word: the names
/// themselves may begin alike. Scripts without spaces have no words to cut.
fn whole_words(begin: String) -> String {
    if begin.chars().any(|c| c.is_alphabetic() && !is_spaceless(c)) {
        let end = begin.rfind(char::is_whitespace);
        end.map_or_else(String::new, |at| {
            let space = begin[at..].chars().next().map_or(0, char::len_utf8);
            begin[..at + space].to_owned()
        })
    } else {
        begin
    }
}

fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

impl Affix {
    /// The title without it, where it has it and something is left.
    pub(crate) fn strip<'a>(&self, title: &'a str) -> Option<&'a str> {
        if self.before.is_empty() && self.after.is_empty() {
            return None;
        }
        let rest = title
            .strip_prefix(self.before.as_str())?
            .strip_suffix(self.after.as_str())?;
        let rest = unquoted(rest.trim());
        (!rest.is_empty()).then_some(rest)
    }
}

/// The words of what was done, in languages that we know.
pub(crate) fn activity(title: &str) -> Option<&'static str> {
    let title = title.trim().replace('\u{A0}', " ");
    let found = KNOWN.iter().find(|(before, after, _)| {
        if after.is_empty() {
            title.starts_with(before) || title == before.trim_end()
        } else {
            title.ends_with(after) || title == after.trim_start()
        }
    });
    found.map(|found| found.2)
}

/// The title without the known words around it.
pub(crate) fn strip_known(title: &str) -> Option<&str> {
    KNOWN.iter().find_map(|(before, after, _)| {
        let rest = title.strip_prefix(before)?.strip_suffix(after)?.trim();
        (!rest.is_empty()).then(|| unquoted(rest))
    })
}

fn unquoted(text: &str) -> &str {
    let pairs = [('„', '“'), ('“', '”'), ('«', '»'), ('「', '」'), ('"', '"')];
    let inner = pairs.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inner.contains([*open, *close])).then_some(inner.trim())
    });
    inner.filter(|inner| !inner.is_empty()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(titles: &[&str]) -> Affix {
        let mut learner = Learner::default();
        for title in titles {
            learner.see(title, "https://x.example/1");
        }
        learner.learn()
    }

    #[test]
    fn known_words_need_few_titles() {
        for (title, name) in [
            ("Watched Cats", "Cats"),
            ("„Cats“ angesehen", "Cats"),
            ("Vous avez regardé Chats", "Chats"),
            ("録画の確認の動画 を視聴しました", "録画の確認の動画"),
        ] {
            assert_eq!(learned(&[title]).strip(title), Some(name), "{title}");
            assert_eq!(strip_known(title), Some(name), "{title}");
            assert_eq!(activity(title), Some("watched"), "{title}");
        }
    }

    #[test]
    fn an_address_in_place_of_a_name_shows_what_is_around_it() {
        let affix = learned(&["Näitasin: https://x.example/1 (video)"]);
        assert_eq!(affix.strip("Näitasin: Kass (video)"), Some("Kass"));
    }

    #[test]
    fn what_most_titles_share_is_no_part_of_the_names() {
        let names = ["Cat", "Dog", "Cow", "Ant", "Bee", "Fox", "Owl", "Cod"];
        let titles: Vec<String> = names
            .iter()
            .map(|name| format!("Skoðað {name} nú"))
            .collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let affix = learned(&titles);
        assert_eq!(affix.strip("Skoðað Yak nú"), Some("Yak"));
        assert_eq!(learned(&names), Affix::default());
        assert_eq!(learned(&titles[..3]), Affix::default());
    }

    #[test]
    fn other_titles_stay() {
        assert_eq!(Affix::default().strip("Watched"), None);
        assert_eq!(learned(&["Watched A"]).strip("Liked A"), None);
        assert_eq!(activity("Used Chrome"), Some("used"));
        assert_eq!(activity("Something"), None);
    }
}
