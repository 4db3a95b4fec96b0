//! The field that is typed into, and what its keys do.

use std::time::Duration;

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::text_selection::LabelSelectionState;
use egui::{
    Align, Context, CornerRadius, Event, FocusDirection, Frame, Key, Label, Layout, Margin,
    Modifiers, ScrollArea, Stroke, Ui, vec2,
};

use super::completion;
use super::completion::input_id;
use crate::action::{Action, Actions, ConsoleAction, ViewAction};
use crate::limits::CONSOLE_EDITED_BYTES_MAX;
use crate::shell::is_complete;
use crate::state::console::ConsoleDraft;
use crate::state::view::Focus;
use crate::state::{State, duration, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::{Button, paint};

/// The margin above and below the text.
const MARGIN: f32 = 4.0;

/// An input that takes longer says how long.
const UNTIMED: Duration = Duration::from_secs(1);

/// The height of the input, in points.
pub fn height(draft: &ConsoleDraft, max: f32) -> f32 {
    let around = 2.0 * (MARGIN + sizes::LINE);
    let least = sizes::CONTROL_SMALL + around;
    (draft.height + around).clamp(least, max.max(least))
}

/// Takes Escape before the views do once it has left the field: it must do nothing else.
pub fn escape(context: &Context, draft: &mut ConsoleDraft) {
    if draft.had_focus && !context.memory(|memory| memory.has_focus(input_id())) {
        draft.had_focus = false;
        context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
    }
}

pub fn ui(ui: &mut Ui, state: &State, draft: &mut ConsoleDraft, actions: &mut Actions) {
    let colors = colors(ui);
    let id = input_id();
    if state.view.focus == Some(Focus::Console) {
        ui.memory_mut(|memory| memory.request_focus(id));
        actions.push(Action::View(ViewAction::Focused));
    }
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    if has_focus {
        keys_before(ui, state, draft, actions);
    }
    draft.had_focus = has_focus;
    put_cursor(ui, draft);
    let border = if has_focus { colors.accent } else { colors.hairline };
    let shown = Frame::new()
        .fill(colors.field)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(7))
        .inner_margin(Margin { left: 10, right: 4, top: 3, bottom: 3 })
        .show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
                ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
                let size = vec2(0.0, sizes::CONTROL_SMALL);
                let level = Layout::right_to_left(Align::Center);
                ui.allocate_ui_with_layout(size, level, |ui| {
                    buttons_ui(ui, state, draft, actions);
                });
                ui.with_layout(Layout::left_to_right(Align::TOP), |ui| match &draft.pasted {
                    Some(text) => pasted_ui(ui, text),
                    None => edit_ui(ui, state, draft, has_focus),
                });
            });
        });
    paint::field_shadow(ui, shown.response.rect);
    if has_focus {
        keys_after(ui, state, draft, actions);
    }
}

fn edit_ui(ui: &mut Ui, state: &State, draft: &mut ConsoleDraft, has_focus: bool) {
    // The first line is level with the middle of the button.
    let line = ui.fonts_mut(|fonts| fonts.row_height(&text::mono()));
    let space = ((sizes::CONTROL_SMALL - line) / 2.0).max(0.0);
    let prompt = format!("{}>", state.console_database());
    ui.vertical(|ui| {
        ui.add_space(space);
        let ink = colors(ui).accent;
        let words = text::rich(prompt, text::mono()).color(ink);
        ui.add(Label::new(words).selectable(false)).accessible_name("Console prompt");
    });
    let edit = CodeEdit { name: "Console input", id: Some(input_id()), ..CodeEdit::default() };
    let room = ui.available_height();
    ui.vertical(|ui| {
        ScrollArea::vertical()
            .id_salt("console input")
            .max_height(room)
            .min_scrolled_height(0.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                // A field of one line is as high as the line.
                ui.spacing_mut().interact_size.y = 0.0;
                ui.add_space(space);
                let output = edit.bare_ui(ui, &mut draft.text);
                let height = output.galley.size().y + 2.0 * space;
                if has_focus {
                    completion::keep_keys(ui, draft);
                    if let Some(cursor) = output.cursor_range {
                        let place = output.galley.pos_from_cursor(cursor.primary);
                        let corner = output.galley_pos + place.left_top().to_vec2();
                        let pressed = completion::list_ui(ui, state, draft, corner);
                        if let Some(word) = pressed {
                            put_word(ui, draft, word);
                        }
                    }
                }
                if (height - draft.height).abs() > 0.5 {
                    draft.height = height;
                    ui.ctx().request_repaint();
                }
            });
    });
}

/// A pasted text that is too long for the field.
fn pasted_ui(ui: &mut Ui, pasted: &str) {
    let lines = number::counted(pasted.lines().count() as u64, "line", "lines");
    let words = format!("Pasted text: {lines}, {}", number::bytes(pasted.len() as u64));
    ui.label(text::rich(words, text::body()));
}

/// From the right: what stops or runs.
fn buttons_ui(ui: &mut Ui, state: &State, draft: &mut ConsoleDraft, actions: &mut Actions) {
    if let Some(running) = &state.console.running {
        let is_stopping = running.cancel.is_cancelled();
        let label = if is_stopping { "Stopping…" } else { "Stop" };
        let button = Button::plain(label).icon(Icon::Stop).small().enabled(!is_stopping);
        if ui.add(button.tooltip("Stop what runs (Ctrl+C)")).clicked() {
            actions.push(Action::Console(ConsoleAction::Stop));
            ui.memory_mut(|memory| memory.request_focus(input_id()));
        }
        let elapsed = state.uptime.saturating_sub(running.since);
        if elapsed >= UNTIMED {
            let secs = i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX);
            let words = duration::span(secs.saturating_mul(1_000));
            ui.label(text::rich(words, text::mono()).color(colors(ui).dim));
        }
        let part = Duration::from_millis(1_000 - u64::from(elapsed.subsec_millis()));
        actions.redraw_after(part);
        return;
    }
    let is_there = draft.pasted.is_some() || !draft.text.trim().is_empty();
    let run = Button::icon_only(Icon::Play, "Run (Enter)").small();
    if ui.add(run.enabled(is_there && state.is_open())).clicked() {
        let text = draft.pasted.take().unwrap_or_else(|| draft.text.clone());
        run_text(state, draft, &text, actions);
        ui.memory_mut(|memory| memory.request_focus(input_id()));
    }
    if draft.pasted.is_some() && ui.add(Button::ghost("Discard").small()).clicked() {
        draft.pasted = None;
        ui.memory_mut(|memory| memory.request_focus(input_id()));
    }
}

/// Runs a text and empties the field.
fn run_text(state: &State, draft: &mut ConsoleDraft, text: &str, actions: &mut Actions) {
    if state.console.running.is_some() || !state.is_open() || text.trim().is_empty() {
        return;
    }
    actions.push(Action::Console(ConsoleAction::Run(text.to_owned())));
    draft.replace("");
    // New output is followed, wherever the transcript was.
    draft.end = Some((0, 0.0));
}

/// Keys that the field would take for itself.
fn keys_before(ui: &Ui, state: &State, draft: &mut ConsoleDraft, actions: &mut Actions) {
    let plain = |key| {
        ui.input_mut(|input| input.modifiers.is_none() && input.consume_key(Modifiers::NONE, key))
    };
    let control = |key| {
        ui.input_mut(|input| {
            input.modifiers.command
                && !input.modifiers.shift
                && input.consume_key(Modifiers::COMMAND, key)
        })
    };
    let leaves = draft.completes.is_none()
        && ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::Tab));
    if leaves && !draft.text.is_empty() {
        // Tab alone completes what is typed, so this is the way out.
        ui.memory_mut(|memory| memory.move_focus(FocusDirection::Previous));
    }
    let (before, selected, _) = around_cursor(ui, &draft.text);
    if selected.is_empty() {
        let before = before.to_owned();
        if let Some(word) = completion::keys(ui, state, draft, &before, actions) {
            put_word(ui, draft, word);
        }
    }
    let (before, selected, after) = around_cursor(ui, &draft.text);
    let is_selected = !selected.is_empty();
    // In a text of several lines the arrows move the cursor until it is at an end.
    let (is_first, is_last) = (!before.contains('\n'), !after.contains('\n'));
    let history = &state.console.history;
    if !is_selected && is_first && plain(Key::ArrowUp) {
        draft.older(history);
    }
    if !is_selected && is_last && plain(Key::ArrowDown) {
        draft.newer(history);
    }
    if control(Key::L) {
        actions.push(Action::Console(ConsoleAction::Clear));
    }
    if control(Key::R) {
        draft.search(history);
    }
    let copies = ui.input(|input| input.events.iter().any(|event| matches!(event, Event::Copy)));
    let is_selected = is_selected
        || ui.ctx().with_plugin(|labels: &mut LabelSelectionState| labels.has_selection())
            == Some(true);
    if copies && !is_selected && state.console.running.is_some() {
        actions.push(Action::Console(ConsoleAction::Stop));
    }
    take_long_paste(ui, draft);
}

fn take_long_paste(ui: &Ui, draft: &mut ConsoleDraft) {
    ui.input_mut(|input| {
        input.events.retain(|event| match event {
            // Laying out a very long text takes seconds, so it never comes into the field.
            Event::Paste(text) if text.len() > CONSOLE_EDITED_BYTES_MAX => {
                draft.pasted = Some(text.clone());
                false
            }
            _ => true,
        });
    });
}

/// Keys that act on the text as it is after this frame's typing.
fn keys_after(ui: &Ui, state: &State, draft: &mut ConsoleDraft, actions: &mut Actions) {
    let (enter, modifiers) = ui.input(|input| (input.key_pressed(Key::Enter), input.modifiers));
    if !enter || modifiers.shift || modifiers.alt {
        return;
    }
    if modifiers.command {
        let (_, selected, _) = around_cursor(ui, &draft.text);
        if selected.trim().is_empty() {
            let text = draft.text.clone();
            run_text(state, draft, &text, actions);
        } else if state.console.running.is_none() {
            // The text around the selection stays in the input.
            actions.push(Action::Console(ConsoleAction::Run(selected.to_owned())));
        }
    } else if is_complete(&draft.text) {
        let text = draft.text.clone();
        run_text(state, draft, &text, actions);
    } else {
        let (before, _, after) = around_cursor(ui, &draft.text);
        let at = before.chars().count() + 1;
        draft.text = format!("{before}\n{after}");
        set_cursor(ui, at);
    }
}

/// Puts a word before the cursor, where a part of it begins at this byte.
fn put_word(ui: &Ui, draft: &mut ConsoleDraft, (start, word): (usize, String)) {
    let (before, _, after) = around_cursor(ui, &draft.text);
    let kept = before.get(..start).unwrap_or(before);
    let at = kept.chars().count() + word.chars().count();
    draft.text = format!("{kept}{word}{after}");
    draft.completes = None;
    set_cursor(ui, at);
    ui.ctx().request_repaint();
}

/// The text before the selection, in it, and after it.
fn around_cursor<'a>(ui: &Ui, text: &'a str) -> (&'a str, &'a str, &'a str) {
    let range = TextEditState::load(ui.ctx(), input_id()).and_then(|it| it.cursor.char_range());
    let Some(range) = range else { return (text, "", "") };
    let [from, to] = range
        .sorted_cursors()
        .map(|cursor| text.char_indices().nth(cursor.index.0).map_or(text.len(), |(at, _)| at));
    (&text[..from], &text[from..to], &text[to..])
}

/// Puts the cursor to the end of a text that was not typed.
fn put_cursor(ui: &Ui, draft: &mut ConsoleDraft) {
    if std::mem::take(&mut draft.is_put) {
        set_cursor(ui, draft.text.chars().count());
    }
}

fn set_cursor(ui: &Ui, at: usize) {
    let mut edit = TextEditState::load(ui.ctx(), input_id()).unwrap_or_default();
    edit.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(at))));
    edit.store(ui.ctx(), input_id());
}
