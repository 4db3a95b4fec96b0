//! The cells of one index.

use egui::{Response, RichText, Ui};

use crate::job::glossary::Term;
use crate::state::indexes::{IndexRow, ttl_words};
use crate::state::number;
use crate::theme::{colors, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::term::Explain as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{chip, figure};

pub(super) fn name_ui(ui: &mut Ui, index: &IndexRow) {
    let words = RichText::new(with_marks(&index.name)).font(text::strong());
    ui.add(egui::Label::new(words).truncate());
}

pub(super) fn keys_ui(ui: &mut Ui, index: &IndexRow) {
    let keys = index.keys_text();
    let words = RichText::new(with_marks(&keys)).font(text::mono());
    let label = ui.add(egui::Label::new(words).truncate());
    if index.is_on_ts() {
        label.explain(&[Term::Ts]);
    }
}

/// TTL with a readable duration and the seconds, and everything else that makes it special.
pub(super) fn properties_ui(ui: &mut Ui, index: &IndexRow) {
    let ink = colors(ui);
    ui.spacing_mut().item_spacing.x = 6.0;
    if index.building {
        chip::tag(ui, "building", ink.busy, ink.well);
    }
    if let Some(secs) = index.secs {
        let tag = chip::tag(ui, "TTL", ink.accent, ink.accent_background);
        tag.explain(&[Term::Ttl, Term::TtlIndex]);
        ui.label(ttl_words(secs));
    }
    let flags = [(index.unique, "unique"), (index.sparse, "sparse"), (index.hidden, "hidden")];
    for (_, word) in flags.iter().filter(|(flag, _)| *flag) {
        let tag = chip::tag(ui, word, ink.dim, ink.well);
        if *word == "hidden" && index.secs.is_some() {
            tag.hint("Hidden from queries, but still expires documents");
        }
    }
    if let Some(partial) = &index.partial {
        let tag = chip::tag(ui, "partial", ink.dim, ink.well);
        tag.hint(format!("Indexes only documents that match {partial}"));
    }
}

/// The mark of an index that the embedded store keeps and no query uses.
pub(super) fn unused_ui(ui: &mut Ui) {
    let ink = colors(ui);
    let tag = chip::tag(ui, "not used", ink.dim, ink.well);
    tag.hint("Kept with the collection for other servers. No query here uses it");
}

pub(super) fn entries_ui(ui: &mut Ui, index: &IndexRow) {
    figure_ui(ui, index.entries.map(number::count));
}

pub(super) fn uses_ui(ui: &mut Ui, index: &IndexRow) {
    figure_ui(ui, index.uses.map(number::count));
}

fn figure_ui(ui: &mut Ui, figure: Option<String>) -> Response {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let words = figure.unwrap_or_else(|| "–".to_owned());
        figure::ui(ui, &words, figure::mono(colors(ui).text))
    })
    .inner
}

pub(super) fn size_ui(ui: &mut Ui, index: &IndexRow) {
    if index.has_no_entries_of_its_own() {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let words = text::rich("in documents", text::small()).color(colors(ui).dim);
            ui.label(words).hint("Documents are stored by _id, so this index uses no extra space");
        });
        return;
    }
    figure_ui(ui, index.bytes.map(number::bytes));
}
