//! The replication lag of a replica set: how far its slowest secondary is from the primary.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use crate::job::reply::refusal;
use crate::source::Source;

const PRIMARY: i64 = 1;

const SECONDARY: i64 = 2;

/// Reads the lag before each step of a rollout.
#[derive(Debug)]
pub struct ReplicationLag {
    /// The lag in seconds above which no step is made. Without one, nothing is read.
    most_secs: Option<u64>,
    /// Members that are delayed on purpose, by their `_id`, once they are known.
    delayed: Option<BTreeSet<i64>>,
    /// The last reading, in words.
    words: String,
}

impl ReplicationLag {
    pub fn new(most_secs: Option<u64>) -> Self {
        Self { most_secs, delayed: None, words: String::new() }
    }

    /// Reads it. Returns whether the next step has to wait. A lag that can't be read stops nothing.
    pub fn is_too_much(&mut self, source: &dyn Source) -> bool {
        let Some(most_secs) = self.most_secs else { return false };
        let delayed = self.delayed.get_or_insert_with(|| delayed(source));
        let reply = source.run("admin", &doc! { "replSetGetStatus": 1 });
        let lag_ms = match refusal(&reply) {
            Some(why) => Err(why),
            None => slowest_ms(&reply, delayed),
        };
        let is_too_much = lag_ms.as_ref().is_ok_and(|ms| *ms > most_secs.saturating_mul(1_000));
        self.words = match lag_ms {
            Ok(ms) => {
                let secs = i64::try_from(ms.div_ceil(1_000)).unwrap_or(i64::MAX);
                let lag = mayfly_engine::value::duration(secs.saturating_mul(1_000));
                format!("replication lag {lag}")
            }
            Err(why) => format!("replication lag can't be read: {why}"),
        };
        is_too_much
    }

    /// The last reading, in words; empty before the first one.
    pub fn words(&self) -> &str {
        &self.words
    }
}

fn members(reply: &Document) -> impl Iterator<Item = &Document> {
    reply.get_array("members").into_iter().flatten().filter_map(Bson::as_document)
}

fn number(member: &Document, name: &str) -> Option<i64> {
    member.get(name).and_then(whole)
}

/// Members that copy an hour late, say, as they were told to. They would hold a rollout forever.
fn delayed(source: &dyn Source) -> BTreeSet<i64> {
    let reply = source.run("admin", &doc! { "replSetGetConfig": 1 });
    let Ok(config) = reply.get_document("config") else { return BTreeSet::new() };
    // Its name before MongoDB 5.0.
    let names = ["secondaryDelaySecs", "slaveDelay"];
    let is_delayed = |member: &&Document| {
        names.iter().any(|name| number(member, name).is_some_and(|secs| secs > 0))
    };
    members(config).filter(is_delayed).filter_map(|member| number(member, "_id")).collect()
}

/// How far the slowest secondary is from the primary, in milliseconds.
fn slowest_ms(status: &Document, delayed: &BTreeSet<i64>) -> Result<u64, String> {
    let written_ms = |state: i64| {
        let of = members(status).filter(move |member| number(member, "state") == Some(state));
        let of = of.filter(|member| number(member, "_id").is_none_or(|id| !delayed.contains(&id)));
        of.filter_map(|member| Some(member.get_datetime("optimeDate").ok()?.timestamp_millis()))
    };
    let primary = written_ms(PRIMARY).max().ok_or("no primary is known")?;
    let slowest = written_ms(SECONDARY).min().ok_or("no secondary is known")?;
    Ok(u64::try_from(primary.saturating_sub(slowest)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use bson::DateTime;

    use super::*;

    fn check(members: Vec<(i32, i32, i64)>, delayed: &[i64], expected: Result<u64, &str>) {
        let members = members.into_iter().map(|(id, state, at_ms)| {
            doc! { "_id": id, "state": state, "optimeDate": DateTime::from_millis(at_ms) }
        });
        let status = doc! { "members": members.collect::<Vec<_>>(), "ok": 1.0 };
        let found = slowest_ms(&status, &delayed.iter().copied().collect());
        assert_eq!(found, expected.map_err(str::to_owned), "{status}");
    }

    #[test]
    fn the_slowest_secondary_counts_unless_it_is_delayed_on_purpose() {
        check(vec![(0, 1, 90_000), (1, 2, 89_000), (2, 2, 70_000)], &[], Ok(20_000));
        check(vec![(0, 1, 90_000), (1, 2, 89_000), (2, 2, 70_000)], &[2], Ok(1_000));
        // A member that is ahead of a heartbeat, one that is down, and an arbiter.
        check(vec![(0, 1, 90_000), (1, 2, 91_000), (2, 8, 0), (3, 7, 0)], &[], Ok(0));
        check(vec![(1, 2, 91_000)], &[], Err("no primary is known"));
        check(vec![(0, 1, 91_000)], &[], Err("no secondary is known"));
    }
}
