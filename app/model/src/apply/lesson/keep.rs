//! Keeps parts of a lesson: its store as a sandbox, its text as a handout. A sandbox becomes a
//! lesson.

use std::path::PathBuf;

use super::files::WriteHandout;
use super::files::read_list;
use crate::action::SandboxAction;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, sandbox};
use crate::job::lesson::{LessonToSave, NotSaved};
use crate::state::Dialog;
use crate::state::dialogs::Sent;
use crate::state::lesson::save::SaveLesson;
use crate::state::offer::Offer;
use crate::state::toasts::Kind;
use crate::worker::{Desk, Lane, lesson_files};

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
        cx.run(WriteHandout { source, file });
    }
}

/// Writes the sandbox as a lesson, as the open dialog says.
pub(super) fn save(cx: &mut Apply<'_>) {
    let Some(Dialog::SaveLesson(draft)) = cx.state.dialogs.open() else { return };
    let Ok(file) = draft.file() else { return };
    if draft.sent.is_waiting() || !cx.state.is_in_sandbox() || cx.state.lessons.is_playing() {
        return;
    }
    let lesson = LessonToSave {
        title: draft.title.clone(),
        db: draft.db.clone(),
        dialect: cx.state.tree.database(&draft.db).and_then(|db| db.dialect).unwrap_or_default(),
        commands: cx.state.commands.changes().map(|record| record.text.clone()).collect(),
        file,
        replaces: draft.exists,
    };
    let generation = cx.run(SaveSandbox(lesson));
    if let Some(Dialog::SaveLesson(draft)) = cx.state.dialogs.open_mut() {
        draft.sent = Sent { generation: Some(generation), error: None };
    }
}

/// The open sandbox, written as a lesson.
#[derive(Debug)]
struct SaveSandbox(LessonToSave);

impl PartialEq for SaveSandbox {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for SaveSandbox {
    /// Omissions of the lesson, in one sentence each.
    type Answer = Result<Vec<String>, NotSaved>;

    fn answered(&self, generation: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        saved(generation, self.0.file.clone(), result, cx);
    }
}

impl Run for SaveSandbox {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let source = desk.open_source().map_err(NotSaved::Failed);
        report.send(source.and_then(|source| lesson_files::save(&self.0, source.as_ref())));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(NotSaved::Failed(message))
    }
}

fn saved(
    generation: u64,
    file: PathBuf,
    result: Result<Vec<String>, NotSaved>,
    cx: &mut Apply<'_>,
) {
    let left_out = match result {
        Ok(left_out) => left_out,
        Err(NotSaved::Failed(sentence)) => return not_saved(generation, sentence, cx),
        Err(NotSaved::Exists) => {
            let sentence = format!("{} exists already. Replace it?", file.display());
            if let Some(draft) = draft(generation, cx) {
                draft.exists = true;
            }
            return not_saved(generation, sentence, cx);
        }
    };
    if draft(generation, cx).is_some() {
        cx.state.dialogs.close();
    }
    cx.state.lessons.opened.retain(|known| *known != file);
    cx.state.lessons.opened.push(file.clone());
    read_list(cx);
    let (kind, mut sentence) = match left_out.as_slice() {
        [] => (Kind::Done, format!("The lesson is in {}", file.display())),
        _ => (Kind::Warning, format!("The lesson is in {}.", file.display())),
    };
    for what in left_out {
        sentence = format!("{sentence} {what}");
    }
    let button = Some(("Open lesson".to_owned(), Offer::OpenLesson(file)));
    cx.state.toasts.push(kind, sentence, button, cx.state.uptime);
}

/// The lesson was not written: the dialog says why and keeps what was typed.
fn not_saved(generation: u64, sentence: String, cx: &mut Apply<'_>) {
    match draft(generation, cx) {
        Some(draft) => draft.sent = Sent { generation: None, error: Some(sentence) },
        None => cx.toast(Kind::Error, sentence),
    }
}

/// The open dialog, if it waits for this answer.
fn draft<'a>(generation: u64, cx: &'a mut Apply<'_>) -> Option<&'a mut SaveLesson> {
    match cx.state.dialogs.open_mut() {
        Some(Dialog::SaveLesson(draft)) if draft.sent.generation == Some(generation) => Some(draft),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Effects;
    use crate::job::{OpenRequest, Sandbox};
    use crate::state::{Phase, State};

    #[test]
    fn a_file_is_replaced_only_when_the_user_says_so() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        state.store.phase = Phase::Open;
        let sandbox = Some(Sandbox::Empty);
        state.store.request = OpenRequest { sandbox, ..OpenRequest::default() };
        let file = std::env::temp_dir().join("mine.md");
        let path = file.display().to_string();
        let draft = SaveLesson { db: "shop".to_owned(), path, ..SaveLesson::default() };
        state.dialogs.show(Dialog::SaveLesson(draft));
        let mut replaces = Vec::new();
        for answer in [Err(NotSaved::Exists), Ok(Vec::new())] {
            let mut cx = Apply::new(&mut state, &mut effects);
            save(&mut cx);
            let generation = cx.state.generation;
            let asked = cx.effects.jobs.pop().expect("a lesson is saved").key;
            let question: &SaveSandbox = asked.question().expect("a lesson is saved");
            replaces.push(question.0.replaces);
            question.answered(generation, answer, &mut cx);
        }
        assert_eq!(replaces, [false, true]);
        assert!(state.dialogs.open().is_none());
        assert_eq!(state.lessons.opened, std::slice::from_ref(&file));
        let button = state.toasts.list()[0].button.clone().expect("a button");
        assert_eq!(button.1, Offer::OpenLesson(file));
    }
}
