//! Operations that were cut short, in words, and what can be done with each.

use super::super::number;
use crate::job::bulk::BulkChange;
use crate::job::cut::{CutKind, CutWork, RolledIndex};
use crate::job::rollout::RolloutPlan;

/// A decision about an operation that was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutWay {
    Continue,
    /// It stays as it is, and is forgotten.
    Stop,
    /// Undo its changes.
    Undo,
}

/// The words for a list of operations.
pub fn title(work: &CutWork) -> String {
    match &work.what {
        CutKind::Bulk { namespace, forward, .. } => {
            forward.title(namespace, matches!(forward, BulkChange::Again(_)))
        }
        CutKind::Rollout { plan, .. } => {
            format!("Roll out a TTL on {} of {}", plan.field(), plan.namespace)
        }
        CutKind::Damaged(_) => "An operation whose notes can't be read".to_owned(),
    }
}

/// How far it was, or how things are now, in one sentence.
pub fn words(work: &CutWork) -> String {
    match &work.what {
        // How far these were is not noted.
        CutKind::Bulk {
            forward:
                BulkChange::Back(_)
                | BulkChange::Again(_)
                | BulkChange::Empty
                | BulkChange::Duplicate { .. }
                | BulkChange::Restore(_)
                | BulkChange::Copy { folder: Some(_), .. },
            ..
        } => "It was cut short before it reached its end".to_owned(),
        CutKind::Bulk { .. } => {
            let done = number::count(work.done);
            match work.total {
                0 => format!("Cut short after {done} documents"),
                total => {
                    format!("Cut short after {done} of {} documents", number::count(total))
                }
            }
        }
        CutKind::Rollout { plan, index } => match index {
            RolledIndex::Missing => "The index is not there".to_owned(),
            RolledIndex::Has(None) => "The index has no TTL yet".to_owned(),
            RolledIndex::Has(Some(secs)) => {
                format!("The TTL is at {secs} s on its way to {} s", plan.to_secs)
            }
            RolledIndex::Unknown(sentence) => sentence.clone(),
        },
        CutKind::Damaged(sentence) => sentence.clone(),
    }
}

/// The possible decisions, with a sentence each.
pub fn ways(work: &CutWork) -> Vec<(CutWay, String)> {
    use CutWay::{Continue, Stop, Undo};
    match &work.what {
        CutKind::Bulk { forward, back, .. } => {
            let mut ways = vec![(Stop, stopped(forward))];
            if can_continue(forward) {
                let words = "Does the rest; what is done is not done twice";
                ways.insert(0, (Continue, words.to_owned()));
            }
            if back.is_some() {
                let words = "Takes back what is done, except documents changed since";
                ways.push((Undo, words.to_owned()));
            }
            ways
        }
        CutKind::Rollout { plan, index } => rollout_ways(plan, index),
        CutKind::Damaged(_) => {
            vec![(Stop, "Leaves everything as it is and clears this entry".to_owned())]
        }
    }
}

/// A pass is named by a number that only the session knows in which it ran.
fn can_continue(forward: &BulkChange) -> bool {
    !matches!(forward, BulkChange::Restore(scope) if !scope.outlives_session())
}

fn stopped(forward: &BulkChange) -> String {
    match forward {
        BulkChange::Duplicate { to, .. } => {
            format!("Leaves the unfinished copy {to}; drop it if you don't need it")
        }
        BulkChange::Restore(_) => {
            "Leaves the other documents where they are and clears this entry".to_owned()
        }
        _ => "Leaves everything as it is and clears this entry".to_owned(),
    }
}

fn rollout_ways(plan: &RolloutPlan, index: &RolledIndex) -> Vec<(CutWay, String)> {
    let stop = |words: &str| (CutWay::Stop, words.to_owned());
    match index {
        RolledIndex::Unknown(_) => vec![stop("Leaves the TTL as it is and clears this entry")],
        RolledIndex::Missing if plan.create.is_none() => vec![stop("Clears this entry")],
        RolledIndex::Missing => vec![
            (CutWay::Continue, "Makes the index and rolls out its TTL".to_owned()),
            stop("Clears this entry"),
        ],
        RolledIndex::Has(_) => {
            let made = plan.create.as_ref().filter(|_| !plan.replaces);
            let back = match (made, plan.from_secs) {
                (Some(_), _) => "Drops the index that the rollout made".to_owned(),
                (None, Some(secs)) => format!("Sets the TTL back to {secs} s"),
                (None, None) => "Sets a TTL that removes nothing: 2147483647 s".to_owned(),
            };
            vec![
                (CutWay::Continue, "Rolls out the rest from the present TTL on".to_owned()),
                stop("Keeps the present TTL and clears this entry"),
                (CutWay::Undo, format!("{back}; documents that expired stay removed")),
            ]
        }
    }
}
