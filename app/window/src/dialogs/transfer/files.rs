//! The files of an import: their list, and a collection for each or one for all.

use std::path::Path;

use egui::{Align, Id, Layout, Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, vec2};

use super::choose_path::ChoosePath;
use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::State;
use crate::state::transfer::ImportDraft;
use crate::state::transfer::import::file_name;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, paint, tabs};

/// The height of the list without scrolling, in points.
const LIST_HEIGHT: f32 = 220.0;
/// Characters of a file's name.
const NAME_CHARS_MAX: usize = 30;

/// The least and the most height of the place to drop files on, and the height of a window without it,
/// in points.
const DROP_HEIGHT: [f32; 2] = [180.0, 388.0];
const DROP_AROUND: f32 = 412.0;
/// The height of what is on it, and of its icon, in points.
const DROP_CONTENT: f32 = 100.0;
const DROP_ICON: f32 = 30.0;

/// Draws the ways to add a file.
pub(super) fn add_ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let path = ChoosePath {
        name: "File path",
        hint: "Path of a file",
        choose: "Choose file…",
        take: Some("Add"),
        invalid: false,
    };
    if path.ui(ui, &mut draft.typed, state, actions).taken {
        ask(actions, TransferAction::AddTyped);
    }
    if draft.files.is_empty() {
        drop_ui(ui, state, actions);
    }
}

/// The place to drop files on, as large as what takes its place.
fn drop_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let height = ui.ctx().content_rect().height() - DROP_AROUND;
    let size = vec2(ui.available_width(), height.clamp(DROP_HEIGHT[0], DROP_HEIGHT[1]));
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    card::dashed(ui, rect);
    let middle = Rect::from_center_size(rect.center(), vec2(rect.width(), DROP_CONTENT));
    let layout = Layout::top_down(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(middle).layout(layout), |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        let (icon, _) = ui.allocate_exact_size(Vec2::splat(DROP_ICON), Sense::hover());
        let accent = colors(ui).accent;
        paint::icon_at(ui.painter(), icon.center(), Icon::Import, DROP_ICON, accent);
        ui.label(text::rich("Drop files or a folder of mongodump here", text::strong()));
        let folder = Button::plain("Choose folder…").icon(Icon::Open);
        if ui.add(folder.enabled(state.transfer.chooser.is_none())).clicked() {
            ask(actions, TransferAction::ChooseDump);
        }
    });
}

/// Draws the list, and what becomes of several files.
pub(super) fn ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    if draft.files.len() > 1 {
        ui.label(text::rich(draft.apart_words(), text::strong()));
        let words = ["One for each file", "One for all files"];
        let chosen = usize::from(!draft.splits());
        if let Some(at) = tabs::segmented(ui, "Collections", &words, chosen) {
            draft.set_apart(at == 0);
            ask(actions, TransferAction::Look);
        }
        if draft.next_to_look().is_some() {
            let reading = text::rich("Reading the files…", text::small());
            ui.label(reading.color(colors(ui).dim));
        }
    }
    let scroll = ScrollArea::vertical().id_salt("files").auto_shrink([false, true]);
    scroll.max_height(LIST_HEIGHT).min_scrolled_height(LIST_HEIGHT).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for (at, file) in draft.files.clone().iter().enumerate() {
            file_ui(ui, at, file, draft, actions);
        }
    });
}

fn file_ui(ui: &mut Ui, at: usize, file: &Path, draft: &mut ImportDraft, actions: &mut Actions) {
    let name = with_marks(&file_name(file));
    let size = vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let many = draft.files.len() > 1;
        let (shown, spoken) = (cut(&name, NAME_CHARS_MAX), format!("Preview {name}"));
        let button = Button::ghost(&shown).icon(Icon::Collection).name(&spoken);
        let button = ui.add(button.selected(many && at == draft.shown));
        if button.hint(file.display().to_string()).clicked() && many {
            ask(actions, TransferAction::ShowFile(at));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let spoken = format!("Remove {name}");
            if ui.add(Button::icon_only(Icon::Close, &spoken).small()).clicked() {
                ask(actions, TransferAction::RemoveFile(at));
            }
        });
    });
    name_ui(ui, at, &name, draft);
}

/// The collection of a file; `shown` is its name as text.
fn name_ui(ui: &mut Ui, at: usize, shown: &str, draft: &mut ImportDraft) {
    if !draft.splits() {
        return;
    }
    let Some(target) = draft.targets.get_mut(at) else { return };
    let changed = ui.horizontal(|ui| {
        ui.add_space(sizes::GAP_LARGE);
        let arrow = text::rich("→", text::small()).color(colors(ui).dim);
        ui.label(arrow).accessible_name("becomes");
        let name = format!("Collection for {shown}");
        let field = Field {
            name: &name,
            mono: true,
            invalid: target.collection.trim().is_empty(),
            id: Some(Id::unique(("collection for", at))),
            ..Field::default()
        };
        field.ui(ui, &mut target.collection).changed()
    });
    if changed.inner {
        target.is_named = true;
        draft.target_changed();
    }
}
