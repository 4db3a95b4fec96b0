//! The collection in three chips: what will expire, what is overdue, and what never expires.

use egui::Ui;
use mayfly_engine::reply::DocCount;

use crate::action::{Action, ConvertAction, ExpiryAction};
use crate::job::glossary::Term;
use crate::panels::lesson::why;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::Totals;
use crate::state::reasons::{index_of_reasons, reason_label};
use crate::state::{State, Tab, number};
use crate::theme::colors;
use crate::widgets::chip::{Chip, Look, Press};
use crate::widgets::hint::Hint as _;
use crate::widgets::menu;
use crate::widgets::term::{self, Explain as _};
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;

/// Draws the chips. Pressing one shows its documents; that of *never* has a menu of reasons.
pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    totals: &Totals,
    actions: &mut ExpiryActions<'_>,
) {
    let ink = colors(ui);
    let phases = [
        ("Will expire", totals.waiting, ink.accent, Term::Threshold, false),
        ("Overdue", totals.overdue, ink.overdue, Term::Overdue, true),
    ];
    for (label, count, dot, word, overdue) in phases {
        let response = chip_ui(ui, label, count, dot).hint_ui(|ui| {
            ui.label("Show these documents");
            if !count.is_exact() {
                ui.label(number::documents(count));
            }
            term::terms_ui(ui, &[word]);
        });
        if response.clicked() {
            actions.push(ExpiryAction::FilterPhase { overdue });
        }
    }
    let never = chip_ui(ui, "Never expires", totals.never, ink.dim);
    // Counted as the menu opens, which shows them as soon as they are there.
    if never.clicked() && lacks_reasons(tab, totals) {
        actions.push(ExpiryAction::CountReasons);
    }
    menu::below(&never, |ui| {
        reasons_ui(ui, tab, totals, actions);
        let codes = totals.reasons.iter().map(|(code, _)| code.as_str());
        why::never_entries_ui(ui, state, codes, actions.queue);
    });
    never.explain(&[Term::NeverExpires]);
    if totals.damaged > 0 {
        let hint = "Damaged documents can't be read or removed by a pass; run Verify to list them";
        chip_ui(ui, "Damaged", totals.damaged.into(), ink.error).hint(hint);
    }
}

fn chip_ui(ui: &mut Ui, label: &str, count: DocCount, dot: egui::Color32) -> egui::Response {
    let digits = number::short_documents(count);
    // How far it may be off has no room in the chip.
    let name = format!("{label}: {}", number::documents(count));
    // Color means that something is there.
    let is_dim = count.is_zero();
    let dot = if is_dim { colors(ui).well } else { dot };
    Chip {
        label,
        digits: &digits,
        dot: Some(dot),
        look: if is_dim { Look::Dim } else { Look::Plain },
        press: Press::Acts,
        name: &name,
        ..Chip::default()
    }
    .ui(ui)
}

/// Characters of an entry that says why there are no reasons.
const WORDS_MAX: usize = 120;

/// TTL indexes whose field the menu offers to convert.
const CONVERT_MAX: usize = 3;

/// Text and numbers in the field of a TTL index may be dates.
fn convert_ui(ui: &mut Ui, tab: &Tab, totals: &Totals, actions: &mut ExpiryActions<'_>) {
    let may_be = |code: &str| matches!(code, "string" | "number");
    if !totals.reasons.iter().any(|(code, _)| may_be(code)) {
        return;
    }
    let chosen = tab.expiry.index.as_ref();
    let ttl =
        tab.indexes.ttl().into_iter().filter(|index| {
            index.field != "_ts" && chosen.is_none_or(|chosen| *chosen == index.name)
        });
    for index in ttl.take(CONVERT_MAX) {
        let words = format!("Convert {} to dates…", with_marks(&index.field));
        if menu::entry(ui, &words, "", true).hint("Turn text or numbers into dates").clicked() {
            let (namespace, path) = (tab.namespace.clone(), index.field);
            actions.queue.push(Action::Convert(ConvertAction::Open { namespace, path }));
        }
    }
}

fn reasons_ui(ui: &mut Ui, tab: &Tab, totals: &Totals, actions: &mut ExpiryActions<'_>) {
    for (code, count) in &totals.reasons {
        let count = number::documents(*count);
        let words = format!("{}: {count}", reason_label(code));
        if menu::entry(ui, &words, "", true).hint("Show these documents").clicked() {
            actions.push(ExpiryAction::FilterNever(code.clone()));
        }
    }
    convert_ui(ui, tab, totals, actions);
    if totals.reasons.is_empty() {
        let words = match &tab.expiry.reasons_refused {
            _ if !lacks_reasons(tab, totals) => "No reasons to list".to_owned(),
            _ if index_of_reasons(tab).is_none() => {
                "Choose a single TTL index to see reasons".to_owned()
            }
            Some(error) => format!("The reasons can't be counted: {error}"),
            None => "Counting the reasons…".to_owned(),
        };
        menu::entry(ui, &with_marks(&cut(&words, WORDS_MAX)), "", false);
    }
}

/// Whether it is not known why documents never expire. Where no index removes anything, the view
/// says so.
fn lacks_reasons(tab: &Tab, totals: &Totals) -> bool {
    totals.lack_reasons() && !tab.indexes.ttl().is_empty()
}
