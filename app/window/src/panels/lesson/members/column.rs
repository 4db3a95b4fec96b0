//! The column of one member: who it is, what its clock says, and its documents.

use std::collections::VecDeque;

use egui::{
    Align, CornerRadius, Frame, Label, Layout, Margin, Rect, Role, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};

use super::shown::{Members, Requests, command};
use super::words;
use crate::job::lesson::{MemberCommand, MemberLane, MemberRole, MemberView};
use crate::panels::expiry::{Backdrop, LanePainter, Marks, Pose, Scale, paint_now, ticks};
use crate::state::axis::Axis;
use crate::state::expiry::Lane;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, chip, paint};

/// A column narrower than this has its lines one below the other, and names above the lanes.
const NARROW: f32 = 240.0;

/// The height of such a name.
const NAME_LINE: f32 = 16.0;

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
    let margin =
        if shown.is_presented { Margin::symmetric(6, 3) } else { Margin::symmetric(10, 8) };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = if shown.is_presented { 0.0 } else { sizes::GAP_TINY };
        let is_narrow = ui.available_width() < NARROW;
        head_ui(ui, shown, member, is_narrow);
        if is_narrow {
            narrow_lines_ui(ui, shown, member);
        } else {
            lines_ui(ui, member);
        }
        if !shown.is_presented {
            buttons_ui(ui, member, is_narrow, ask);
        }
        lanes_ui(ui, shown, member, axis);
    });
}

/// Name and role, and its time where there is room.
fn head_ui(ui: &mut Ui, shown: &Members<'_>, member: &MemberView, is_narrow: bool) {
    if is_narrow {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(sizes::GAP_TINY, 0.0);
            name_ui(ui, member);
        });
        return;
    }
    let line = vec2(ui.available_width(), sizes::CONTROL_SMALL);
    ui.allocate_ui_with_layout(line, Layout::right_to_left(Align::Center), |ui| {
        time_ui(ui, shown, member);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            name_ui(ui, member);
        });
    });
}

fn name_ui(ui: &mut Ui, member: &MemberView) {
    let colors = colors(ui);
    ui.label(text::rich(&member.name, text::heading()).color(colors.text));
    let (ink, background) = match member.role {
        MemberRole::Primary => (colors.accent, colors.accent_background),
        MemberRole::Secondary => (colors.text, colors.well),
        MemberRole::Down => (colors.on_now, colors.now),
    };
    chip::tag(ui, words::role(member.role), ink, background);
    if member.is_read {
        read_mark_ui(ui, member);
    }
}

fn time_ui(ui: &mut Ui, shown: &Members<'_>, member: &MemberView) {
    let now_ms = shown.now_ms(member, shown.clock.shown_ms());
    let zone = shown.clock.zone();
    let time = text::rich(zone.time_of_day(now_ms), text::mono()).color(colors(ui).text);
    let about = format!("The clock of {}: {}", member.name, zone.date_time(now_ms));
    ui.label(time).hint(about);
}

fn read_mark_ui(ui: &mut Ui, member: &MemberView) {
    let name = format!("The window reads from {}", member.name);
    let size = vec2(text::ICON, sizes::CONTROL_SMALL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let ink = colors(ui).accent;
    paint::icon_at(ui.painter(), rect.center(), Icon::Visible, text::ICON, ink);
    response.hint(name);
}

/// The state of its monitor, and its lag.
fn lines_ui(ui: &mut Ui, member: &MemberView) {
    let monitor = words::monitor(member);
    line_ui(ui, monitor, monitor, colors(ui).text);
    let mut lag = words::lag(member);
    let skew = words::skew(member.skew_ms);
    if !skew.is_empty() {
        lag = format!("{lag} · {skew}");
    }
    line_ui(ui, &lag, &lag, colors(ui).dim);
}

/// The same in more lines, with the time.
fn narrow_lines_ui(ui: &mut Ui, shown: &Members<'_>, member: &MemberView) {
    time_ui(ui, shown, member);
    // The lanes of all members begin at one height.
    if shown.view.members.iter().any(|member| member.skew_ms != 0) {
        let skew = words::skew(member.skew_ms);
        let words = if skew.is_empty() { "clock right" } else { &skew };
        line_ui(ui, words, words, colors(ui).dim);
    }
    let monitor = words::monitor(member);
    line_ui(ui, words::short_monitor(monitor), monitor, colors(ui).text);
    line_ui(ui, &words::short_lag(member), &words::lag(member), colors(ui).dim);
}

fn line_ui(ui: &mut Ui, words: &str, about: &str, ink: egui::Color32) {
    let label = Label::new(text::rich(words, text::small()).color(ink)).truncate();
    ui.add(label).hint(about);
}

fn buttons_ui(ui: &mut Ui, member: &MemberView, is_narrow: bool, ask: &mut Requests<'_>) {
    let name = &member.name;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(sizes::GAP_TINY, sizes::GAP_TINY);
        let mut button = |label: &str, about: &str, is_on: bool, sent: MemberCommand| {
            let spoken = format!("{label}: {name}");
            let is_short = is_narrow && sent == MemberCommand::ReadFrom;
            let label = if is_short { "Read" } else { label };
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
    if member.lanes.is_empty() {
        line_ui(ui, "No documents here", "This member has none of the documents", colors(ui).dim);
        return;
    }
    let is_narrow = whole.width() < NARROW;
    let names = if is_narrow { 0.0 } else { sizes::LANE_NAME.min(whole.width() * 0.32) };
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
    if is_narrow {
        // The names are above the lanes, where no line may run through them.
        paint_now(ui, scale, area);
    }
    let mut child = ui.new_child(UiBuilder::new().max_rect(area).id_salt("lanes"));
    child.set_clip_rect(area.intersect(ui.clip_rect()));
    let height = if shown.is_presented { sizes::LANE_PRESENTED } else { sizes::LANE };
    let height = if is_narrow { height + NAME_LINE } else { height };
    child.spacing_mut().item_spacing.y = 0.0;
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
    if !is_narrow {
        paint_now(ui, scale, area);
    }
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
            removable_ms: None,
            seen_ms: None,
        };
        let pose = Pose::STILL;
        let is_named = scale.left > rect.left() + 1.0;
        let rect = if is_named { rect } else { rect.with_min_y(rect.top() + NAME_LINE) };
        if !is_named {
            let ink = if lane.removed_ms.is_some() { colors.removed } else { colors.text };
            let id = words::id(lane);
            let (at, align) = (rect.left_top() + vec2(2.0, 0.0), egui::Align2::LEFT_BOTTOM);
            // No line of the clock runs through it.
            let back = ui.painter().add(egui::Shape::Noop);
            let place = paint::text_at(ui, at, align, &id, text::small(), ink, rect.width());
            ui.painter().set(back, egui::Shape::rect_filled(place, 3.0, colors.panel));
        }
        let overdue = if member.role == MemberRole::Primary { "" } else { "waits for the oplog" };
        let (background, mark) = (None, None);
        let known_ms = i64::MAX;
        let lanes = LanePainter {
            painter,
            colors,
            scale,
            rect,
            overdue,
            known_ms,
            background,
            pose,
            is_named,
            mark,
            fate: None,
        };
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
