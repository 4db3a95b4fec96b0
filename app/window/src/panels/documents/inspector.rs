//! The chosen document: when it expires and why, all its fields, and copies of it as text.

use bson::{Bson, Document};
use egui::{Align, Layout, Ui};
use mayfly_engine::reply::{RuleVerdict, Verdict};

use super::value_editor::{self, EditStep};
use super::{copy, field_menu, words};
use crate::action::{Action, Actions, DocumentsAction, ViewAction};
use crate::panels::expiry::{self, server, words::hidden, words::stays};
use crate::panels::lesson::why;
use crate::state::documents::{
    DocumentsDraft, EditTarget, FieldEdit, FieldTask, FieldTaskKind, Focused, field_path,
};
use crate::state::lesson::why::Topic;
use crate::state::{Clock, State, Tab, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, bar, card, cell, empty_state, marks, menu, value};

pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) {
    let view = &tab.documents;
    let Some(focus) = &view.focus else {
        empty_state::hint(ui, "Select a document to see when and why it expires");
        return;
    };
    let title = marks::visible(&value::cut(&value::id(&focus.id), 80));
    ui.add(egui::Label::new(text::rich(title, text::title())).wrap());
    let verdict = focus.verdict.as_ref();
    // Reads don't return a hidden document; it still has a verdict.
    let hidden = verdict.filter(|verdict| is_hidden(state, tab, verdict));
    if focus.gone && hidden.is_none() {
        let words = "This document was removed. Showing its last known contents";
        ui.label(text::rich(words, text::small()).color(colors(ui).removed));
    }
    if !focus.gone && view.lacks_focused() {
        let words = "Not in this result";
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
    if let Some(verdict) = hidden.or_else(|| verdict.filter(|_| !focus.gone)) {
        verdict_ui(ui, state, tab, verdict, actions);
    }
    let Some(document) = &focus.document else {
        empty_state::hint(ui, "Loading the document");
        return;
    };
    buttons_ui(ui, tab, focus, document, actions);
    ui.add_space(sizes::GAP_TINY);
    fields_ui(ui, state, tab, draft, focus, document, actions);
}

/// Whether the document is past its threshold and reads hide it.
fn is_hidden(state: &State, tab: &Tab, verdict: &Verdict) -> bool {
    let first = verdict.first().filter(|_| state.tree.hides_expired(&tab.namespace.db));
    first.is_some_and(|first| {
        let is_on_modification = first.field == "_ts" || first.source.as_deref() == Some("item");
        is_on_modification && first.threshold_ms.is_some_and(|at| at <= state.now_ms())
    })
}

fn verdict_ui(ui: &mut Ui, state: &State, tab: &Tab, verdict: &Verdict, actions: &mut Actions) {
    let clock = &state.clock;
    if let Some(first) = verdict.first() {
        card::ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            let due = verdict.earliest_ms.zip(expiry::next_pass(state));
            if let Some((threshold_ms, next)) = due {
                let words = server::due(threshold_ms, clock.now_ms(), next, clock.zone());
                ui.label(text::rich(words, text::title()));
            } else if let (Some(earliest), Some(latest)) = (verdict.earliest_ms, verdict.latest_ms)
            {
                let removals = expiry::removals(state, tab);
                let words = if is_hidden(state, tab, verdict) {
                    hidden(removals, state.tree.removes_in_background(&tab.namespace.db))
                } else {
                    let stays = stays(removals).map(ToOwned::to_owned);
                    stays.unwrap_or_else(|| bracket(earliest, latest, clock))
                };
                ui.label(text::rich(words, text::title()));
            }
            rule_ui(ui, first);
        });
        if let Some(threshold_ms) = first.threshold_ms {
            remaining_ui(ui, clock, first.base_ms, threshold_ms, actions);
            if threshold_ms <= state.now_ms() && !is_hidden(state, tab, verdict) {
                why::link_ui(ui, state, Topic::OverdueIsFound, actions);
            }
        }
    }
    let others: Vec<&RuleVerdict> = verdict
        .rules
        .iter()
        .filter(|rule| verdict.winner.as_deref() != Some(rule.index.as_str()))
        .collect();
    if !others.is_empty() {
        card::ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            if verdict.winner.is_none() {
                ui.label(text::rich("Never expires", text::title()));
            }
            for rule in others {
                rule_ui(ui, rule);
            }
        });
    }
}

fn rule_ui(ui: &mut Ui, rule: &RuleVerdict) {
    let words = format!("Index {}: {}", marks::visible(&rule.index), rule.sentence);
    let ink = colors(ui).dim;
    ui.add(egui::Label::new(text::rich(words, text::body()).color(ink)).wrap());
}

/// Between which instants the document is removed.
fn bracket(earliest_ms: i64, latest_ms: i64, clock: &Clock) -> String {
    let zone = clock.zone();
    let same_day = earliest_ms.div_euclid(86_400_000) == clock.now_ms().div_euclid(86_400_000);
    let shown = |ms| if same_day { zone.time_of_day(ms) } else { zone.date_time(ms) };
    if clock.now_ms() >= earliest_ms {
        return "Will be removed by the next pass".to_owned();
    }
    if latest_ms - earliest_ms < 1_000 {
        return format!("Will be removed at {}", shown(earliest_ms));
    }
    format!("Will be removed between {} and {}", shown(earliest_ms), shown(latest_ms))
}

fn remaining_ui(
    ui: &mut Ui,
    clock: &Clock,
    base_ms: Option<i64>,
    threshold_ms: i64,
    actions: &mut Actions,
) {
    let rest = actions.count_down(clock, threshold_ms);
    let colors = colors(ui);
    let (name, digits, ink) = if rest > 0 {
        ("Remaining", duration::countdown(rest), colors.accent)
    } else {
        ("Overdue", duration::overdue(rest.saturating_neg()), colors.overdue)
    };
    card::ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(text::rich(name, text::body()));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let label = ui.label(text::rich(digits, text::figure()).color(ink));
                label.hint(format!("Expires at\n{}", clock.zone().both(threshold_ms)));
            });
        });
        let life = threshold_ms.saturating_sub(base_ms.unwrap_or(threshold_ms)).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a share of a bar")]
        let share = (1.0 - rest.max(0) as f32 / life as f32).clamp(0.0, 1.0);
        bar::ui(ui, share, ink, "Elapsed lifetime");
    });
}

fn buttons_ui(ui: &mut Ui, tab: &Tab, focus: &Focused, document: &Document, actions: &mut Actions) {
    let mut push = |action| actions.push(Action::Documents(tab.id, action));
    let mut copied = None;
    ui.horizontal_wrapped(|ui| {
        if !focus.gone {
            let edit = Button::plain("Edit").icon(Icon::Edit).small();
            if ui
                .add(edit.name("Edit as text").tooltip("Edit the whole document as text"))
                .clicked()
            {
                push(DocumentsAction::Edit(focus.id.clone()));
            }
            if ui.add(Button::plain("Clone").small().name("Clone this document")).clicked() {
                push(DocumentsAction::Clone(focus.id.clone()));
            }
        }
        let response = ui.add(Button::plain("Copy as").small().menu());
        menu::below(&response, |ui| copied = copy::forms_ui(ui, document));
    });
    if let Some(text) = copied {
        actions.push(Action::View(ViewAction::CopyLines(text)));
    }
}

fn fields_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    focus: &Focused,
    document: &Document,
    actions: &mut Actions,
) {
    // A value under edit belongs to the document that was opened, whatever became of it since.
    let same = |edit: &FieldEdit| edit.opened.get("_id") == Some(&focus.id);
    if draft.field.as_ref().is_some_and(|edit| !same(edit)) {
        draft.field = None;
    }
    if focus.gone && draft.field.is_none() {
        value::document_ui(ui, document);
        return;
    }
    let here = draft.field.as_ref().filter(|edit| !edit.in_list);
    let opened = here.map(|edit| edit.opened.clone());
    let place = here.map(|edit| (edit.path.clone(), edit.target == EditTarget::New));
    let editing = place.as_ref().map(|(path, is_new)| value::Editing { path, is_new: *is_new });
    let busy = tab.documents.writing.is_some();
    let is_editable = draft.field.is_none() && !focus.gone;
    let mut done = EditStep::Continue;
    let shown = opened.as_ref().unwrap_or(document);
    let mut editor = |ui: &mut Ui| {
        if let Some(edit) = draft.field.as_mut() {
            done = value_editor::ui(ui, edit, state, busy);
        }
    };
    let mut draw_menu = |ui: &mut Ui, path: &[usize]| {
        let names = field_path::names(shown, path).unwrap_or_default();
        let target = field_menu::Target {
            tab,
            id: Some(&focus.id),
            row: tab.documents.cursor.row,
            document: shown,
            names: &names,
            in_list: false,
            editable: is_editable,
        };
        field_menu::ui(ui, &target, actions);
    };
    let pressed = value::tree_ui(
        ui,
        shown,
        value::TreeEdit {
            editing,
            editable: is_editable,
            editor: &mut editor,
            menu: &mut draw_menu,
            hint: &|found| {
                let has_more = matches!(found, Bson::DateTime(_) | Bson::ObjectId(_));
                has_more.then(|| cell::hint(found, |ms| words::instant(ms, &state.clock)))
            },
        },
    );
    value_editor::finish(done, tab, draft, actions);
    if let Some(names) = pressed.and_then(|path| field_path::names(document, &path)) {
        let task = FieldTask { names, kind: FieldTaskKind::Edit };
        let action = DocumentsAction::Field { id: focus.id.clone(), task };
        actions.push(Action::Documents(tab.id, action));
    }
    if is_editable {
        let words = "Click the pencil to edit a value; right-click for more";
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
}
