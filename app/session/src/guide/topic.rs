//! The topics of the window in the guide.

use mayfly_engine::value::named;

use super::chapter::Place;
use super::chapters;

named! {
    /// Something in the window that a section of the guide explains.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Topic {
        /// From the installation to a first TTL.
        FirstSteps => "01-first-steps.md",
        Documents => "03-views.md#documents",
        Schema => "03-views.md#schema",
        Aggregate => "03-views.md#aggregate",
        Expiry => "03-views.md#expiry",
        Indexes => "03-views.md#indexes",
        /// An index with a TTL.
        SetTtl => "01-first-steps.md#set-a-ttl",
        Passes => "02-ttl.md#passes-and-lag",
        Import => "04-import-export.md#import-files",
        Dates => "04-import-export.md#text-into-dates",
        Export => "04-import-export.md#export",
        Folders => "04-import-export.md#whole-databases-and-mongodump",
        Sandbox => "05-time.md#open-a-sandbox",
        Lessons => "06-lessons.md",
        Connect => "07-servers.md#connect",
        Rollout => "07-servers.md#roll-out-a-ttl",
        Audit => "11-audit.md",
        /// Drivers and shells that use the store.
        Listener => "07-servers.md#let-other-programs-connect",
        /// Removed documents that are kept for a while.
        Trash => "08-safety.md#trash",
        /// Expired documents that are kept in files.
        Archive => "08-safety.md#archive",
        Backup => "08-safety.md#backup",
        OwnData => "01-first-steps.md#open-your-own-json",
        Ttl => "02-ttl.md",
        ChangeTtl => "02-ttl.md#change-a-ttl",
        /// Why a document never expires.
        NeverExpires => "02-ttl.md#why-a-document-never-expires",
        Rules => "02-ttl.md#choose-the-rules-of-a-database",
        Window => "03-views.md#around-the-views",
        Paste => "04-import-export.md#paste-and-copy",
        LeaveSandbox => "05-time.md#leave-a-sandbox",
        ServerLimits => "07-servers.md#what-cannot-be-known",
        CopyBetween => "07-servers.md#copy-and-import",
        /// The confirmation before a command is sent.
        BeforeSending => "08-safety.md#before-you-send-it",
        Checks => "08-safety.md#checks",
        DataFolder => "10-questions.md#where-is-my-data",
        Keys => "10-questions.md#which-keys-are-there",
    }
    /// The link to its section.
    pub fn link;
}

impl Topic {
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
