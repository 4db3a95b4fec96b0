//! The audit over servers of others, which count, sort and compare in their own ways.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::{Document, doc, oid::ObjectId};
use mayfly::inspect::audit::FindingId;
use mayfly::job::Cancel;
use mayfly::source::{Source, remote};
use mayfly::worker::audit::{AuditSubject, AuditWork};

use super::nx_27017::at;
use super::peer::{Peer, ok};

fn fill(source: &dyn Source, name: &str, mut documents: Vec<Document>) {
    for document in &mut documents {
        document.insert("_id", ObjectId::new());
    }
    ok(source, doc! { "insert": name, "documents": documents });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    ok(source, doc! { "createIndexes": name, "indexes": [index] });
}

/// Every document of `texts` and some of `some` never expire, and the others do.
#[track_caller]
fn check(source: &Arc<dyn Source>) {
    let source = source.as_ref();
    source.set_locked(false);
    let dates = |hours: std::ops::Range<i64>| hours.map(|hour| doc! { "at": at(hour) });
    let texts = |count| (0..count).map(|_| doc! { "at": "2099-01-01T00:00:00Z" });
    fill(source, "good", dates(1..50).collect());
    fill(source, "some", dates(1..41).chain(texts(20)).collect());
    fill(source, "texts", texts(30).collect());
    source.set_locked(true);
    let subject = AuditSubject { name: "h".to_owned(), is_server: true, ..Default::default() };
    let found = AuditWork::new(subject).run(source, &Cancel::default(), &|_| ()).expect("an audit");
    let ids = found.findings.iter().map(|one| {
        let namespace = one.place.namespace.as_ref();
        (one.id, namespace.map(|it| it.collection.clone()).unwrap_or_default())
    });
    let ids: BTreeSet<_> = ids.filter(|(id, _)| *id != FindingId::Unreadable).collect();
    let expected = [(FindingId::NeverAll, "texts"), (FindingId::NeverSome, "some")];
    let expected = expected.map(|(id, name)| (id, name.to_owned()));
    assert_eq!(ids, BTreeSet::from(expected), "{:#?}", found.findings);
    assert!(found.facts.collections.iter().all(|it| it.unfinished.is_none()));
}

#[test]
fn nx_27017() {
    let peer = Peer::nx_27017();
    check(&peer.source());
}

#[test]
fn congodb() {
    let peer = Peer::congodb();
    check(&peer.source());
}

#[test]
fn mongoeco() {
    let peer = Peer::mongoeco();
    let uri =
        format!("mongodb://ada:lovelace@127.0.0.1:{}/?authMechanism=SCRAM-SHA-256", peer.port);
    check(&remote::open(&uri).expect("a connection").0);
}
