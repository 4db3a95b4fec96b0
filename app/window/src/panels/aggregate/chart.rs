//! Results as a chart: a bar for each category, or a line over numbers or time.

use std::ops::RangeInclusive;

use egui::{Align2, Role, Stroke, TextStyle, Ui, Vec2b, WidgetInfo};
use egui_plot::{
    Bar, BarChart, GridInput, GridMark, HoverPosition, Line, Plot, PlotPoint, Points, Text,
};

use crate::action::AggregateAction;
use crate::job::Zone;
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::chart::{self, Chart, ChartFields, ChartKind, ChartPoint};
use crate::state::aggregate::{AggregateView, Output};
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::marks::visible;
use crate::widgets::{Button, menu};

/// Bars that are in sight at first; the others come by dragging.
const BARS: f64 = 18.0;

/// The room of this number of bars is kept for fewer, or two would be as thick as boxes.
const BARS_MIN: f64 = 8.0;

/// How thick a bar is next to the distance of two.
const BAR_WIDTH: f64 = 0.68;

/// Distances of the marks of a time axis, in milliseconds: from a millisecond to ten years.
const TIME_STEPS: [f64; 18] = [
    1.0,
    10.0,
    100.0,
    1e3,
    5e3,
    15e3,
    60e3,
    300e3,
    900e3,
    3_600e3,
    21_600e3,
    86_400e3,
    172_800e3,
    604_800e3,
    2_592_000e3,
    7_776_000e3,
    31_536_000e3,
    315_360_000e3,
];

/// Marks of an axis.
const MARKS_MAX: usize = 64;

/// Times closer than this are labeled with their time of day, in milliseconds.
const DAY: f64 = 86_400e3;

/// Draws the chart with its two choices.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    view: &AggregateView,
    output: &Output,
    actions: &mut AggregateActions<'_>,
) {
    let (categories, numbers) = chart::candidates(output);
    let is_there = |fields: &&ChartFields| {
        categories.contains(&fields.category) && numbers.contains(&fields.number)
    };
    let fields = match (view.chart.as_ref().filter(is_there), chart::best(output)) {
        (Some(fields), _) => fields.clone(),
        (None, Ok(best)) => best,
        (None, Err(missing)) => {
            empty_state::ui(ui, Picture::Documents, missing, None);
            return;
        }
    };
    let chart = chart::chart(output, &fields);
    ui.horizontal(|ui| {
        let category = |category: String| ChartFields { category, ..fields.clone() };
        let number = |number: String| ChartFields { number, ..fields.clone() };
        choice_ui(ui, "Category", &fields.category, &categories, category, actions);
        choice_ui(ui, "Number", &fields.number, &numbers, number, actions);
        if chart.kind == ChartKind::Bars {
            let sort = Button::plain("Sort by number").small().selected(fields.by_number);
            if ui.add(sort.tooltip("Bars from the largest to the smallest number")).clicked() {
                let by_number = !fields.by_number;
                let fields = ChartFields { by_number, ..fields.clone() };
                actions.push(AggregateAction::SetChart(fields));
            }
        }
        let words = left_out(&chart);
        let words = text::rich(words, text::small()).color(colors(ui).dim);
        ui.add(egui::Label::new(words).truncate());
    });
    if chart.points.is_empty() {
        let sentence = "No document has both fields";
        empty_state::ui(ui, Picture::Documents, sentence, None);
        return;
    }
    plot_ui(ui, state.clock.zone(), &fields, &chart);
}

fn choice_ui(
    ui: &mut Ui,
    what: &str,
    chosen: &str,
    all: &[String],
    fields: impl Fn(String) -> ChartFields,
    actions: &mut AggregateActions<'_>,
) {
    let label = format!("{what}: {}", visible(chosen));
    let response = ui.add(Button::plain(&label).menu().small());
    menu::below(&response, |ui| {
        egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            for path in all {
                if menu::choice(ui, &visible(path), path == chosen).clicked() {
                    actions.push(AggregateAction::SetChart(fields(path.clone())));
                }
            }
        });
    });
}

/// The documents that are left out, in words.
fn left_out(chart: &Chart) -> String {
    let count = |count: usize| number::counted(count as u64, "document", "documents");
    let mut words = Vec::new();
    if chart.left_out > 0 {
        words.push(format!("{} without these fields", count(chart.left_out)));
    }
    if chart.beyond > 0 {
        words.push(format!("{} not drawn", count(chart.beyond)));
    }
    words.join(" · ")
}

/// A number without digits that say nothing.
fn digits(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if matches!(text, "" | "-" | "-0") { "0".to_owned() } else { text.to_owned() }
}

#[expect(clippy::cast_possible_truncation, reason = "an instant in milliseconds")]
fn time(zone: Zone, ms: f64, step: f64) -> String {
    let words = zone.date_time(ms as i64);
    let (date, of_day) = words.split_once(' ').unwrap_or((&words, ""));
    match step {
        step if step >= DAY => date.to_owned(),
        step if step < 1e3 => zone.time_of_day_millis(ms as i64),
        step if step < 60e3 => of_day.to_owned(),
        _ => words.get(5..16).unwrap_or(&words).to_owned(),
    }
}

/// The room of a mark in the smallest steps of a grid: a time, a number from left to right, and a
/// number or a name from top to bottom.
const TIME: f64 = 14.0;
const NUMBER: f64 = 11.0;
const LINE: f64 = 4.0;

/// A mark with so much room is as bright as can be, in the same steps.
const BRIGHT: f64 = 40.0;

fn time_marks(input: &GridInput) -> Vec<GridMark> {
    let wanted = input.base_step_size * TIME;
    let step = TIME_STEPS.into_iter().find(|step| *step >= wanted).unwrap_or(wanted);
    marks(input, step)
}

/// Marks at 1, 2 or 5 times a power of ten.
fn number_marks(input: &GridInput, room: f64) -> Vec<GridMark> {
    let wanted = (input.base_step_size * room).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = step.into_iter().find(|step| *step >= wanted).unwrap_or(wanted);
    marks(input, step)
}

/// One mark for each bar, or for some of them where they are close.
fn bar_marks(input: &GridInput) -> Vec<GridMark> {
    let step = (input.base_step_size * 2.0).ceil().max(1.0);
    let bright = input.base_step_size * BRIGHT;
    let found = marks(input, step).into_iter();
    found.map(|mark| GridMark { step_size: bright, ..mark }).collect()
}

fn marks(input: &GridInput, step: f64) -> Vec<GridMark> {
    let first = (input.bounds.0 / step).ceil() * step;
    let marks = std::iter::successors(Some(first), |at| Some(at + step));
    let marks = marks.take_while(|at| *at <= input.bounds.1).take(MARKS_MAX);
    marks.map(|value| GridMark { value, step_size: step }).collect()
}

fn plot_ui(ui: &mut Ui, zone: Zone, fields: &ChartFields, chart: &Chart) {
    let ink = colors(ui);
    let name = format!(
        "Chart of {} by {}, {}",
        fields.number,
        fields.category,
        number::counted(chart.points.len() as u64, "point", "points")
    );
    let plot = Plot::new((&fields.category, &fields.number, chart.points.len()))
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_background(false)
        .grid_color(ink.hairline)
        .set_margin_fraction(egui::vec2(0.04, 0.06));
    let kind = chart.kind;
    let hover: Vec<(String, f64)> =
        chart.points.iter().map(|point| (point.name.clone(), point.y)).collect();
    let number_name = fields.number.clone();
    let plot = plot.label_formatter(move |position| match position {
        HoverPosition::NearDataPoint { position, index, .. } => {
            let (name, y) = hover.get(*index)?;
            let name = match kind {
                #[expect(clippy::cast_possible_truncation, reason = "milliseconds")]
                ChartKind::Times => zone.date_time(position.x as i64),
                _ => visible(name),
            };
            Some(format!("{name}\n{number_name}: {}", digits(*y)))
        }
        HoverPosition::Elsewhere { .. } => None,
    });
    let response = ui.scope(|ui| {
        // The labels of the axes are quieter than what they measure.
        ui.style_mut().text_styles.insert(TextStyle::Body, text::small());
        ui.visuals_mut().override_text_color = Some(ink.dim);
        match kind {
            ChartKind::Bars => bars_ui(ui, plot, chart, fields),
            ChartKind::Numbers | ChartKind::Times => line_ui(ui, plot, zone, chart, fields),
        }
    });
    response.inner.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), &name));
}

/// Bars from left to right.
fn bars_ui(ui: &mut Ui, plot: Plot<'_>, chart: &Chart, fields: &ChartFields) -> egui::Response {
    let (ink, dim) = (colors(ui).chart, colors(ui).dim);
    let names: Vec<String> = chart.points.iter().map(|point| visible(&point.name)).collect();
    let name_of = move |mark: GridMark, _: &RangeInclusive<f64>| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        let at = if mark.value >= -0.5 { Some(mark.value.round() as usize) } else { None };
        at.and_then(|at| names.get(at)).cloned().unwrap_or_default()
    };
    let number_name = fields.number.clone();
    let bar = |point: &ChartPoint| {
        Bar::new(point.x, point.y).name(&point.name).fill(ink).stroke(Stroke::NONE)
    };
    let bars = chart.points.iter().map(bar);
    let most = chart.points.iter().map(|point| point.y).fold(0.0, f64::max);
    let least = chart.points.iter().map(|point| point.y).fold(0.0, f64::min);
    let ends: Vec<Text> = chart
        .points
        .iter()
        .map(|point| {
            let align = if point.y < 0.0 { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
            let words = text::rich(format!(" {} ", digits(point.y)), text::small()).color(dim);
            Text::new("", PlotPoint::new(point.y, point.x), words).anchor(align)
        })
        .collect();
    let bars = BarChart::new(&fields.number, bars.collect())
        .color(ink)
        .width(BAR_WIDTH)
        // One below the other, so that a name has room next to its bar.
        .horizontal()
        .element_formatter(Box::new(move |bar, _| {
            format!("{}\n{number_name}: {}", visible(&bar.name), digits(bar.value))
        }));
    #[expect(clippy::cast_precision_loss, reason = "a few hundred bars")]
    let count = chart.points.len() as f64;
    plot.invert_y(true)
        .default_y_bounds(-0.7, count.clamp(BARS_MIN, BARS) - 0.3)
        .auto_bounds(Vec2b::new(true, false))
        .allow_zoom(Vec2b::new(false, false))
        .allow_drag(Vec2b::new(false, count > BARS))
        .y_grid_spacer(|input| bar_marks(&input))
        .x_grid_spacer(|input| number_marks(&input, NUMBER))
        .y_axis_formatter(name_of)
        .x_axis_formatter(|mark, _| digits(mark.value))
        .include_x(0.0)
        // Room for the numbers at the ends of the bars, and for the last mark.
        .include_x(most * 1.12)
        .include_x(least * 1.12)
        .show_grid(Vec2b::new(true, false))
        .show(ui, |plot| {
            plot.bar_chart(bars);
            for end in ends {
                plot.text(end);
            }
        })
        .response
}

fn line_ui(
    ui: &mut Ui,
    plot: Plot<'_>,
    zone: Zone,
    chart: &Chart,
    fields: &ChartFields,
) -> egui::Response {
    let ink = colors(ui).chart;
    let points: Vec<[f64; 2]> = chart.points.iter().map(|point| [point.x, point.y]).collect();
    let line = Line::new(&fields.number, points.clone()).color(ink).width(sizes::LINE_STRONG);
    let dots = Points::new(&fields.number, points).color(ink).radius(3.0);
    let is_time = chart.kind == ChartKind::Times;
    let plot = plot
        .allow_zoom(Vec2b::new(true, false))
        .allow_drag(Vec2b::new(true, false))
        .include_y(0.0)
        .y_axis_formatter(|mark, _| digits(mark.value))
        .x_axis_formatter(move |mark, _| {
            if is_time { time(zone, mark.value, mark.step_size) } else { digits(mark.value) }
        });
    let plot = plot.y_grid_spacer(|input| number_marks(&input, LINE)).x_grid_spacer(move |input| {
        if is_time { time_marks(&input) } else { number_marks(&input, NUMBER) }
    });
    let shown = plot.show(ui, |plot| {
        plot.line(line);
        plot.points(dots);
    });
    shown.response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_digits_that_say_nothing() {
        for (number, expected) in
            [(12.0, "12"), (0.25, "0.25"), (0.0, "0"), (-0.0, "0"), (-3.5, "-3.5")]
        {
            assert_eq!(digits(number), expected);
        }
    }

    #[test]
    fn marks_of_time_are_as_far_apart_as_people_count() {
        let input = |ms: f64| GridInput { bounds: (0.0, ms), base_step_size: ms / 100.0 };
        let marks = time_marks(&input(3_600e3));
        assert_eq!(
            marks.iter().map(|mark| mark.value).collect::<Vec<_>>(),
            [0.0, 900e3, 1_800e3, 2_700e3, 3_600e3]
        );
        let numbers = number_marks(&GridInput { bounds: (0.0, 97.0), base_step_size: 1.0 }, 11.0);
        let numbers: Vec<f64> = numbers.iter().map(|mark| mark.value).collect();
        assert_eq!(numbers, [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(time(Zone::Utc, 0.0, 86_400e3), "1970-01-01");
        assert_eq!(time(Zone::Utc, 0.0, 900e3), "01-01 00:00");
        assert_eq!(time(Zone::Utc, 0.0, 5e3), "00:00:00");
    }
}
