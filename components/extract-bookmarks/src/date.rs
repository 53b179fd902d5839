//! Dates as bookmark files write them.

use jiff::Timestamp;
use jiff::fmt::{rfc2822, strtime};

/// Milliseconds between 1601, where Chromium's clock begins, and 1970.
const FROM_1601_MS: i64 = 11_644_473_600_000;

/// Milliseconds since 1970-01-01T00:00:00Z of a number of seconds,
/// milliseconds or microseconds since then, or of microseconds since 1601. The
/// size tells which: for dates from 1973 to 2286 the ranges are apart.
pub(crate) fn from_number(number: i64) -> Option<i64> {
    let ms = match number {
        i64::MIN..=0 => return None,
        1..100_000_000_000 => number * 1000,
        100_000_000_000..100_000_000_000_000 => number,
        100_000_000_000_000..10_000_000_000_000_000 => number / 1000,
        _ => number / 1000 - FROM_1601_MS,
    };
    Timestamp::from_millisecond(ms).ok().map(|_| ms)
}

/// Milliseconds since 1970-01-01T00:00:00Z of a date in an attribute: a number
/// as for [`from_number`], or one of the forms that services write.
pub(crate) fn from_text(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return from_number(number);
    }
    // Some write a fraction of a second after a point.
    if let Some((whole, fraction)) = text.split_once('.')
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = whole.parse::<i64>()
    {
        return from_number(number);
    }
    let timestamp = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| {
            let zoned = rfc2822::parse(text).ok()?;
            Some(zoned.timestamp())
        })
        .or_else(|| {
            let log = strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?;
            log.to_timestamp().ok()
        })?;
    Some(timestamp.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        let expected = Some(1_466_009_029_000);
        for text in [
            "1466009029",
            "1466009029.25",
            "1466009029000",
            "1466009029000000",
            "13110482629000000",
            "2016-06-15T16:43:49Z",
            "Wed, 15 Jun 2016 18:43:49 +0200",
            "15/Jun/2016:18:43:49 +0200",
        ] {
            assert_eq!(from_text(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_left_out() {
        for text in ["", "0", "-5", "soon", "99999999999999999999", "1.", "1.x"] {
            assert_eq!(from_text(text), None, "{text}");
        }
        assert_eq!(from_number(i64::MAX), None);
    }
}
