//! What the dialogs of the Indexes view hold.

use bson::{Bson, Document, doc};

use super::age::AGE_SLICES;
use super::view::{IndexRow, no_ttl_reason};
use super::what_if::WhatIf;
use crate::widgets::number_field::NumberDraft;

/// The seconds that a TTL may have.
pub const TTL_SECS: std::ops::RangeInclusive<i64> = 0..=2_147_483_647;

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// A new index.
    Create(CreateIndex),
    /// Another TTL for an index, or its first.
    ChangeTtl(ChangeTtl),
    /// Drops an index.
    Drop(DropIndex),
}

/// An index that shall be dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct DropIndex {
    /// The index.
    pub index: IndexRow,
    /// Why it could not be dropped.
    pub error: Option<String>,
}

/// Another TTL for an index, or its first.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeTtl {
    /// The index.
    pub index: IndexRow,
    /// The TTL as typed.
    pub ttl: NumberDraft,
    /// What it would remove, for the seconds that were asked last.
    pub what_if: Option<WhatIf>,
    /// Documents by age, one count a slice of the slider; `None` where not known yet.
    pub ages: Vec<Option<u64>>,
    /// Why the change failed.
    pub error: Option<String>,
}

impl ChangeTtl {
    /// The dialog for an index.
    #[must_use]
    pub fn new(index: IndexRow) -> Self {
        let ttl = index.secs.map_or_else(NumberDraft::default, NumberDraft::from_secs);
        Self { index, ttl, what_if: None, ages: vec![None; AGE_SLICES], error: None }
    }

    /// The command that makes the change; `None` while the TTL is not valid.
    #[must_use]
    pub fn command(&self, collection: &str) -> Option<Document> {
        let secs = self.ttl.secs(TTL_SECS).ok()?;
        Some(doc! {
            "collMod": collection,
            "index": { "keyPattern": self.index.key.clone(), "expireAfterSeconds": secs_value(secs) },
        })
    }
}

/// A new index.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "an index's options are independent flags")]
pub struct CreateIndex {
    /// Fields and whether they descend.
    pub fields: Vec<(String, bool)>,
    /// Whether it carries a TTL.
    pub has_ttl: bool,
    /// The TTL as typed.
    pub ttl: NumberDraft,
    /// Whether it refuses a value that another document has.
    pub unique: bool,
    /// Whether it leaves out documents without the field.
    pub sparse: bool,
    /// Whether queries must not use it.
    pub hidden: bool,
    /// The partial filter as typed; empty for none.
    pub partial: String,
    /// Its name as typed; empty for the usual one.
    pub name: String,
    /// What the TTL would remove.
    pub what_if: Option<WhatIf>,
    /// Why it could not be made.
    pub error: Option<String>,
}

impl CreateIndex {
    /// The key pattern; fields without a name are left out.
    #[must_use]
    pub fn key(&self) -> Document {
        let named = self.fields.iter().filter(|(field, _)| !field.trim().is_empty());
        named
            .map(|(field, descends)| {
                (field.trim().to_owned(), Bson::Int32(if *descends { -1 } else { 1 }))
            })
            .collect()
    }

    /// The name it gets when none is typed.
    #[must_use]
    pub fn usual_name(&self) -> String {
        let key = self.key();
        let parts: Vec<String> =
            key.iter().map(|(field, direction)| format!("{field}_{direction}")).collect();
        parts.join("_")
    }

    /// The command that makes it.
    ///
    /// # Errors
    /// What is missing or wrong, in one sentence.
    pub fn command(&self, collection: &str) -> Result<Document, String> {
        let key = self.key();
        if key.is_empty() {
            return Err("Choose a field".to_owned());
        }
        let name = self.name.trim();
        let name = if name.is_empty() { self.usual_name() } else { name.to_owned() };
        let mut index = doc! { "key": key.clone(), "name": name };
        if self.has_ttl {
            if let Some(reason) = no_ttl_reason(&key) {
                return Err(reason.to_owned());
            }
            index.insert("expireAfterSeconds", secs_value(self.ttl.secs(TTL_SECS)?));
        }
        for (flag, name) in
            [(self.unique, "unique"), (self.sparse, "sparse"), (self.hidden, "hidden")]
        {
            if flag {
                index.insert(name, true);
            }
        }
        if !self.partial.trim().is_empty() {
            let partial = mayfly_engine::value::shell::read_document(&self.partial)
                .map_err(|error| format!("The partial filter: {error}"))?;
            index.insert("partialFilterExpression", partial);
        }
        Ok(doc! { "createIndexes": collection, "indexes": [index] })
    }
}

/// Seconds in the smallest integer type that holds them, as a person would type them.
fn secs_value(secs: i64) -> Bson {
    i32::try_from(secs).map_or(Bson::Int64(secs), Bson::Int32)
}
