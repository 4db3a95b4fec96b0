//! Reads of a view by `find`, `count` and `distinct`: the query becomes stages after those of the
//! view.

use std::sync::Arc;

use bson::{
    RawDocumentBuf,
    raw::{CStr, RawBsonRef, RawDocument, cstr},
};

use super::{CommandError, Context, LetVariables, Query, Request, server_rows::ServerFacts};
use crate::{
    catalog::Namespace,
    pipeline::{Environment, Origin, ParseContext, Pipeline, Run},
};

/// The parts of a command that become stages.
#[derive(Default)]
pub struct ViewQuery<'p> {
    /// `$match`
    pub filter: Option<&'p RawDocument>,
    /// `$sort`
    pub sort: Option<&'p RawDocument>,
    /// `$project`
    pub projection: Option<&'p RawDocument>,
}

/// Whether there is a view with this name.
pub fn is_view(context: &Context, namespace: &Namespace) -> bool {
    let found = context.collections.catalog().collection(namespace);
    found.is_some_and(|collection| collection.is_view())
}

/// The stages after those of the view.
pub fn stages(query: &Query, parts: &ViewQuery<'_>) -> Vec<RawDocumentBuf> {
    let mut stages = Vec::new();
    let mut add = |name: &CStr, value: RawBsonRef<'_>| {
        let mut stage = RawDocumentBuf::new();
        stage.append(name, value);
        stages.push(stage);
    };
    let given = |part: Option<&RawDocument>| part.is_some_and(|part| !part.is_empty());
    if let (true, Some(filter)) = (given(parts.filter), parts.filter) {
        add(cstr!("$match"), RawBsonRef::Document(filter));
    }
    // In the order in which a `find` works: it sorts by fields that the projection may leave out.
    if let (true, Some(sort)) = (given(parts.sort), parts.sort) {
        add(cstr!("$sort"), RawBsonRef::Document(sort));
    }
    let long = |number: u64| RawBsonRef::Int64(i64::try_from(number).unwrap_or(i64::MAX));
    if query.target.skip > 0 {
        add(cstr!("$skip"), long(query.target.skip));
    }
    if let Some(limit) = query.target.limit {
        add(cstr!("$limit"), long(limit));
    }
    if let (true, Some(projection)) = (given(parts.projection), parts.projection) {
        add(cstr!("$project"), RawBsonRef::Document(projection));
    }
    stages
}

/// Starts to read a view.
///
/// # Errors
/// The stages or the view are invalid.
pub fn open(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    query: &Query,
    parts: &ViewQuery<'_>,
) -> Result<Run, CommandError> {
    let stages = stages(query, parts);
    let stages: Vec<&RawDocument> = stages.iter().map(|stage| &**stage).collect();
    let variables = LetVariables::read(context, request)?;
    let seen = variables.context(request.now_ms);
    let reading = ParseContext::of_command(&namespace.db, variables.names);
    let pipeline = Pipeline::parse(&stages, &reading)?;
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    let origin = Origin::Collection(namespace.clone());
    Ok(Run::open(&environment, &origin, &pipeline, query.hint.as_ref(), Arc::new(seen))?)
}

/// Calls `visit` with every document of a view.
///
/// # Errors
/// The errors of `visit` and of the read.
pub fn for_each(
    context: &Context,
    request: &Request<'_>,
    mut run: Run,
    visit: &mut dyn FnMut(&RawDocument) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    while let Some(document) = run.advance(&environment)? {
        visit(&document)?;
    }
    Ok(())
}
