//! Labels that mail programs put on messages, and the tags they become.

use std::collections::HashSet;

use crate::headers::Headers;

/// Labels of a message, each once.
pub(crate) fn of(headers: &Headers<'_>) -> Vec<String> {
    let mut labels = Vec::new();
    // Exported by Gmail, in the language of the account.
    for value in headers
        .all("x-gmail-labels")
        .filter_map(crate::headers::text)
    {
        labels.extend(comma_separated(&value));
    }
    for name in ["keywords", "x-keywords", "x-label"] {
        for value in headers.all(name).filter_map(crate::headers::text) {
            if value.contains(',') {
                labels.extend(comma_separated(&value));
            } else if name == "x-keywords" {
                labels.extend(value.split_whitespace().map(str::to_owned));
            } else {
                labels.push(value);
            }
        }
    }
    for value in headers
        .all("x-mozilla-keys")
        .filter_map(crate::headers::text)
    {
        labels.extend(value.split_whitespace().map(str::to_owned));
    }
    // What programs note for themselves is no label.
    labels.retain(|label| {
        !label.starts_with('$') && !matches!(label.as_str(), "NonJunk" | "Junk" | "NotJunk")
    });
    let mut seen = HashSet::new();
    labels.retain(|label| seen.insert(label.to_lowercase()));
    labels
}

/// The labels as tags, each once.
pub(crate) fn tags(labels: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    labels
        .iter()
        .filter_map(|label| tag(label))
        .filter(|tag| seen.insert(tag.to_lowercase()))
        .collect()
}

/// A list whose entries may be quoted.
fn comma_separated(text: &str) -> Vec<String> {
    let (mut entries, mut entry, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' if quoted => entry.extend(chars.next()),
            ',' if !quoted => entries.push(std::mem::take(&mut entry)),
            _ => entry.push(c),
        }
    }
    entries.push(entry);
    entries
        .iter()
        .map(|entry| entry.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// A label as a tag: words joined with hyphens, nothing that ends a tag.
fn tag(label: &str) -> Option<String> {
    let mut tag = String::new();
    for c in label.chars() {
        if c.is_alphanumeric()
            || matches!(c, '_' | '/')
            || !(c.is_ascii() || c.is_control() || c.is_whitespace())
        {
            tag.push(c);
        } else if !tag.is_empty() && !tag.ends_with(['-', '/']) {
            tag.push('-');
        }
    }
    let tag = tag.trim_matches(['-', '/']);
    // A number alone is no tag.
    tag.contains(char::is_alphabetic).then(|| tag.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_gmail_are_decoded_in_any_language() {
        let block = b"X-Gmail-Labels: =?UTF-8?Q?Posteingang,Ge=C3=B6ffnet,?=\r\n =?UTF-8?Q?\"Haus,_Garten\",Kunden/M=C3=BCller?=\r\n";
        let labels = of(&Headers::of(block));
        assert_eq!(
            labels,
            ["Posteingang", "Geöffnet", "Haus, Garten", "Kunden/Müller"]
        );
        assert_eq!(
            tags(&labels),
            ["Posteingang", "Geöffnet", "Haus-Garten", "Kunden/Müller"]
        );
    }

    #[test]
    fn labels_of_other_programs() {
        let block = b"X-Keywords: work Junk $label1 2024    \nKeywords: a, b c\nX-Label: Work\n";
        let labels = of(&Headers::of(block));
        assert_eq!(labels, ["a", "b c", "work", "2024"]);
        assert_eq!(tags(&labels), ["a", "b-c", "work"]);
    }
}
