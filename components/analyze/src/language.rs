//! Which stemmers a text needs.

use frostem::Algorithm;

use crate::classes::{Script, script};
use crate::fold::{fold, head};
use crate::functionwords;

/// How much of a text is looked at, in bytes: enough to be sure.
const SAMPLE: usize = 4 << 10;

/// How much of it is compared with what is known of languages letter by letter,
/// which is slow.
const LETTERS: usize = 512;

/// The fewest words that such a comparison is sure about, and the fewest bytes
/// that it says anything about where nothing else does.
const FEW_WORDS: usize = 12;
const FEW_BYTES: usize = 12;

/// What a function word counts; a letter of few languages counts 1.
const FUNCTION_WORD: u32 = 3;

/// The least score, of two function words, to be sure of a language.
const SURE: u32 = 2 * FUNCTION_WORD;

/// How many words are counted before looking whether more are needed, and the
/// score that needs no more.
const ENOUGH_WORDS: usize = 32;
const ENOUGH: u32 = 8 * FUNCTION_WORD;

/// Languages of Latin script that have a stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Latin {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Norwegian,
    Danish,
    Finnish,
    Romanian,
    Hungarian,
    Turkish,
    Polish,
}

const ALL: [Latin; 15] = [
    Latin::English,
    Latin::German,
    Latin::French,
    Latin::Spanish,
    Latin::Italian,
    Latin::Portuguese,
    Latin::Dutch,
    Latin::Swedish,
    Latin::Norwegian,
    Latin::Danish,
    Latin::Finnish,
    Latin::Romanian,
    Latin::Hungarian,
    Latin::Turkish,
    Latin::Polish,
];

impl Latin {
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }

    fn stemmer(self) -> Algorithm {
        match self {
            Latin::English => Algorithm::English,
            Latin::German => Algorithm::German,
            Latin::French => Algorithm::French,
            Latin::Spanish => Algorithm::Spanish,
            Latin::Italian => Algorithm::Italian,
            Latin::Portuguese => Algorithm::Portuguese,
            Latin::Dutch => Algorithm::Dutch,
            Latin::Swedish => Algorithm::Swedish,
            Latin::Norwegian => Algorithm::Norwegian,
            Latin::Danish => Algorithm::Danish,
            Latin::Finnish => Algorithm::Finnish,
            Latin::Romanian => Algorithm::Romanian,
            Latin::Hungarian => Algorithm::Hungarian,
            Latin::Turkish => Algorithm::Turkish,
            Latin::Polish => Algorithm::Polish,
        }
    }

    fn code(self) -> whatlang::Lang {
        match self {
            Latin::English => whatlang::Lang::Eng,
            Latin::German => whatlang::Lang::Deu,
            Latin::French => whatlang::Lang::Fra,
            Latin::Spanish => whatlang::Lang::Spa,
            Latin::Italian => whatlang::Lang::Ita,
            Latin::Portuguese => whatlang::Lang::Por,
            Latin::Dutch => whatlang::Lang::Nld,
            Latin::Swedish => whatlang::Lang::Swe,
            Latin::Norwegian => whatlang::Lang::Nob,
            Latin::Danish => whatlang::Lang::Dan,
            Latin::Finnish => whatlang::Lang::Fin,
            Latin::Romanian => whatlang::Lang::Ron,
            Latin::Hungarian => whatlang::Lang::Hun,
            Latin::Turkish => whatlang::Lang::Tur,
            Latin::Polish => whatlang::Lang::Pol,
        }
    }
}

/// Letters that few languages have.
fn languages_of_letter(c: char) -> u32 {
    use Latin::*;
    let languages: &[Latin] = match c {
        'ß' => &[German],
        'ä' | 'Ä' => &[German, Swedish, Finnish],
        'ö' | 'Ö' => &[German, Swedish, Finnish, Turkish, Hungarian],
        'ü' | 'Ü' => &[German, Turkish, Hungarian],
        'å' | 'Å' => &[Swedish, Norwegian, Danish],
        'ø' | 'Ø' | 'æ' | 'Æ' => &[Norwegian, Danish],
        'ñ' | 'Ñ' | '¿' | '¡' => &[Spanish],
        'ã' | 'õ' | 'Ã' | 'Õ' => &[Portuguese],
        'ç' | 'Ç' => &[French, Portuguese, Turkish],
        'ğ' | 'ş' | 'ı' | 'İ' | 'Ş' => &[Turkish],
        'ő' | 'ű' | 'Ő' | 'Ű' => &[Hungarian],
        'ă' | 'ț' | 'ș' | 'ţ' | 'Ă' | 'Ț' | 'Ș' => &[Romanian],
        'î' => &[French, Romanian],
        'â' | 'ô' => &[French, Portuguese, Romanian],
        'ê' => &[French, Portuguese],
        'û' | 'œ' | 'Œ' => &[French],
        'è' | 'à' | 'ù' | 'È' | 'À' => &[French, Italian],
        'ì' | 'ò' => &[Italian],
        'é' | 'É' => &[French, Spanish, Portuguese, Hungarian],
        'í' | 'á' | 'ú' | 'Á' => &[Spanish, Portuguese, Hungarian],
        'ó' => &[Spanish, Portuguese, Hungarian, Polish],
        'ł' | 'ą' | 'ę' | 'ś' | 'ź' | 'ż' | 'ć' | 'ń' | 'Ł' | 'Ś' | 'Ż' => &[Polish],
        _ => &[],
    };
    languages
        .iter()
        .fold(0, |bits, language| bits | language.bit())
}

/// The stemmers of a text, by script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Languages {
    latin: [Option<Algorithm>; 2],
    cyrillic: Algorithm,
    arabic: Algorithm,
}

impl Languages {
    /// By the beginning of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let mut clues = Clues::default();
        for word in head(text, SAMPLE)
            .split(|c: char| !c.is_alphabetic() && !matches!(c, '\u{300}'..='\u{36f}'))
            .filter(|word| !word.is_empty())
        {
            clues.word(word);
        }
        Languages {
            latin: clues.latin().map(|language| language.map(Latin::stemmer)),
            cyrillic: if clues.ukrainian > clues.russian {
                Algorithm::Ukrainian
            } else {
                Algorithm::Russian
            },
            arabic: if clues.persian > 0 {
                Algorithm::Persian
            } else {
                Algorithm::Arabic
            },
        }
    }

    /// The stemmers for a word, by its first letter.
    pub(crate) fn stemmers(&self, first: char) -> [Option<Algorithm>; 2] {
        let only = match script(first) {
            Script::Latin => return self.latin,
            Script::Greek => Algorithm::Greek,
            Script::Cyrillic => self.cyrillic,
            Script::Armenian => Algorithm::Armenian,
            Script::Arabic => self.arabic,
            Script::Devanagari => Algorithm::Hindi,
            Script::Tamil => Algorithm::Tamil,
            Script::Other => return [None; 2],
        };
        [Some(only), None]
    }
}

#[derive(Default)]
struct Clues {
    /// Words of Latin script.
    words: usize,
    /// The first of them, for a comparison by letters.
    sample: String,
    scores: [u32; ALL.len()],
    /// Whether the language is so clear that no more words need be counted.
    is_clear: bool,
    russian: u32,
    ukrainian: u32,
    persian: u32,
}

impl Clues {
    fn word(&mut self, word: &str) {
        match word.chars().next().map(script) {
            Some(Script::Latin) => {}
            Some(Script::Cyrillic) => {
                for c in word.chars() {
                    self.russian += u32::from(matches!(c, 'ы' | 'э' | 'ё' | 'ъ'));
                    self.ukrainian += u32::from(matches!(c, 'і' | 'ї' | 'є' | 'ґ'));
                }
                return;
            }
            Some(Script::Arabic) => {
                self.persian += u32::from(word.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی']));
                return;
            }
            _ => return,
        }
        if self.is_clear {
            return;
        }
        self.words += 1;
        if self.words.is_multiple_of(ENOUGH_WORDS) {
            let (score, second, _) = self.best();
            self.is_clear = score >= ENOUGH && score >= 2 * second;
        }
        if self.sample.len() < LETTERS {
            self.sample.push_str(head(word, LETTERS));
            self.sample.push(' ');
        }
        if word.is_ascii() {
            if word.len() <= functionwords::LONGEST {
                let mut lower = [0; functionwords::LONGEST];
                let lower = &mut lower[..word.len()];
                lower.copy_from_slice(word.as_bytes());
                lower.make_ascii_lowercase();
                let lower = str::from_utf8(lower).unwrap_or_default();
                self.count(functionwords::languages(lower), FUNCTION_WORD);
            }
            return;
        }
        self.count(functionwords::languages(&fold(word)), FUNCTION_WORD);
        for c in head(word, LETTERS).chars().filter(|c| !c.is_ascii()) {
            self.count(languages_of_letter(c), 1);
        }
    }

    fn count(&mut self, languages: u32, points: u32) {
        let mut left = languages;
        while left != 0 {
            self.scores[left.trailing_zeros() as usize] += points;
            left &= left - 1;
        }
    }

    /// The two best scores, and the language of the best.
    fn best(&self) -> (u32, u32, Latin) {
        let (mut score, mut second, mut best) = (0, 0, Latin::English);
        for (language, &other) in ALL.into_iter().zip(&self.scores) {
            if other > score {
                (score, second, best) = (other, score, language);
            } else {
                second = second.max(other);
            }
        }
        (score, second, best)
    }

    /// The language, where the words tell it; otherwise English and the
    /// likeliest other one.
    fn latin(&self) -> [Option<Latin>; 2] {
        let english = Some(Latin::English);
        let (score, second, language) = self.best();
        if score >= SURE && 2 * score >= 3 * second {
            return [Some(language), None];
        }
        if score > second && self.words < FEW_WORDS {
            return [
                english,
                Some(language).filter(|&other| Some(other) != english),
            ];
        }
        if score == 0 && self.sample.len() < FEW_BYTES {
            return [english, None];
        }
        let guess = self.by_letters(score);
        match guess {
            Some((Latin::English, _)) | None => [english, None],
            Some((other, true)) if self.words >= FEW_WORDS => [Some(other), None],
            Some((other, _)) => [english, Some(other)],
        }
    }

    /// The likeliest of the languages with the best score, and whether that is
    /// reliable.
    fn by_letters(&self, best: u32) -> Option<(Latin, bool)> {
        let likely: Vec<Latin> = ALL
            .into_iter()
            .zip(&self.scores)
            .filter(|&(_, &score)| 3 * score >= 2 * best)
            .map(|(language, _)| language)
            .collect();
        let detector = whatlang::Detector::with_allowlist(
            likely.iter().map(|language| language.code()).collect(),
        );
        let found = detector.detect(&self.sample)?;
        let language = likely
            .into_iter()
            .find(|language| language.code() == found.lang())?;
        Some((language, found.is_reliable()))
    }
}
