//! The Schema view of a tab.

mod analyze;
mod validator;

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};

use self::analyze::{Analyze, with};
use super::{Apply, documents, indexes};
use crate::action::SchemaAction;
use crate::commands::schema;
use crate::job::slow_read::SlowRead;
use crate::limits::{SCHEMA_BATCH_DOCUMENTS, SCHEMA_SAMPLE_DOCUMENTS};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::schema::{Dialog, both, json_text};
use crate::state::{State, TabId};
use crate::worker::SchemaWork;

/// Carries out one action.
pub fn apply(tab: TabId, action: SchemaAction, cx: &mut Apply<'_>) {
    match action {
        SchemaAction::Analyze => refresh(tab, cx),
        SchemaAction::Stop => abandon(tab, cx),
        SchemaAction::Select(path) => with(cx.state, tab, |view| view.selected = path),
        SchemaAction::ListCandidates(all) => {
            with(cx.state, tab, |view| view.lists_candidates = all);
        }
        SchemaAction::Fold(path) => with(cx.state, tab, |view| view.fold(&path)),
        SchemaAction::Narrow(filter) => narrow(tab, &filter, cx),
        SchemaAction::ClearFilter => {
            documents::set_filter(tab, String::new(), cx);
            refresh(tab, cx);
        }
        SchemaAction::OpenJson => open_json(tab, cx.state),
        SchemaAction::OpenValidator => validator::open(tab, cx),
        SchemaAction::CountFailing => validator::count_failing(tab, cx),
        SchemaAction::SetValidator => validator::set(tab, cx),
    }
}

fn open_json(tab: TabId, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let Some(schema) = &open.schema.schema else { return };
    let text = json_text(schema, &open.namespace.to_string());
    state.dialogs.show(AnyDialog::Schema(tab, Dialog::Json(text)));
}

/// Reads the documents that the filter of the Documents view matches. Called when the view is first
/// shown, when the filter has changed, and when the user asks.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    let (now_ms, mode) = (cx.state.now_ms(), cx.state.settings.documents_mode);
    cx.abandon(tab, &[SlowRead::Schema]);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.restore(&open.saved_documents, mode, now_ms);
    let filter = open.documents.query.filter.clone();
    let collation = open.documents.query.collation.clone();
    let namespace = open.namespace.clone();
    let known = cx.state.tree.documents_of(&namespace);
    let is_large = known.is_none_or(|count| count > 2 * SCHEMA_SAMPLE_DOCUMENTS.unsigned_abs());
    let half =
        |from_end| schema::sample(&namespace.collection, SCHEMA_SAMPLE_DOCUMENTS / 2, from_end);
    let samples =
        if filter.is_empty() && is_large { vec![half(false), half(true)] } else { vec![] };
    let work = SchemaWork {
        db: namespace.db.clone(),
        samples,
        all: Some(schema::read(&namespace.collection, &filter, &collation, SCHEMA_BATCH_DOCUMENTS)),
        collection: namespace.collection,
        now_ms,
    };
    let generation = cx.run(Analyze { tab, work });
    with(cx.state, tab, |view| {
        view.begin(filter, generation);
        view.collation = collation;
    });
    // Which fields carry a TTL already.
    if cx.state.tabs.get(tab).is_some_and(|tab| !tab.indexes.asked) {
        indexes::refresh(tab, cx);
    }
}

/// Whether the filter of the documents is another one than the schema is about.
pub fn is_outdated(tab: TabId, state: &State) -> bool {
    state.tabs.get(tab).is_some_and(|tab| {
        !tab.schema.asked
            || tab.documents.restored
                && (tab.schema.filter != tab.documents.query.filter
                    || tab.schema.collation != tab.documents.query.collation)
    })
}

/// Ends the analysis of a tab.
pub fn abandon(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, &[SlowRead::Schema]);
}

fn narrow(tab: TabId, filter: &Document, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let filter = both(&open.documents.query.filter, filter);
    let text = shell::write_value(&Bson::Document(filter), Layout::OneLine);
    documents::set_filter(tab, text, cx);
    refresh(tab, cx);
}
