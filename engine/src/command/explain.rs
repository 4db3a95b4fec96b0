//! `explain`: the plan of another command, and what it costs to run. Nothing is written.

use bson::{
    Bson, Document, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    aggregate,
    build_info::MODEL_VERSION,
    context::Context,
    error::{Answer, Code, CommandError},
    explaining::{self, Explaining, Found},
    field::optional,
    host_info::hostname,
    request::Request,
    run::{check_usable, raw},
    table::{self, Command, Scope},
};
use crate::{
    clock::work_time,
    limits::SORT_BYTES_MAX,
    plan::{PlanExplanation, Purpose},
};

/// `{explain: {find | aggregate | count | distinct | update | delete | findAndModify …}, verbosity}`
pub static COMMAND: Command = Command {
    name: "explain",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("verbosity")],
    run,
};

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// The plan; the command is not run.
    QueryPlanner,
    /// Also what running it cost.
    ExecutionStats,
    /// Also what other plans cost: there never are any.
    AllPlansExecution,
}

impl Verbosity {
    fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        match request.text("verbosity")? {
            None | Some("allPlansExecution") => Ok(Self::AllPlansExecution),
            Some("queryPlanner") => Ok(Self::QueryPlanner),
            Some("executionStats") => Ok(Self::ExecutionStats),
            Some(other) => Err(CommandError::new(
                Code::BAD_VALUE,
                format!(
                    "Enumeration value '{other}' for field 'explain.verbosity' is not a valid \
                     value: verbosity string must be one of {{'queryPlanner', 'executionStats', \
                     'allPlansExecution'}}"
                ),
            )),
        }
    }

    /// Whether the command is run.
    #[must_use]
    pub fn executes(self) -> bool {
        self != Self::QueryPlanner
    }
}

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let inner = request.first()?;
    let Some(inner) = inner.as_document() else {
        return Err(request.wrong_type("explain", inner, "object"));
    };
    let verbosity = Verbosity::read(request)?;
    let inner_request = inner_request(request, inner)?;
    check_usable(context, &inner_request)?;
    let mut reply = match inner_request.name {
        "aggregate" => aggregate::explain(context, &inner_request, verbosity)?,
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
    let Some(command) = table::find(name) else {
        return Err(CommandError::new(
            Code::COMMAND_NOT_FOUND,
            format!("Explain failed due to unknown command: {name}"),
        ));
    };
    if !explaining::KNOWN.contains(&command.name) {
        let what = if command.name == "explain" {
            "Explain cannot explain itself.".to_owned()
        } else {
            format!("Cannot explain cmd: {name}")
        };
        return Err(CommandError::new(Code::ILLEGAL_OPERATION, what));
    }
    Request::check(command, request.client, request.db, inner, request.met, request.now_ms)
}

/// What every explain ends with.
///
/// # Errors
/// When the bytes are not BSON.
pub fn surroundings(request: &Request<'_>, inner: &RawDocument) -> Result<Document, CommandError> {
    let mut command = Document::try_from(inner)?;
    command.insert("$db", request.db);
    let bytes = i32::try_from(SORT_BYTES_MAX).unwrap_or(i32::MAX);
    Ok(doc! {
        "command": command,
        "serverInfo": {
            "host": hostname(),
            "port": 27_017,
            "version": MODEL_VERSION,
            "gitVersion": "mayfly",
        },
        "serverParameters": {
            "internalQueryFacetBufferSizeBytes": bytes,
            "internalQueryMaxBlockingSortMemoryUsageBytes": bytes,
            "internalDocumentSourceGroupMaxMemoryBytes": bytes,
            "internalQueryProhibitBlockingMergeOnMongoS": 0,
            "internalQueryFrameworkControl": "forceClassicEngine",
        },
    })
}

/// Everything but a pipeline: one plan, and what is done with its documents.
fn query(
    context: &Context,
    request: &Request<'_>,
    verbosity: Verbosity,
) -> Result<Document, CommandError> {
    let asked = Explaining::read(request)?;
    let namespace = request.namespace()?;
    if aggregate::view::is_view(context, &namespace) {
        return aggregate::explain_view(context, request, &namespace, &asked, verbosity);
    }
    let began = work_time();
    let Found { plan, is_missing, counted_by, mut executed } =
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

/// With the costs of other plans, where they are asked for.
pub fn with_all_plans(mut stats: Document, verbosity: Verbosity) -> Document {
    if verbosity == Verbosity::AllPlansExecution {
        stats.insert("allPlansExecution", Bson::Array(Vec::new()));
    }
    stats
}

/// `PROJECTION_SIMPLE` keeps or leaves out fields of the top level and nothing else.
pub fn projection_stage(projection: &Document) -> &'static str {
    let is_plain = |(name, value): (&String, &Bson)| {
        !name.contains('.')
            && matches!(value, Bson::Boolean(_) | Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))
    };
    if projection.iter().all(is_plain) { "PROJECTION_SIMPLE" } else { "PROJECTION_DEFAULT" }
}
