//! What read and write commands share: the query fields, and finding its documents.

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    context::Context,
    error::{Code, CommandError},
    request::Request,
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    limits::WRITE_RECORDS_MAX,
    plan::{Hint, PlanError, PlanErrorKind, Search, Step, Target, choose},
    query::{self, Filter, Sort, VariableNames},
    store::{Reader, Stored},
};

/// What is looked for, with the client's hint.
pub struct Query {
    /// Filter, sort, skip and limit.
    pub target: Target,
    /// The index to use.
    pub hint: Option<Hint>,
}

impl Query {
    /// Everything that matches a filter.
    #[must_use]
    pub fn matching(filter: Filter) -> Self {
        Self { target: Target { filter, sort: None, skip: 0, limit: None }, hint: None }
    }

    /// Reads the filter from the field of this name, and `sort`, `skip`, `limit` and `hint`. A
    /// limit of 0 is none.
    ///
    /// # Errors
    /// What is wrong with a field.
    pub fn read(request: &Request<'_>, filter: &str) -> Result<Self, CommandError> {
        let filter = filter_of(request, filter)?;
        let sort = request.document("sort")?.map(Sort::parse).transpose()?.flatten();
        let skip = request.count("skip")?.unwrap_or(0);
        let limit = request.count("limit")?.filter(|limit| *limit > 0);
        let hint = read_hint(request.get("hint")?)?;
        Ok(Self { target: Target { filter, sort, skip, limit }, hint })
    }

    /// As [`Query::read`]; a negative `limit` counts as its absolute value (`count` takes it so).
    ///
    /// # Errors
    /// What is wrong with a field.
    pub fn read_with_signed_limit(
        request: &Request<'_>,
        filter: &str,
    ) -> Result<Self, CommandError> {
        let filter = filter_of(request, filter)?;
        let skip = request.count("skip")?.unwrap_or(0);
        let limit = request.integer("limit")?.map(i64::unsigned_abs).filter(|limit| *limit > 0);
        let hint = read_hint(request.get("hint")?)?;
        Ok(Self { target: Target { filter, sort: None, skip, limit }, hint })
    }

    /// A search for it in a collection.
    ///
    /// # Errors
    /// `BadValue` for a bad hint; `CommandNotSupportedOnView`.
    pub fn search(&self, collection: &CollectionMeta) -> Result<Search, CommandError> {
        collection.check_holds_documents()?;
        let target = self.target.clone();
        let plan = choose(collection, &target.filter, target.sort.as_ref(), self.hint.as_ref())?;
        Ok(Search::new(collection, target, plan))
    }

    /// Gives every match to `visit`, in one read. Nothing when there is no such collection.
    ///
    /// # Errors
    /// What `visit` returns, and what the search meets.
    pub fn for_each(
        &self,
        context: &Context,
        namespace: &Namespace,
        visit: &mut dyn FnMut(&Stored<'_>, &RawDocument) -> Result<Step, CommandError>,
    ) -> Result<(), CommandError> {
        context.read(|reader, catalog| match catalog.collection(namespace) {
            None => Ok(()),
            Some(collection) => {
                self.search(&collection)?.advance(reader, &collection, context.now_ms(), visit)
            }
        })
    }

    /// The record numbers of all matches, found in one read.
    ///
    /// # Errors
    /// When there are too many to remember, and what the search meets.
    pub fn records(
        &self,
        context: &Context,
        namespace: &Namespace,
    ) -> Result<Vec<u64>, CommandError> {
        let mut records = Vec::new();
        self.for_each(context, namespace, &mut |stored, _| {
            if records.len() >= WRITE_RECORDS_MAX {
                return Err(too_many().into());
            }
            records.push(stored.record);
            Ok(Step::Take)
        })?;
        Ok(records)
    }

    /// The record number of the first match.
    ///
    /// # Errors
    /// What the search meets.
    pub fn first_record(
        &self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        now_ms: i64,
    ) -> Result<Option<u64>, CommandError> {
        let mut first = None;
        self.search(collection)?.advance::<CommandError>(
            reader,
            collection,
            now_ms,
            &mut |stored, _| {
                first = Some(stored.record);
                Ok(Step::TakeAndStop)
            },
        )?;
        Ok(first)
    }

    /// Whether a stored document still matches and is shown.
    ///
    /// # Errors
    /// An expression of the filter failed on the document.
    pub fn still_matches(
        &self,
        collection: &CollectionMeta,
        stored: &Stored<'_>,
        document: &RawDocument,
        now_ms: i64,
    ) -> Result<bool, CommandError> {
        let seen = query::Context::at(now_ms).with_seed(now_ms.unsigned_abs());
        Ok(self.target.filter.matches_in(document, &seen)?
            && !collection.hides(document, stored.modified_ms, now_ms))
    }
}

fn filter_of(request: &Request<'_>, field: &str) -> Result<Filter, CommandError> {
    match request.document(field)? {
        None => Ok(Filter::matches_all()),
        Some(filter) => Ok(Filter::parse_query(filter, &VariableNames::default())?),
    }
}

/// A hint, if there is one.
///
/// # Errors
/// `BadValue` when it has the wrong form.
pub fn read_hint(value: Option<RawBsonRef<'_>>) -> Result<Option<Hint>, CommandError> {
    Ok(value.map(Hint::parse).transpose()?.flatten())
}

/// Refuses a collation other than the plain order of bytes.
///
/// # Errors
/// `NotImplemented`, and `BadValue` when there is no locale.
pub fn check_collation(request: &Request<'_>) -> Result<(), CommandError> {
    let Some(collation) = request.document("collation")? else { return Ok(()) };
    match collation.get("locale")? {
        _ if collation.is_empty() => Ok(()),
        Some(RawBsonRef::String("simple")) => Ok(()),
        Some(RawBsonRef::String(locale)) => Err(CommandError::new(
            Code::NOT_SUPPORTED,
            format!("the collation '{locale}' is not supported; use {{locale: 'simple'}}"),
        )),
        _ => Err(CommandError::new(
            Code::IDL_FAILED_TO_PARSE,
            "BSON field 'collation.locale' is missing but a required field",
        )),
    }
}

fn too_many() -> PlanError {
    PlanError::new(
        PlanErrorKind::TooManyRecords,
        format!("more than {WRITE_RECORDS_MAX} documents match; narrow the filter"),
    )
}
