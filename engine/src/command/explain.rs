//! `explain`: the plan of another command, and what it costs to run.

use bson::{
    Document, doc,
    raw::{RawDocument, RawDocumentBuf},
};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::optional,
    query::Query,
    request::{Request, missing_field},
    run::raw,
    table::{self, Command, Scope},
};
use crate::{
    catalog::Namespace,
    plan::{Access, Plan, Stats, Step, execution_stats, winning_plan},
};

/// `{explain: {find | count | distinct | update | delete | findAndModify …}, verbosity}`
pub static COMMAND: Command = Command {
    name: "explain",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("verbosity")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let inner = request.first()?;
    let Some(inner) = inner.as_document() else {
        return Err(request.wrong_type("explain", inner, "object"));
    };
    let verbosity = request.text("verbosity")?.unwrap_or("allPlansExecution");
    if !["queryPlanner", "executionStats", "allPlansExecution"].contains(&verbosity) {
        return Err(CommandError::new(
            Code::FAILED_TO_PARSE,
            "verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}",
        ));
    }
    let name = inner.iter().next().transpose()?.map_or("", |(name, _)| name.as_str());
    let Some(command) = table::find(name) else {
        return Err(CommandError::new(
            Code::COMMAND_NOT_FOUND,
            format!("Explain failed due to unknown command: {name}"),
        ));
    };
    let inner_request = Request::check(command, request.client, request.db, inner)?;
    if command.name == "aggregate" {
        return super::aggregate::explain(context, &inner_request, verbosity);
    }
    let (query, filter) = query_of(&inner_request)?;
    let namespace = inner_request.namespace()?;
    let sort = inner_request.document("sort")?.map(Document::try_from).transpose()?;
    let began = context.clock().monotonic();
    let (plan, stats) = explained(context, &namespace, &query, verbosity != "queryPlanner")?;
    let millis = context.clock().monotonic().saturating_sub(began).as_millis();
    let winning = winning_plan(&plan, &Document::try_from(&*filter)?, sort.as_ref());
    let mut reply = doc! {
        "explainVersion": "1",
        "queryPlanner": {
            "namespace": namespace.to_string(),
            "parsedQuery": Document::try_from(&*filter)?,
            "winningPlan": winning.clone(),
            "rejectedPlans": [],
        },
    };
    if verbosity != "queryPlanner" {
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        reply.insert("executionStats", execution_stats(&winning, stats, millis));
    }
    reply.insert("command", Document::try_from(inner)?);
    raw(&reply)
}

fn explained(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
    executes: bool,
) -> Result<(Plan, Stats), CommandError> {
    context.read(|reader, catalog| {
        let Some(collection) = catalog.collection(namespace) else {
            return Ok((Plan { access: Access::Nothing, sort_in_memory: false }, Stats::default()));
        };
        let mut search = query.search(&collection)?;
        let plan = search.plan().clone();
        if executes {
            let now_ms = context.now_ms();
            search
                .advance::<CommandError>(reader, &collection, now_ms, &mut |_, _| Ok(Step::Take))?;
        }
        Ok((plan, search.stats()))
    })
}

/// What the explained command looks for, and its filter as it was given.
fn query_of(request: &Request<'_>) -> Result<(Query, RawDocumentBuf), CommandError> {
    let own = |field: &str| -> Result<RawDocumentBuf, CommandError> {
        Ok(request.document(field)?.map(RawDocument::to_owned).unwrap_or_default())
    };
    match request.name {
        "find" => Ok((Query::read(request, "filter")?, own("filter")?)),
        "distinct" | "findAndModify" => Ok((Query::read(request, "query")?, own("query")?)),
        "count" => Ok((Query::read_with_signed_limit(request, "query")?, own("query")?)),
        "update" | "delete" => {
            let list = if request.name == "update" { "updates" } else { "deletes" };
            let Some(statement) = request.documents(list)?.first().copied() else {
                return Err(missing_field(request.name, list));
            };
            let statement = request.within(statement);
            let filter = statement.document("q")?.map(RawDocument::to_owned).unwrap_or_default();
            Ok((Query::read(&statement, "q")?, filter))
        }
        other => Err(CommandError::new(
            Code::NOT_SUPPORTED,
            format!("explain of {other} is not supported; explain a find, count or delete"),
        )),
    }
}
