//! The members of a replica set: a column of lanes for each, and below them the oplog.

mod column;
mod oplog;
mod shown;
mod words;

pub use shown::{Members, Requests};

use egui::{Rect, Ui, UiBuilder, pos2};

use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::axis::Axis;
use crate::theme::sizes;

/// Spans that the axis of the columns shows, in milliseconds: it changes rarely while time runs.
const SPANS_MS: [i64; 14] = [
    60_000,
    3 * 60_000,
    6 * 60_000,
    15 * 60_000,
    30 * 60_000,
    45 * 60_000,
    90 * 60_000,
    3 * 3_600_000,
    6 * 3_600_000,
    12 * 3_600_000,
    36 * 3_600_000,
    6 * 86_400_000,
    45 * 86_400_000,
    2 * 365 * 86_400_000,
];

impl Members<'_> {
    /// Draws the columns and the oplog.
    pub fn ui(&self, ui: &mut Ui, ask: &mut Requests<'_>) {
        let margin = if self.is_presented { sizes::GAP_TINY } else { sizes::GAP };
        let whole = ui.available_rect_before_wrap().shrink(margin);
        let strip = oplog::height(self.is_presented);
        let top = whole.with_max_y(whole.bottom() - strip - sizes::GAP_SMALL);
        let axis = axis(self);
        let columns = self.view.members.len().max(1);
        #[expect(clippy::cast_precision_loss, reason = "three columns")]
        let (count, gaps) = (columns as f32, (columns - 1) as f32);
        let gap = if self.is_presented { sizes::GAP_TINY } else { sizes::GAP_SMALL };
        let width = (top.width() - gaps * gap) / count;
        let mut left = top.left();
        for member in &self.view.members {
            let rect = Rect::from_min_max(
                pos2(left, top.top()),
                pos2(left + width, top.bottom().max(top.top())),
            );
            let builder = UiBuilder::new().max_rect(rect).id_salt(("member", &member.name));
            let mut child = ui.new_child(builder);
            child.set_clip_rect(rect.intersect(ui.clip_rect()));
            column::ui(&mut child, self, member, axis, ask);
            left += width + gap;
        }
        let rect = whole.with_min_y(whole.bottom() - strip);
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("oplog"));
        oplog::ui(&mut child, self, ask);
        ui.advance_cursor_after_rect(whole);
    }
}

/// One span for all columns, so that they compare.
fn axis(shown: &Members<'_>) -> Axis {
    let common_ms = shown.clock.now_ms();
    let distances = shown.view.members.iter().flat_map(|member| {
        let now_ms = shown.now_ms(member, common_ms);
        let lanes = member.lanes.iter().filter(|lane| lane.removed_ms.is_none());
        let ahead = lanes.filter_map(move |lane| {
            let distance = lane.threshold_ms?.saturating_sub(now_ms);
            // *Now* is at one third.
            let third = distance.saturating_neg().saturating_mul(3);
            Some(if distance < 0 { third } else { distance.saturating_mul(3) / 2 })
        });
        let pass = member.next_pass_ms.map(|pass| pass.saturating_sub(now_ms) * 3 / 2);
        ahead.chain(pass)
    });
    // A threshold of a member that is off by less than a month must be on it.
    let reach = distances.filter(|distance| *distance <= SPANS_MS[11]).max().unwrap_or_default();
    let span = SPANS_MS.into_iter().find(|span| *span >= reach.saturating_add(reach / 8));
    let mut axis = Axis::default();
    axis.set_span_ms(span.unwrap_or(SPANS_MS[13]).max(SPANS_MS[1]));
    axis
}

/// Draws the members of a replica set in place of the lanes. Returns whether there are any.
pub fn members_ui(ui: &mut Ui, state: &State, actions: &mut Actions) -> bool {
    let Some(view) = state.lessons.view().filter(|view| !view.members.is_empty()) else {
        return false;
    };
    let is_presented = state.view.is_presented();
    let members = Members { view, clock: &state.clock, is_presented };
    members.ui(ui, &mut |request| actions.push(Action::Lesson(LessonAction::Request(request))));
    true
}
