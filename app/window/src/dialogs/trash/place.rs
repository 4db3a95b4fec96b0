//! The choice of the list: the collection, and a filter.

use egui::{ScrollArea, Ui};
use mayfly_engine::value::shell::read_document;

use crate::action::{Action, Actions, TrashAction};
use crate::state::State;
use crate::state::trash::{TrashDraft, collections};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, menu};

/// Draws both choices.
pub(super) fn ui(ui: &mut Ui, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let parsed = match draft.filter.trim() {
        "" => Ok(None),
        filter => read_document(filter).map(Some).map_err(|error| error.to_string()),
    };
    ui.horizontal(|ui| {
        collection_ui(ui, state, actions);
        let field = Field {
            name: "Filter",
            hint: "Filter, such as { user: 'ada' }",
            mono: true,
            invalid: parsed.is_err(),
            clearable: true,
            ..Field::default()
        };
        let response = field.ui(ui, &mut draft.filter);
        if !response.has_focus()
            && let Ok(filter) = &parsed
            && !state.trash.is_listed_by(filter.as_ref())
        {
            actions.push(Action::Trash(TrashAction::Filter(filter.clone())));
        }
    });
    if let Err(why) = parsed {
        ui.label(text::rich(why, text::small()).color(colors(ui).error));
    }
}

fn collection_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let of = &state.trash.scope.of;
    let all = "All collections";
    let shown = of.as_ref().map(|of| with_marks(&of.to_string()));
    let shown = shown.unwrap_or_else(|| all.to_owned());
    let button = Button::plain(&shown).menu().name("Collection").tooltip("Filter by collection");
    let response = ui.add(button);
    menu::below(&response, |ui| {
        ScrollArea::vertical().max_height(sizes::PALETTE_LIST).show(ui, |ui| {
            let mut listed = None;
            if menu::choice(ui, all, of.is_none()).clicked() {
                listed = Some(None);
            }
            for one in collections(&state.tree, &state.trash) {
                let name = with_marks(&one.to_string());
                let choice = menu::choice(ui, &name, of.as_ref() == Some(&one));
                if choice.accessible_name(format!("List {name}")).clicked() {
                    listed = Some(Some(one));
                }
            }
            if let Some(of) = listed {
                actions.push(Action::Trash(TrashAction::List(of)));
            }
        });
    });
}
