//! What a person typed -> what is looked for. No input is ever an error.

/// The longest query that is taken whole, in bytes; the rest is left out.
const LONGEST: usize = 64 << 10;

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// As typed, trimmed and without control characters.
    pub text: String,
    /// Words and quoted phrases to look for literally.
    pub terms: Vec<String>,
}

impl Query {
    /// Takes `input` apart: what stands between double quotes is one phrase, a
    /// quote that is never closed is a character like any other, and everything
    /// else is words.
    pub fn parse(input: &str) -> Query {
        let text = clean(input);
        let mut terms = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('"') {
            words(before, &mut terms);
            match after.split_once('"') {
                Some((phrase, after)) => {
                    push(phrase.trim(), &mut terms);
                    rest = after;
                }
                None => {
                    rest = after;
                    break;
                }
            }
        }
        words(rest, &mut terms);
        // Function words find nearly every note, so they count only where
        // nothing else is asked.
        if terms.iter().any(|term| !is_stopword(term)) {
            terms.retain(|term| !is_stopword(term));
        }
        Query { text, terms }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// English function words, as a person would type them.
const STOPWORDS: [&str; 62] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "you",
];

fn is_stopword(term: &str) -> bool {
    let bare = term.trim_matches(|c: char| !c.is_alphanumeric());
    // `IT` and `Who` are more likely names than function words.
    bare.chars().skip(1).all(|c| !c.is_uppercase())
        && STOPWORDS
            .iter()
            .any(|stopword| bare.eq_ignore_ascii_case(stopword))
}

fn words(text: &str, terms: &mut Vec<String>) {
    for word in text.split_whitespace() {
        push(word, terms);
    }
}

fn push(term: &str, terms: &mut Vec<String>) {
    if term.chars().any(char::is_alphanumeric) {
        terms.push(term.to_owned());
    }
}

fn clean(input: &str) -> String {
    let mut end = input.len().min(LONGEST);
    while !input.is_char_boundary(end) {
        end -= 1;
    }
    let plain: String = input[..end]
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(input: &str) -> Vec<String> {
        Query::parse(input).terms
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(terms("plain words"), ["plain", "words"]);
        assert_eq!(
            terms("one \"whole phrase\" more"),
            ["one", "whole phrase", "more"]
        );
        assert_eq!(terms("\"half"), ["half"]);
        assert_eq!(terms("can't open o'brien"), ["can't", "open", "o'brien"]);
        assert_eq!(terms("app.vault.getFiles"), ["app.vault.getFiles"]);
    }

    #[test]
    fn function_words_count_only_alone() {
        assert_eq!(terms("how do I link to a heading?"), ["link", "heading?"]);
        assert_eq!(
            terms("to be or not to be"),
            ["to", "be", "or", "not", "to", "be"]
        );
        assert_eq!(terms("\"the who\" at IT"), ["the who", "IT"]);
    }

    #[test]
    fn nothing_to_look_for_is_no_error() {
        for input in ["", "   ", "\"\"", "!!! ??? --", "\u{0}\u{1}", "\" \""] {
            assert!(Query::parse(input).is_empty(), "{input:?}");
        }
    }

    #[test]
    fn a_paste_is_cut_at_a_character() {
        let long = "é".repeat(LONGEST);
        let query = Query::parse(&long);
        assert!(query.text.len() <= LONGEST && query.text.len() > LONGEST - 4);
    }
}
