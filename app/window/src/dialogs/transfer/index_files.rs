//! Index definitions next to the files: whether they are created after the documents.

use egui::Ui;

use super::parts::notice_ui;
use crate::state::transfer::{ImportDraft, index_file};
use crate::theme::{Icon, colors};
use crate::widgets::value_text::with_marks;

/// Draws the offer, with what the TTL indexes among them would remove.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft) {
    let files = draft.shown_look().map(|look| look.indexes.clone()).unwrap_or_default();
    let definitions = index_file::definitions(&files);
    if !definitions.is_empty() {
        let its = if draft.files.len() == 1 { "its" } else { "their" };
        let words = with_marks(&index_file::words(&definitions));
        ui.checkbox(&mut draft.create_indexes, format!("Create {its} {words}"));
        if draft.create_indexes {
            for words in index_file::overdue(&files) {
                let ink = colors(ui).overdue;
                notice_ui(ui, Icon::Timer, "Overdue", ink, &with_marks(&words));
            }
        }
    }
    for words in index_file::unreadable(&files) {
        let ink = colors(ui).text;
        notice_ui(ui, Icon::Warning, "Warning", ink, &with_marks(&words));
    }
}
