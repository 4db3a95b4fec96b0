//! `createIndexes`.

use bson::{
    Bson, Document,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    catalog::{Dialect, IndexKey, rules::CreateIndexesRequest},
    collection::WriteError,
    command::core::{Answer, Command, CommandError, Context, Request, fields, raw},
    plan::check_interrupt,
    store::StoreError,
};

fields! {
    struct CreateIndexesFields<'r> from Request<'r> {
        optional "commitQuorum": get => commit_quorum Option<RawBsonRef<'r>>,
        required "indexes": documents => indexes Vec<&'r RawDocument>,
        optional "ignoreUnknownIndexOptions": flag => ignore_unknown_options bool,
    }
}

/// `{createIndexes: collection, indexes: [{key, name, …}]}`
pub static COMMAND: Command = Command::any("createIndexes", CreateIndexesFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let fields = CreateIndexesFields::read(request)?;
    // MongoDB refuses the option on a standalone server (2): there are no members to vote.
    if fields.commit_quorum.is_some() {
        return Err(CommandError::bad_value("Standalones can't specify commitQuorum"));
    }
    let dialect = context.collections.catalog().dialect(&namespace.db);
    let indexes = fields
        .indexes
        .into_iter()
        .map(|spec| Ok(Document::try_from(spec)?))
        .collect::<Result<Vec<_>, CommandError>>()?;
    let is_about_ts = indexes.iter().any(is_on_ts);
    let CreateIndexesFields { ignore_unknown_options, .. } = fields;
    let unserved = unserved(&indexes);
    let wanted = CreateIndexesRequest { namespace, indexes, ignore_unknown_options };
    // A build may take minutes, and so may the wait for another one; `killOp` and `maxTimeMS` must
    // end both.
    let continues = || check_interrupt().is_ok();
    let created = context.collections.create_indexes_while(&wanted, &continues, &mut |_| {});
    if let Err(WriteError::Store(StoreError::Stopped)) = created {
        // Says by what.
        check_interrupt()?;
    }
    let created = created?;
    let mut reply = Document::new();
    // Cosmos DB adds this field to its replies; clients of MongoDB don't expect it.
    if dialect == Dialect::Cosmos || (dialect == Dialect::Open && is_about_ts) {
        reply.insert("_t", "CreateIndexesResponse");
    }
    reply.insert("numIndexesBefore", created.indexes_before);
    reply.insert("numIndexesAfter", created.indexes_after);
    if let Some(was_created) = created.created_collection {
        reply.insert("createdCollectionAutomatically", was_created);
    }
    let is_new = created.indexes_after > created.indexes_before;
    let unserved = unserved.filter(|_| is_new);
    let notes: Vec<String> = created.note.map(str::to_owned).into_iter().chain(unserved).collect();
    if !notes.is_empty() {
        reply.insert("note", notes.join("; "));
    }
    raw(&reply)
}

/// A note about indexes that are kept for other servers: no query here uses them.
fn unserved(indexes: &[Document]) -> Option<String> {
    let is_unserved = |spec: &&Document| {
        let key = spec.get_document("key").ok().and_then(IndexKey::read);
        key.is_some_and(|key| !key.is_plain())
    };
    let names: Vec<&str> =
        indexes.iter().filter(is_unserved).filter_map(|spec| spec.get_str("name").ok()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "stored, but not used by any query: {}; text and geo queries are not supported, others \
             read the collection",
            names.join(", ")
        )
    })
}

fn is_on_ts(spec: &Document) -> bool {
    matches!(spec.get("key"), Some(Bson::Document(key)) if key.len() == 1 && key.contains_key("_ts"))
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use bson::{Bson, Document, doc};

    use crate::{
        command::testing::{Lab, at},
        event::Event,
    };

    fn filled() -> Arc<Lab> {
        let lab = Lab::new();
        for batch in 0..6 {
            let documents: Vec<_> = (0..10_000).map(|n| doc! { "u": batch * 10_000 + n }).collect();
            lab.run_document(&doc! { "insert": "c", "documents": documents });
        }
        Arc::new(lab)
    }

    fn create() -> Document {
        doc! { "createIndexes": "c", "indexes": [{ "key": { "u": 1 }, "name": "u", "unique": true }] }
    }

    /// The numbers of the commands of this kind that are running.
    fn running(lab: &Lab) -> Vec<Bson> {
        let reply = lab.ok("{currentOp: 1, 'command.createIndexes': 'c'}");
        let Some(Bson::Array(found)) = at(&reply, "inprog") else { panic!("{reply}") };
        found.iter().filter_map(|one| at(one.as_document()?, "opid")).collect()
    }

    /// Does `then` once, on another thread, when the build has taken its first step.
    fn at_first_step(lab: &Arc<Lab>, then: impl FnOnce(&Lab) + Send + 'static) {
        let (weak, then) = (Arc::downgrade(lab), std::sync::Mutex::new(Some(then)));
        lab.engine.collections().observe(move |change| {
            let is_step = matches!(change, Event::IndexBuild(progress) if !progress.finished);
            let then = is_step.then(|| then.lock().expect("unbroken").take()).flatten();
            if let (Some(then), Some(lab)) = (then, weak.upgrade()) {
                thread::scope(|scope| drop(scope.spawn(|| then(&lab))));
            }
        });
    }

    #[test]
    fn a_note_names_the_indexes_that_no_query_uses() {
        let lab = Lab::new();
        let create = |key: &str, name: &str| {
            let spec = format!("{{key: {{{key}}}, name: '{name}'}}");
            lab.ok(&format!(
                "{{createIndexes: 'c', indexes: [{{key: {{p: 1}}, name: 'p'}}, {spec}]}}"
            ))
        };
        let note = |key: &str| {
            let note = create(key, "n").get_str("note").map(str::to_owned).unwrap_or_default();
            lab.ok("{drop: 'c'}");
            note
        };
        for key in ["a: 'text'", "a: '2d'", "a: '2dsphere'", "a: 'hashed'", "'a.$**': 1"] {
            let note = note(key);
            assert!(note.starts_with("stored, but not used by any query: n; "), "{key}: {note}");
        }
        assert_eq!(note("a: -1"), "");
        create("a: 'text'", "n");
        let again = create("a: 'text'", "n");
        let words = again.get_str("note").expect("a note");
        assert_eq!(words, "all indexes already exist");
    }

    #[test]
    fn a_build_that_is_killed_leaves_nothing() {
        let lab = filled();
        at_first_step(&lab, |lab| {
            for opid in running(lab) {
                lab.run_document(&doc! { "killOp": 1, "op": opid });
            }
        });
        let reply = lab.run_document(&create());
        assert_eq!(reply.get_i32("code").ok(), Some(11601), "{reply}");
        lab.check("{listIndexes: 'c'}", "{'-cursor.firstBatch.1': 0}");
        assert_eq!(lab.engine.collections().pending_builds(), []);
        lab.check("{validate: 'c'}", "{valid: true}");
    }

    #[test]
    fn who_waits_for_the_build_of_another_command_waits_no_longer_than_allowed() {
        let lab = filled();
        at_first_step(&lab, |lab| {
            let mut short = create();
            short.insert("maxTimeMS", 50);
            let reply = lab.run_document(&short);
            assert_eq!(reply.get_i32("code").ok(), Some(50), "{reply}");
        });
        let reply = lab.run_document(&create());
        assert_eq!(at(&reply, "numIndexesAfter"), Some(Bson::Int32(2)), "{reply}");
        lab.check("{validate: 'c'}", "{valid: true}");
    }
}
