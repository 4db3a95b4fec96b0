use std::path::PathBuf;

use bson::doc;
use mayfly_engine::transfer::{Rehearsal, RehearsedIndex};

use super::choose_path::{ChoosePath, give_up_chooser};
use super::export::{CountExport, DownloadFolder};
use super::import::{ImportFiles, PauseReaper};
use super::job::FileJob;
use super::open_draft::{export_draft, import_draft};
use super::preview::Preview;
use super::rehearsal::Rehearse;
use super::*;
use crate::action::{Action, TransferAction};
use crate::apply::apply as apply_any;
use crate::apply::question::Question;
use crate::apply::{Apply, Effects, Job};
use crate::limits::FILE_DIALOG_MAX;
use crate::state::operations::Stage;
use crate::state::transfer::{ExportForm, ImportDraft, Loadable};
use crate::state::{Namespace, Phase, State, TabId};
use crate::worker::file_dialog::ChosenFiles;
use crate::worker::transfer::Failure;
use crate::worker::{Lane, Reply};

fn open_state() -> State {
    let mut state = State::default();
    state.store.phase = Phase::Open;
    state.store.capabilities.transfer = true;
    state.reaper.enabled = true;
    state.tree.learn_databases(vec![("demo".to_owned(), 1), ("shop".to_owned(), 1)]);
    state.tree.learn_collections("shop", vec![("carts".to_owned(), "collection".to_owned())]);
    state
}

fn ask(action: TransferAction, state: &mut State) -> Vec<Job> {
    let mut effects = Effects::default();
    apply_any(Action::Transfer(action), &mut Apply::new(state, &mut effects));
    effects.jobs
}

fn drop_files(names: &[&str], into: Option<Namespace>, state: &mut State) -> Vec<Job> {
    let files = names.iter().map(PathBuf::from).collect();
    ask(TransferAction::Import { files, into }, state)
}

fn draft(state: &mut State) -> &mut ImportDraft {
    import_draft(state).expect("the import dialog is open")
}

/// The one question that was asked.
fn asked<Q: Question>(jobs: &[Job], lane: Lane) -> &Q {
    let [job] = jobs else { panic!("{jobs:?}") };
    assert_eq!(job.lane, lane);
    job.key.question().unwrap_or_else(|| panic!("{job:?}"))
}

/// The file that is looked into.
fn previewed(jobs: &[Job]) -> &str {
    let Preview(file) = asked(jobs, Lane::Read);
    file.path.to_str().expect("it is text")
}

#[test]
fn dropped_files_open_the_dialog_in_the_shown_database() {
    let mut state = open_state();
    let shown = Some(Namespace::new("shop", "carts"));
    let jobs = drop_files(&["/a/one.json", "/a/two.json"], shown, &mut state);
    assert_eq!(previewed(&jobs), "/a/one.json");
    assert_eq!(draft(&mut state).target(), Namespace::new("shop", "one"));
    let jobs = drop_files(&["/a/three.json"], None, &mut state);
    assert_eq!(previewed(&jobs), "/a/three.json");
    assert_eq!(draft(&mut state).files.len(), 3);
}

#[test]
fn nothing_is_imported_without_a_store() {
    let mut state = State::default();
    assert!(drop_files(&["/a/one.json"], None, &mut state).is_empty());
    assert!(state.dialogs.open().is_none());
    assert_eq!(state.toasts.list().len(), 1);
}

#[test]
fn an_older_preview_is_not_shown() {
    let mut state = open_state();
    let first = drop_files(&["/a/one.json"], None, &mut state)[0].generation;
    let jobs = ask(TransferAction::Look, &mut state);
    let (second, look) = (jobs[0].generation, asked::<Preview>(&jobs, Lane::Read));
    let mut effects = Effects::default();
    let mut cx = Apply::new(&mut state, &mut effects);
    look.answered(first, Err("late".to_owned()), &mut cx);
    assert_eq!(draft(cx.state).look, Loadable::Waiting(second));
    look.answered(second, Err("no such file".to_owned()), &mut cx);
    assert_eq!(draft(&mut state).look, Loadable::Failed("no such file".to_owned()));
}

#[test]
fn a_typed_path_is_whole() {
    let mut state = open_state();
    drop_files(&[], None, &mut state);
    draft(&mut state).typed = "one.json".to_owned();
    assert!(ask(TransferAction::AddTyped, &mut state).is_empty());
    assert!(draft(&mut state).error.is_some());
    draft(&mut state).typed = "/a/one.json".to_owned();
    assert_eq!(ask(TransferAction::AddTyped, &mut state).len(), 1);
    assert_eq!(draft(&mut state).collection, "one");
}

#[test]
fn only_an_existing_collection_is_rehearsed() {
    let mut state = open_state();
    drop_files(&["/a/carts.json"], Some(Namespace::new("shop", "x")), &mut state);
    let jobs = ask(TransferAction::Rehearse, &mut state);
    let rehearse: &Rehearse = asked(&jobs, Lane::Read);
    assert_eq!(rehearse.files, [PathBuf::from("/a/carts.json")]);
    assert_eq!(rehearse.into, Namespace::new("shop", "carts"));
    draft(&mut state).collection = "fresh".to_owned();
    assert!(ask(TransferAction::Rehearse, &mut state).is_empty());
    assert_eq!(draft(&mut state).rehearsal, Loadable::Nothing);
}

fn overdue() -> Rehearsal {
    let index = RehearsedIndex { index: "at_1".to_owned(), overdue: 3, waiting: 0, never: 0 };
    Rehearsal { documents: 3, overdue: 3, indexes: vec![index], ..Rehearsal::default() }
}

#[test]
fn the_reaper_stands_still_before_the_import_begins() {
    let mut state = open_state();
    drop_files(&["/a/carts.json"], Some(Namespace::new("shop", "x")), &mut state);
    draft(&mut state).rehearsal = Loadable::Here(overdue());
    draft(&mut state).pause_reaper = true;
    let jobs = ask(TransferAction::StartImport, &mut state);
    let pause: &PauseReaper = asked(&jobs, Lane::Write);
    let command = jobs[0].command().map(|(_, command)| command);
    assert!(
        command.is_some_and(|command| command.contains_key("ttlMonitorEnabled")),
        "{command:?}"
    );
    let reply =
        |result| Reply { db: "admin".to_owned(), command: doc! {}, result, code: None, micros: 1 };
    let mut effects = Effects::default();
    pause.answered(0, reply(Ok(doc! {"ok": 1.0})), &mut Apply::new(&mut state, &mut effects));
    asked::<FileJob<ImportFiles>>(&effects.jobs, Lane::Transfer);
    assert!(!state.reaper.enabled);
}

#[test]
fn a_reaper_that_cannot_be_paused_stops_the_import() {
    let mut state = open_state();
    drop_files(&["/a/carts.json"], Some(Namespace::new("shop", "x")), &mut state);
    draft(&mut state).rehearsal = Loadable::Here(overdue());
    draft(&mut state).pause_reaper = true;
    let jobs = ask(TransferAction::StartImport, &mut state);
    let pause: &PauseReaper = asked(&jobs, Lane::Write);
    let (db, command) = ("admin".to_owned(), doc! {});
    let reply = Reply { db, command, result: Err("no".to_owned()), code: None, micros: 1 };
    let mut effects = Effects::default();
    pause.answered(0, reply, &mut Apply::new(&mut state, &mut effects));
    assert!(effects.jobs.is_empty());
    assert!(draft(&mut state).error.as_deref().is_some_and(|error| error.contains("no")));
}

#[test]
fn an_import_that_could_not_begin_goes_back_to_its_dialog() {
    let mut state = open_state();
    drop_files(&["/a/one.json"], None, &mut state);
    ask(TransferAction::StartImport, &mut state);
    let operation = state.transfer.running[0].operation;
    let failure = Err(Failure::Failed("there is no such file".to_owned()));
    let failure = vec![failure];
    imported::imported(operation, failure, &mut Apply::new(&mut state, &mut Effects::default()));
    assert_eq!(draft(&mut state).error.as_deref(), Some("there is no such file"));
    assert!(state.transfer.running.is_empty());
    assert_eq!(state.operations.running(), 0);
}

#[test]
fn cancelling_while_waiting_is_said() {
    let mut state = open_state();
    drop_files(&["/a/one.json"], None, &mut state);
    let jobs = ask(TransferAction::StartImport, &mut state);
    let import: &FileJob<ImportFiles> = asked(&jobs, Lane::Transfer);
    let operation = state.transfer.running[0].operation;
    let cancel = state.operations.get_mut(operation).and_then(|known| known.cancel.clone());
    cancel.expect("it can be cancelled").cancel();
    assert!(run::follow(&mut state).is_some());
    assert!(state.transfer.running[0].progress.is_cancelled());
    let (mut effects, cancelled) = (Effects::default(), Err(Failure::Cancelled));
    import.answered(0, cancelled, &mut Apply::new(&mut state, &mut effects));
    assert!(state.dialogs.open().is_none());
    let ended = state.operations.list().front().map(|known| known.stage.clone());
    assert_eq!(ended, Some(Stage::Cancelled("Canceled. Nothing was imported".to_owned())));
    assert_eq!(run::follow(&mut state), None);
}

#[test]
fn a_few_imports_run_at_a_time_and_one_into_each_collection() {
    let mut state = open_state();
    let names = ["one", "one", "two", "three", "four", "five"];
    for name in names.map(|name| format!("/a/{name}.json")) {
        let name = name.as_str();
        drop_files(&[name], None, &mut state);
        ask(TransferAction::StartImport, &mut state);
        state.dialogs.close();
    }
    run::follow(&mut state);
    let texts: Vec<&str> =
        state.operations.list().iter().map(|known| known.progress.text.as_str()).collect();
    let (begun, waits) = ("0 documents", "Queued");
    assert_eq!(texts, [waits, begun, begun, begun, waits, begun]);
    // A waiting import begins once there is room, and not before.
    let first = state.transfer.running[0].operation;
    state.transfer.take(first);
    assert_eq!(state.transfer.waiting(), [false, false, false, false, true]);
}

#[test]
fn a_file_that_is_there_is_asked_about() {
    let mut state = open_state();
    let namespace = Namespace::new("shop", "carts");
    let shown = Box::default();
    let jobs = ask(TransferAction::Export { namespace, shown }, &mut state);
    let (question, folder) = (asked::<DownloadFolder>(&jobs, Lane::Read), Some("/home/a".into()));
    question.answered(0, folder, &mut Apply::new(&mut state, &mut Effects::default()));
    let draft = export_draft(&mut state).expect("the export dialog is open");
    assert_eq!(draft.path, "/home/a/shop.carts.ndjson");
    draft.form = ExportForm::Canonical;
    ask(TransferAction::StartExport { overwrite: false }, &mut state);
    let operation = state.transfer.running[0].operation;
    let there = ["/home/a/shop.carts.ndjson", "/home/a/shop.carts.ndjson.indexes.json"];
    let there: Vec<PathBuf> = there.iter().map(PathBuf::from).collect();
    let failure = Failure::Exists(there.clone());
    export::exported(operation, Err(failure), &mut state);
    let draft = export_draft(&mut state).expect("the export dialog is open again");
    assert_eq!(draft.exists, there);
    assert_eq!((draft.form, draft.error.clone()), (ExportForm::Canonical, None));
    let ended = state.operations.list().front().map(|known| known.stage.clone());
    let said = "/home/a/shop.carts.ndjson and /home/a/shop.carts.ndjson.indexes.json already exist";
    assert_eq!(ended, Some(Stage::Cancelled(said.to_owned())));
}

#[test]
fn a_missing_file_dialog_is_said_and_given_up_in_time() {
    let mut state = open_state();
    drop_files(&[], None, &mut state);
    let jobs = ask(TransferAction::Choose, &mut state);
    let (generation, choose) = (jobs[0].generation, asked::<ChoosePath>(&jobs, Lane::Read));
    assert!(ask(TransferAction::Choose, &mut state).is_empty(), "one at a time");
    let took = std::time::Duration::from_millis(20);
    let none = ChosenFiles { files: Vec::new(), took };
    choose.answered(generation, none, &mut Apply::new(&mut state, &mut Effects::default()));
    assert!(state.transfer.chooser.is_none() && state.transfer.chooser_note.is_some());
    ask(TransferAction::Choose, &mut state);
    assert_eq!(give_up_chooser(&mut state), Some(FILE_DIALOG_MAX));
    state.uptime += FILE_DIALOG_MAX;
    assert_eq!(give_up_chooser(&mut state), None);
    assert!(state.transfer.chooser.is_none());
    let late = ChosenFiles { files: vec![PathBuf::from("/a/x.json")], took };
    choose.answered(generation, late, &mut Apply::new(&mut state, &mut Effects::default()));
    assert!(draft(&mut state).files.is_empty(), "an old answer is not for this dialog");
}

#[test]
fn a_chosen_file_is_for_the_dialog_that_asked() {
    let check = |asks: TransferAction, then: TransferAction, is_taken: bool| {
        let mut state = open_state();
        ask(asks, &mut state);
        let jobs = ask(TransferAction::Choose, &mut state);
        state.dialogs.close();
        ask(then, &mut state);
        let before = state.dialogs.clone();
        let took = std::time::Duration::from_secs(9);
        let files = ChosenFiles { files: vec![PathBuf::from("/a/x.json")], took };
        let choose: &ChoosePath = asked(&jobs, Lane::Read);
        let mut effects = Effects::default();
        choose.answered(jobs[0].generation, files, &mut Apply::new(&mut state, &mut effects));
        assert_eq!(state.dialogs != before, is_taken, "{:?}", state.dialogs.open());
        assert_eq!(state.transfer.folder.is_some(), is_taken);
        assert_eq!(state.transfer.chooser, None, "the next dialog may ask");
    };
    let export = |name| {
        let namespace = Namespace::new("shop", name);
        TransferAction::Export { namespace, shown: Box::default() }
    };
    let import = || TransferAction::Import { files: Vec::new(), into: None };
    check(export("carts"), export("carts"), true);
    check(export("carts"), export("users"), false);
    check(export("carts"), import(), false);
    check(import(), export("carts"), false);
    check(import(), import(), true);
}

#[test]
fn files_go_into_the_collection_whose_menu_was_used() {
    let mut state = open_state();
    let into = Namespace::new("shop", "carts");
    ask(TransferAction::ImportInto(into.clone()), &mut state);
    assert_eq!(draft(&mut state).target(), into);
    drop_files(&["/a/one.json", "/a/two.csv"], None, &mut state);
    assert_eq!(draft(&mut state).files.len(), 2);
    assert_eq!(draft(&mut state).all_targets(), std::slice::from_ref(&into));
    // Only the palette names a collection after its file.
    let action = crate::action::transfer::import_into(into.clone(), &state);
    assert_eq!(action, Some(Action::Transfer(TransferAction::ImportInto(into))));
}

#[test]
fn what_the_view_shows_is_offered_and_counted() {
    let mut state = open_state();
    let namespace = Namespace::new("shop", "carts");
    let tab = state.tabs.show(&namespace).unwrap_or(TabId(0));
    let tab = state.tabs.get_mut(tab).expect("a tab is open");
    tab.saved_documents.query.filter = "{n: 1}".to_owned();
    tab.saved_documents.query.limit = "9".to_owned();
    tab.saved_documents.hidden.insert("n".to_owned());
    let Action::Transfer(export) = crate::action::transfer::export(tab) else { panic!() };
    let jobs = ask(export, &mut state);
    let count = jobs.iter().find(|job| job.key.question::<CountExport>().is_some());
    let count = count.expect("it is counted");
    let Some((_, command)) = count.command() else { panic!("{count:?}") };
    let expected = bson::doc! {"count": "carts", "query": {"n": 1}, "limit": 9_i64};
    assert_eq!(*command, expected);
    let draft = export_draft(&mut state).expect("the export dialog is open");
    assert!(draft.as_shown && draft.has_choice());
    assert_eq!(draft.shown.hidden.len(), 1);
    assert_eq!(draft.count, Loadable::Waiting(count.generation));
}

#[test]
fn a_roll_back_knows_how_much_there_is_to_remove() {
    let check = |rolling_back: bool, expected: u64| {
        let (mut state, mut effects) = (State::default(), Effects::default());
        let namespace = Namespace::new("shop", "carts");
        let id = bson::oid::ObjectId::from_bytes([7; 12]);
        state.transfer.unfinished.push(mayfly_engine::transfer::UnfinishedImport {
            id,
            request: mayfly_engine::transfer::ImportRequest::new(vec!["a.json".into()], namespace),
            started_ms: 0,
            imported: 100,
            replaced: 30,
            skipped: 5,
            rejected: 5,
            reasons: Vec::new(),
            stopped_at: (0, 0),
            rolling_back,
        });
        resume::roll_back(id, &mut Apply::new(&mut state, &mut effects));
        let totals: Vec<u64> =
            state.transfer.running.iter().map(|running| running.documents_total).collect();
        assert_eq!(totals, [expected]);
    };
    check(false, 70);
    check(true, 0);
}

#[test]
fn a_resumed_import_takes_its_turn_in_its_collection_and_each_forgotten_one_is_forgotten() {
    let mut state = open_state();
    let id = |number| bson::oid::ObjectId::from_bytes([number; 12]);
    let into = Namespace::new("shop", "carts");
    state.transfer.unfinished.push(mayfly_engine::transfer::UnfinishedImport {
        id: id(1),
        request: mayfly_engine::transfer::ImportRequest::new(vec!["a.json".into()], into.clone()),
        started_ms: 0,
        imported: 1,
        replaced: 0,
        skipped: 0,
        rejected: 0,
        reasons: Vec::new(),
        stopped_at: (0, 0),
        rolling_back: false,
    });
    let resumed = ask(TransferAction::Resume(id(1)), &mut state);
    assert_eq!(resumed[0].manners.into, [into]);
    let leave = |number, state: &mut State| ask(TransferAction::Leave(id(number)), state);
    let (one, other) = (leave(1, &mut state), leave(2, &mut state));
    assert_ne!(one[0].key, other[0].key, "a newer one would take the place of an older one");
}
