//! The chosen document: when it expires and why, all its fields, and copies of it as text.

use bson::{Bson, Document, RawDocumentBuf};
use egui::{Align, Id, Key, Layout, Ui};
use mayfly_engine::reply::{RuleVerdict, Verdict};
use mayfly_engine::value::extjson::{self, Style};
use mayfly_engine::value::{Layout as Lines, shell};

use crate::action::{Action, Actions, DocumentsAction, ViewAction};
use crate::panels::expiry::{self, words::hidden, words::stays};
use crate::panels::lesson::why;
use crate::state::documents::{DocumentsDraft, FieldEdit, FieldKind, Focused};
use crate::state::lesson::why::Topic;
use crate::state::{Clock, State, Tab, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, bar, card, empty_state, marks, menu, value};

/// Draws the inspector.
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
        ui.label(text::rich(words, text::small()).color(colors(ui).overdue));
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
    fields_ui(ui, state.now_ms(), tab, draft, focus, document, actions);
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
            if let (Some(earliest), Some(latest)) = (verdict.earliest_ms, verdict.latest_ms) {
                let removals = expiry::removals(state, tab);
                let words = if is_hidden(state, tab, verdict) {
                    hidden(removals)
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
        menu::below(&response, |ui| {
            for (label, kind) in [
                ("mongosh literals", CopyAs::Shell),
                ("Extended JSON, relaxed", CopyAs::Relaxed),
                ("Extended JSON, canonical", CopyAs::Canonical),
            ] {
                if menu::entry(ui, label, "", true).clicked() {
                    copied = Some(copy_of(document, kind));
                }
            }
        });
    });
    if let Some(text) = copied {
        actions.push(Action::View(ViewAction::CopyLines(text)));
    }
}

#[derive(Clone, Copy)]
enum CopyAs {
    Shell,
    Relaxed,
    Canonical,
}

fn copy_of(document: &Document, kind: CopyAs) -> String {
    let style = match kind {
        CopyAs::Shell => {
            return shell::write_value(&Bson::Document(document.clone()), Lines::Indented);
        }
        CopyAs::Relaxed => Style::Relaxed,
        CopyAs::Canonical => Style::Canonical,
    };
    RawDocumentBuf::try_from(document)
        .map(|raw| extjson::write_document(&raw, style, Lines::Indented))
        .unwrap_or_default()
}

fn fields_ui(
    ui: &mut Ui,
    now_ms: i64,
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
    let opened = draft.field.as_ref().map(|edit| edit.opened.clone());
    let path = draft.field.as_ref().map(|edit| edit.path.clone());
    let busy = tab.documents.writing.is_some();
    let mut done = EditStep::Continue;
    let shown = opened.as_ref().unwrap_or(document);
    let pressed = value::tree_ui(ui, shown, path.as_deref(), &mut |ui| {
        if let Some(edit) = draft.field.as_mut() {
            done = edit_ui(ui, edit, now_ms, busy);
        }
    });
    match done {
        EditStep::Save => actions.push(Action::Documents(tab.id, DocumentsAction::SaveField)),
        EditStep::Cancel => draft.field = None,
        EditStep::Continue => {}
    }
    if let Some(path) = pressed.filter(|_| draft.field.is_none() && !focus.gone) {
        match FieldEdit::too_long(document, &path) {
            Some(bytes) => {
                let told = DocumentsAction::TellTooLong(bytes);
                actions.push(Action::Documents(tab.id, told));
            }
            None => draft.field = FieldEdit::open(document, &path),
        }
    }
    if draft.field.is_none() && !focus.gone {
        let words = "Click the pencil next to a value to edit it";
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditStep {
    Continue,
    Save,
    Cancel,
}

fn edit_ui(ui: &mut Ui, edit: &mut FieldEdit, now_ms: i64, busy: bool) -> EditStep {
    let colors = colors(ui);
    let error = edit.edited().err();
    let mut done = EditStep::Continue;
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    ui.horizontal(|ui| {
        let name = marks::visible(&edit.name());
        ui.label(text::rich(name, text::mono()).color(colors.edited));
        let kind = ui.add(Button::ghost(edit.kind.label()).small().menu().name("Value type"));
        menu::below(&kind, |ui| {
            for kind in FieldKind::ALL {
                if menu::choice(ui, kind.label(), kind == edit.kind).clicked() {
                    edit.kind = kind;
                }
            }
        });
        if edit.kind == FieldKind::Date
            && ui.add(Button::ghost("Now").small().tooltip("Current store time")).clicked()
        {
            let now = bson::DateTime::from_millis(now_ms);
            edit.text = crate::state::documents::field::text_of(&Bson::DateTime(now));
        }
    });
    let id = Id::unique("value being edited");
    let field = Field {
        name: "Value",
        mono: true,
        invalid: error.is_some(),
        id: Some(id),
        ..Field::default()
    };
    let response = field.ui(ui, &mut edit.text);
    if !edit.focused {
        edit.focused = true;
        response.request_focus();
    }
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    let save_keys = response.lost_focus() && pressed(Key::Enter);
    let is_here = response.has_focus() || response.lost_focus();
    if is_here && pressed(Key::Escape) && !menu::was_open(ui.ctx()) {
        done = EditStep::Cancel;
    }
    if let Some(error) = &error {
        ui.add(egui::Label::new(text::rich(error, text::small()).color(colors.error)).wrap());
    }
    ui.horizontal(|ui| {
        let ready = error.is_none() && !busy;
        let save = Button::primary("Save").small().enabled(ready).tooltip("Ctrl+S or Enter");
        if ui.add(save.name("Save value")).clicked() || (save_keys && ready) {
            done = EditStep::Save;
        }
        if ui.add(Button::plain("Cancel").small().name("Cancel edit")).clicked() {
            done = EditStep::Cancel;
        }
    });
    done
}
