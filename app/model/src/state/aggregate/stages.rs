//! The stages of a pipeline: what each does, and what is typed into a new card.

/// A stage of MongoDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownStage {
    /// Its name, with `$`.
    pub name: &'static str,
    pub help: &'static str,
    /// The text of a new card. Empty if the stage is not supported.
    pub template: &'static str,
}

impl KnownStage {
    /// Whether Mayfly runs it.
    pub fn is_supported(&self) -> bool {
        !self.template.is_empty()
    }
}

const fn stage(name: &'static str, help: &'static str, template: &'static str) -> KnownStage {
    KnownStage { name, help, template }
}

const fn refused(name: &'static str, help: &'static str) -> KnownStage {
    KnownStage { name, help, template: "" }
}

/// Every stage of the menu, those that are used most first and those that are not supported last.
pub const STAGES: &[KnownStage] = &[
    stage("$match", "Keeps documents that match a filter", "{ }"),
    stage(
        "$group",
        "Groups documents and computes a value for each group",
        "{ _id: '$field', count: { $sum: 1 } }",
    ),
    stage("$sort", "Sorts: 1 ascending, -1 descending", "{ field: 1 }"),
    stage("$project", "Keeps, leaves out or computes fields", "{ field: 1 }"),
    stage("$limit", "Keeps the first documents", "10"),
    stage("$skip", "Leaves out the first documents", "10"),
    stage("$unwind", "Makes one document of each element of an array", "'$field'"),
    stage("$addFields", "Adds or replaces fields", "{ field: '$other' }"),
    stage("$set", "Adds or replaces fields, as $addFields", "{ field: '$other' }"),
    stage("$unset", "Removes fields", "'field'"),
    stage("$count", "Counts the documents", "'count'"),
    stage("$sortByCount", "Counts each value, the most frequent first", "'$field'"),
    stage(
        "$lookup",
        "Adds documents of another collection",
        "{ from: 'collection', localField: 'field', foreignField: '_id', as: 'found' }",
    ),
    stage(
        "$bucket",
        "Groups values by ranges",
        "{ groupBy: '$field', boundaries: [0, 10, 100], default: 'other' }",
    ),
    stage(
        "$bucketAuto",
        "Groups values into ranges of about equal size",
        "{ groupBy: '$field', buckets: 10 }",
    ),
    stage(
        "$facet",
        "Runs several pipelines over the same documents",
        "{ first: [ { $count: 'n' } ] }",
    ),
    stage("$replaceRoot", "Makes an embedded document the whole one", "{ newRoot: '$field' }"),
    stage("$replaceWith", "Makes an embedded document the whole one", "'$field'"),
    stage("$sample", "Chooses documents at random", "{ size: 10 }"),
    stage("$unionWith", "Adds the documents of another collection", "'collection'"),
    stage(
        "$graphLookup",
        "Follows references from document to document",
        "{ from: 'collection', startWith: '$field', connectFromField: 'field', connectToField: \
         '_id', as: 'found' }",
    ),
    stage(
        "$setWindowFields",
        "Computes over the documents around each one",
        "{ sortBy: { field: 1 }, output: { total: { $sum: '$field', window: \
         { documents: ['unbounded', 'current'] } } } }",
    ),
    stage("$redact", "Keeps or leaves out parts by a condition", "'$$KEEP'"),
    stage("$collStats", "Statistics of the collection; only first", "{ count: {} }"),
    stage("$indexStats", "How often each index is used; only first", "{}"),
    stage(
        "$out",
        "Writes the results to a collection in place of its documents; only last",
        "'results'",
    ),
    stage(
        "$merge",
        "Merges the results into a collection; only last",
        "{ into: 'results', on: '_id', whenMatched: 'replace', whenNotMatched: 'insert' }",
    ),
    refused("$densify", "Adds documents for missing values"),
    refused("$fill", "Fills missing values"),
    refused("$geoNear", "Sorts by distance; needs a geospatial index"),
    refused("$search", "Searches text; needs a search server"),
    refused("$vectorSearch", "Searches vectors; needs a search server"),
    refused("$changeStream", "Watches changes; needs a replica set"),
];

pub fn known(name: &str) -> Option<&'static KnownStage> {
    STAGES.iter().find(|stage| stage.name == name)
}

/// Whether a stage writes to a collection. Such a stage never runs without a question.
pub fn writes(name: &str) -> bool {
    matches!(name, "$out" | "$merge")
}

/// Why a stage can't run, as far as its name says. `None` if it can, or if only the store knows.
pub fn refusal(name: &str) -> Option<String> {
    let name = name.trim();
    if name.is_empty() || name == "$" {
        return Some("Choose a stage".to_owned());
    }
    match known(name) {
        Some(stage) if stage.is_supported() => None,
        Some(stage) => Some(format!("{} is not supported by Mayfly", stage.name)),
        None if !name.starts_with('$') => Some("A stage starts with $".to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mayfly_engine::value::shell;

    use super::*;

    #[test]
    fn templates_can_be_read() {
        let names: BTreeSet<&str> = STAGES.iter().map(|stage| stage.name).collect();
        assert_eq!(names.len(), STAGES.len());
        for stage in STAGES.iter().filter(|stage| stage.is_supported()) {
            let text = format!("{{{}: {}}}", stage.name, stage.template);
            assert!(shell::read_document(&text).is_ok(), "{text}");
            assert!(!stage.help.ends_with('.'), "{}", stage.name);
        }
    }

    #[test]
    fn a_stage_that_is_not_supported_says_so() {
        assert_eq!(refusal("$fill").as_deref(), Some("$fill is not supported by Mayfly"));
        assert_eq!(refusal("match").as_deref(), Some("A stage starts with $"));
        assert_eq!(refusal("$").as_deref(), Some("Choose a stage"));
        assert_eq!(refusal("$match"), None);
        assert_eq!(refusal("$new"), None);
    }
}
