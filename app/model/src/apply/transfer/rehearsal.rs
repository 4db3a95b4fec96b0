//! Rehearsals of imports: what is past its threshold already.

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::transfer::{Progress, ReadOptions, Rehearsal};

use super::open_draft::import_draft;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::state::Namespace;
use crate::state::transfer::Loadable;
use crate::state::transfer::import::RehearsedFor;
use crate::worker::transfer::{self, transfers};
use crate::worker::{Desk, Lane};

/// Counts documents that are already expired, if the collection exists.
pub(super) fn rehearse(cx: &mut Apply<'_>) {
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
    let generation = cx.run(Rehearse { files, options, into, progress });
    if let Some(draft) = import_draft(cx.state) {
        draft.rehearsal = Loadable::Waiting(generation);
    }
}

/// Documents of files past their threshold already, of which only the newest count is of use.
#[derive(Debug)]
pub(super) struct Rehearse {
    pub files: Vec<PathBuf>,
    pub options: ReadOptions,
    /// The collection whose TTL indexes count.
    pub into: Namespace,
    /// Stops it.
    pub progress: Arc<Progress>,
}

impl PartialEq for Rehearse {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for Rehearse {
    /// `None` if a newer question canceled it.
    type Answer = Result<Option<Rehearsal>, String>;

    fn answered(&self, generation: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        if let Some(draft) = import_draft(cx.state) {
            draft.rehearsal.answer(generation, result);
        }
    }
}

impl Run for Rehearse {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let Self { files, options, into, progress } = self;
        let stop = Arc::clone(progress);
        report.send(desk.at_close.stopping(
            move || stop.cancel(),
            || {
                let source = desk.open_source()?;
                transfer::rehearse(transfers(source.as_ref())?, into, files, options, progress)
            },
        ));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}
