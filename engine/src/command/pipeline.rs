//! The pipeline stages that are supported, and running them over documents in memory.

use bson::{
    Bson, Document, RawDocumentBuf, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    count::shortest,
    error::{Code, CommandError},
    request::as_integer,
};
use crate::query::{Filter, Sort};

/// One stage.
#[derive(Debug, Clone)]
pub enum Stage {
    /// `$match`
    Match(Filter),
    /// `$sort`
    Sort(Sort),
    /// `$skip`
    Skip(u64),
    /// `$limit`
    Limit(u64),
    /// `$count`, or the `$group` that `countDocuments` sends: `{_id: constant, n: {$sum: 1}}`.
    Count {
        /// The field that gets the number.
        field: String,
        /// `_id` of the group.
        id: Option<Bson>,
    },
    /// `$indexStats`
    IndexStats,
    /// `$collStats`
    CollStats {
        /// `storageStats.scale`
        scale: u64,
        /// Whether `count` is wanted.
        count: bool,
        /// Whether `storageStats` is wanted.
        storage: bool,
    },
}

/// Stages that MongoDB has and Mayfly has not.
const KNOWN_ELSEWHERE: &[&str] = &[
    "$addFields",
    "$bucket",
    "$bucketAuto",
    "$changeStream",
    "$currentOp",
    "$densify",
    "$documents",
    "$facet",
    "$fill",
    "$geoNear",
    "$graphLookup",
    "$group",
    "$listSessions",
    "$lookup",
    "$merge",
    "$out",
    "$planCacheStats",
    "$project",
    "$redact",
    "$replaceRoot",
    "$replaceWith",
    "$sample",
    "$search",
    "$set",
    "$setWindowFields",
    "$sortByCount",
    "$unionWith",
    "$unset",
    "$unwind",
];

/// Reads a pipeline.
///
/// # Errors
/// 40323 and 40324 for stages that are none, `NotImplemented` for those that MongoDB has.
pub fn parse(stages: &[&RawDocument]) -> Result<Vec<Stage>, CommandError> {
    let mut parsed = Vec::with_capacity(stages.len());
    for (at, stage) in stages.iter().enumerate() {
        let mut fields = stage.iter();
        let (Some(first), None) = (fields.next(), fields.next()) else {
            return Err(CommandError::new(
                Code::EMPTY_PIPELINE_STAGE,
                "A pipeline stage specification object must contain exactly one field.",
            ));
        };
        let (name, value) = first?;
        let stage = one(name.as_str(), value)?;
        let is_source = matches!(stage, Stage::IndexStats | Stage::CollStats { .. });
        if is_source && at > 0 {
            return Err(CommandError::new(
                Code::BAD_VALUE,
                format!("{name} is only valid as the first stage in a pipeline"),
            ));
        }
        parsed.push(stage);
    }
    Ok(parsed)
}

fn one(name: &str, value: RawBsonRef<'_>) -> Result<Stage, CommandError> {
    let document = || match value {
        RawBsonRef::Document(document) => Ok(document),
        _ => Err(CommandError::new(Code::FAILED_TO_PARSE, format!("{name} must be an object"))),
    };
    let number = || {
        as_integer(value).and_then(|number| u64::try_from(number).ok()).ok_or_else(|| {
            CommandError::new(
                Code::FAILED_TO_PARSE,
                format!(
                    "invalid argument to {name} stage: a number that is not negative is needed"
                ),
            )
        })
    };
    match name {
        "$match" => Ok(Stage::Match(Filter::parse(document()?)?)),
        "$sort" => Sort::parse(document()?)?.map(Stage::Sort).ok_or_else(|| {
            CommandError::new(Code::BAD_VALUE, "$sort stage must have at least one sort key")
        }),
        "$skip" => Ok(Stage::Skip(number()?)),
        "$limit" => Ok(Stage::Limit(number()?)),
        "$count" => match value {
            RawBsonRef::String(field) if !field.is_empty() && !field.contains(['$', '.']) => {
                Ok(Stage::Count { field: field.to_owned(), id: None })
            }
            _ => Err(CommandError::new(
                Code::FAILED_TO_PARSE,
                "the count field must be a non-empty string without '$' and '.'",
            )),
        },
        "$group" => group(document()?),
        "$indexStats" => Ok(Stage::IndexStats),
        "$collStats" => coll_stats(document()?),
        _ if KNOWN_ELSEWHERE.contains(&name) => Err(CommandError::new(
            Code::NOT_SUPPORTED,
            format!("the pipeline stage {name} is not supported"),
        )),
        _ => Err(CommandError::new(
            Code::UNRECOGNIZED_PIPELINE_STAGE,
            format!("Unrecognized pipeline stage name: '{name}'"),
        )),
    }
}

fn group(document: &RawDocument) -> Result<Stage, CommandError> {
    let unsupported = || {
        CommandError::new(
            Code::NOT_SUPPORTED,
            "$group is supported only as {_id: constant, n: {$sum: 1}}, which counts",
        )
    };
    let document = Document::try_from(document)?;
    let mut fields = document.into_iter();
    let (Some((id_name, id)), Some((field, sum)), None) =
        (fields.next(), fields.next(), fields.next())
    else {
        return Err(unsupported());
    };
    let is_constant = match &id {
        Bson::Document(_) | Bson::Array(_) => false,
        Bson::String(text) => !text.starts_with('$'),
        _ => true,
    };
    let counts = sum == Bson::Document(doc! { "$sum": 1 })
        || sum == Bson::Document(doc! { "$sum": 1_i64 })
        || sum == Bson::Document(doc! { "$sum": 1.0 });
    if id_name != "_id" || !is_constant || !counts {
        return Err(unsupported());
    }
    Ok(Stage::Count { field, id: Some(id) })
}

fn coll_stats(document: &RawDocument) -> Result<Stage, CommandError> {
    let (mut scale, mut count, mut storage) = (1, false, false);
    for element in document {
        let (name, value) = element?;
        match name.as_str() {
            "storageStats" => {
                storage = true;
                if let Some(RawBsonRef::Document(inner)) = Some(value)
                    && let Some(wanted) = inner.get("scale")?.and_then(as_integer)
                {
                    scale = u64::try_from(wanted).unwrap_or(1).max(1);
                }
            }
            "count" => count = true,
            other => {
                return Err(CommandError::new(
                    Code::NOT_SUPPORTED,
                    format!("$collStats.{other} is not supported; use storageStats or count"),
                ));
            }
        }
    }
    Ok(Stage::CollStats { scale, count, storage })
}

/// Runs stages over documents in memory.
///
/// # Errors
/// None in practice: a count that can't be written.
pub fn run(
    stages: &[Stage],
    mut documents: Vec<RawDocumentBuf>,
) -> Result<Vec<RawDocumentBuf>, CommandError> {
    for stage in stages {
        match stage {
            Stage::Match(filter) => documents.retain(|document| filter.matches(document)),
            Stage::Sort(sort) => documents.sort_by_cached_key(|document| sort.key(document)),
            Stage::Skip(skip) => {
                let skip = usize::try_from(*skip).unwrap_or(usize::MAX).min(documents.len());
                documents.drain(..skip);
            }
            Stage::Limit(limit) => {
                documents.truncate(usize::try_from(*limit).unwrap_or(usize::MAX));
            }
            Stage::Count { field, id, .. } => {
                documents = counted(field, id.as_ref(), documents.len() as u64)?;
            }
            Stage::IndexStats | Stage::CollStats { .. } => {}
        }
    }
    Ok(documents)
}

/// The one document of a count; none when nothing was counted.
///
/// # Errors
/// When the field has a NUL character.
pub fn counted(
    field: &str,
    id: Option<&Bson>,
    n: u64,
) -> Result<Vec<RawDocumentBuf>, CommandError> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let mut document = Document::new();
    if let Some(id) = id {
        document.insert("_id", id.clone());
    }
    document.insert(field, shortest(n));
    Ok(vec![RawDocumentBuf::try_from(&document)?])
}
