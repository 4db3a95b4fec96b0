//! Whole ways through actions, commands of a real engine, and answers.

use std::sync::Arc;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};

use super::answers::FirstPage;
use super::*;
use crate::action::Action;
use crate::action::view_actions::How;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question as _;
use crate::apply::{Apply, Effects, apply as act, outcome};
use crate::job::bulk::{BulkChange, Target};
use crate::source::{Capabilities, Events, Source};
use crate::state::documents::editor::{Editor, Phase};
use crate::state::documents::{Dialog, DocumentsView, FieldEdit, Selection};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Namespace, Phase as StorePhase, State};
use crate::worker::Reply;

const NOW_MS: i64 = 1_000_000_000_000;

/// The engine without threads around it.
struct Direct(Arc<Engine>);

impl Source for Direct {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.0.run(db, command)
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { simulated_clock: true, ..Capabilities::default() }
    }
}

struct Bench {
    engine: Arc<Engine>,
    _folder: tempfile::TempDir,
    state: State,
    tab: TabId,
}

impl Bench {
    fn new(documents: &[Document]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: NOW_MS },
            run_reaper: false,
            ..EngineOptions::default()
        };
        let engine = Engine::open(&folder.path().join("s"), options).expect("a store");
        let engine = Arc::new(engine);
        let mut state = State::default();
        state.store.phase = StorePhase::Open;
        let tab = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
        if let Some(open) = state.tabs.get_mut(tab) {
            open.view = ViewKind::Documents;
        }
        let mut bench = Self { engine, _folder: folder, state, tab };
        bench.run(&doc! {"create": "c"});
        for some in documents.chunks(1_000) {
            bench.run(&doc! {"insert": "c", "documents": some.to_vec()});
        }
        bench.act(DocumentsAction::Refresh);
        bench
    }

    fn run(&mut self, command: &Document) -> Document {
        let reply = self.engine.run("d", command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
        reply
    }

    fn act(&mut self, action: DocumentsAction) {
        self.perform(Action::Documents(self.tab, action));
    }

    /// Carries an action out with everything that follows from it.
    fn perform(&mut self, action: Action) {
        let mut effects = Effects::default();
        act(action, &mut Apply::new(&mut self.state, &mut effects));
        for _ in 0..50 {
            let jobs = std::mem::take(&mut effects.jobs);
            if jobs.is_empty() {
                return;
            }
            for job in jobs {
                let source = Arc::new(Direct(Arc::clone(&self.engine)));
                for answer in crate::apply::question::perform(job, source) {
                    answer.arrive(&mut Apply::new(&mut self.state, &mut effects));
                }
            }
        }
        panic!("the window asks without end");
    }

    fn view(&self) -> &DocumentsView {
        &self.state.tabs.get(self.tab).expect("the tab").documents
    }

    fn stored(&mut self) -> Vec<Document> {
        let reply = self.run(&doc! {"find": "c", "filter": {}});
        crate::job::reply::documents(&reply)
    }

    fn select(&mut self, row: u64) {
        let id = self.view().pages.row(row).expect("the row is there").id.clone();
        self.act(DocumentsAction::Select { row, id, how: How::Only });
    }

    fn editor(&mut self) -> &mut Editor {
        match self.state.dialogs.open_mut() {
            Some(AnyDialog::Documents(_, Dialog::Editor(editor))) => editor,
            other => panic!("no editor is open: {other:?}"),
        }
    }

    fn type_text(&mut self, text: &str) {
        let editor = self.editor();
        text.clone_into(&mut editor.text);
        editor.changed(0);
    }

    /// Opens the first document in the editor and types another text.
    fn edit_first(&mut self, text: &str) {
        let id = self.view().pages.row(0).expect("a row").id.clone();
        self.act(DocumentsAction::Edit(id));
        self.type_text(text);
    }
}

#[test]
fn documents_are_read_page_by_page() {
    let mut bench = Bench::new(&(0..130).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    assert_eq!(bench.view().pages.len(), 130);
    assert!(bench.view().pages.row(49).is_some());
    bench.act(DocumentsAction::Want(100, 120));
    assert_eq!(bench.view().pages.row(129).map(|row| row.id.clone()), Some(Bson::Int32(129)));
    assert_eq!(bench.view().error, None);
}

#[test]
fn documents_that_do_not_fit_into_one_reply_are_all_read() {
    let text = "x".repeat(6 * 1024 * 1024);
    let documents: Vec<Document> = (0..5).map(|id| doc! {"_id": id, "text": &text}).collect();
    let mut bench = Bench::new(&documents[..1]);
    for document in &documents[1..] {
        bench.run(&doc! {"insert": "c", "documents": [document]});
    }
    bench.act(DocumentsAction::Refresh);
    bench.act(DocumentsAction::Want(0, 5));
    let shown: Vec<Bson> = bench.view().pages.rows().map(|(_, row)| row.id.clone()).collect();
    assert_eq!(shown, (0..5).map(Bson::Int32).collect::<Vec<_>>());
    let open = bench.run(&doc! {"serverStatus": 1});
    let open = open.get_document("metrics").and_then(|found| found.get_document("cursor"));
    let open = open.and_then(|found| found.get_document("open"));
    let open = open.and_then(|found| found.get_i64("total")).expect("a count");
    assert_eq!(open, 0, "each cursor is closed again");
}

#[test]
fn text_that_is_too_long_to_be_laid_out_is_not_opened() {
    let long = doc! {"_id": 1, "text": "x".repeat(3 * 1024 * 1024), "n": 1};
    let mut bench = Bench::new(std::slice::from_ref(&long));
    for action in [DocumentsAction::Edit(1.into()), DocumentsAction::Clone(1.into())] {
        bench.act(action);
        assert_eq!(bench.state.dialogs.open(), None);
        let said = &bench.state.toasts.list().last().expect("a message").text;
        assert!(
            said.starts_with("This document is 3.1 MB as text; the editor takes up to 2.0 MB"),
            "{said}"
        );
    }
    assert!(FieldEdit::too_long(&long, &[1]).is_some());
    assert_eq!(FieldEdit::too_long(&long, &[2]), None, "the others can be edited");
}

#[test]
fn a_filter_with_options_is_run() {
    let mut bench =
        Bench::new(&(0..30).map(|id| doc! {"_id": id, "even": id % 2 == 0}).collect::<Vec<_>>());
    let query = QueryText {
        filter: "{even: true}".to_owned(),
        project: "{even: 0}".to_owned(),
        sort: "{_id: -1}".to_owned(),
        skip: "1".to_owned(),
        limit: "5".to_owned(),
        ..QueryText::default()
    };
    bench.state.drafts.tab(bench.tab).documents.query = query;
    bench.act(DocumentsAction::Run);
    assert_eq!((bench.view().pages.len(), bench.view().pages.total()), (5, Some(5)));
    let first = bench.view().pages.row(0).map(|row| row.document.clone());
    assert_eq!(first, Some(doc! {"_id": 26}));
    bench.act(DocumentsAction::Reset);
    assert_eq!(bench.view().pages.len(), 30);
}

#[test]
fn rows_and_the_inspector_say_when_a_document_goes() {
    let at = DateTime::from_millis(NOW_MS);
    let mut bench = Bench::new(&[doc! {"_id": 1, "at": at}]);
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    bench.run(&doc! {"createIndexes": "c", "indexes": [index]});
    bench.act(DocumentsAction::Refresh);
    let due = bench.view().pages.row(0).and_then(|row| row.due);
    let threshold_ms = NOW_MS + 60_000;
    let expected = crate::state::documents::due::Due::At { threshold_ms, base_ms: NOW_MS };
    assert_eq!(due, Some(expected));
    bench.select(0);
    let verdict = bench.view().focus.as_ref().and_then(|focus| focus.verdict.clone());
    let verdict = verdict.expect("the store answered");
    assert_eq!(verdict.first().and_then(|rule| rule.threshold_ms), Some(threshold_ms));
}

#[test]
fn an_edit_is_saved_and_undone_and_done_again() {
    let opened = doc! {"_id": 1, "n": 5_i64, "a": "x"};
    let mut bench = Bench::new(std::slice::from_ref(&opened));
    bench.edit_first("{_id: 1, n: Long('6'), a: 'x'}");
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.state.dialogs.open(), None);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 6_i64, "a": "x"}]);
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored(), [opened]);
    bench.act(DocumentsAction::Redo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 6_i64, "a": "x"}]);
}

#[test]
fn a_document_that_was_changed_meanwhile_is_not_overwritten() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    bench.edit_first("{_id: 1, n: 2}");
    bench.run(&doc! {"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"n": 9}}}]});
    bench.act(DocumentsAction::SaveEditor);
    let theirs = doc! {"_id": 1, "n": 9};
    assert_eq!(bench.editor().phase, Phase::Changed(theirs.clone()));
    assert_eq!(bench.editor().text, "{_id: 1, n: 2}", "what was typed stays");
    assert_eq!(bench.stored(), [theirs]);
    // Now the other version was seen: saving again replaces that one.
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 2}]);
}

#[test]
fn a_document_that_was_removed_meanwhile_can_be_inserted_again() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    bench.edit_first("{_id: 1, n: 2}");
    bench.run(&doc! {"delete": "c", "deletes": [{"q": {}, "limit": 0}]});
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.editor().phase, Phase::Gone);
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 2}]);
    assert_eq!(bench.state.dialogs.open(), None);
}

#[test]
fn a_projected_document_keeps_the_fields_that_were_not_shown() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "shown": 1, "hidden": "stays"}]);
    bench.state.drafts.tab(bench.tab).documents.query.project = "{shown: 1}".to_owned();
    bench.act(DocumentsAction::Run);
    bench.select(0);
    let whole = bench.view().focus.as_ref().and_then(|focus| focus.document.clone());
    let whole = whole.expect("the whole document was read");
    let mut edit = FieldEdit::open(&whole, &[1]).expect("the field is there");
    edit.text = "2".to_owned();
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit);
    bench.act(DocumentsAction::SaveField);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "shown": 2, "hidden": "stays"}]);
    assert_eq!(bench.state.drafts.tab(bench.tab).documents.field, None);
}

#[test]
fn a_conflict_in_the_inspector_opens_the_editor_with_what_was_typed() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    let mut edit = FieldEdit::open(&doc! {"_id": 1, "n": 1}, &[1]).expect("the field is there");
    edit.text = "7".to_owned();
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit);
    bench.run(&doc! {"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"n": 9}}}]});
    bench.act(DocumentsAction::SaveField);
    assert!(bench.editor().text.contains("n: 7"), "{}", bench.editor().text);
    assert_eq!(bench.editor().phase, Phase::Changed(doc! {"_id": 1, "n": 9}));
}

#[test]
fn a_conflict_in_the_inspector_is_not_one_of_another_document_in_the_editor() {
    let mut bench = Bench::new(&[doc! {"_id": 2, "n": 1}, doc! {"_id": 1, "n": 1}]);
    bench.edit_first("{_id: 2, n: 5}");
    let mut edit = FieldEdit::open(&doc! {"_id": 1, "n": 1}, &[1]).expect("the field is there");
    edit.text = "7".to_owned();
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit);
    bench.run(&doc! {"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"n": 9}}}]});
    bench.act(DocumentsAction::SaveField);
    assert_eq!(bench.editor().phase, Phase::Typing);
    bench.act(DocumentsAction::SaveEditor);
    assert!(bench.editor().text.contains("n: 7"), "{}", bench.editor().text);
    assert_eq!(bench.editor().phase, Phase::Changed(doc! {"_id": 1, "n": 9}));
    assert_eq!(bench.stored(), [doc! {"_id": 2, "n": 5}, doc! {"_id": 1, "n": 9}]);
}

#[test]
fn a_saved_document_takes_nothing_that_is_typed_into_another_one() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}, doc! {"_id": 2, "n": 1}]);
    bench.edit_first("{_id: 1, n: 5}");
    let edit = FieldEdit::open(&doc! {"_id": 2, "n": 1}, &[1]);
    bench.state.drafts.tab(bench.tab).documents.field.clone_from(&edit);
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 5}, doc! {"_id": 2, "n": 1}]);
    assert_eq!(bench.state.drafts.tab(bench.tab).documents.field, edit);
}

#[test]
fn a_refresh_keeps_draft_selection_and_place() {
    let mut bench = Bench::new(&(0..130).map(|id| doc! {"_id": id, "n": 1}).collect::<Vec<_>>());
    bench.select(3);
    let edit = FieldEdit::open(&doc! {"_id": 3, "n": 1}, &[1]);
    let draft = &mut bench.state.drafts.tab(bench.tab).documents;
    draft.field.clone_from(&edit);
    draft.scroll.row = 40;
    draft.query.filter = "{half: ".to_owned();
    bench.run(&doc! {"delete": "c", "deletes": [{"q": {"_id": 3}, "limit": 1}]});
    bench.act(DocumentsAction::Refresh);
    let draft = &bench.state.drafts.tab(bench.tab).documents;
    assert_eq!((draft.field.clone(), draft.scroll.row), (edit, 40));
    assert_eq!(draft.query.filter, "{half: ");
    assert!(bench.view().is_selected(&Bson::Int32(3)));
    let focus = bench.view().focus.as_ref().expect("it stays in the inspector");
    assert!(focus.gone);
    assert_eq!(focus.document, Some(doc! {"_id": 3, "n": 1}), "what it was");
}

#[test]
fn several_documents_are_deleted_and_come_back() {
    let all: Vec<Document> = (0..5).map(|id| doc! {"_id": id, "n": id}).collect();
    let mut bench = Bench::new(&all);
    bench.select(1);
    bench.act(DocumentsAction::Select { row: 3, id: Bson::Int32(3), how: How::Range });
    bench.act(DocumentsAction::AskDeleteSelected);
    let draft = match bench.state.dialogs.open() {
        Some(AnyDialog::Documents(_, Dialog::Delete(draft))) => draft.clone(),
        other => panic!("no question: {other:?}"),
    };
    assert_eq!(draft.scope.documents(), Some(3), "as the store has counted");
    assert_eq!(draft.scope.sample.len(), 3);
    let delete = DocumentsAction::Change(Box::new(BulkChange::Delete(draft.scope.target)));
    let delete = Action::Documents(bench.tab, delete);
    bench.perform(Action::Confirm(Box::new(delete)));
    assert_eq!(bench.stored(), [doc! {"_id": 0, "n": 0}, doc! {"_id": 4, "n": 4}]);
    assert!(bench.view().selected.is_empty());
    bench.act(DocumentsAction::Undo);
    let mut stored = bench.stored();
    stored.sort_by_key(|document| document.get_i32("_id").unwrap_or(0));
    assert_eq!(stored, all);
}

impl Bench {
    fn select_to(&mut self, row: u64) {
        let id = self.view().pages.row(row).expect("the row is there").id.clone();
        self.act(DocumentsAction::Select { row, id, how: How::Range });
    }

    fn delete_selected(&mut self) {
        let target = self.view().selected.target(&self.view().query.filter);
        self.act(DocumentsAction::Change(Box::new(BulkChange::Delete(target))));
    }
}

#[test]
fn a_range_holds_every_row_also_those_that_are_not_loaded() {
    let mut bench = Bench::new(&(0..3_000).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    bench.select(0);
    bench.act(DocumentsAction::Want(2_250, 2_270));
    assert!(bench.view().pages.row(1_000).is_none(), "it was never on the screen");
    bench.select_to(2_262);
    assert_eq!(bench.view().selected.len(), 2_263);
    assert!(bench.view().is_selected(&Bson::Int32(2_262)), "the row that was clicked");
    assert!(!bench.view().is_selected(&Bson::Int32(2_263)));
    bench.delete_selected();
    let left = bench.stored();
    assert_eq!((left.len(), left.first()), (101, Some(&doc! {"_id": 2_263})));
    assert!(bench.view().selected.is_empty());
}

#[test]
fn a_range_that_is_too_long_selects_nothing_and_says_so() {
    let mut bench = Bench::new(&(0..10_100).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    bench.select(0);
    bench.act(DocumentsAction::Want(10_050, 10_060));
    bench.select_to(10_055);
    assert_eq!(bench.view().selected.len(), 1);
    let said = &bench.state.toasts.list().last().expect("a message").text;
    assert!(said.starts_with("You can select up to 10,000 documents; these are 10,056."), "{said}");
    bench.act(DocumentsAction::SelectAll);
    assert_eq!(bench.view().selected, Selection::all(10_100), "the filter names all of them");
    bench.state.drafts.tab(bench.tab).documents.query = QueryText::of_filter("{_id: {$lt: 9000}}");
    bench.act(DocumentsAction::Run);
    bench.act(DocumentsAction::SelectAll);
    assert_eq!(bench.view().selected.len(), 9_000);
}

#[test]
fn documents_larger_than_one_reply_are_deleted_at_once_and_come_back() {
    let text = "x".repeat(6 * 1024 * 1024);
    let documents: Vec<Document> = (0..4).map(|id| doc! {"_id": id, "text": &text}).collect();
    let mut bench = Bench::new(&documents[..2]);
    bench.run(&doc! {"insert": "c", "documents": &documents[2..]});
    bench.act(DocumentsAction::Refresh);
    bench.select(0);
    bench.select_to(3);
    bench.delete_selected();
    assert_eq!(bench.stored().len(), 0);
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.run(&doc! {"count": "c"}).get_i32("n").ok(), Some(4));
}

#[test]
fn adding_and_cloning_insert() {
    let mut bench = Bench::new(&[]);
    bench.act(DocumentsAction::Add);
    bench.type_text("[{_id: 1, at: ISODate('2026-01-01')}, {_id: 2}]");
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(bench.stored().len(), 2);
    bench.act(DocumentsAction::Clone(Bson::Int32(1)));
    bench.act(DocumentsAction::SaveEditor);
    let stored = bench.stored();
    assert_eq!(stored[2].get("at"), stored[0].get("at"));
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored().len(), 2);
}

#[test]
fn a_refused_insert_keeps_the_text() {
    let mut bench = Bench::new(&[doc! {"_id": 1}]);
    bench.act(DocumentsAction::Add);
    bench.type_text("{_id: 1}");
    bench.act(DocumentsAction::SaveEditor);
    assert!(matches!(bench.editor().phase, Phase::Failed(_)), "{:?}", bench.editor().phase);
    assert_eq!(bench.editor().text, "{_id: 1}");
    assert_eq!(bench.view().writing, None);
}

#[test]
fn another_view_shows_a_filter_here() {
    let mut bench = Bench::new(&(0..4).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    if let Some(open) = bench.state.tabs.get_mut(bench.tab) {
        open.view = ViewKind::Expiry;
    }
    let mut effects = Effects::default();
    show_filter(bench.tab, "{_id: 2}", &mut Apply::new(&mut bench.state, &mut effects));
    let open = bench.state.tabs.get(bench.tab).expect("the tab");
    assert_eq!(open.view, ViewKind::Documents);
    assert_eq!(open.documents.query.filter, doc! {"_id": 2});
    assert_eq!(bench.state.drafts.tab(bench.tab).documents.query.filter, "{_id: 2}");
}

#[test]
fn values_that_a_filter_cannot_compare_are_saved_too() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "a.b": 1, "none": Bson::Undefined, "n": 1}]);
    let opened = bench.stored();
    let mut edit = FieldEdit::open(&opened[0], &[3]).expect("the field is there");
    edit.text = "2".to_owned();
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit);
    bench.act(DocumentsAction::SaveField);
    assert_eq!(bench.stored()[0].get("n"), Some(&Bson::Int32(2)), "{:?}", bench.state.toasts);
}

#[test]
fn an_undo_that_failed_can_be_tried_again() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    bench.edit_first("{_id: 1, n: 2}");
    bench.act(DocumentsAction::SaveEditor);
    let set =
        |n: i32| doc! {"update": "c", "updates": [{"q": {"_id": 1}, "u": {"_id": 1, "n": n}}]};
    bench.run(&set(9));
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 9}], "another one's change stays");
    bench.run(&set(2));
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 1}]);
    bench.run(&set(9));
    bench.act(DocumentsAction::Redo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 9}]);
    bench.run(&set(1));
    bench.act(DocumentsAction::Redo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 2}]);
}

#[test]
fn what_an_undo_could_not_bring_back_can_be_tried_again() {
    let all: Vec<Document> = (0..4).map(|id| doc! {"_id": id}).collect();
    let mut bench = Bench::new(&all);
    bench.act(DocumentsAction::SelectAll);
    bench.delete_selected();
    assert_eq!(bench.stored(), []);
    bench.run(&doc! {"insert": "c", "documents": [{"_id": 2, "theirs": true}]});
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored().len(), 4, "three came back; the other is in the way of the fourth");
    bench.run(&doc! {"delete": "c", "deletes": [{"q": {"_id": 2}, "limit": 1}]});
    bench.act(DocumentsAction::Undo);
    let mut stored = bench.stored();
    stored.sort_by_key(|document| document.get_i32("_id").unwrap_or(0));
    assert_eq!(stored, all);
}

#[test]
fn an_undo_that_came_back_undone_can_be_tried_again() {
    let mut bench = Bench::new(&[doc! {"_id": 1}]);
    bench.act(DocumentsAction::Delete(Bson::Int32(1)));
    let mut effects = Effects::default();
    act(
        Action::Documents(bench.tab, DocumentsAction::Undo),
        &mut Apply::new(&mut bench.state, &mut effects),
    );
    let job = effects.jobs.pop().expect("it was sent");
    outcome(
        job.task.dropped(job.generation, true),
        &mut Apply::new(&mut bench.state, &mut effects),
    );
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored(), [doc! {"_id": 1}]);
}

#[test]
fn a_message_offers_to_undo_only_the_last_change() {
    let mut bench = Bench::new(&[doc! {"_id": 1}, doc! {"_id": 2}]);
    let offers = |bench: &Bench| {
        let buttons = bench.state.toasts.list().iter().filter(|toast| toast.button.is_some());
        buttons.map(|toast| toast.text.clone()).collect::<Vec<_>>()
    };
    bench.act(DocumentsAction::Delete(Bson::Int32(1)));
    assert_eq!(offers(&bench), ["Deleted 1 document"]);
    bench.edit_first("{_id: 2, n: 1}");
    bench.act(DocumentsAction::SaveEditor);
    assert_eq!(offers(&bench), [] as [String; 0]);
    assert_eq!(bench.stored(), [doc! {"_id": 2, "n": 1}]);
}

#[test]
fn a_change_that_can_not_be_taken_back_is_skipped() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}, doc! {"_id": 2, "n": 1}]);
    let edit = |bench: &mut Bench, row: u64, text: &str| {
        let id = bench.view().pages.row(row).expect("a row").id.clone();
        bench.act(DocumentsAction::Edit(id));
        bench.type_text(text);
        bench.act(DocumentsAction::SaveEditor);
    };
    edit(&mut bench, 0, "{_id: 1, n: 2}");
    edit(&mut bench, 1, "{_id: 2, n: 2}");
    bench.run(&doc! {"update": "c", "updates": [{"q": {"_id": 2}, "u": {"$set": {"n": 9}}}]});
    for _ in 0..2 {
        bench.act(DocumentsAction::Undo);
    }
    let offers: Vec<Action> = bench
        .state
        .toasts
        .list()
        .iter()
        .filter_map(|toast| toast.button.as_ref().map(|(_, offer)| offer.clone().into()))
        .collect();
    let skip = Action::Documents(bench.tab, DocumentsAction::SkipUndo);
    assert_eq!(offers, std::slice::from_ref(&skip), "only once");
    bench.perform(skip.clone());
    assert!(bench.state.toasts.list().iter().all(|toast| toast.button.is_none()));
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored(), [doc! {"_id": 1, "n": 1}, doc! {"_id": 2, "n": 9}]);
    bench.perform(skip);
    assert!(!bench.view().undo.can_undo());
}

#[test]
fn a_value_under_edit_is_not_lost_by_a_press_on_another_document() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}, doc! {"_id": 2, "n": 1}]);
    bench.select(0);
    let mut edit = FieldEdit::open(&doc! {"_id": 1, "n": 1}, &[1]).expect("the field is there");
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit.clone());
    bench.select(1);
    assert!(bench.view().is_focused(&Bson::Int32(2)), "nothing was typed yet");
    bench.select(0);
    edit.text = "17".to_owned();
    bench.state.drafts.tab(bench.tab).documents.field = Some(edit.clone());
    bench.select(1);
    assert!(bench.view().is_focused(&Bson::Int32(1)));
    assert_eq!(bench.state.drafts.tab(bench.tab).documents.field, Some(edit));
    assert_eq!(bench.state.toasts.list().len(), 1);
}

#[test]
fn the_keyboard_goes_to_a_row_that_is_not_loaded() {
    let mut bench = Bench::new(&(0..3_000).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    bench.act(DocumentsAction::Go { row: 0, extends: false });
    bench.act(DocumentsAction::Go { row: 2_999, extends: true });
    assert_eq!((bench.view().selected.len(), bench.view().cursor.row), (3_000, 2_999));
    bench.act(DocumentsAction::Go { row: 1_500, extends: false });
    assert!(bench.view().is_selected(&Bson::Int32(1_500)));
    assert_eq!(bench.view().selected.len(), 1);
    assert!(bench.view().is_focused(&Bson::Int32(1_500)));
}

#[test]
fn all_that_match_are_too_many_where_the_filter_does_not_name_them() {
    let mut bench = Bench::new(&(0..10_100).map(|id| doc! {"_id": id}).collect::<Vec<_>>());
    let text = QueryText { skip: "1".to_owned(), ..QueryText::default() };
    bench.state.drafts.tab(bench.tab).documents.query = text;
    bench.act(DocumentsAction::Run);
    bench.act(DocumentsAction::SelectAll);
    assert!(bench.view().selected.is_empty());
    let said = &bench.state.toasts.list().last().expect("a message").text;
    assert!(said.contains("these are 10,099"), "{said}");
}

#[test]
fn all_that_match_but_one_are_updated_in_one_step_that_is_undone_and_redone() {
    let all: Vec<Document> = (0..10_100).map(|id| doc! {"_id": id, "n": id % 2}).collect();
    let mut bench = Bench::new(&all);
    bench.act(DocumentsAction::SelectAll);
    bench.act(DocumentsAction::Select { row: 3, id: Bson::Int32(3), how: How::Toggle });
    assert_eq!(bench.view().selected.len(), 10_099);
    bench.act(DocumentsAction::AskUpdateSelected);
    let draft = match bench.state.dialogs.open() {
        Some(AnyDialog::Documents(_, Dialog::Update(draft))) => draft.clone(),
        other => panic!("no dialog: {other:?}"),
    };
    assert_eq!(draft.scope.documents(), Some(10_099));
    assert_eq!(draft.scope.sample.len(), 10);
    let update = bson::bson!({"$set": {"n": 7}});
    let change = BulkChange::Update { target: draft.scope.target, update };
    bench.act(DocumentsAction::Change(Box::new(change)));
    let count = |bench: &mut Bench, n: i32| {
        let reply = bench.run(&doc! {"count": "c", "query": {"n": n}});
        reply.get_i32("n").expect("a number")
    };
    assert_eq!((count(&mut bench, 7), count(&mut bench, 1)), (10_099, 1), "but the one");
    let said = |bench: &Bench| bench.state.toasts.list().last().expect("a message").text.clone();
    assert_eq!(said(&bench), "Updated 10,099 documents");
    assert!(bench.state.bulk.is_empty() && bench.state.operations.running() == 0);
    bench.act(DocumentsAction::Undo);
    assert_eq!(said(&bench), "Undone: restored 10,099 documents");
    assert_eq!((count(&mut bench, 0), count(&mut bench, 1)), (5_050, 5_050));
    bench.act(DocumentsAction::Redo);
    assert_eq!(said(&bench), "Redone: updated 10,099 documents");
    assert_eq!(count(&mut bench, 7), 10_099);
    assert!(bench.view().undo.can_undo() && !bench.view().undo.can_redo());
}

#[test]
fn a_change_of_many_says_what_was_not_changed_and_why() {
    let mut bench = Bench::new(&[
        doc! {"_id": 1, "n": 1},
        doc! {"_id": 2, "n": "text"},
        doc! {"_id": 3, "n": 5, "m": 1},
    ]);
    let change = |bench: &mut Bench, update: Document| {
        let (target, update) = (Target::Matching(doc! {}), Bson::Document(update));
        bench.act(DocumentsAction::Change(Box::new(BulkChange::Update { target, update })));
        bench.state.toasts.list().last().expect("a message").clone()
    };
    let said = change(&mut bench, doc! {"$set": {"m": 1}});
    assert_eq!((said.kind, said.text.as_str()), (Kind::Done, "Updated 2 documents, 1 unchanged"));
    let said = change(&mut bench, doc! {"$inc": {"n": 1}});
    assert_eq!(said.kind, Kind::Warning);
    assert!(said.text.starts_with("Updated 2 documents; 1 refused: "), "{}", said.text);
    assert!(said.button.is_some(), "the two can be undone");
    let ended = &bench.state.operations.list()[0];
    assert_eq!(ended.title, "Update documents of d.c");
    bench.run(&doc! {"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"n": 99}}}]});
    bench.act(DocumentsAction::Undo);
    let said = bench.state.toasts.list().last().expect("a message").clone();
    let expected = "Undone: restored 1 document, 1 changed since and left as they are";
    assert_eq!((said.kind, said.text.as_str()), (Kind::Warning, expected));
    assert!(said.button.is_some(), "the rest can be skipped");
    assert_eq!(bench.state.operations.list()[0].title, "Undo the update of documents of d.c");
    bench.act(DocumentsAction::SkipUndo);
    bench.act(DocumentsAction::Undo);
    assert_eq!(bench.stored()[2], doc! {"_id": 3, "n": 5, "m": 1}, "the first change is next");
    assert!(!bench.stored()[1].contains_key("m"));
}

#[test]
fn the_steps_of_a_change_of_many_are_in_the_list_of_commands() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    let change = BulkChange::Delete(Target::Matching(doc! {}));
    bench.act(DocumentsAction::Change(Box::new(change)));
    let sent: Vec<&str> = bench.state.commands.changes().map(|it| it.text.as_str()).collect();
    assert!(sent.iter().any(|text| text.contains("delete")), "{sent:?}");
}

#[test]
fn a_full_queue_is_no_error_of_the_query() {
    let mut bench = Bench::new(&[doc! {"_id": 1, "n": 1}]);
    let page = FirstPage { tab: bench.tab, run: bench.view().pages.run() };
    let reply = Reply::new("d".to_owned(), doc! {}, Err(TOO_MUCH.to_owned()), 0);
    let mut effects = Effects::default();
    page.answered(0, reply, &mut Apply::new(&mut bench.state, &mut effects));
    assert_eq!((bench.view().error.as_ref(), bench.view().pages.len()), (None, 1));
}
