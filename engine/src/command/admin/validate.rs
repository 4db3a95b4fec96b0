//! `validate`: checks documents, index entries and counters of a collection.

use bson::{Document, doc};

use crate::{
    collection::{Collections, VerifyReport},
    command::core::{
        Answer, Command, CommandError, Context, Request, fields, no_collection, raw, shortest,
    },
    plan::check_interrupt,
};

fields! {
    struct ValidateFields from Request<'_> {
        optional "repair": flag => repair bool,
        ignored "background": flag => background bool,
        ignored "full": flag => full bool,
        ignored "checkBSONConformance",
        ignored "metadata",
    }
}

/// `{validate: collection}`
pub static COMMAND: Command = Command::any("validate", ValidateFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let Some(collection) = context.collections.catalog().collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    let ValidateFields { repair, background, full } = ValidateFields::read(request)?;
    if repair {
        return Err(CommandError::not_supported(
            "repair is not supported; restore damaged documents from a backup",
        ));
    }
    if background && full {
        return Err(CommandError::invalid_options(
            "Running the validate command with both { background: true } and { full: true } is \
             not supported.",
        ));
    }
    let report = checked(&context.collections)?;
    let errors: Vec<String> = report
        .findings
        .into_iter()
        .filter(|finding| finding.namespace == namespace)
        .map(|finding| finding.sentence)
        .collect();
    let mut details = Document::new();
    for index in &collection.indexes {
        let is_named = |sentence: &String| sentence.contains(&index.name);
        details.insert(&index.name, doc! { "valid": !errors.iter().any(is_named) });
    }
    let uuid = bson::Binary {
        subtype: bson::spec::BinarySubtype::Uuid,
        bytes: collection.uuid.bytes().to_vec(),
    };
    let (documents, keys) = context.read(|reader, _| {
        let documents = reader.counters(collection.id.0)?.documents;
        let mut keys = Document::new();
        for index in collection.shown_indexes() {
            let entries = reader.counters(index.id.0)?.entries;
            keys.insert(&index.name, shortest(index.keys(entries, documents)));
        }
        Ok((documents, keys))
    })?;
    raw(&doc! {
        "ns": namespace.to_string(),
        "uuid": uuid,
        "nInvalidDocuments": 0,
        "nNonCompliantDocuments": 0,
        "nrecords": shortest(documents),
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
    })
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
    use crate::command::{core::Code, testing::Lab};
    use crate::plan::Operation;

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
