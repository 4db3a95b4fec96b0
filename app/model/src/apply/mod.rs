//! The one door: an action becomes a change of the state or a job, and an outcome becomes a change
//! of the state. One file a region; nothing else changes the state or makes jobs.

pub mod aggregate;
pub mod answer;
pub mod audit;
pub mod beginning;
pub mod calendar;
mod catalog;
mod changed;
mod choose_store;
pub mod clipboard;
pub mod clock;
pub mod closing;
mod collection;
mod command_log;
pub mod connect;
pub mod console;
pub mod convert;
mod cursor;
mod cut;
mod demo;
pub mod dialog;
pub mod documents;
pub mod effects;
pub mod event;
pub mod expiry;
pub mod explain;
mod index_tab;
pub mod indexes;
pub mod lesson;
pub mod listener;
mod lock;
pub mod maintenance;
mod passwords;
mod poll;
mod question;
pub mod reaper;
mod recount;
mod recreate;
pub mod rollout;
pub mod sandbox;
pub mod schema;
pub mod settings;
pub mod store;
pub mod stores;
pub mod tabs;
pub mod transfer;
pub mod trash;
pub mod view;

pub use answer::outcome;
pub use effects::{Apply, Effects, Job, WindowEffect};
pub use question::Worker;

use crate::action::Action;
use crate::action::supported::{production_question, refusal};

/// Carries out one action.
pub fn apply(action: Action, cx: &mut Apply<'_>) {
    if let Some(sentence) = refusal(&action, cx.state) {
        return cx.warn(sentence);
    }
    if let Some(question) = production_question(&action, cx.state) {
        return cx.state.dialogs.show_before(question);
    }
    match action {
        Action::Store(action) => store::apply(action, cx),
        Action::Connect(action) => connect::apply(&action, cx),
        Action::Tabs(action) => tabs::apply(action, cx),
        Action::Documents(tab, action) => documents::apply(tab, action, cx),
        Action::Aggregate(tab, action) => aggregate::apply(tab, action, cx),
        Action::Expiry(tab, action) => expiry::apply(tab, action, cx),
        Action::Explain(tab, action) => explain::apply(tab, action, cx),
        Action::Indexes(tab, action) => indexes::apply(tab, action, cx),
        Action::Schema(tab, action) => schema::apply(tab, action, cx),
        Action::Convert(action) => convert::apply(action, cx),
        Action::Cut(action) => cut::apply(action, cx),
        Action::Transfer(action) => transfer::apply(action, cx),
        Action::Maintenance(action) => maintenance::apply(action, cx),
        Action::Reaper(action) => reaper::apply(&action, cx),
        Action::Listener(action) => listener::apply(&action, cx),
        Action::Trash(action) => trash::apply(action, cx),
        Action::Audit(action) => audit::apply(action, cx),
        Action::Calendar(action) => calendar::apply(action, cx),
        Action::Sandbox(action) => sandbox::apply(&action, cx),
        Action::Lesson(action) => lesson::apply(action, cx),
        Action::Clock(action) => clock::apply(&action, cx),
        Action::Console(action) => console::apply(action, cx),
        Action::View(action) => view::apply(action, cx),
        Action::Dialog(action) => dialog::apply(action, cx),
        Action::Confirm(action) => {
            if dialog::confirm(&action, cx) {
                apply(*action, cx);
                dialog::set_named(false, cx.state);
            }
        }
    }
}
