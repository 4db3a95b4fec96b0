//! `validate`: checks documents, index entries and counters of a collection.

use bson::{Document, doc};

use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{Collections, VerifyReport},
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, any, is_true, no_collection, raw,
        shortest,
    },
    plan::check_interrupt,
};

/// `{validate: collection}`. Like MongoDB's, it reads only the fields that it knows and accepts all
/// others, so `scandata` of old shells and of `PyMongo` has no effect.
pub static COMMAND: Command = Command::any("validate", &[any()], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let is_metadata_only = check_options(context, request)?;
    let Some(collection) = context.collections.catalog().collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    if is_metadata_only {
        return report(&namespace, &collection, None, Vec::new());
    }
    let errors: Vec<String> = checked(&context.collections)?
        .findings
        .into_iter()
        .filter(|finding| finding.namespace == namespace)
        .map(|finding| finding.sentence)
        .collect();
    let counted = context.read(|reader, _| {
        let documents = reader.counters(collection.id.0)?.documents;
        let mut keys = Document::new();
        for index in collection.shown_indexes() {
            let entries = reader.counters(index.id.0)?.entries;
            keys.insert(&index.name, shortest(index.keys(entries, documents)));
        }
        Ok((documents, keys))
    })?;
    report(&namespace, &collection, Some(counted), errors)
}

/// Checks which options go together, in MongoDB's order (`src/mongo/db/commands/validate.cpp`), and
/// says whether only the definition is checked.
///
/// Every value is yes or no. `full`, `enforceFastCount` and `checkBSONConformance` ask for checks
/// that always run here, and `fixMultikey` for a repair that nothing here needs: an index that once
/// had an array gives the same answers.
///
/// # Errors
/// `InvalidOptions` for options that exclude each other; `CommandNotSupported` for a check in the
/// background where there is no replica set; `NotImplemented` for a repair.
fn check_options(context: &Context, request: &Request<'_>) -> Result<bool, CommandError> {
    let given = |name: &str| -> Result<Option<bool>, CommandError> {
        Ok(request.given(name)?.map(is_true))
    };
    let is_on = |name: &str| -> Result<bool, CommandError> { Ok(given(name)?.unwrap_or(false)) };
    let background = is_on("background")?;
    let full = is_on("full")?;
    let fast_count = is_on("enforceFastCount")?;
    let conformance = given("checkBSONConformance")?;
    let repair = is_on("repair")?;
    let fix_multikey = given("fixMultikey")?;
    let metadata = is_on("metadata")?;
    let is_conformance = conformance == Some(true);
    let is_member = context.member.is_some();
    let is_read_only = context.collections.store().is_read_only();
    let refused = [
        (background && full, BACKGROUND_AND_FULL),
        (background && fast_count, "both { background: true } and { enforceFastCount: true } is"),
        (background && repair, "both { background: true } and { repair: true } is"),
        (fast_count && repair, "both { enforceFastCount: true } and { repair: true } is"),
        (is_conformance && repair, "both { checkBSONConformance: true } and { repair: true } is"),
        (is_read_only && repair, "{ repair: true } in read-only mode is"),
        (
            fix_multikey == Some(false) && repair,
            "both { fixMultikey: false } and { repair: true } is",
        ),
        (
            metadata && (background || full || fast_count || is_conformance || repair),
            "{ metadata: true } and any other options is",
        ),
    ];
    if let Some((_, together)) = refused.into_iter().find(|(is_refused, _)| *is_refused) {
        return Err(CommandError::invalid_options(format!(
            "Running the validate command with {together} not supported."
        )));
    }
    if conformance == Some(false) && (full || fast_count) {
        return Err(CommandError::invalid_options(
            "Cannot explicitly set 'checkBSONConformance: false' with full validation set.",
        ));
    }
    if is_member && (repair || fix_multikey == Some(true)) {
        let option = if repair { "repair" } else { "fixMultikey" };
        return Err(CommandError::invalid_options(format!(
            "Running the validate command with {{ {option}: true }} can only be performed in \
             standalone mode."
        )));
    }
    if request.given("wiredtigerVerifyConfigurationOverride")?.is_some() && !(full || fast_count) {
        return Err(CommandError::invalid_options(
            "Overriding the verify configuration is only supported with full validation set.",
        ));
    }
    if background && (!is_member || request.db == "local") {
        let place = if is_member { "on unreplicated collections" } else { "in standalone mode" };
        return Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED,
            format!(
                "Running the validate command with {{ background: true }} is not supported {place}"
            ),
        ));
    }
    if repair {
        return Err(CommandError::not_supported(
            "repair is not supported; restore damaged documents from a backup",
        ));
    }
    Ok(metadata)
}

const BACKGROUND_AND_FULL: &str = "both { background: true } and { full: true } is";

/// The reply. Documents and the keys of each index are `None` where nothing was read.
fn report(
    namespace: &Namespace,
    collection: &CollectionMeta,
    counted: Option<(u64, Document)>,
    errors: Vec<String>,
) -> Answer {
    let uuid = bson::Binary {
        subtype: bson::spec::BinarySubtype::Uuid,
        bytes: collection.uuid.bytes().to_vec(),
    };
    let mut reply = doc! { "ns": namespace.to_string(), "uuid": uuid };
    let keys = match counted {
        Some((documents, keys)) => {
            reply.extend(doc! {
                "nInvalidDocuments": 0,
                "nNonCompliantDocuments": 0,
                "nrecords": shortest(documents),
            });
            keys
        }
        None => collection.shown_indexes().map(|index| (index.name.clone(), 0.into())).collect(),
    };
    let mut details = Document::new();
    for index in &collection.indexes {
        let is_named = |sentence: &String| sentence.contains(&index.name);
        details.insert(&index.name, doc! { "valid": !errors.iter().any(is_named) });
    }
    reply.extend(doc! {
        "nIndexes": i32::try_from(collection.shown_indexes().count()).unwrap_or(i32::MAX),
        "keysPerIndex": keys,
        "indexDetails": details,
        "valid": errors.is_empty(),
        "repaired": false,
        "warnings": [],
        "errors": errors,
        "extraIndexEntries": [],
        "missingIndexEntries": [],
        "corruptRecords": [],
    });
    raw(&reply)
}

/// Reads everything, unless `killOp` or the time ends it.
fn checked(collections: &Collections) -> Result<VerifyReport, CommandError> {
    let mut outcome = Ok(());
    let report = collections.verify(&mut |_| {
        outcome = check_interrupt();
        outcome.is_ok()
    })?;
    outcome?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;
    use crate::collection::Role;
    use crate::command::testing::Lab;
    use crate::engine::{Engine, EngineOptions};
    use crate::plan::Operation;

    #[test]
    fn old_and_unknown_options_have_no_effect() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
        for options in [
            "scandata: false, full: false",
            "scandata: true, full: true",
            "scandata: true, full: true, background: false, comment: 'x'",
            "full: 'x', checkBSONConformance: true",
            "enforceFastCount: 1, wiredtigerVerifyConfigurationOverride: {}",
            "fixMultikey: true, repair: false, metadata: null",
            "logDiagnostics: true, checkBsonConformance: false, fixmultikey: 0, fullvalidate: 1",
        ] {
            lab.check(
                &format!("{{validate: 'c', {options}}}"),
                "{ok: 1, valid: true, repaired: false, nrecords: 2, 'keysPerIndex._id_': 2}",
            );
        }
        lab.check(
            "{validate: 'c', metadata: true, scandata: true}",
            "{ok: 1, valid: true, nIndexes: 1, 'keysPerIndex._id_': 0, '-nrecords': 1, \
              '-nInvalidDocuments': 1, 'indexDetails._id_.valid': true}",
        );
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let refuses = |options: &str, code: i32, words: &str| {
            // MongoDB looks at the options before it looks for the collection.
            for collection in ["c", "none"] {
                let reply = lab.run(&format!("{{validate: '{collection}', {options}}}"));
                assert_eq!(reply.get_i32("code").ok(), Some(code), "{options}: {reply}");
                assert!(reply.get_str("errmsg").is_ok_and(|it| it.contains(words)), "{reply}");
            }
        };
        refuses("background: true", 115, "standalone mode");
        refuses("background: 1, scandata: true", 115, "standalone mode");
        refuses("background: true, full: true", 72, "{ full: true } is not supported");
        refuses("background: true, enforceFastCount: true", 72, "enforceFastCount");
        refuses("background: true, repair: true", 72, "{ repair: true }");
        refuses("enforceFastCount: true, repair: true", 72, "{ repair: true }");
        refuses("checkBSONConformance: true, repair: true", 72, "checkBSONConformance: true");
        refuses("checkBSONConformance: false, full: true", 72, "checkBSONConformance: false");
        refuses("checkBSONConformance: 0, enforceFastCount: 'x'", 72, "full validation set");
        refuses("fixMultikey: false, repair: true", 72, "fixMultikey: false");
        refuses("wiredtigerVerifyConfigurationOverride: {}", 72, "verify configuration");
        for other in ["background", "full", "enforceFastCount", "checkBSONConformance", "repair"] {
            refuses(&format!("metadata: true, {other}: true"), 72, "metadata: true");
        }
        refuses("repair: true", 238, "repair is not supported");
        refuses("repair: 'x', full: true", 238, "repair is not supported");
    }

    #[test]
    fn a_member_of_a_set_checks_in_the_background_and_repairs_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = EngineOptions {
            role: Some(Role::Primary),
            run_reaper: false,
            ..EngineOptions::default()
        };
        let engine = Engine::open(folder.path(), options).expect("an engine");
        let run = |db: &str, command: Document| engine.run(db, &command);
        for db in ["test", "local"] {
            run(db, doc! { "insert": "c", "documents": [{ "_id": 1 }] });
        }
        let reply = run("test", doc! { "validate": "c", "background": true });
        assert_eq!(reply.get_bool("valid").ok(), Some(true), "{reply}");
        for (db, option, code) in
            [("local", "background", 115), ("test", "repair", 72), ("test", "fixMultikey", 72)]
        {
            let reply = run(db, doc! { "validate": "c", option: true });
            assert_eq!(reply.get_i32("code").ok(), Some(code), "{option}: {reply}");
        }
    }

    #[test]
    fn it_ends_when_asked_or_late() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let code = |operation: Operation| {
            let checked = Arc::new(operation).run(|| checked(lab.engine.collections()));
            checked.map(|report| report.documents).map_err(|error| error.code)
        };
        assert_eq!(code(Operation::new(None)), Ok(1));
        assert_eq!(code(Operation::new(Some(Duration::ZERO))), Err(Code::MAX_TIME_MS_EXPIRED));
        let killed = Operation::new(None);
        killed.kill();
        assert_eq!(code(killed), Err(Code::INTERRUPTED));
    }
}
