//! Lengths of time as people write them.

/// The seconds that `text` says: a number of them, or numbers with `s`, `m` and
/// `h` such as `90s`, `1.5m`, `1h30m`. None when it says none.
pub fn seconds_of(text: &str) -> Option<f64> {
    parse(text).map(|(seconds, _)| seconds)
}

/// The least and the most seconds, ends included, that `value` lets through:
/// `>10m`, `>=10m`, `<90s`, `<=90s`, `5m..20m`, `5m..`, `..20m`, or a length
/// alone, which stands for all that round down to it (`10m`: up to eleven
/// minutes). None when it says none, or nothing can be so long.
pub(super) fn duration_range(value: &str) -> Option<(Option<f64>, Option<f64>)> {
    if let Some(rest) = value.strip_prefix('>') {
        return Some(match rest.strip_prefix('=') {
            Some(least) => (Some(seconds_of(least)?), None),
            None => (Some(seconds_of(rest)?.next_up()), None),
        });
    }
    if let Some(rest) = value.strip_prefix('<') {
        let most = match rest.strip_prefix('=') {
            Some(most) => seconds_of(most)?,
            None => seconds_of(rest)?.next_down(),
        };
        return (most >= 0.0).then_some((None, Some(most)));
    }
    let Some((from, to)) = value.split_once("..") else {
        let (seconds, unit) = parse(value)?;
        return Some((Some(seconds), Some((seconds + unit).next_down())));
    };
    let end = |text: &str| match text.trim() {
        "" => Some(None),
        text => seconds_of(text).map(Some),
    };
    let (least, most) = (end(from)?, end(to)?);
    let possible = match (least, most) {
        (Some(least), Some(most)) => least <= most,
        (None, None) => false,
        _ => true,
    };
    possible.then_some((least, most))
}

/// The seconds, and those of the smallest unit that was named.
fn parse(text: &str) -> Option<(f64, f64)> {
    let mut seconds = 0.0;
    let mut smallest = 1.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        let unit = rest[end..].chars().next();
        smallest = match unit.map(|c| c.to_ascii_lowercase()) {
            None | Some('s') => 1.0,
            Some('m') => 60.0,
            Some('h') => 3600.0,
            Some(_) => return None,
        };
        seconds += number * smallest;
        rest = &rest[end + unit.map_or(0, char::len_utf8)..];
    }
    Some((seconds, smallest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        for (text, seconds) in [
            ("90", 90.0),
            ("1.5m", 90.0),
            ("1h30m5s", 5405.0),
            ("2H", 7200.0),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
        }
        for wrong in ["", "m", "5x", "1h é", "-5", "1..2", "NaN", "5 m"] {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_hold_what_they_say() {
        let holds = |value: &str, seconds: f64| {
            let (least, most) = duration_range(value).unwrap();
            least.is_none_or(|least| least <= seconds) && most.is_none_or(|most| seconds <= most)
        };
        for (value, within, without) in [
            (">10m", &[600.5, 9e9][..], &[600.0, 0.0][..]),
            (">=10m", &[600.0], &[599.9]),
            ("<90s", &[89.9, 0.0], &[90.0]),
            ("<=90", &[90.0], &[90.1]),
            ("5m..20m", &[300.0, 1200.0], &[299.9, 1200.1]),
            ("5m..", &[300.0, 9e9], &[299.9]),
            ("..20m", &[0.0, 1200.0], &[1200.1]),
            ("10m", &[600.0, 659.9], &[599.9, 660.0]),
            ("1h", &[3600.0, 7199.0], &[7200.0]),
            ("90", &[90.0, 90.9], &[91.0]),
        ] {
            for seconds in within {
                assert!(holds(value, *seconds), "{value} {seconds}");
            }
            for seconds in without {
                assert!(!holds(value, *seconds), "{value} {seconds}");
            }
        }
        for wrong in [
            "", ">", "..", "20m..5m", "<0", "long", "5m..x", "=5m", "><5m",
        ] {
            assert_eq!(duration_range(wrong), None, "{wrong}");
        }
    }
}
