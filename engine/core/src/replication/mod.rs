//! The teaching replica set: several engines in one program, of which one accepts writes and the
//! others apply its oplog.
//!
//! It shows where expiry happens: only the primary's pass deletes, and the secondaries apply its
//! deletes. It isn't a real replica set: there are no elections, votes, rollbacks, write concerns
//! or network failures, no driver can connect, and the oplog is never truncated.

mod member;
mod status;
#[cfg(test)]
mod tests;

pub use member::Member;
pub use status::{MemberState, MemberStatus, SetStatus};

pub use crate::collection::{OplogChange, OplogEntry, OplogKind, Role};
