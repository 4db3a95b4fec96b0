//! Plans a TTL that is put on a collection in steps.

use egui::{Context, Ui};

use super::staircase;
use super::tab_actions::TabActions;
use crate::action::IndexesAction;
use crate::dialogs::frame::DialogFrame;
use crate::state::number;
use crate::state::rollout::RolloutDraft;
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, key_value};

/// The name of the field for the replication lag.
const LAG: &str = "Wait while replication lag exceeds (s)";

/// The name of the field for the rate.
const RATE: &str = "Documents a second";

/// Above the script.
const SCRIPT: &str = "The same for mongosh";

/// The height of the fields, in points.
const FIELDS_HEIGHT: f32 = 310.0;

/// Draws the dialog.
pub(super) fn ui(context: &Context, draft: &mut RolloutDraft, actions: &mut TabActions<'_>) {
    let title = format!("Roll out a TTL on {}", with_marks(draft.plan.field()));
    let subtitle = "Instead of all at once, documents go a minute's worth at a time, the oldest \
                    first. You can pause it, and stop it at any step.";
    let (count, bounds) = number::documents_and_bounds(draft.overdue);
    let label = format!("Start, {count} documents go{bounds}");
    let ready = draft.ready();
    let is_ready = ready.is_ok() && !draft.overdue.is_zero();
    let frame = DialogFrame::new(title)
        .subtitle(subtitle)
        .width(sizes::DIALOG_WIDE)
        .height(FIELDS_HEIGHT)
        .command_named("Script", SCRIPT, ready.ok().map(|plan| draft.script(&plan)))
        .folded()
        .button(Button::amber(&label).enabled(is_ready), ());
    if frame.ui(context, |ui| content_ui(ui, draft)).end(actions.queue).is_some() {
        actions.push(IndexesAction::StartRollout);
    }
}

fn content_ui(ui: &mut Ui, draft: &mut RolloutDraft) {
    let ready = RolloutDraft { lag_max: None, ..draft.clone() }.ready();
    labelled(ui, RATE, ready.as_ref().err().map(String::as_str), |ui| {
        let width = Some(sizes::COLUMN_SHORT);
        let invalid = ready.is_err();
        let field = Field { name: RATE, mono: true, invalid, width, ..Field::default() };
        field.ui(ui, &mut draft.per_second);
    });
    lag_ui(ui, draft);
    let Ok(plan) = draft.ready() else { return };
    staircase::ui(ui, &plan, draft.overdue.likely());
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for (key, words) in draft.words(&plan) {
            key_value::ui(ui, key, &words);
        }
    });
    let words = "The next step waits until what is overdue is gone. If you stop, the TTL stays as \
                 the last step set it, and documents still expire at that age.";
    ui.label(text::rich(words, text::body()).color(colors(ui).dim));
}

/// How far the slowest secondary may fall back.
fn lag_ui(ui: &mut Ui, draft: &mut RolloutDraft) {
    let error = draft.lag_max_secs().err();
    let Some(typed) = &mut draft.lag_max else { return };
    labelled(ui, LAG, error.as_deref(), |ui| {
        let width = Some(sizes::COLUMN_SHORT);
        let invalid = error.is_some();
        let field = Field { name: LAG, mono: true, invalid, width, ..Field::default() };
        field.ui(ui, typed);
    });
}
