//! The teaching replica set: several engines in one program, of which one accepts writes and the
//! others apply its oplog.
//!
//! It shows where expiry happens: only the primary's pass deletes, and the secondaries apply its
//! deletes. It isn't a real replica set: there are no elections, votes, rollbacks, write concerns
//! or network failures, and no driver can connect. The oplog is in memory and never truncated: the
//! program that runs the members keeps it.

mod member;
mod status;
#[cfg(test)]
mod tests;

pub use member::Member;
pub use status::{MemberState, MemberStatus, SetStatus};

pub use crate::collection::{OplogChange, OplogEntry, OplogKind, Role};
