//! `replSetGetStatus`: the members of the teaching replica set.

use bson::{Bson, DateTime, Document, Timestamp, doc};

use crate::{
    command::core::{Answer, Code, Command, CommandError, Context, Request, any, raw},
    replication::{MemberState, MemberStatus, SetStatus},
};

/// `{replSetGetStatus: 1}`
pub static COMMAND: Command = Command::admin("replSetGetStatus", &[any()], run);

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let Some(member) = &context.member else {
        // As a server answers that is not a member of a replica set.
        return Err(CommandError::new(Code::NO_REPLICATION_ENABLED, "not running with --replSet"));
    };
    let set = member.status().ok_or_else(|| {
        CommandError::new(Code::NOT_YET_INITIALIZED, "no replset config has been received")
    })?;
    let own = set.members.iter().find(|member| member.name == set.me);
    let members = set.members.iter().enumerate();
    let members: Vec<Bson> =
        members.map(|(id, member)| member_document(&set, id, member).into()).collect();
    raw(&doc! {
        "set": &set.name,
        "date": DateTime::from_millis(context.now_ms()),
        "myState": own.map_or(MemberState::Down, |own| own.state).number(),
        "members": members,
    })
}

fn member_document(set: &SetStatus, id: usize, member: &MemberStatus) -> Document {
    let is_up = member.state != MemberState::Down;
    let mut document = doc! {
        "_id": i32::try_from(id).unwrap_or(i32::MAX),
        "name": &member.name,
        "health": if is_up { 1.0 } else { 0.0 },
        "state": member.state.number(),
        "stateStr": member.state.name(),
        "optime": { "ts": optime(member), "t": 1_i64 },
        "optimeDate": DateTime::from_millis(member.optime_ms),
    };
    if member.name == set.me {
        document.insert("self", true);
    }
    document
}

/// Seconds and, instead of MongoDB's counter within the second, the position of the newest entry.
fn optime(member: &MemberStatus) -> Timestamp {
    Timestamp {
        time: u32::try_from(member.optime_ms.div_euclid(1_000)).unwrap_or(0),
        increment: u32::try_from(member.position).unwrap_or(u32::MAX),
    }
}
