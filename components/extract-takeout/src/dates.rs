//! Dates as Takeout's HTML writes them, in the language of the account:
//! `Jan 31, 2018, 10:54:50 PM CET`, `31.01.2018, 22:54:50 MEZ`, `31 janv. 2018
//! à 22:54:50`, `2018/01/31 22:54:50 JST`, `2018年1月31日下午10:54:50`.

mod names;

use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

use self::names::{AFTER_NOON, BEFORE_NOON, MONTHS, ZONES};

/// Which of day and month comes first, where both are numbers and the year is
/// last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As nearly everywhere.
    DayFirst,
    /// As in the United States.
    MonthFirst,
}

impl Order {
    /// What a file's dates show: a number over 12 can only be a day.
    pub(crate) fn of<'a>(dates: impl Iterator<Item = &'a str>) -> Self {
        let (mut day_first, mut month_first) = (0_usize, 0_usize);
        for date in dates {
            let numbers: Vec<i64> = tokens(date)
                .iter()
                .filter_map(|token| match token {
                    Token::Number(number) => Some(*number),
                    _ => None,
                })
                .take(2)
                .collect();
            if let [first, second] = numbers[..] {
                day_first += usize::from((13..=31).contains(&first));
                month_first += usize::from(first <= 12 && (13..=31).contains(&second));
            }
        }
        if month_first > day_first {
            Self::MonthFirst
        } else {
            Self::DayFirst
        }
    }
}

/// What is known of a date's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// It is given, or none is, which stands for UTC.
    Known,
    /// It has a name that we do not know; UTC was taken.
    Unknown,
}

/// A point in time as far as a text tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub(crate) ms: i64,
    pub(crate) zone: Zone,
}

#[derive(Debug, PartialEq)]
enum Token {
    Number(i64),
    /// In lower case, without dots.
    Word(String),
    /// Anything else but space.
    Sign(char),
}

/// Longer texts are no dates.
const LONGEST: usize = 120;

/// Reads a date with a time of day.
pub(crate) fn parse(text: &str, order: Order) -> Option<Parsed> {
    if text.len() > LONGEST {
        return None;
    }
    let (text, mut offset) = take_offset(text);
    let tokens = tokens(&text);

    // The time is the numbers between colons, or what is left of the date.
    let mut date = Vec::new();
    let mut time = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Token::Number(number) = token {
            let colon =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)) == Some(&Token::Sign(':'));
            if colon(at.checked_sub(1)) || colon(Some(at + 1)) {
                time.push(*number);
            } else {
                date.push(*number);
            }
        }
    }
    let words: Vec<&str> = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    let named = words.iter().find_map(|word| month(word));
    if time.is_empty() {
        let of_date = if named.is_some() { 2 } else { 3 };
        time = date.split_off(of_date.min(date.len()));
    }
    let (year, month, day) = match (named, date[..].first_chunk(), date[..].first_chunk()) {
        (Some(month), Some([a, b]), _) if *a > 31 => (*a, month, *b),
        (Some(month), Some([a, b]), _) => (*b, month, *a),
        (None, _, Some([a, b, c])) if *a > 31 => (*a, *b, *c),
        (None, _, Some([a, b, c])) => match order {
            Order::DayFirst => (*c, *b, *a),
            Order::MonthFirst => (*c, *a, *b),
        },
        _ => return None,
    };
    // Buddhist years are 543 ahead.
    let year = match year {
        0..=99 => year + 2000,
        2400..=2700 => year - 543,
        _ => year,
    };
    let small = |number: i64| i8::try_from(number).ok();
    let date = Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()?;
    let [hour, minute] = time[..].first_chunk()?;
    let hour = half_of_day(*hour, &words)?;
    let second = time.get(2).copied().unwrap_or(0);
    let time = Time::new(small(hour)?, small(*minute)?, small(second)?, 0).ok()?;

    let mut zone = Zone::Known;
    if offset.is_none() {
        offset = named_zone(&text, &mut zone);
    }
    let offset = Offset::from_seconds(offset.unwrap_or(0) * 60).ok()?;
    let timestamp = TimeZone::fixed(offset)
        .to_timestamp(date.to_datetime(time))
        .ok()?;
    Some(Parsed {
        ms: timestamp.as_millisecond(),
        zone,
    })
}

fn half_of_day(hour: i64, words: &[&str]) -> Option<i64> {
    // `p. m.` comes as two words.
    let halves = words.windows(2).map(|pair| pair.concat());
    let halves: Vec<String> = halves
        .chain(words.iter().map(|word| (*word).to_owned()))
        .collect();
    let is = |known: &[&str]| halves.iter().any(|half| known.contains(&half.as_str()));
    let after = is(&AFTER_NOON);
    if !after && !is(&BEFORE_NOON) {
        return Some(hour);
    }
    match (hour, after) {
        // Some count to 24 all the same.
        (13..=23, _) => Some(hour),
        (0..=12, true) => Some(hour % 12 + 12),
        (0..=12, false) => Some(hour % 12),
        _ => None,
    }
}

fn month(word: &str) -> Option<i64> {
    let begins = MONTHS.iter().zip(1..).flat_map(|(names, number)| {
        let names = names.iter().filter(|name| word.starts_with(**name));
        names.map(move |name| (name.len(), number))
    });
    begins.max().map(|(_, number)| number)
}

/// The zone whose letters stand last, as minutes.
fn named_zone(text: &str, zone: &mut Zone) -> Option<i32> {
    let last = text.split_whitespace().next_back()?;
    let last = last.trim_matches(['(', ')']);
    let letters = last.len() >= 2 && last.chars().all(|c| c.is_ascii_uppercase());
    if !letters || ["AM", "PM"].contains(&last) {
        return None;
    }
    // Two zones go by this name; the dates of the other are written so.
    if last == "CST" && text.contains('年') {
        return Some(480);
    }
    let found = ZONES.iter().find(|(name, _)| *name == last);
    if found.is_none() {
        *zone = Zone::Unknown;
    }
    found.map(|found| found.1)
}

/// Takes `GMT+01:00`, `UTC-5`, `UTC+5:30` out of a text: minutes.
fn take_offset(text: &str) -> (String, Option<i32>) {
    let text = text.replace('\u{2212}', "-");
    for name in ["GMT", "UTC"] {
        let Some((before, after)) = text.split_once(name) else {
            continue;
        };
        let Some(sign) = after.chars().next().filter(|c| matches!(c, '+' | '-')) else {
            continue;
        };
        let digits = &after[1..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit() && c != ':')
            .unwrap_or(digits.len());
        let (hours, minutes) = match digits[..end].split_once(':') {
            Some((hours, minutes)) => (hours, minutes),
            None if end == 4 => digits[..end].split_at(2),
            None => (&digits[..end], "0"),
        };
        if let (Ok(hours @ 0..=14), Ok(minutes @ 0..=59)) =
            (hours.parse::<i32>(), minutes.parse::<i32>())
        {
            let offset = hours * 60 + minutes;
            let rest = format!("{before} {}", &digits[end..]);
            return (rest, Some(if sign == '-' { -offset } else { offset }));
        }
    }
    (text, None)
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut number: Option<i64> = None;
    for c in text.chars().chain([' ']) {
        let digit = digit(c);
        if digit.is_none()
            && let Some(number) = number.take()
        {
            tokens.push(Token::Number(number));
        }
        // `p.m.` is one word.
        let in_word = c.is_alphabetic() && digit.is_none() || is_mark(c);
        if !in_word && c != '.' && !word.is_empty() {
            tokens.push(Token::Word(std::mem::take(&mut word)));
        }
        match digit {
            Some(digit) => {
                number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit))
            }
            None if in_word => word.extend(c.to_lowercase()),
            None if c == '.' || c.is_whitespace() || is_invisible(c) => {}
            None => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

/// Digits of the scripts in which Google writes dates.
fn digit(c: char) -> Option<i64> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6F0}'..='\u{6F9}' => '\u{6F0}',
        '\u{966}'..='\u{96F}' => '\u{966}',
        '\u{9E6}'..='\u{9EF}' => '\u{9E6}',
        '\u{E50}'..='\u{E59}' => '\u{E50}',
        _ => return None,
    };
    Some(i64::from(u32::from(c) - u32::from(zero)))
}

/// Vowel signs of Indic scripts and combining accents.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{903}' | '\u{93A}'..='\u{94F}' | '\u{E31}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}

/// Marks of the direction of writing.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2018-01-31T22:54:50Z.
    const EVENING: i64 = 1_517_439_290_000;

    #[test]
    fn one_moment_in_many_languages() {
        for (hours_ahead, text) in [
            (0, "Jan 31, 2018, 10:54:50 PM"),
            (0, "Jan 31, 2018, 10:54:50\u{202F}PM UTC"),
            (1, "31 Jan 2018, 22:54:50 CET"),
            (1, "31.01.2018, 22:54:50 MEZ"),
            (1, "31 janv. 2018, 22:54:50 CET"),
            (1, "31 janv. 2018 à 22:54:50 UTC+1"),
            (1, "31 ene 2018, 22:54:50 CET"),
            (-3, "31 de jan. de 2018, 22:54:50 BRT"),
            (-6, "31 ene. 2018, 10:54:50 p. m. GMT-06:00"),
            (1, "31 gen 2018, 22:54:50 CET"),
            (1, "31 jan. 2018 22:54:50 CET"),
            (1, "31. jan. 2018, 22.54.50 CET"),
            (2, "31.1.2018 klo 22.54.50 EET"),
            (3, "31 янв. 2018 г., 22:54:50 MSK"),
            (3, "31 Oca 2018 22:54:50 GMT+03:00"),
            (1, "31 sty 2018, 22:54:50 CET"),
            (1, "31. 1. 2018 22:54:50 CET"),
            (9, "2018/01/31 22:54:50 JST"),
            (9, "2018. 1. 31. 오후 10:54:50 KST"),
            (8, "2018年1月31日 22:54:50 CST"),
            (8, "2018年1月31日 下午10:54:50 HKT"),
            (7, "22:54:50 31 thg 1, 2018 GMT+7"),
            (
                7,
                "31 ม.ค. 2561 22:54:50 GMT+07:00"
                    .replace("ม.ค.", "jan")
                    .as_str(),
            ),
            (3, "٣١ jan ٢٠١٨، ٢٢:٥٤:٥٠ GMT+3"),
        ] {
            let parsed = parse(text, Order::DayFirst);
            let expected = Parsed {
                ms: EVENING - hours_ahead * 3_600_000,
                zone: Zone::Known,
            };
            assert_eq!(parsed, Some(expected), "{text}");
        }
    }

    #[test]
    fn noon_and_midnight() {
        let hour = |text: &str| {
            let ms = parse(text, Order::DayFirst).unwrap().ms;
            ms / 3_600_000 % 24
        };
        assert_eq!(hour("Jan 31, 2018, 12:00:00 AM"), 0);
        assert_eq!(hour("Jan 31, 2018, 12:00:00 PM"), 12);
        assert_eq!(hour("Jan 31, 2018, 1:00:00 a.m."), 1);
    }

    #[test]
    fn a_file_shows_whether_day_or_month_comes_first() {
        let order = Order::of(["1/2/2018, 1:00:00 AM", "1/31/2018, 1:00:00 AM"].into_iter());
        assert_eq!(order, Order::MonthFirst);
        let parsed = parse("1/31/2018, 22:54:50", order).unwrap();
        assert_eq!(parsed.ms, EVENING);
        assert_eq!(Order::of(["31/1/2018"].into_iter()), Order::DayFirst);
        assert_eq!(Order::of([].into_iter()), Order::DayFirst);
    }

    #[test]
    fn an_unknown_zone_is_told() {
        let parsed = parse("31.01.2018, 22:54:50 XYZT", Order::DayFirst).unwrap();
        assert_eq!((parsed.ms, parsed.zone), (EVENING, Zone::Unknown));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "yesterday",
            "31.13.2018 10:00",
            "2018",
            "Jan 2018",
            "31.01.2018",
            "10:54:50",
            "31 jan 2018, 25:00",
        ] {
            assert_eq!(parse(text, Order::DayFirst), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "[0-9:./, a-zA-Z年月日午後٣GMT+-]{0,40}|.{0,40}") {
            parse(&text, Order::DayFirst);
            parse(&text, Order::MonthFirst);
        }
    }
}
