//! Names of databases and collections.

use std::fmt;

use bson::oid::ObjectId;
use serde::{Deserialize, Serialize};

use super::{CatalogError, CatalogErrorKind};

/// Longest database name in bytes (MongoDB's limit).
pub const DB_NAME_BYTES_MAX: usize = 63;

/// Longest `db.collection` in bytes (MongoDB's limit).
pub const NAMESPACE_BYTES_MAX: usize = 255;

/// MongoDB's prefix for the collection that a `$out` writes; an `ObjectId` follows.
const OUTPUT_PREFIX: &str = "tmp.agg_out.";

/// Characters that a database name must not contain (MongoDB on Unix).
const DB_FORBIDDEN: &[char] = &['/', '\\', '.', ' ', '"', '$', '\0'];

/// A database and a collection. A name that a client sends passes [`Namespace::checked`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Namespace {
    /// The database.
    pub db: String,
    /// The collection; may contain dots.
    pub collection: String,
}

impl Namespace {
    /// `db.collection`, unchecked.
    pub fn new(db: impl Into<String>, collection: impl Into<String>) -> Self {
        Self { db: db.into(), collection: collection.into() }
    }

    /// Checks both names.
    ///
    /// # Errors
    /// `InvalidNamespace` with what is wrong.
    pub fn checked(db: &str, collection: &str) -> Result<Self, CatalogError> {
        check_db(db)?;
        check_collection(collection)?;
        if db.len() + 1 + collection.len() > NAMESPACE_BYTES_MAX {
            return Err(invalid(format!(
                "the name \"{db}.{collection}\" is longer than {NAMESPACE_BYTES_MAX} bytes; shorten it"
            )));
        }
        Ok(Self::new(db, collection))
    }

    /// Splits `db.collection` at the first dot and checks both names.
    ///
    /// # Errors
    /// `InvalidNamespace` with what is wrong.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let (db, collection) = text
            .split_once('.')
            .ok_or_else(|| invalid(format!("\"{text}\" is not a namespace; enter \"db.name\"")))?;
        Self::checked(db, collection)
    }

    /// The name of the collection that a `$out` writes before it replaces its target.
    ///
    /// # Errors
    /// As [`Namespace::checked`].
    pub fn of_output(db: &str, id: ObjectId) -> Result<Self, CatalogError> {
        Self::checked(db, &format!("{OUTPUT_PREFIX}{}", id.to_hex()))
    }

    /// Whether an unfinished `$out` wrote it. Nothing expires in it: its documents become part of
    /// another collection, whose archive would be missed.
    pub fn is_unfinished_output(&self) -> bool {
        let id = self.collection.strip_prefix(OUTPUT_PREFIX);
        id.is_some_and(|id| ObjectId::parse_str(id).is_ok())
    }

    /// Whether the name is reserved for the server itself.
    pub fn is_system(&self) -> bool {
        self.collection.starts_with("system.")
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.db, self.collection)
    }
}

/// Checks a database name.
///
/// # Errors
/// `InvalidNamespace` with what is wrong.
pub fn check_db(name: &str) -> Result<(), CatalogError> {
    if name.is_empty() {
        return Err(invalid("the database name is empty; give it a name"));
    }
    if name.len() > DB_NAME_BYTES_MAX {
        return Err(invalid(format!(
            "the database name \"{name}\" is longer than {DB_NAME_BYTES_MAX} bytes; shorten it"
        )));
    }
    if name.contains(DB_FORBIDDEN) {
        return Err(invalid(format!(
            "the database name {name:?} has a character that is not allowed (slash, backslash, dot, \
             space, quote, $ or NUL); remove it"
        )));
    }
    Ok(())
}

fn check_collection(name: &str) -> Result<(), CatalogError> {
    if name.is_empty() {
        return Err(invalid("the collection name is empty; give it a name"));
    }
    if name.starts_with('.') || name.ends_with('.') {
        return Err(invalid(format!(
            "the collection name {name:?} starts or ends with a dot; remove it"
        )));
    }
    if name.contains(['$', '\0']) {
        return Err(invalid(format!(
            "the collection name {name:?} has a $ or a NUL character; remove it"
        )));
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidNamespace, message)
}

#[cfg(test)]
mod tests {
    use super::Namespace;

    fn check(db: &str, collection: &str, valid: bool) {
        assert_eq!(Namespace::checked(db, collection).is_ok(), valid, "{db:?} {collection:?}");
    }

    #[test]
    fn names_follow_mongodbs_rules() {
        check("test", "c", true);
        check("test", "a.b.c", true);
        check("test", "системы ü", true);
        check("test", "system.views", true);
        check("", "c", false);
        check("test", "", false);
        check("te st", "c", false);
        check("te.st", "c", false);
        check("te$t", "c", false);
        check("te\0st", "c", false);
        check("a/b", "c", false);
        check("a\\b", "c", false);
        check("test", ".c", false);
        check("test", "c.", false);
        check("test", "c$x", false);
        check("test", "c\0x", false);
        check(&"d".repeat(63), "c", true);
        check(&"d".repeat(64), "c", false);
        check("test", &"c".repeat(250), true);
        check("test", &"c".repeat(251), false);
    }

    #[test]
    fn a_dotted_name_splits_at_the_first_dot() {
        let name = Namespace::parse("d.a.b").expect("valid");
        assert_eq!((name.db.as_str(), name.collection.as_str()), ("d", "a.b"));
        assert_eq!(name.to_string(), "d.a.b");
        assert!(Namespace::parse("d").is_err());
    }
}
