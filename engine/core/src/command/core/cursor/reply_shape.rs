//! The part of a found document that the client gets.

use std::sync::Arc;

use bson::{
    Binary,
    raw::{RawBson, RawDocument, RawDocumentBuf, cstr},
    spec::BinarySubtype,
};

use crate::{
    catalog::IndexMeta,
    plan::{Access, Plan},
    query::{Context, Projection, QueryError},
    store::RecordNumber,
    value::Collation,
};

/// How `find` returns a document.
#[derive(Debug, Clone, Default)]
pub struct ReplyShape {
    pub projection: Option<Projection>,
    /// Variables that the projection may name.
    pub variables: Vec<(String, Option<RawBson>)>,
    /// How text compares in it.
    pub collation: Option<Collation>,
    /// `returnKey`: only the fields of the index that was used.
    pub key: Option<ReturnedKey>,
    /// `showRecordId`: adds `$recordId`.
    pub with_record: bool,
}

/// The fields that `returnKey` returns.
#[derive(Debug, Clone)]
pub enum ReturnedKey {
    None,
    Of(Arc<IndexMeta>),
}

impl ReturnedKey {
    /// The fields of the index that a plan uses.
    pub fn of(plan: &Plan) -> Self {
        match &plan.access {
            Access::Index { index, .. } => Self::Of(Arc::clone(index)),
            _ => Self::None,
        }
    }

    fn fields(&self, document: &RawDocument) -> RawDocumentBuf {
        let mut key = RawDocumentBuf::new();
        let Self::Of(index) = self else { return key };
        for part in &index.key.parts {
            let mut first = None;
            part.path.index_values(document, &mut |value| {
                first.get_or_insert_with(|| value.map_or(RawBson::Null, RawBson::from));
            });
            if let Ok(name) = <&bson::raw::CStr>::try_from(part.path.as_str()) {
                key.append(name, first.unwrap_or(RawBson::Null));
            }
        }
        key
    }
}

impl ReplyShape {
    /// The returned part of this document; `None` is all of it.
    ///
    /// # Errors
    /// The errors of expressions in the projection.
    pub fn of(
        &self,
        document: &RawDocument,
        record: RecordNumber,
        seen: &Context,
    ) -> Result<Option<RawDocumentBuf>, QueryError> {
        let mut given = match (&self.key, &self.projection) {
            (Some(key), _) => Some(key.fields(document)),
            (None, Some(projection)) => Some(projection.apply(document, seen)?),
            (None, None) => None,
        };
        if self.with_record {
            let whole = given.get_or_insert_with(|| document.to_owned());
            match i64::try_from(record) {
                Ok(record) => whole.append(cstr!("$recordId"), record),
                Err(_) => whole.append(cstr!("$recordId"), as_binary(record)),
            }
        }
        Ok(given)
    }
}

/// A number that is too high for a long, as MongoDB shows that of a clustered collection.
fn as_binary(record: RecordNumber) -> Binary {
    let bytes = record.to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    let bytes = bytes.get(first..).unwrap_or_default().to_vec();
    Binary { subtype: BinarySubtype::Generic, bytes }
}
