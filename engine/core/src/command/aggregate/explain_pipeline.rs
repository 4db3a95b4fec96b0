//! The plan of a pipeline: the stages that the search absorbed, then the remaining stages.

use bson::{Bson, Document, RawDocumentBuf, doc, raw::RawDocument};

use super::{
    aggregation::Aggregation,
    explain_query::ExplainedQuery,
    explain_reply::{Verbosity, with_all_plans},
};
use crate::{
    catalog::Namespace,
    clock::work_time,
    command::core::{CommandError, Context, Request, ViewQuery, server_rows::ServerFacts, view},
    pipeline::{Environment, Origin, Run, resolve},
    plan::{Access, ExecutionSummary, Plan, PlanExplanation, Purpose},
};

/// Explains an aggregate command. With another verbosity than `queryPlanner` it is run; nothing is
/// written.
///
/// # Errors
/// An invalid field, or an error of the run.
pub fn explain(
    context: &Context,
    request: &Request<'_>,
    verbosity: Verbosity,
) -> Result<Document, CommandError> {
    let aggregation = Aggregation::read(context, request)?;
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    let run = aggregation.open(&environment)?;
    let mut stages = match &aggregation.origin {
        Origin::Collection(name) if !aggregation.pipeline.shows_server() => {
            of_views(context, name)?
        }
        _ => Vec::new(),
    };
    stages.extend(request.documents("pipeline")?.into_iter().map(RawDocument::to_owned));
    let namespace = aggregation.origin.namespace().to_string();
    explain_run(&environment, run, (&namespace, &stages), verbosity)
}

/// Explains a query on a view, which is a pipeline.
///
/// # Errors
/// As [`explain`].
pub fn explain_view(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    asked: &ExplainedQuery,
    verbosity: Verbosity,
) -> Result<Document, CommandError> {
    let filter = if request.name == "find" { "filter" } else { "query" };
    let parts = ViewQuery {
        filter: request.document(filter)?,
        sort: request.document("sort")?,
        projection: request.document("projection")?,
    };
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    let run = view::open(context, request, namespace, &asked.query, &parts)?;
    let mut stages = of_views(context, namespace)?;
    stages.append(&mut view::stages(&asked.query, &parts));
    explain_run(&environment, run, (&namespace.to_string(), &stages), verbosity)
}

/// The stages of all views from a name down to its collection.
fn of_views(context: &Context, name: &Namespace) -> Result<Vec<RawDocumentBuf>, CommandError> {
    Ok(resolve(&context.collections.catalog(), name)?.1)
}

fn explain_run(
    environment: &Environment<'_>,
    mut run: Run,
    (namespace, stages): (&str, &[RawDocumentBuf]),
    verbosity: Verbosity,
) -> Result<Document, CommandError> {
    let began = work_time();
    let mut returned = 0_u64;
    if verbosity.executes() {
        while run.advance(environment)?.is_some() {
            returned += 1;
        }
    }
    let millis = work_time().saturating_sub(began).as_millis();
    let cursor = planner(&run, namespace, verbosity, i64::try_from(millis).unwrap_or(i64::MAX))?;
    let rest = stages.get(run.absorbed()..).unwrap_or_default();
    let mut reply = doc! { "explainVersion": "1" };
    if rest.is_empty() {
        reply.extend(cursor);
        return Ok(reply);
    }
    let read = cursor.get_document("executionStats").ok();
    let read = read.and_then(|stats| stats.get("nReturned")).cloned();
    let mut first = doc! { "$cursor": cursor };
    let numbers = |stage: &mut Document, returned: Bson| {
        stage.insert("nReturned", returned);
        stage.insert("executionTimeMillisEstimate", 0_i64);
    };
    if let Some(read) = read {
        numbers(&mut first, read);
    }
    let mut shown = vec![Bson::Document(first)];
    for stage in rest {
        let mut stage = Document::try_from(&**stage)?;
        if verbosity.executes() {
            numbers(&mut stage, Bson::Int64(i64::try_from(returned).unwrap_or(i64::MAX)));
        }
        shown.push(Bson::Document(stage));
    }
    reply.insert("stages", shown);
    Ok(reply)
}

fn planner(
    run: &Run,
    namespace: &str,
    verbosity: Verbosity,
    millis: i64,
) -> Result<Document, CommandError> {
    let nothing = Plan { access: Access::Nothing, sort_in_memory: false };
    let mut executed =
        ExecutionSummary { millis, returns_documents: true, ..ExecutionSummary::default() };
    let (plan, filter, is_missing) = match run.search() {
        None => (&nothing, Document::new(), true),
        Some((search, filter)) => {
            executed.stats = search.stats();
            (search.plan(), Document::try_from(filter)?, false)
        }
    };
    let (skip, limit) = run.slice();
    let purpose = Purpose::Read;
    let (sort, projection) = (run.sort(), None);
    let shown = PlanExplanation {
        plan,
        filter,
        sort,
        projection,
        skip,
        limit,
        purpose,
        collation: run.context().collation.as_ref(),
        is_missing,
    };
    let mut cursor = doc! { "queryPlanner": shown.planner(namespace) };
    if verbosity.executes() {
        let stats = with_all_plans(shown.execution_stats(&executed), verbosity);
        cursor.insert("executionStats", stats);
    }
    Ok(cursor)
}
