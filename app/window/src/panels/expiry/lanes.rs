//! The lanes: one document each, from its date to its threshold and, in the end, its removal.

use std::time::Duration;

use bson::Bson;
use egui::{Align2, Color32, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::lane_painter::LanePainter;
use super::lesson;
use super::motion::{Leaving, Motion, Pose};
use super::pass_times::PassTimes;
use super::scale::Scale;
use super::sweep::Sweep;
use super::words;
use crate::action::{Action, ExpiryAction, LessonAction};
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{Lane, Phase, Row, Trial, mark};
use crate::state::indexes::TtlIndex;
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::paint;

/// How long a pointer that rests on a lane shows its sentence, in seconds.
const SENTENCE_SECS: f32 = 8.0;

/// The inputs of the lanes.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    pub rows: &'a [Row<'a>],
    pub is_presented: bool,
    pub scale: Scale,
    pub bracket: &'a dyn Fn(&Lane) -> String,
    /// The TTL indexes of the collection; several have marks.
    pub indexes: &'a [TtlIndex],
    /// Whether the rows are the first of a chosen range.
    pub is_range: bool,
    pub times: &'a PassTimes,
    /// The chosen row: its document's `_id`, and when that was removed.
    pub chosen: Option<(&'a Bson, Option<i64>)>,
    /// The line of the pass that runs over the lanes.
    pub sweep: Option<Sweep>,
    /// The TTL that is tried.
    pub trial: Option<Trial<'a>>,
    /// The documents that are chosen for a question of a lesson. `None` if nothing is asked.
    pub picked: Option<&'a [Bson]>,
    /// The window's uptime, by which things move.
    pub uptime: Duration,
    pub is_still: bool,
}

/// The result of drawing the lanes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShownLanes {
    /// Whether the pointer is over a row.
    pub is_hovered: bool,
    pub moves: bool,
}

/// The height of a row.
pub(super) fn height(is_presented: bool) -> f32 {
    if is_presented { sizes::LANE_PRESENTED } else { sizes::LANE }
}

impl Lanes<'_> {
    fn height(&self) -> f32 {
        height(self.is_presented)
    }

    /// Draws the rows that are on screen.
    pub(super) fn ui(&self, ui: &mut Ui, actions: &mut ExpiryActions<'_>) -> ShownLanes {
        let mut is_hovered = false;
        let mut motion = Motion::begin(ui);
        egui::ScrollArea::vertical().auto_shrink([false, false]).show_rows(
            ui,
            self.height(),
            self.rows.len(),
            |ui, range| {
                ui.spacing_mut().item_spacing.y = 0.0;
                let first = range.start;
                let top = ui.cursor().top();
                for (at, row) in self.rows.get(range).unwrap_or_default().iter().enumerate() {
                    match row {
                        Row::Lane(lane) if self.is_still => {
                            is_hovered |= self.row_ui(ui, lane, Pose::STILL, actions);
                        }
                        Row::Lane(lane) => {
                            let now_ms = self.scale.now_ms;
                            let pose = motion.pose(lane, first + at, now_ms, self.uptime);
                            is_hovered |= self.row_ui(ui, lane, pose, actions);
                        }
                        Row::Summary(summary) => self.line_ui(ui, &words::summary(summary)),
                        Row::More(listed) => self.line_ui(ui, &words::more(*listed, self.is_range)),
                    }
                }
                if !self.is_still {
                    for leaving in motion.leaving(self.rows, self.uptime) {
                        self.paint_leaving(ui, leaving, top, first);
                    }
                }
            },
        );
        let moves = motion.moves;
        motion.end(ui);
        ShownLanes { is_hovered, moves }
    }

    fn row_ui(
        &self,
        ui: &mut Ui,
        lane: &Lane,
        pose: Pose,
        actions: &mut ExpiryActions<'_>,
    ) -> bool {
        let size = vec2(ui.available_width(), self.height());
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
        let is_picked = self.picked.is_some_and(|picked| picked.contains(&lane.id));
        let selected = is_picked || self.chosen == Some((&lane.id, lane.removed_ms));
        response.widget_info(|| {
            let name = words::spoken(lane, self.scale.now_ms, self.times);
            WidgetInfo::selected(Role::ListItem, true, selected, name)
        });
        if ui.is_rect_visible(rect) {
            let rect = rect.translate(vec2(0.0, pose.offset * self.height()));
            let background = paint_background(ui, rect, selected, response.hovered());
            self.paint_lane(ui, ui.painter(), (lane, pose), rect, background);
            if response.has_focus() {
                paint::focus_ring(ui, rect.shrink(2.0), sizes::RADIUS_BUTTON);
            }
        }
        if let Some(picked) = self.picked.filter(|_| lane.removed_ms.is_none()) {
            lesson::box_ui(ui, rect, self.scale, picked.contains(&lane.id));
        }
        if response.clicked() && self.picked.is_some() {
            let toggle = LessonAction::ToggleDocument(lane.id.clone());
            actions.queue.push(Action::Lesson(toggle));
        } else if response.clicked() {
            actions.push(ExpiryAction::select(lane));
        }
        if response.dragged() && response.drag_delta().x != 0.0 {
            let fraction = f64::from(-response.drag_delta().x / self.scale.width);
            actions.push(ExpiryAction::Pan(fraction));
        }
        let hovered = response.contains_pointer();
        // A room looks at the lanes that a sentence would cover, so it is there when it is asked for.
        // A pointer that was left on the lanes covers none either.
        let is_left = ui.input(|input| input.pointer.time_since_last_movement() > SENTENCE_SECS);
        if !is_left && (selected || !self.is_presented) {
            response.hint_at_pointer((self.bracket)(lane));
        }
        hovered
    }

    fn paint_lane(
        &self,
        ui: &Ui,
        painter: &Painter,
        (lane, pose): (&Lane, Pose),
        rect: Rect,
        background: Option<Color32>,
    ) {
        let (scale, times) = (self.scale, self.times);
        let is_hidden = times.is_hidden(lane, scale.now_ms);
        let overdue = words::overdue(times.removals, is_hidden);
        let phase = match self.sweep {
            Some(sweep) if sweep.is_ahead_of(lane, scale) => Phase::Overdue,
            _ => lane.phase(scale.now_ms),
        };
        let mark = mark(self.indexes, &lane.index);
        LanePainter {
            painter,
            colors: colors(ui),
            scale,
            rect,
            overdue,
            known_ms: times.known_ms,
            background,
            pose,
            is_named: true,
            mark,
            fate: self.trial.and_then(|trial| trial.fate(lane, scale.now_ms)),
        }
        .lane(lane, phase);
    }

    /// A tombstone that has left the list fades where it was. The first of the rows that are drawn is
    /// number `first` and begins at `top`.
    fn paint_leaving(&self, ui: &Ui, leaving: Leaving<'_>, top: f32, first: usize) {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
        let rows = leaving.row as f32 - first as f32;
        let from = pos2(ui.max_rect().left(), top + rows * self.height());
        let rect = Rect::from_min_size(from, vec2(ui.available_width(), self.height()));
        let mut painter = ui.painter().clone();
        painter.multiply_opacity(leaving.strength);
        self.paint_lane(ui, &painter, (leaving.lane, Pose::STILL), rect, None);
    }

    /// A row of words.
    fn line_ui(&self, ui: &mut Ui, words: &str) {
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), self.height()), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
        let at = rect.left_center() + vec2(sizes::GAP_SMALL, 0.0);
        let (ink, width) = (colors(ui).dim, rect.width() - sizes::GAP_SMALL);
        paint::text_at(ui, at, Align2::LEFT_CENTER, words, text::small(), ink, width);
    }
}

/// Paints what sets a row off while it is selected or below the pointer. Returns its color.
fn paint_background(ui: &Ui, rect: Rect, selected: bool, hovered: bool) -> Option<Color32> {
    let (painter, colors) = (ui.painter(), colors(ui));
    let hovered = hovered.then(|| faded(colors.raised, 0.7));
    let background = if selected { Some(faded(colors.raised_hover, 0.6)) } else { hovered };
    if let Some(fill) = background {
        painter.rect_filled(rect, sizes::RADIUS_BUTTON, fill);
    }
    if selected {
        let left = rect.with_max_x(rect.left() + sizes::LINE_SELECTED);
        let bar = left.shrink2(vec2(0.0, 4.0));
        painter.rect_filled(bar, sizes::LINE_SELECTED / 2.0, colors.text);
    }
    background
}
