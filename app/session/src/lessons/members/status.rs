//! The view of the members, and each engine's status of its set.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use mayfly_engine::replication::{
    MemberState, MemberStatus, OplogChange, OplogEntry, OplogKind, SetStatus,
};

use super::ReplicaSet;
use super::place::Place;
use crate::job::Namespace;
use crate::job::lesson::{MemberLane, MemberRole, MemberView, OplogEntryView};
use crate::limits::{LESSON_MEMBER_LANES_MAX, LESSON_OPLOG_SHOWN_MAX};

/// The name of the set in replies.
const SET_NAME: &str = "lesson";

impl ReplicaSet {
    /// The collections whose documents are shown of each member.
    pub fn show(&mut self, collections: Vec<Namespace>) {
        self.shown = collections;
    }

    /// The members, in the order of the lesson.
    pub fn views(&self) -> Vec<MemberView> {
        self.sync_clocks();
        let all = self.places.iter().enumerate();
        all.map(|(at, place)| self.view(at, place)).collect()
    }

    fn view(&self, at: usize, place: &Place) -> MemberView {
        let role = place.role();
        let lanes = if place.is_running() { self.lanes(at) } else { place.last_lanes.clone() };
        let common_ms = self.now_ms();
        let next_pass_ms =
            place.wake_ms().filter(|_| role == MemberRole::Primary && place.deletes());
        MemberView {
            name: place.name.clone(),
            role,
            now_ms: common_ms.saturating_add(place.skew_ms),
            skew_ms: place.skew_ms,
            monitor: match role {
                MemberRole::Primary if place.deletes() => "TTL monitor: deletes",
                MemberRole::Primary => "TTL monitor: off",
                MemberRole::Secondary => "TTL monitor: idle on a secondary",
                MemberRole::Down => "TTL monitor: stopped",
            }
            .to_owned(),
            next_pass_ms: next_pass_ms.map(|at_ms| at_ms.saturating_add(place.skew_ms)),
            lag_ms: place.behind_since_ms.map_or(0, |since_ms| common_ms.saturating_sub(since_ms)),
            behind: self.log.len().saturating_sub(place.applied) as u64,
            applied: place.applied as u64,
            is_read: self.read_member() == Some(place.name.as_str()),
            lanes,
        }
    }

    /// The part of a member now.
    pub fn role_of(&self, name: &str) -> Result<MemberRole, String> {
        self.index(name).map(|at| self.places[at].role())
    }

    /// The newest entries of the oplog, oldest first.
    pub fn oplog(&self) -> Vec<OplogEntryView> {
        let first = self.log.len().saturating_sub(LESSON_OPLOG_SHOWN_MAX);
        // The rules of a lesson's database are set before it begins.
        let is_shown = |entry: &OplogEntry| !matches!(entry.changes[..], [OplogChange::Dialect(_)]);
        let newest = self.log.iter().enumerate().skip(first);
        let newest = newest.filter(|(_, entry)| is_shown(entry));
        newest.map(|(at, entry)| entry_view(at as u64 + 1, entry)).collect()
    }

    /// The documents of the shown collections on a member, soonest first, then those that never
    /// expire, then those that left it.
    pub(super) fn lanes(&self, at: usize) -> Vec<MemberLane> {
        let Some(place) = self.places.get(at) else { return Vec::new() };
        let (mut lanes, mut gone) = (Vec::new(), Vec::new());
        for namespace in &self.shown {
            let stored = place.lanes(namespace);
            for removal in place.removals.iter().rev() {
                let row = &removal.document;
                let is_back = stored.iter().any(|lane| lane.id == row.id);
                if row.namespace == *namespace && !is_back {
                    gone.push(MemberLane {
                        id: row.id.clone(),
                        base_ms: row.base_ms,
                        threshold_ms: Some(row.threshold_ms),
                        removed_ms: Some(removal.at_ms.saturating_add(place.skew_ms)),
                    });
                }
            }
            lanes.extend(stored);
        }
        lanes.sort_by_key(|lane| lane.threshold_ms.unwrap_or(i64::MAX));
        lanes.extend(gone);
        lanes.truncate(LESSON_MEMBER_LANES_MAX);
        lanes
    }

    /// Tells each running engine about its set.
    pub(super) fn tell(&self) {
        let members: Vec<MemberStatus> = self.places.iter().map(Place::status).collect();
        for place in &self.places {
            if let Ok(member) = place.member() {
                member.set_status(SetStatus {
                    name: SET_NAME.to_owned(),
                    me: host(place),
                    members: members.clone(),
                });
            }
        }
    }
}

impl Place {
    fn role(&self) -> MemberRole {
        if !self.is_running() {
            MemberRole::Down
        } else if self.is_primary() {
            MemberRole::Primary
        } else {
            MemberRole::Secondary
        }
    }

    fn status(&self) -> MemberStatus {
        let state = match self.role() {
            MemberRole::Primary => MemberState::Primary,
            MemberRole::Secondary => MemberState::Secondary,
            MemberRole::Down => MemberState::Down,
        };
        let (position, optime_ms) = (self.applied as u64, self.applied_ms);
        MemberStatus { name: host(self), state, position, optime_ms }
    }

    /// Whether its monitor is on.
    fn deletes(&self) -> bool {
        self.engine().is_ok_and(|engine| engine.reaper().parameters().enabled())
    }

    /// The stored documents of a collection: those that expire, then the others.
    fn lanes(&self, namespace: &Namespace) -> Vec<MemberLane> {
        let rows = |command: Document, list: fn(&Document) -> Option<&Vec<Bson>>| {
            let reply = self.engine().map(|engine| engine.run(&namespace.db, &command));
            let rows = reply.ok().and_then(|reply| list(&reply).cloned());
            rows.unwrap_or_default().into_iter().filter_map(|row| match row {
                Bson::Document(row) => Some(row),
                _ => None,
            })
        };
        let (name, limit) = (&*namespace.collection, LESSON_MEMBER_LANES_MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let expiring = doc! { "mayflyExpiring": name, "limit": limit };
        let ms =
            |row: &Document, field: &str| Some(row.get_datetime(field).ok()?.timestamp_millis());
        let expiring = rows(expiring, |reply| reply.get_array("batch").ok());
        let mut lanes: Vec<MemberLane> = Vec::new();
        let mut seen = BTreeSet::new();
        for row in expiring {
            let (Some(id), Some(threshold_ms)) = (row.get("_id"), ms(&row, "threshold")) else {
                continue;
            };
            // With several rules the soonest counts.
            if seen.insert(id.to_string()) {
                lanes.push(MemberLane {
                    id: id.clone(),
                    base_ms: ms(&row, "base").unwrap_or(threshold_ms),
                    threshold_ms: Some(threshold_ms),
                    removed_ms: None,
                });
            }
        }
        let find = doc! { "find": name, "projection": { "_id": 1 }, "limit": limit,
        "singleBatch": true, "batchSize": limit };
        let all =
            rows(find, |reply| reply.get_document("cursor").ok()?.get_array("firstBatch").ok());
        for id in all.filter_map(|mut row| row.remove("_id")) {
            if seen.insert(id.to_string()) {
                lanes.push(MemberLane { id, base_ms: 0, threshold_ms: None, removed_ms: None });
            }
        }
        lanes
    }
}

fn host(place: &Place) -> String {
    format!("{}:27017", place.name)
}

fn entry_view(position: u64, entry: &OplogEntry) -> OplogEntryView {
    let kind = match entry.kind {
        OplogKind::Insert => "insert",
        OplogKind::Update => "update",
        OplogKind::Delete => "delete",
        OplogKind::TtlDelete => "ttl delete",
        OplogKind::Definition => "index",
    };
    OplogEntryView {
        position,
        at_ms: entry.at_ms,
        kind: kind.to_owned(),
        documents: entry.documents(),
        namespace: entry.namespace.to_string(),
    }
}
