//! Damaged rows, identified by their keys.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{TABLE_NAMES, codec};
use crate::limits::FINDINGS_MAX;
use crate::store::{CollectionId, IndexId, RecordNumber};
use crate::value::id_number::RecordName;

/// serde would borrow a plain reference from the text that it reads.
type TableName = &'static str;

fn table_name<'d, D: Deserializer<'d>>(from: D) -> Result<TableName, D::Error> {
    let name = String::deserialize(from)?;
    let known = TABLE_NAMES.into_iter().find(|known| *known == name);
    known.ok_or_else(|| de::Error::custom("an unknown table"))
}

/// A stored row that does not match its checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum DamagedRow {
    /// A document.
    Document {
        /// Its collection; 0 is the trash.
        collection: CollectionId,
        /// Its record number.
        record: RecordNumber,
    },
    /// An index entry.
    Entry {
        /// Its index.
        index: IndexId,
    },
    /// The counters of a collection or an index.
    Counters {
        /// Its id.
        id: u32,
    },
    /// The definition of a collection.
    Definition {
        /// The namespace, `database.collection`.
        name: String,
    },
    /// A value of the table `meta`.
    Meta {
        /// Its name.
        name: String,
    },
    /// A row whose key is invalid too.
    Unknown {
        /// Its table.
        #[serde(deserialize_with = "table_name")]
        table: TableName,
    },
}

/// The damaged rows of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DamagedRows {
    /// Their total number.
    pub count: u64,
    /// The first `FINDINGS_MAX` of them, in the order of the file.
    pub first: Vec<DamagedRow>,
}

impl DamagedRow {
    /// Verifies a row of a table; `None` when it is sound. A `value` of `None` is longer than any that the
    /// store writes.
    pub(in crate::store) fn check(
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

    /// Whether the row `found` does not match its checksum, but would with the key `sought`: its
    /// key was changed.
    pub(in crate::store) fn is_misplaced(
        table: &'static str,
        sought: &[u8],
        found: (&[u8], &[u8]),
    ) -> bool {
        let (key, value) = found;
        if Self::check(table, key, Some(value)).is_none() {
            return false;
        }
        let mut true_key = sought.to_vec();
        // An entry may be sought without its record number, which is then that of the row.
        if table == "entries" {
            let record = codec::record_len(value).and_then(|len| key.len().checked_sub(len));
            true_key.extend_from_slice(record.and_then(|at| key.get(at..)).unwrap_or_default());
        }
        Self::check(table, &true_key, Some(value)).is_none()
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

/// With ids instead of names, for callers without a catalog.
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
            Self::Meta { name } => write!(f, "the store's value {name:?}"),
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

    /// "3 stored items are damaged (a, b and 1 more)", with these names of the first ones; `None` when
    /// nothing is damaged.
    pub fn summary(&self, names: impl IntoIterator<Item = String>) -> Option<String> {
        const NAMED: usize = 3;
        let things = match self.count {
            0 => return None,
            1 => "1 stored item is damaged".to_owned(),
            count => format!("{count} stored items are damaged"),
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
            let words = rows.summary(rows.first.iter().map(ToString::to_string));
            assert_eq!(words.as_deref(), Some(expected));
        };
        check("1 stored item is damaged (document 0 of collection 2)");
        check(
            "2 stored items are damaged (document 0 of collection 2 and document 1 of collection 2)",
        );
        for _ in 0..2 {
            rows.add(DamagedRow::Counters { id: 2 });
        }
        let words = rows.summary(["a", "b", "c", "d"].map(str::to_owned));
        assert_eq!(words.as_deref(), Some("4 stored items are damaged (a, b, c and 1 more)"));
        assert_eq!(DamagedRows::default().summary([]), None);
    }

    #[test]
    fn a_row_is_identified_by_its_key() {
        let check = |table, key: &[u8], expected: &str| {
            let row = DamagedRow::check(table, key, Some(&[1; 40])).expect("damaged");
            assert_eq!(row.to_string(), expected);
            assert_eq!(DamagedRow::check(table, key, None), Some(row));
        };
        let key = codec::document_key(3, 9);
        check("documents", &key, "document 9 of collection 3");
        check("documents", &codec::document_key(0, 9), "a row of the trash");
        check("documents", b"", "a row of the table documents");
        check("entries", &codec::id_bound(7), "an entry of index 7");
        check("counters", &[0, 0, 0, 5], "the counters of collection or index 5");
        check("catalog", b"shop\0users", "the definition of shop.users");
        check("catalog", b"shop", "a row of the table catalog");
        check("meta", b"lastId", "the store's value \"lastId\"");
        let sound = codec::seal(b"lastId", b"1");
        assert_eq!(DamagedRow::check("meta", b"lastId", Some(&sound)), None);
    }
}
