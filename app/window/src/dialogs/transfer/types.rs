//! The types of the fields: what the file has, what it becomes, and what does not convert.

use egui::{Label, ScrollArea, Ui};
use mayfly_engine::transfer::{FailedValue, SAMPLE_DOCS_MAX, TargetType, Unconverted};
use mayfly_engine::value::date_text::{DateForm, Detection, Order};

use super::options::zone_ui;
use super::parts::{ask, notice_ui};
use crate::action::{Actions, TransferAction};
use crate::job::FileLook;
use crate::state::transfer::ImportDraft;
use crate::state::transfer::types::{
    self, FieldRow, TypesDraft, decided_by, forms_words, instant, question, type_words,
};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, menu, tabs};

/// The height of the list without scrolling, in points.
const LIST_HEIGHT: f32 = 190.0;
/// The width of a field's name, in points.
const NAME: f32 = 190.0;
/// The width of the types in the file, in points.
const FOUND: f32 = 110.0;
/// The width of a layout that is typed, in points.
const LAYOUT: f32 = 220.0;
/// Between a value and what it becomes.
const ARROW: &str = "→";
/// Characters of a value in an example.
const VALUE_CHARS_MAX: usize = 40;

/// A change made while the list was drawn.
enum Change {
    Choose(String, Option<TargetType>),
    TypeLayout(String),
    LayoutTyped(String),
    Anchor(String, Option<String>),
    AnchorTyped(String),
}

/// Draws the fields. The file is read again when a type changes.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let Some(look) = draft.shown_look().cloned() else { return };
    let before = draft.read_options();
    let rows = draft.types.rows(&look).len();
    if rows == 0 && look.preview.paths.is_empty() {
        return;
    }
    let mut changes = Vec::new();
    card::ui(ui, |ui| {
        heading_ui(ui, &mut draft.types, look.preview.paths.len());
        if rows > 0 {
            let scroll = ScrollArea::vertical().id_salt("fields").auto_shrink([false, true]);
            // Else it would be as low as what is left of the dialog, which scrolls too.
            let scroll = scroll.max_height(LIST_HEIGHT).min_scrolled_height(LIST_HEIGHT);
            scroll.show(ui, |ui| {
                let mut drafts = draft.types.clone();
                for row in draft.types.rows(&look) {
                    row_ui(ui, row, &look, &mut drafts, &mut changes);
                }
                draft.types.layouts = drafts.layouts;
                draft.types.anchors = drafts.anchors;
            });
        }
        if !draft.types.types.is_empty() {
            options_ui(ui, draft);
        }
        if let Some(error) = draft.types.error() {
            notice_ui(ui, Icon::Warning, "Types", colors(ui).text, &error);
        }
    });
    for change in changes {
        make(change, &mut draft.types, state.now_ms());
    }
    if draft.read_options() != before {
        ask(actions, TransferAction::Look);
    }
}

fn make(change: Change, types: &mut TypesDraft, now_ms: i64) {
    match change {
        Change::Choose(path, to) => types.choose(&path, to),
        Change::TypeLayout(path) => {
            types.layouts.insert(path, String::new());
        }
        Change::LayoutTyped(path) => {
            types.layout_typed(&path);
        }
        Change::Anchor(path, anchor) => {
            match anchor {
                Some(anchor) => types.anchors.insert(path.clone(), anchor),
                None => types.anchors.remove(&path),
            };
            types.anchor_typed(&path, now_ms);
        }
        Change::AnchorTyped(path) => {
            types.anchor_typed(&path, now_ms);
        }
    }
}

fn heading_ui(ui: &mut Ui, types: &mut TypesDraft, paths: usize) {
    let ink = colors(ui).dim;
    ui.horizontal(|ui| {
        ui.label(text::rich("Types", text::strong()));
        let words = "Text and numbers never expire under a TTL index; dates do";
        ui.add(Label::new(text::rich(words, text::small()).color(ink)).truncate());
    });
    let words = number::counted(paths as u64, "field", "fields");
    ui.checkbox(&mut types.shows_all, format!("List all {words}"));
}

fn row_ui(
    ui: &mut Ui,
    row: FieldRow<'_>,
    look: &FileLook,
    drafts: &mut TypesDraft,
    changes: &mut Vec<Change>,
) {
    let path = &row.sample.path;
    let colors = colors(ui);
    ui.horizontal(|ui| {
        let name = text::rich(cut(&with_marks(path), VALUE_CHARS_MAX), text::mono());
        let size = egui::vec2(NAME, sizes::CONTROL);
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(size, left, |ui| {
            ui.set_min_width(NAME);
            ui.add(Label::new(name).truncate()).hint(with_marks(path));
        });
        let size = egui::vec2(FOUND, sizes::CONTROL);
        ui.allocate_ui_with_layout(size, left, |ui| {
            ui.set_min_width(FOUND);
            found_ui(ui, row);
        });
        ui.label(text::rich(ARROW, text::small()).color(colors.dim)).accessible_name("becomes");
        type_ui(ui, row, changes);
        if let Some(TargetType::Date(forms)) = row.field.map(|field| &field.to) {
            layout_ui(ui, row, forms, drafts, changes);
        }
    });
    ui.indent((path, "about"), |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        about_ui(ui, row, look, changes);
        if matches!(row.field.map(|field| &field.to), Some(TargetType::Date(_))) {
            distance_ui(ui, row, drafts, changes);
        }
    });
}

/// The types in the file.
fn found_ui(ui: &mut Ui, row: FieldRow<'_>) {
    let types = &row.sample.types;
    let kinds: Vec<&str> = types.iter().map(|(kind, _)| *kind).collect();
    let ink = colors(ui).dim;
    let label = Label::new(text::rich(kinds.join(", "), text::mono_small()).color(ink)).truncate();
    let counts = types.iter().map(|(kind, count)| format!("{} × {kind}", number::count(*count)));
    ui.add(label).hint(counts.collect::<Vec<_>>().join(", "));
}

/// The menu of types.
fn type_ui(ui: &mut Ui, row: FieldRow<'_>, changes: &mut Vec<Change>) {
    let path = &row.sample.path;
    let chosen = row.field.map(|field| &field.to);
    let name = format!("Type of {path}");
    let label = type_words(chosen);
    let button = ui.add(Button::plain(label).small().menu().name(&name));
    menu::below(&button, |ui| {
        let as_is = menu::choice(ui, type_words(None), chosen.is_none());
        if as_is.clicked() {
            changes.push(Change::Choose(path.clone(), None));
        }
        let declared = row.sample.declared.as_ref().and_then(|declared| declared.dates.clone());
        let forms = match (&row.sample.dates, declared) {
            (_, Some(form)) => vec![form],
            (Some(dates), None) => dates.forms.clone(),
            (None, None) => vec![DateForm::Iso],
        };
        let date = TargetType::Date(forms);
        let plain = TargetType::PLAIN.into_iter().map(|(to, _)| to);
        for to in std::iter::once(date).chain(plain) {
            let is_chosen = chosen.map(TargetType::name) == Some(to.name());
            if menu::choice(ui, type_words(Some(&to)), is_chosen).clicked() && !is_chosen {
                changes.push(Change::Choose(path.clone(), Some(to)));
            }
        }
    });
}

/// The menu of layouts, and the field for one that is not in it.
fn layout_ui(
    ui: &mut Ui,
    row: FieldRow<'_>,
    forms: &[DateForm],
    drafts: &mut TypesDraft,
    changes: &mut Vec<Change>,
) {
    let path = &row.sample.path;
    let name = format!("Layout of {path}");
    let detected = row.sample.dates.as_ref().map(|dates| dates.forms.as_slice());
    if let Some(typed) = drafts.layouts.get_mut(path) {
        let name = format!("Custom layout of {path}");
        let field = Field {
            name: &name,
            hint: "%Y-%m-%d %H:%M:%S",
            mono: true,
            invalid: DateForm::parse(typed).is_err(),
            width: Some(LAYOUT),
            ..Field::default()
        };
        if field.ui(ui, typed).changed() {
            changes.push(Change::LayoutTyped(path.clone()));
        }
        let back = format!("Choose the layout of {path} from the list");
        if ui.add(Button::icon_only(Icon::Close, &back).small()).clicked() {
            let forms = detected.filter(|forms| !forms.is_empty());
            let forms = forms.map_or_else(|| vec![DateForm::Iso], <[DateForm]>::to_vec);
            changes.push(Change::Choose(path.clone(), Some(TargetType::Date(forms))));
        }
        return;
    }
    let label = cut(&forms_words(forms), VALUE_CHARS_MAX);
    let button = ui.add(Button::ghost(&label).small().menu().name(&name));
    let others = [DateForm::Iso, DateForm::Seconds, DateForm::Millis].map(|form| vec![form]);
    menu::below(&button, |ui| {
        let detected = detected.filter(|forms| !forms.is_empty()).map(<[DateForm]>::to_vec);
        let listed = others.iter().filter(|forms| detected.as_ref() != Some(*forms)).cloned();
        for choice in detected.iter().cloned().chain(listed) {
            let is_chosen = choice == forms;
            if menu::choice(ui, &forms_words(&choice), is_chosen).clicked() && !is_chosen {
                changes.push(Change::Choose(path.clone(), Some(TargetType::Date(choice))));
            }
        }
        menu::line(ui);
        if menu::choice(ui, "Custom layout…", false).clicked() {
            changes.push(Change::TypeLayout(path.clone()));
        }
    });
}

/// An example and the counts of a field that converts, or the offer to convert it.
fn about_ui(ui: &mut Ui, row: FieldRow<'_>, look: &FileLook, changes: &mut Vec<Change>) {
    let path = &row.sample.path;
    let dates = row.sample.dates.as_ref();
    let is_date = |to: &TargetType| matches!(to, TargetType::Date(_));
    let is_asked = |to: &TargetType| matches!(to, TargetType::Date(forms) if forms.is_empty());
    let to = row.field.map(|field| &field.to);
    if to.is_some_and(|to| !is_asked(to)) {
        converted_ui(ui, row, look);
    }
    if let Some(declared) = row.sample.declared.as_ref().filter(|_| to.is_none()) {
        return dim(ui, &format!("The header says {}", with_marks(&declared.text)));
    }
    let Some(dates) = dates else { return };
    if let Order::Ask(_) = &dates.order
        && to.is_none_or(is_date)
    {
        question_ui(ui, path, dates, to, changes);
    } else if to.is_none() {
        offer_ui(ui, path, dates, changes);
    }
    if let Some(words) = decided_by(&dates.order).filter(|_| to.is_some_and(is_date)) {
        dim(ui, &with_marks(&words));
    }
}

fn dim(ui: &mut Ui, words: &str) {
    let ink = colors(ui).dim;
    ui.add(Label::new(text::rich(words, text::small()).color(ink)).wrap());
}

fn converted_ui(ui: &mut Ui, row: FieldRow<'_>, look: &FileLook) {
    let colors = colors(ui);
    let short = |words: &str| cut(&with_marks(words), VALUE_CHARS_MAX);
    ui.horizontal_wrapped(|ui| {
        if let Some((before, after)) = types::example(&look.preview, &row.sample.path) {
            ui.label(text::rich(short(&before), text::mono_small()).color(colors.dim));
            ui.label(text::rich(ARROW, text::small()).color(colors.dim)).accessible_name("becomes");
            ui.label(text::rich(short(&after), text::mono_small()).color(colors.accent));
        }
        let Some(counts) = row.counts else { return };
        let all = counts.converted + counts.failed;
        let Some(FailedValue { position, value, reason }) = &counts.first_failed else {
            let all = number::count(all);
            let words = if is_cut(row) {
                format!("the first {all} values convert")
            } else {
                format!("all {all} values convert")
            };
            ui.label(text::rich(words, text::small()).color(colors.dim));
            return;
        };
        let words = format!(
            "{} of {} do not convert; first in {}: {}, {reason}",
            number::count(counts.failed),
            number::counted(all, "value", "values"),
            position.start_words(),
            short(value),
        );
        ui.label(text::rich(words, text::small()).color(colors.text));
    });
}

/// Asks for the order of day and month.
fn question_ui(
    ui: &mut Ui,
    path: &str,
    dates: &Detection,
    to: Option<&TargetType>,
    changes: &mut Vec<Change>,
) {
    let Order::Ask(ways) = &dates.order else { return };
    let is_answered = |way: &[DateForm]| to == Some(&TargetType::Date(way.to_vec()));
    ui.horizontal_wrapped(|ui| {
        let words = question(&dates.order).unwrap_or_default();
        let is_open = !ways.iter().any(|way| is_answered(&way.forms));
        let ink = if is_open { colors(ui).text } else { colors(ui).dim };
        ui.label(text::rich(with_marks(&words), text::small()).color(ink));
        for way in ways {
            let label = match &way.example {
                Some(example) => {
                    let day = instant(example.millis);
                    let day = day.split(' ').next().unwrap_or_default();
                    format!("{}: {day}", way.order.label())
                }
                None => way.order.label().to_owned(),
            };
            let name = format!("{path}: {}", way.order.label());
            let button = Button::plain(&label).small().name(&name);
            let button = button.selected(is_answered(&way.forms));
            if ui.add(button).clicked() {
                let to = TargetType::Date(way.forms.clone());
                changes.push(Change::Choose(path.to_owned(), Some(to)));
            }
        }
    });
}

fn offer_ui(ui: &mut Ui, path: &str, dates: &Detection, changes: &mut Vec<Change>) {
    ui.horizontal_wrapped(|ui| {
        let words = format!(
            "{} of {} values look like dates ({})",
            number::count(dates.converts as u64),
            number::count(dates.values as u64),
            forms_words(&dates.forms),
        );
        ui.label(text::rich(words, text::small()).color(colors(ui).text));
        let name = format!("Convert {path} to dates");
        if ui.add(Button::plain("Convert").small().name(&name)).clicked() {
            let to = TargetType::Date(dates.forms.clone());
            changes.push(Change::Choose(path.to_owned(), Some(to)));
        }
    });
}

/// Whether the file may have more values than were looked at.
fn is_cut(row: FieldRow<'_>) -> bool {
    row.counts.is_some_and(|counts| counts.converted + counts.failed >= SAMPLE_DOCS_MAX)
}

/// Moves the dates of old data.
fn distance_ui(ui: &mut Ui, row: FieldRow<'_>, drafts: &mut TypesDraft, changes: &mut Vec<Change>) {
    let path = &row.sample.path;
    ui.horizontal(|ui| {
        let mut keeps = drafts.anchors.contains_key(path);
        let label = "Move the dates, so that now is";
        let checkbox = ui.checkbox(&mut keeps, label);
        let checkbox = checkbox.accessible_name(format!("Keep the distance of {path} to now"));
        let newest = row.counts.and_then(|counts| counts.newest_ms);
        if checkbox.changed() {
            let anchor = keeps.then(|| newest.map(instant).unwrap_or_default());
            changes.push(Change::Anchor(path.clone(), anchor));
        }
        if let Some(anchor) = drafts.anchors.get_mut(path) {
            let name = format!("Date of {path} that becomes now");
            let field = Field {
                name: &name,
                hint: "2026-01-31 12:00",
                mono: true,
                width: Some(LAYOUT),
                ..Field::default()
            };
            if field.ui(ui, anchor).changed() {
                changes.push(Change::AnchorTyped(path.clone()));
            }
        } else {
            let words = newest.map_or_else(
                || "a date that you choose".to_owned(),
                |newest| {
                    let among = if is_cut(row) {
                        format!(" of the first {}", number::count(SAMPLE_DOCS_MAX))
                    } else {
                        String::new()
                    };
                    format!("the newest{among}, {}", instant(newest))
                },
            );
            dim(ui, &words);
        }
    });
}

/// The options of all fields.
fn options_ui(ui: &mut Ui, draft: &mut ImportDraft) {
    ui.horizontal_wrapped(|ui| {
        let ink = colors(ui).dim;
        ui.label(text::rich("What does not convert", text::small()).color(ink));
        let types = &mut draft.types.types;
        let chosen = Unconverted::ALL.iter().position(|(known, _)| *known == types.unconverted);
        let words = ["Keep as it is", "Null", "Reject the document"];
        let pressed = tabs::segmented(ui, "What does not convert", &words, chosen.unwrap_or(0));
        if let Some((unconverted, _)) = pressed.and_then(|at| Unconverted::ALL.get(at)) {
            types.unconverted = *unconverted;
        }
        if types.has_dates() {
            ui.label(text::rich("Time zone", text::small()).color(ink));
            zone_ui(ui, "Time zone for dates in text", draft);
        }
    });
    if let Some(error) = draft.zone_error() {
        ui.label(text::rich(error, text::small()).color(colors(ui).error));
    }
}
