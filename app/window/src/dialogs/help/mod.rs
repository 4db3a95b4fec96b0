//! The pages of the help.

mod ttl;

use egui::{Context, Ui};

use super::frame::DialogFrame;
use crate::action::{Action, Actions, ViewAction};
use crate::job::glossary::Term;
use crate::state::dialogs::HelpPage;
use crate::state::{State, report};
use crate::theme::{colors, sizes, text};
use crate::widgets::{code_box, key_value, term};

/// The licenses of what is built in, besides the program's own.
const LICENSES: [(&str, &str); 5] = [
    ("LMDB", "OpenLDAP Public License 2.8"),
    ("libdecnumber", "ICU"),
    ("Inter, JetBrains Mono, Noto Sans", "SIL OFL 1.1"),
    ("Material Icons", "Apache-2.0"),
    ("Rust crates", "MIT, Apache-2.0, BSD, ISC, MPL-2.0 and others"),
];

pub fn ui(context: &Context, page: HelpPage, state: &State, actions: &mut Actions) {
    let (title, subtitle) = match page {
        HelpPage::Ttl => ("What is TTL?", "Time to live, in half a minute"),
        HelpPage::Glossary => ("Glossary", "Point at a dotted word to see its meaning"),
        HelpPage::Report => ("Report a problem", ""),
        HelpPage::About => ("About Mayfly", "A document store and browser for data that expires"),
    };
    let width = if page == HelpPage::Ttl { sizes::DIALOG } else { sizes::DIALOG_NARROW };
    let frame = DialogFrame::<()>::new(title).subtitle(subtitle).width(width).done("Done");
    let outcome = frame.ui(context, |ui| match page {
        HelpPage::Ttl => ttl::ui(ui),
        HelpPage::Glossary => glossary_ui(ui),
        HelpPage::Report => report_ui(ui, state, actions),
        HelpPage::About => about_ui(ui),
    });
    _ = outcome.end(actions);
}

fn glossary_ui(ui: &mut Ui) {
    for one in Term::ALL {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            term::terms_ui(ui, &[one]);
        });
    }
}

fn report_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let ink = colors(ui).dim;
    let words = "Mayfly has no public issue tracker yet. Send your report to the person you got \
                 Mayfly from. Say what you did, what you expected and what happened, and include \
                 these facts. They contain no names and no documents.";
    ui.add(egui::Label::new(text::rich(words, text::body()).color(ink)).wrap());
    let facts = report::facts(state);
    if code_box::text_ui(ui, "Facts for a report", "Copy the facts", &facts) {
        actions.push(Action::View(ViewAction::CopyLines(facts)));
    }
}

fn about_ui(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    key_value::ui(ui, "Version", report::VERSION);
    key_value::ui(ui, "License", "MIT or Apache-2.0, at your option");
    ui.add_space(sizes::GAP_SMALL);
    ui.label(text::rich("Built with", text::title()));
    for (name, license) in LICENSES {
        key_value::ui(ui, name, license);
    }
}
