//! Lessons.

use super::entry::{Entry, Group};
use super::keys::key;
use super::root::LessonAction;
use super::{Action, DialogAction};
use crate::job::lesson::{LessonRequest, LessonSource};
use crate::state::dialogs::{Handout, OpenLesson};
use crate::state::lesson::{Sheet, steps};
use crate::state::{Dialog, State};

/// Shows the Lessons page.
pub const PAGE: Entry = Entry {
    group: Group::Help,
    label: "Lessons",
    tooltip: "Learn how documents expire, on a clock that you control",
    keys: None,
    action: |state| {
        let shown = state.lessons.is_page_shown && !state.lessons.is_playing();
        (!shown).then_some(Action::Lesson(LessonAction::ShowPage(true)))
    },
};

/// Draws an exam, or shows the one that is not answered yet.
pub const EXAM: Entry = Entry {
    group: Group::Help,
    label: "Take the exam",
    tooltip: "Answer 20 questions about expiry, with other numbers each time",
    keys: None,
    action: |state| {
        let lessons = &state.lessons;
        let is_open = lessons.exam.as_ref().is_some_and(|exam| exam.open().is_some());
        let is_shown = lessons.is_page_shown && !lessons.is_playing();
        let is_result = lessons.exam.is_some() && !is_open;
        if is_shown && lessons.sheet == Sheet::Exam && !is_result {
            return None;
        }
        let action = if is_open { LessonAction::ShowExam } else { LessonAction::TakeExam };
        Some(Action::Lesson(action))
    },
};

/// Adds a file or a course.
pub const OPEN_FILE: Entry = Entry {
    group: Group::Help,
    label: "Open a lesson or a course…",
    tooltip: "Add a lesson file, or a folder with a course.toml, to the Lessons page",
    keys: None,
    action: |_| {
        let dialog = Dialog::OpenLesson(OpenLesson::default());
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// The lesson that explains something, by its slug. No lesson leads away from another one.
pub fn learn(slug: &str, state: &State) -> Option<Action> {
    let source = LessonSource::Shipped(slug.to_owned());
    (!state.lessons.is_playing()).then_some(Action::Lesson(LessonAction::Open(source)))
}

/// Ends the lesson.
pub const CLOSE: Entry = Entry {
    group: Group::Help,
    label: "Close the lesson",
    tooltip: "End the lesson. It continues at this card when you open it again",
    keys: None,
    action: |state| playing(state, LessonAction::Close),
};

/// Copies the lesson's store as it is now.
pub const SANDBOX: Entry = Entry {
    group: Group::Help,
    label: "Sandbox from here",
    tooltip: "Copy the store of the lesson as it is now into a sandbox, without the goal",
    keys: None,
    action: |state| {
        state.tabs.active()?;
        playing(state, LessonAction::Sandbox)
    },
};

/// Writes a sandbox as a lesson.
pub const SAVE: Entry = Entry {
    group: Group::Help,
    label: "Save as lesson…",
    tooltip: "Write the documents and the time of this sandbox as a lesson file",
    keys: None,
    action: |state| {
        let draft = state.lesson_to_save()?;
        Some(Action::Dialog(DialogAction::Show(Dialog::SaveLesson(draft))))
    },
};

/// Writes the text of the lesson.
pub const HANDOUT: Entry = Entry {
    group: Group::Help,
    label: "Export handout…",
    tooltip: "Write the lesson as Markdown, with its answers folded",
    keys: None,
    action: |state| {
        let name = format!("{}.md", state.lessons.view()?.lesson.slug);
        let dialog = Dialog::Handout(Handout { path: String::new(), name });
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Replays the open card.
pub const RESTART: Entry = Entry {
    group: Group::Help,
    label: "Restart card",
    tooltip: "Replay the lesson up to the beginning of this card",
    keys: None,
    action: |state| playing(state, LessonAction::Request(LessonRequest::RestartCard)),
};

/// Replays to the event before.
pub const STEP_BACK: Entry = Entry {
    group: Group::Help,
    label: "Step back to the last event",
    tooltip: "Replay the lesson up to the event before this instant",
    keys: Some(key("←")),
    action: |state| playing(state, LessonAction::Request(LessonRequest::StepBack)),
};

/// Opens the next card.
pub const NEXT: Entry = Entry {
    group: Group::Help,
    label: "Next card",
    tooltip: "Open the next card of the lesson, or the next lesson",
    keys: Some(key("PageDown")),
    action: |state| {
        let may_leave = state.lessons.view()?.can_leave_card();
        may_leave.then(|| playing(state, LessonAction::Next))?
    },
};

/// Opens the card before.
pub const BACK: Entry = Entry {
    group: Group::Help,
    label: "Previous card",
    tooltip: "Open the card before this one",
    keys: Some(key("PageUp")),
    action: |state| {
        steps::last_card(state.lessons.view()?)?;
        playing(state, LessonAction::Back)
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] =
    &[PAGE, EXAM, OPEN_FILE, CLOSE, SANDBOX, SAVE, HANDOUT, RESTART, STEP_BACK, NEXT, BACK];

fn playing(state: &State, action: LessonAction) -> Option<Action> {
    state.lessons.is_playing().then_some(Action::Lesson(action))
}
