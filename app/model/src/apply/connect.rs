//! Attaching to a server.

use std::fmt;

use bson::doc;

use super::question::{Answer, Question, Report, Run};
use super::{Apply, lock, passwords, poll, stores};
use crate::action::ConnectAction;
use crate::action::connect::again;
use crate::job::connection_string::Secret;
use crate::job::{Cancel, OpenRequest, Server, Step};
use crate::source::secrets::KeyringError;
use crate::state::State;
use crate::state::connect::{Attempt, ConnectDraft};
use crate::state::dialogs::Dialog;
use crate::state::recent_stores::SavedServer;
use crate::state::toasts::Kind;
use crate::worker::{ConnectReport, Desk, Lane, Order, Reply, SecretWork, connect as attach};

/// Carries out one action.
pub fn apply(action: &ConnectAction, cx: &mut Apply<'_>) {
    match action {
        ConnectAction::Test => attempt(true, cx),
        ConnectAction::Attach => attempt(false, cx),
        ConnectAction::Stop => {
            if let Some(draft) = draft(cx.state) {
                draft.stop();
            }
        }
        ConnectAction::LookForKeyring => passwords::look(cx),
        ConnectAction::ForgetPassword(key) => passwords::forget(key, cx),
        ConnectAction::Lock => set_locked(true, cx),
        ConnectAction::Unlock => set_locked(false, cx),
        ConnectAction::ShowServer => show_server(cx),
        ConnectAction::AskUnlock => lock::ask(cx.state),
    }
}

/// Opens the dialog for a server that was attached before, and attaches if nothing is left to type:
/// the password may be in the keyring.
pub(super) fn open_saved(server: &SavedServer, cx: &mut Apply<'_>) {
    let mut draft = ConnectDraft::of(&server.address, server.mark);
    let is_whole = draft.server().is_ok();
    let key = Some(server).filter(|server| server.remembered && !is_whole);
    if let Some(key) = key.and_then(SavedServer::secret_key) {
        let generation = cx.state.next_generation();
        draft.asks_keyring = Some(generation);
        cx.effects.secrets.push(SecretWork::Read { generation, key });
    }
    cx.state.dialogs.show_before(again(draft));
    if is_whole {
        attempt(false, cx);
    }
}

/// The keyring has answered what the password of a server is. An answer whose dialog was closed, or
/// for which no one waits any more, is dropped.
pub(super) fn password_read(
    generation: u64,
    password: Result<Option<Secret>, KeyringError>,
    cx: &mut Apply<'_>,
) {
    passwords::learn(password.as_ref().err(), cx.state);
    let Some(draft) = draft(cx.state).filter(|it| it.asks_keyring == Some(generation)) else {
        return;
    };
    draft.asks_keyring = None;
    match password {
        Ok(Some(password)) => {
            draft.take_found(password);
            attempt(false, cx);
        }
        Ok(None) => {
            let note = "The system's keyring has no password for this server any more. Enter it";
            draft.ask_password(note.to_owned());
        }
        Err(error) => draft.ask_password(format!("{}. Enter the password", error.sentence())),
    }
}

fn draft(state: &mut State) -> Option<&mut ConnectDraft> {
    match state.dialogs.open_mut() {
        Some(Dialog::Connect(draft)) => Some(draft),
        _ => None,
    }
}

fn attempt(is_test: bool, cx: &mut Apply<'_>) {
    let Some(draft) = draft(cx.state) else { return };
    draft.stop();
    draft.hide_password();
    let Ok(mut server) = draft.server() else { return };
    let draft = draft.clone();
    server.keeping = draft.keeping(&cx.state.keyring, &cx.state.settings.stores);
    server.journals.clone_from(&cx.state.journals);
    let cancel = Cancel::default();
    let generation = cx.run(AttachServer { server: server.clone(), cancel: cancel.clone() });
    if let Some(draft) = self::draft(cx.state) {
        let step = Step::Options;
        draft.note = None;
        draft.attempt = Some(Attempt { generation, server, cancel, is_test, step, end: None });
    }
}

/// An attempt to attach to a server, while the present store stays open.
struct AttachServer {
    server: Server,
    cancel: Cancel,
}

impl fmt::Debug for AttachServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AttachServer({})", self.server.string.name())
    }
}

impl PartialEq for AttachServer {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for AttachServer {
    type Answer = ConnectReport;

    fn answered(&self, generation: u64, answer: ConnectReport, cx: &mut Apply<'_>) {
        report(generation, answer, cx);
    }
}

impl Run for AttachServer {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        let told = report.clone();
        let tell = move |answer| told.send(answer);
        if let Err(why) = attach::start(self.server.clone(), self.cancel.clone(), tell) {
            report.send(self.failed(why));
        }
    }

    fn failed(&self, message: String) -> ConnectReport {
        ConnectReport::failed(message)
    }
}

/// Handles a report of an attempt. One whose dialog was closed is of no use: dropping the server
/// detaches it.
fn report(generation: u64, report: ConnectReport, cx: &mut Apply<'_>) {
    let Some(draft) = draft(cx.state) else { return };
    let Some(attempt) = draft.attempt.as_mut().filter(|it| it.generation == generation) else {
        return;
    };
    match report {
        ConnectReport::Begun(step) => attempt.step = step,
        ConnectReport::Failed(failure) => {
            let is_refused = failure.is_refused;
            attempt.end = Some(Err(failure));
            if is_refused {
                draft.note_refused();
            }
        }
        ConnectReport::Attached(opened) if attempt.is_test => {
            attempt.end = opened.attached.map(Ok);
        }
        ConnectReport::Attached(opened) => {
            let server = Some(Box::new(attempt.server.clone()));
            cx.state.dialogs.close();
            let request = OpenRequest { server, ..OpenRequest::default() };
            stores::adopt(request, opened, cx);
        }
    }
}

/// Opens the dialog that describes the server. Only then the members of a set are asked for.
fn show_server(cx: &mut Apply<'_>) {
    cx.state.dialogs.show(Dialog::Server(Box::default()));
    poll::ask_hello(cx);
    cx.ask(Members, "admin", doc! { "replSetGetStatus": 1 });
}

/// The members of the server's replica set, for the dialog that shows them.
#[derive(Debug, PartialEq)]
struct Members;

impl Question for Members {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(Dialog::Server(facts)) = cx.state.dialogs.open_mut() {
            facts.status = Some(reply.result);
        }
    }

    fn refused(&self, _: u64, _: Reply, _: &mut Apply<'_>) {}
}

fn set_locked(is_locked: bool, cx: &mut Apply<'_>) {
    let uptime = cx.state.uptime;
    let Some(connection) = &mut cx.state.store.connection else { return };
    connection.set_locked(is_locked, uptime);
    let name = connection.attached.name.clone();
    let sentence = if is_locked {
        format!("Locked: no change is sent to {name}")
    } else {
        format!("Unlocked: changes are made on {name}")
    };
    cx.toast(Kind::Info, sentence);
    cx.order(Order::SetLocked(is_locked));
}
