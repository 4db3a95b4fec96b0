//! Help: what the words mean, and what this program is.

use super::entry::{Entry, Group};
use super::keys::key;
use super::{Action, DialogAction, ViewAction};
use crate::guide::Topic;
use crate::state::Dialog;
use crate::state::dialogs::HelpPage;

/// Opens the guide at what is on the screen, or closes it.
pub const GUIDE: Entry = Entry {
    keys: Some(key("F1")),
    ..page("Guide", "How to use Mayfly: first steps, TTL, every view, files, servers", |state| {
        let at = state.view.guide.is_none().then(|| state.guide_topic().place());
        Some(Action::View(ViewAction::ShowGuide(at)))
    })
};

/// Explains expiration in half a minute.
pub const WHAT_IS_TTL: Entry =
    page("What is TTL?", "Expiration in half a minute", |_| Some(show(HelpPage::Ttl)));

/// Shows the callouts of the Expiry view.
pub const INTRODUCTION: Entry =
    page("Show the introduction", "Four callouts over the Expiry view", |state| {
        state.tabs.active().map(|_| Action::View(ViewAction::ShowCallouts))
    });

/// Lists the glossary.
pub const GLOSSARY: Entry = page("Glossary", "The words of expiration, one sentence each", |_| {
    Some(show(HelpPage::Glossary))
});

/// Says what to send with a report.
pub const REPORT: Entry =
    page("Report a problem", "Copy the facts that a report of a problem needs", |_| {
        Some(show(HelpPage::Report))
    });

/// Says what this program is.
pub const ABOUT: Entry =
    page("About Mayfly", "Version and licenses", |_| Some(show(HelpPage::About)));

/// The region's entries.
pub const ENTRIES: &[Entry] = &[GUIDE, WHAT_IS_TTL, INTRODUCTION, GLOSSARY, REPORT, ABOUT];

const fn page(
    label: &'static str,
    tooltip: &'static str,
    action: fn(&crate::state::State) -> Option<Action>,
) -> Entry {
    Entry { group: Group::Help, label, tooltip, keys: None, action }
}

/// Opens a page of the help.
pub fn show(page: HelpPage) -> Action {
    Action::Dialog(DialogAction::Show(Dialog::Help(page)))
}

/// Opens the guide at a topic.
pub fn learn(topic: Topic) -> Action {
    Action::View(ViewAction::ShowGuide(Some(topic.place())))
}
