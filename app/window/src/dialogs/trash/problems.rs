//! Problems of the archives of the listed collections.

use egui::{Label, Ui};

use crate::action::Actions;
use crate::action::trash::ask_discard;
use crate::state::archive::Status;
use crate::state::number;
use crate::state::trash::Trash;
use crate::theme::{colors, text};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

/// Archives whose problems are shown.
const ARCHIVES_SHOWN_MAX: usize = 3;

/// Draws the problems, and why the last thing that was asked for failed.
pub(super) fn ui(ui: &mut Ui, net: &Trash, actions: &mut Actions) {
    let ink = colors(ui);
    let mut sentence = |words: &str, ink| {
        ui.add(Label::new(text::rich(with_marks(words), text::body()).color(ink)).wrap());
    };
    if let Some(error) = &net.error {
        sentence(error, ink.error);
    }
    let troubled = net.listed_archives().map(of).filter(|problems| !problems.is_empty());
    for words in troubled.take(ARCHIVES_SHOWN_MAX).flatten() {
        sentence(&words, ink.error);
    }
    if net.unclaimed > 0 {
        let waits = number::counted(net.unclaimed, "document waits", "documents wait");
        let words = format!(
            "{waits} for an archive that the store no longer knows. Turn that archive on again, restore \
             them, or discard them."
        );
        sentence(&words, ink.error);
        let hint = "Delete these documents permanently";
        let button = Button::plain("Discard…").enabled(!net.is_waiting).tooltip(hint);
        if ui.add(button).clicked() {
            actions.push(ask_discard(net.scope.clone(), net.unclaimed));
        }
    }
}

/// A sentence for each problem.
fn of(status: &Status) -> Vec<String> {
    let ns = &status.ns;
    let failed = status.problem.as_ref().map(|problem| {
        if status.on {
            format!("The archive of {ns} failed, so removed documents stay in the trash. {problem}")
        } else {
            format!("The archive of {ns} can't be read. {problem}")
        }
    });
    let missing = (status.missing > 0).then(|| {
        let documents = number::counted(status.missing, "document", "documents");
        format!("The archive of {ns} lacks {documents}: files of it were deleted or cut.")
    });
    let unreadable = (status.unreadable > 0).then(|| {
        let bytes = number::bytes(status.unreadable);
        format!("The archive of {ns} has {bytes} in damaged or incomplete batches.")
    });
    let left = status.left.as_ref();
    let left = left.map(|left| format!("A file stays where {ns} is moved to. {left}"));
    [failed, missing, unreadable, left].into_iter().flatten().collect()
}
