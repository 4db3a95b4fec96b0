//! A look into the files of an import.

use std::sync::Arc;

use mayfly_engine::transfer::Progress;

use super::dump;
use super::open_draft::import_draft;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::FileLook;
use crate::state::transfer::{ImportDraft, Loadable};
use crate::worker::transfer::{Contents, FileToLook};
use crate::worker::{Desk, Lane};

/// The beginning of a file, of which only the newest look counts.
#[derive(Debug)]
pub(super) struct Preview(pub FileToLook);

impl PartialEq for Preview {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for Preview {
    type Answer = Result<Contents, String>;

    fn answered(&self, generation: u64, found: Self::Answer, cx: &mut Apply<'_>) {
        let look = match found {
            Ok(Contents::Dump(dump)) => {
                return dump::found(generation, self.0.path.clone(), dump, cx);
            }
            Ok(Contents::File(look)) => Ok(look),
            Err(error) => Err(error),
        };
        looked(generation, look, cx);
        look_ahead(cx);
    }
}

impl Run for Preview {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let stop = Arc::clone(&self.0.progress);
        let look = || self.0.look(desk.source.as_deref());
        report.send(desk.at_close.stopping(move || stop.cancel(), look));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// Reads the beginning of the shown file.
pub(super) fn look(cx: &mut Apply<'_>) {
    if let Some(running) = cx.state.transfer.look.take() {
        running.cancel();
    }
    let Some(draft) = import_draft(cx.state) else { return };
    draft.error = None;
    let Some(path) = draft.shown_file().cloned() else {
        draft.look = Loadable::Nothing;
        return;
    };
    let (options, all, beside) = (draft.read_options(), draft.files.clone(), draft.shown_files());
    let (now_ms, progress) = (cx.state.now_ms(), Arc::new(Progress::new()));
    cx.state.transfer.look = Some(Arc::clone(&progress));
    let file = FileToLook { path, options, all, beside, now_ms, progress };
    let generation = cx.run(Preview(file));
    if let Some(draft) = import_draft(cx.state) {
        draft.look = Loadable::Waiting(generation);
    }
}

/// Takes a look into the shown file. If it finds cells that can only be dates, they become dates,
/// and the file is looked at again.
fn looked(generation: u64, result: Result<Box<FileLook>, String>, cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    if draft.look != Loadable::Waiting(generation) {
        take_ahead(generation, result.ok(), draft);
        return;
    }
    if let Some(target) = draft.targets.get_mut(draft.shown) {
        target.is_looked = true;
    }
    let Ok(found) = result else {
        draft.look = result.map_or_else(Loadable::Failed, |found| Loadable::Here(*found));
        return;
    };
    draft.types.columns.take(&found.preview);
    draft.types.seen = draft.shown_file().cloned().map(|path| (path, (*found).clone()));
    let is_suggested = draft.types.suggest(&found.preview);
    draft.look = Loadable::Here(*found);
    if is_suggested {
        look(cx);
    }
}

/// Looks into the next of the files that become collections of their own and are not shown, so that
/// their dates are known too.
fn look_ahead(cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    // The look into the shown file comes first.
    if matches!(draft.look, Loadable::Waiting(_)) {
        return;
    }
    let Some(path) = draft.next_to_look().map(ToOwned::to_owned) else { return };
    let mut options = draft.read_options();
    // Those of the shown file.
    options.types.fields.clear();
    options.renames.clear();
    options.sheet = None;
    let (all, beside) = (draft.files.clone(), vec![path.clone()]);
    let (now_ms, progress) = (cx.state.now_ms(), Arc::default());
    let generation =
        cx.run(Preview(FileToLook { path: path.clone(), options, all, beside, now_ms, progress }));
    if let Some(draft) = import_draft(cx.state) {
        draft.ahead = Some((path, generation));
    }
}

/// Takes a look into one, or `None` if it can't be read. Ignores an older answer.
fn take_ahead(generation: u64, look: Option<Box<FileLook>>, draft: &mut ImportDraft) {
    let ahead = draft.ahead.take_if(|(_, asked)| *asked == generation);
    if let Some((path, _)) = ahead {
        draft.take_look(&path, look.map(|look| *look));
    }
}
