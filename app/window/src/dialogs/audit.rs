//! The TTL audit: findings at the left, worst first; the chosen one whole at the right.

use std::iter;

use egui::{
    Align, AtomExt as _, Color32, Context, Grid, IntoAtoms, Layout, RichText, ScrollArea, Ui, vec2,
};
use mayfly_engine::reply::PassSpan;

use super::frame::DialogFrame;
use super::words::{command_ui, quiet};
use crate::action::{Action, Actions, AuditAction, LessonAction};
use crate::inspect::audit::facts::{Ahead, CollectionFacts};
use crate::inspect::audit::{Audit, Finding, Severity, form};
use crate::job::lesson::LessonSource;
use crate::state::audit::{AuditView, Stage, Way};
use crate::state::{State, duration, number};
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::histogram::{self, Column};
use crate::widgets::value::cut;
use crate::widgets::{Button, empty_state};

/// The width of the list, in points.
const LIST: f32 = 330.0;

/// The parts around the content: a share of the window above it, and title, buttons and margins in points.
const ABOVE_SHARE: f32 = 0.12;
const AROUND: f32 = 240.0;

/// The least and the largest height of the content.
const HEIGHT: std::ops::RangeInclusive<f32> = 180.0..=620.0;

/// The height of a chart, in points.
const CHART: f32 = 64.0;

/// The height of a row of the table, in points.
const ROW_HEIGHT: f32 = 22.0;

/// Characters of a finding in the list.
const ROW_CHARS_MAX: usize = 110;

const DAY_MS: i64 = 86_400_000;

const QUARTER_MS: i64 = 900_000;

pub fn ui(context: &Context, view: &mut AuditView, state: &State, actions: &mut Actions) {
    let (subtitle, progress) = match &view.stage {
        Stage::Reading(progress) => (format!("{progress}…"), None),
        Stage::Done(audit) => (format!("Findings: {}", form::counts(audit)), None),
        Stage::Failed(sentence) => ("No audit".to_owned(), Some(sentence.as_str())),
    };
    let is_done = matches!(view.stage, Stage::Done(_));
    let save = Button::plain("Save as page…").tooltip("Write the audit to one HTML file");
    let again = Button::plain("Audit again").tooltip("Read everything again");
    let stop = Button::plain("Stop here").tooltip("Read no further, and show what was read");
    let frame = DialogFrame::new(format!("TTL audit of {}", state.store.name))
        .subtitle(subtitle)
        .width(sizes::DIALOG_CALENDAR)
        .done("Done")
        .error(progress);
    let frame = match &view.stage {
        Stage::Reading(_) => frame.button(stop, AuditAction::Stop),
        _ => {
            frame.button(save.enabled(is_done), AuditAction::Save).button(again, AuditAction::Again)
        }
    };
    let outcome = frame.ui(context, |ui| content_ui(ui, view, state, actions));
    if let Some(action) = outcome.end(actions) {
        actions.push(Action::Audit(action));
    }
}

fn content_ui(ui: &mut Ui, view: &AuditView, state: &State, actions: &mut Actions) {
    let window = ui.ctx().content_rect().height();
    let height = (window * (1.0 - ABOVE_SHARE) - AROUND).clamp(*HEIGHT.start(), *HEIGHT.end());
    let Stage::Done(audit) = &view.stage else {
        ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
            ui.set_min_height(height);
            if matches!(view.stage, Stage::Reading(_)) {
                empty_state::hint(ui, "Reads only: nothing is changed");
            }
        });
        return;
    };
    let list = LIST.min(ui.available_width() / 3.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.allocate_ui(vec2(list, height), |ui| {
            ui.set_max_width(list);
            ui.vertical(|ui| list_ui(ui, audit, view.selected, actions));
        });
        let size = vec2(ui.available_width(), height);
        ui.allocate_ui(size, |ui| {
            ui.vertical(|ui| {
                let id = ("audit", view.selected);
                ScrollArea::vertical().id_salt(id).auto_shrink(false).show(ui, |ui| {
                    // The scroll bar has its own place.
                    ui.set_max_width(ui.available_width() - sizes::GAP);
                    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
                    match view.shown() {
                        Some(finding) => finding_ui(ui, audit, finding, state, actions),
                        None => overview_ui(ui, audit, state),
                    }
                });
            });
        });
    });
}

fn list_ui(ui: &mut Ui, audit: &Audit, selected: Option<usize>, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = 2.0;
    ScrollArea::vertical().id_salt("audit list").auto_shrink(false).show(ui, |ui| {
        ui.set_max_width(ui.available_width() - sizes::GAP);
        let overview = text::rich("Overview", text::body());
        if row_ui(ui, overview, "Overview", selected.is_none()) {
            actions.push(Action::Audit(AuditAction::Select(None)));
        }
        if audit.findings.is_empty() {
            empty_state::hint(ui, form::nothing_found(&audit.facts));
        }
        for (at, finding) in audit.findings.iter().enumerate() {
            let colors = colors(ui);
            let sentence = cut(&finding.sentence, ROW_CHARS_MAX);
            let icon = icon(finding.severity).text().color(ink(finding.severity, colors));
            let words = text::rich(&sentence, text::body()).color(colors.text);
            let name = format!("{}: {sentence}", word(finding.severity));
            if row_ui(ui, (icon, words.atom_shrink(true)), &name, selected == Some(at)) {
                actions.push(Action::Audit(AuditAction::Select(Some(at))));
            }
        }
    });
}

/// A line of the list. Returns whether it was pressed.
fn row_ui<'a>(ui: &mut Ui, words: impl IntoAtoms<'a>, name: &str, is_chosen: bool) -> bool {
    let button = egui::Button::selectable(is_chosen, words);
    let size = vec2(ui.available_width(), sizes::CONTROL);
    ui.add(button.wrap().min_size(size)).accessible_name(name).clicked()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Note",
    }
}

fn icon(severity: Severity) -> Icon {
    match severity {
        Severity::Error => Icon::Error,
        Severity::Warning => Icon::Warning,
        Severity::Info => Icon::Info,
    }
}

fn ink(severity: Severity, colors: &Colors) -> Color32 {
    match severity {
        Severity::Error => colors.error,
        Severity::Warning => colors.overdue,
        Severity::Info => colors.dim,
    }
}

fn finding_ui(ui: &mut Ui, audit: &Audit, finding: &Finding, state: &State, actions: &mut Actions) {
    let ink = ink(finding.severity, colors(ui));
    let place = form::place(finding);
    let at = if place.is_empty() { String::new() } else { format!(" · {place}") };
    let heading = format!("{}{at}", word(finding.severity));
    ui.label(text::rich(&heading, text::small()).color(ink));
    ui.label(text::rich(&finding.sentence, text::title()).color(colors(ui).text));
    let examples = finding.examples.iter().map(|one| format!("Example: {}", form::example(one)));
    for line in finding.evidence.iter().cloned().chain(form::sample(finding)).chain(examples) {
        ui.label(text::rich(&line, text::body()).color(colors(ui).dim));
    }
    ui.add_space(sizes::GAP_TINY);
    ui.label(text::rich(&finding.mend.sentence, text::body()).color(colors(ui).text));
    // A script may be longer than the dialog is high.
    ui.horizontal(|ui| {
        if let Some(way) = Way::of(audit, finding) {
            let mend = Button::plain(way.label()).tooltip("Close the audit and go there");
            if ui.add(mend).clicked() {
                actions.push(Action::Audit(AuditAction::Mend));
            }
        }
        if let Some(slug) = finding.id.lesson() {
            let learn = Button::plain("Open the lesson").tooltip("Learn by doing, in a sandbox");
            if ui.add(learn).clicked() {
                let source = LessonSource::Shipped(slug.to_owned());
                actions.push(Action::Lesson(LessonAction::Open(source)));
            }
        }
    });
    if let Some(command) = &finding.mend.command {
        command_ui(ui, "Command that mends it", command, actions);
    }
    let of = |it: &&CollectionFacts| Some(&it.namespace) == finding.place.namespace.as_ref();
    if let Some(collection) = audit.facts.collections.iter().find(of) {
        let row = form::ahead(collection).map(|cells| (collection.namespace.to_string(), cells));
        collections_ui(ui, row.as_slice());
        if let Some(ahead) = &collection.ahead {
            days_ui(ui, &[ahead], audit.facts.now_ms, state);
        }
    }
}

fn overview_ui(ui: &mut Ui, audit: &Audit, state: &State) {
    let facts = &audit.facts;
    for sentence in iter::once(form::monitor(facts)).chain(form::pace(facts)) {
        ui.label(text::rich(&sentence, text::body()).color(colors(ui).text));
    }
    quiet(ui, &form::effort(facts));
    for line in form::not_finished(facts) {
        let words = format!("Not finished: {line}");
        ui.label(text::rich(&words, text::body()).color(colors(ui).overdue));
    }
    if !facts.is_server {
        passes_ui(ui, &facts.history, facts.now_ms, state);
    }
    let (rows, further) = form::table(facts);
    collections_ui(ui, &rows);
    if let Some(words) = form::further(further) {
        quiet(ui, &words);
    }
    let ahead: Vec<&Ahead> = form::ruled(facts).filter_map(|it| it.ahead.as_ref()).collect();
    days_ui(ui, &ahead, facts.now_ms, state);
}

/// The documents that the passes of the last day removed and left.
fn passes_ui(ui: &mut Ui, passes: &[PassSpan], now_ms: i64, state: &State) {
    heading_ui(ui, "The last 24 hours");
    if passes.is_empty() {
        return quiet(ui, "No pass was made");
    }
    let quarters = quarters(passes, now_ms);
    let bars = |what: &str, count: fn(&PassSpan) -> u64| -> Vec<Column> {
        let bar = |span: &PassSpan| {
            let time = state.clock.zone().time_of_day(span.at_ms);
            let lag = duration::span(i64::try_from(span.lag_p99_ms).unwrap_or(i64::MAX));
            let documents = number::counted(count(span), "document", "documents");
            let passes = number::counted(span.passes, "pass", "passes");
            let name = format!("{time}: {what} {documents} in {passes}, lag {lag}");
            Column { name, count: count(span) }
        };
        quarters.iter().map(bar).collect()
    };
    quiet(ui, "Removed in each quarter of an hour");
    let removed = bars("removed", |span| span.removed);
    histogram::ui(ui, CHART, colors(ui).chart, false, &removed);
    if passes.iter().any(|span| span.left > 0) {
        quiet(ui, "Overdue and left");
        let left = bars("left", |span| span.left);
        histogram::ui(ui, CHART, colors(ui).overdue, false, &left);
    }
}

/// The passes of each quarter of an hour of the day before this instant.
fn quarters(passes: &[PassSpan], now_ms: i64) -> Vec<PassSpan> {
    let from_ms = now_ms.saturating_sub(DAY_MS);
    let begins = (0..DAY_MS / QUARTER_MS).map(|at| from_ms.saturating_add(at * QUARTER_MS));
    let mut quarters: Vec<PassSpan> = begins
        .map(|at_ms| PassSpan { at_ms, secs: QUARTER_MS / 1_000, ..PassSpan::default() })
        .collect();
    for span in passes {
        let at = span.at_ms.saturating_sub(from_ms).max(0) / QUARTER_MS;
        let quarter = usize::try_from(at).ok().and_then(|at| quarters.get_mut(at));
        let Some(quarter) = quarter else { continue };
        quarter.passes += span.passes;
        quarter.removed = quarter.removed.saturating_add(span.removed);
        quarter.left = quarter.left.max(span.left);
        quarter.lag_p99_ms = quarter.lag_p99_ms.max(span.lag_p99_ms);
    }
    quarters
}

fn heading_ui(ui: &mut Ui, words: &str) {
    ui.add_space(sizes::GAP_TINY);
    ui.label(text::rich(words, text::title()).color(colors(ui).text));
}

/// The documents that the rules of these collections remove, by time.
fn collections_ui(ui: &mut Ui, rows: &[(String, [String; 6])]) {
    if rows.is_empty() {
        return;
    }
    heading_ui(ui, "Documents that expire");
    let grid = Grid::new("audit ahead").spacing([sizes::GAP_LARGE, sizes::GAP_TINY]);
    grid.min_row_height(ROW_HEIGHT).show(ui, |ui| {
        ui.label(text::rich("collection", text::small()).color(colors(ui).dim));
        for column in form::AHEAD {
            right_ui(ui, text::rich(column, text::small()).color(colors(ui).dim));
        }
        ui.end_row();
        for (name, cells) in rows {
            ui.label(text::rich(cut(name, ROW_CHARS_MAX / 3), text::body()).color(colors(ui).text));
            for cell in cells {
                right_ui(ui, text::rich(cell, text::mono()).color(colors(ui).text));
            }
            ui.end_row();
        }
    });
}

/// A cell whose text ends where the column does.
fn right_ui(ui: &mut Ui, words: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(words));
}

/// The documents that expire on each of the next days, over these rules.
fn days_ui(ui: &mut Ui, ahead: &[&Ahead], now_ms: i64, state: &State) {
    let count = ahead.iter().map(|it| it.days.counts.len()).max().unwrap_or(0);
    let about = if ahead.iter().all(|it| it.days.is_exact) { "" } else { "about " };
    let day = |at: usize| {
        let of = ahead.iter().filter_map(|it| it.days.counts.get(at).copied());
        let documents = of.fold(0, u64::saturating_add);
        let from_ms = now_ms.saturating_add(i64::try_from(at).unwrap_or(0).saturating_mul(DAY_MS));
        let words = number::counted(documents, "document", "documents");
        Column {
            name: format!("{}: {about}{words}", state.clock.zone().date_time(from_ms)),
            count: documents,
        }
    };
    let bars: Vec<Column> = (0..count).map(day).collect();
    if bars.iter().all(|bar| bar.count == 0) {
        return;
    }
    heading_ui(ui, "The next 30 days");
    histogram::ui(ui, CHART, colors(ui).chart, false, &bars);
    quiet(ui, "From now, in days of 24 hours");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_added_up_in_their_quarter_of_the_day() {
        let now_ms = 10 * DAY_MS;
        let span = |before_ms: i64, removed: u64| {
            let at_ms = now_ms - before_ms;
            PassSpan { at_ms, secs: 60, passes: 1, removed, left: removed, ..PassSpan::default() }
        };
        let passes = [span(DAY_MS, 1), span(DAY_MS - 60_000, 2), span(60_000, 5)];
        let found = quarters(&passes, now_ms);
        assert_eq!(found.len(), 96);
        let of = |at: usize| (found[at].passes, found[at].removed, found[at].left);
        assert_eq!((of(0), of(1), of(95)), ((2, 3, 2), (0, 0, 0), (1, 5, 5)));
    }
}
