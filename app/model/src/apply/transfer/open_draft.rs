//! The dialogs of files that are open.

use crate::state::State;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::toasts::Kind;
use crate::state::transfer::{Dialog, ExportDraft, ImportDraft};

/// The import dialog that is open.
pub(super) fn import_draft(state: &mut State) -> Option<&mut ImportDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Import(draft))) => Some(draft),
        _ => None,
    }
}

/// The export dialog that is open.
pub(super) fn export_draft(state: &mut State) -> Option<&mut ExportDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Export(draft))) => Some(draft),
        _ => None,
    }
}

/// Whether the store can import and export; if not, a message says so.
pub(super) fn can_transfer(state: &mut State) -> bool {
    let can = state.is_open() && state.store.capabilities.transfer;
    if !can {
        let text = "Open a local store to import or export files";
        state.toast(Kind::Warning, text);
    }
    can
}
