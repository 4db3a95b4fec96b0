//! The three dialects: what each shows, hides, stores, answers and removes.

mod hiding;
mod own_ts;
mod reaping;
mod rules;
mod samples;

use bson::Bson;

use crate::{
    command::testing::{Lab, at, same},
    value::shell,
};

const ALL: [&str; 3] = ["open", "mongodb", "cosmos"];

/// Those that hide a document from its threshold on.
const HIDING: [&str; 2] = ["open", "cosmos"];

/// An engine whose database `test` has this dialect, at 2024-01-01T00:00:00Z.
fn lab(dialect: &str) -> Lab {
    let lab = Lab::new();
    lab.ok(&format!("{{mayflyDialect: '{dialect}'}}"));
    lab
}

/// As [`lab`], with a TTL of `secs` on `_ts` of the collection `c`.
fn lab_with_ttl(dialect: &str, secs: i64) -> Lab {
    let lab = lab(dialect);
    lab.ok(&create_ts(secs));
    lab
}

fn create_ts(secs: i64) -> String {
    format!(
        "{{createIndexes: 'c', indexes: [{{key: {{_ts: 1}}, name: '_ts_1', expireAfterSeconds: {secs}}}]}}"
    )
}

fn advance(lab: &Lab, ms: i64) {
    lab.ok(&format!("{{mayflyClock: 1, advanceMS: Long('{ms}')}}"));
}

/// Documents that are stored, whether reads show them or not.
fn stored(lab: &Lab) -> Option<Bson> {
    at(&lab.ok("{collStats: 'c'}"), "count")
}

/// Runs a command and compares one value of its reply; the word `absent` means none.
#[track_caller]
fn check_value(lab: &Lab, about: &str, command: &str, path: &str, wanted: &str) {
    let reply = lab.run(command);
    let found = at(&reply, path);
    if wanted == "absent" {
        assert_eq!(found, None, "{about}: {command}: {path} in {reply}");
        return;
    }
    let wanted = shell::read_value(wanted).expect(wanted);
    let is_same = found.as_ref().is_some_and(|found| same(found, &wanted));
    assert!(is_same, "{about}: {command}\n  {path}: {found:?}\n  wanted {wanted:?}\n  in {reply}");
}
