//! Copies of collections into other stores, as work for the threads.

use std::sync::Arc;

use mayfly_engine::transfer::{Progress, RollBackReport};

use super::transfer::Failure;
use crate::job::{Cancel, CopyEnded, CopyPlan, CopyTarget, CopyUndo, End};
use crate::source::copying::{self, NewSandbox};
use crate::source::{Source, inserts};

/// Removes what a copy inserted.
///
/// # Errors
/// The other store fails: one sentence.
pub fn roll_back(undo: &CopyUndo, progress: &Progress) -> Result<RollBackReport, String> {
    let store = copying::open_target(&undo.place)?;
    let report = inserts::roll_back(store.as_ref(), &undo.into, &undo.ids, progress);
    store.close();
    report
}

/// Copies a collection into another store. Takes as long as the collection is large.
///
/// # Errors
/// Nothing was copied.
pub fn copy(
    source: &dyn Source,
    plan: &CopyPlan,
    to: &CopyTarget,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Box<CopyEnded>, Failure> {
    let (report, opens, undo) = match to {
        CopyTarget::Sandbox => {
            let sandbox = NewSandbox::create(source.now_ms()).map_err(Failure::Failed)?;
            let (report, _) =
                copying::copy(source, sandbox.source.as_ref(), plan, progress, cancel);
            let opens = sandbox.finish(report.copied, 0);
            let opens = (report.copied > 0 || report.end == End::Complete).then_some(opens);
            (report, opens, None)
        }
        CopyTarget::Folder(_) | CopyTarget::Server(_) => {
            let store = copying::open_target(to).map_err(Failure::Failed)?;
            let (report, ids) = copying::copy(source, store.as_ref(), plan, progress, cancel);
            store.close();
            let (place, into) = (to.clone(), plan.into.clone());
            let undo = ids.can_roll_back().then(|| Arc::new(CopyUndo { place, into, ids }));
            (report, None, undo)
        }
    };
    match &report.end {
        End::Cancelled if report.copied == 0 => Err(Failure::Cancelled),
        End::Failed(why) if report.copied == 0 && report.unknown == 0 => {
            Err(Failure::Failed(why.clone()))
        }
        _ => Ok(Box::new(CopyEnded { report, opens, undo })),
    }
}
