//! A list of any number of rows of any height. It is addressed by row, not by points: a point in a
//! list of a million rows has no exact place in the numbers that a window computes with.

use std::collections::BTreeMap;
use std::ops::Range;

use egui::{Id, Rect, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2};

use crate::theme::{colors, sizes};

/// Heights of rows that are remembered; with more, they are measured again.
const HEIGHTS_MAX: usize = 2_000;

/// How wide the scroll bar is, in points.
const BAR: f32 = 12.0;

/// How far an arrow key moves, in points.
const KEY_STEP: f32 = 60.0;

/// A list.
#[derive(Debug, Clone, Copy)]
pub struct RowScroll<'a> {
    pub name: &'a str,
    pub rows: u64,
    /// The height of a row that was not measured yet, in points.
    pub estimate: f32,
    /// A number that changes when heights change, such as the kind of rows.
    pub version: u64,
}

/// The heights remembered between frames.
#[derive(Clone, Default)]
struct Heights {
    version: (u64, u32),
    known: BTreeMap<u64, f32>,
    /// How many rows there were, the one at the top and its offset, while the last one stood at the
    /// bottom.
    end: Option<(u64, u64, f32)>,
}

impl RowScroll<'_> {
    /// Draws the rows that are on the screen. `row` is the one at the top and `offset` how much of
    /// it is above the top. Returns the rows that are on the screen.
    pub fn ui(
        &self,
        ui: &mut Ui,
        row: &mut u64,
        offset: &mut f32,
        mut row_ui: impl FnMut(&mut Ui, u64),
    ) -> Range<u64> {
        let outer = ui.available_rect_before_wrap();
        ui.allocate_rect(outer, Sense::hover());
        let list = Rect::from_min_max(outer.min, pos2(outer.right() - BAR, outer.bottom()));
        let id = ui.scope_id().with(self.name);
        let mut heights = self.heights(ui, id, list.width());
        *row = (*row).min(self.rows.saturating_sub(1));
        let was_at_end = heights.end == Some((self.rows, *row, *offset));
        let moved = wheel(ui, outer);
        *offset -= moved;
        self.settle(row, offset, &heights);

        let mut y = list.top() - *offset;
        let mut at = *row;
        let mut child = ui.new_child(UiBuilder::new().max_rect(list).id_salt((self.name, "rows")));
        child.set_clip_rect(list.intersect(ui.clip_rect()));
        while at < self.rows && y < list.bottom() {
            let place =
                Rect::from_min_size(pos2(list.left(), y), vec2(list.width(), f32::INFINITY));
            let builder = UiBuilder::new().max_rect(place).id_salt(("row", at));
            let drawn = child.scope_builder(builder, |ui| row_ui(ui, at)).response.rect;
            let height = drawn.height().max(1.0);
            heights.known.insert(at, height);
            y += height;
            at += 1;
        }
        let shown = *row..at;
        let slack = list.bottom() - y;
        let stays = was_at_end && moved == 0.0;
        if self.keep_end(slack, at, stays, row, offset, &mut heights) {
            ui.ctx().request_repaint();
        }
        self.bar(ui, outer, row, offset, &shown);
        ui.data_mut(|data| data.insert_temp(id, heights));
        shown
    }

    fn heights(&self, ui: &Ui, id: Id, width: f32) -> Heights {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a width")]
        let version = (self.version, width.max(0.0) as u32);
        let heights: Heights = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        if heights.version == version && heights.known.len() < HEIGHTS_MAX {
            heights
        } else {
            Heights { version, ..Heights::default() }
        }
    }

    /// The last row never leaves the bottom while there is something above, and one that stood
    /// there stays there when rows turn out to be of another height. `slack` is the room below the
    /// rows before `at`. Returns whether the rows move.
    fn keep_end(
        &self,
        slack: f32,
        at: u64,
        stays: bool,
        row: &mut u64,
        offset: &mut f32,
        heights: &mut Heights,
    ) -> bool {
        if at < self.rows && !stays {
            heights.end = None;
            return false;
        }
        let is_below_top = |row: u64, offset: f32| row > 0 || offset > 0.0;
        let below: f32 = (at..self.rows).map(|row| self.height(row, heights)).sum();
        let slack = slack - below;
        let moves = slack > 0.5 && is_below_top(*row, *offset) || slack < -0.5 && stays;
        if moves {
            *offset -= slack;
            self.settle(row, offset, heights);
        }
        let is_at_end = (moves || slack.abs() <= 0.5) && is_below_top(*row, *offset);
        heights.end = is_at_end.then_some((self.rows, *row, *offset));
        moves
    }

    fn height(&self, row: u64, heights: &Heights) -> f32 {
        heights.known.get(&row).copied().unwrap_or(self.estimate)
    }

    /// Brings the offset into the row at the top.
    fn settle(&self, row: &mut u64, offset: &mut f32, heights: &Heights) {
        let height = |row: u64| self.height(row, heights);
        while *offset < 0.0 && *row > 0 {
            *row -= 1;
            *offset += height(*row);
        }
        while *row + 1 < self.rows && *offset >= height(*row) {
            *offset -= height(*row);
            *row += 1;
        }
        if *row == 0 {
            *offset = offset.max(0.0);
        }
        if *row + 1 >= self.rows {
            *offset = offset.min((height(*row) - 1.0).max(0.0));
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place on a scroll bar; a double holds any count of rows well enough"
    )]
    fn bar(&self, ui: &mut Ui, outer: Rect, row: &mut u64, offset: &mut f32, shown: &Range<u64>) {
        let visible = (shown.end - shown.start) as f64 - 1.0;
        let free_rows = (self.rows as f64 - visible.max(1.0)).max(0.0);
        let track = Rect::from_min_max(pos2(outer.right() - BAR + 2.0, outer.top()), outer.max)
            .shrink2(Vec2::new(2.0, 2.0));
        if free_rows < 0.5 || track.height() < 40.0 {
            return;
        }
        let share = (visible.max(1.0) / self.rows as f64).min(1.0);
        let length = (f64::from(track.height()) * share).max(28.0) as f32;
        let way = (track.height() - length).max(1.0);
        let height = self.estimate.max(1.0);
        let place = (*row as f64 + f64::from(*offset / height).min(1.0)) / free_rows;
        let top = track.top() + way * place.min(1.0) as f32;
        let response = ui.interact(
            track.expand(2.0),
            ui.scope_id().with((self.name, "bar")),
            // The list handles keys itself, so its bar takes no focus.
            Sense::CLICK | Sense::DRAG,
        );
        let name = format!("Scroll {}", self.name);
        response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, ui.is_enabled(), &name));
        if let Some(pointer) = response.interact_pointer_pos()
            && (response.dragged() || response.clicked())
        {
            let wanted = f64::from((pointer.y - track.top() - length / 2.0) / way).clamp(0.0, 1.0);
            let exact = wanted * free_rows;
            *row = exact.floor() as u64;
            *offset = (exact.fract() as f32) * height;
        }
        let colors = colors(ui);
        let hot = response.hovered() || response.dragged();
        let ink = if hot { colors.dim } else { colors.hairline };
        let thumb = Rect::from_min_size(pos2(track.left(), top), vec2(track.width(), length));
        ui.painter().rect_filled(thumb, sizes::GAP_TINY, ink);
    }
}

/// How far the wheel and the keys move the list in this frame, in points; positive moves up.
fn wheel(ui: &Ui, area: Rect) -> f32 {
    if !ui.rect_contains_pointer(area) || ui.ctx().text_edit_focused() {
        let over = ui.rect_contains_pointer(area);
        return if over { ui.input(|input| input.smooth_scroll_delta().y) } else { 0.0 };
    }
    ui.input(|input| {
        let page = area.height() - KEY_STEP;
        let keys = [(egui::Key::PageUp, page), (egui::Key::PageDown, -page)];
        let keyed: f32 =
            keys.iter().filter(|(key, _)| input.key_pressed(*key)).map(|(_, step)| step).sum();
        input.smooth_scroll_delta().y + keyed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(rows: u64, row: u64, offset: f32) -> (u64, f32) {
        let list = RowScroll { name: "rows", rows, estimate: 10.0, version: 0 };
        let (mut row, mut offset) = (row, offset);
        let known = [(0, 10.0), (1, 30.0)].into_iter().collect();
        list.settle(&mut row, &mut offset, &Heights { known, ..Heights::default() });
        (row, offset)
    }

    #[test]
    fn the_offset_stays_in_the_row_at_the_top() {
        let check = |from: (u64, f32), expected| {
            assert_eq!(settled(1_000_000, from.0, from.1), expected, "{from:?}");
        };
        check((0, 5.0), (0, 5.0));
        check((0, 12.0), (1, 2.0));
        check((0, 45.0), (2, 5.0));
        check((2, -5.0), (1, 25.0));
        check((1, -50.0), (0, 0.0));
        check((999_999, 100.0), (999_999, 9.0));
        check((999_998, 25.0), (999_999, 9.0));
    }
}
