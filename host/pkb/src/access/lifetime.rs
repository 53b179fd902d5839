//! How long a token is valid, as a user says it.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Hours of the units; a month counts 30 days, a year 365.
const UNITS: [(char, i64); 5] = [('h', 1), ('d', 24), ('w', 168), ('m', 720), ('y', 8760)];
/// A hundred years; beyond that, never is what is meant.
const LONGEST: i64 = 876_000;

/// When a token stops being valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// So many hours after it was made.
    Hours(i64),
    /// When this day is over, in universal time.
    Through(Date),
    /// Only when it is revoked.
    Never,
}

impl Lifetime {
    /// When a token made at `now` stops being valid; none for never.
    ///
    /// # Errors
    /// When that is past already, in words for the user.
    pub(crate) fn end(self, now: Timestamp) -> Result<Option<Timestamp>, String> {
        let end = match self {
            Lifetime::Never => return Ok(None),
            Lifetime::Hours(hours) => now.checked_add(SignedDuration::from_hours(hours)).ok(),
            Lifetime::Through(day) => day
                .tomorrow()
                .and_then(|next| TimeZone::UTC.to_timestamp(next.at(0, 0, 0, 0)))
                .ok(),
        };
        match end {
            Some(end) if end > now => Ok(Some(end)),
            Some(_) => Err("that day is over already".into()),
            None => Err("that is too far away; `--expires never` makes one for good".into()),
        }
    }
}

impl FromStr for Lifetime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is neither a time such as 12h, 90d, 6m or 1y, nor a day such as 2027-06-30, nor never"
            )
        };
        if text.eq_ignore_ascii_case("never") {
            return Ok(Lifetime::Never);
        }
        if let Ok(day) = text.parse::<Date>() {
            return Ok(Lifetime::Through(day));
        }
        let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
        let (unit, hours) = unit.ok_or_else(wrong)?;
        let number = text.strip_suffix(*unit).unwrap_or_default();
        match number.parse::<u32>() {
            Ok(0) => Err("a token that is never valid is of no use".into()),
            Ok(number) if i64::from(number) * hours <= LONGEST => {
                Ok(Lifetime::Hours(i64::from(number) * hours))
            }
            Ok(_) => Err(format!("{text:?} is over a hundred years; say never")),
            Err(_) => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_understood() {
        let now: Timestamp = "2026-03-09T12:00:00Z".parse().unwrap();
        let end = |text: &str| {
            let end = text.parse::<Lifetime>()?.end(now)?;
            Ok::<_, String>(end.map(|end| end.to_string()))
        };
        assert_eq!(end("never"), Ok(None));
        assert_eq!(end("90d"), Ok(Some("2026-06-07T12:00:00Z".into())));
        assert_eq!(end("12h"), Ok(Some("2026-03-10T00:00:00Z".into())));
        assert_eq!(end("1y"), Ok(Some("2027-03-09T12:00:00Z".into())));
        assert_eq!(end("2026-03-09"), Ok(Some("2026-03-10T00:00:00Z".into())));
        for wrong in [
            "",
            "d",
            "0d",
            "-1d",
            "1.5d",
            "90",
            "1000y",
            "2026-03-08",
            "2026-02-30",
            "soon",
            "é",
            "9é",
            "99999999999d",
            "-9999-01-01",
        ] {
            assert!(end(wrong).is_err(), "{wrong}");
        }
    }
}
