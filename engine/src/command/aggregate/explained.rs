//! The plan of a pipeline: what the search took over, and the stages behind it.

use bson::{Bson, Document, doc};

use super::{command::Aggregation, rows::ServerFacts};
use crate::{
    command::{
        context::Context,
        error::{Answer, CommandError},
        request::Request,
        run::raw,
    },
    pipeline::{Environment, Run},
    plan::{execution_stats, winning_plan},
};

/// Explains an aggregate command. With another verbosity than `queryPlanner` it is run; nothing is
/// written.
///
/// # Errors
/// What is wrong with the command, and what running it meets.
pub fn explain(context: &Context, request: &Request<'_>, verbosity: &str) -> Answer {
    let aggregation = Aggregation::read(request)?;
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    let mut run = aggregation.open(&environment)?;
    let stages = request.documents("pipeline")?;
    let began = context.clock().monotonic();
    let mut returned = 0_u64;
    if verbosity != "queryPlanner" {
        while run.advance(&environment)?.is_some() {
            returned += 1;
        }
    }
    let millis = context.clock().monotonic().saturating_sub(began).as_millis();
    let namespace = aggregation.origin.namespace().to_string();
    let cursor = planner(&run, &namespace, verbosity, i64::try_from(millis).unwrap_or(i64::MAX))?;
    let rest = stages.get(run.absorbed()..).unwrap_or_default();
    let mut reply = doc! { "explainVersion": "1" };
    if rest.is_empty() {
        reply.extend(cursor);
    } else {
        let mut shown = vec![Bson::Document(doc! { "$cursor": cursor })];
        for stage in rest {
            let mut stage = Document::try_from(*stage)?;
            if verbosity != "queryPlanner" {
                stage.insert("nReturned", i64::try_from(returned).unwrap_or(i64::MAX));
            }
            shown.push(Bson::Document(stage));
        }
        reply.insert("stages", shown);
    }
    reply.insert("command", Document::try_from(request.document)?);
    raw(&reply)
}

fn planner(
    run: &Run,
    namespace: &str,
    verbosity: &str,
    millis: i64,
) -> Result<Document, CommandError> {
    let (winning, filter, stats) = match run.search() {
        None => (doc! { "stage": "EOF" }, Document::new(), None),
        Some((search, filter)) => {
            let filter = Document::try_from(filter)?;
            let sort = search.plan().sort_in_memory.then(|| run.sort()).flatten();
            (winning_plan(search.plan(), &filter, sort.as_ref()), filter, Some(search.stats()))
        }
    };
    let mut cursor = doc! {
        "queryPlanner": {
            "namespace": namespace,
            "parsedQuery": filter,
            "winningPlan": winning.clone(),
            "rejectedPlans": [],
        },
    };
    if verbosity != "queryPlanner" {
        let stats = execution_stats(&winning, stats.unwrap_or_default(), millis);
        cursor.insert("executionStats", stats);
    }
    Ok(cursor)
}
