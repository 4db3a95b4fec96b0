//! Sending a command, within its time.

use std::time::Duration;

use bson::{Bson, Document};
use mongodb::ClientSession;
use mongodb::options::SelectionCriteria;

use super::throttle::is_throttled;
use super::{Remote, failure, guard, said};
use crate::job::{Cancel, ReadPace};

/// How long a command may take on the server, unless it says so itself.
const TIME_MS: i32 = 30_000;

/// How much longer the window waits than the server may take.
const GRACE: Duration = Duration::from_secs(5);

/// Cursors whose sessions are kept.
const CURSORS_MAX: usize = 200;

/// Commands about the member that removes documents.
const OF_PRIMARY: [&str; 2] = ["getParameter", "serverStatus"];

/// Commands that a server takes a time limit and a comment for.
const TIMED: [&str; 8] = [
    "aggregate",
    "collStats",
    "count",
    "dbStats",
    "distinct",
    "find",
    "listCollections",
    "listIndexes",
];

/// Numbers that some servers read in 32 bits only.
const SMALL: [&str; 4] = ["batchSize", "limit", "maxTimeMS", "skip"];

impl Remote {
    /// Sends a command and waits for its reply.
    pub(super) fn send(
        &self,
        db: &str,
        command: &Document,
        cancel: &Cancel,
        is_stopped: &dyn Fn() -> bool,
    ) -> Document {
        self.throttle.send(command, &|| is_stopped() || self.runtime.is_left(), |command| {
            self.send_once(self.criteria.clone(), db, command, cancel)
        })
    }

    /// Sends a read to a member that the criteria choose, or to the primary.
    pub(super) fn send_to(
        &self,
        criteria: Option<&SelectionCriteria>,
        db: &str,
        command: &Document,
        cancel: &Cancel,
    ) -> Document {
        let is_stopped = || cancel.is_cancelled() || self.runtime.is_left();
        self.throttle.send(command, &is_stopped, |command| {
            self.send_once(criteria.cloned(), db, command, cancel)
        })
    }

    fn send_once(
        &self,
        criteria: Option<SelectionCriteria>,
        db: &str,
        mut command: Document,
        cancel: &Cancel,
    ) -> Document {
        let name = command.keys().next().cloned().unwrap_or_default();
        let is_read = guard::refusal(&command).is_none();
        let time_ms = cancel.pace().map_or(TIME_MS, ReadPace::time_ms);
        let mut time = Duration::from_millis(time_ms.unsigned_abs().into());
        if TIMED.contains(&name.as_str()) {
            match command.get("maxTimeMS").and_then(whole) {
                Some(ms) => time = Duration::from_millis(ms),
                None => drop(command.insert("maxTimeMS", time_ms)),
            }
            if !command.contains_key("comment") {
                command.insert("comment", "mayfly");
            }
            narrow(&mut command);
        }
        let cursor = (name == "getMore").then(|| command.get("getMore").and_then(whole_id));
        let cursor = cursor.flatten();
        let session = if is_read { self.session_of(&command) } else { None };
        let has_sessions = self.hello.contains_key("logicalSessionTimeoutMinutes");
        let (client, db) = (self.client.clone(), db.to_owned());
        let criteria = criteria.filter(|_| is_read && !OF_PRIMARY.contains(&&*name));
        let closes = name == "killCursors";
        let task = async move {
            let mut session = match session {
                Some(session) => Some(session),
                None if is_read && !closes && has_sessions => client.start_session().await.ok(),
                None => None,
            };
            let database = client.database(&db);
            let mut run = database.run_command(command);
            if let Some(criteria) = criteria {
                run = run.selection_criteria(criteria);
            }
            let reply = match &mut session {
                Some(session) => run.session(session).await,
                None => run.await,
            };
            (said::showable(reply), session)
        };
        match self.runtime.run(task, time.saturating_add(GRACE), cancel, is_read) {
            Ok((Ok(reply), session)) => {
                self.keep_session(&reply, session);
                reply
            }
            Ok((Err(error), session)) => {
                let reply = failure::reply(&error, !is_read);
                // The cursor is still there, and is read on with its session.
                if let (Some(cursor), Some(session)) = (cursor, session)
                    && is_throttled(&reply)
                {
                    self.sessions.lock().insert(cursor, session);
                }
                reply
            }
            Err(ended) => failure::ended(ended, !is_read),
        }
    }

    /// The session of the cursor that a command reads on or closes.
    fn session_of(&self, command: &Document) -> Option<ClientSession> {
        let cursor = match command.iter().next()? {
            (name, id) if name == "getMore" => whole_id(id),
            (name, _) if name == "killCursors" => {
                command.get_array("cursors").ok()?.first().and_then(whole_id)
            }
            _ => None,
        }?;
        self.sessions.lock().remove(&cursor)
    }

    fn keep_session(&self, reply: &Document, session: Option<ClientSession>) {
        let Ok(cursor) = reply.get_document("cursor") else { return };
        let id = cursor.get("id").and_then(whole_id).filter(|id| *id != 0);
        if let (Some(id), Some(session)) = (id, session) {
            let mut sessions = self.sessions.lock();
            if sessions.len() < CURSORS_MAX {
                sessions.insert(id, session);
            }
        }
    }
}

/// Writes small numbers in 32 bits.
fn narrow(command: &mut Document) {
    for (name, value) in command.iter_mut() {
        match value {
            Bson::Int64(number) if SMALL.contains(&name.as_str()) => {
                if let Ok(number) = i32::try_from(*number) {
                    *value = Bson::Int32(number);
                }
            }
            Bson::Document(cursor) if name == "cursor" => narrow(cursor),
            _ => {}
        }
    }
}

fn whole_id(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int64(id) => Some(*id),
        Bson::Int32(id) => Some(i64::from(*id)),
        _ => None,
    }
}

fn whole(value: &Bson) -> Option<u64> {
    whole_id(value).and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0)
}
