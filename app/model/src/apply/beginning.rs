//! The task of the command line: files, a backup, lessons.

use std::path::Path;

use super::{Apply, apply, maintenance};
use crate::action::store_actions::Page;
use crate::action::{Action, LessonAction, MaintenanceAction, TransferAction};
use crate::job::Beginning;
use crate::state::dialogs::Dialog;
use crate::state::maintenance::Dialog as MaintenanceDialog;
use crate::state::toasts::Kind;
use crate::state::{Phase, State};

/// Begins, once the store is open and its databases are known. Until a store can be opened, it waits.
pub fn follow(cx: &mut Apply<'_>) {
    if !is_ready(cx.state) {
        return;
    }
    match cx.state.beginning.take() {
        None => {}
        Some(Beginning::Files(files)) => {
            apply(Action::Transfer(TransferAction::Open(files)), cx);
        }
        Some(Beginning::Backup(file)) => restore(&file, cx),
        Some(Beginning::Lessons(paths)) => {
            apply(Action::Lesson(LessonAction::AddDropped(paths)), cx);
        }
        Some(Beginning::Refused(sentence)) => {
            cx.toast(Kind::Error, sentence);
        }
    }
}

fn is_ready(state: &State) -> bool {
    match &state.beginning {
        None => false,
        Some(Beginning::Refused(_)) => state.store.phase != Phase::Opening,
        Some(_) => state.is_open() && (state.tree.loaded || state.tree.error.is_some()),
    }
}

/// Opens the dialog of a restore with the path of the backup in it.
fn restore(file: &Path, cx: &mut Apply<'_>) {
    maintenance::apply(MaintenanceAction::Show(Page::Restore), cx);
    if let Some(Dialog::Maintenance(MaintenanceDialog::Restore(draft))) =
        cx.state.dialogs.open_mut()
    {
        draft.path = file.to_string_lossy().into_owned();
        maintenance::apply(MaintenanceAction::PathChanged, cx);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::apply::Effects;
    use crate::apply::stores::in_sandbox;
    use crate::job::{OpenError, OpenRequest, Sandbox};
    use crate::worker::Order;

    fn waiting(beginning: Beginning) -> State {
        let mut state = State::default();
        state.store.phase = Phase::Opening;
        state.beginning = Some(beginning);
        state
    }

    fn in_use() -> OpenError {
        OpenError { is_in_use: true, ..OpenError::new("The store is in use.".to_owned()) }
    }

    #[test]
    fn a_sandbox_opens_files_where_the_store_cannot() {
        let files = Beginning::Files(vec![PathBuf::from("/data/people.json")]);
        let broken = OpenError::new("The disk is gone.".to_owned());
        for (failure, why) in
            [(in_use(), "Your store is in use by another program"), (broken, "The disk is gone")]
        {
            let (mut state, mut effects) = (waiting(files.clone()), Effects::default());
            assert!(in_sandbox(&failure, &mut Apply::new(&mut state, &mut effects)));
            let opens = effects.jobs.iter().any(|job| match job.order() {
                Some(Order::Open(request)) => request.sandbox == Some(Sandbox::Empty),
                _ => false,
            });
            assert!(opens);
            let expected = format!("{why}, so people.json opens in a sandbox, a temporary store");
            assert_eq!(state.toasts.list()[0].text, expected);
            assert_eq!(state.store.left, Some(OpenRequest::default()), "the way back");
            let again = in_sandbox(&failure, &mut Apply::new(&mut state, &mut effects));
            assert!(!again, "there is no other place");
        }
    }

    #[test]
    fn a_store_in_use_stays_an_error_where_nothing_is_to_be_written() {
        for beginning in [Beginning::Lessons(Vec::new()), Beginning::Refused(String::new())] {
            let (mut state, mut effects) = (waiting(beginning), Effects::default());
            assert!(!in_sandbox(&in_use(), &mut Apply::new(&mut state, &mut effects)));
            assert!(effects.jobs.is_empty());
        }
    }

    #[test]
    fn files_wait_for_the_databases_and_a_refusal_only_for_an_end() {
        let (mut state, mut effects) = (waiting(Beginning::Files(Vec::new())), Effects::default());
        let mut is_begun = |state: &mut State| {
            follow(&mut Apply::new(state, &mut effects));
            state.beginning.is_none()
        };
        state.store.phase = Phase::Open;
        assert!(!is_begun(&mut state));
        state.tree.loaded = true;
        assert!(is_begun(&mut state));
        let mut state = waiting(Beginning::Refused("notes.txt doesn't exist".to_owned()));
        assert!(!is_begun(&mut state));
        state.store.phase = Phase::Failed(in_use());
        assert!(is_begun(&mut state));
        assert_eq!(state.toasts.list()[0].text, "notes.txt doesn't exist");
    }
}
