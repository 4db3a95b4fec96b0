//! A TTL that a server does not change in place: the index is dropped and created again.

use bson::Document;
use mayfly_engine::value::shell::write_command;
use mayfly_engine::value::whole;

use super::Apply;
use super::index_tab::{asker, dialog, names, with};
use crate::commands::indexes;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::indexes::{Dialog, Purpose, ttl_words};
use crate::state::offer::Offer;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Purpose as AnyPurpose, State, TabId};
use crate::worker::{Reply, code};

/// Reads the indexes after a server said that it changed a TTL: some say so and do nothing. Returns
/// whether they are read.
pub(super) fn verify(
    tab: TabId,
    generation: u64,
    command: &Document,
    done: &str,
    cx: &mut Apply<'_>,
) -> bool {
    let secs = command.get_document("index").ok().and_then(|index| index.get("expireAfterSeconds"));
    let is_server = cx.state.store.connection.is_some() && command.contains_key("collMod");
    let (Some(secs), Some((db, collection)), true) =
        (secs.and_then(whole), names(tab, cx.state), is_server)
    else {
        return false;
    };
    let Some(Dialog::ChangeTtl(change)) = asker(tab, generation, cx.state) else { return false };
    let (name, done) = (change.index.name.clone(), done.to_owned());
    let purpose = AnyPurpose::Indexes(tab, Purpose::Verify { name, secs, done });
    let sent = cx.read(purpose, &db, indexes::list(&collection));
    if let Some(dialog) = dialog(tab, cx.state) {
        dialog.set_sent(Some(sent), None);
    }
    true
}

/// Whether an index has the TTL that it was given. If not, its dialog says so.
pub(super) fn is_changed(
    tab: TabId,
    generation: u64,
    (name, secs): (&str, i64),
    state: &mut State,
) -> bool {
    let row = state.tabs.get(tab).and_then(|open| open.indexes.row(name));
    let found = row.and_then(|row| row.secs);
    if found == Some(secs) {
        return true;
    }
    let still = found.map_or("has no TTL".to_owned(), |secs| format!("is {}", ttl_words(secs)));
    let sentence = format!(
        "The server said that it changed the TTL, and did not: that of {name} still {still}"
    );
    offer(tab, generation, sentence, state);
    false
}

/// Notes a change that the server has no command for. Returns whether it is one.
pub(super) fn refused(
    tab: TabId,
    purpose: &Purpose,
    generation: u64,
    reply: &Reply,
    state: &mut State,
) -> bool {
    let error = reply.error().unwrap_or_default();
    let (uptime, say) = (state.uptime, Kind::Error);
    match purpose {
        Purpose::DropAgain(name) => {
            with(state, tab, |view| view.is_drop_refused = true);
            let sentence =
                format!("Index {name} was not dropped, so its TTL is as before: {error}");
            state.toasts.push(say, sentence, None, uptime);
            return true;
        }
        Purpose::CreateAgain(name) => {
            let was_dropped = state.tabs.get(tab).is_none_or(|tab| !tab.indexes.is_drop_refused);
            if was_dropped {
                let sentence = format!(
                    "Index {name} was dropped and not created again: {error}. No documents are \
                     removed until you create it"
                );
                state.toasts.push(say, sentence, None, uptime);
            }
            return true;
        }
        _ => {}
    }
    let is_unknown = code::NOT_THERE.iter().any(|code| reply.failed_with(*code));
    let is_change = reply.command.contains_key("collMod") && matches!(purpose, Purpose::Change(_));
    if !is_unknown || !is_change || state.store.connection.is_none() {
        return false;
    }
    offer(tab, generation, format!("This server does not change a TTL in place: {error}"), state)
}

/// The dialog of the change offers another way. Returns whether it is open.
fn offer(tab: TabId, generation: u64, sentence: String, state: &mut State) -> bool {
    let Some(Dialog::ChangeTtl(change)) = asker(tab, generation, state) else {
        state.toasts.push(Kind::Error, sentence, None, state.uptime);
        return true;
    };
    (change.sent, change.error) = (None, Some(sentence));
    change.needs_new_index = true;
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
    let purpose = AnyPurpose::Indexes(tab, Purpose::DropAgain(name.clone()));
    cx.write(purpose, &db, indexes::drop(&collection, &name));
    let purpose = AnyPurpose::Indexes(tab, Purpose::CreateAgain(name));
    cx.write(purpose, &db, indexes::create(&collection, index.clone()));
}
