use super::{analyze, found};

/// Whether `query` meets another form of its word, by a stem.
#[track_caller]
fn assert_meets(query: &str, document: &str) {
    let hits = found(query, document);
    assert!(hits.iter().all(Option::is_some), "{query:?}: {hits:?}");
}

#[test]
fn a_query_of_a_word_meets_documents_in_its_language() {
    for (query, document) in [
        (
            "searches",
            "You can search for the words that are in your notes.",
        ),
        (
            "Verknüpfung",
            "Die Verknüpfungen sind in der Liste und werden nicht gelöscht.",
        ),
        (
            "étudiante",
            "Les étudiantes sont dans la salle et nous les avons vues.",
        ),
        ("canción", "Las canciones que los niños cantan en el coro."),
        (
            "informação",
            "As informações que você tem não são para uso.",
        ),
        ("город", "В больших городах живут люди и они работают."),
        ("книга", "На столе лежали книги, которые он читал."),
        (
            "kızlar",
            "Bu kız ile kardeşi çok daha iyi olan bir okul için.",
        ),
    ] {
        assert_meets(query, document);
    }
}

#[test]
fn a_text_is_stemmed_by_its_own_language_alone() {
    let german = "Die Katzen sind in der Küche und schlafen, wenn es regnet.";
    let stems = analyze(german)
        .into_iter()
        .filter(|term| term.text == "~katz")
        .count();
    assert_eq!(stems, 1);
    assert!(!analyze(german).iter().any(|term| term.text == "~katzen"));
    let english = "The cats are in the kitchen and they sleep when it rains.";
    assert!(analyze(english).iter().any(|term| term.text == "~rain"));
}

#[test]
fn latin_words_among_others_are_english() {
    assert_meets("plugin", "このプラグインは plugins フォルダーにあります");
    assert_meets("plugin", "Все plugins лежат в этой папке");
}

#[test]
fn ukrainian_and_persian_have_stemmers_of_their_own() {
    let stems = |text: &str| -> Vec<String> {
        let terms = analyze(text).into_iter();
        terms
            .map(|term| term.text)
            .filter(|text| text.starts_with('~'))
            .collect()
    };
    assert_eq!(stems("читання їх")[0], "~чит");
    assert_ne!(stems("читання эти")[0], "~чит");
    assert_eq!(stems("کتاب‌ها گرفت")[0], stems("کتاب گرفت")[0]);
}
