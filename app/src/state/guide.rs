//! The guide while it is open, and which section is about what is on the screen.

use super::tabs::ViewKind;
use super::{Dialog, State, indexes, transfer};
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
    /// What is searched for.
    pub search: String,
}

impl Guide {
    /// The guide, opened at a place.
    #[must_use]
    pub fn open_at(at: Place) -> Self {
        Self { at, is_moved: true, ..Self::default() }
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
    #[must_use]
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

impl State {
    /// Whether a dialog or the guide is over the window.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.dialogs.open().is_some() || self.view.guide.is_some()
    }

    /// What the guide explains of what is on the screen.
    #[must_use]
    pub fn guide_topic(&self) -> Topic {
        if let Some(topic) = self.dialogs.open().and_then(dialog_topic) {
            return topic;
        }
        if self.lessons.is_page_shown || self.lessons.is_playing() {
            return Topic::Lessons;
        }
        match self.tabs.active().filter(|_| !self.view.is_start_shown && self.is_open()) {
            None => Topic::FirstSteps,
            Some(tab) => match tab.view {
                ViewKind::Documents => Topic::Documents,
                ViewKind::Schema => Topic::Schema,
                ViewKind::Aggregate => Topic::Aggregate,
                ViewKind::Expiry => Topic::Expiry,
                ViewKind::Indexes => Topic::Indexes,
            },
        }
    }
}

/// What the guide explains of a dialog; `None`: no more than of the view under it.
fn dialog_topic(dialog: &Dialog) -> Option<Topic> {
    let topic = match dialog {
        Dialog::Settings(_) => Topic::Passes,
        Dialog::Connect(_) => Topic::Connect,
        Dialog::OpenLesson(_) | Dialog::Handout(_) | Dialog::SaveLesson(_) => Topic::Lessons,
        Dialog::OpenSandbox(_) | Dialog::LeaveSandbox(_) => Topic::Sandbox,
        Dialog::Listener(_) => Topic::Listener,
        Dialog::Archive(_) => Topic::Archive,
        Dialog::Trash(_) => Topic::Trash,
        Dialog::Convert(_) => Topic::Dates,
        Dialog::Maintenance(_) => Topic::Backup,
        Dialog::Indexes(_, indexes::Dialog::Rollout(_)) => Topic::Rollout,
        Dialog::Indexes(_, indexes::Dialog::Create(_) | indexes::Dialog::ChangeTtl(_)) => {
            Topic::SetTtl
        }
        Dialog::Transfer(transfer::Dialog::Export(_)) => Topic::Export,
        Dialog::Transfer(
            transfer::Dialog::ExportDatabase(_)
            | transfer::Dialog::Dump(_)
            | transfer::Dialog::DumpImported(_),
        ) => Topic::Folders,
        Dialog::Transfer(_) => Topic::Import,
        _ => return None,
    };
    Some(topic)
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
