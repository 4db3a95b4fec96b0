//! Whose rules a database follows.

use std::borrow::Cow;

use bson::raw::{RawDocument, RawDocumentBuf};

use crate::value::named;

/// The field in which Cosmos DB returns the time of the last write.
const SYSTEM_FIELD: &str = "_ts";

/// The server's own databases; they have no dialect to set.
pub(crate) const SERVER_DATABASES: [&str; 3] = ["admin", "config", "local"];

named! {
    /// A database's dialect: decides TTL on `_ts` and a few replies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Dialect {
        /// MongoDB's rules, and TTL on `_ts` too.
        #[default]
        Open => "open",
        /// MongoDB's rules; `_ts` is an ordinary field.
        Mongodb => "mongodb",
        /// Cosmos DB's rules: TTL only on `_ts`.
        Cosmos => "cosmos",
    }
    /// The name in commands and on disk.
    pub fn name;
}

impl Dialect {
    /// The dialect with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The document as this dialect stores it. Cosmos DB replaces a client's root field `_ts` by
    /// its own, so no client ever sees it again; here the field is removed. A nested `_ts` is an
    /// ordinary field.
    #[must_use]
    pub fn stored(self, document: &RawDocument) -> Cow<'_, RawDocument> {
        if self != Self::Cosmos || !has_own_ts(document) {
            return Cow::Borrowed(document);
        }
        let mut kept = RawDocumentBuf::new();
        let fields = document.iter().map_while(Result::ok);
        for (name, value) in fields.filter(|(name, _)| name.as_str() != SYSTEM_FIELD) {
            kept.append(name, value);
        }
        Cow::Owned(kept)
    }

    /// Whether an index on `_ts` indexes the last modification instead of a field.
    #[must_use]
    pub fn has_last_modified_index(self) -> bool {
        self != Self::Mongodb
    }
}

/// Whether a client's document has a root field `_ts`.
pub fn has_own_ts(document: &RawDocument) -> bool {
    matches!(document.get(SYSTEM_FIELD), Ok(Some(_)))
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn only_cosmos_reserves_ts() {
        let check = |dialect: Dialect, given: bson::Document, stored: bson::Document| {
            let given = RawDocumentBuf::try_from(&given).expect("plain");
            let found = bson::Document::try_from(&*dialect.stored(&given)).expect("plain");
            assert_eq!(found, stored, "{dialect:?}");
        };
        let own = doc! { "_id": 1, "_ts": 5, "a": { "_ts": 6 }, "ts": 7 };
        check(Dialect::Open, own.clone(), own.clone());
        check(Dialect::Mongodb, own.clone(), own.clone());
        check(Dialect::Cosmos, own, doc! { "_id": 1, "a": { "_ts": 6 }, "ts": 7 });
        check(Dialect::Cosmos, doc! { "_id": 1 }, doc! { "_id": 1 });
    }
}
