//! Paths by pattern. No pattern is an error: what is not as it should be stands
//! for itself.

use super::fold::fold;

/// What stands for a part of a path.
#[derive(Debug, PartialEq)]
enum Part {
    /// This character.
    One(char),
    /// Any character but `/`.
    Any,
    /// One of these ranges, or none of them; never `/`.
    Class {
        not: bool,
        ranges: Vec<(char, char)>,
    },
    /// Any number of characters, `/` not among them.
    Star,
    /// Any number of characters.
    Stars,
    /// Nothing, or anything that ends with `/`.
    Folders,
}

/// A compiled pattern: `*` and `?` stand for anything but `/`, `**` for
/// anything, `**/` for any folders or none, `[a-z]` and `[!a-z]` for a
/// character; a backslash takes the meaning from the one after it. Letter case
/// does not count.
#[derive(Debug)]
pub(super) struct Glob(Vec<Part>);

impl Glob {
    /// Whether `text` has a character that makes it a pattern.
    pub(super) fn is_one(text: &str) -> bool {
        text.contains(['*', '?', '['])
    }

    pub(super) fn new(pattern: &str) -> Self {
        let pattern: Vec<char> = fold(pattern).chars().collect();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&c) = pattern.get(at) {
            let before = at.checked_sub(1).and_then(|before| pattern.get(before));
            at += 1;
            match c {
                '*' if pattern.get(at) == Some(&'*') => {
                    while pattern.get(at) == Some(&'*') {
                        at += 1;
                    }
                    let begins = before.is_none_or(|c| *c == '/');
                    if begins && pattern.get(at) == Some(&'/') {
                        at += 1;
                        parts.push(Part::Folders);
                    } else {
                        parts.push(Part::Stars);
                    }
                }
                '*' => parts.push(Part::Star),
                '?' => parts.push(Part::Any),
                '[' => match class(&pattern[at..]) {
                    Some((class, length)) => {
                        at += length;
                        parts.push(class);
                    }
                    None => parts.push(Part::One('[')),
                },
                '\\' if at < pattern.len() => {
                    parts.push(Part::One(pattern[at]));
                    at += 1;
                }
                c => parts.push(Part::One(c)),
            }
        }
        Self(parts)
    }

    /// Whether the pattern describes all of `path`, which has to be folded.
    /// Takes at most the product of both lengths, whatever the pattern.
    pub(super) fn matches(&self, path: &str) -> bool {
        let parts = &self.0;
        let mut reached = vec![Reached::Not; parts.len() + 1];
        let mut active = Vec::new();
        self.reach(0, Reached::Whole, &mut reached, &mut active);
        let mut next = Vec::new();
        for c in path.chars() {
            reached.fill(Reached::Not);
            for at in active.drain(..) {
                let Some(part) = parts.get(at) else {
                    continue;
                };
                let (stays, goes_on) = match part {
                    Part::One(one) => (None, *one == c),
                    Part::Any => (None, c != '/'),
                    Part::Class { not, ranges } => {
                        let among = ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
                        (None, c != '/' && among != *not)
                    }
                    Part::Star => ((c != '/').then_some(Reached::Whole), false),
                    Part::Stars => (Some(Reached::Whole), false),
                    Part::Folders if c == '/' => (Some(Reached::Whole), false),
                    Part::Folders => (Some(Reached::Within), false),
                };
                if let Some(how) = stays {
                    self.reach(at, how, &mut reached, &mut next);
                }
                if goes_on {
                    self.reach(at + 1, Reached::Whole, &mut reached, &mut next);
                }
            }
            std::mem::swap(&mut active, &mut next);
            if active.is_empty() {
                return false;
            }
        }
        reached[parts.len()] == Reached::Whole
    }

    /// Notes that the part at `at` may come next, and those after it that may
    /// where it stands for nothing more.
    fn reach(&self, mut at: usize, how: Reached, reached: &mut [Reached], active: &mut Vec<usize>) {
        while reached[at] < how {
            if reached[at] == Reached::Not {
                active.push(at);
            }
            reached[at] = how;
            let may_end = matches!(
                self.0.get(at),
                Some(Part::Star | Part::Stars | Part::Folders)
            );
            if how == Reached::Within || !may_end {
                return;
            }
            at += 1;
        }
    }
}

/// Whether a part of a pattern may come next.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Reached {
    Not,
    /// In the middle of a folder's name: a `**/` may not end here.
    Within,
    Whole,
}

/// A class after its `[`, with its length; none where it has no end.
fn class(rest: &[char]) -> Option<(Part, usize)> {
    let mut at = 0;
    let not = matches!(rest.first(), Some('!' | '^'));
    at += usize::from(not);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let mut c = *rest.get(at)?;
        // A `]` right at the start is one of the characters.
        if c == ']' && at > first {
            return Some((Part::Class { not, ranges }, at + 1));
        }
        if c == '\\' {
            at += 1;
            c = *rest.get(at)?;
        }
        at += 1;
        match (rest.get(at), rest.get(at + 1)) {
            (Some('-'), Some(to)) if *to != ']' => {
                ranges.push((c, *to));
                at += 2;
            }
            _ => ranges.push((c, c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).matches(&fold(path))
    }

    #[test]
    fn patterns_describe_paths() {
        for (pattern, path) in [
            ("*.md", "a.md"),
            ("a/*/c.md", "a/b/c.md"),
            ("?.md", "é.md"),
            ("?.md", "e\u{301}.md"),
            ("**", "a/b/c"),
            ("**/c.md", "c.md"),
            ("**/c.md", "a/b/c.md"),
            ("a/**/c.md", "a/c.md"),
            ("a/**/c.md", "a/x/y/c.md"),
            ("a/**", "a/b/c"),
            ("a**c", "a/b/c"),
            ("*a*", "bab"),
            ("Journal/20[12][0-9]*", "journal/2024-01.md"),
            ("[!a]", "b"),
            ("[^a]", "b"),
            ("[]]", "]"),
            ("[a-]", "-"),
            ("[\\]x]", "]"),
            ("[A-C].MD", "b.md"),
            ("a\\*b", "a*b"),
            ("[*]", "*"),
            ("a[b", "a[b"),
            ("a\\", "a\\"),
            ("[", "["),
            ("STRASSE*", "straße.md"),
            ("", ""),
            ("***/x", "a/x"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.md", "a/b.md"),
            ("a/*", "a/b/c"),
            ("?", "/"),
            ("[!a]", "/"),
            ("[.-0]", "/"),
            ("**/c.md", "a/bc.md"),
            ("a/**/c.md", "a/bc.md"),
            ("a/**", "ab"),
            ("a\\*b", "aab"),
            ("[a-c]", "d"),
            ("[!a]", "a"),
            ("a[b", "ab"),
            ("", "a"),
            ("*", "a/b"),
            ("x*", ""),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        for part in ["*a**/", "**/", "*?", "**a"] {
            let pattern = part.repeat(2000) + "b";
            assert!(!matches(&pattern, &"a/".repeat(500)), "{part}");
        }
    }

    /// The meaning of a pattern without classes, said plainly.
    fn plain(pattern: &[u8], path: &[u8], at_start: bool) -> bool {
        match pattern {
            [] => path.is_empty(),
            [b'*', b'*', b'/', rest @ ..] if at_start => {
                plain(rest, path, true)
                    || (0..path.len())
                        .any(|at| path[at] == b'/' && plain(rest, &path[at + 1..], true))
            }
            [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| plain(rest, &path[at..], false)),
            [b'*', rest @ ..] => (0..=path.len())
                .take_while(|at| !path[..*at].contains(&b'/'))
                .any(|at| plain(rest, &path[at..], false)),
            [b'?', rest @ ..] => {
                path.first().is_some_and(|c| *c != b'/') && plain(rest, &path[1..], false)
            }
            [c, rest @ ..] => path.first() == Some(c) && plain(rest, &path[1..], *c == b'/'),
        }
    }

    proptest! {
        #[test]
        fn patterns_mean_what_they_say(pattern in "([ab/?*]|\\*\\*/){0,7}", path in "[ab/]{0,8}") {
            prop_assume!(!pattern.contains("***"));
            prop_assert_eq!(
                matches(&pattern, &path),
                plain(pattern.as_bytes(), path.as_bytes(), true),
                "{} {}", pattern, path
            );
        }

        #[test]
        fn no_pattern_is_an_error(pattern in "[\\[\\]!^\\\\*?a/-]{0,12}", path in "\\PC{0,8}") {
            matches(&pattern, &path);
        }
    }
}
