//! How work on a whole store ended, in words.

use std::path::Path;

use mayfly_engine::collection::VerifyReport;
use mayfly_engine::engine::maintenance::{CheckReport, CompactReport, RestoreReport};

use super::super::number;
use crate::job::Backup;

/// Findings that are listed; the others are counted.
const FINDINGS_SHOWN: usize = 50;

/// Whether that was good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
}

/// How something ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// A few words, in the past.
    pub title: String,
    pub sentence: String,
    pub tone: Tone,
    /// Figures: what, and how much.
    pub figures: Vec<(String, String)>,
    pub findings: Vec<String>,
    /// One sentence more, of something to keep in mind.
    pub note: Option<String>,
    /// A path that may be wanted later: the words of the button that copies it, and the path.
    pub path: Option<(String, String)>,
}

impl Ended {
    fn good(title: &str, sentence: String) -> Self {
        Self {
            title: title.to_owned(),
            sentence,
            tone: Tone::Good,
            figures: Vec::new(),
            findings: Vec::new(),
            note: None,
            path: None,
        }
    }

    fn figure(mut self, what: &str, how_much: String) -> Self {
        self.figures.push((what.to_owned(), how_much));
        self
    }

    /// A backup was written.
    pub fn backup(backup: Backup) -> Self {
        let file = &backup.report.file;
        let path = file.display().to_string();
        let kept = number::counted(backup.report.kept.len() as u64, "backup is", "backups are");
        let sentence = format!("Backup written and verified. {kept} kept with this name.");
        let mut ended = Self::good("Backed up", sentence)
            .figure("File", name_of(file))
            .figure("Size", number::bytes(backup.report.bytes));
        if let Some(damage) = backup.damage {
            (ended.title, ended.sentence, ended.tone) =
                ("Backed up with damage".to_owned(), damage, Tone::Bad);
        }
        let path = Some(("Copy backup path".to_owned(), path));
        Self { path, note: backup.left_out, ..ended }
    }

    /// A backup was restored.
    pub fn restored(report: &RestoreReport, is_simulated: bool) -> Self {
        let documents = number::counted(report.verified.documents, "document", "documents");
        // The user controls simulated time, so the reaper doesn't wait there.
        let expired = if is_simulated {
            "The clock is simulated, so the next pass removes documents that expired since the \
             backup."
        } else {
            "Documents that expired since the backup are kept until you release removals."
        };
        let sentence = format!("Restored and verified {documents}. {expired}");
        let mut ended = Self::good("Restored", sentence);
        ended.read(&report.verified);
        if let Some(before) = &report.before {
            ended = ended.figure("Previous store", name_of(before));
            let path = before.display().to_string();
            ended.path = Some(("Copy previous store path".to_owned(), path));
        }
        ended
    }

    /// The data file was rewritten.
    pub fn compacted(report: &CompactReport) -> Self {
        let (before, after) = (report.bytes_before, report.bytes_after);
        let given = before.saturating_sub(after);
        let sentence = match given {
            0 => "Nothing to reclaim.".to_owned(),
            given => format!("Reclaimed {}.", number::bytes(given)),
        };
        Self::good("Compacted", sentence)
            .figure("Data file before", number::bytes(before))
            .figure("Data file now", number::bytes(after))
    }

    /// Everything was read.
    pub fn verified(report: &CheckReport) -> Self {
        let mut ended = Self::good("Verified", "No problems found.".to_owned());
        let findings = report.findings();
        let things = number::counted(findings, "problem", "problems");
        if !report.structure.is_empty() {
            ended.findings.extend(report.structure.iter().take(FINDINGS_SHOWN).cloned());
            ended.tone = Tone::Bad;
            ended.sentence = format!(
                "The data file structure is damaged ({things}), so documents weren't checked. \
                 Restore a backup."
            );
            return ended;
        }
        ended.read(&report.contents);
        if findings > 0 {
            ended.sentence = format!(
                "Found {things} in this store. Restore a backup, or export what can still be read."
            );
        }
        ended
    }

    /// Adds what the reading of documents has found.
    fn read(&mut self, report: &VerifyReport) {
        for (what, how_many) in [
            ("Collections", report.collections),
            ("Documents", report.documents),
            ("Index entries", report.entries),
        ] {
            self.figures.push((what.to_owned(), number::count(how_many)));
        }
        let room = FINDINGS_SHOWN.saturating_sub(self.findings.len());
        for finding in report.findings.iter().take(room) {
            let index = finding.index.as_ref().map(|index| format!(", index {index}"));
            let place = format!("{}{}", finding.namespace, index.unwrap_or_default());
            self.findings.push(format!("{place}: {}", finding.sentence));
        }
        if !self.findings.is_empty() {
            self.tone = Tone::Bad;
        }
    }
}

/// The last part of a path; the button copies the whole path.
fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_compaction_tells_both_sizes() {
        let check = |before, after, sentence: &str| {
            let report = CompactReport { bytes_before: before, bytes_after: after };
            assert_eq!(Ended::compacted(&report).sentence, sentence);
        };
        check(12_000_000, 3_000_000, "Reclaimed 9.0 MB.");
        check(4_096, 4_096, "Nothing to reclaim.");
        check(4_096, 8_192, "Nothing to reclaim.");
    }

    #[test]
    fn findings_turn_the_tone() {
        let good = Ended::verified(&CheckReport::default());
        assert_eq!((good.tone, good.findings.len()), (Tone::Good, 0));
        let structure: Vec<String> = (0..60).map(|at| format!("page {at} is wrong")).collect();
        let bad = Ended::verified(&CheckReport { structure, ..CheckReport::default() });
        assert_eq!((bad.tone, bad.findings.len()), (Tone::Bad, FINDINGS_SHOWN));
        assert!(bad.sentence.contains("60 problems"), "{}", bad.sentence);
    }

    #[test]
    fn a_restore_names_what_was_there_before() {
        let before = Some(PathBuf::from("/data/store.before-restore-1"));
        let verified = VerifyReport { documents: 1, ..VerifyReport::default() };
        let report = RestoreReport { folder: PathBuf::new(), before, verified };
        let ended = Ended::restored(&report, false);
        assert!(ended.sentence.ends_with("kept until you release removals."));
        assert!(
            Ended::restored(&report, true)
                .sentence
                .ends_with("removes documents that expired since the backup.")
        );
        assert!(
            ended.sentence.starts_with("Restored and verified 1 document."),
            "{}",
            ended.sentence
        );
        assert!(ended.path.is_some_and(|(_, path)| path.ends_with("before-restore-1")));
    }
}
