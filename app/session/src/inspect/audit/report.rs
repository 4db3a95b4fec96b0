//! An audit: the facts and the findings about them.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::findings;

/// How far an audit is: collections that were read, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditProgress {
    pub read: usize,
    pub of: usize,
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
