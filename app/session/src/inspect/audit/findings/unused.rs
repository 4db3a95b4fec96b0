//! Indexes that Mayfly keeps and no query uses.

use mayfly_engine::value::shell::write_command;

use crate::commands::indexes;
use crate::inspect::audit::facts::CollectionFacts;
use crate::inspect::audit::finding::{Finding, FindingId};

pub(super) fn of(collection: &CollectionFacts) -> impl Iterator<Item = Finding> {
    let namespace = &collection.namespace;
    collection.unused_indexes.iter().map(move |name| {
        let sentence = format!("The index {name} of {namespace} is stored, and no query uses it.");
        Finding::new(FindingId::UnusedIndex, sentence)
            .at(namespace, Some(name))
            .evidence("Mayfly keeps text, geo, hashed and wildcard indexes for other servers.")
            .evidence("Text and geo queries are refused, and others read the collection.")
            .mend("Nothing, if you copy the collection to a server. Otherwise, drop the index.")
            .command(write_command(&namespace.db, &indexes::drop(&namespace.collection, name)))
    })
}
