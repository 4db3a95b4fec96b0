//! How files are read, and what happens to documents that are there already or that are rejected.

use egui::Ui;
use mayfly_engine::transfer::{
    IMPORT_REJECTS_MAX, ImportFormat, ImportMode, Nonstandard, REJECTS_SHARE,
    REJECTS_SHARE_DOCS_MIN, TextEncoding,
};

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::dialogs::words::quiet;
use crate::state::transfer::columns::ColumnsDraft;
use crate::state::transfer::{ImportDraft, Loadable};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, card, menu, tabs};

/// The width of the field for a zone, in points.
const ZONE: f32 = 160.0;

const FORMATS: [ImportFormat; 4] =
    [ImportFormat::Auto, ImportFormat::Json, ImportFormat::Csv, ImportFormat::Bson];

const MODES: [(ImportMode, &str, &str); 4] = [
    (ImportMode::Insert, "Insert", "Reject documents whose _id already exists"),
    (ImportMode::Skip, "Skip", "Skip documents whose _id already exists"),
    (
        ImportMode::Replace,
        "Replace",
        "Replace documents whose _id already exists. A roll back does not bring them back",
    ),
    (
        ImportMode::Merge,
        "Merge",
        "Update fields of documents whose _id already exists and keep the rest. A roll back does not \
         bring the old values back",
    ),
];
const FORMAT_WORDS: [&str; 4] = ["Detect automatically", "JSON", "CSV", "BSON"];

/// Draws the button that shows the options, with what is chosen, and the options.
pub(super) fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    ui.horizontal(|ui| {
        let icon = if draft.shows_options { Icon::Unfolded } else { Icon::Expand };
        if ui.add(Button::ghost("Options").icon(icon).name("Import options")).clicked() {
            draft.shows_options = !draft.shows_options;
        }
        quiet(ui, &chosen_words(draft));
    });
    if !draft.shows_options {
        return;
    }
    card::ui(ui, |ui| {
        format_ui(ui, draft, actions);
        encoding_ui(ui, draft, actions);
        mode_ui(ui, draft);
        ui.checkbox(&mut draft.stop_on_error, "Stop at the first rejected document");
        if !draft.stop_on_error {
            quiet(ui, &stop_rule(state.store.connection.is_some()));
        }
        if draft.may_be_json() {
            nonstandard_ui(ui, draft, actions);
        }
        if draft.may_be_csv() {
            csv_ui(ui, draft, actions);
        }
    });
}

/// The options that differ from those of a new import, in a few words.
fn chosen_words(draft: &ImportDraft) -> String {
    let mut words = Vec::new();
    if let Some(at) = FORMATS.iter().position(|format| *format == draft.format).filter(|at| *at > 0)
    {
        words.extend(FORMAT_WORDS.get(at).map(|word| format!("read as {word}")));
    }
    words.extend(draft.encoding.map(|encoding| format!("read as {}", encoding.name())));
    let mode = MODES.iter().find(|(mode, ..)| *mode == draft.mode);
    words.extend(mode.map(|(.., sentence)| (*sentence).to_owned()));
    if draft.stop_on_error {
        words.push("stop at the first rejected document".to_owned());
    }
    if draft.csv.decimal_comma {
        words.push("decimal commas".to_owned());
    }
    if draft.csv.backslash_escapes {
        words.push("backslash escapes".to_owned());
    }
    let read = Nonstandard::ALL.iter().filter(|nonstandard| draft.leniency.takes(**nonstandard));
    match read.count() as u64 {
        0 => {}
        count => words.push(number::counted(count, "JSON option", "JSON options")),
    }
    words.join(" · ")
}

fn format_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    labelled(ui, "Format", None, |ui| {
        let chosen = FORMATS.iter().position(|format| *format == draft.format).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Format", &FORMAT_WORDS, chosen);
        if let Some(format) = pressed.and_then(|at| FORMATS.get(at)) {
            draft.format = *format;
            draft.types.columns = ColumnsDraft::default();
            ask(actions, TransferAction::Look);
        }
    });
}

const DETECTED: &str = "Automatic (UTF-8)";

/// Offers to read a refused file in the encoding that it seems to have.
pub(super) fn offer_encoding_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let Loadable::Failed(error) = &draft.look else { return };
    let Some(encoding) = TextEncoding::of_refusal(error) else { return };
    if ui.add(Button::plain(&format!("Read as {}", encoding.name()))).clicked() {
        draft.encoding = Some(encoding);
        ask(actions, TransferAction::Look);
    }
}

/// The encoding of text. The file is looked at again when another one is chosen.
fn encoding_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let before = draft.encoding;
    labelled(ui, "Encoding of text", None, |ui| {
        let shown = before.map_or(DETECTED, TextEncoding::name);
        let button = ui.add(Button::plain(shown).menu().name("Encoding of text"));
        menu::below(&button, |ui| {
            if menu::choice(ui, DETECTED, before.is_none()).clicked() {
                draft.encoding = None;
            }
            for encoding in TextEncoding::USUAL {
                if menu::choice(ui, encoding.name(), before == Some(encoding)).clicked() {
                    draft.encoding = Some(encoding);
                }
            }
        });
    });
    if draft.encoding != before {
        draft.types.columns = ColumnsDraft::default();
        ask(actions, TransferAction::Look);
    }
}

/// The non-standard forms of Extended JSON that are accepted. The file is looked at again when one changes.
fn nonstandard_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let before = draft.leniency;
    labelled(ui, "Values that are not standard JSON", None, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for nonstandard in Nonstandard::ALL {
            ui.horizontal(|ui| {
                let mut is_read = draft.leniency.takes(nonstandard);
                if ui.checkbox(&mut is_read, nonstandard.option()).changed() {
                    draft.set_read(nonstandard, is_read);
                }
                if nonstandard == Nonstandard::NoZone && is_read {
                    zone_ui(ui, "Time zone for dates without one", draft);
                }
            });
        }
        if let Some(error) = draft.zone_error() {
            ui.label(text::rich(error, text::small()).color(colors(ui).error));
        }
        quiet(
            ui,
            "Documents with these values are rejected unless you select the option. Converted values are counted",
        );
    });
    if draft.leniency != before {
        ask(actions, TransferAction::Look);
    }
}

/// How the CSV is written. The file is looked at again when an option changes.
fn csv_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let before = (draft.csv, draft.leniency);
    labelled(ui, "CSV", None, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        ui.checkbox(&mut draft.csv.decimal_comma, "Numbers have a decimal comma");
        ui.checkbox(&mut draft.csv.backslash_escapes, "A backslash escapes quotes and separators");
        let mut is_read = draft.leniency.takes(Nonstandard::BrokenText);
        if ui.checkbox(&mut is_read, Nonstandard::BrokenText.option()).changed() {
            draft.set_read(Nonstandard::BrokenText, is_read);
        }
    });
    if (draft.csv, draft.leniency) != before {
        draft.types.columns = ColumnsDraft::default();
        ask(actions, TransferAction::Look);
    }
}

fn mode_ui(ui: &mut Ui, draft: &mut ImportDraft) {
    labelled(ui, "If the _id already exists", None, |ui| {
        let words = MODES.map(|(_, word, _)| word);
        let chosen = MODES.iter().position(|(mode, ..)| *mode == draft.mode).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Mode", &words, chosen);
        if let Some((mode, ..)) = pressed.and_then(|at| MODES.get(at)) {
            draft.mode = *mode;
        }
        if let Some((_, _, sentence)) = MODES.get(chosen) {
            let ink = colors(ui).dim;
            ui.label(text::rich(*sentence, text::small()).color(ink));
        }
    });
}

/// When an import ends because of what it rejects.
fn stop_rule(is_server: bool) -> String {
    let then = if is_server { "you can roll it back" } else { "you can resume it" };
    format!(
        "Rejected documents are saved to a separate file. The import stops after {} rejections, or \
         when more than {}% of at least {} documents are rejected; {then}",
        number::count(IMPORT_REJECTS_MAX),
        100 / REJECTS_SHARE,
        number::count(REJECTS_SHARE_DOCS_MIN),
    )
}

/// The zone of dates that name none.
pub(super) fn zone_ui(ui: &mut Ui, name: &str, draft: &mut ImportDraft) {
    let field = Field {
        name,
        hint: "UTC",
        mono: true,
        invalid: draft.zone_error().is_some(),
        width: Some(ZONE),
        ..Field::default()
    };
    if field.ui(ui, &mut draft.zone).changed() {
        draft.zone_typed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_has_its_numbers() {
        let rule = stop_rule(false);
        assert!(rule.contains("stops after 1,000 rejections"), "{rule}");
        assert!(rule.contains("more than 10% of at least 1,000 documents"), "{rule}");
    }
}
