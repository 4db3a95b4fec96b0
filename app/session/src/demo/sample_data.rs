//! Which collections the sample data made. Traffic writes to no others, so that it never fills a
//! collection that the user made in place of a dropped one.

use std::fmt::Write as _;

use bson::spec::BinarySubtype;
use bson::{Bson, Document, Uuid, doc};

use crate::job::TRAFFIC_DATABASE as DB;
use crate::job::reply::batch;

/// The collections of the database `demo` as the sample data made them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SampleData {
    made: Vec<(String, Uuid)>,
}

impl SampleData {
    /// The collections that exist now.
    pub fn of(run: Run<'_>) -> Self {
        let found = run(DB, &doc! {"listCollections": 1});
        let made = batch(&found).filter_map(|collection| {
            let name = collection.get_str("name").ok()?.to_owned();
            Some((name, uuid(collection.get_document("info").ok()?.get("uuid")?)?))
        });
        Self { made: made.collect() }
    }

    /// Whether both have this collection, and it is the same one, not another of its name.
    pub fn shares(&self, other: &Self, name: &str) -> bool {
        self.made.iter().any(|made| made.0 == name && other.made.contains(made))
    }

    /// One line a collection.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, uuid) in &self.made {
            let _ = writeln!(text, "{name} {uuid}");
        }
        text
    }

    /// Reads the output of [`to_text`](Self::to_text). `None` if a line is something else.
    pub fn from_text(text: &str) -> Option<Self> {
        let made = text.lines().map(|line| {
            let (name, uuid) = line.split_once(' ')?;
            Some((name.to_owned(), Uuid::parse_str(uuid).ok()?))
        });
        Some(Self { made: made.collect::<Option<_>>()? })
    }
}

fn uuid(value: &Bson) -> Option<Uuid> {
    let Bson::Binary(binary) = value else { return None };
    let bytes = binary.bytes.as_slice().try_into().ok()?;
    (binary.subtype == BinarySubtype::Uuid).then(|| Uuid::from_bytes(bytes))
}

/// Runs a command on a database and returns the reply.
pub type Run<'r> = &'r mut dyn FnMut(&str, &Document) -> Document;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_of_the_same_name_is_another_one() {
        let made = |byte: u8| SampleData {
            made: vec![("sessions".to_owned(), Uuid::from_bytes([byte; 16]))],
        };
        assert!(made(1).shares(&made(1), "sessions"));
        assert!(!made(1).shares(&made(2), "sessions"));
        assert!(!made(1).shares(&made(1), "carts"));
        assert_eq!(SampleData::from_text(&made(3).to_text()), Some(made(3)));
        assert_eq!(SampleData::from_text("sessions"), None);
        assert_eq!(SampleData::from_text("sessions 12"), None);
    }
}
