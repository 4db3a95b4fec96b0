//! Documents and values as text for the clipboard.

use bson::{Bson, Document, RawDocumentBuf};
use egui::Ui;
use mayfly_engine::value::extjson::{self, Style};
use mayfly_engine::value::{Layout, shell};

use crate::state::documents::field;
use crate::widgets::menu;

#[derive(Clone, Copy)]
enum CopyAs {
    Shell,
    Relaxed,
    Canonical,
}

/// A value as it is pasted elsewhere: text without quotes, a date in ISO 8601, anything deeper in
/// mongosh syntax.
pub fn value_text(value: &Bson) -> String {
    match value {
        Bson::Null => "null".to_owned(),
        Bson::Document(_) | Bson::Array(_) => shell::write_value(value, Layout::Indented),
        other => field::text_of(other),
    }
}

/// The entry with a menu of forms. Returns the text to copy.
pub fn menu_ui(ui: &mut Ui, document: &Document) -> Option<String> {
    let mut copied = None;
    menu::below_entry(ui, "Copy document as", |ui| copied = forms_ui(ui, document));
    copied
}

/// The forms of a document. Returns the text to copy.
pub fn forms_ui(ui: &mut Ui, document: &Document) -> Option<String> {
    let mut copied = None;
    for (label, kind) in [
        ("mongosh literals", CopyAs::Shell),
        ("Extended JSON, relaxed", CopyAs::Relaxed),
        ("Extended JSON, canonical", CopyAs::Canonical),
    ] {
        if menu::entry(ui, label, "", true).clicked() {
            copied = Some(copy_of(document, kind));
        }
    }
    copied
}

fn copy_of(document: &Document, kind: CopyAs) -> String {
    let style = match kind {
        CopyAs::Shell => {
            return shell::write_value(&Bson::Document(document.clone()), Layout::Indented);
        }
        CopyAs::Relaxed => Style::Relaxed,
        CopyAs::Canonical => Style::Canonical,
    };
    RawDocumentBuf::try_from(document)
        .map(|raw| extjson::write_document(&raw, style, Layout::Indented))
        .unwrap_or_default()
}
