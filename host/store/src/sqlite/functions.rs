//! Functions that filters and orders call in SQL, for what SQLite cannot say:
//! its own know letter case in ASCII alone.
//!
//! All give NULL for NULL. What they are asked for is the last argument and the
//! same in all rows, so that it is made ready once for each statement.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use super::attached::{BOOLEAN, NUMBER, TEXT, TIMESTAMP};
use super::fold::{composed, fold, sort_key};
use super::glob::Glob;

/// Gives a connection these functions.
pub(super) fn register(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    // sort_key(text)
    conn.create_scalar_function("sort_key", 1, flags, |ctx| {
        Ok(text(ctx, 0)?.map(|text| sort_key(text).into_owned()))
    })?;
    // same(text, wanted): equal in any letter case.
    conn.create_scalar_function("same", 2, flags, |ctx| {
        let wanted = ctx.get_or_create_aux(1, folded)?;
        Ok(text(ctx, 0)?.map(|text| fold(text) == *wanted))
    })?;
    // holds(text, wanted): has it in it, in any letter case.
    conn.create_scalar_function("holds", 2, flags, |ctx| {
        let wanted = ctx.get_or_create_aux(1, folded)?;
        Ok(text(ctx, 0)?.map(|text| fold(text).contains(wanted.as_str())))
    })?;
    // below(tag, wanted): this tag or one below it, in any letter case.
    conn.create_scalar_function("below", 2, flags, |ctx| {
        let wanted = ctx.get_or_create_aux(1, folded)?;
        Ok(text(ctx, 0)?.map(|text| {
            let tag = fold(text);
            let rest = tag.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }))
    })?;
    // path_fits(path, wanted)
    conn.create_scalar_function("path_fits", 2, flags, |ctx| {
        let wanted = ctx.get_or_create_aux(1, |wanted| wanted.as_str().map(Path::new))?;
        Ok(text(ctx, 0)?.map(|path| wanted.fits(path)))
    })?;
    // value_fits(type, value, wanted): of a property; timestamps come written out.
    conn.create_scalar_function("value_fits", 3, flags, |ctx| {
        let wanted = ctx.get_or_create_aux(2, |wanted| wanted.as_str().map(Wanted::new))?;
        Ok(wanted.fits(ctx.get(0)?, ctx.get_raw(1)))
    })
}

fn text<'a>(ctx: &'a Context<'_>, at: usize) -> rusqlite::Result<Option<&'a str>> {
    Ok(ctx.get_raw(at).as_str_or_null()?)
}

fn folded(wanted: ValueRef<'_>) -> rusqlite::types::FromSqlResult<String> {
    Ok(fold(wanted.as_str()?).into_owned())
}

/// The start of a path, or a pattern for it.
struct Path {
    start: String,
    glob: Option<Glob>,
}

impl Path {
    fn new(wanted: &str) -> Self {
        Self {
            start: composed(wanted).into_owned(),
            glob: Glob::is_one(wanted).then(|| Glob::new(wanted)),
        }
    }

    fn fits(&self, path: &str) -> bool {
        let starts = composed(path).starts_with(&self.start);
        starts || self.glob.as_ref().is_some_and(|g| g.matches(&fold(path)))
    }
}

/// The value asked of a property, as each type would write it.
struct Wanted {
    text: String,
    number: Option<f64>,
    boolean: Option<bool>,
    time: String,
}

impl Wanted {
    fn new(wanted: &str) -> Self {
        let wanted = wanted.trim();
        let text = fold(wanted).into_owned();
        Self {
            number: wanted.parse().ok(),
            boolean: match text.as_str() {
                "true" | "yes" => Some(true),
                "false" | "no" => Some(false),
                _ => None,
            },
            time: wanted.to_ascii_uppercase().replace(' ', "T"),
            text,
        }
    }

    fn fits(&self, kind: i64, value: ValueRef<'_>) -> bool {
        match (kind, value) {
            (TEXT, ValueRef::Text(_)) => value
                .as_str()
                .is_ok_and(|text| fold(text.trim()) == self.text),
            (NUMBER, ValueRef::Real(number)) => self.number == Some(number),
            (NUMBER, ValueRef::Integer(number)) => self.number == Some(number as f64),
            (BOOLEAN, ValueRef::Integer(value)) => self.boolean == Some(value != 0),
            (TIMESTAMP, ValueRef::Text(_)) => value.as_str().is_ok_and(|time| self.is_of(time)),
            _ => false,
        }
    }

    /// Whether a time, as `2024-03-09T10:30:00.000Z`, lies in the year, the
    /// month, the day, the hour ... that is asked for.
    fn is_of(&self, time: &str) -> bool {
        let rest = time.strip_prefix(&self.time);
        self.time.len() >= 4
            && rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_asked_for_by_their_parts() {
        let time = "2024-03-09T10:30:15.000Z";
        for part in [
            "2024",
            "2024-03",
            "2024-03-09",
            "2024-03-09 10:30",
            "2024-03-09t10:30:15",
            time,
        ] {
            assert!(Wanted::new(part).is_of(time), "{part}");
        }
        for part in [
            "",
            "2",
            "2024-0",
            "2024-03-0",
            "2025",
            "2024-03-09 10:3",
            "03-09",
        ] {
            assert!(!Wanted::new(part).is_of(time), "{part}");
        }
    }

    #[test]
    fn functions_pass_nothing_on_and_take_what_is_damaged() {
        let conn = Connection::open_in_memory().unwrap();
        register(&conn).unwrap();
        let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, Option<bool>>(0));
        for null in [
            "same(NULL, 'a')",
            "holds(NULL, 'a')",
            "below(NULL, 'a')",
            "path_fits(NULL, '*')",
        ] {
            assert_eq!(ask(&format!("SELECT {null}")), Ok(None), "{null}");
        }
        assert_eq!(ask("SELECT value_fits(4, NULL, 'a')"), Ok(Some(false)));
        assert!(ask("SELECT same(x'ff', 'a')").is_err());
        assert_eq!(ask("SELECT holds('Étude', 'ÉT')"), Ok(Some(true)));
    }
}
