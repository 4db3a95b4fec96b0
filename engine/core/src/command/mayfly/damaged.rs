//! `mayflyDamaged`: the damaged documents of a collection, and the removal of those that are named.

use std::collections::BTreeSet;

use bson::raw::RawBsonRef;

use crate::{
    collection::{DamagedDocument, RemoveDamagedError},
    command::core::{
        Answer, Command, CommandError, Context, Request, no_collection, optional, raw,
    },
    limits::DAMAGED_DOCS_MAX,
    reply::{DamagedPage, DamagedRemoval, DamagedRow},
    store::RecordNumber,
};

/// `{mayflyDamaged: coll, after?: the "next" of the page before, remove?: [record, …]}`
///
/// Lists the damaged documents of a collection, or removes those whose record numbers `remove`
/// names, as the list gives them: all of them or, if one is not damaged, none. Their bytes stay in
/// files of the data folder.
pub static COMMAND: Command =
    Command::any("mayflyDamaged", &[optional("after"), optional("remove")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let Some(collection) = context.collections.catalog().collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    if let Some(remove) = request.get("remove")? {
        let records = records(request, remove)?;
        let files = context.collections.remove_damaged(&collection, &records)?;
        let files = files.iter().map(|file| file.display().to_string()).collect();
        return raw(&DamagedRemoval { removed: records.len() as u64, files }.to_document());
    }
    let from = request.get("after")?.map_or(Ok(0), |after| record(request, "after", after))?;
    let page = context.collections.damaged_documents(collection.id, from, DAMAGED_DOCS_MAX)?;
    let batch = page.documents.into_iter().map(row).collect();
    let next = page.next.map(|record| record.to_string());
    raw(&DamagedPage { batch, next }.to_document())
}

fn row(damaged: DamagedDocument) -> DamagedRow {
    let DamagedDocument { record, id, damage: error } = damaged;
    DamagedRow { record: record.to_string(), id, error }
}

fn records(
    request: &Request<'_>,
    remove: RawBsonRef<'_>,
) -> Result<BTreeSet<RecordNumber>, CommandError> {
    let RawBsonRef::Array(remove) = remove else {
        return Err(request.wrong_type("remove", remove, "array"));
    };
    let mut records = BTreeSet::new();
    for value in remove {
        records.insert(record(request, "remove", value?)?);
        if records.len() > DAMAGED_DOCS_MAX {
            return Err(CommandError::bad_value(format!(
                "at most {DAMAGED_DOCS_MAX} documents at a time"
            )));
        }
    }
    Ok(records)
}

/// A record number.
fn record(
    request: &Request<'_>,
    name: &str,
    value: RawBsonRef<'_>,
) -> Result<RecordNumber, CommandError> {
    // As text, because it may have more digits than a number of BSON.
    let RawBsonRef::String(text) = value else {
        return Err(request.wrong_type(name, value, "string"));
    };
    text.parse().map_err(|_| {
        CommandError::bad_value(format!("{text:?} is not a record number of the list"))
    })
}

impl From<RemoveDamagedError> for CommandError {
    fn from(error: RemoveDamagedError) -> Self {
        match error {
            RemoveDamagedError::Failed(error) => error.into(),
            RemoveDamagedError::Missing(_) | RemoveDamagedError::Sound(_) => {
                CommandError::bad_value(error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bson::Document;

    use crate::command::testing::Lab;

    /// The damaged documents of `c`.
    fn listed(lab: &Lab) -> Vec<Document> {
        let reply = lab.ok("{mayflyDamaged: 'c'}");
        let batch = reply.get_array("batch").expect("a list");
        batch.iter().map(|row| row.as_document().expect("a row").clone()).collect()
    }

    fn remove(rows: &[Document]) -> String {
        let records = rows.iter().map(|row| format!("'{}'", row.get_str("record").expect("text")));
        format!("{{mayflyDamaged: 'c', remove: [{}]}}", records.collect::<Vec<_>>().join(", "))
    }

    /// A damaged document with this `_id` between two others, in a collection made like this.
    #[track_caller]
    fn check(create: &str, id: &str) {
        let lab = Lab::new();
        lab.ok(create);
        lab.ok("{createIndexes: 'c', indexes: [{key: {tags: 1, t: 1}, name: 'm'}, \
             {key: {u: 1}, name: 'u', unique: true, sparse: true}, \
             {key: {t: 1}, name: 't', expireAfterSeconds: 5000000}]}");
        let fields = "tags: ['x', 'y', 'z'], t: ISODate('2024-01-01T00:00:00Z')";
        lab.ok(&format!(
            "{{insert: 'c', documents: [{{_id: 1, {fields}}}, \
             {{_id: {id}, a: 'needle', u: 7, {fields}}}, {{_id: 900, {fields}}}]}}"
        ));
        lab.spoil(b"needle");
        let rows = listed(&lab);
        assert_eq!(rows.len(), 1, "{create} {id}: {rows:?}");
        lab.check("{mayflyDamaged: 'c'}", &format!("{{'batch.0._id': {id}}}"));
        let why = rows[0].get_str("error").expect("text");
        assert!(why.ends_with("does not match its checksum"), "{why}");
        lab.check("{validate: 'c'}", "{valid: false}");
        let reply = lab.ok(&remove(&rows));
        let file = reply.get_array("files").expect("files")[0].as_str().expect("a path").to_owned();
        assert!(fs::read(&file).expect("kept").windows(5).any(|five| five == b"eedle"));
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 2, errors: []}");
        lab.check("{mayflyDamaged: 'c'}", "{batch: [], next: null}");
        lab.ok(&format!("{{insert: 'c', documents: [{{_id: {id}, u: 7, {fields}}}]}}"));
        assert_eq!(lab.ids("{find: 'c'}").len(), 3);
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 3, errors: []}");
    }

    #[test]
    fn a_damaged_document_is_removed_with_all_its_entries() {
        for create in [
            "{create: 'c'}",
            "{create: 'c', capped: true, size: 65536}",
            "{create: 'c', clusteredIndex: {key: {_id: 1}, unique: true}}",
        ] {
            for id in ["2", "'text'", "ObjectId('65920080a7f5c0a1b2c3d4e5')", "{part: 1}"] {
                check(create, id);
            }
        }
    }

    #[test]
    fn only_what_is_named_and_damaged_is_removed() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 'a', n: 'needle'}, {_id: 'b'}, {_id: 'c', n: 'needle'}]}");
        lab.spoil(b"needle");
        let rows = listed(&lab);
        assert_eq!(rows.len(), 2);
        let sound = "{mayflyDamaged: 'c', remove: ['1', '2']}";
        assert!(lab.run(sound).get_str("errmsg").expect("refused").contains("is not damaged"));
        let missing = "{mayflyDamaged: 'c', remove: ['1', '77']}";
        assert!(lab.run(missing).get_str("errmsg").expect("refused").contains("there is no"));
        lab.check("{mayflyDamaged: 'c', remove: 'all'}", "{code: 14}");
        lab.check("{mayflyDamaged: 'c', remove: [1]}", "{code: 14}");
        lab.check("{mayflyDamaged: 'c', remove: ['a']}", "{code: 2}");
        lab.check("{mayflyDamaged: 'd'}", "{code: 26}");
        lab.check("{mayflyDamaged: 'c', remove: []}", "{removed: 0}");
        assert_eq!(listed(&lab), rows, "nothing was removed");
        lab.check(&remove(&rows[..1]), "{removed: 1}");
        assert_eq!(listed(&lab), rows[1..]);
        lab.check("{collStats: 'c'}", "{count: 2}");
    }

    #[test]
    fn who_meets_a_damaged_document_is_told_the_way_out() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 'needle'}, {_id: 2, a: 'b'}]}");
        lab.spoil(b"needle");
        for command in [
            "{find: 'c'}",
            "{update: 'c', updates: [{q: {_id: 1}, u: {_id: 1, a: 'new'}}]}",
            "{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}",
            "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}",
            "{insert: 'c', documents: [{_id: 1}]}",
            "{insert: 'c', documents: [{_id: 3}, {_id: 1}]}",
        ] {
            let reply = lab.run(command).to_string();
            let is_named = reply.contains("document with _id 1 does not match");
            let is_key = reply.contains("dup key: { _id: 1 }; that document is damaged");
            assert!(is_named || is_key, "{command}: {reply}");
            assert!(reply.contains("mayflyDamaged"), "{command}: {reply}");
        }
        lab.ok(&remove(&listed(&lab)));
        lab.ok("{update: 'c', updates: [{q: {_id: 1}, u: {_id: 1, a: 'new'}, upsert: true}]}");
        lab.check("{find: 'c', filter: {_id: 1}}", "{'cursor.firstBatch': [{_id: 1, a: 'new'}]}");
    }
}
