//! A change of documents: the command, the guard against changes by others in between, its inverse.

use std::time::Duration;

use bson::spec::ElementType;
use bson::{Bson, Document, doc};

use crate::commands::documents;

/// A change that was made to documents, with everything that is needed to take it back.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Documents were added; each has its `_id`.
    Insert(Vec<Document>),
    Replace {
        before: Document,
        after: Document,
    },
    Delete(Vec<Document>),
}

/// Why a change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Person,
    Undo,
    Redo,
}

/// A change on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Writing {
    pub step: Step,
    pub origin: Origin,
    /// The guard names the `_id` alone: the document was just compared, and its values can't all
    /// be compared by a filter.
    pub loose: bool,
}

/// The cell of a value that was just saved. It lights up for a moment in place of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedCell {
    pub id: Bson,
    /// The names on the way to the value.
    pub names: Vec<String>,
    /// When it was saved, in window time.
    pub since: Duration,
}

impl Step {
    /// The change that takes this one back.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Insert(documents) => Self::Delete(documents),
            Self::Replace { before, after } => Self::Replace { before: after, after: before },
            Self::Delete(documents) => Self::Insert(documents),
        }
    }

    pub fn command(&self, collection: &str, loose: bool) -> Document {
        match self {
            Self::Insert(many) => documents::insert(collection, many),
            Self::Replace { before, after } => {
                let filter = if loose { by_id(id_of(before)) } else { guard(before) };
                documents::replace(collection, filter, after)
            }
            Self::Delete(many) => {
                documents::delete(collection, many.iter().map(|one| by_id(id_of(one))))
            }
        }
    }

    /// How many documents it changes.
    pub fn count(&self) -> usize {
        match self {
            Self::Insert(documents) | Self::Delete(documents) => documents.len(),
            Self::Replace { .. } => 1,
        }
    }

    /// The change as a past participle: `Inserted`, `Saved`, `Deleted`.
    pub fn done(&self) -> &'static str {
        match self {
            Self::Insert(_) => "Inserted",
            Self::Replace { .. } => "Saved",
            Self::Delete(_) => "Deleted",
        }
    }

    /// The documents it keeps.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        let (many, pair): (&[Document], Option<[&Document; 2]>) = match self {
            Self::Insert(documents) | Self::Delete(documents) => (documents, None),
            Self::Replace { before, after } => (&[], Some([before, after])),
        };
        many.iter().chain(pair.into_iter().flatten())
    }
}

/// The command that reads whole documents by their `_id`.
pub fn read(collection: &str, ids: &[Bson]) -> Document {
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let filter = match ids {
        [id] => by_id(id.clone()),
        ids => doc! { "_id": { "$in": ids.to_vec() } },
    };
    documents::read(collection, filter, count)
}

/// The filter for one `_id`, whatever its type.
pub fn by_id(id: Bson) -> Document {
    doc! { "_id": { "$eq": id } }
}

/// The `_id` of a document; null if it has none.
pub fn id_of(document: &Document) -> Bson {
    document.get("_id").cloned().unwrap_or(Bson::Null)
}

/// A filter that matches the document only while its fields are as they were. Names that a filter
/// would read as paths or operators, and types that it compares in special ways, are left out; the
/// document is compared whole just before.
pub fn guard(document: &Document) -> Document {
    let mut filter = by_id(id_of(document));
    for (name, value) in document {
        let plain = !name.is_empty() && !name.contains(['.', '$', '\0']) && name != "_id";
        if plain && compares_plainly(value) {
            filter.insert(name.clone(), doc! { "$eq": value.clone() });
        }
    }
    filter
}

fn compares_plainly(value: &Bson) -> bool {
    matches!(
        value.element_type(),
        ElementType::String
            | ElementType::Int32
            | ElementType::Int64
            | ElementType::Double
            | ElementType::Decimal128
            | ElementType::Boolean
            | ElementType::DateTime
            | ElementType::ObjectId
            | ElementType::EmbeddedDocument
            | ElementType::Array
            | ElementType::Null
    )
}

/// Whether two documents are the same to the byte: an int32 is not an int64, and the order of the
/// fields counts.
pub fn is_same(one: &Document, other: &Document) -> bool {
    match (bson::serialize_to_vec(one), bson::serialize_to_vec(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Whether two documents have the same `_id` to the byte: they are versions of one.
pub fn has_same_id(one: &Document, other: &Document) -> bool {
    is_same(&doc! {"_id": id_of(one)}, &doc! {"_id": id_of(other)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_names_every_field_that_a_filter_can_compare() {
        let check = |document: Document, expected: Document| assert_eq!(guard(&document), expected);
        check(
            doc! {"_id": 1, "a": "x", "n": {"b": 1}},
            doc! {"_id": {"$eq": 1}, "a": {"$eq": "x"}, "n": {"$eq": {"b": 1}}},
        );
        check(doc! {"_id": 1, "a.b": 1, "$c": 2}, doc! {"_id": {"$eq": 1}});
        check(doc! {"_id": 1, "u": Bson::Undefined}, doc! {"_id": {"$eq": 1}});
    }

    #[test]
    fn same_means_to_the_byte() {
        let check = |one: Document, other: Document, same| {
            assert_eq!(is_same(&one, &other), same, "{one} {other}");
        };
        check(doc! {"a": 1}, doc! {"a": 1}, true);
        check(doc! {"a": 1}, doc! {"a": 1_i64}, false);
        check(doc! {"a": 1, "b": 2}, doc! {"b": 2, "a": 1}, false);
        check(doc! {"a": f64::NAN}, doc! {"a": f64::NAN}, true);
    }

    #[test]
    fn every_step_can_be_taken_back() {
        let check = |step: Step, expected: Step| {
            assert_eq!(step.clone().inverse(), expected);
            assert_eq!(step.clone().inverse().inverse(), step);
        };
        let (one, two) = (doc! {"_id": 1}, doc! {"_id": 1, "a": 1});
        check(Step::Insert(vec![one.clone()]), Step::Delete(vec![one.clone()]));
        check(
            Step::Replace { before: one.clone(), after: two.clone() },
            Step::Replace { before: two, after: one },
        );
    }
}
