//! Rows that are not what was written, told by where they lie.

use std::fmt::{self, Display, Formatter};

use super::codec;
use crate::limits::FINDINGS_MAX;
use crate::store::{CollectionId, IndexId, RecordNumber};
use crate::value::id_number::RecordName;

/// A stored row that does not match its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DamagedRow {
    /// A document.
    Document {
        /// Its collection; the trash has the number 0.
        collection: CollectionId,
        /// Its number in there.
        record: RecordNumber,
    },
    /// An index entry.
    Entry {
        /// Its index.
        index: IndexId,
    },
    /// The counters of a collection or an index.
    Counters {
        /// The number of that.
        id: u32,
    },
    /// The definition of a collection.
    Definition {
        /// Its database and its name, with a dot between them.
        name: String,
    },
    /// A value of the store itself.
    Meta {
        /// Its name.
        name: String,
    },
    /// Not even its key can be right.
    Unknown {
        /// The table that it lies in.
        table: &'static str,
    },
}

/// The damaged rows of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DamagedRows {
    /// How many there are.
    pub count: u64,
    /// The first of them, in the order of the file.
    pub first: Vec<DamagedRow>,
}

impl DamagedRow {
    /// Looks at a row of a table; `None` when it is as it was written. Without a value the row is too long
    /// to have been.
    pub(in crate::store) fn look(
        table: &'static str,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Option<Self> {
        let is_sound = value.is_some_and(|value| match table {
            "documents" => codec::stored(key, value).is_ok(),
            "entries" => codec::entry(key, value).is_ok(),
            _ => codec::unseal(key, value, table).is_ok(),
        });
        if is_sound { None } else { Some(Self::at(table, key)) }
    }

    fn at(table: &'static str, key: &[u8]) -> Self {
        let row = match table {
            "documents" => codec::document_numbers(key).map(|(collection, record)| {
                Self::Document { collection: CollectionId(collection), record }
            }),
            "entries" => codec::leading_id(key).map(|id| Self::Entry { index: IndexId(id) }),
            "counters" => codec::number(key).map(|id| Self::Counters { id }),
            "catalog" => codec::catalog_names(key)
                .ok()
                .map(|(db, collection)| Self::Definition { name: format!("{db}.{collection}") }),
            _ => std::str::from_utf8(key).ok().map(|name| Self::Meta { name: name.to_owned() }),
        };
        row.unwrap_or(Self::Unknown { table })
    }
}

/// With the numbers of collections and indexes, for whoever can't look up their names.
impl Display for DamagedRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { collection: CollectionId(0), .. } => f.write_str("a row of the trash"),
            Self::Document { collection, record } => {
                write!(f, "{} of collection {}", RecordName(*record), collection.0)
            }
            Self::Entry { index } => write!(f, "an entry of index {}", index.0),
            Self::Counters { id: 0 } => f.write_str("the counters of the trash"),
            Self::Counters { id } => write!(f, "the counters of collection or index {id}"),
            Self::Definition { name } => write!(f, "the definition of {name}"),
            Self::Meta { name } => write!(f, "the store's own value {name:?}"),
            Self::Unknown { table } => write!(f, "a row of the table {table}"),
        }
    }
}

impl DamagedRows {
    pub(in crate::store) fn add(&mut self, row: DamagedRow) {
        self.count += 1;
        if self.first.len() < FINDINGS_MAX {
            self.first.push(row);
        }
    }

    /// "3 stored things are damaged (the first, the second and 1 more)", with these names of the first of
    /// them; `None` when nothing is damaged.
    #[must_use]
    pub fn in_words(&self, names: impl IntoIterator<Item = String>) -> Option<String> {
        const NAMED: usize = 3;
        let things = match self.count {
            0 => return None,
            1 => "1 stored thing is damaged".to_owned(),
            count => format!("{count} stored things are damaged"),
        };
        let mut names: Vec<String> = names.into_iter().take(NAMED).collect();
        let more = self.count.saturating_sub(names.len() as u64);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let last = names.pop().unwrap_or_default();
        let names =
            if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        Some(format!("{things} ({names})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_named_and_the_others_counted() {
        let mut rows = DamagedRows::default();
        let mut check = |expected: &str| {
            rows.add(DamagedRow::Document {
                collection: CollectionId(2),
                record: rows.count.into(),
            });
            let words = rows.in_words(rows.first.iter().map(ToString::to_string));
            assert_eq!(words.as_deref(), Some(expected));
        };
        check("1 stored thing is damaged (document 0 of collection 2)");
        check(
            "2 stored things are damaged (document 0 of collection 2 and document 1 of collection 2)",
        );
        for _ in 0..2 {
            rows.add(DamagedRow::Counters { id: 2 });
        }
        let words = rows.in_words(["a", "b", "c", "d"].map(str::to_owned));
        assert_eq!(words.as_deref(), Some("4 stored things are damaged (a, b, c and 1 more)"));
        assert_eq!(DamagedRows::default().in_words([]), None);
    }

    #[test]
    fn a_row_is_told_by_its_key() {
        let check = |table, key: &[u8], expected: &str| {
            let row = DamagedRow::look(table, key, Some(&[1; 40])).expect("damaged");
            assert_eq!(row.to_string(), expected);
            assert_eq!(DamagedRow::look(table, key, None), Some(row));
        };
        let key = codec::document_key(3, 9);
        check("documents", &key, "document 9 of collection 3");
        check("documents", &codec::document_key(0, 9), "a row of the trash");
        check("documents", b"", "a row of the table documents");
        check("entries", &codec::id_bound(7), "an entry of index 7");
        check("counters", &[0, 0, 0, 5], "the counters of collection or index 5");
        check("catalog", b"shop\0users", "the definition of shop.users");
        check("catalog", b"shop", "a row of the table catalog");
        check("meta", b"lastId", "the store's own value \"lastId\"");
        let sound = codec::seal(b"lastId", b"1");
        assert_eq!(DamagedRow::look("meta", b"lastId", Some(&sound)), None);
    }
}
