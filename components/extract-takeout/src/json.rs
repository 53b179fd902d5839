//! Takeout's JSON files, told by what is in them. Long lists are read entry by
//! entry and never held as a whole.

use std::fmt;
use std::io::BufReader;

use extract_core::Failure;
use serde::Deserialize;
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

    fn visit(&mut self, visit: Visit) {
        self.history.add(visit.record());
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

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Each(self.0, Found::take).visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "Browser History" => map.next_value_seed(Each(self.0, Found::visit))?,
                "items" => map.next_value_seed(Each(self.0, Found::take))?,
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

/// The entries of a list, one after the other.
struct Each<'a, T>(&'a mut Found, fn(&mut Found, T));

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Each<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self(found, take) = self;
        while let Some(entry) = list.next_element()? {
            take(found, entry);
        }
        Ok(())
    }
}
