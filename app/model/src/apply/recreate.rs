//! A TTL that a server does not change in place: the index is dropped and created again.
//!
//! *About this server…* (`dialogs/server.rs`) asks `hello` and `replSetGetStatus` when it is opened. Where
//! `collMod` is not there, or says yes and changes nothing, `apply/recreate.rs` offers to drop the index and
//! create it again.

use bson::Document;
use mayfly_engine::value::shell::write_command;

use super::Apply;
use super::index_tab::{asker, changed, dialog, names, with};
use super::question::Question;
use crate::commands::indexes;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::indexes::Dialog;
use crate::state::offer::Offer;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, State, TabId};
use crate::worker::{Reply, code};

/// An index is dropped to be created again.
#[derive(Debug, PartialEq)]
struct DropAgain {
    tab: TabId,
    name: String,
}

impl Question for DropAgain {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(error) = reply.error() else { return };
        with(cx.state, self.tab, |view| view.is_drop_refused = true);
        let name = &self.name;
        let sentence = format!("Index {name} was not dropped, so its TTL is as before: {error}");
        cx.toast(Kind::Error, sentence);
    }
}

/// The dropped index is created again.
#[derive(Debug, PartialEq)]
struct CreateAgain {
    tab: TabId,
    name: String,
}

impl Question for CreateAgain {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Self { tab, name } = self;
        let Some(error) = reply.error() else {
            let done = format!("Index {name} was created again");
            return changed(*tab, generation, &done, cx);
        };
        let was_dropped = cx.state.tabs.get(*tab).is_none_or(|tab| !tab.indexes.is_drop_refused);
        if was_dropped {
            let sentence = format!(
                "Index {name} was dropped and not created again: {error}. No documents are removed \
                 until you create it"
            );
            cx.toast(Kind::Error, sentence);
        }
    }
}

/// Notes a refused change that the server has no command for. Returns whether it is one.
pub(super) fn is_needed(tab: TabId, generation: u64, reply: &Reply, state: &mut State) -> bool {
    let error = reply.error().unwrap_or_default();
    let is_unknown = code::NOT_THERE.iter().any(|code| reply.failed_with(*code));
    // A server before MongoDB 5.1, or DocumentDB, only changes a TTL that is there.
    let is_plain = reply.failed_with(code::INVALID_OPTIONS);
    let is_change = reply.command.contains_key("collMod");
    let is_server = state.store.connection.is_some();
    let Some(Dialog::ChangeTtl(change)) = asker(tab, generation, state) else { return false };
    let has_ttl = change.index.secs.is_some();
    if !is_server || !is_change || !(is_unknown || is_plain && !has_ttl) {
        return false;
    }
    let what = if has_ttl { "change a TTL" } else { "add a TTL to an index" };
    let sentence = format!("This server does not {what} in place: {error}");
    (change.sent, change.error, change.needs_new_index) = (None, Some(sentence), true);
    true
}

/// Asks whether the index of the open dialog is to be dropped and created again.
pub(super) fn ask(tab: TabId, state: &mut State) {
    let Some((db, collection)) = names(tab, state) else { return };
    let Some(Dialog::ChangeTtl(change)) = dialog(tab, state) else { return };
    let Ok(secs) = change.secs() else { return };
    let (name, index) = (change.index.name.clone(), change.index.with_ttl(secs));
    let commands = [indexes::drop(&collection, &name), indexes::create(&collection, index.clone())];
    let commands = commands.map(|command| write_command(&db, &command)).join("\n");
    state.dialogs.show_before(AnyDialog::Confirm(Confirm {
        title: format!("Drop {name} and create it again?"),
        text: "While the index is missing, no documents are removed and queries can't use it. The \
               server builds it from all documents, which takes time in a large collection. Every \
               other option of the index is kept."
            .to_owned(),
        command: Some(commands),
        button: "Drop and create again".to_owned(),
        tone: Tone::Danger,
        offer: Offer::Recreate(tab, Box::new(index)),
        name: None,
    }));
}

/// Drops an index and creates it again. Both are sent at once, so that nothing in the window can come
/// between them.
pub(super) fn start(tab: TabId, index: &Document, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let name = index.get_str("name").unwrap_or_default().to_owned();
    if let Some(Dialog::ChangeTtl(_)) = dialog(tab, cx.state) {
        cx.state.dialogs.close();
    }
    with(cx.state, tab, |view| view.is_drop_refused = false);
    let drop = indexes::drop(&collection, &name);
    cx.change(DropAgain { tab, name: name.clone() }, &db, drop);
    cx.change(CreateAgain { tab, name }, &db, indexes::create(&collection, index.clone()));
}
