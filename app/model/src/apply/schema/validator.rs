//! The dialog that makes a validator from a schema.

use mayfly_engine::value::whole;

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::state::dialogs::{Dialog as AnyDialog, Sent};
use crate::state::schema::{Dialog, ValidatorDraft};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;

pub(super) fn open(tab: TabId, cx: &mut Apply<'_>) {
    let Some(schema) = cx.state.tabs.get(tab).and_then(|open| open.schema.schema.clone()) else {
        return;
    };
    let draft = ValidatorDraft::new(schema);
    cx.state.dialogs.show(AnyDialog::Schema(tab, Dialog::Validator(draft)));
    count_failing(tab, cx);
}

/// The open dialog, if it makes a validator for this tab.
fn dialog(tab: TabId, state: &mut State) -> Option<&mut ValidatorDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Schema(of, Dialog::Validator(draft))) if *of == tab => Some(draft),
        _ => None,
    }
}

pub(super) fn count_failing(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(draft) = dialog(tab, cx.state) else { return };
    draft.failing = None;
    let count = draft.count(&namespace.collection);
    cx.ask(CountFailing(tab), &namespace.db, count);
}

pub(super) fn set(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(draft) = dialog(tab, cx.state).filter(|draft| !draft.sent.is_waiting()) else {
        return;
    };
    let command = draft.command(&namespace.collection);
    let done = format!("Documents of {} are now checked", namespace.collection);
    let generation = cx.change(SetValidator { tab, done }, &namespace.db, command);
    if let Some(draft) = dialog(tab, cx.state) {
        draft.sent = Sent { generation: Some(generation), error: None };
    }
}

/// The documents that the validator would refuse, counted.
#[derive(Debug, PartialEq)]
struct CountFailing(TabId);

impl Question for CountFailing {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(draft) = dialog(self.0, cx.state)
            && let Some(count) = reply.ok().and_then(|reply| whole(reply.get("n")?))
            && draft.count_is_for(&reply.command)
        {
            draft.failing = u64::try_from(count).ok().map(|count| (draft.demands, count));
        }
    }
}

/// The collection gets the validator.
#[derive(Debug, PartialEq)]
struct SetValidator {
    tab: TabId,
    /// The message once it is done.
    done: String,
}

impl Question for SetValidator {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let is_asker = |draft: &&mut ValidatorDraft| draft.sent.generation == Some(generation);
        let asker = dialog(self.tab, cx.state).filter(is_asker);
        match (reply.result, asker) {
            (Ok(_), asker) => {
                if asker.is_some() {
                    cx.state.dialogs.close();
                }
                cx.toast(Kind::Done, &*self.done);
            }
            (Err(error), Some(draft)) => draft.sent = Sent { generation: None, error: Some(error) },
            (Err(error), None) => cx.toast(Kind::Error, error),
        }
    }
}
