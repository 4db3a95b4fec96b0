//! mongoeco has users and time limits.

use std::sync::Arc;

use bson::{Document, doc};
use mayfly::source::{Source, remote};

use super::nx_27017::fill;
use super::peer::{Peer, batch, ok, refused, rows};

/// The lowest time limit of a command that takes longer.
const BRIEFLY_MS: i32 = 1;

fn log_in(peer: &Peer, login: &str, options: &str) -> Result<Arc<dyn Source>, String> {
    let uri = format!("mongodb://{login}@127.0.0.1:{}/?authSource=admin{options}", peer.port);
    remote::open(&uri).map(|(source, _)| source)
}

#[test]
fn a_login_needs_the_right_password() {
    let peer = Peer::mongoeco();
    let scram = "&authMechanism=SCRAM-SHA-256";
    let refused_login = "The server refused the login; check the user, the password and authSource";
    for options in [scram, ""] {
        for login in ["ada:wrong", "grace:lovelace"] {
            let failure = log_in(&peer, login, options).err();
            assert_eq!(failure.as_deref(), Some(refused_login), "{login} {options}");
        }
        // Without its name too, though the server tells no list of mechanisms.
        let source = log_in(&peer, "ada:lovelace", options).expect(options);
        let reply = ok(source.as_ref(), doc! { "connectionStatus": 1 });
        let mechanism = reply.to_string();
        assert!(mechanism.contains("SCRAM-SHA-256"), "{mechanism}");
    }
    let said = refused(peer.source().as_ref(), doc! { "find": "c" });
    assert_eq!(said, "Authentication required for find");
}

#[test]
fn documents_are_browsed_filtered_edited_and_told_about() {
    let peer = Peer::mongoeco();
    let source = log_in(&peer, "ada:lovelace", "").expect("a login");
    let source = source.as_ref();
    source.set_locked(false);
    fill(source);
    let update =
        doc! { "update": "c", "updates": [{ "q": { "_id": 2 }, "u": { "$set": { "n": 5 } } }] };
    assert_eq!(ok(source, update.clone()).get_i32("n").ok(), Some(1));
    source.set_locked(true);
    assert_eq!(refused(source, update), "This connection is read-only; update may change data");
    let page =
        doc! { "find": "c", "sort": { "n": 1 }, "skip": 1_i64, "limit": 2_i64, "batchSize": 2_i64 };
    let ids: Vec<_> =
        batch(&ok(source, page)).iter().map(|found| found.get_i32("_id").ok()).collect();
    assert_eq!(ids, [Some(1), Some(3)]);
    let filter = doc! { "find": "c", "filter": { "n": { "$lt": 6 } }, "maxTimeMS": 2_000_i64 };
    assert_eq!(batch(&ok(source, filter)).len(), 1);
    let group = doc! { "$group": { "_id": null, "all": { "$sum": "$n" } } };
    let aggregate =
        doc! { "aggregate": "c", "pipeline": [group], "cursor": { "batchSize": 10_i64 } };
    assert_eq!(batch(&ok(source, aggregate))[0].get_i32("all").ok(), Some(45));
    let found = rows(&ok(source, doc! { "mayflyExpiring": "c" }));
    let ids: Vec<_> = found.iter().map(|row| row.get_i32("_id").ok()).collect();
    assert_eq!(ids, [Some(1), Some(2), Some(3)]);
    let verdict = ok(source, doc! { "mayflyVerdict": "c", "id": 1 });
    assert!(!verdict.contains_key("latest"), "it has no getParameter: {verdict}");
}

#[test]
fn a_time_limit_ends_a_read() {
    let peer = Peer::mongoeco();
    let source = log_in(&peer, "ada:lovelace", "").expect("a login");
    let source = source.as_ref();
    source.set_locked(false);
    let documents: Vec<Document> = (0..200).map(|id| doc! { "_id": id, "n": id % 7 }).collect();
    ok(source, doc! { "insert": "c", "documents": documents });
    let all =
        doc! { "$lookup": { "from": "c", "localField": "n", "foreignField": "n", "as": "all" } };
    let reply = source.run(
        "shop",
        &doc! {
            "aggregate": "c", "pipeline": [all], "cursor": {}, "maxTimeMS": BRIEFLY_MS,
        },
    );
    assert_eq!(reply.get_i32("code").ok(), Some(50));
    assert_eq!(reply.get_str("errmsg").ok(), Some("operation exceeded time limit"));
}
