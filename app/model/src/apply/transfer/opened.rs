//! Files that the command line named.

use mayfly_engine::transfer::{ImportReport, Tally};

use crate::action::TabsAction;
use crate::apply::store::load_summary;
use crate::apply::{Apply, tabs};
use crate::state::tabs::ViewKind;
use crate::state::transfer::ImportResult;

/// Shows the imported documents in the place of the open dialog, unless the result has something to say that the preview did not.
pub(super) fn show_documents(result: &ImportResult, cx: &mut Apply<'_>) {
    let is_plain = |report: &ImportReport| {
        let has_all = report.imported > 0 && report.rejected == 0 && report.skipped == 0;
        has_all && is_as_previewed(report.tally)
    };
    let is_calm = !result.paused && result.indexes.is_none();
    if !(result.is_complete() && result.reports().all(is_plain) && is_calm) {
        return;
    }
    cx.state.dialogs.close();
    let show = TabsAction::ShowView(result.into.clone(), ViewKind::Documents);
    tabs::apply(show, cx);
    load_summary(&result.into, cx);
}

/// Whether only such values were read differently that the preview shows next to the converted
/// ones.
fn is_as_previewed(mut tally: Tally) -> bool {
    (tally.converted, tally.legacy_values, tally.missing_words) = (0, 0, 0);
    tally == Tally::NONE
}
