//! The sessions that clients use. They change nothing in one process, and are only listed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bson::{Binary, DateTime, Document, doc, raw::RawBsonRef, spec::BinarySubtype};
use sha2::{Digest as _, Sha256};

use super::{USERS_DB, server::SESSION_TIMEOUT_MINUTES};
use crate::{clock::work_time, limits::SESSIONS_MAX};

/// The sessions of all clients.
#[derive(Debug, Default)]
pub struct Sessions {
    used: Mutex<HashMap<SessionKey, SessionUse>>,
}

/// A session is one of a user: two users may send the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SessionKey {
    id: [u8; 16],
    user: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct SessionUse {
    /// The last use, in milliseconds since 1970.
    at_ms: i64,
    /// The same on the clock of [`work_time`].
    at: Duration,
}

impl Sessions {
    /// Records a use.
    pub fn note(&self, id: [u8; 16], user: Option<String>, now_ms: i64) {
        let at = work_time();
        let mut used = self.lock();
        let key = SessionKey { id, user };
        if used.len() >= SESSIONS_MAX && !used.contains_key(&key) {
            let is_open = |of: &SessionUse| at.saturating_sub(of.at) < timeout();
            used.retain(|_, of| is_open(of));
            // Without a session that has timed out, the new one is not listed.
            if used.len() >= SESSIONS_MAX {
                return;
            }
        }
        used.insert(key, SessionUse { at_ms: now_ms, at });
    }

    /// Forgets a session that its client has ended.
    pub fn end(&self, id: [u8; 16], user: Option<String>) {
        self.lock().remove(&SessionKey { id, user });
    }

    /// The sessions of the users that `is_shown` accepts, as `$listLocalSessions` shows them: the
    /// one that was used last comes first.
    pub fn documents(&self, is_shown: impl Fn(Option<&str>) -> bool) -> Vec<Document> {
        let now = work_time();
        let used = self.lock();
        let open = used.iter().filter(|(_, of)| now.saturating_sub(of.at) < timeout());
        let mut shown: Vec<_> = open.filter(|(key, _)| is_shown(key.user.as_deref())).collect();
        shown.sort_by(|(a, of_a), (b, of_b)| of_b.at.cmp(&of_a.at).then_with(|| a.id.cmp(&b.id)));
        shown.into_iter().map(|(key, of)| document(key, *of)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, SessionUse>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id in a session's document, as commands send it.
pub fn id_of(session: RawBsonRef<'_>) -> Option<[u8; 16]> {
    match session.as_document()?.get("id").ok().flatten()? {
        RawBsonRef::Binary(id) => id.bytes.try_into().ok(),
        _ => None,
    }
}

/// How long a session may be unused.
fn timeout() -> Duration {
    Duration::from_mins(u64::try_from(SESSION_TIMEOUT_MINUTES).unwrap_or(30))
}

fn document(key: &SessionKey, of: SessionUse) -> Document {
    let name = key.user.as_ref().map(|user| format!("{user}@{USERS_DB}"));
    let binary = |subtype, bytes: &[u8]| Binary { subtype, bytes: bytes.to_vec() };
    let digest = Sha256::digest(name.as_deref().unwrap_or_default());
    let mut session = doc! {
        "_id": {
            "id": binary(BinarySubtype::Uuid, &key.id),
            "uid": binary(BinarySubtype::Generic, &digest),
        },
        "lastUse": DateTime::from_millis(of.at_ms),
    };
    if let Some(name) = name {
        session.insert("user", doc! { "name": name });
    }
    session
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Uuid, doc};

    use super::*;
    use crate::command::testing::{Lab, at};

    #[test]
    fn sessions_are_listed_until_they_end() {
        let lab = Lab::new();
        let session = |byte: u8| doc! { "id": Uuid::from_bytes([byte; 16]) };
        let listed = |stage: Document| {
            let command = doc! { "aggregate": 1, "pipeline": [stage], "cursor": {} };
            let reply = lab.engine.run("admin", &command);
            let Some(Bson::Array(rows)) = at(&reply, "cursor.firstBatch") else {
                panic!("{reply}")
            };
            let ids = rows.iter().filter_map(|row| at(row.as_document()?, "_id.id"));
            ids.collect::<Vec<Bson>>()
        };
        let ids = |bytes: &[u8]| -> Vec<Bson> {
            bytes.iter().map(|byte| Uuid::from_bytes([*byte; 16]).into()).collect()
        };
        let own = || listed(doc! { "$listLocalSessions": {} });
        assert_eq!(own(), ids(&[]));
        lab.run_document(&doc! { "ping": 1, "lsid": session(1) });
        lab.run_document(&doc! { "find": "c", "lsid": session(2) });
        assert_eq!(own(), ids(&[2, 1]));
        lab.run_document(&doc! { "ping": 1, "lsid": session(1) });
        assert_eq!(listed(doc! { "$listLocalSessions": { "allUsers": true } }), ids(&[1, 2]));
        let other = doc! { "users": [{ "user": "ada", "db": "admin" }] };
        assert_eq!(listed(doc! { "$listLocalSessions": other }), ids(&[]));
        lab.run_document(&doc! { "endSessions": [session(1)] });
        assert_eq!(own(), ids(&[2]));
    }

    #[test]
    fn a_session_is_one_of_its_user_and_their_number_is_bounded() {
        let sessions = Sessions::default();
        sessions.note([1; 16], Some("ada".to_owned()), 5);
        sessions.note([1; 16], None, 6);
        let of = |user: Option<&'static str>| {
            sessions.documents(move |found| found == user).first().cloned().expect("one")
        };
        assert_eq!(at(&of(Some("ada")), "user.name"), Some("ada@admin".into()));
        assert_eq!(at(&of(None), "lastUse"), Some(DateTime::from_millis(6).into()));
        for number in 0..SESSIONS_MAX as u128 + 5 {
            sessions.note(number.to_be_bytes(), None, 7);
        }
        assert_eq!(sessions.lock().len(), SESSIONS_MAX);
    }
}
