//! Query fields of read and write commands, and the search for matching documents.

use bson::raw::{RawBsonRef, RawDocument};

use super::{CommandError, Context, LetVariables, Request};
use crate::{
    catalog::{CollectionMeta, Namespace},
    limits::WRITE_RECORDS_MAX,
    plan::{Hint, PlanError, PlanErrorKind, Search, Step, Target, choose},
    query::{self, Filter, Sort, UpdateContext},
    store::{Reader, RecordNumber, StoredDocument},
};

/// Skips unreadable parts instead of failing: in MongoDB shards, here damaged documents.
pub const PARTIAL: &str = "allowPartialResults";

/// A query with the client's hint.
#[derive(Debug, Clone)]
pub struct Query {
    pub target: Target,
    pub hint: Option<Hint>,
}

impl Query {
    /// Everything that matches a filter.
    pub fn matching(filter: Filter) -> Self {
        Self { target: Target::matching(filter), hint: None }
    }

    /// Everything that matches the filter of a statement, with its hint.
    ///
    /// # Errors
    /// An invalid filter or hint.
    pub fn of_statement(
        fields: &Request<'_>,
        filter: &RawDocument,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let mut query = Self::matching(Filter::parse_query(filter, &variables.names)?);
        query.target.variables.clone_from(&variables.values);
        query.hint = read_hint(fields.given("hint")?)?;
        Ok(query)
    }

    /// Reads the filter from the field of this name, and `sort`, `skip`, `limit` and `hint`. A
    /// limit of 0 is none.
    ///
    /// # Errors
    /// An invalid field.
    pub fn read(
        request: &Request<'_>,
        filter: &str,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let mut query = Self::read_filter(request, filter, variables)?;
        query.target.sort = read_sort(request, variables)?;
        query.target.limit = request.count("limit")?.filter(|limit| *limit > 0);
        Ok(query)
    }

    /// As [`Query::read`]; a negative `limit` counts as its absolute value (as `count` does).
    ///
    /// # Errors
    /// An invalid field.
    pub fn read_with_signed_limit(
        request: &Request<'_>,
        filter: &str,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let mut query = Self::read_filter(request, filter, variables)?;
        let limit = request.integer("limit")?;
        query.target.limit = limit.map(i64::unsigned_abs).filter(|limit| *limit > 0);
        Ok(query)
    }

    /// The fields that all reads share: the filter, `skip` and `hint`.
    fn read_filter(
        request: &Request<'_>,
        filter: &str,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let filter = match request.document(filter)? {
            None => Filter::matches_all(),
            Some(filter) => Filter::parse_query(filter, &variables.names)?,
        };
        let mut target = Target::matching(filter);
        target.skip = request.count("skip")?.unwrap_or(0);
        target.leaves_out_damaged = request.strict_flag(PARTIAL)?;
        target.variables.clone_from(&variables.values);
        target.collation = variables.collation().cloned();
        Ok(Self { target, hint: read_hint(request.given("hint")?)? })
    }

    /// A search for it in a collection.
    ///
    /// # Errors
    /// `BadValue` for a bad hint; `CommandNotSupportedOnView`.
    pub fn search(&self, collection: &CollectionMeta) -> Result<Search, CommandError> {
        collection.check_is_no_view()?;
        let target = self.target.clone();
        let plan = choose(collection, &target.filter, target.sort.as_ref(), self.hint.as_ref())?;
        Ok(Search::new(collection, target, plan))
    }

    /// Gives every match to `visit`, in one read. Nothing when there is no such collection.
    ///
    /// # Errors
    /// Those of `visit` and of the search.
    pub fn for_each(
        &self,
        context: &Context,
        namespace: &Namespace,
        visit: &mut dyn FnMut(&StoredDocument<'_>, &RawDocument) -> Result<Step, CommandError>,
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
    ) -> Result<Vec<RecordNumber>, CommandError> {
        let mut records = Vec::new();
        self.for_each(context, namespace, &mut |stored, _| {
            // The numbers are held in memory. The bound refuses the write before it has changed
            // anything.
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
    /// The errors of the search.
    pub fn first_record(
        &self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        now_ms: i64,
    ) -> Result<Option<RecordNumber>, CommandError> {
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

    /// The context of an update of the found documents.
    pub fn update_context(&self, now_ms: i64, inserting: bool) -> UpdateContext<'_> {
        let Target { filter, variables, collation, .. } = &self.target;
        let collation = collation.as_ref();
        UpdateContext { now_ms, filter: Some(filter), variables, inserting, collation }
    }

    /// Whether a stored document still matches and is shown.
    ///
    /// # Errors
    /// An expression of the filter failed on the document.
    pub fn still_matches(
        &self,
        collection: &CollectionMeta,
        stored: &StoredDocument<'_>,
        document: &RawDocument,
        now_ms: i64,
    ) -> Result<bool, CommandError> {
        let collation = self.target.collation.as_ref();
        let mut seen = query::Context::at(now_ms).with_collation(collation);
        seen.variables.clone_from(&self.target.variables);
        // A hidden document doesn't exist for a write either, even if it was found before it
        // expired.
        Ok(!collection.hides(document, stored.modified_ms, now_ms)
            && self.target.filter.matches_in(document, &seen)?)
    }
}

/// A hint, if there is one.
///
/// # Errors
/// `BadValue` when it has the wrong form.
pub fn read_hint(value: Option<RawBsonRef<'_>>) -> Result<Option<Hint>, CommandError> {
    Ok(value.map(Hint::parse).transpose()?.flatten())
}

/// The order in the field `sort`.
///
/// # Errors
/// An invalid field.
pub fn read_sort(
    fields: &Request<'_>,
    variables: &LetVariables,
) -> Result<Option<Sort>, CommandError> {
    let sort = fields.document("sort")?;
    let parse = |sort| Sort::parse_in(sort, variables.collation());
    Ok(sort.map(parse).transpose()?.flatten())
}

fn too_many() -> PlanError {
    PlanError::new(
        PlanErrorKind::TooManyRecords,
        format!("more than {WRITE_RECORDS_MAX} documents match; narrow the filter"),
    )
}
