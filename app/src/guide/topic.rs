//! The topics of the window in the guide.

use super::chapter::Place;
use super::chapters;

/// Something in the window that a section of the guide explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// From the installation to a first TTL.
    FirstSteps,
    Documents,
    Schema,
    Aggregate,
    Expiry,
    Indexes,
    /// An index with a TTL.
    SetTtl,
    Passes,
    Import,
    Dates,
    Export,
    Folders,
    Sandbox,
    Lessons,
    Connect,
    Rollout,
    /// Drivers and shells that use the store.
    Listener,
    /// Removed documents that are kept for a while.
    Trash,
    /// Expired documents that are kept in files.
    Archive,
    Backup,
    OwnData,
    Ttl,
    ChangeTtl,
    /// Why a document never expires.
    NeverExpires,
    Rules,
    Window,
    Paste,
    LeaveSandbox,
    ServerLimits,
    CopyBetween,
    /// The confirmation before a command is sent.
    BeforeSending,
    Checks,
    DataFolder,
    Keys,
}

impl Topic {
    pub const ALL: [Self; 34] = [
        Self::FirstSteps,
        Self::Documents,
        Self::Schema,
        Self::Aggregate,
        Self::Expiry,
        Self::Indexes,
        Self::SetTtl,
        Self::Passes,
        Self::Import,
        Self::Dates,
        Self::Export,
        Self::Folders,
        Self::Sandbox,
        Self::Lessons,
        Self::Connect,
        Self::Rollout,
        Self::Listener,
        Self::Trash,
        Self::Archive,
        Self::Backup,
        Self::OwnData,
        Self::Ttl,
        Self::ChangeTtl,
        Self::NeverExpires,
        Self::Rules,
        Self::Window,
        Self::Paste,
        Self::LeaveSandbox,
        Self::ServerLimits,
        Self::CopyBetween,
        Self::BeforeSending,
        Self::Checks,
        Self::DataFolder,
        Self::Keys,
    ];

    /// The link to its section.
    #[must_use]
    pub fn link(self) -> &'static str {
        match self {
            Self::FirstSteps => "01-first-steps.md",
            Self::Documents => "03-views.md#documents",
            Self::Schema => "03-views.md#schema",
            Self::Aggregate => "03-views.md#aggregate",
            Self::Expiry => "03-views.md#expiry",
            Self::Indexes => "03-views.md#indexes",
            Self::SetTtl => "01-first-steps.md#set-a-ttl",
            Self::Passes => "02-ttl.md#passes-and-lag",
            Self::Import => "04-import-export.md#import-files",
            Self::Dates => "04-import-export.md#text-into-dates",
            Self::Export => "04-import-export.md#export",
            Self::Folders => "04-import-export.md#whole-databases-and-mongodump",
            Self::Sandbox => "05-time.md#open-a-sandbox",
            Self::Lessons => "06-lessons.md",
            Self::Connect => "07-servers.md#connect",
            Self::Rollout => "07-servers.md#roll-out-a-ttl",
            Self::Listener => "07-servers.md#let-other-programs-connect",
            Self::Trash => "08-safety.md#trash",
            Self::Archive => "08-safety.md#archive",
            Self::Backup => "08-safety.md#backup",
            Self::OwnData => "01-first-steps.md#open-your-own-json",
            Self::Ttl => "02-ttl.md",
            Self::ChangeTtl => "02-ttl.md#change-a-ttl",
            Self::NeverExpires => "02-ttl.md#why-a-document-never-expires",
            Self::Rules => "02-ttl.md#choose-the-rules-of-a-database",
            Self::Window => "03-views.md#around-the-views",
            Self::Paste => "04-import-export.md#paste-and-copy",
            Self::LeaveSandbox => "05-time.md#leave-a-sandbox",
            Self::ServerLimits => "07-servers.md#what-cannot-be-known",
            Self::CopyBetween => "07-servers.md#copy-and-import",
            Self::BeforeSending => "08-safety.md#before-you-send-it",
            Self::Checks => "08-safety.md#checks",
            Self::DataFolder => "10-questions.md#where-is-my-data",
            Self::Keys => "10-questions.md#which-keys-are-there",
        }
    }

    /// Its section.
    #[must_use]
    pub fn place(self) -> Place {
        resolve(self.link(), 0).unwrap_or_default()
    }
}

/// The target of a link in a chapter: `08-safety.md#trash`, or `#trash` in the same chapter. `None`
/// if it leads out of the guide.
pub fn resolve(link: &str, from: usize) -> Option<Place> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let chapter = match file {
        "" => from,
        file => chapters().iter().position(|chapter| chapter.file == file)?,
    };
    let sections = &chapters().get(chapter)?.sections;
    let section = match anchor {
        "" => 0,
        anchor => sections.iter().position(|section| section.anchor == anchor)?,
    };
    Some(Place { chapter, section })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_a_section() {
        for topic in Topic::ALL {
            assert!(resolve(topic.link(), 0).is_some(), "{topic:?}: no {}", topic.link());
        }
    }
}
