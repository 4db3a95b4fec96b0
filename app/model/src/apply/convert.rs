//! Text and numbers of a field to dates: the dialog, and the start of the change.

mod draft;
mod reads;
mod server;

use self::draft::draft;
use self::reads::{DateFields, SampleValues, look};
use super::documents::bulk;
use super::{Apply, lock};
use crate::action::ConvertAction;
use crate::commands::convert::sample;
use crate::commands::documents;
use crate::limits::CONVERT_SAMPLE_DOCUMENTS;
use crate::state::convert::ConvertDraft;
use crate::state::dialogs::Dialog;
use crate::state::documents::Origin;
use crate::state::tabs::Tab;
use crate::state::transfer::Loadable;

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
