//! Access of a lesson to the members of its replica set.

use bson::{Bson, Document, doc};

use super::Stage;
use crate::job::lesson::{MemberRole, MemberView, OplogEntryView};
use crate::job::{Cancel, Event, RemovedDocument};
use crate::lessons::members::ReplicaSet;

impl Stage {
    /// Runs a command on a member of the replica set.
    pub fn run_on(&self, member: &str, db: &str, command: &Document) -> Document {
        self.store().run_on(Some(member), db, command, &Cancel::default())
    }

    /// Whether the bytes of a document are stored, hidden or not; on this member, or on the one that
    /// the window reads from.
    ///
    /// # Errors
    /// One sentence: the member is stopped, or there is none.
    pub fn is_stored(
        &self,
        member: Option<&str>,
        db: &str,
        collection: &str,
        id: &Bson,
    ) -> Result<bool, String> {
        if let (Some(set), Some(name)) = (self.store().members(), member) {
            return set.is_stored(name, db, collection, id);
        }
        let command = doc! {"mayflyVerdict": collection, "id": id.clone()};
        let reply = self.store().run(db, &command, &Cancel::default());
        Ok(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0))
    }

    /// When a document was removed last because it expired, in milliseconds since 1970 of the
    /// lesson's time: from this member, or from the primary.
    pub fn removed_ms(
        &self,
        member: Option<&str>,
        db: &str,
        collection: &str,
        id: &Bson,
    ) -> Result<Option<i64>, String> {
        let Some(set) = self.store().members() else {
            return Ok(self.ledger().removed_ms(db, collection, id));
        };
        let Some(name) = member.or_else(|| set.read_member()) else { return Ok(None) };
        let rows = set.removals(name, db, collection)?;
        let is_it = |id: &Bson, other: &Bson| crate::lessons::equality::is_equal(id, other);
        let row = rows.iter().rev().find(|row| is_it(&row.document.id, id));
        Ok(row.map(|row| row.at_ms))
    }

    /// Expired documents that were removed from a collection, oldest first. Members as above.
    pub fn removed(
        &self,
        member: Option<&str>,
        db: &str,
        collection: &str,
    ) -> Result<Vec<RemovedDocument>, String> {
        let Some(set) = self.store().members() else {
            return Ok(self.ledger().of(db, collection));
        };
        let Some(name) = member.or_else(|| set.read_member()) else { return Ok(Vec::new()) };
        let rows = set.removals(name, db, collection)?;
        Ok(rows.into_iter().map(|row| row.document).collect())
    }

    /// Acts on a member of the replica set: `stepDown`, `stop`, `start` or `readFrom`. Returns its
    /// state, and the primary.
    pub fn member(&self, name: &str, what: &str) -> Result<Document, String> {
        let Some(mut set) = self.store().members() else {
            return Err(format!("This lesson has no member {name}"));
        };
        match what {
            "stepDown" => set.step_down(name)?,
            "stop" => set.stop(name)?,
            "start" => set.start(name)?,
            "readFrom" => set.read_from(name)?,
            _ => {}
        }
        let state = match set.role_of(name)? {
            MemberRole::Primary => "PRIMARY",
            MemberRole::Secondary => "SECONDARY",
            MemberRole::Down => "DOWN",
        };
        let mut reply = doc! {"state": state};
        if let Some(primary) = set.primary() {
            reply.insert("primary", primary);
        }
        drop(set);
        if what != "state" {
            self.note_event();
            // Another member may answer now.
            self.tell(&Event::Missed(1));
            self.tell(&Event::CatalogChanged);
        }
        Ok(reply)
    }

    /// Sets how long secondaries wait before they apply an entry.
    pub fn set_replication_delay(&self, ms: i64) -> Result<(), String> {
        let set = self.store().members();
        set.ok_or("This lesson has no members")?.set_delay(ms)
    }

    /// The time of a member's clock, in milliseconds since 1970.
    pub fn member_now_ms(&self, name: &str) -> Result<i64, String> {
        let set = self.store().members();
        set.ok_or("This lesson has no members")?.member_now_ms(name)
    }

    /// Moves the wall clock of a member alone, or of the primary.
    pub fn jump(&self, member: Option<&str>, ms: i64) -> Result<(), String> {
        match self.store().members() {
            Some(mut set) => set.jump(member, ms)?,
            None => self.clock().jump(ms),
        }
        self.note_event();
        Ok(())
    }

    /// The members, the newest entries of the oplog, and the delay in milliseconds.
    pub fn members(&self) -> MembersSeen {
        self.store().members().map(|set| seen(&set)).unwrap_or_default()
    }
}

/// The members, the newest entries of the oplog, and the delay in milliseconds.
pub type MembersSeen = (Vec<MemberView>, Vec<OplogEntryView>, u32);

/// The window's view of a set.
pub fn seen(set: &ReplicaSet) -> MembersSeen {
    (set.views(), set.oplog(), u32::try_from(set.delay_ms()).unwrap_or(u32::MAX))
}
