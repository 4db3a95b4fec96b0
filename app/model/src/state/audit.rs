//! The TTL audit of the open store, in its dialog.

use std::sync::Arc;

use crate::inspect::audit::facts::CollectionFacts;
use crate::inspect::audit::{Audit, AuditProgress, Finding, FindingId};
use crate::job::Cancel;

/// Stops an audit when the dialog that shows it closes.
#[derive(Debug)]
pub struct Auditing(pub Cancel);

impl Drop for Auditing {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl PartialEq for Auditing {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// How far it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    Reading(AuditProgress),
    Done(Arc<Audit>),
    /// Why it could not be made, in one sentence.
    Failed(String),
}

/// An audit on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditView {
    pub generation: u64,
    pub stage: Stage,
    pub auditing: Option<Arc<Auditing>>,
    /// The finding that is shown whole, by its place in the list. `None` for the overview.
    pub selected: Option<usize>,
}

impl AuditView {
    /// The finding that is shown whole.
    pub fn shown(&self) -> Option<&Finding> {
        match &self.stage {
            Stage::Done(audit) => audit.findings.get(self.selected?),
            _ => None,
        }
    }
}

/// Where a finding is mended in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The dialog that makes dates of text and numbers.
    Convert,
    /// The dialog that changes the seconds of the rule, from which a rollout is planned.
    ChangeTtl,
    /// The same dialog for an index without a TTL.
    AddTtl,
    /// The dialog that creates a TTL index.
    CreateTtl,
    /// The list of indexes.
    Indexes,
    /// The lanes and counts of the collection.
    Expiry,
    /// The settings, which have the monitor's switch and period.
    Monitor,
}

/// Whether documents never expire because of text or numbers, which may be converted.
fn may_be_dates(finding: &Finding) -> bool {
    finding.examples.iter().any(|one| matches!(one.cause.as_str(), "string" | "number"))
}

impl Way {
    /// The way for a finding. `None` if nothing in the window mends it, as with a time series, whose TTL is changed
    /// by a command alone.
    pub fn of(audit: &Audit, finding: &Finding) -> Option<Self> {
        let has_index = finding.place.index.is_some();
        let is_it = |of: &&CollectionFacts| Some(&of.namespace) == finding.place.namespace.as_ref();
        if audit.facts.collections.iter().find(is_it).is_some_and(|of| of.is_time_series) {
            return None;
        }
        finding.place.namespace.as_ref().map_or_else(
            || {
                let is_monitor =
                    matches!(finding.id, FindingId::MonitorOff | FindingId::MonitorSlow);
                is_monitor.then_some(Self::Monitor)
            },
            |_| match finding.id {
                FindingId::NeverAll | FindingId::NeverSome if may_be_dates(finding) => {
                    Some(Self::Convert)
                }
                FindingId::Cliff | FindingId::BacklogAtStart if has_index => Some(Self::ChangeTtl),
                FindingId::UnusedCandidate if has_index => Some(Self::AddTtl),
                FindingId::Candidate => Some(Self::CreateTtl),
                FindingId::TwoRules
                | FindingId::Hidden
                | FindingId::PartialLeavesOut
                | FindingId::ZeroAndPast
                | FindingId::CosmosTtl
                | FindingId::UnusedIndex => Some(Self::Indexes),
                FindingId::Clock | FindingId::Unreadable => None,
                _ => Some(Self::Expiry),
            },
        )
    }

    /// The words of its button.
    pub fn label(self) -> &'static str {
        match self {
            Self::Convert => "Convert to dates…",
            Self::ChangeTtl => "Change TTL…",
            Self::AddTtl => "Add TTL…",
            Self::CreateTtl => "Create TTL index…",
            Self::Indexes => "Show the indexes",
            Self::Expiry => "Show in Expiry",
            Self::Monitor => "Settings…",
        }
    }
}
