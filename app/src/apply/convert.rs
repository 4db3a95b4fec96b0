//! Text and numbers of a field to dates: the dialog, and the start of the change.

mod reads;
mod server;

use self::reads::{CountValues, DateFields, FailingValues, PreviewValues, SampleValues};
use self::server::ReadValues;
use super::documents::bulk;
use super::effects::TOO_MUCH;
use super::{Apply, lock};
use crate::action::ConvertAction;
use crate::commands::convert::sample;
use crate::commands::documents;
use crate::limits::{CONVERT_PREVIEW_DOCUMENTS, CONVERT_SAMPLE_DOCUMENTS};
use crate::state::convert::ConvertDraft;
use crate::state::dialogs::Dialog;
use crate::state::documents::Origin;
use crate::state::tabs::Tab;
use crate::state::transfer::Loadable;
use crate::state::{Namespace, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: ConvertAction, cx: &mut Apply<'_>) {
    match action {
        ConvertAction::Open { namespace, path } => {
            let (db, collection) = (namespace.db.clone(), namespace.collection.clone());
            let draft = ConvertDraft::new(namespace, &path);
            // The dialog of an index comes back afterwards.
            cx.state.dialogs.show_before(Dialog::Convert(Box::new(draft)));
            let fields = documents::sample(&collection, CONVERT_SAMPLE_DOCUMENTS);
            let fields = cx.ask(DateFields, &db, fields);
            if let Some(open) = self::draft(cx.state) {
                open.fields = Loadable::Waiting(fields);
            }
            ask_sample(cx);
        }
        ConvertAction::Sample => ask_sample(cx),
        ConvertAction::Look => look(cx),
        ConvertAction::Start => start(cx),
    }
}

fn draft(state: &mut State) -> Option<&mut ConvertDraft> {
    match state.dialogs.open_mut() {
        Some(Dialog::Convert(draft)) => Some(draft),
        _ => None,
    }
}

/// The dialog that waits for this reply. One whose command was never sent asks again.
fn asker<'s>(
    reply: &Reply,
    is_waiting: impl Fn(&ConvertDraft) -> bool,
    state: &'s mut State,
) -> Option<&'s mut ConvertDraft> {
    let open = draft(state).filter(|open| is_waiting(open))?;
    if reply.error() == Some(TOO_MUCH) {
        open.looked_for = None;
    }
    Some(open)
}

/// Reads values of the field in the dialog.
fn ask_sample(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let path = open.path.trim().to_owned();
    (open.detected, open.looked_for) = (Loadable::Nothing, None);
    (open.preview, open.failing, open.counts) = Default::default();
    open.forms.clear();
    let Some(namespace) = open.namespace.clone() else { return };
    if path.split('.').any(str::is_empty) || path.starts_with('$') {
        return;
    }
    let command = sample(&namespace.collection, &path, CONVERT_SAMPLE_DOCUMENTS);
    let generation = cx.ask(SampleValues, &namespace.db, command);
    if let Some(open) = draft(cx.state) {
        open.detected = Loadable::Waiting(generation);
    }
}

/// Previews and counts what the dialog would do.
fn look(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let (Some(namespace), Ok(conversion)) = (open.namespace.clone(), open.conversion()) else {
        open.looked_for = None;
        (open.preview, open.failing, open.counts) = Default::default();
        return;
    };
    if open.looked_for.as_ref() == Some(&conversion) {
        return;
    }
    open.looked_for = Some(conversion.clone());
    let Namespace { db, collection } = &namespace;
    if cx.state.store.connection.is_some() {
        // A server may have far more documents than may be looked at for a preview.
        let read = conversion.read_some(collection, CONVERT_SAMPLE_DOCUMENTS);
        let read = cx.ask(ReadValues, db, read);
        if let Some(open) = draft(cx.state) {
            open.preview = Loadable::Waiting(read);
            (open.failing, open.counts) = (Loadable::Waiting(read), Loadable::Waiting(read));
        }
        return;
    }
    let preview = conversion.preview(collection, CONVERT_PREVIEW_DOCUMENTS, false);
    let preview = cx.ask(PreviewValues, db, preview);
    let failing = cx.ask(FailingValues, db, conversion.check(collection));
    let counts = cx.ask(CountValues, db, conversion.count(collection));
    if let Some(open) = draft(cx.state) {
        open.preview = Loadable::Waiting(preview);
        open.failing = Loadable::Waiting(failing);
        open.counts = Loadable::Waiting(counts);
    }
}

fn start(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let (Some(namespace), Ok(conversion)) = (open.namespace.clone(), open.conversion()) else {
        return;
    };
    if lock::refuses(cx.state) {
        return;
    }
    cx.state.dialogs.close();
    let has_it = |tab: &&Tab| tab.namespace == namespace;
    let tab = cx.state.tabs.open().iter().find(has_it).map(|tab| tab.id);
    let Some(tab) = tab.or_else(|| cx.state.tabs.show(&namespace)) else { return };
    bulk::start(tab, conversion.change(), Origin::Person, cx);
}
