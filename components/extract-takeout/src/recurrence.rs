//! Rules of recurrence in words.

/// `Every 2 weeks on Monday and Friday, 10 times`; nothing for a rule that
/// names no frequency.
pub(crate) fn in_words(rule: &str) -> Option<String> {
    let rule = rule.to_ascii_uppercase();
    let part = |name: &str| {
        let mut parts = rule.split(';');
        parts.find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))
    };
    let unit = match part("FREQ")? {
        "SECONDLY" => "second",
        "MINUTELY" => "minute",
        "HOURLY" => "hour",
        "DAILY" => "day",
        "WEEKLY" => "week",
        "MONTHLY" => "month",
        "YEARLY" => "year",
        _ => return None,
    };
    let interval = part("INTERVAL").and_then(|number| number.parse::<u32>().ok());
    let mut words = match interval {
        None | Some(0 | 1) => format!("Every {unit}"),
        Some(interval) => format!("Every {interval} {unit}s"),
    };
    if let Some(months) = part("BYMONTH") {
        push_list(&mut words, " in ", months.split(',').filter_map(month));
    }
    if let Some(days) = part("BYDAY") {
        let ordinal = part("BYSETPOS").and_then(ordinal);
        let before = ordinal.map_or(" on ".to_owned(), |ordinal| {
            format!(" on the {ordinal} of ")
        });
        push_list(&mut words, &before, days.split(',').filter_map(weekday));
    }
    if let Some(days) = part("BYMONTHDAY") {
        let days = days.split(',').filter_map(|day| match day {
            "-1" => Some("the last day".to_owned()),
            day => day.parse::<u8>().ok().map(|day| format!("day {day}")),
        });
        push_list(&mut words, " on ", days);
    }
    if let Some(count) = part("COUNT").and_then(|count| count.parse::<u32>().ok()) {
        words.push_str(&format!(
            ", {count} time{}",
            if count == 1 { "" } else { "s" }
        ));
    }
    if let Some(until) = part("UNTIL").and_then(day) {
        words.push_str(&format!(", until {until}"));
    }
    Some(words)
}

/// More than these are not listed.
const MOST: usize = 12;

fn push_list(words: &mut String, before: &str, list: impl Iterator<Item = String>) {
    let list: Vec<String> = list.take(MOST).collect();
    if let Some((last, others)) = list.split_last() {
        words.push_str(before);
        if !others.is_empty() {
            words.push_str(&others.join(", "));
            words.push_str(" and ");
        }
        words.push_str(last);
    }
}

/// `20240501...` as `2024-05-01`.
pub(crate) fn day(text: &str) -> Option<String> {
    let digits = text.trim().get(..8)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]))
}

fn month(number: &str) -> Option<String> {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let number: usize = number.trim().parse().ok()?;
    NAMES
        .get(number.checked_sub(1)?)
        .map(|name| (*name).to_owned())
}

/// `MO`, `2TU`, `-1FR`.
fn weekday(text: &str) -> Option<String> {
    const NAMES: [(&str, &str); 7] = [
        ("MO", "Monday"),
        ("TU", "Tuesday"),
        ("WE", "Wednesday"),
        ("TH", "Thursday"),
        ("FR", "Friday"),
        ("SA", "Saturday"),
        ("SU", "Sunday"),
    ];
    let text = text.trim();
    let (_, name) = NAMES.iter().find(|(short, _)| text.ends_with(short))?;
    let number = text.get(..text.len().checked_sub(2)?)?;
    Some(match ordinal(number) {
        Some(ordinal) => format!("the {ordinal} {name}"),
        None => (*name).to_owned(),
    })
}

fn ordinal(number: &str) -> Option<String> {
    let ordinal = match number.trim_start_matches('+') {
        "1" => "first",
        "2" => "second",
        "3" => "third",
        "4" => "fourth",
        "5" => "fifth",
        "-1" => "last",
        "-2" => "second to last",
        _ => return None,
    };
    Some(ordinal.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rules_read_as_people_say_them() {
        for (rule, words) in [
            ("FREQ=DAILY", "Every day"),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10",
                "Every 2 weeks on Monday and Friday, 10 times",
            ),
            (
                "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20241231T235959Z",
                "Every month on the last Friday, until 2024-12-31",
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=1,15,-1",
                "Every month on day 1, day 15 and the last day",
            ),
            (
                "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
                "Every year in March on the second Sunday",
            ),
            (
                "freq=monthly;byday=MO,TU;bysetpos=1",
                "Every month on the first of Monday and Tuesday",
            ),
        ] {
            assert_eq!(in_words(rule).as_deref(), Some(words), "{rule}");
        }
        for rule in ["", "FREQ=OFTEN", "BYDAY=MO"] {
            assert_eq!(in_words(rule), None, "{rule}");
        }
    }

    proptest! {
        #[test]
        fn any_rule_is_taken(rule in "(FREQ=(DAILY|WEEKLY)|;|BYDAY=|BYMONTH=|UNTIL=|[A-Zé0-9,=-]){0,20}") {
            in_words(&rule);
        }
    }
}
