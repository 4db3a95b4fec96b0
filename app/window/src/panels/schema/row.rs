//! The cells of one field.

use egui::{Align, Color32, Label, Layout, Rect, Role, Sense, Ui, WidgetInfo, vec2};

use super::{ttl, words};
use crate::action::{Action, IndexesAction, SchemaAction, ViewAction};
use crate::inspect::schema::{Field, Kind};
use crate::panels::tab_actions::SchemaActions;
use crate::state::schema::SchemaView;
use crate::state::{Tab, number};
use crate::theme::colors::faded;
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::{self, with_marks};
use crate::widgets::{Button, figure, histogram, menu, paint, value};

/// The color of a type.
pub(super) fn ink(kind: Kind, colors: &Colors) -> Color32 {
    match kind {
        Kind::String => colors.string,
        Kind::Int32 | Kind::Long | Kind::Double | Kind::Decimal => colors.chart,
        Kind::Date | Kind::Timestamp => colors.date,
        Kind::ObjectId | Kind::Binary => colors.id,
        Kind::Boolean => colors.accent,
        Kind::Null | Kind::Deprecated | Kind::MinKey | Kind::MaxKey => colors.removed,
        Kind::Object | Kind::Array | Kind::Code | Kind::Regex => colors.dim,
    }
}

pub(super) fn name_ui(
    ui: &mut Ui,
    view: &SchemaView,
    field: &Field,
    is_flat: bool,
    actions: &mut SchemaActions<'_>,
) {
    ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
    #[expect(clippy::cast_precision_loss, reason = "some levels")]
    let depth = field.path.depth() as f32;
    ui.add_space(sizes::GAP_TINY + depth * sizes::SCHEMA_INDENT);
    if field.has_inner {
        let is_open = view.open.contains(&field.path);
        let path = words::path(&field.path);
        let name = if is_open { format!("Fold {path}") } else { format!("Unfold {path}") };
        let icon = if is_open { Icon::Unfolded } else { Icon::Expand };
        let button = Button::icon_only(icon, &name).small().known_as(&path);
        if ui.add(button).clicked() {
            actions.push(SchemaAction::Fold(field.path.clone()));
        }
    } else if !is_flat {
        ui.add_space(sizes::CONTROL_SMALL + sizes::GAP_TINY);
    }
    let name = match field.path.name() {
        "" => "(empty name)".to_owned(),
        name => with_marks(name),
    };
    ui.add(Label::new(text::rich(name, text::strong())).truncate());
}

pub(super) fn kinds_ui(ui: &mut Ui, field: &Field) {
    let colors = colors(ui);
    let ink_of = |kind| ink(kind, colors);
    let parts: Vec<(Color32, u64)> =
        field.kinds.iter().map(|(kind, count)| (ink_of(*kind), *count)).collect();
    let words = words::kinds(field);
    let size = vec2(ui.available_width(), 30.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let bar = Rect::from_min_size(
        rect.left_bottom() - vec2(0.0, 6.0),
        vec2(rect.width() - sizes::GAP_SMALL, 4.0),
    );
    histogram::paint_shares(ui, bar, field.of, &parts);
    let place = rect.left_center() - vec2(0.0, 5.0);
    let ink = if let [(kind, _)] = field.kinds.as_slice() { ink_of(*kind) } else { colors.text };
    let width = rect.width() - sizes::GAP_SMALL;
    paint::text_at(ui, place, egui::Align2::LEFT_CENTER, &words, text::small(), ink, width);
    response.hint(words.as_str());
}

fn right(ui: &mut Ui, words: &str, ink: Color32) -> egui::Response {
    let right = Layout::right_to_left(Align::Center);
    ui.with_layout(right, |ui| figure::ui(ui, words, figure::mono(ink))).inner
}

pub(super) fn present_ui(ui: &mut Ui, field: &Field) {
    let words = words::share(field.seen, field.of);
    let ink = if field.missing() > 0 { colors(ui).text } else { colors(ui).dim };
    right(ui, &words, ink);
}

pub(super) fn distinct_ui(ui: &mut Ui, field: &Field) {
    let response = right(ui, &words::distinct(field), colors(ui).dim);
    if !field.is_exact {
        response.hint("An estimate, within about 3 %");
    }
}

pub(super) fn menu_ui(ui: &mut Ui, tab: &Tab, field: &Field, actions: &mut SchemaActions<'_>) {
    if menu::entry(ui, "Copy path", "", true).clicked() {
        let path = field.path.dotted().unwrap_or_else(|| field.path.to_string());
        actions.queue.push(Action::View(ViewAction::Copy(path)));
    }
    let Some(path) = field.path.dotted() else { return };
    let is_dates = tab.schema.schema.as_ref().is_some_and(|schema| schema.looks_like_dates(&path));
    if is_dates && menu::entry(ui, "Convert to dates…", "", true).clicked() {
        ttl::convert(tab, path.clone(), actions);
    }
    let has_ttl = tab.indexes.ttl().iter().any(|index| index.field == path);
    let can_expire = field.count_of(Kind::Date) > 0 && path != "_id" && !has_ttl;
    if can_expire && menu::entry(ui, "Create TTL index…", "", true).clicked() {
        actions.queue.push(Action::Indexes(actions.tab, IndexesAction::OpenCreateTtl(path)));
    }
}

/// The most frequent values in words, and their shares as a bar below.
fn top_ui(ui: &mut Ui, field: &Field) {
    let colors = colors(ui);
    let size = vec2(ui.available_width(), 30.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let rect = rect.with_max_x(rect.right() - sizes::GAP_SMALL);
    let (mut job, mut parts) = (egui::text::LayoutJob::default(), Vec::new());
    for (top, opacity) in field.top.iter().zip([1.0, 0.6, 0.35]) {
        let gap = if parts.is_empty() { 0.0 } else { sizes::GAP };
        job.append("", gap, egui::TextFormat::default());
        value::append_value(&mut job, &top.value, colors);
        let share = format!(" {}", words::share(top.count, field.seen));
        value_text::append(&mut job, &share, &text::small(), colors.dim, colors);
        parts.push((faded(colors.chart, opacity), top.count));
    }
    let words = job.text.clone();
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let bar = Rect::from_min_size(rect.left_bottom() - vec2(0.0, 6.0), vec2(rect.width(), 4.0));
    histogram::paint_shares(ui, bar, field.seen, &parts);
    value::line_in(ui, rect.with_max_y(bar.top() - 1.0), job);
    response.hint(words);
}

const NUMBERS: [Kind; 4] = [Kind::Int32, Kind::Long, Kind::Double, Kind::Decimal];

/// Whether more than half of the values, without the nulls, are of these types.
fn is_mostly(field: &Field, kinds: &[Kind]) -> bool {
    let count: u64 = kinds.iter().map(|kind| field.count_of(*kind)).sum();
    count * 2 > field.seen.saturating_sub(field.count_of(Kind::Null))
}

/// A chart of numbers or dates, the most frequent value, or how long arrays are.
pub(super) fn values_ui(ui: &mut Ui, field: &Field) {
    let colors = colors(ui);
    let is_date = is_mostly(field, &[Kind::Date]);
    let counts: Vec<u64> = match &field.times {
        Some(times) if is_date => times.bars.iter().map(|bar| bar.count).collect(),
        // A few numbers among texts are no picture of the field.
        _ if is_mostly(field, &NUMBERS) => field.numbers.iter().map(|bar| bar.count).collect(),
        _ => Vec::new(),
    };
    if counts.len() > 1 {
        let [width, height] = sizes::SCHEMA_SPARK;
        let size = vec2(width.min(ui.available_width()), height);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        histogram::paint(ui, rect, colors.chart, counts.into_iter());
        return;
    }
    // Where each value is another one, shares say nothing.
    if field.top.first().is_some_and(|top| top.count > 1) {
        top_ui(ui, field);
        return;
    }
    if let Some(shown) = field.top.first().map(|top| &top.value).or(field.examples.first()) {
        let mut job = egui::text::LayoutJob::default();
        value::append_value(&mut job, shown, colors);
        ui.add(Label::new(job).truncate());
        return;
    }
    let lengths = field.array_lengths;
    if lengths.count > 0 {
        let words = if lengths.min == lengths.max {
            number::counted(lengths.max, "element", "elements")
        } else {
            format!("{} to {} elements", number::count(lengths.min), number::count(lengths.max))
        };
        ui.add(Label::new(text::rich(words, text::small()).color(colors.dim)).truncate());
    }
}
