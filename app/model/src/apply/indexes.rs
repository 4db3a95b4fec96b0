//! The Indexes view of a tab.

mod change_ttl;
mod create;
mod list;
mod reads;

use self::change_ttl::ask_what_if;
pub(super) use self::change_ttl::{ask_ages, show_again, show_change_ttl};
pub use self::change_ttl::{open_change_ttl, open_change_ttl_when_known};
pub use self::list::refresh;
pub(super) use self::reads::TtlWhatIf;
use super::index_tab::{asker, changed, dialog, names, with};
use super::question::Question;
use super::{Apply, index_tab, recreate, rollout};
use crate::action::IndexesAction;
use crate::commands::indexes;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{Dialog, DropIndex, ttl_words};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;
pub use create::open_create;

/// Carries out one action.
pub fn apply(tab: TabId, action: IndexesAction, cx: &mut Apply<'_>) {
    match action {
        IndexesAction::Refresh => refresh(tab, cx),
        IndexesAction::Select(name) => with(cx.state, tab, |view| view.selected = name),
        IndexesAction::OpenCreate => open_create(tab, false, String::new(), cx),
        IndexesAction::OpenCreateTtl(field) => open_create(tab, true, field, cx),
        IndexesAction::OpenChangeTtl(name) => open_change_ttl(tab, &name, cx),
        IndexesAction::OpenDrop(name) => open_drop(tab, &name, cx.state),
        IndexesAction::Hide { name, hidden } => hide(tab, &name, hidden, cx),
        IndexesAction::AskWhatIf => ask_what_if(tab, cx),
        IndexesAction::Send => send(tab, cx),
        IndexesAction::AskRecreate => recreate::ask(tab, cx.state),
        IndexesAction::Recreate(index) => recreate::start(tab, &index, cx),
        IndexesAction::PlanRollout => rollout::plan(tab, cx),
        IndexesAction::StartRollout => rollout::start(cx),
    }
}

fn open_drop(tab: TabId, name: &str, state: &mut State) {
    if let Some(index) = state.tabs.get(tab).and_then(|open| open.indexes.row(name)).cloned() {
        let dropping = Box::new(DropIndex { index, sent: None, error: None });
        state.dialogs.show(AnyDialog::Indexes(tab, Dialog::Drop(dropping)));
    }
}

fn hide(tab: TabId, name: &str, hidden: bool, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let command = indexes::set_hidden(&collection, name, hidden);
    let done =
        format!("Index {name} is now {}", if hidden { "hidden from queries" } else { "visible" });
    cx.change(ChangeIndex { tab, done }, &db, command);
}

/// Sends the command of the open dialog; the dialog closes when it was done.
fn send(tab: TabId, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let Some(dialog) = dialog(tab, cx.state).filter(|dialog| dialog.sent().is_none()) else {
        return;
    };
    let (command, done) = match dialog {
        Dialog::Create(create) if create.has_ttl && !create.is_ready() => return,
        Dialog::Create(create) => match create.command(&collection) {
            Ok(command) => {
                (command, format!("Created index {} on {collection}", create.final_name()))
            }
            Err(error) => {
                create.error = Some(error);
                return;
            }
        },
        Dialog::ChangeTtl(change) => match (change.secs(), change.command(&collection)) {
            (Ok(secs), Some(command)) => {
                let text = match secs {
                    ..0 => ttl_words(secs),
                    _ => crate::state::duration::span(secs.saturating_mul(1_000)),
                };
                (command, format!("The TTL of {} is now {text}", change.index.name))
            }
            (Err(error), _) => {
                change.error = Some(error);
                return;
            }
            (Ok(_), None) => return,
        },
        Dialog::Rollout(_) => return,
        Dialog::Drop(dropping) => {
            let name = &dropping.index.name;
            let command = indexes::drop(&collection, name);
            (command, format!("Dropped index {name}"))
        }
    };
    let generation = cx.change(ChangeIndex { tab, done }, &db, command);
    if let Some(sender) = index_tab::dialog(tab, cx.state) {
        sender.set_sent(Some(generation), None);
    }
}

#[derive(Debug, PartialEq)]
struct ChangeIndex {
    tab: TabId,
    /// The message once it is done.
    done: String,
}

impl Question for ChangeIndex {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.error() {
            None => changed(self.tab, generation, &self.done, cx),
            Some(_) if recreate::is_needed(self.tab, generation, &reply, cx.state) => {}
            // A failure is shown where the request came from: in its dialog, else in a message.
            Some(error) => match asker(self.tab, generation, cx.state) {
                Some(dialog) => dialog.set_sent(None, Some(error.to_owned())),
                None => cx.toast(Kind::Error, error),
            },
        }
    }
}

#[cfg(test)]
#[path = "indexes_tests.rs"]
mod tests;
