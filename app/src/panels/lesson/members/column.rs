//! The column of one member: who it is, what its clock says, and its documents.

use std::collections::VecDeque;

use egui::{
    Align, CornerRadius, Frame, Label, Layout, Margin, Rect, Role, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};

use super::{Members, Requests, command, words};
use crate::job::lesson::{MemberCommand, MemberLane, MemberRole, MemberView};
use crate::panels::expiry::{Backdrop, LanePainter, Marks, Pose, Scale, ticks};
use crate::state::axis::Axis;
use crate::state::expiry::Lane;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, chip, paint};

/// Draws the column in the whole of `ui`.
pub(super) fn ui(
    ui: &mut Ui,
    shown: &Members<'_>,
    member: &MemberView,
    axis: Axis,
    ask: &mut Requests<'_>,
) {
    let colors = colors(ui);
    let rect = ui.max_rect();
    let stroke = Stroke::new(sizes::LINE, colors.hairline);
    let radius = CornerRadius::same(9);
    ui.painter().rect(rect, radius, colors.panel, stroke, egui::StrokeKind::Inside);
    let margin = Margin::symmetric(10, if shown.is_presented { 3 } else { 8 });
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = if shown.is_presented { 0.0 } else { sizes::GAP_TINY };
        head_ui(ui, shown, member);
        if !shown.is_presented {
            buttons_ui(ui, member, ask);
        }
        lanes_ui(ui, shown, member, axis);
    });
}

/// Name, role and time; what its monitor does; its lag.
fn head_ui(ui: &mut Ui, shown: &Members<'_>, member: &MemberView) {
    let colors = colors(ui);
    let line = vec2(ui.available_width(), sizes::CONTROL_SMALL);
    ui.allocate_ui_with_layout(line, Layout::right_to_left(Align::Center), |ui| {
        let now_ms = shown.now_ms(member, shown.clock.shown_ms());
        let zone = shown.clock.zone();
        let time = text::rich(zone.time_of_day(now_ms), text::mono()).color(colors.text);
        let about = format!("The clock of {}: {}", member.name, zone.date_time(now_ms));
        ui.label(time).hint(about);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            ui.label(text::rich(&member.name, text::heading()).color(colors.text));
            let (ink, background) = match member.role {
                MemberRole::Primary => (colors.accent, colors.accent_background),
                MemberRole::Secondary => (colors.text, colors.well),
                MemberRole::Down => (colors.on_now, colors.now),
            };
            chip::tag(ui, words::role(member.role), ink, background);
            if member.is_read {
                let name = format!("The window reads from {}", member.name);
                let size = vec2(text::ICON, sizes::CONTROL_SMALL);
                let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
                response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
                let ink = colors.accent;
                paint::icon_at(ui.painter(), rect.center(), Icon::Visible, text::ICON, ink);
                response.hint(name);
            }
        });
    });
    let small = |ui: &mut Ui, words: &str, ink| {
        let label = Label::new(text::rich(words, text::small()).color(ink)).truncate();
        ui.add(label).hint(words);
    };
    small(ui, &member.monitor, colors.text);
    let mut lag = words::lag(member);
    let skew = words::skew(member.skew_ms);
    if !skew.is_empty() {
        lag = format!("{lag} · {skew}");
    }
    small(ui, &lag, colors.dim);
}

fn buttons_ui(ui: &mut Ui, member: &MemberView, ask: &mut Requests<'_>) {
    let name = &member.name;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(sizes::GAP_TINY, sizes::GAP_TINY);
        let mut button = |label: &str, about: &str, is_on: bool, sent: MemberCommand| {
            let spoken = format!("{label}: {name}");
            let button = Button::plain(label).small().name(&spoken).tooltip(about);
            if ui.add(button.selected(is_on).enabled(!is_on)).clicked() {
                ask(command(member, sent));
            }
        };
        let up_to_date = "The most up-to-date running secondary becomes primary";
        let stop = "Stop this member; the others continue, and it catches up after a start";
        let start = "Start this member; it catches up from the oplog";
        let read = "Show the documents as this member has them";
        if member.role == MemberRole::Primary {
            button("Step down", up_to_date, false, MemberCommand::StepDown);
        }
        if member.role == MemberRole::Down {
            button("Start", start, false, MemberCommand::Start);
        } else {
            button("Stop", stop, false, MemberCommand::Stop);
            let label = if member.is_read { "Reads here" } else { "Read from" };
            button(label, read, member.is_read, MemberCommand::ReadFrom);
        }
    });
}

/// The documents, the lines of the clock below them, and below these the axis.
fn lanes_ui(ui: &mut Ui, shown: &Members<'_>, member: &MemberView, axis: Axis) {
    let whole = ui.available_rect_before_wrap();
    let bottom = whole.bottom() - sizes::LEGEND;
    if bottom - whole.top() < sizes::LANE_PRESENTED {
        return;
    }
    let names = sizes::LANE_NAME.min(whole.width() * 0.32);
    let digits = sizes::LANE_DIGITS.min(whole.width() * 0.24);
    let scale = Scale {
        axis,
        now_ms: shown.now_ms(member, shown.clock.now_ms()),
        shown_ms: shown.now_ms(member, shown.clock.shown_ms()),
        left: whole.left() + names,
        width: (whole.width() - names - digits).max(1.0),
    };
    let area = whole.with_max_y(bottom);
    let stored = || member.lanes.iter().filter(|lane| lane.removed_ms.is_none());
    let overdue = stored().filter_map(|lane| lane.threshold_ms).filter(|at| *at <= scale.now_ms);
    let marks =
        Marks { passes: &VecDeque::new(), next_pass_ms: member.next_pass_ms, removed_here: &|_| 0 };
    Backdrop { scale, area, marks, overdue_since_ms: overdue.min() }.paint(ui);
    let mut child = ui.new_child(UiBuilder::new().max_rect(area).id_salt("lanes"));
    child.set_clip_rect(area.intersect(ui.clip_rect()));
    let height = if shown.is_presented { sizes::LANE_PRESENTED } else { sizes::LANE };
    child.spacing_mut().item_spacing.y = 0.0;
    if member.lanes.is_empty() {
        let words = text::rich("No documents here", text::small()).color(colors(ui).dim);
        child.label(words);
    }
    ScrollArea::vertical().auto_shrink(false).show_rows(
        &mut child,
        height,
        member.lanes.len(),
        |ui, range| {
            for lane in member.lanes.get(range).unwrap_or_default() {
                lane_ui(ui, shown, member, lane, scale, height);
            }
        },
    );
    axis_ui(ui, whole.with_min_y(bottom), scale);
    ui.advance_cursor_after_rect(whole);
}

fn lane_ui(
    ui: &mut Ui,
    shown: &Members<'_>,
    member: &MemberView,
    lane: &MemberLane,
    scale: Scale,
    height: f32,
) {
    let size = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let name = words::lane(lane, &member.name, scale.now_ms, shown.clock.zone());
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &name));
    if ui.is_rect_visible(rect) {
        let (painter, colors) = (ui.painter(), colors(ui));
        let lane_of = |threshold_ms| Lane {
            id: lane.id.clone(),
            index: String::new(),
            field: String::new(),
            base_ms: lane.base_ms,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: lane.removed_ms,
        };
        let pose = Pose::STILL;
        let overdue = if member.role == MemberRole::Primary { "" } else { "waits for the oplog" };
        let lanes = LanePainter { painter, colors, scale, rect, overdue, background: None, pose };
        match lane.threshold_ms.or(lane.removed_ms) {
            Some(threshold_ms) => {
                let known = lane_of(threshold_ms);
                lanes.lane(&known, known.phase(scale.now_ms));
            }
            None => lanes.never(&lane_of(i64::MAX)),
        }
    }
    response.hint_at_pointer(name);
}

/// *Now* and the distances from it.
fn axis_ui(ui: &Ui, rect: Rect, scale: Scale) {
    let (painter, ink) = (ui.painter(), colors(ui));
    let middle = rect.center().y;
    let mut taken = f32::NEG_INFINITY;
    let now = scale.now_x();
    let mut words = |x: f32, words: String, ink| {
        let galley = painter.layout_no_wrap(words, text::small(), ink);
        let left = x - galley.size().x / 2.0;
        let is_free = left >= taken && left + galley.size().x <= rect.right();
        if is_free {
            taken = left + galley.size().x + sizes::GAP_SMALL;
            painter.galley(pos2(left, middle - galley.size().y / 2.0), galley, ink);
        }
    };
    words(now, "now".to_owned(), ink.text);
    for tick in ticks(&scale).into_iter().filter(|tick| tick.offset_ms > 0) {
        words(scale.x(scale.now_ms.saturating_add(tick.offset_ms)), tick.label, ink.dim);
    }
}
