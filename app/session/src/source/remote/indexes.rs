//! The indexes of a collection by which documents can be counted.

use bson::{Bson, Document};

use crate::job::due::TtlIndex;

/// The indexes of a collection, as its server lists them.
#[derive(Default)]
pub(super) struct Indexes {
    pub rules: Vec<TtlIndex>,
    pub listed: Vec<Document>,
    /// Whether documents are stored in the order of `_id`, so that an own rule may count from it.
    pub is_clustered: bool,
}

impl Indexes {
    /// An index by which the documents of a rule can be counted: the rule's own, if queries may use it.
    pub fn counting(&self, rule: &TtlIndex) -> Option<FieldIndex> {
        let mut fits: Vec<FieldIndex> = self.listed.iter().filter_map(FieldIndex::read).collect();
        fits.retain(|index| index.serves(rule));
        let own = fits.iter().position(|index| index.name == rule.name);
        // A sparse one lacks documents.
        let first = own.or_else(|| fits.iter().position(|index| !index.is_sparse)).unwrap_or(0);
        (first < fits.len()).then(|| fits.swap_remove(first))
    }

    pub fn named(&self, name: &str) -> Option<&Document> {
        self.listed.iter().find(|index| index.get_str("name").is_ok_and(|known| known == name))
    }
}

/// An index on one field that queries may use.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FieldIndex {
    pub name: String,
    pub field: String,
    pub partial: Option<Document>,
    /// Whether it lacks the documents without the field.
    pub is_sparse: bool,
}

impl FieldIndex {
    fn read(index: &Document) -> Option<Self> {
        let keys = index.get_document("key").ok()?;
        let (field, kind) = keys.iter().next().filter(|_| keys.len() == 1)?;
        let is_ordered = matches!(kind, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_));
        if !is_ordered || index.get_bool("hidden").unwrap_or(false) {
            return None;
        }
        Some(Self {
            name: index.get_str("name").ok()?.to_owned(),
            field: field.clone(),
            partial: index.get_document("partialFilterExpression").ok().cloned(),
            is_sparse: index.get_bool("sparse").unwrap_or(false),
        })
    }

    /// Whether it has all documents that a rule removes.
    fn serves(&self, rule: &TtlIndex) -> bool {
        let has_all = self.partial.is_none() || self.partial.as_ref() == rule.partial();
        self.field == rule.field && has_all
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn documents_are_counted_by_an_index_that_has_them_all() {
        let partial = doc! { "p": { "$gt": 0 } };
        let indexes = Indexes {
            listed: vec![
                doc! { "name": "_id_", "key": { "_id": 1 } },
                doc! { "name": "part", "key": { "a": 1 }, "partialFilterExpression": &partial },
                doc! { "name": "sparse", "key": { "a": 1 }, "sparse": true },
                doc! { "name": "down", "key": { "a": -1 } },
                doc! { "name": "two", "key": { "b": 1, "a": 1 } },
                doc! { "name": "hash", "key": { "c": "hashed" } },
                doc! { "name": "hidden", "key": { "d": 1 }, "hidden": true },
            ],
            ..Indexes::default()
        };
        let check = |name: &str, field: &str, partial, expected: Option<&str>| {
            let rule = bson::doc! { "name": name, "key": { field: 1 }, "expireAfterSeconds": 1 };
            let mut rule = rule;
            rule.extend(partial);
            let rule = TtlIndex::read(&rule).expect("a rule");
            let found = indexes.counting(&rule).map(|index| index.name);
            assert_eq!(found.as_deref(), expected, "{name}");
        };
        let no = None::<(String, Bson)>;
        let of_part = Some(("partialFilterExpression".to_owned(), Bson::from(partial.clone())));
        check("", "a", no.clone(), Some("down"));
        check("sparse", "a", no.clone(), Some("sparse"));
        check("part", "a", of_part, Some("part"));
        check("", "b", no.clone(), None);
        check("", "c", no.clone(), None);
        check("hidden", "d", no, None);
    }
}
