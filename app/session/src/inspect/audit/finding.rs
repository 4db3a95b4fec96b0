//! Findings, as plain data for the forms and the window.

use bson::Bson;
use mayfly_engine::reply::DocCount;
use mayfly_engine::value::named;

use crate::job::Namespace;

named! {
    /// How bad a finding is, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Severity {
        Error => "error",
        Warning => "warning",
        Info => "info",
    }
    /// The word in every form.
    pub fn word;
}

named! {
    /// The kinds of findings. Among those of one severity, the first is shown first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FindingId {
        MonitorOff => "monitor-off",
        MonitorSlow => "monitor-slow",
        Clock => "clock",
        FallingBehind => "falling-behind",
        NeverAll => "never-all",
        Unit => "unit",
        BacklogAtStart => "backlog-at-start",
        Cliff => "cliff",
        NeverSome => "never-some",
        ZeroAndPast => "zero-and-past",
        CosmosTtl => "cosmos-ttl",
        Unreadable => "unreadable",
        TwoRules => "two-rules",
        PartialLeavesOut => "partial-leaves-out",
        Hidden => "hidden",
        ReadsExpired => "reads-expired",
        Candidate => "candidate",
        UnusedCandidate => "unused-candidate",
        UnusedIndex => "unused-index",
    }
    /// The id in every form.
    pub fn code;
}

impl FindingId {
    /// The severity that a finding of this kind has.
    pub const fn severity(self) -> Severity {
        match self {
            Self::MonitorOff
            | Self::MonitorSlow
            | Self::Clock
            | Self::FallingBehind
            | Self::NeverAll
            | Self::Unit => Severity::Error,
            Self::BacklogAtStart
            | Self::Cliff
            | Self::NeverSome
            | Self::ZeroAndPast
            | Self::CosmosTtl
            | Self::Unreadable => Severity::Warning,
            Self::TwoRules
            | Self::PartialLeavesOut
            | Self::Hidden
            | Self::ReadsExpired
            | Self::Candidate
            | Self::UnusedCandidate
            | Self::UnusedIndex => Severity::Info,
        }
    }

    /// The lesson that teaches it, as `mayfly lesson play` takes it.
    pub const fn lesson(self) -> Option<&'static str> {
        Some(match self {
            Self::MonitorOff => "a-switch-is-not-an-undo",
            Self::MonitorSlow => "a-shorter-period",
            Self::Clock => "whose-clock",
            Self::FallingBehind => "sixty-seconds-is-no-promise",
            Self::NeverAll | Self::NeverSome => "not-a-date",
            Self::Unit => "seconds-for-milliseconds",
            Self::BacklogAtStart => "a-new-rule-and-old-data",
            Self::Cliff => "roll-out-a-ttl",
            Self::ZeroAndPast => "past-and-future",
            Self::CosmosTtl => "ttl-needs-the-index",
            Self::TwoRules => "two-rules",
            Self::PartialLeavesOut => "partial-ttl",
            Self::Hidden => "a-hidden-index-still-deletes",
            Self::ReadsExpired => "overdue-is-still-found",
            Self::Candidate => "no-index-no-expiry",
            Self::UnusedCandidate => "plain-index-to-ttl",
            Self::Unreadable | Self::UnusedIndex => return None,
        })
    }

    /// The section of the user guide that explains it.
    pub const fn guide(self) -> &'static str {
        match self {
            Self::MonitorOff => "08-safety.md#removals-on-hold",
            Self::MonitorSlow | Self::FallingBehind | Self::ReadsExpired => {
                "02-ttl.md#passes-and-lag"
            }
            Self::Clock => "07-servers.md#what-cannot-be-known",
            Self::NeverAll | Self::NeverSome | Self::Unit => {
                "02-ttl.md#why-a-document-never-expires"
            }
            Self::BacklogAtStart | Self::Cliff => "07-servers.md#roll-out-a-ttl",
            Self::CosmosTtl => "02-ttl.md#cosmos-db-_ts-and-ttl",
            Self::TwoRules | Self::PartialLeavesOut | Self::Hidden | Self::ZeroAndPast => {
                "02-ttl.md#the-threshold"
            }
            Self::Candidate => "01-first-steps.md#set-a-ttl",
            Self::UnusedCandidate => "02-ttl.md#change-a-ttl",
            Self::UnusedIndex => "03-views.md#indexes",
            Self::Unreadable => "07-servers.md#read-only-until-you-unlock-it",
        }
    }
}

/// The place of a finding: a whole store, a collection, or a rule of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub namespace: Option<Namespace>,
    pub index: Option<String>,
}

/// One document that a finding is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its cause, in the words of the evidence.
    pub cause: String,
    pub id: Bson,
}

/// How a finding is mended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mend {
    pub sentence: String,
    /// Lines for mongosh. The audit never sends them.
    pub command: Option<String>,
}

/// Something wrong, risky or worth to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub id: FindingId,
    pub severity: Severity,
    pub place: Place,
    pub sentence: String,
    /// Further sentences with the numbers that it rests on.
    pub evidence: Vec<String>,
    /// The documents that it is about.
    pub documents: Option<DocCount>,
    /// How many documents it was seen in, if it rests on a sample.
    pub sample: Option<u64>,
    pub examples: Vec<Example>,
    pub mend: Mend,
}

impl Finding {
    pub(super) fn new(id: FindingId, sentence: impl Into<String>) -> Self {
        Self {
            id,
            severity: id.severity(),
            place: Place::default(),
            sentence: sentence.into(),
            evidence: Vec::new(),
            documents: None,
            sample: None,
            examples: Vec::new(),
            mend: Mend::default(),
        }
    }

    pub(super) fn at(mut self, namespace: &Namespace, index: Option<&str>) -> Self {
        self.place = Place { namespace: Some(namespace.clone()), index: index.map(str::to_owned) };
        self
    }

    pub(super) fn about(mut self, documents: DocCount) -> Self {
        self.documents = Some(documents);
        self
    }

    pub(super) fn evidence(mut self, sentence: impl Into<String>) -> Self {
        self.evidence.push(sentence.into());
        self
    }

    pub(super) fn sampled(mut self, documents: u64) -> Self {
        self.sample = Some(documents);
        self
    }

    pub(super) fn mend(mut self, sentence: impl Into<String>) -> Self {
        self.mend.sentence = sentence.into();
        self
    }

    pub(super) fn command(mut self, command: impl Into<String>) -> Self {
        self.mend.command = Some(command.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::guide;

    #[test]
    fn every_finding_leads_to_a_lesson_and_to_the_guide() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/lessons");
        let names = std::fs::read_dir(folder).expect("the lessons").map(|entry| {
            entry.expect("a file").file_name().to_string_lossy().trim_end_matches(".md").to_owned()
        });
        let slugs: BTreeSet<String> =
            names.filter_map(|name| Some(name.split_once('-')?.1.to_owned())).collect();
        for id in FindingId::ALL {
            assert!(guide::resolve(id.guide(), 0).is_some(), "{id:?}: {}", id.guide());
            let lesson = id.lesson();
            assert!(lesson.is_none_or(|name| slugs.contains(name)), "{id:?}: {lesson:?}");
            let is_about_ttl = !matches!(id, FindingId::Unreadable | FindingId::UnusedIndex);
            assert_eq!(lesson.is_some(), is_about_ttl, "{id:?}");
        }
    }

    #[test]
    fn the_worst_comes_first() {
        let order: Vec<Severity> = FindingId::ALL.iter().map(|id| id.severity()).collect();
        assert!(order.is_sorted(), "{order:?}");
    }
}
