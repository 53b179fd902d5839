//! Takeout's JSON files, told by what is in them. Long lists are read entry by
//! entry and never held as a whole.

use std::fmt;
use std::io::BufReader;

use extract_core::Failure;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::activity::history::History;
use crate::activity::json::{Activity, Visit};
use crate::items::Items;
use crate::stream::Stream;
use crate::{keep, resources};

/// What was found in a file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) history: History,
    pub(crate) resources: Items,
    /// The members of a Keep note.
    pub(crate) note: Map<String, Value>,
    /// Entries that are nothing we know.
    pub(crate) unknown: usize,
    pub(crate) warnings: Vec<String>,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.history.records() == 0 && self.resources.documents.is_empty() && self.note.is_empty()
    }

    fn take(&mut self, entry: Activity) {
        if entry.is_resource() {
            match resources::document(&entry) {
                Some(document) => self.resources.add(document),
                None => self.unknown += 1,
            }
        } else if let Some(record) = entry.record() {
            self.history.add(record);
        } else {
            self.unknown += 1;
        }
    }
}

/// Reads a file. What breaks off is kept as far as it goes.
///
/// # Errors
/// For what is no JSON, and what the host says.
pub(crate) fn read(mut stream: Stream<'_>) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut reader = BufReader::with_capacity(1 << 16, &mut stream);
    let mut deserializer = serde_json::Deserializer::from_reader(&mut reader);
    let read = Top(&mut found).deserialize(&mut deserializer);
    if let Some(failure) = stream.failure.take() {
        return Err(failure);
    }
    if let Err(error) = read {
        if found.is_empty() {
            return Err(Failure::invalid(format!(
                "The JSON cannot be read: {error}."
            )));
        }
        found.warnings.push(format!(
            "The file is damaged; what comes before that was read: {error}."
        ));
    }
    Ok(found)
}

/// The value that a file is.
struct Top<'a>(&'a mut Found);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element()? {
            self.0.take(entry);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "Browser History" => map.next_value_seed(Visits(self.0))?,
                "items" => map.next_value_seed(Entries(self.0))?,
                name if keep::MEMBERS.contains(&name) => {
                    let value = map.next_value()?;
                    self.0.note.insert(name.to_owned(), value);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

macro_rules! list_of {
    ($name:ident, $entry:ty, $take:expr) => {
        struct $name<'a>(&'a mut Found);

        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_seq(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
                while let Some(entry) = list.next_element::<$entry>()? {
                    $take(&mut *self.0, entry);
                }
                Ok(())
            }
        }
    };
}

list_of!(Visits, Visit, |found: &mut Found, visit: Visit| {
    found.history.add(visit.record());
});
list_of!(Entries, Activity, Found::take);
