//! The Schema view of a tab.

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell, whole};

use super::{Apply, TOO_MUCH, documents, indexes};
use crate::action::SchemaAction;
use crate::commands::schema;
use crate::job::purpose::SlowRead;
use crate::limits::{SCHEMA_BATCH_DOCUMENTS, SCHEMA_SAMPLE_DOCUMENTS};
use crate::state::dialogs::{Dialog as AnyDialog, Sent};
use crate::state::schema::{Dialog, Purpose, SchemaView, Stage, ValidatorDraft, both, json_text};
use crate::state::toasts::Kind;
use crate::state::{Purpose as AnyPurpose, State, TabId};
use crate::worker::{Lane, Reply, SchemaReport, SchemaStage, SchemaWork, Work};

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
        SchemaAction::OpenValidator => open_validator(tab, cx),
        SchemaAction::CountFailing => count_failing(tab, cx),
        SchemaAction::SetValidator => set_validator(tab, cx),
    }
}

fn open_json(tab: TabId, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let Some(schema) = &open.schema.schema else { return };
    let text = json_text(schema, &open.namespace.to_string());
    state.dialogs.show(AnyDialog::Schema(tab, Dialog::Json(text)));
}

fn open_validator(tab: TabId, cx: &mut Apply<'_>) {
    let Some(schema) = cx.state.tabs.get(tab).and_then(|open| open.schema.schema.clone()) else {
        return;
    };
    let draft = ValidatorDraft::new(schema);
    cx.state.dialogs.show(AnyDialog::Schema(tab, Dialog::Validator(draft)));
    count_failing(tab, cx);
}

/// The open dialog, if it makes a validator for this tab.
fn validator(tab: TabId, state: &mut State) -> Option<&mut ValidatorDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Schema(of, Dialog::Validator(draft))) if *of == tab => Some(draft),
        _ => None,
    }
}

fn count_failing(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(draft) = validator(tab, cx.state) else { return };
    draft.failing = None;
    let count = draft.count(&namespace.collection);
    cx.read(AnyPurpose::Schema(tab, Purpose::CountFailing), &namespace.db, count);
}

fn set_validator(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(draft) = validator(tab, cx.state).filter(|draft| !draft.sent.is_waiting()) else {
        return;
    };
    let command = draft.command(&namespace.collection);
    let done = format!("Documents of {} are now checked", namespace.collection);
    let purpose = AnyPurpose::Schema(tab, Purpose::Validate(done));
    let generation = cx.write(purpose, &namespace.db, command);
    if let Some(draft) = validator(tab, cx.state) {
        draft.sent = Sent { generation: Some(generation), error: None };
    }
}

/// Handles a reply.
pub fn answer(tab: TabId, purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match purpose {
        Purpose::Analyze => {}
        Purpose::CountFailing => {
            if let Some(draft) = validator(tab, cx.state)
                && let Some(count) = reply.ok().and_then(|reply| whole(reply.get("n")?))
                && draft.count_is_for(&reply.command)
            {
                draft.failing = u64::try_from(count).ok().map(|count| (draft.demands, count));
            }
        }
        Purpose::Validate(done) => match reply.error() {
            None => {
                if validator(tab, cx.state).is_some_and(|d| d.sent.generation == Some(generation)) {
                    cx.state.dialogs.close();
                }
                cx.state.toasts.push(Kind::Done, done.clone(), None, cx.state.uptime);
            }
            Some(error) => refused(tab, generation, error, cx.state),
        },
    }
}

fn refused(tab: TabId, generation: u64, error: &str, state: &mut State) {
    match validator(tab, state).filter(|draft| draft.sent.generation == Some(generation)) {
        Some(draft) => draft.sent = Sent { generation: None, error: Some(error.to_owned()) },
        None => state.toasts.push(Kind::Error, error.to_owned(), None, state.uptime),
    }
}

fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut SchemaView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.schema);
    }
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
    let purpose = AnyPurpose::Schema(tab, Purpose::Analyze);
    let generation = cx.job(purpose, Lane::Schema, Work::Schema(work));
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
#[must_use]
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

/// More is known of a schema.
pub fn report(tab: TabId, generation: u64, report: SchemaReport, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    if report.stage != SchemaStage::Reading {
        log(tab, &report, cx.state);
    }
    with(cx.state, tab, |view| {
        if view.generation != generation {
            return;
        }
        let SchemaReport { schema, is_sample, read, stage, .. } = report;
        // Keep the previous result; it beats an empty view.
        let is_empty = schema.documents == 0 && view.schema.is_some();
        if !is_empty || stage == SchemaStage::Done {
            (view.schema, view.is_sample) = (Some(schema), is_sample);
        }
        view.read = read;
        view.stage = match stage {
            SchemaStage::Reading => Stage::Reading,
            SchemaStage::Done => Stage::Done(now_ms),
            SchemaStage::Stopped => Stage::Stopped,
            SchemaStage::Failed(sentence) => Stage::Failed(sentence),
        };
    });
}

/// Lists the command that read everything, once for all of its batches.
fn log(tab: TabId, report: &SchemaReport, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let namespace = &open.namespace;
    let (filter, collation) = (&open.schema.filter, &open.schema.collation);
    let command = schema::read(&namespace.collection, filter, collation, SCHEMA_BATCH_DOCUMENTS);
    let text = shell::write_command(&namespace.db, &command);
    let error = match &report.stage {
        SchemaStage::Failed(sentence) => Some(sentence.clone()),
        _ => None,
    };
    let at_ms = state.now_ms();
    state.commands.push(at_ms, &text, report.micros, error, true);
}

/// Something was not begun, because too much was asked at once.
pub fn dropped(tab: TabId, purpose: &Purpose, generation: u64, state: &mut State) {
    match purpose {
        Purpose::Analyze => with(state, tab, |view| {
            if view.generation == generation {
                view.stage = Stage::Failed(TOO_MUCH.to_owned());
            }
        }),
        Purpose::CountFailing => {}
        Purpose::Validate(_) => refused(tab, generation, TOO_MUCH, state),
    }
}
