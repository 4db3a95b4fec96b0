//! Encryption in the dialog that attaches to a server. Each control is an option of the connection string.

use std::path::Path;

use egui::Ui;

use crate::job::{ConnectionString, percent};
use crate::state::connect::ConnectDraft;
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};

/// The files that TLS takes: an option, its label and its hint.
const FILES: [(&str, &str, &str); 2] = [
    (
        "tlsCAFile",
        "Certificate of the authority",
        "A PEM file, if the server's certificate is from an authority of your own",
    ),
    (
        "tlsCertificateKeyFile",
        "Your certificate and key",
        "A PEM file, if the server wants one (X.509)",
    ),
];

/// Draws the controls.
pub(super) fn ui(ui: &mut Ui, string: &ConnectionString, draft: &mut ConnectDraft) {
    let mut is_on = string.is_encrypted();
    if ui.checkbox(&mut is_on, "Encrypt with TLS").changed() {
        draft.change(|string| string.set_encrypted(is_on));
    }
    if !string.is_encrypted() {
        return;
    }
    ui.indent("tls", |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for (option, label, hint) in FILES {
            file_ui(ui, (option, label, hint), string, draft);
        }
        let mut is_unchecked = string.is_unchecked();
        let words = "Don't check the server's certificate";
        if ui.checkbox(&mut is_unchecked, words).changed() {
            draft.change(|string| {
                string.set_option("tlsInsecure", None);
                let value = is_unchecked.then(|| "true".to_owned());
                string.set_option("tlsAllowInvalidCertificates", value);
            });
        }
        if is_unchecked {
            let words = "Anybody between you and the server can pretend to be it";
            ui.label(text::rich(words, text::small()).color(colors(ui).text));
        }
    });
}

fn file_ui(
    ui: &mut Ui,
    (option, label, hint): (&'static str, &'static str, &'static str),
    string: &ConnectionString,
    draft: &mut ConnectDraft,
) {
    let mut path = string.option(option).map(percent::decode).unwrap_or_default();
    let is_missing = !path.is_empty() && !Path::new(&path).is_file();
    let problem = is_missing.then_some("There is no such file");
    labelled(ui, label, problem, |ui| {
        let invalid = is_missing;
        let field = Field { name: label, hint, mono: true, invalid, ..Field::default() };
        if field.ui(ui, &mut path).changed() {
            let value = Some(path.trim()).filter(|path| !path.is_empty()).map(percent::encode);
            draft.change(|string| string.set_option(option, value));
        }
    });
}
