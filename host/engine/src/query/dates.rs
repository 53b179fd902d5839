//! Dates as people write them, as stretches of time.

use std::ops::Range;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{ToSpan, Unit, ZonedDateTime};
use pkb_store::Millis;

/// The stretch of time that `text` names, seen from `now`, in its time zone:
/// from its first millisecond to before its end. None when it names none.
///
/// | written | meant |
/// | --- | --- |
/// | `2024`, `2024-03`, `2024-03-09` | that year, month, day |
/// | `2024-03-09T14:30` | that minute |
/// | `today`, `yesterday` | that day |
/// | `monday` ... `sunday` | the last such day, today included |
/// | `this-week`, `last-week` | from Monday |
/// | `this-month`, `last-month`, `this-year`, `last-year` | that month or year |
/// | `24h`, `7d`, `2w`, `3m`, `1y` | from that long ago until now and after |
pub fn span_of(text: &str, now: &ZonedDateTime) -> Option<Range<Millis>> {
    let text = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let today = now.date();
    let days = |from: Date, to: Date| {
        let at = |date: Date| {
            let zoned = date.to_zoned_datetime(now.time_zone().clone()).ok()?;
            Some(zoned.timestamp().as_millisecond())
        };
        Some(at(from)?..at(to)?)
    };
    let monday = || today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days());
    let month = |date: Date| days(date, date.checked_add(1.month()).ok()?);
    let year = |date: Date| days(date, date.checked_add(1.year()).ok()?);
    let day = |date: Date| days(date, date.checked_add(1.day()).ok()?);
    match text.as_str() {
        "today" => return day(today),
        "yesterday" => return day(today.yesterday().ok()?),
        "this-week" => {
            let monday = monday().ok()?;
            return days(monday, monday.checked_add(1.week()).ok()?);
        }
        "last-week" => {
            let monday = monday().ok()?;
            return days(monday.checked_sub(1.week()).ok()?, monday);
        }
        "this-month" => return month(today.first_of_month()),
        "last-month" => return month(today.first_of_month().checked_sub(1.month()).ok()?),
        "this-year" => return year(today.first_of_year()),
        "last-year" => return year(today.first_of_year().checked_sub(1.year()).ok()?),
        _ => {}
    }
    if let Some(weekday) = weekday(&text) {
        let back = weekday.until(today.weekday());
        return day(today.checked_sub(i64::from(back).days()).ok()?);
    }
    if let Some(from) = ago(&text, now) {
        return Some(from..Millis::MAX);
    }
    absolute(&text, now, &day, &month, &year)
}

/// The stretch of time that a date names, or two with `..` between, of which
/// one may be missing: then it begins at `Millis::MIN` or ends at
/// `Millis::MAX`. None when that is none.
pub fn range_of(value: &str, now: &ZonedDateTime) -> Option<Range<Millis>> {
    let Some((from, to)) = value.split_once("..") else {
        return span_of(value, now);
    };
    let start = match from {
        "" => Millis::MIN,
        from => span_of(from, now)?.start,
    };
    let end = match to {
        "" => Millis::MAX,
        to => span_of(to, now)?.end,
    };
    (start < end).then_some(start..end)
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// `7d` and the like: when that was.
fn ago(text: &str, now: &ZonedDateTime) -> Option<Millis> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|n| *n >= 0)?;
    let span = match unit {
        'h' => jiff::Span::new().try_hours(number),
        'd' => jiff::Span::new().try_days(number),
        'w' => jiff::Span::new().try_weeks(number),
        'm' => jiff::Span::new().try_months(number),
        'y' => jiff::Span::new().try_years(number),
        _ => return None,
    };
    let then = now.checked_sub(span.ok()?).ok()?;
    Some(then.timestamp().as_millisecond())
}

fn absolute(
    text: &str,
    now: &ZonedDateTime,
    day: &dyn Fn(Date) -> Option<Range<Millis>>,
    month: &dyn Fn(Date) -> Option<Range<Millis>>,
    year: &dyn Fn(Date) -> Option<Range<Millis>>,
) -> Option<Range<Millis>> {
    if text.contains('t') {
        let minute: DateTime = text.to_uppercase().parse().ok()?;
        let from = minute.to_zoned_datetime(now.time_zone().clone()).ok()?;
        let from = from.timestamp().as_millisecond();
        let minutes = if minute.second() == 0 { 60_000 } else { 1000 };
        return Some(from..from + minutes);
    }
    let mut parts = text.split(['-', '/', '.']);
    let number = |part: Option<&str>| -> Option<Option<i16>> {
        match part {
            None => Some(None),
            Some(part) if part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()) => {
                Some(Some(part.parse().ok()?))
            }
            Some(_) => None,
        }
    };
    let first = parts.next()?;
    if first.len() != 4 {
        return None;
    }
    let (y, m, d) = (
        number(Some(first))??,
        number(parts.next())?,
        number(parts.next())?,
    );
    if parts.next().is_some() {
        return None;
    }
    let date = |m: i16, d: i16| Date::new(y, i8::try_from(m).ok()?, i8::try_from(d).ok()?).ok();
    match (m, d) {
        (None, _) => year(date(1, 1)?),
        (Some(m), None) => month(date(m, 1)?),
        (Some(m), Some(d)) => day(date(m, d)?),
    }
}

/// A stretch of time for people, such as `2024-03-01 to 2024-03-31`, as days in
/// the time zone of `now`.
pub(super) fn in_words(time: Millis, now: &ZonedDateTime) -> String {
    let Ok(time) = jiff::Timestamp::from_millisecond(time) else {
        return "any time".into();
    };
    let zoned = time.to_zoned_datetime(now.time_zone().clone());
    let midnight = zoned.hour() == 0 && zoned.minute() == 0;
    match zoned.round(Unit::Minute) {
        Ok(minute) if !midnight => minute.strftime("%Y-%m-%d %H:%M").to_string(),
        _ => zoned.date().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> ZonedDateTime {
        // A Thursday.
        let vienna = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = jiff::civil::date(2026, 11, 26).at(15, 20, 0, 0);
        now.to_zoned_datetime(vienna).unwrap()
    }

    fn span(text: &str) -> Option<String> {
        let now = now();
        let show = |time: Millis| in_words(time, &now);
        span_of(text, &now).map(|span| format!("{} {}", show(span.start), show(span.end)))
    }

    #[test]
    fn dates_are_stretches_of_time() {
        for (text, wanted) in [
            ("2024", "2024-01-01 2025-01-01"),
            ("2024-02", "2024-02-01 2024-03-01"),
            ("2024-2-9", "2024-02-09 2024-02-10"),
            ("2024/02/29", "2024-02-29 2024-03-01"),
            ("2024-03-09T14:30", "2024-03-09 14:30 2024-03-09 14:31"),
            ("today", "2026-11-26 2026-11-27"),
            ("Yesterday", "2026-11-25 2026-11-26"),
            ("thursday", "2026-11-26 2026-11-27"),
            ("friday", "2026-11-20 2026-11-21"),
            ("this-week", "2026-11-23 2026-11-30"),
            ("last week", "2026-11-16 2026-11-23"),
            ("this-month", "2026-11-01 2026-12-01"),
            ("last-month", "2026-10-01 2026-11-01"),
            ("last-year", "2025-01-01 2026-01-01"),
            ("7d", "2026-11-19 15:20 any time"),
            ("24h", "2026-11-25 15:20 any time"),
            ("3m", "2026-08-26 15:20 any time"),
        ] {
            assert_eq!(span(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "x",
            "2024-13",
            "2023-02-29",
            "24",
            "20245",
            "12:30",
            "7",
            "-7d",
            "7q",
            "d",
            "last-day",
            "2024-01-01-01",
            "99999999999999999999d",
            "9999999y",
            "é",
            "２０２４",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_that_the_clocks_change_on_is_whole() {
        let span = span_of("2026-10-25", &now()).unwrap();
        assert_eq!(span.end - span.start, 25 * 3_600_000);
    }
}
