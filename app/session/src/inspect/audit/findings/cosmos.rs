//! Documents' own `ttl`, by the rules of Azure Cosmos DB.

use bson::doc;
use mayfly_engine::reply::DocCount;
use mayfly_engine::value::shell::write_command;

use crate::commands::{expiry, indexes};
use crate::inspect::audit::facts::CollectionFacts;
use crate::inspect::audit::finding::{Finding, FindingId};
use crate::inspect::audit::words;

pub(super) fn of(collection: &CollectionFacts) -> Vec<Finding> {
    let Some(own) = &collection.own_ttl else { return Vec::new() };
    let namespace = &collection.namespace;
    let mut found = Vec::new();
    if !own.has_index && own.counting.likely() > 0 {
        let sentence = format!(
            "Documents of {namespace} have a ttl, but without an index on _ts none of them counts: {}.",
            words::share(own.counting, collection.documents)
        );
        let index = doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": -1 };
        let create = indexes::create(&namespace.collection, index);
        let finding = Finding::new(FindingId::CosmosTtl, sentence)
            .at(namespace, None)
            .about(own.counting)
            .evidence(format!(
                "An index on _ts makes them count: up to {} may go with the next pass.",
                words::documents(own.counting)
            ))
            .mend(
                "Look at the ttl of these documents first. This index removes each one whose last change is \
                 longer ago than its ttl; with -1, only documents with a ttl expire.",
            )
            .command(write_command(&namespace.db, &create));
        found.push(finding);
    }
    let ignored = own.ignored.iter().filter(|(_, count)| *count != DocCount::Exact(0));
    let ignored: Vec<&(String, DocCount)> = ignored.collect();
    if own.has_index && !ignored.is_empty() {
        let all = ignored.iter().fold(DocCount::default(), |sum, (_, count)| sum.plus(*count));
        let sentence = format!(
            "The ttl of documents of {namespace} is stored and ignored: {}.",
            words::share(all, collection.documents)
        );
        let finding = Finding::new(FindingId::CosmosTtl, sentence).at(namespace, None).about(all);
        let kinds =
            ignored.iter().map(|(kind, count)| format!("{kind}: {}.", words::documents(*count)));
        let finding = kinds.fold(finding, Finding::evidence);
        let is_ignored = doc! {
            "ttl": { "$exists": true }, "$expr": { "$not": [expiry::own_ttl_counts()] },
        };
        let find = doc! { "find": &namespace.collection, "filter": is_ignored };
        let mend = "Set ttl to -1 or to whole seconds from 1 to 2147483647. These documents are:";
        found.push(finding.mend(mend).command(write_command(&namespace.db, &find)));
    }
    found
}
