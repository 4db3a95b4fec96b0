//! Everything about one path. What can be pressed becomes part of the filter.

use bson::{Bson, Document};
use egui::{Label, Ui};

use super::{row, ttl, words};
use crate::action::SchemaAction;
use crate::inspect::schema::{Field, Times};
use crate::panels::tab_actions::SchemaActions;
use crate::state::schema::{
    hour_filter, number_filter, time_filter, type_filter, value_filter, weekday_filter,
};
use crate::state::{Tab, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::histogram::{self, Column};
use crate::widgets::value_text::{Kind as Look, with_marks};
use crate::widgets::{Button, key_value, value};

pub(super) fn ui(ui: &mut Ui, tab: &Tab, field: &Field, actions: &mut SchemaActions<'_>) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    ui.horizontal_top(|ui| {
        let width = ui.available_width() - sizes::CONTROL_SMALL - sizes::GAP_SMALL;
        ui.allocate_ui(egui::vec2(width, 0.0), |ui| {
            ui.set_min_width(width);
            let title = text::rich(words::path(&field.path), text::title());
            ui.add(Label::new(title).wrap());
        });
        if ui.add(Button::icon_only(Icon::Close, "Clear the selection").small()).clicked() {
            actions.push(SchemaAction::Select(None));
        }
    });
    let hint = "Press a type, a bar or a value to add it to the filter";
    ui.add(Label::new(text::rich(hint, text::small()).color(colors(ui).dim)).wrap());
    let path = field.path.dotted().filter(|path| {
        tab.schema.schema.as_ref().is_some_and(|schema| schema.looks_like_dates(path))
    });
    if let Some(path) = path
        && ui.add(Button::plain("Convert to dates…").small()).clicked()
    {
        ttl::convert(tab, path, actions);
    }
    presence_ui(ui, field, actions);
    kinds_ui(ui, field, actions);
    numbers_ui(ui, field, actions);
    if let Some(times) = &field.times {
        times_ui(ui, field, times, actions);
    }
    values_ui(ui, field, actions);
    lengths_ui(ui, field);
}

fn section(ui: &mut Ui, title: &str) {
    ui.add_space(sizes::GAP);
    ui.label(text::rich(title, text::title()));
}

/// A line that adds to the filter, if a filter can say it.
fn line_ui(
    ui: &mut Ui,
    key: &str,
    words: &str,
    ink: egui::Color32,
    filter: Option<Document>,
    actions: &mut SchemaActions<'_>,
) {
    match filter {
        Some(filter) => {
            if key_value::pressable_colored(ui, key, words, ink).clicked() {
                actions.push(SchemaAction::Narrow(filter));
            }
        }
        None => {
            key_value::colored(ui, key, words, ink);
        }
    }
}

fn counted(part: u64, of: u64) -> String {
    format!("{} · {}", number::count(part), words::share(part, of))
}

fn presence_ui(ui: &mut Ui, field: &Field, actions: &mut SchemaActions<'_>) {
    section(ui, "Present");
    let what = if field.is_in_array() { "In elements" } else { "In documents" };
    let ink = colors(ui).text;
    let words = counted(field.seen, field.of);
    let filter = field.path.filter(&Bson::Document(bson::doc! { "$exists": true }));
    line_ui(ui, what, &words, ink, filter.filter(|_| field.missing() > 0), actions);
    if field.missing() > 0 {
        let words = counted(field.missing(), field.of);
        line_ui(ui, "Missing", &words, ink, field.path.missing_filter(), actions);
    }
}

fn kinds_ui(ui: &mut Ui, field: &Field, actions: &mut SchemaActions<'_>) {
    section(ui, "Types");
    for (kind, count) in &field.kinds {
        let ink = row::ink(*kind, colors(ui));
        let words = counted(*count, field.seen);
        line_ui(ui, kind.label(), &words, ink, type_filter(field, *kind), actions);
    }
}

fn numbers_ui(ui: &mut Ui, field: &Field, actions: &mut SchemaActions<'_>) {
    let Some((least, most)) = field.number_range else { return };
    section(ui, "Numbers");
    let bars: Vec<Column> = field
        .numbers
        .iter()
        .map(|bar| Column { name: words::number_bar(bar), count: bar.count })
        .collect();
    let can_press = field.path.dotted().is_some();
    let ink = colors(ui).chart;
    if bars.len() > 1
        && let Some(pressed) = histogram::ui(ui, sizes::SCHEMA_CHART, ink, can_press, &bars)
        && let Some(filter) = field.numbers.get(pressed).and_then(|bar| number_filter(field, bar))
    {
        actions.push(SchemaAction::Narrow(filter));
    }
    key_value::ui(ui, "Smallest", &words::number(least));
    key_value::ui(ui, "Largest", &words::number(most));
}

fn times_ui(ui: &mut Ui, field: &Field, times: &Times, actions: &mut SchemaActions<'_>) {
    section(ui, "Dates (UTC)");
    let ink = colors(ui).chart;
    let can_press = field.path.dotted().is_some();
    let bars: Vec<Column> = times
        .bars
        .iter()
        .map(|bar| Column { name: words::time_bar(bar), count: bar.count })
        .collect();
    let mut filter = None;
    if bars.len() > 1
        && let Some(pressed) = histogram::ui(ui, sizes::SCHEMA_CHART, ink, can_press, &bars)
    {
        filter = times.bars.get(pressed).and_then(|bar| time_filter(field, bar));
    }
    key_value::ui(ui, "First", &words::date(times.range.0));
    key_value::ui(ui, "Last", &words::date(times.range.1));
    let can_press = can_press && !field.is_in_array();
    let hours = |(hour, count): (usize, &u64)| Column {
        name: format!("{hour:02}:00 to {:02}:00: {}", (hour + 1) % 24, number::count(*count)),
        count: *count,
    };
    let hours: Vec<Column> = times.hours.iter().enumerate().map(hours).collect();
    small(ui, "By hour of the day");
    if let Some(hour) = histogram::ui(ui, sizes::SCHEMA_CHART_LOW, ink, can_press, &hours) {
        filter = hour_filter(field, hour);
    }
    let days = times.weekdays.iter().zip(words::WEEKDAYS);
    let days: Vec<Column> = days
        .map(|(count, day)| Column {
            name: format!("{day}: {}", number::count(*count)),
            count: *count,
        })
        .collect();
    small(ui, "By day of the week, from Monday");
    if let Some(day) = histogram::ui(ui, sizes::SCHEMA_CHART_LOW, ink, can_press, &days) {
        filter = weekday_filter(field, day);
    }
    if let Some(filter) = filter {
        actions.push(SchemaAction::Narrow(filter));
    }
}

fn small(ui: &mut Ui, words: &str) {
    ui.add_space(sizes::GAP_TINY);
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
}

fn values_ui(ui: &mut Ui, field: &Field, actions: &mut SchemaActions<'_>) {
    if field.distinct == 0 {
        return;
    }
    section(ui, "Values");
    key_value::ui(ui, "Distinct", &words::distinct(field));
    let (title, values): (_, Vec<(&Bson, Option<u64>)>) = if field.top.is_empty() {
        ("Examples", field.examples.iter().map(|value| (value, None)).collect())
    } else {
        let top = field.top.iter().map(|top| (&top.value, Some(top.count))).collect();
        let is_exact = field.is_exact;
        (if is_exact { "Most frequent" } else { "Most frequent, at least" }, top)
    };
    if values.is_empty() {
        return;
    }
    small(ui, title);
    for (shown, count) in values {
        let key = with_marks(&value::cut(&value::short(shown), 60));
        let words = count.map_or_else(String::new, |count| counted(count, field.seen));
        let filter = value_filter(field, shown);
        let ink = Look::of(shown).ink(colors(ui));
        line_ui(ui, &key, &words, ink, filter, actions);
    }
}

fn lengths_ui(ui: &mut Ui, field: &Field) {
    let lengths = [("Text, bytes", field.text_lengths), ("Array, elements", field.array_lengths)];
    if lengths.iter().all(|(_, extent)| extent.count == 0) {
        return;
    }
    section(ui, "Lengths");
    for (what, extent) in lengths.iter().filter(|(_, extent)| extent.count > 0) {
        let [min, max, mean] = [extent.min, extent.max, extent.mean()].map(number::count);
        key_value::ui(ui, what, &format!("{min} to {max}, mean {mean}"));
    }
}
