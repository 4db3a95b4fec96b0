//! Stages that show the server itself: `$collStats`, `$indexStats`, `$currentOp`, sessions.

use std::collections::VecDeque;

use bson::{
    RawDocumentBuf,
    raw::{RawBsonRef, RawDocument},
};

use crate::pipeline::environment::ServerRows;
use crate::pipeline::flow::{Input, Stage};
use crate::{
    catalog::Namespace,
    pipeline::{Environment, PipelineError, text::kind},
    query::{Code, Context},
};

/// Such a stage.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Server(ServerRows);

impl Server {
    pub(in crate::pipeline) fn index_stats(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        match value {
            RawBsonRef::Document(options) if options.is_empty() => Ok(Self(ServerRows::IndexStats)),
            _ => Err(PipelineError::stage(
                28803,
                "The $indexStats stage specification must be an empty object",
            )),
        }
    }

    pub(in crate::pipeline) fn coll_stats(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            let message =
                format!("$collStats must take a nested object but found: {}", kind(value));
            return Err(PipelineError::stage(5447000, message));
        };
        let (mut storage, mut count, mut latency, mut query_exec) = (None, false, None, false);
        for element in options {
            let (name, value) = element?;
            let name = name.as_str();
            if !["latencyStats", "storageStats", "count", "queryExecStats"].contains(&name) {
                let message = format!("BSON field '$collStats.{name}' is an unknown field.");
                return Err(PipelineError::stage(Code::IDL_UNKNOWN_FIELD, message));
            }
            let RawBsonRef::Document(inner) = value else {
                return Err(wrong_type(&format!("$collStats.{name}"), value, "object"));
            };
            match name {
                "storageStats" => storage = Some(scale(inner)?),
                "count" => count = true,
                "queryExecStats" => query_exec = true,
                _ => {
                    let histograms =
                        matches!(inner.get("histograms")?, Some(RawBsonRef::Boolean(true)));
                    latency = Some(histograms);
                }
            }
        }
        Ok(Self(ServerRows::CollStats { storage, count, latency, query_exec }))
    }

    pub(in crate::pipeline) fn current_op(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        const FLAGS: &[&str] = &[
            "idleConnections",
            "idleSessions",
            "allUsers",
            "localOps",
            "truncateOps",
            "idleCursors",
            "backtrace",
            "targetAllNodes",
        ];
        let fail = |message| Err(PipelineError::stage(Code::FAILED_TO_PARSE, message));
        let RawBsonRef::Document(options) = value else {
            return fail(format!(
                "$currentOp options must be specified in an object, but found: {}",
                kind(value)
            ));
        };
        for element in options {
            let (name, value) = element?;
            let name = name.as_str();
            if !FLAGS.contains(&name) {
                return fail(format!("Unrecognized option '{name}' in $currentOp stage."));
            }
            if !matches!(value, RawBsonRef::Boolean(_)) {
                return fail(format!(
                    "The '{name}' parameter of the $currentOp stage must be a boolean value, but \
                     found: {}",
                    kind(value)
                ));
            }
        }
        Ok(Self(ServerRows::CurrentOp(options.to_owned())))
    }

    pub(in crate::pipeline) fn sessions(
        name: &str,
        value: RawBsonRef<'_>,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            return Err(refused!(
                Code::TYPE_MISMATCH,
                "{name} options must be specified in an object, but found: {}",
                kind(value)
            ));
        };
        for element in options {
            let (option, value) = element?;
            match (option.as_str(), value) {
                ("allUsers", RawBsonRef::Boolean(_)) | ("users", RawBsonRef::Array(_)) => {}
                ("allUsers", other) => {
                    return Err(wrong_type(&format!("{name}.allUsers"), other, "bool"));
                }
                ("users", other) => {
                    return Err(wrong_type(&format!("{name}.users"), other, "array"));
                }
                (other, _) => {
                    let message = format!("BSON field '{name}.{other}' is an unknown field.");
                    return Err(PipelineError::stage(Code::IDL_UNKNOWN_FIELD, message));
                }
            }
        }
        Ok(Self(ServerRows::Sessions(options.to_owned())))
    }
}

fn scale(options: &RawDocument) -> Result<u64, PipelineError> {
    let number = match options.get("scale")? {
        None | Some(RawBsonRef::Null) => 1,
        Some(RawBsonRef::Int32(number)) => i64::from(number),
        Some(RawBsonRef::Int64(number)) => number,
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
        Some(RawBsonRef::Double(number)) => number as i64,
        Some(other) => {
            let place = "$collStats.storageStats.scale";
            return Err(wrong_type(place, other, "long, int, decimal, double"));
        }
    };
    u64::try_from(number).ok().filter(|scale| *scale > 0).ok_or_else(|| {
        refused!(
            Code::BAD_VALUE,
            "BSON field 'storageStats.scale' value must be >= 1, actual value '{number}'"
        )
    })
}

/// The error for a field of a stage that has the wrong type.
pub(in crate::pipeline) fn wrong_type(
    place: &str,
    found: RawBsonRef<'_>,
    expected: &str,
) -> PipelineError {
    refused!(
        Code::TYPE_MISMATCH,
        "BSON field '{place}' is the wrong type '{}', expected type '{expected}'",
        kind(found)
    )
}

impl Stage for Server {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        input.next_document()
    }

    fn open(
        &self,
        environment: &Environment<'_>,
        namespace: &Namespace,
        _: &Context,
    ) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        Ok(Some(environment.rows.rows(&self.0, namespace)?.into()))
    }
}
