//! What of a lesson stays: its store as a sandbox, its text as a handout.

use std::path::PathBuf;

use super::work;
use crate::action::SandboxAction;
use crate::apply::{Apply, sandbox};
use crate::job::purpose::LessonPurpose;
use crate::worker::LessonWork;

/// Copies the collection that is shown, as it is now, into a sandbox.
pub(super) fn sandbox(cx: &mut Apply<'_>) {
    if let Some(tab) = cx.state.tabs.active() {
        let copy = SandboxAction::Copy(tab.namespace.clone());
        sandbox::apply(&copy, cx);
    }
}

/// Writes the text of the lesson with its answers folded.
pub(super) fn handout(file: PathBuf, cx: &mut Apply<'_>) {
    if let Some(playing) = &cx.state.lessons.playing {
        let source = playing.source.clone();
        work(LessonPurpose::Handout, LessonWork::Handout { source, file }, cx);
    }
}
