//! Which documents an export writes.

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::{
    catalog::CollectionMeta,
    plan::{Hint, PlanError, Search, Target, choose},
    query::{Filter, Projection, QueryError, Sort, VariableNames},
    value::Collation,
};

/// Which documents are exported, in which order and with which of their fields, as in `find`. The
/// default is every document as it is stored.
#[derive(Debug, Clone, Default)]
pub struct ExportQuery {
    /// Only matching documents.
    pub filter: Option<Filter>,
    /// The order of the documents, or `None` for any.
    pub sort: Option<Sort>,
    /// The part of each document that is written, or `None` for all of it.
    pub projection: Option<Projection>,
    /// Matches to skip.
    pub skip: u64,
    /// Documents at most, or `None` for all.
    pub limit: Option<u64>,
    /// The index to use.
    pub hint: Option<Hint>,
}

impl ExportQuery {
    /// Reads the parts of a `find`. An empty document is none; a hint is a name or keys. Without a
    /// collation text compares by its bytes.
    ///
    /// # Errors
    /// One of them is invalid.
    pub fn parse(
        filter: &Document,
        sort: &Document,
        projection: &Document,
        hint: Option<&Bson>,
        collation: &Document,
    ) -> Result<Self, PlanError> {
        let collation = if collation.is_empty() {
            None
        } else {
            Collation::read(&raw(collation)?, "collation").map_err(QueryError::from)?
        };
        let names = VariableNames::of_collation(collation.clone());
        let filter =
            (!filter.is_empty()).then(|| Filter::parse_query(&raw(filter)?, &names)).transpose()?;
        let mut projection = Projection::parse(&raw(projection)?)?;
        if let Some(filter) = &filter {
            projection = projection.map(|projection| projection.with_query(filter));
        }
        let hint = match hint {
            None => None,
            Some(hint) => {
                let held = raw(&doc! { "hint": hint })?;
                let hint = held.get("hint").map_err(QueryError::from)?;
                hint.map(Hint::parse).transpose()?.flatten()
            }
        };
        let sort = Sort::parse_in(&raw(sort)?, collation.as_ref())?;
        Ok(Self { filter, sort, projection, hint, ..Self::default() })
    }

    /// Whether reading the collection from its first record to its last gives the documents: order
    /// and number are not restricted.
    pub(in crate::transfer) fn is_scan(&self) -> bool {
        self.sort.is_none() && self.skip == 0 && self.limit.is_none() && self.hint.is_none()
    }

    /// A search for the documents, as `find` plans it. It leaves out damaged documents.
    ///
    /// # Errors
    /// A hint that names no usable index, or a filter that no plan can answer.
    pub(in crate::transfer) fn search(
        &self,
        collection: &CollectionMeta,
    ) -> Result<Search, PlanError> {
        let filter = self.filter.clone().unwrap_or_else(Filter::matches_all);
        let target = Target {
            sort: self.sort.clone(),
            skip: self.skip,
            limit: self.limit,
            leaves_out_damaged: true,
            ..Target::matching(filter)
        };
        let plan = choose(collection, &target.filter, target.sort.as_ref(), self.hint.as_ref())?;
        Ok(Search::new(collection, target, plan))
    }
}

fn raw(document: &Document) -> Result<RawDocumentBuf, QueryError> {
    Ok(RawDocumentBuf::try_from(document)?)
}
