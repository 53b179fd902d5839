//! What a change does to a text, line by line.

/// Lines shown before and after what changes.
const CONTEXT: usize = 3;
/// Of a longer line only the part is shown that changes.
const LONG: usize = 160;
/// What of it is shown around that.
const AROUND: usize = 30;

/// The change from `old` to `new` as a unified diff, without the files' names;
/// empty where there is none. Line ends are not shown.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let before = same(&mut old.iter().zip(&new));
    if before == old.len() && before == new.len() {
        return String::new();
    }
    let rest = (old.len() - before).min(new.len() - before);
    let after = same(&mut old.iter().rev().zip(new.iter().rev())).min(rest);
    let (gone, come) = (
        &old[before..old.len() - after],
        &new[before..new.len() - after],
    );
    let first = before.saturating_sub(CONTEXT);
    let trailing = after.min(CONTEXT);
    let range = |changed: usize| {
        let count = before - first + changed + trailing;
        let start = if count == 0 { first } else { first + 1 };
        format!("{start},{count}")
    };
    let mut text = format!("@@ -{} +{} @@\n", range(gone.len()), range(come.len()));
    let mut add = |sign: char, line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        text.push_str(format!("{sign}{line}").trim_end());
        text.push('\n');
    };
    for line in &new[first..before] {
        add(' ', &short(line, 0, line.len()));
    }
    let (start, end) = changed(gone, come);
    for line in gone {
        add('-', &short(line, start, end));
    }
    for line in come {
        add('+', &short(line, start, end));
    }
    for line in &new[new.len() - after..][..trailing] {
        add(' ', &short(line, 0, line.len()));
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Bytes at the start and at the end of a line that stay, where one line
/// changes.
fn changed(gone: &[&str], come: &[&str]) -> (usize, usize) {
    let ([gone], [come]) = (gone, come) else {
        return (0, 0);
    };
    let start = gone.bytes().zip(come.bytes()).take_while(|(a, b)| a == b);
    let end = gone.bytes().rev().zip(come.bytes().rev());
    (start.count(), end.take_while(|(a, b)| a == b).count())
}

/// A line without most of its first `start` and last `end` bytes, if it is
/// long.
fn short(line: &str, start: usize, end: usize) -> String {
    if line.len() <= LONG {
        return line.to_owned();
    }
    let mut from = start.saturating_sub(AROUND).min(line.len());
    let mut to = (line.len() - end.min(line.len()) + AROUND).clamp(from, line.len());
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    while !line.is_char_boundary(to) {
        to += 1;
    }
    let ellipsis = |shown: bool| if shown { "" } else { "…" };
    format!(
        "{}{}{}",
        ellipsis(from == 0),
        &line[from..to],
        ellipsis(to == line.len())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(diff(old, old), "");
        assert_eq!(
            diff(old, "a\nb\nc\nd\nE\nx\nf\ng\nh\n"),
            "@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+x\n f\n g\n h\n"
        );
        assert_eq!(diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(diff("a\r\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
    }

    #[test]
    fn of_a_long_line_the_change_is_shown_alone() {
        let secret = "s".repeat(300);
        let shown = diff(
            &format!("{secret}{{}}{secret}"),
            &format!("{secret}{{new}}{secret}"),
        );
        assert!(shown.contains("{new}"), "{shown}");
        assert!(shown.lines().all(|line| line.len() < 100), "{shown}");
        // Characters of several bytes are not torn.
        let wide = "ü".repeat(200);
        diff(&format!("{wide}a{wide}"), &format!("{wide}b{wide}"));
    }
}
