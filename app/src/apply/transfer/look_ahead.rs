//! A look into files that become collections of their own and are not shown, so that their dates are
//! known too.

use super::open_draft::import_draft;
use crate::apply::Apply;
use crate::job::FileLook;
use crate::state::transfer::{ImportDraft, Loadable, Purpose};
use crate::worker::{Lane, TransferWork};

/// Reads the beginning of the next one.
pub(super) fn start(cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(draft) = import_draft(cx.state) else { return };
    // The look into the shown file comes first.
    if matches!(draft.look, Loadable::Waiting(_)) {
        return;
    }
    let Some(path) = draft.next_to_look().map(ToOwned::to_owned) else { return };
    let mut options = draft.read_options();
    options.types.fields.clear();
    let (all, beside) = (draft.files.clone(), vec![path.clone()]);
    let preview = TransferWork::Preview { path: path.clone(), options, all, beside, now_ms };
    let generation = cx.transfer(Purpose::Preview, Lane::Read, preview);
    if let Some(draft) = import_draft(cx.state) {
        draft.ahead = Some((path, generation));
    }
}

/// Takes a look into one, or `None` if it can't be read. Ignores an older answer.
pub(super) fn take(generation: u64, look: Option<FileLook>, draft: &mut ImportDraft) {
    let ahead = draft.ahead.take_if(|(_, asked)| *asked == generation);
    if let Some((path, _)) = ahead {
        draft.take_look(&path, look);
    }
}
