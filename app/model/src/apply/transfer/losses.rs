//! Counts what an import of an exported file would change, before it is written.

use std::sync::Arc;

use mayfly_engine::transfer::{ExportRequest, Losses, Progress};

use super::open_draft::export_draft;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::state::transfer::Loadable;
use crate::state::transfer::export::Counting;
use crate::worker::transfer::transfers;
use crate::worker::{Desk, Lane};

/// Counts for the open dialog. A count that runs is for other choices, and stops.
pub(super) fn count(cx: &mut Apply<'_>) {
    let Some(draft) = export_draft(cx.state) else { return };
    draft.losses_for = draft.losses_due_for();
    draft.losses = Loadable::Nothing;
    draft.counting = None;
    if draft.losses_for.is_none() {
        return;
    }
    // The dialog says why a query can't be used.
    let Ok(request) = draft.content_request() else { return };
    let progress = Arc::new(Progress::new());
    draft.counting = Some(Arc::new(Counting(Arc::clone(&progress))));
    let generation = cx.run(CountLosses { request, progress });
    if let Some(draft) = export_draft(cx.state) {
        draft.losses = Loadable::Waiting(generation);
    }
}

/// The losses of an export, of which only the newest count is of use.
#[derive(Debug)]
pub(super) struct CountLosses {
    request: ExportRequest,
    /// Stops it.
    progress: Arc<Progress>,
}

impl PartialEq for CountLosses {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for CountLosses {
    type Answer = Result<Losses, String>;

    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        if let Some(draft) = export_draft(cx.state) {
            draft.losses.answer(generation, result.map(Some));
        }
    }
}

impl Run for CountLosses {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let Self { request, progress } = self;
        let stop = Arc::clone(progress);
        report.send(desk.at_close.stopping(
            move || stop.cancel(),
            || {
                let source = desk.open_source()?;
                let losses = transfers(source.as_ref())?.export_losses(request, progress);
                losses.map_err(|error| error.to_string())
            },
        ));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}
