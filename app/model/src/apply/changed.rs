//! The end of a change of a database or a collection.

use super::catalog::refresh;
use super::question::Question;
use super::{Apply, dialog, tabs};
use crate::state::dialogs::Sent;
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Namespace, State};
use crate::worker::Reply;

/// A database or collection that is made, renamed or dropped.
#[derive(Debug, PartialEq)]
pub(super) struct ChangeStore {
    /// The message once it is done.
    pub done: String,
    pub open: Option<Namespace>,
}

impl Question for ChangeStore {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        if reply.result.is_err() {
            say(generation, &reply, cx.state);
            return refresh(cx);
        }
        if dialog::asker(generation, cx.state).is_some() {
            cx.state.dialogs.close();
        }
        changed(&self.done, self.open.as_ref(), &reply, cx);
    }

    fn refused(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        say(generation, &reply, cx.state);
    }
}

/// A refusal is shown where the request came from: in its dialog, else in a message.
pub(super) fn say(generation: u64, reply: &Reply, state: &mut State) {
    let Err(error) = &reply.result else { return };
    match dialog::asker(generation, state) {
        Some(sent) => *sent = Sent { generation: None, error: Some(error.clone()) },
        None => state.toast(Kind::Error, error),
    }
}

fn changed(done: &str, open: Option<&Namespace>, reply: &Reply, cx: &mut Apply<'_>) {
    cx.toast(Kind::Done, done);
    if let Ok(collection) = reply.command.get_str("drop") {
        let dropped = Namespace::new(&reply.db, collection);
        cx.state.tabs.forget(|namespace| *namespace == dropped);
    } else if let Ok(from) = reply.command.get_str("renameCollection") {
        cx.state.tabs.forget(|namespace| namespace.to_string() == from);
    } else if reply.command.contains_key("dropDatabase") {
        cx.state.tabs.forget(|namespace| namespace.db == reply.db);
    }
    if let Some(namespace) = open
        && cx.state.tabs.show(namespace).is_some()
        && reply.command.contains_key("create")
    {
        // Nothing in it can expire yet; documents are what comes first.
        tabs::set_view(ViewKind::Documents, cx.state);
    }
    refresh(cx);
    tabs::freshen(cx);
}
