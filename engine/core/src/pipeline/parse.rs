//! From stage documents to stages.

use std::{collections::VecDeque, sync::Arc};

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    Origin, Output, ParseContext, PipelineError, Stage,
    parse_context::Nesting,
    stage::{
        BucketAuto, Count, Documents, Facet, GraphLookup, Group, Limit, Lookup, Match, Redact,
        ReshapeStage, Sample, Server, Skip, SortStage, UnionWith, Unwind, WindowFields, bucket,
        sort_by_count,
    },
};
use crate::{
    limits::PIPELINE_STAGES_MAX,
    pipeline::error::fail,
    query::{Code, Reshape},
};

/// Stages that produce documents, so no stage can precede them.
const ONLY_FIRST: &[&str] = &[
    "$changeStream",
    "$collStats",
    "$currentOp",
    "$documents",
    "$geoNear",
    "$indexStats",
    "$listLocalSessions",
    "$listSessions",
    "$search",
    "$searchMeta",
    "$vectorSearch",
];

/// Stages that write, so no stage can follow them.
const ONLY_LAST: &[&str] = &["$merge", "$out"];

/// Stages of `{aggregate: 1}`.
const OF_DATABASE: &[&str] = &["$changeStream", "$currentOp", "$documents", "$listLocalSessions"];

/// Stages that MongoDB has and Mayfly has not.
const UNSUPPORTED: &[&str] = &[
    "$changeStreamSplitLargeEvent",
    "$densify",
    "$fill",
    "$listCatalog",
    "$listClusterCatalog",
    "$listSampledQueries",
    "$listSearchIndexes",
    "$planCacheStats",
    "$queryStats",
    "$querySettings",
    "$rankFusion",
    "$score",
    "$scoreFusion",
    "$shardedDataDistribution",
];

/// Those of them that give documents of their own or look at the whole stream.
const UNSUPPORTED_SOURCES: &[&str] = &[
    "$changeStreamSplitLargeEvent",
    "$listCatalog",
    "$listClusterCatalog",
    "$listSampledQueries",
    "$listSearchIndexes",
    "$planCacheStats",
    "$queryStats",
    "$querySettings",
    "$rankFusion",
    "$scoreFusion",
    "$shardedDataDistribution",
];

/// A pipeline that has not begun.
pub struct Pipeline {
    stages: Vec<Box<dyn Stage>>,
    names: Vec<&'static str>,
    output: Option<Output>,
}

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    /// An invalid stage, or one at the wrong place.
    pub fn parse(
        stages: &[&RawDocument],
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        if stages.len() > PIPELINE_STAGES_MAX {
            return Err(refused!(
                7749501,
                "Pipeline length must be no longer than {PIPELINE_STAGES_MAX} stages"
            ));
        }
        let mut pipeline = Self { stages: Vec::new(), names: Vec::new(), output: None };
        let mut names = Vec::with_capacity(stages.len());
        for stage in stages {
            let mut fields = stage.iter();
            let (Some(first), None) = (fields.next(), fields.next()) else {
                return Err(PipelineError::stage(
                    40323,
                    "A pipeline stage specification object must contain exactly one field.",
                ));
            };
            let (name, value) = first?;
            pipeline.add(name.as_str(), value, reading)?;
            names.push(name.as_str());
        }
        check_places(&names, reading.place)?;
        pipeline.keep_what_limits_need();
        Ok(pipeline)
    }

    /// The stages as they are before they begin.
    pub(super) fn fresh(&self) -> VecDeque<Box<dyn Stage>> {
        self.stages.iter().map(|stage| stage.fresh()).collect()
    }

    /// Where the results are written, if they are.
    pub fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// Whether the first stage shows the server or the collection itself, not its documents.
    pub fn shows_server(&self) -> bool {
        self.names.first().is_some_and(|name| ["$collStats", "$indexStats"].contains(name))
    }

    /// Whether the first stage is a source.
    pub(super) fn begins_with_source(&self) -> bool {
        self.names.first().is_some_and(|name| ONLY_FIRST.contains(name))
    }

    /// Checks that the first stage goes with a collection, or with none.
    ///
    /// # Errors
    /// `InvalidNamespace`
    pub fn check_origin(&self, origin: &Origin) -> Result<(), PipelineError> {
        let first = self.names.first().copied().unwrap_or_default();
        let needs_database = OF_DATABASE.contains(&first);
        let fail = |message| Err(PipelineError::stage(Code::INVALID_NAMESPACE, message));
        match origin {
            Origin::Collection(_) if needs_database => fail(format!(
                "{first} is not allowed on a collection; it must be run with {{aggregate: 1}}"
            )),
            Origin::Database(_) if !needs_database => fail(format!(
                "{{aggregate: 1}} is not valid for '{}'; a collection is required.",
                if first.is_empty() { "an empty pipeline" } else { first }
            )),
            Origin::Database(namespace) if first == "$currentOp" && namespace.db != "admin" => {
                fail(
                    "$currentOp must be run against the 'admin' database with {aggregate: 1}"
                        .into(),
                )
            }
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        name: &str,
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<(), PipelineError> {
        let mut push = |name: &'static str, stage: Box<dyn Stage>| {
            self.names.push(name);
            self.stages.push(stage);
        };
        match name {
            "$match" => push("$match", Box::new(Match::parse(value, &reading.names)?)),
            "$sort" => push("$sort", Box::new(SortStage::parse(value, &reading.names)?)),
            "$skip" => push("$skip", Box::new(Skip::parse(value)?)),
            "$limit" => push("$limit", Box::new(Limit::parse(value)?)),
            "$count" => push("$count", Box::new(Count::parse(value)?)),
            "$unwind" => push("$unwind", Box::new(Unwind::parse(value)?)),
            "$sample" => push("$sample", Box::new(Sample::parse(value)?)),
            "$facet" => push("$facet", Box::new(Facet::parse(value, reading)?)),
            "$unionWith" => push("$unionWith", Box::new(UnionWith::parse(value, reading)?)),
            "$indexStats" => push("$indexStats", Box::new(Server::index_stats(value)?)),
            "$collStats" => push("$collStats", Box::new(Server::coll_stats(value)?)),
            "$currentOp" => push("$currentOp", Box::new(Server::current_op(value)?)),
            "$listLocalSessions" => {
                push(
                    "$listLocalSessions",
                    Box::new(Server::sessions("$listLocalSessions", value)?),
                );
            }
            "$listSessions" => {
                push("$listSessions", Box::new(Server::sessions("$listSessions", value)?));
            }
            "$group" => push("$group", Box::new(Group::parse(value, &reading.names)?)),
            "$redact" => push("$redact", Box::new(Redact::parse(value, &reading.names)?)),
            "$documents" => push("$documents", Box::new(Documents::parse(value, &reading.names)?)),
            "$graphLookup" => push("$graphLookup", Box::new(GraphLookup::parse(value, reading)?)),
            "$lookup" => push("$lookup", Box::new(Lookup::parse(value, reading)?)),
            "$bucketAuto" => {
                push("$bucketAuto", Box::new(BucketAuto::parse(value, &reading.names)?));
            }
            "$bucket" => {
                let (group, sort) = bucket(value, &reading.names)?;
                push("$bucket", Box::new(group));
                push("$bucket", Box::new(sort));
            }
            "$sortByCount" => {
                let (group, sort) = sort_by_count(value, &reading.names)?;
                push("$sortByCount", Box::new(group));
                push("$sortByCount", Box::new(sort));
            }
            "$setWindowFields" => {
                push("$setWindowFields", Box::new(WindowFields::parse(value, &reading.names)?));
            }
            "$out" | "$merge" => self.output = Some(Output::parse(name, value, reading)?),
            _ => match Reshape::parse(name, value, &reading.names)? {
                Some(reshape) => push("$project", Box::new(ReshapeStage(Arc::new(reshape)))),
                None => return Err(no_stage(name, reading.place)),
            },
        }
        Ok(())
    }

    /// A sort that a limit follows needs not to hold more than that.
    fn keep_what_limits_need(&mut self) {
        for at in 1..self.stages.len() {
            let (before, from) = self.stages.split_at_mut(at);
            if let (Some(stage), Some(limit)) =
                (before.last_mut(), from.first().and_then(|stage| stage.limit()))
            {
                stage.keep_first(limit);
            }
        }
    }
}

fn no_stage(name: &str, place: Nesting) -> PipelineError {
    let is_source = ONLY_FIRST.contains(&name) || UNSUPPORTED_SOURCES.contains(&name);
    match name {
        // In `$facet` this error comes first, also for a stage that is not supported elsewhere.
        name if place == Nesting::Facet && is_source => not_in_facet(name),
        "$changeStream" => {
            // A change stream reads an oplog; MongoDB has this error for a server without one.
            PipelineError::stage(40573, "The $changeStream stage is only supported on replica sets")
        }
        "$geoNear" => PipelineError::stage(
            Code::INDEX_NOT_FOUND,
            "$geoNear requires a 2d or 2dsphere index, but none were found; Mayfly keeps such \
             indexes for other servers and has no geospatial queries",
        ),
        "$search" | "$searchMeta" | "$vectorSearch" => refused!(
            Code::SEARCH_NOT_ENABLED,
            "Using {name} requires a search server, which Mayfly doesn't have"
        ),
        name if UNSUPPORTED.contains(&name) => {
            refused!(Code::NOT_SUPPORTED, "the pipeline stage {name} is not supported")
        }
        name => PipelineError::stage(40324, format!("Unrecognized pipeline stage name: '{name}'")),
    }
}

fn not_in_facet(name: &str) -> PipelineError {
    let message = format!("{name} is not allowed to be used within a $facet stage");
    PipelineError::stage(40600, message)
}

fn check_places(names: &[&str], place: Nesting) -> Result<(), PipelineError> {
    for (at, name) in names.iter().enumerate() {
        let (is_source, writes) = (ONLY_FIRST.contains(name), ONLY_LAST.contains(name));
        let is_followed = at + 1 < names.len();
        match place {
            Nesting::Facet if is_source || writes || *name == "$facet" => {
                return Err(not_in_facet(name));
            }
            Nesting::Lookup if writes => {
                let message = format!("{name} is not allowed within a $lookup's sub-pipeline");
                return fail(51047, message);
            }
            Nesting::UnionWith if writes => {
                let message = format!("{name} is not allowed within a $unionWith's sub-pipeline");
                return fail(31441, message);
            }
            Nesting::View if writes => {
                let message =
                    format!("The aggregation stage {name} in a view's pipeline is not allowed");
                return fail(Code::OPTION_NOT_SUPPORTED_ON_VIEW, message);
            }
            _ if is_source && at > 0 => {
                let message = format!("{name} is only valid as the first stage in a pipeline");
                return fail(40602, message);
            }
            _ if writes && is_followed => {
                let message = format!("{name} can only be the final stage in the pipeline");
                return fail(40601, message);
            }
            _ => {}
        }
    }
    Ok(())
}
