//! The overlay while a file is dragged over the window.

use std::path::PathBuf;

use egui::{Align2, Context, Id, LayerId, Order, Stroke, StrokeKind};

use crate::state::transfer::{Dialog as TransferDialog, ImportDraft};
use crate::state::{Dialog, State};
use crate::theme::{Colors, Icon, sizes, text};

pub fn ui(context: &Context, state: &State) {
    let files: Vec<Option<PathBuf>> = context
        .input(|input| input.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
    if files.is_empty() {
        return;
    }
    let look = Colors::of_window(context);
    let rect = context.content_rect();
    let painter = context.layer_painter(LayerId::new(Order::Tooltip, Id::unique("file overlay")));
    painter.rect_filled(rect, 0.0, look.backdrop);
    let inner = rect.shrink(sizes::GAP_HUGE);
    let stroke = Stroke::new(sizes::LINE_STRONG, look.accent);
    painter.rect(inner, sizes::RADIUS_DIALOG, look.accent_background, stroke, StrokeKind::Inside);
    let words = words(&files, state);
    let center = inner.center();
    let above = center - egui::vec2(0.0, 28.0);
    let icon = Icon::Import;
    painter.text(above, Align2::CENTER_CENTER, icon.glyph(), icon.font(36.0), look.accent);
    let below = center + egui::vec2(0.0, 16.0);
    painter.text(below, Align2::CENTER_CENTER, words, text::heading(), look.text);
}

/// Names what a drop would import, and the target that the import dialog would suggest.
fn words(files: &[Option<PathBuf>], state: &State) -> String {
    let what = match files.len() {
        1 => "the file".to_owned(),
        many => format!("{many} files"),
    };
    // Some systems don't pass the paths before the drop. Then only the database is known.
    let known: Vec<PathBuf> = files.iter().flatten().cloned().collect();
    let shown = state.tabs.active().map(|tab| &tab.namespace);
    let into = match state.dialogs.open() {
        Some(Dialog::Transfer(TransferDialog::Import(draft))) => draft.target(),
        _ => ImportDraft::of_files(known, shown, &state.tree).target(),
    };
    if into.collection.is_empty() {
        format!("Drop to import {what} into {}", into.db)
    } else {
        format!("Drop to import {what} into {into}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, TransferAction};
    use crate::apply::{Apply, Effects, apply};
    use crate::state::{Capabilities, Namespace, Phase};

    #[test]
    fn the_overlay_names_the_target_of_the_import() {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        state.store.capabilities = Capabilities { transfer: true, ..Capabilities::default() };
        state.tabs.show(&Namespace::new("shop", "carts"));
        let people = PathBuf::from("/home/a/people.json");
        assert_eq!(words(&[None], &state), "Drop to import the file into shop");
        let said = words(&[Some(people.clone())], &state);
        assert_eq!(said, "Drop to import the file into shop.people");
        let into = state.tabs.active().map(|tab| tab.namespace.clone());
        let import = TransferAction::Import { files: vec![people], into };
        apply(Action::Transfer(import), &mut Apply::new(&mut state, &mut Effects::default()));
        let Some(Dialog::Transfer(TransferDialog::Import(draft))) = state.dialogs.open() else {
            panic!("no import: {:?}", state.dialogs.open())
        };
        assert!(said.ends_with(&format!(" into {}", draft.target())), "{said}");
        let more = words(&[None, None], &state);
        assert_eq!(more, "Drop to import 2 files into shop.people");
    }
}
