//! The listener.

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::command::ListenAt;

use super::Apply;
use super::question::Question;
use crate::action::ListenerAction;
use crate::commands;
use crate::job::reply::number;
use crate::limits::LISTENER_AGE_MAX;
use crate::state::Dialog;
use crate::state::listener::{ConnectedClient, Status};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: &ListenerAction, cx: &mut Apply<'_>) {
    cx.state.listener.is_waiting = true;
    cx.state.listener.error = None;
    cx.change(SwitchListener, "admin", action.command());
}

/// Queries the connections, now and then, while it listens or its dialog is open. Returns the time
/// until the next query.
pub fn follow(cx: &mut Apply<'_>) -> Option<Duration> {
    if !cx.state.is_open() || !cx.state.store.capabilities.listener {
        return None;
    }
    let is_shown = matches!(cx.state.dialogs.open(), Some(Dialog::Listener(_)));
    let is_known = cx.state.listener.asked_at.is_some();
    if is_known && !is_shown && !cx.state.listener.status().on {
        return None;
    }
    let age = cx.state.listener.asked_at.map(|at| cx.state.uptime.saturating_sub(at));
    let rest = age.and_then(|age| LISTENER_AGE_MAX.checked_sub(age)).filter(|rest| !rest.is_zero());
    if let Some(rest) = rest {
        return Some(rest);
    }
    if !cx.state.listener.is_waiting {
        cx.state.listener.asked_at = Some(cx.state.uptime);
        cx.state.listener.is_waiting = true;
        cx.ask(ListenerStatus, "admin", commands::listener::status());
    }
    Some(LISTENER_AGE_MAX)
}

#[derive(Debug, PartialEq)]
struct ListenerStatus;

impl Question for ListenerStatus {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => cx.state.listener.learn(status(&found), cx.state.uptime),
            Err(_) => cx.state.listener.is_waiting = false,
        }
    }
}

#[derive(Debug, PartialEq)]
struct SwitchListener;

impl Question for SwitchListener {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => cx.state.listener.learn(status(&found), cx.state.uptime),
            Err(error) => cx.state.listener.fail(error),
        }
    }
}

fn status(found: &Document) -> Status {
    let clients = found.get_array("clients").map(Vec::as_slice).unwrap_or_default();
    let port = number(found, "port").and_then(|port| u16::try_from(port).ok()).unwrap_or(0);
    let socket = found.get_str("socket").ok();
    Status {
        on: found.get_bool("on").unwrap_or(false),
        at: socket.map_or(ListenAt::Port(port), |path| ListenAt::Socket(path.into())),
        uri: found.get_str("uri").unwrap_or_default().to_owned(),
        clients: clients.iter().filter_map(Bson::as_document).map(client).collect(),
        commands: number(found, "commands").unwrap_or(0),
    }
}

fn client(found: &Document) -> ConnectedClient {
    let text = |name| found.get_str(name).unwrap_or_default().to_owned();
    ConnectedClient {
        id: number(found, "id").and_then(|id| i64::try_from(id).ok()).unwrap_or(0),
        application: text("application"),
        driver: text("driver"),
        address: text("address"),
        since_ms: found.get_datetime("since").map_or(0, |at| at.timestamp_millis()),
        commands: number(found, "commands").unwrap_or(0),
    }
}
