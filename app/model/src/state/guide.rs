//! The guide while it is open, and which section is about what is on the screen.

use super::dialogs::HelpPage;
use super::{Dialog, documents, indexes, maintenance, transfer};
use crate::guide::{Place, Topic};
use crate::limits::GUIDE_BACK_MAX;

/// The guide while it is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guide {
    /// The section that was asked for last.
    pub at: Place,
    /// Whether that section is to come into sight.
    pub is_moved: bool,
    /// Where the user came from, the last place at the end.
    back: Vec<Place>,
    pub search: String,
    /// The slug of the lesson about what the dialog below it would do.
    pub lesson: Option<&'static str>,
}

impl Guide {
    pub fn open_at(at: Place) -> Self {
        Self { at, is_moved: true, ..Self::default() }
    }

    /// With a link to the lesson of a slug.
    #[must_use]
    pub fn with_lesson(self, slug: &'static str) -> Self {
        Self { lesson: Some(slug), ..self }
    }

    /// Goes to a place.
    pub fn go(&mut self, at: Place) {
        if at != self.at {
            if self.back.len() == GUIDE_BACK_MAX {
                self.back.remove(0);
            }
            self.back.push(self.at);
        }
        self.at = at;
        self.is_moved = true;
    }

    /// Whether there is a place to return to.
    pub fn can_go_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// Returns to the place before.
    pub fn go_back(&mut self) {
        if let Some(at) = self.back.pop() {
            self.at = at;
            self.is_moved = true;
        }
    }
}

impl Dialog {
    /// The topic of the guide. `None` for a question that explains itself, and for help.
    pub fn topic(&self) -> Option<Topic> {
        let topic = match self {
            Self::Confirm(_) | Self::Help(HelpPage::Report | HelpPage::About) => return None,
            Self::Help(HelpPage::Ttl | HelpPage::Glossary) => Topic::Ttl,
            Self::Settings(_) => Topic::Passes,
            Self::Shortcuts => Topic::Keys,
            Self::CreateDatabase(_) => Topic::Rules,
            Self::CreateCollection(_) => Topic::OwnData,
            Self::RenameCollection(_) | Self::DuplicateCollection(_) | Self::Statistics(_) => {
                Topic::Window
            }
            Self::Drop(_) => Topic::BeforeSending,
            Self::OpenFolder(_) => Topic::DataFolder,
            Self::Connect(_) => Topic::Connect,
            Self::Server(_) => Topic::ServerLimits,
            Self::OpenLesson(_) | Self::Handout(_) | Self::SaveLesson(_) => Topic::Lessons,
            Self::OpenSandbox(_) => Topic::Sandbox,
            Self::LeaveSandbox(_) => Topic::LeaveSandbox,
            Self::Listener(_) => Topic::Listener,
            Self::Trash(draft) if draft.archive.is_some() => Topic::Archive,
            Self::Trash(_) => Topic::Trash,
            Self::Audit(_) => Topic::Audit,
            Self::Calendar(_) => Topic::Expiry,
            Self::Documents(_, documents::Dialog::Damaged(_))
            | Self::Maintenance(
                maintenance::Dialog::Compact { .. } | maintenance::Dialog::Verify { .. },
            ) => Topic::Checks,
            Self::Documents(..) => Topic::Documents,
            Self::Aggregate(..) => Topic::Aggregate,
            Self::Indexes(_, indexes::Dialog::Create(_)) => Topic::SetTtl,
            Self::Indexes(_, indexes::Dialog::ChangeTtl(_)) => Topic::ChangeTtl,
            Self::Indexes(_, indexes::Dialog::Drop(_)) => Topic::Indexes,
            Self::Indexes(_, indexes::Dialog::Rollout(_)) => Topic::Rollout,
            Self::Schema(..) => Topic::Schema,
            Self::Convert(_) => Topic::Dates,
            Self::Transfer(dialog) => transfer_topic(dialog),
            Self::Maintenance(_) => Topic::Backup,
        };
        Some(topic)
    }
}

fn transfer_topic(dialog: &transfer::Dialog) -> Topic {
    use transfer::Dialog::{
        Copied, Copy, Dump, DumpImported, Export, ExportDatabase, Import, Imported, Running,
        Unfinished,
    };
    match dialog {
        Export(_) => Topic::Export,
        ExportDatabase(_) | Dump(_) | DumpImported(_) => Topic::Folders,
        Copy(_) | Copied(_) => Topic::CopyBetween,
        Import(_) | Imported(_) | Running(_) | Unfinished { .. } => Topic::Import,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_leads_through_the_places_of_before() {
        let [first, second] = [Topic::Trash, Topic::Import].map(Topic::place);
        let mut guide = Guide::open_at(first);
        assert!(!guide.can_go_back());
        guide.go(second);
        guide.go(second);
        assert_eq!(guide.at, second);
        guide.go_back();
        assert_eq!(guide.at, first);
        assert!(!guide.can_go_back());
        for _ in 0..GUIDE_BACK_MAX {
            guide.go(second);
            guide.go(first);
        }
        assert_eq!(guide.back.len(), GUIDE_BACK_MAX);
    }
}
