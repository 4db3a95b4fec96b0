//! The fields that every explain reply contains, and the verbosity that decides how many.

use bson::{Bson, Document, doc, raw::RawDocument};

use crate::{
    command::core::{
        CommandError, Request,
        server::{MODEL_VERSION, hostname},
    },
    limits::SORT_BYTES_MAX,
};

/// How much an explain reply contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// The plan; the command is not run.
    QueryPlanner,
    ExecutionStats,
    /// Also the statistics of rejected plans: always an empty list.
    AllPlansExecution,
}

impl Verbosity {
    pub fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        match request.text("verbosity")? {
            None | Some("allPlansExecution") => Ok(Self::AllPlansExecution),
            Some("queryPlanner") => Ok(Self::QueryPlanner),
            Some("executionStats") => Ok(Self::ExecutionStats),
            Some(other) => Err(CommandError::bad_value(format!(
                "Enumeration value '{other}' for field 'explain.verbosity' is not a valid \
                     value: verbosity string must be one of {{'queryPlanner', 'executionStats', \
                     'allPlansExecution'}}"
            ))),
        }
    }

    /// Whether the command is run.
    #[must_use]
    pub fn executes(self) -> bool {
        self != Self::QueryPlanner
    }
}

/// The fields at the end of every explain reply.
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
