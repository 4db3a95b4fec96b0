//! `find`: documents that match.

use bson::{
    Document,
    raw::{RawBsonRef, RawDocument},
};

use super::find_by_id::IdLookup;
use crate::{
    catalog::CollectionMeta,
    command::core::{
        Answer, Code, Command, CommandError, Context, Cursor, LetVariables, Query, Request,
        ViewQuery,
        cursor::{
            cursors::CursorSource,
            reply_shape::{ReplyShape, ReturnedKey},
        },
        fields,
        monitor::metrics,
        view,
    },
    plan::{Hint, KeyRange, Search, choose_min_max},
    query::Projection,
    store::Scan,
    value::Direction,
};

fields! {
    /// The options of `find` besides a query. Some flags change nothing here, but have to be bools.
    struct FindOptions<'r> from Request<'r> {
        optional "allowDiskUse": strict_flag,
        optional "noCursorTimeout": strict_flag,
        optional "oplogReplay": strict_flag,
        optional "readOnce": strict_flag,
        optional "mirrored": strict_flag,
        optional "min": filled_document => min Option<&'r RawDocument>,
        optional "max": filled_document => max Option<&'r RawDocument>,
        optional "singleBatch": strict_flag => single_batch bool,
        optional "returnKey": strict_flag => return_key bool,
        optional "showRecordId": strict_flag => show_record bool,
        optional "tailable": strict_flag => tails bool,
        optional "awaitData": strict_flag => awaits bool,
        optional "filter",
        optional "sort",
        optional "projection",
        optional "hint",
        optional "skip",
        optional "limit",
        optional "batchSize",
        optional "allowPartialResults",
        optional "collation",
        optional "let",
        ignored "term": integer,
    }
}

/// `{find: collection, filter, sort, projection, hint, skip, limit, batchSize, singleBatch, min,
/// max, returnKey, showRecordId, tailable, awaitData, allowPartialResults, collation, let}`
///
/// A damaged document, or index entry, ends it with an error (301) that names it. With
/// `allowPartialResults` it is left out instead: a batch that lacks some says
/// `partialResultsReturned: true`, as MongoDB does for shards that do not answer, and `damaged`:
/// how many.
pub static COMMAND: Command = Command::any("find", FindOptions::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    // A find by `_id` is the most frequent read, so it is tried before anything else is parsed.
    if let Some(point) = IdLookup::read(request)
        && let Some(answer) = point.answer(context)?
    {
        return answer;
    }
    let answer = search(context, request);
    if let Ok(reply) = &answer {
        context.metrics.documents.returned.add(metrics::returned(reply));
    }
    answer
}

fn search(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let ns = namespace.to_string();
    let options = FindOptions::read(request)?;
    if let Some(null @ RawBsonRef::Null) = request.given("filter")? {
        return Err(request.wrong_type("filter", null, "object"));
    }
    let variables = LetVariables::read(context, request)?;
    let query = Query::read(request, "filter", &variables)?;
    options.check(&query)?;
    let projection = match request.document("projection")? {
        Some(projection) => Projection::parse_with(projection, &variables.names)?
            .map(|projection| projection.with_query(&query.target.filter)),
        None => None,
    };
    let batch_size = request.count("batchSize")?;
    if view::is_view(context, &namespace) {
        options.check_view()?;
        let parts = ViewQuery {
            filter: request.document("filter")?,
            sort: request.document("sort")?,
            projection: request.document("projection")?,
        };
        let run = Box::new(view::open(context, request, &namespace, &query, &parts)?);
        let source = CursorSource::Pipeline { run, client: request.client.clone() };
        return Cursor::new(ns, source).first_batch(context, batch_size, options.single_batch);
    }
    let mut cursor = match context.collections.catalog().collection(&namespace) {
        None => Cursor::ready(ns, []),
        Some(collection) => {
            let search = options.search(context, &query, &collection)?;
            let key = options.return_key.then(|| ReturnedKey::of(search.plan()));
            let shape = ReplyShape {
                projection,
                collation: variables.collation().cloned(),
                variables: variables.values,
                key,
                with_record: options.show_record,
            };
            let search = Box::new(search);
            Cursor::new(ns, CursorSource::Search { namespace, search, shape })
        }
    };
    cursor.awaits = options.awaits;
    cursor.first_batch(context, batch_size, options.single_batch)
}

impl<'r> FindOptions<'r> {
    fn range(&self) -> KeyRange<'r> {
        KeyRange { min: self.min, max: self.max }
    }

    /// Options that contradict each other.
    fn check(&self, query: &Query) -> Result<(), CommandError> {
        let bad = |message: &str| Err(CommandError::bad_value(message));
        if self.awaits && !self.tails {
            return Err(CommandError::failed_to_parse(
                "Cannot set 'awaitData' without also setting 'tailable'",
            ));
        }
        // Compared in their order, because `min` and `max` are keys of one index.
        if let (Some(min), Some(max)) = (self.min, self.max)
            && names(min)? != names(max)?
        {
            return Err(CommandError::new(
                Code::BOUNDS_OF_DIFFERENT_FIELDS,
                "min() and max() must have the same field names",
            ));
        }
        if !self.tails {
            return Ok(());
        }
        let is_natural = |sort: &crate::query::Sort| sort.natural() == Some(Direction::Ascending);
        if query.target.sort.as_ref().is_some_and(|sort| !is_natural(sort)) {
            return bad("cannot use tailable option with a sort other than {$natural: 1}");
        }
        if self.single_batch {
            return bad("cannot use tailable option with the 'singleBatch' option");
        }
        if matches!(query.hint, Some(Hint::Natural(Scan::Backward))) {
            return bad("cannot use tailable option with a hint of {$natural: -1}");
        }
        Ok(())
    }

    /// A view is read by a pipeline, which can't do all of this.
    fn check_view(&self) -> Result<(), CommandError> {
        let used = [
            ("min", self.min.is_some()),
            ("max", self.max.is_some()),
            ("returnKey", self.return_key),
            ("showRecordId", self.show_record),
            ("tailable", self.tails),
        ];
        match used.iter().find(|(_, is_used)| *is_used) {
            None => Ok(()),
            Some((name, _)) => Err(CommandError::new(
                Code::INVALID_PIPELINE_OPERATOR,
                format!("Option {name} not supported in aggregation."),
            )),
        }
    }

    fn search(
        &self,
        context: &Context,
        query: &Query,
        collection: &CollectionMeta,
    ) -> Result<Search, CommandError> {
        collection.check_is_no_view()?;
        if self.tails {
            return tail(context, query, collection);
        }
        if self.range().is_everything() {
            return query.search(collection);
        }
        let target = query.target.clone();
        let plan =
            choose_min_max(collection, self.range(), target.sort.as_ref(), query.hint.as_ref())?;
        Ok(Search::new(collection, target, plan))
    }
}

/// A tailing search always walks through the collection. In an empty one it has nowhere to stand,
/// so there it ends at once.
fn tail(
    context: &Context,
    query: &Query,
    collection: &CollectionMeta,
) -> Result<Search, CommandError> {
    if collection.options.capped.is_none() {
        return Err(CommandError::bad_value(format!(
            "error processing query: ns={} tailable cursor requested on non capped \
                 collection",
            collection.namespace
        )));
    }
    let mut query = query.clone();
    query.target.sort = None;
    query.hint = Some(Hint::Natural(Scan::Forward));
    let search = query.search(collection)?;
    let documents = context.read(|reader, _| Ok(reader.counters(collection.id.0)?.documents))?;
    Ok(if documents == 0 { search } else { search.tailing() })
}

fn names(key: &RawDocument) -> Result<Vec<String>, CommandError> {
    Ok(Document::try_from(key)?.keys().cloned().collect())
}
