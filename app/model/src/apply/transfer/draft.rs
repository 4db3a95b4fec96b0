//! Actions on files: each begins in the file of its dialog.

use super::open_draft::{can_transfer, import_draft};
use super::{
    choose_path, copying, dump, dump_export, export, import, losses, preview, rehearsal, resume,
    run,
};
use crate::action::{DocumentsAction, TabsAction, TransferAction};
use crate::apply::{Apply, documents, tabs};
use crate::state::Namespace;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::OperationId;
use crate::state::tabs::ViewKind;
use crate::state::transfer::export::Content;
use crate::state::transfer::{Dialog, ExportDraft};

/// Carries out one action.
pub fn apply(action: TransferAction, cx: &mut Apply<'_>) {
    match action {
        TransferAction::Import { files, into } => import::open(files, into.as_ref(), cx),
        TransferAction::ImportInto(namespace) => import::open_into(namespace, cx),
        TransferAction::Open(files) => import::open_named(files, cx),
        TransferAction::Export { namespace, shown } => export::open(namespace, *shown, cx),
        TransferAction::ImportFolder => {
            import::open(Vec::new(), None, cx);
            choose_path::choose_dump(cx);
        }
        TransferAction::ExportDatabase(db) => dump_export::open(db, cx),
        TransferAction::StartExportDatabase => dump_export::start(cx),
        TransferAction::ExportSchema { namespace, text } => {
            let now_ms = cx.state.now_ms();
            // Its dialog showed the text, which is what is written now.
            cx.state.dialogs.forget(|dialog| matches!(dialog, AnyDialog::Schema(..)));
            export::show(ExportDraft::of(namespace, Content::JsonSchema(text), now_ms), cx);
        }
        TransferAction::ExportAudit { name, text } => {
            let now_ms = cx.state.now_ms();
            let content = Content::Audit(text);
            export::show(ExportDraft::of(Namespace::new(name, "ttl-audit"), content, now_ms), cx);
        }
        TransferAction::Paste(namespace) => paste(&namespace, cx),
        TransferAction::AddTyped => import::add_typed(cx),
        TransferAction::RemoveFile(at) => {
            if let Some(draft) = import_draft(cx.state) {
                draft.remove(at);
            }
            preview::look(cx);
        }
        TransferAction::ShowFile(at) => {
            if let Some(draft) = import_draft(cx.state) {
                draft.show(at);
            }
            preview::look(cx);
        }
        TransferAction::Look => preview::look(cx),
        TransferAction::Rehearse => rehearsal::rehearse(cx),
        TransferAction::CountLosses => losses::count(cx),
        TransferAction::Choose => choose_path::choose(cx),
        TransferAction::ChooseDump => choose_path::choose_dump(cx),
        TransferAction::Copy { namespace, filter } => copying::open(namespace, &filter, cx),
        TransferAction::LookCopy => copying::look(cx),
        TransferAction::StartCopy => copying::start(cx),
        TransferAction::ShowCopy => copying::show(cx),
        TransferAction::RollBackCopy => copying::roll_back(cx),
        TransferAction::StartDump => dump::start(cx),
        TransferAction::StartImport => import::start(cx),
        TransferAction::StartExport { overwrite } => export::start(overwrite, cx),
        TransferAction::Again(operation) => {
            if can_transfer(cx.state) {
                again(operation, cx);
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

/// Shows the documents of a collection, and the dialog that adds those of the clipboard.
fn paste(namespace: &Namespace, cx: &mut Apply<'_>) {
    let show = TabsAction::ShowView(namespace.clone(), ViewKind::Documents);
    tabs::apply(show, cx);
    let tab = cx.state.tabs.active().filter(|tab| tab.namespace == *namespace);
    if let Some(tab) = tab.map(|tab| tab.id) {
        documents::apply(tab, DocumentsAction::Paste(None), cx);
    }
}

/// Opens the dialog of an operation that ended, filled in as it was.
fn again(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(again) = cx.state.transfer.again.get(&operation) else { return };
    let dialog = again.dialog(cx.state.now_ms());
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(AnyDialog::Transfer(dialog));
    preview::look(cx);
}
