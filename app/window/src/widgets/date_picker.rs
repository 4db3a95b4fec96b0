//! A month of days and a time of day.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use egui::{Align2, DragValue, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::{Button, paint};
use crate::theme::{Icon, colors, sizes, text};

/// The side of a day.
const DAY: f32 = 28.0;

/// Rows of weeks, so that the height is the same in every month.
const WEEKS: u64 = 6;

/// Draws the picker. `month` is a day of the month that is shown. Returns whether another instant
/// was chosen.
pub fn ui(ui: &mut Ui, at: &mut NaiveDateTime, month: &mut NaiveDate, today: NaiveDate) -> bool {
    let before = *at;
    ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
    month_ui(ui, month);
    days_ui(ui, at, *month, today);
    ui.add_space(sizes::GAP_TINY);
    time_ui(ui, at);
    *at != before
}

fn month_ui(ui: &mut Ui, month: &mut NaiveDate) {
    let title = month.format("%b %Y").to_string();
    let mut step = |ui: &mut Ui, icon, name, months: i32| {
        if ui.add(Button::icon_only(icon, name).small()).clicked() {
            let by = Months::new(months.unsigned_abs());
            let moved = if months < 0 {
                month.checked_sub_months(by)
            } else {
                month.checked_add_months(by)
            };
            *month = moved.unwrap_or(*month);
        }
    };
    ui.horizontal(|ui| {
        step(ui, Icon::First, "Previous year", -12);
        step(ui, Icon::Previous, "Previous month", -1);
        let room = 7.0 * (DAY + 2.0) - 4.0 * (sizes::CONTROL_SMALL + 4.0);
        let size = vec2(room.max(60.0), sizes::CONTROL_SMALL);
        let (words, _) = ui.allocate_exact_size(size, Sense::hover());
        step(ui, Icon::Expand, "Next month", 1);
        step(ui, Icon::Last, "Next year", 12);
        let (font, ink) = (text::medium(), colors(ui).text);
        let center = words.center();
        paint::text_at(ui, center, Align2::CENTER_CENTER, &title, font, ink, words.width());
    });
}

fn days_ui(ui: &mut Ui, at: &mut NaiveDateTime, month: NaiveDate, today: NaiveDate) {
    let first = month.with_day(1).unwrap_or(month);
    let back = u64::from(first.weekday().num_days_from_monday());
    let Some(start) = first.checked_sub_days(Days::new(back)) else { return };
    let dim = colors(ui).dim;
    ui.horizontal(|ui| {
        for name in ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"] {
            let (rect, _) = ui.allocate_exact_size(vec2(DAY, 18.0), Sense::hover());
            let align = Align2::CENTER_CENTER;
            paint::text_at(ui, rect.center(), align, name, text::small(), dim, DAY);
        }
    });
    for week in 0..WEEKS {
        ui.horizontal(|ui| {
            for day in 0..7 {
                let Some(day) = start.checked_add_days(Days::new(week * 7 + day)) else { continue };
                if day_ui(ui, day, at.date() == day, day.month() == month.month(), today == day) {
                    *at = day.and_time(at.time());
                }
            }
        });
    }
}

fn day_ui(ui: &mut Ui, day: NaiveDate, chosen: bool, is_in_month: bool, is_today: bool) -> bool {
    let colors = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(DAY, DAY), Sense::click());
    let name = day.format("%Y-%m-%d").to_string();
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), chosen, &name));
    let (fill, ink) = match (chosen, response.hovered(), is_in_month) {
        (true, ..) => (colors.accent, colors.on_accent),
        (_, true, _) => (colors.raised_hover, colors.text),
        (.., true) => (egui::Color32::TRANSPARENT, colors.text),
        _ => (egui::Color32::TRANSPARENT, colors.dim),
    };
    let round = rect.shrink(1.0);
    ui.painter().rect_filled(round, sizes::RADIUS_BUTTON, fill);
    if is_today && !chosen {
        let line = Stroke::new(sizes::LINE, colors.accent);
        ui.painter().rect_stroke(round, sizes::RADIUS_BUTTON, line, StrokeKind::Inside);
    }
    if response.has_focus() {
        paint::focus_ring(ui, round, sizes::RADIUS_BUTTON);
    }
    let words = day.day().to_string();
    let align = Align2::CENTER_CENTER;
    paint::text_at(ui, rect.center(), align, &words, text::mono_small(), ink, DAY);
    response.clicked()
}

fn time_ui(ui: &mut Ui, at: &mut NaiveDateTime) {
    let time = at.time();
    let (mut hour, mut minute, mut second) = (time.hour(), time.minute(), time.second());
    let mut milli = time.nanosecond() / 1_000_000;
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size = vec2(30.0, sizes::CONTROL_SMALL);
        let part = |ui: &mut Ui, name: &str, value: &mut u32, max: u32, digits: usize| {
            let drag = DragValue::new(value)
                .range(0..=max)
                .speed(0.2)
                .custom_formatter(move |value, _| format!("{value:0digits$.0}"));
            ui.add(drag).accessible_name(name);
        };
        part(ui, "Hour", &mut hour, 23, 2);
        ui.label(":");
        part(ui, "Minute", &mut minute, 59, 2);
        ui.label(":");
        part(ui, "Second", &mut second, 59, 2);
        ui.label(".");
        part(ui, "Millisecond", &mut milli, 999, 3);
    });
    if let Some(time) = NaiveTime::from_hms_milli_opt(hour, minute, second, milli) {
        *at = at.date().and_time(time);
    }
}
