//! An audit: the facts and the findings about them.

use std::fmt;

use mayfly_engine::value::{count, counted};

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::findings;

/// How far an audit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditProgress {
    /// Collections whose indexes are known.
    Listed(usize),
    /// Collections that were read, of how many.
    Read { read: usize, of: usize },
}

impl Default for AuditProgress {
    fn default() -> Self {
        Self::Listed(0)
    }
}

impl fmt::Display for AuditProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Listed(0) => f.write_str("Reading"),
            Self::Listed(count) => {
                let collections = counted(count as u64, "collection", "collections");
                write!(f, "Listing the indexes of {collections}")
            }
            Self::Read { read, of } => {
                let of = counted(of as u64, "collection", "collections");
                write!(f, "Reading {} of {of}", count(read as u64))
            }
        }
    }
}

/// The facts of a store, and what is wrong or risky about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Audit {
    pub facts: Facts,
    /// Worst first.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Judges the facts.
    pub fn of(facts: Facts) -> Self {
        let findings = findings::of(&facts);
        Self { facts, findings }
    }

    /// How many findings are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Whether there is a finding of a severity, or of a worse one.
    pub fn has(&self, severity: Severity) -> bool {
        self.findings.iter().any(|finding| finding.severity <= severity)
    }

    /// Removes the `_id`s of documents.
    pub fn leave_out_examples(&mut self) {
        for finding in &mut self.findings {
            finding.examples.clear();
        }
        let rules = self.facts.collections.iter_mut().flat_map(|collection| &mut collection.rules);
        for never in rules.flat_map(|rule| &mut rule.never) {
            never.example = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::audit::FindingId;

    #[test]
    fn a_worse_finding_counts_too() {
        let mut audit = Audit::default();
        assert!(!audit.has(Severity::Info));
        audit.findings.push(Finding::new(FindingId::Cliff, ""));
        let has = Severity::ALL.map(|severity| audit.has(severity));
        assert_eq!(has, [false, true, true]);
        assert_eq!(Severity::ALL.map(|severity| audit.count(severity)), [0, 1, 0]);
    }
}
