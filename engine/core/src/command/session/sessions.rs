//! Commands about sessions, which change nothing in one process, and about the connection's login.

use bson::{RawDocumentBuf, Uuid, doc, raw::RawBsonRef};

use crate::command::core::{
    Answer, Command, CommandError, Context, Request, field_value::wrong_type_at, missing_field,
    raw, server::SESSION_TIMEOUT_MINUTES, sessions::id_of,
};

/// `{endSessions: [session]}`
pub static END_SESSIONS: Command = Command::any("endSessions", &[], end);

/// `{refreshSessions: [session]}`
pub static REFRESH_SESSIONS: Command = Command::any("refreshSessions", &[], accept_sessions);

/// `{killSessions: [session]}`
pub static KILL_SESSIONS: Command = Command::any("killSessions", &[], accept_sessions);

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

fn end(context: &Context, request: &Request<'_>) -> Answer {
    accept_sessions(context, request)?;
    if let RawBsonRef::Array(sessions) = request.first()? {
        for session in sessions {
            if let Some(id) = id_of(session?) {
                context.sessions.end(id, request.client.user());
            }
        }
    }
    Ok(RawDocumentBuf::new())
}

/// Checks that the list has sessions. Nothing is kept of them that could be refreshed or killed.
fn accept_sessions(context: &Context, request: &Request<'_>) -> Answer {
    let accepted = accept_list(context, request)?;
    if let RawBsonRef::Array(sessions) = request.first()? {
        for (at, session) in sessions.into_iter().enumerate() {
            check_session(request.name, at, session?)?;
        }
    }
    Ok(accepted)
}

fn check_session(command: &str, at: usize, session: RawBsonRef<'_>) -> Result<(), CommandError> {
    let RawBsonRef::Document(fields) = session else {
        return Err(wrong_type_at(&format!("{command}.{at}"), session, "type 'object'"));
    };
    match fields.get("id")? {
        None | Some(RawBsonRef::Null) => Err(missing_field(command, "id")),
        Some(RawBsonRef::Binary(_)) => Ok(()),
        Some(other) => Err(wrong_type_at(&format!("{command}.id"), other, "type 'binData'")),
    }
}

fn accept_list(_: &Context, request: &Request<'_>) -> Answer {
    match request.first()? {
        RawBsonRef::Array(_) => Ok(RawDocumentBuf::new()),
        other => Err(request.wrong_type(request.name, other, "array")),
    }
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn lists_of_sessions_have_ids() {
        let lab = Lab::new();
        let id = "{id: BinData(4, 'AAAAAAAAAAAAAAAAAAAAAA==')}";
        for command in ["killSessions", "refreshSessions", "endSessions"] {
            lab.check(&format!("{{{command}: []}}"), "{ok: 1}");
            lab.check(&format!("{{{command}: [{id}, {id}]}}"), "{ok: 1}");
            for (sessions, code) in [
                ("1", 14),
                ("[1]", 14),
                ("[{}]", 40_414),
                ("[{id: null}]", 40_414),
                ("[{id: 1}]", 14),
            ] {
                lab.check(&format!("{{{command}: {sessions}}}"), &format!("{{code: {code}}}"));
            }
        }
    }
}
