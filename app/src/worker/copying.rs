//! Copies of collections into other stores, as work for the threads.

use std::fmt;
use std::sync::Arc;

use bson::Document;
use mayfly_engine::transfer::{Progress, RollBackReport};

use super::transfer::Failure;
use crate::job::{Cancel, CopyEnd, CopyEnded, CopyLook, CopyPlan, CopyTarget, CopyUndo, Namespace};
use crate::source::copying::{self, NewSandbox};
use crate::source::{Source, inserts};

/// One thing to do with a copy.
#[derive(Clone)]
pub enum CopyWork {
    /// Count what would be copied and what would expire of it.
    Look { namespace: Namespace, filter: Document },
    Run {
        plan: Box<CopyPlan>,
        to: CopyTarget,
        /// How far it is.
        progress: Arc<Progress>,
        /// Stops it.
        cancel: Cancel,
    },
    /// Remove what a copy inserted.
    RollBack {
        undo: Arc<CopyUndo>,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
}

/// The result.
#[derive(Debug, Clone)]
pub enum CopyDone {
    /// The expected copy.
    Looked(Result<CopyLook, String>),
    /// A copy ended. The error: nothing was copied.
    Ended(Result<Box<CopyEnded>, Failure>),
    /// The inserted documents of a copy were removed.
    RolledBack(Result<RollBackReport, Failure>),
}

impl fmt::Debug for CopyWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Look { namespace, .. } => write!(f, "Look({namespace})"),
            Self::Run { plan, to, .. } => write!(f, "Run({} to {to:?})", plan.from),
            Self::RollBack { undo, .. } => write!(f, "RollBack({})", undo.into),
        }
    }
}

impl CopyWork {
    /// How far it is, when it can be stopped.
    pub fn progress(&self) -> Option<&Arc<Progress>> {
        match self {
            Self::Look { .. } => None,
            Self::Run { progress, .. } | Self::RollBack { progress, .. } => Some(progress),
        }
    }

    /// The same work with nothing done, because `message` says why not.
    pub fn failed(&self, message: String) -> CopyDone {
        match self {
            Self::Look { .. } => CopyDone::Looked(Err(message)),
            Self::Run { .. } => CopyDone::Ended(Err(Failure::Failed(message))),
            Self::RollBack { .. } => CopyDone::RolledBack(Err(Failure::Failed(message))),
        }
    }

    /// Does it. Takes as long as the collection is large.
    pub fn run(&self, source: Option<&dyn Source>) -> CopyDone {
        match self {
            Self::RollBack { undo, progress } => {
                CopyDone::RolledBack(roll_back(undo, progress).map_err(Failure::Failed))
            }
            Self::Look { namespace, filter } => match source {
                Some(source) => {
                    let cancel = Cancel::default();
                    CopyDone::Looked(copying::look(source, namespace, filter, &cancel))
                }
                None => self.failed("No store is open".to_owned()),
            },
            Self::Run { plan, to, progress, cancel } => match source {
                Some(_) if progress.is_cancelled() => CopyDone::Ended(Err(Failure::Cancelled)),
                Some(source) => CopyDone::Ended(copy(source, plan, to, progress, cancel)),
                None => self.failed("No store is open".to_owned()),
            },
        }
    }
}

fn roll_back(undo: &CopyUndo, progress: &Progress) -> Result<RollBackReport, String> {
    let store = copying::open_target(&undo.place)?;
    let report = inserts::roll_back(store.as_ref(), &undo.into, &undo.ids, progress);
    store.close();
    report
}

fn copy(
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
            let opens = (report.copied > 0 || report.end == CopyEnd::Complete).then_some(opens);
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
        CopyEnd::Cancelled if report.copied == 0 => Err(Failure::Cancelled),
        CopyEnd::Failed(why) if report.copied == 0 && report.unknown == 0 => {
            Err(Failure::Failed(why.clone()))
        }
        _ => Ok(Box::new(CopyEnded { report, opens, undo })),
    }
}
