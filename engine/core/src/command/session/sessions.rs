//! Commands about sessions, which change nothing in one process, and about the connection's login.

use bson::{RawDocumentBuf, Uuid, doc, raw::RawBsonRef};

use crate::command::core::{
    Answer, Command, Context, Request, raw, server::SESSION_TIMEOUT_MINUTES,
};

/// `{endSessions: [session]}`
pub static END_SESSIONS: Command = Command::any("endSessions", &[], accept_list);

/// `{refreshSessions: [session]}`
pub static REFRESH_SESSIONS: Command = Command::any("refreshSessions", &[], accept_list);

/// `{killSessions: [session]}`
pub static KILL_SESSIONS: Command = Command::any("killSessions", &[], accept_list);

/// `{killAllSessions: [session]}`
pub static KILL_ALL_SESSIONS: Command = Command::any("killAllSessions", &[], accept_list);

/// `{killAllSessionsByPattern: [session]}`
pub static KILL_ALL_SESSIONS_BY_PATTERN: Command =
    Command::any("killAllSessionsByPattern", &[], accept_list);

/// `{startSession: 1}`: a session's id, which is not kept.
pub static START_SESSION: Command = Command::any("startSession", &[], |_, _| {
    raw(&doc! { "id": { "id": Uuid::new() }, "timeoutMinutes": SESSION_TIMEOUT_MINUTES })
});

/// `{logout: 1}`. The listener ends the login itself; the program never logs in.
pub static LOGOUT: Command = Command::any("logout", &[], |_, request| {
    request.client.log_in(None);
    Ok(RawDocumentBuf::new())
});

/// `{whatsmyuri: 1}`: the client's address as the server sees it.
pub static WHATSMYURI: Command =
    Command::any("whatsmyuri", &[], |_, request| raw(&doc! { "you": &request.client.address }));

fn accept_list(_: &Context, request: &Request<'_>) -> Answer {
    match request.first()? {
        RawBsonRef::Array(_) => Ok(RawDocumentBuf::new()),
        other => Err(request.wrong_type(request.name, other, "array")),
    }
}
