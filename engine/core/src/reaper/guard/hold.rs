//! Which removals are on hold and why: codes for programs, sentences for the user.

use std::time::Duration;

use crate::{
    store::{CollectionId, IndexId},
    value::{counted, duration},
};

/// Both clocks at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Milliseconds since 1970.
    pub wall_ms: i64,
    /// Time since boot.
    pub since_boot: Duration,
    /// The boot that `since_boot` counts from; readings of different boots can't be compared.
    pub boot_id: Option<String>,
}

/// Why all removals are on hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// Wall time advanced by this many milliseconds more than time since boot.
    SteppedForward {
        /// Milliseconds.
        by_ms: i64,
    },
    /// Wall time is this many milliseconds earlier than the last pass.
    BehindLastPass {
        /// Milliseconds.
        by_ms: i64,
    },
    /// Wall time is this many milliseconds before this program was built.
    BeforeProgram {
        /// Milliseconds.
        by_ms: i64,
    },
    /// Wall time is this many milliseconds past the latest plausible time.
    FarAhead {
        /// Milliseconds.
        by_ms: i64,
    },
    /// The last pass was this many milliseconds ago, and something is due. The clock may be right,
    /// so the user decides.
    LongAbsence {
        /// Milliseconds.
        by_ms: i64,
    },
    /// No pass has run since the store was created this many milliseconds ago, and something is
    /// due. The user decides.
    NoPassYet {
        /// Milliseconds.
        by_ms: i64,
    },
    /// The documents come from a backup, and something is due. The user decides.
    Restored,
    /// The store last ran on a simulated clock, which may have dated documents arbitrarily, and
    /// something is due by the system clock. The user decides.
    Simulated,
    /// The stored holds or the list of archives are damaged, so earlier holds and archives are
    /// unknown.
    StateLost,
}

/// A hold on all removals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// Why.
    pub reason: HoldReason,
    /// Wall time when the hold began, in milliseconds since 1970.
    pub wall_ms: i64,
    /// Wall time expected at that moment; for the reasons that the user decides, the instant in
    /// question.
    pub expected_ms: i64,
    /// Kept until released, even if the clock returns.
    pub kept: bool,
}

/// Identifies a TTL rule: collection, index, and whether it is the collection's own rule.
pub type RuleId = (CollectionId, IndexId, bool);

/// Why the removals of one rule are on hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexHoldReason {
    /// A small clock step made at least this many documents due.
    LargeRemoval {
        /// Documents.
        documents: u64,
    },
    /// Restored documents would be removed again.
    RestoredDocuments,
}

/// The removals of one rule are on hold; other rules are unaffected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexHold {
    /// Which rule.
    pub rule: RuleId,
    /// Why.
    pub reason: IndexHoldReason,
    /// Wall time when the hold began, in milliseconds since 1970.
    pub wall_ms: i64,
    /// Milliseconds by which the clock may still be ahead.
    pub ahead_ms: i64,
    /// Kept until released.
    pub kept: bool,
}

impl HoldReason {
    /// A stable code for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::SteppedForward { .. } => "clockSteppedForward",
            Self::BehindLastPass { .. } => "clockBehindLastPass",
            Self::BeforeProgram { .. } => "clockBeforeProgram",
            Self::FarAhead { .. } => "clockFarAhead",
            Self::LongAbsence { .. } => "longAbsence",
            Self::NoPassYet { .. } => "noPassYet",
            Self::Restored => "restored",
            Self::Simulated => "simulatedClock",
            Self::StateLost => "stateLost",
        }
    }

    /// The reason with this code.
    pub fn from_code(code: &str, by_ms: i64) -> Option<Self> {
        let all = [
            Self::SteppedForward { by_ms },
            Self::BehindLastPass { by_ms },
            Self::BeforeProgram { by_ms },
            Self::FarAhead { by_ms },
            Self::LongAbsence { by_ms },
            Self::NoPassYet { by_ms },
            Self::Restored,
            Self::Simulated,
            Self::StateLost,
        ];
        all.into_iter().find(|reason| reason.code() == code)
    }

    /// Milliseconds of the clock error or of the absence; 0 for reasons without a number.
    #[must_use]
    pub fn by_ms(self) -> i64 {
        match self {
            Self::SteppedForward { by_ms }
            | Self::BehindLastPass { by_ms }
            | Self::BeforeProgram { by_ms }
            | Self::FarAhead { by_ms }
            | Self::LongAbsence { by_ms }
            | Self::NoPassYet { by_ms } => by_ms,
            Self::Restored | Self::Simulated | Self::StateLost => 0,
        }
    }

    /// States the problem, then what to do.
    #[must_use]
    pub fn sentence(self) -> String {
        const CHECK: &str = "Removals are on hold. Check the clock, then release them.";
        let by = duration(self.by_ms());
        match self {
            Self::SteppedForward { .. } => {
                format!("The system clock jumped ahead by {by}. {CHECK}")
            }
            Self::BehindLastPass { .. } => {
                format!("The system clock is {by} earlier than the last pass. {CHECK}")
            }
            Self::BeforeProgram { .. } => format!(
                "The system clock is set {by} before this version of Mayfly was built. {CHECK}"
            ),
            Self::FarAhead { .. } => {
                format!(
                    "The system clock is more than 20 years past this version's build date. {CHECK}"
                )
            }
            Self::LongAbsence { .. } => format!(
                "The last pass ran {by} ago, and documents have expired since. Removals are on \
 hold until you release them."
            ),
            Self::NoPassYet { .. } => format!(
                "No pass has run since the store was created {by} ago, and documents have \
 expired. Removals are on hold until you release them."
            ),
            Self::Simulated => {
                "This store last used a simulated clock. By the system clock, documents have \
 expired. Removals are on hold until you release them."
                    .to_owned()
            }
            Self::Restored => {
                "This store was restored from a backup, and some documents have expired. \
 Removals are on hold until you release them."
                    .to_owned()
            }
            Self::StateLost => {
                "The store's removal settings (holds and archives) were damaged. Removals are \
 on hold until you release them; first check that each archive is on."
                    .to_owned()
            }
        }
    }
}

impl IndexHoldReason {
    /// A stable code for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::LargeRemoval { .. } => "largeRemoval",
            Self::RestoredDocuments => "restoredDocuments",
        }
    }

    /// States the problem, then what to do.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::LargeRemoval { documents } => format!(
                "The system clock was set ahead, which expired {} in this index. Its removals are \
 on hold. Check the clock, then release them.",
                counted(documents, "document", "documents")
            ),
            Self::RestoredDocuments => {
                "Documents were restored, so removals by this index are on hold \
 until you release them."
                    .to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        let reasons = ["clockSteppedForward", "clockBehindLastPass", "clockBeforeProgram"];
        for code in reasons
            .into_iter()
            .chain(["clockFarAhead", "longAbsence", "restored", "stateLost"])
            .chain(["noPassYet", "simulatedClock"])
        {
            let reason = HoldReason::from_code(code, 60_000).expect(code);
            assert_eq!(reason.code(), code);
            assert!(reason.sentence().contains("on hold"), "{}", reason.sentence());
        }
        assert_eq!(HoldReason::from_code("else", 1), None);
    }
}
