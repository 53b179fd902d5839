//! Words that find nearly everything.

/// English function words, as a person would type them.
const STOPWORDS: [&str; 62] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "you",
];

/// Leaves function words out where anything else is asked.
pub(super) fn remove(words: &mut Vec<String>, anything_else: bool) {
    if anything_else || words.iter().any(|word| !is_stopword(word)) {
        words.retain(|word| !is_stopword(word));
    }
}

fn is_stopword(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    // `IT` and `Who` are more likely names than function words.
    bare.chars().skip(1).all(|c| !c.is_uppercase())
        && STOPWORDS
            .iter()
            .any(|stopword| bare.eq_ignore_ascii_case(stopword))
}
