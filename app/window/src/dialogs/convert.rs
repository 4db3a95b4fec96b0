//! Converts a field to dates: how it is written, before and after, what fails, and the command.

use bson::Bson;
use egui::{Context, Label, ScrollArea, Ui};
use mayfly_engine::reply::DocCount;
use mayfly_engine::transfer::{Leniency, Unconverted};
use mayfly_engine::value::date_text::{DateForm, Order};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use super::words::{close, quiet};
use crate::action::{Action, Actions, ConvertAction};
use crate::job::Write;
use crate::job::convert::{Conversion, failing_words};
use crate::state::convert::{ConvertCounts, ConvertDraft};
use crate::state::documents::undo_words::{obstacle, words};
use crate::state::transfer::Loadable;
use crate::state::transfer::types::{decided_by, forms_words, instant, question, value_words};
use crate::state::{Namespace, State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{self, Field};
use crate::widgets::value::cut;
use crate::widgets::value_text::{self, Kind, with_marks};
use crate::widgets::{Button, card, empty_state, menu, tabs};

/// The height of the preview without scrolling, in points.
const ROWS_HEIGHT: f32 = 150.0;
/// The height of the fields once the values were read, in points.
const FIELDS_HEIGHT: f32 = 434.0;
/// The width of a layout that is typed, in points.
const LAYOUT: f32 = 260.0;
/// The width of a zone, in points.
const ZONE: f32 = 160.0;
/// Fields that are offered.
const FIELDS_MAX: usize = 4;
/// Characters of a value.
const VALUE_CHARS_MAX: usize = 48;

/// Said above the command: an update of many with a pipeline could not be undone field by field.
const STEPS: &str =
    "// The same in one command. Mayfly sets each date with an update by _id, in steps";

pub fn ui(context: &Context, draft: &mut ConvertDraft, state: &State, actions: &mut Actions) {
    let Some(namespace) = draft.namespace.clone() else { return close(actions) };
    let before = (draft.path.clone(), draft.conversion());
    let subtitle = format!("{namespace}: a TTL removes documents by dates, not by text or numbers");
    let label = match draft.changes() {
        Some(DocCount::Exact(count)) => {
            format!("Convert {}", number::counted(count, "value", "values"))
        }
        Some(count) => format!("Convert {} values", number::documents_and_bounds(count).0),
        None => "Convert".to_owned(),
    };
    let is_ready = draft.conversion().is_ok() && draft.changes().is_some_and(|it| it.likely() > 0);
    let command = draft.conversion().ok().map(|found| command_text(&found, &namespace));
    let button = Button::primary(&label).enabled(is_ready).room_for("Convert 1,000,000 values");
    let frame = DialogFrame::new("Convert field to dates")
        .subtitle(subtitle)
        .width(sizes::DIALOG_WIDE)
        .height(FIELDS_HEIGHT)
        .warning(ttl_words(draft))
        .command_named("Command", "", command)
        .button(button, ());
    let outcome = frame.ui(context, |ui| {
        path_ui(ui, draft);
        detected_ui(ui, draft);
        choices_ui(ui, draft);
        preview_ui(ui, draft);
        if draft.conversion().is_ok() {
            let obstacle =
                obstacle(&state.tree, state.store.connection.as_ref(), &namespace, Write::Merge);
            quiet(ui, &words(draft.undo_bytes(), obstacle));
        }
    });
    if outcome.end(actions).is_some() {
        actions.push(Action::Convert(ConvertAction::Start));
    } else if draft.path != before.0 {
        actions.push(Action::Convert(ConvertAction::Sample));
    } else if draft.conversion() != before.1 {
        actions.push(Action::Convert(ConvertAction::Look));
    }
}

/// The command of the whole change, after the check that it needs.
fn command_text(conversion: &Conversion, namespace: &Namespace) -> String {
    let Namespace { db, collection } = namespace;
    let update = write_command(db, &conversion.update(collection));
    let update = format!("{STEPS}\n{update}");
    if conversion.unconverted != Unconverted::Reject {
        return update;
    }
    let check = write_command(db, &conversion.check(collection));
    format!("// First, this has to find no document\n{check}\n{update}")
}

/// The field, with those of the collection to choose from.
fn path_ui(ui: &mut Ui, draft: &mut ConvertDraft) {
    let known = draft.fields.here().cloned().unwrap_or_default();
    field::labelled(ui, "Field", None, |ui| {
        ui.horizontal(|ui| {
            let field = Field {
                name: "Field to convert",
                hint: "created.at",
                mono: true,
                width: Some(LAYOUT),
                ..Field::default()
            };
            field.ui(ui, &mut draft.path);
            if !known.is_empty() {
                ui.add_space(sizes::GAP_SMALL);
                quiet(ui, "Look like dates:");
            }
            for path in known.iter().take(FIELDS_MAX) {
                let name = format!("Convert {path}");
                let label = cut(&with_marks(path), VALUE_CHARS_MAX);
                let button = Button::plain(&label).small().selected(*path == draft.path);
                if ui.add(button.name(&name)).clicked() {
                    draft.path.clone_from(path);
                }
            }
        });
    });
}

/// How the values are written, and what says so.
fn detected_ui(ui: &mut Ui, draft: &mut ConvertDraft) {
    let path = draft.path.trim().to_owned();
    let found = match &draft.detected {
        Loadable::Nothing => return,
        Loadable::Waiting(_) => return empty_state::hint(ui, "Reading values…"),
        Loadable::Failed(error) => {
            ui.label(text::rich(error, text::body()).color(colors(ui).error));
            return;
        }
        Loadable::Here(None) => {
            let words = format!(
                "{} holds no text and no numbers that look like dates. Enter a layout if they are",
                with_marks(&path)
            );
            return quiet(ui, &words);
        }
        Loadable::Here(Some(found)) => found.clone(),
    };
    let words = format!(
        "{} of {} sampled values look like dates",
        number::count(found.converts as u64),
        number::count(found.values as u64),
    );
    quiet(ui, &words);
    if let Some(words) = decided_by(&found.order) {
        quiet(ui, &with_marks(&words));
    }
    let Order::Ask(ways) = &found.order else { return };
    ui.horizontal_wrapped(|ui| {
        let is_open = !ways.iter().any(|way| way.forms == draft.forms);
        let ink = if is_open { colors(ui).text } else { colors(ui).dim };
        let words = question(&found.order).unwrap_or_default();
        ui.label(text::rich(with_marks(&words), text::small()).color(ink));
        for way in ways {
            let day = way.example.as_ref().map(|example| instant(example.millis));
            let day = day.as_deref().and_then(|day| day.split(' ').next());
            let label = match day {
                Some(day) => format!("{}: {day}", way.order.label()),
                None => way.order.label().to_owned(),
            };
            let is_chosen = way.forms == draft.forms && draft.layout.is_none();
            let button = Button::plain(&label).small().selected(is_chosen);
            if ui.add(button.name(way.order.label())).clicked() {
                draft.forms.clone_from(&way.forms);
                draft.layout = None;
            }
        }
    });
}

/// Layout, zone, and what happens to the rest.
fn choices_ui(ui: &mut Ui, draft: &mut ConvertDraft) {
    ui.horizontal_wrapped(|ui| {
        quiet(ui, "Layout");
        layout_ui(ui, draft);
        quiet(ui, "Time zone");
        let field = Field {
            name: "Time zone for dates in text",
            hint: "UTC",
            mono: true,
            invalid: Leniency::read_zone(&draft.zone).is_err(),
            width: Some(ZONE),
            ..Field::default()
        };
        field.ui(ui, &mut draft.zone);
    });
    ui.horizontal(|ui| {
        quiet(ui, "What does not convert");
        let chosen = Unconverted::ALL.iter().position(|(known, _)| *known == draft.unconverted);
        let words = ["Keep as it is", "Null", "Convert nothing"];
        let pressed = tabs::segmented(ui, "What does not convert", &words, chosen.unwrap_or(0));
        if let Some((unconverted, _)) = pressed.and_then(|at| Unconverted::ALL.get(at)) {
            draft.unconverted = *unconverted;
        }
    });
    let is_known = matches!(draft.detected, Loadable::Here(_));
    if let Err(error) = draft.conversion()
        && is_known
    {
        ui.label(text::rich(error, text::small()).color(colors(ui).text));
    }
}

fn layout_ui(ui: &mut Ui, draft: &mut ConvertDraft) {
    if let Some(typed) = &mut draft.layout {
        let field = Field {
            name: "Custom layout",
            hint: "%Y-%m-%d %H:%M:%S",
            mono: true,
            invalid: DateForm::parse(typed).is_err(),
            width: Some(LAYOUT),
            ..Field::default()
        };
        field.ui(ui, typed);
        if ui.add(Button::plain("From the list").small()).clicked() {
            draft.layout = None;
        }
        return;
    }
    let label = match draft.forms.as_slice() {
        [] => "Choose a layout".to_owned(),
        forms => cut(&forms_words(forms), VALUE_CHARS_MAX),
    };
    let button = ui.add(Button::plain(&label).small().menu().name("Layout"));
    let detected = draft.detected.here().and_then(Option::as_ref).map(|found| found.forms.clone());
    let detected = detected.filter(|forms| !forms.is_empty());
    let others = [DateForm::Iso, DateForm::Seconds, DateForm::Millis].map(|form| vec![form]);
    menu::below(&button, |ui| {
        let listed = others.iter().filter(|forms| detected.as_ref() != Some(*forms)).cloned();
        for choice in detected.iter().cloned().chain(listed) {
            if menu::choice(ui, &forms_words(&choice), choice == draft.forms).clicked() {
                draft.forms = choice;
            }
        }
        menu::line(ui);
        if menu::choice(ui, "Custom layout…", false).clicked() {
            draft.layout = Some(String::new());
        }
    });
}

/// Values before and after, and what does not convert.
fn preview_ui(ui: &mut Ui, draft: &ConvertDraft) {
    let colors = colors(ui);
    match &draft.preview {
        Loadable::Nothing => return,
        Loadable::Waiting(_) => empty_state::hint(ui, "Converting a few values…"),
        Loadable::Failed(error) => {
            ui.label(text::rich(error, text::body()).color(colors.error));
        }
        Loadable::Here(rows) => {
            card::ui(ui, |ui| rows_ui(ui, rows));
        }
    }
    match &draft.counts {
        Loadable::Nothing => {}
        Loadable::Waiting(_) => quiet(ui, "Counting…"),
        Loadable::Failed(error) => {
            ui.label(text::rich(error, text::small()).color(colors.error));
        }
        Loadable::Here(counts) if counts.fails == 0 => quiet(ui, &counts_words(counts)),
        Loadable::Here(counts) => {
            let stops = match draft.unconverted {
                Unconverted::Reject => ", so nothing will be converted",
                Unconverted::Keep | Unconverted::Null => "",
            };
            let words = format!("{}{}{stops}", counts_words(counts), failing(draft));
            ui.add(Label::new(text::rich(words, text::small()).color(colors.text)).wrap());
        }
    }
}

/// How many values convert, of those that were read: on a server these may not be all.
fn counts_words(counts: &ConvertCounts) -> String {
    let ConvertCounts { converts, fails, of, .. } = *counts;
    let converting = number::counted(converts, "value converts", "values convert");
    let (failing, none) = match fails {
        0 => ("none fails".to_owned(), "; "),
        _ => (number::counted(fails, "does not", "do not"), ", "),
    };
    let words = format!("{converting}{none}{failing}");
    match of {
        None => words,
        Some(DocCount::Exact(all)) => {
            let all = number::counted(all, "document", "documents");
            format!("{all} may have such a value. Of those that were read, {words}")
        }
        Some(_) => format!(
            "The server could not count the documents in time. Of those that were read, {words}"
        ),
    }
}

/// Some values that do not convert, and why.
fn failing(draft: &ConvertDraft) -> String {
    let (Some(values), Ok(conversion)) = (draft.failing.here(), draft.conversion()) else {
        return String::new();
    };
    let words = with_marks(&failing_words(&conversion, values));
    if words.is_empty() { words } else { format!(" ({words})") }
}

fn rows_ui(ui: &mut Ui, rows: &[(Bson, Bson)]) {
    if rows.is_empty() {
        return empty_state::hint(ui, "No values to convert");
    }
    let colors = colors(ui);
    let scroll = ScrollArea::vertical().id_salt("values").auto_shrink([false, true]);
    let scroll = scroll.max_height(ROWS_HEIGHT).min_scrolled_height(ROWS_HEIGHT);
    scroll.show(ui, |ui| {
        let grid = egui::Grid::new("values").num_columns(2).min_col_width(220.0);
        grid.spacing(egui::vec2(sizes::GAP_LARGE, sizes::GAP_TINY)).show(ui, |ui| {
            ui.label(text::rich("Before", text::strong()));
            ui.label(text::rich("After", text::strong()));
            ui.end_row();
            for (before, after) in rows {
                let short = |value: &Bson| cut(&value_words(value), VALUE_CHARS_MAX);
                let job = value_text::job(&short(before), Kind::of(before), colors);
                ui.add(Label::new(job).truncate());
                if *after == Bson::Null {
                    let words = text::rich("does not convert", text::small());
                    ui.label(words.color(colors.dim));
                } else {
                    let job = value_text::job(&short(after), Kind::of(after), colors);
                    ui.add(Label::new(job).truncate());
                }
                ui.end_row();
            }
        });
    });
}

/// The effect of a TTL index on the field.
fn ttl_words(draft: &ConvertDraft) -> Option<String> {
    let (index, _) = draft.ttl.as_ref()?;
    let counts = draft.counts.here()?;
    let of = if counts.of.is_some() { "of those that were read, " } else { "" };
    let words = match counts.due {
        0 => "no value becomes a date past its threshold".to_owned(),
        due => {
            let due = number::counted(due, "value becomes a date", "values become dates");
            format!("{due} past the threshold, and the next pass removes the documents")
        }
    };
    Some(format!("{} is a TTL index on this field: {of}{words}", with_marks(index)))
}
