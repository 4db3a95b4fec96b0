//! `explain`: the plan of another command, and what it costs to run. Nothing is written.

use bson::{
    Document, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    explain_pipeline::{explain as explain_pipeline, explain_view},
    explain_query::{self, ExplainRun, ExplainedQuery},
    explain_reply::{Verbosity, projection_stage, surroundings, with_all_plans},
};
use crate::{
    clock::work_time,
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, optional, raw, target::check_usable,
        view,
    },
    plan::{PlanExplanation, Purpose},
};

/// `{explain: {find | aggregate | count | distinct | update | delete | findAndModify …},
/// verbosity}`
pub static COMMAND: Command = Command::any("explain", &[optional("verbosity")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let inner = request.first()?;
    let Some(inner) = inner.as_document() else {
        return Err(request.wrong_type("explain", inner, "object"));
    };
    let verbosity = Verbosity::read(request)?;
    let inner_request = inner_request(request, inner)?;
    check_usable(context, &inner_request)?;
    let mut reply = match inner_request.name {
        "aggregate" if inner_request.given("writeConcern")?.is_some() => {
            return Err(CommandError::failed_to_parse(
                "Aggregation explain does not support the 'writeConcern' option",
            ));
        }
        "aggregate" => explain_pipeline(context, &inner_request, verbosity)?,
        _ => query(context, &inner_request, verbosity)?,
    };
    reply.extend(surroundings(request, inner)?);
    raw(&reply)
}

/// The command to be explained, checked as if it was to be run.
fn inner_request<'r>(
    request: &Request<'r>,
    inner: &'r RawDocument,
) -> Result<Request<'r>, CommandError> {
    let name = inner.iter().next().transpose()?.map_or("", |(name, _)| name.as_str());
    if let Some(RawBsonRef::String(db)) = inner.get("$db")?
        && db != request.db
    {
        return Err(CommandError::new(
            Code::INVALID_NAMESPACE,
            format!(
                "Mismatched $db in explain command. Expected {} but got {db}. Did you mean to run \
                 explain on another database?",
                request.db
            ),
        ));
    }
    let Some(command) = request.table.find(name) else {
        return Err(CommandError::new(
            Code::COMMAND_NOT_FOUND,
            format!("Explain failed due to unknown command: {name}"),
        ));
    };
    if !explain_query::KNOWN.contains(&command.name) {
        let what = if command.name == "explain" {
            "Explain cannot explain itself.".to_owned()
        } else {
            format!("Cannot explain cmd: {name}")
        };
        return Err(CommandError::illegal_operation(what));
    }
    let Request { table, client, db, met, now_ms, .. } = *request;
    Request::check(table, command, client, db, inner, met, now_ms)
}

/// Everything but a pipeline: one plan, and what is done with its documents.
fn query(
    context: &Context,
    request: &Request<'_>,
    verbosity: Verbosity,
) -> Result<Document, CommandError> {
    let asked = ExplainedQuery::read(context, request)?;
    let namespace = request.namespace()?;
    if view::is_view(context, &namespace) {
        return explain_view(context, request, &namespace, &asked, verbosity);
    }
    let began = work_time();
    let ExplainRun { plan, is_missing, counted_by, mut executed } =
        asked.find(context, &namespace, verbosity.executes())?;
    let millis = work_time().saturating_sub(began).as_millis();
    executed.millis = i64::try_from(millis).unwrap_or(i64::MAX);
    let shown = PlanExplanation {
        plan: &plan,
        filter: asked.filter,
        sort: asked.sort,
        projection: asked.projection.map(|given| (projection_stage(&given), given)),
        skip: asked.query.target.skip,
        limit: asked.query.target.limit,
        purpose: match asked.purpose {
            Purpose::Count(_) => Purpose::Count(counted_by),
            other => other,
        },
        collation: asked.query.target.collation.as_ref(),
        is_missing,
    };
    let mut reply = doc! {
        "explainVersion": "1",
        "queryPlanner": shown.planner(&namespace.to_string()),
    };
    if verbosity.executes() {
        reply.insert("executionStats", with_all_plans(shown.execution_stats(&executed), verbosity));
    }
    Ok(reply)
}
