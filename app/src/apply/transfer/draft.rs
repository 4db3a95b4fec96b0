//! Import and export as drafted in their dialogs. What runs is in [`super::run`].

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::transfer::Progress;

use super::open_draft::{export_draft, import_draft};
use super::{copying, dump, dump_export, imported, look_ahead, resume, run};
use crate::action::{Action, DocumentsAction, MaintenanceAction, TabsAction, TransferAction};
use crate::apply::Apply;
use crate::job::FileLook;
use crate::limits::{FILE_DIALOG_ANSWER_MIN, FILE_DIALOG_MAX, IMPORT_FILES_MAX, SERVER_EXPORT_MS};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::transfer::export::{Content, ShownDocuments, number_among};
use crate::state::transfer::import::{RehearsedFor, WHOLE_PATH, typed_path, whole_path};
use crate::state::transfer::{Asker, Chooser, Dialog, ExportDraft, ImportDraft, Loadable, Purpose};
use crate::state::{self, Namespace, State};
use crate::worker::transfer::{Choose, TransferDone};
use crate::worker::{Lane, TransferWork};

/// Said when the system has no file dialog.
const NO_CHOOSER: &str = "The system file dialog didn't open; enter the path instead";

/// Carries out one action.
pub fn apply(action: TransferAction, cx: &mut Apply<'_>) {
    match action {
        TransferAction::Import { files, into } => open_import(files, into.as_ref(), cx),
        TransferAction::ImportInto(namespace) => open_import_into(namespace, cx),
        TransferAction::Open(files) => open_named(files, cx),
        TransferAction::Export { namespace, shown } => open_export(namespace, *shown, cx),
        TransferAction::ImportFolder => {
            open_import(Vec::new(), None, cx);
            choose_dump(cx);
        }
        TransferAction::ExportDatabase(db) => dump_export::open(db, cx),
        TransferAction::StartExportDatabase => dump_export::start(cx),
        TransferAction::ExportResults { namespace, command } => {
            let now_ms = cx.state.now_ms();
            show_export(ExportDraft::of(namespace, Content::Results(command), now_ms), cx);
        }
        TransferAction::ExportSchema { namespace, text } => {
            let now_ms = cx.state.now_ms();
            // Its dialog showed the text, which is what is written now.
            cx.state.dialogs.forget(|dialog| matches!(dialog, AnyDialog::Schema(..)));
            show_export(ExportDraft::of(namespace, Content::JsonSchema(text), now_ms), cx);
        }
        TransferAction::Paste(namespace) => paste(&namespace, cx),
        TransferAction::SaveLedger { namespace, command } => {
            let now_ms = cx.state.now_ms();
            show_export(ExportDraft::of(namespace, Content::Removals(command), now_ms), cx);
        }
        TransferAction::AddTyped => add_typed(cx),
        TransferAction::RemoveFile(at) => {
            if let Some(draft) = import_draft(cx.state) {
                draft.remove(at);
            }
            look(cx);
        }
        TransferAction::ShowFile(at) => {
            if let Some(draft) = import_draft(cx.state) {
                draft.show(at);
            }
            look(cx);
        }
        TransferAction::Look => look(cx),
        TransferAction::Rehearse => rehearse(cx),
        TransferAction::Choose => choose(cx),
        TransferAction::ChooseDump => choose_dump(cx),
        TransferAction::Copy { namespace, filter } => copying::open(namespace, &filter, cx),
        TransferAction::LookCopy => copying::look(cx),
        TransferAction::StartCopy => copying::start(cx),
        TransferAction::ShowCopy => copying::show(cx),
        TransferAction::RollBackCopy => copying::roll_back(cx),
        TransferAction::StartDump => dump::start(cx),
        TransferAction::StartImport => run::start_import(cx),
        TransferAction::StartExport { overwrite } => {
            run::start_export(overwrite, cx);
        }
        TransferAction::Again(operation) => {
            if can_transfer(cx.state) {
                run::again(operation, cx);
            }
        }
        TransferAction::ShowResult(operation) => run::show_result(operation, cx.state),
        TransferAction::ListUnfinished => resume::ask(false, cx),
        TransferAction::ShowUnfinished => {
            cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::Unfinished { error: None }));
        }
        TransferAction::Resume(id) => resume::resume(id, cx),
        TransferAction::RollBack(id) => resume::roll_back(id, cx),
        TransferAction::RollBackResult(operation) => resume::roll_back_result(operation, cx),
        TransferAction::Leave(id) => resume::leave(id, cx),
    }
}

/// Handles the result of a file job.
pub fn done(purpose: &Purpose, generation: u64, done: TransferDone, cx: &mut Apply<'_>) {
    match (purpose, done) {
        (Purpose::Import(operation), TransferDone::Import(result)) => {
            imported::imported(*operation, vec![result], cx);
        }
        (Purpose::Import(operation), TransferDone::Imports(results)) => {
            imported::imported(*operation, results, cx);
        }
        (Purpose::Export(operation), TransferDone::Export(result)) => {
            run::exported(*operation, result, cx.state);
        }
        (Purpose::RollBack(operation), TransferDone::RolledBack(result)) => {
            resume::rolled_back(*operation, result, cx);
        }
        (Purpose::Unfinished { show }, TransferDone::Unfinished(found)) => {
            resume::found(*show, found, cx.state);
        }
        (_, TransferDone::Copy(ended)) => copying::done(purpose, generation, ended, cx),
        (_, TransferDone::Dump { path, dump: found }) => dump::found(generation, path, found, cx),
        (_, TransferDone::DumpRehearsal(result)) => dump::rehearsed(generation, result, cx.state),
        (Purpose::ImportDump(operation), TransferDone::DumpImport(result)) => {
            dump::imported(*operation, result, cx);
        }
        (Purpose::Export(operation), TransferDone::DatabaseExport(result)) => {
            dump_export::exported(*operation, result, cx.state);
        }
        (_, TransferDone::Preview(result)) => {
            looked(generation, result, cx);
            look_ahead::start(cx);
        }
        (_, TransferDone::Rehearsal(result)) => {
            if let Some(draft) = import_draft(cx.state)
                && draft.rehearsal == Loadable::Waiting(generation)
            {
                draft.rehearsal = match result {
                    Ok(Some(found)) => Loadable::Here(found),
                    Ok(None) => Loadable::Nothing,
                    Err(error) => Loadable::Failed(error),
                };
            }
        }
        (_, TransferDone::Folder(folder)) => {
            if cx.state.transfer.folder.is_none() {
                cx.state.transfer.folder = folder;
            }
            let folder = cx.state.transfer.folder.clone();
            if let Some(draft) = export_draft(cx.state) {
                draft.name_file(folder.as_deref());
            }
            let draft = dump_export::draft(cx.state).filter(|draft| draft.path.is_empty());
            if let (Some(draft), Some(folder)) = (draft, folder) {
                draft.suggest(&folder);
            }
        }
        (_, TransferDone::Chosen { files, took }) => {
            let asked = cx.state.transfer.chooser.take_if(|open| open.generation == generation);
            let is_shown = |asked: &Chooser| asker(cx.state).as_ref() == Some(&asked.asker);
            if !asked.is_some_and(|asked| is_shown(&asked)) {
                return;
            }
            if files.is_empty() && took < FILE_DIALOG_ANSWER_MIN {
                cx.state.transfer.chooser_note = Some(NO_CHOOSER);
            }
            chosen(files, cx);
        }
        // Unreachable: purpose and result always match.
        _ => {}
    }
}

/// Gives up on a file dialog that did not answer in time. Returns the time until that.
pub fn give_up_chooser(state: &mut State) -> Option<std::time::Duration> {
    let open = state.transfer.chooser.as_ref()?;
    let age = state.uptime.saturating_sub(open.since);
    if age < FILE_DIALOG_MAX {
        return Some(FILE_DIALOG_MAX.saturating_sub(age));
    }
    state.transfer.chooser = None;
    state.transfer.chooser_note = Some(NO_CHOOSER);
    None
}

fn open_named(files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    let into = cx.state.tabs.active().map(|tab| tab.namespace.clone());
    open_import(files, into.as_ref(), cx);
    if let Some(draft) = import_draft(cx.state) {
        draft.shows_documents = true;
    }
}

fn open_import(files: Vec<PathBuf>, into: Option<&Namespace>, cx: &mut Apply<'_>) {
    if !can_transfer(cx.state) {
        return;
    }
    if let Some(draft) = import_draft(cx.state) {
        draft.add(files, IMPORT_FILES_MAX);
        look(cx);
        return;
    }
    let busy = !matches!(
        cx.state.dialogs.open(),
        None | Some(AnyDialog::Transfer(
            Dialog::Running(_)
                | Dialog::Imported(_)
                | Dialog::Dump(_)
                | Dialog::DumpImported(_)
                | Dialog::Unfinished { .. }
        ))
    );
    if busy {
        let text = "Close the open dialog, then drop the files again";
        cx.toast(Kind::Info, text);
        return;
    }
    let draft = ImportDraft::of_files(files, into, &cx.state.tree);
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::Import(Box::new(draft))));
    look(cx);
}

fn open_import_into(namespace: Namespace, cx: &mut Apply<'_>) {
    open_import(Vec::new(), Some(&namespace), cx);
    if let Some(draft) = import_draft(cx.state).filter(|draft| draft.files.is_empty()) {
        draft.go_into(namespace);
    }
}

fn open_export(namespace: Namespace, shown: ShownDocuments, cx: &mut Apply<'_>) {
    if !cx.state.can_export() && !can_transfer(cx.state) {
        return;
    }
    let now_ms = cx.state.now_ms();
    let draft = ExportDraft::new(namespace, shown, now_ms);
    let namespace = &draft.namespace;
    let found = cx.state.tree.collection(namespace);
    let is_server = cx.state.store.connection.is_some();
    if is_server || found.is_some_and(|found| found.kind == "view") {
        // Only a command reads a view, or a server.
        let mut command = draft.query().unwrap_or_default().find_all(&namespace.collection);
        if is_server {
            command.insert("maxTimeMS", SERVER_EXPORT_MS);
        }
        let results = ExportDraft::of(namespace.clone(), Content::Results(command), now_ms);
        show_export(ExportDraft { shown: draft.shown, ..results }, cx);
        return;
    }
    let all = cx.state.tree.databases.iter().flat_map(|db| {
        db.collections.iter().map(|collection| Namespace::new(&db.name, &collection.name))
    });
    let number = number_among(namespace, all);
    let count = draft.query().ok().filter(|_| draft.has_choice());
    let count = count.map(|query| query.count(&namespace.collection));
    let db = namespace.db.clone();
    show_export(ExportDraft { number, ..draft }, cx);
    let Some(count) = count else { return };
    let purpose = state::Purpose::Transfer(Purpose::CountExport);
    let generation = cx.read(purpose, &db, count);
    if let Some(draft) = export_draft(cx.state) {
        draft.count = Loadable::Waiting(generation);
    }
}

fn show_export(mut draft: ExportDraft, cx: &mut Apply<'_>) {
    draft.name_file(cx.state.transfer.folder.as_deref());
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(AnyDialog::Transfer(Dialog::Export(Box::new(draft))));
    if cx.state.transfer.folder.is_none() {
        cx.transfer(Purpose::Folder, Lane::Read, TransferWork::Folder);
    }
}

pub(super) fn can_transfer(state: &mut State) -> bool {
    let can = state.is_open() && state.store.capabilities.transfer;
    if !can {
        let text = "Open a local store to import or export files";
        state.toast(Kind::Warning, text);
    }
    can
}

fn add_typed(cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    let Some(path) = typed_path(&draft.typed) else { return };
    if path.is_relative() {
        draft.error = Some(WHOLE_PATH.to_owned());
        return;
    }
    draft.typed.clear();
    draft.add(vec![path], IMPORT_FILES_MAX);
    look(cx);
}

/// Reads the beginning of the shown file.
fn look(cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    draft.error = None;
    let Some(path) = draft.shown_file().cloned() else {
        draft.look = Loadable::Nothing;
        return;
    };
    let (options, all, beside) = (draft.read_options(), draft.files.clone(), draft.shown_files());
    let now_ms = cx.state.now_ms();
    let preview = TransferWork::Preview { path, options, all, beside, now_ms };
    let generation = cx.transfer(Purpose::Preview, Lane::Read, preview);
    if let Some(draft) = import_draft(cx.state) {
        draft.look = Loadable::Waiting(generation);
    }
}

/// Takes a look into the shown file. If it finds cells that can only be dates, they become dates,
/// and the file is looked at again.
fn looked(generation: u64, result: Result<FileLook, String>, cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    if draft.look != Loadable::Waiting(generation) {
        look_ahead::take(generation, result.ok(), draft);
        return;
    }
    if let Some(target) = draft.targets.get_mut(draft.shown) {
        target.is_looked = true;
    }
    let Ok(found) = result else {
        draft.look = result.map_or_else(Loadable::Failed, Loadable::Here);
        return;
    };
    draft.types.seen = draft.shown_file().cloned().map(|path| (path, found.clone()));
    let is_suggested = draft.types.suggest(&found.preview);
    draft.look = Loadable::Here(found);
    if is_suggested {
        look(cx);
    }
}

/// Counts documents that are already expired, if the collection exists.
fn rehearse(cx: &mut Apply<'_>) {
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    let Some(draft) = import_draft(cx.state) else { return };
    let into = draft.target();
    let exists = cx.state.tree.collection(&into).is_some();
    let Some(draft) = import_draft(cx.state) else { return };
    draft.rehearsed_for = draft.rehearsal_due_for(exists);
    draft.rehearsal = Loadable::Nothing;
    if draft.name_error().is_some() || draft.rehearsed_for == RehearsedFor::default() {
        return;
    }
    let (files, options) = (draft.shown_files(), draft.read_options());
    let progress = Arc::new(Progress::new());
    cx.state.transfer.rehearsal = Some(Arc::clone(&progress));
    let rehearse = TransferWork::Rehearse { files, options, namespace: into, progress };
    let generation = cx.transfer(Purpose::Rehearse, Lane::Read, rehearse);
    if let Some(draft) = import_draft(cx.state) {
        draft.rehearsal = Loadable::Waiting(generation);
    }
}

/// Shows the documents of a collection, and the dialog that adds those of the clipboard.
fn paste(namespace: &Namespace, cx: &mut Apply<'_>) {
    let show = TabsAction::ShowView(namespace.clone(), ViewKind::Documents);
    crate::apply::apply(Action::Tabs(show), cx);
    let tab = cx.state.tabs.active().filter(|tab| tab.namespace == *namespace);
    if let Some(tab) = tab.map(|tab| tab.id) {
        crate::apply::apply(Action::Documents(tab, DocumentsAction::Paste(None)), cx);
    }
}

/// The dialog that is open, if it is one that asks for files.
fn asker(state: &State) -> Option<Asker> {
    match state.dialogs.open()? {
        AnyDialog::Transfer(Dialog::Import(_)) => Some(Asker::Import),
        AnyDialog::Transfer(Dialog::Export(draft)) => Some(Asker::Export(draft.namespace.clone())),
        AnyDialog::Transfer(Dialog::ExportDatabase(draft)) => {
            Some(Asker::ExportDatabase(draft.db.clone()))
        }
        AnyDialog::Transfer(Dialog::Copy(draft)) => Some(Asker::Copy(draft.from.clone())),
        AnyDialog::Maintenance(state::maintenance::Dialog::Backup(_)) => Some(Asker::Backup),
        AnyDialog::Maintenance(state::maintenance::Dialog::Restore(_)) => Some(Asker::Restore),
        AnyDialog::OpenFolder(_) => Some(Asker::OpenFolder),
        AnyDialog::OpenLesson(_) => Some(Asker::OpenLesson),
        AnyDialog::Handout(_) => Some(Asker::Handout),
        AnyDialog::SaveLesson(_) => Some(Asker::SaveLesson),
        AnyDialog::LeaveSandbox(_) => Some(Asker::LeaveSandbox),
        _ => None,
    }
}

fn choose(cx: &mut Apply<'_>) {
    if cx.state.transfer.chooser.is_some() {
        return;
    }
    let Some(asker) = asker(cx.state) else { return };
    let folder = cx.state.transfer.folder.clone();
    let choose = match cx.state.dialogs.open() {
        Some(AnyDialog::Transfer(Dialog::Import(_))) => Choose::Files { folder },
        Some(AnyDialog::Transfer(Dialog::Export(draft))) => {
            Choose::Target { folder, name: draft.file_name() }
        }
        Some(AnyDialog::Transfer(Dialog::ExportDatabase(draft))) => {
            let inside = whole_path(&draft.path);
            Choose::DumpTarget { folder: inside.and_then(|path| path.parent().map(PathBuf::from)) }
        }
        Some(AnyDialog::Maintenance(state::maintenance::Dialog::Backup(draft))) => {
            let file = draft.file().unwrap_or_default();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Choose::BackupTarget { folder: file.parent().map(PathBuf::from), name }
        }
        Some(AnyDialog::Maintenance(state::maintenance::Dialog::Restore(draft))) => {
            let file = draft.file().unwrap_or_default();
            Choose::Backup { folder: file.parent().map(PathBuf::from) }
        }
        Some(AnyDialog::Transfer(Dialog::Copy(draft))) => {
            Choose::Folder { folder: whole_path(&draft.path) }
        }
        Some(AnyDialog::OpenFolder(draft)) => Choose::Folder { folder: whole_path(&draft.path) },
        Some(AnyDialog::Handout(draft)) => Choose::Target { folder, name: draft.name.clone() },
        Some(AnyDialog::SaveLesson(draft)) => Choose::Target { folder, name: draft.file_name() },
        Some(AnyDialog::OpenLesson(draft)) => {
            let path = whole_path(&draft.path);
            Choose::Lesson { folder: path.and_then(|path| path.parent().map(PathBuf::from)) }
        }
        Some(AnyDialog::LeaveSandbox(draft)) => Choose::Folder { folder: whole_path(&draft.path) },
        _ => return,
    };
    let choose = TransferWork::Choose(choose);
    let generation = cx.transfer(Purpose::Chosen, Lane::Read, choose);
    cx.state.transfer.chooser_note = None;
    cx.state.transfer.chooser = Some(Chooser { asker, generation, since: cx.state.uptime });
}

/// Opens the system's dialog for a folder of mongodump, for the open import.
fn choose_dump(cx: &mut Apply<'_>) {
    if cx.state.transfer.chooser.is_some() || import_draft(cx.state).is_none() {
        return;
    }
    let choose = TransferWork::Choose(Choose::Dump { folder: cx.state.transfer.folder.clone() });
    let generation = cx.transfer(Purpose::Chosen, Lane::Read, choose);
    cx.state.transfer.chooser_note = None;
    let since = cx.state.uptime;
    cx.state.transfer.chooser = Some(Chooser { asker: Asker::Import, generation, since });
}

fn chosen(files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    let Some(first) = files.first().cloned() else { return };
    if let Some(AnyDialog::Maintenance(dialog)) = cx.state.dialogs.open_mut() {
        if let Some(path) = dialog.path_mut() {
            *path = first.to_string_lossy().into_owned();
            crate::apply::apply(Action::Maintenance(MaintenanceAction::PathChanged), cx);
        }
        return;
    }
    if let Some(AnyDialog::OpenFolder(draft)) = cx.state.dialogs.open_mut() {
        draft.path = first.to_string_lossy().into_owned();
        draft.looking = None;
        return;
    }
    if let Some(AnyDialog::Handout(draft)) = cx.state.dialogs.open_mut() {
        draft.path = first.to_string_lossy().into_owned();
        return;
    }
    if let Some(AnyDialog::SaveLesson(draft)) = cx.state.dialogs.open_mut() {
        draft.path = first.to_string_lossy().into_owned();
        draft.path_changed();
        return;
    }
    if let Some(AnyDialog::OpenLesson(draft)) = cx.state.dialogs.open_mut() {
        draft.path = first.to_string_lossy().into_owned();
        return;
    }
    if let Some(AnyDialog::LeaveSandbox(draft)) = cx.state.dialogs.open_mut() {
        draft.path = first.to_string_lossy().into_owned();
        draft.error = None;
        return;
    }
    if let Some(draft) = copying::draft(cx.state) {
        draft.path = first.to_string_lossy().into_owned();
        draft.error = None;
        return;
    }
    if let Some(draft) = dump_export::draft(cx.state) {
        draft.suggest(&first);
        return;
    }
    cx.state.transfer.folder = first.parent().map(PathBuf::from);
    if let Some(draft) = export_draft(cx.state) {
        draft.path = first.to_string_lossy().into_owned();
        draft.is_named = true;
        draft.exists.clear();
        draft.error = None;
    } else if let Some(draft) = import_draft(cx.state) {
        draft.add(files, IMPORT_FILES_MAX);
        look(cx);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
