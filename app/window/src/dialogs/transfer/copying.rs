//! A copy of a collection into another store.

use bson::Document;
use egui::{Context, Ui};

use super::choose_path::ChoosePath;
use super::parts::{ask, error_ui, notice_ui};
use crate::action::{Actions, TransferAction};
use crate::dialogs::connect::string_ui;
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::quiet;
use crate::state::transfer::copying::{CopiedPart, CopyTo, is_ttl};
use crate::state::transfer::{CopyDraft, Loadable};
use crate::state::{State, duration, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, tabs};

/// The height of the fields with the indexes, in points.
const FIELDS_HEIGHT: f32 = 310.0;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut CopyDraft, state: &State, actions: &mut Actions) {
    let filter = draft.used_filter();
    if filter.as_ref().is_ok_and(|filter| draft.looked_for.as_ref() != Some(filter)) {
        ask(actions, TransferAction::LookCopy);
    }
    let is_ready = draft.plan().is_ok();
    let title = if draft.to == CopyTo::Server { "Copy to a server" } else { "Copy to a store" };
    let tooltip = "The documents keep every type and byte, and their _id";
    let frame = DialogFrame::new(title)
        .subtitle(with_marks(&draft.from.to_string()))
        .height(FIELDS_HEIGHT)
        .error(draft.error.as_deref())
        .button(Button::primary("Copy").enabled(is_ready).tooltip(tooltip), ());
    let outcome = frame.ui(context, |ui| {
        part_ui(ui, draft);
        target_ui(ui, draft, state, actions);
        indexes_ui(ui, draft);
    });
    if outcome.end(actions).is_some() {
        ask(actions, TransferAction::StartCopy);
    }
}

/// Which documents, and how many they are.
fn part_ui(ui: &mut Ui, draft: &mut CopyDraft) {
    let has_filter = !draft.filter.is_empty();
    let mut parts = vec![(CopiedPart::Whole, "Whole collection")];
    parts.extend(has_filter.then_some((CopiedPart::Filter, "Current filter")));
    parts.push((CopiedPart::Sample, "Sample"));
    labelled(ui, "Documents", None, |ui| {
        let words: Vec<&str> = parts.iter().map(|(_, words)| *words).collect();
        let chosen = parts.iter().position(|(part, _)| *part == draft.part).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Documents", &words, chosen);
        if let Some((part, _)) = pressed.and_then(|at| parts.get(at)) {
            draft.part = *part;
            draft.error = None;
        }
    });
    match draft.part {
        CopiedPart::Sample => {
            let error = draft.sample_size().err();
            labelled(ui, "Documents in the sample", error.as_deref(), |ui| {
                let field = Field {
                    name: "Documents in the sample",
                    mono: true,
                    invalid: error.is_some(),
                    ..Field::default()
                };
                field.ui(ui, &mut draft.sample);
            });
            quiet(ui, "The store chooses them with $sample");
        }
        CopiedPart::Filter => {
            let wrong = draft.used_filter().err();
            ui.label(text::rich(with_marks(&draft.filter), text::mono_small()));
            error_ui(ui, wrong.as_deref());
        }
        CopiedPart::Whole => {}
    }
    match &draft.look {
        Loadable::Here(_) => {
            let total = number::counted(draft.total(), "document", "documents");
            quiet(ui, &total);
        }
        Loadable::Waiting(_) => quiet(ui, "Counting documents…"),
        Loadable::Nothing => {}
        Loadable::Failed(error) => {
            notice_ui(ui, Icon::Error, "Error", colors(ui).error, error);
        }
    }
}

fn target_ui(ui: &mut Ui, draft: &mut CopyDraft, state: &State, actions: &mut Actions) {
    if draft.to == CopyTo::Server {
        return server_ui(ui, draft);
    }
    labelled(ui, "To", None, |ui| {
        let words = ["Sandbox", "Store on this machine"];
        let chosen = usize::from(draft.to == CopyTo::Folder);
        if let Some(at) = tabs::segmented(ui, "To", &words, chosen) {
            draft.to = if at == 1 { CopyTo::Folder } else { CopyTo::Sandbox };
            draft.error = None;
        }
    });
    if draft.to == CopyTo::Sandbox {
        quiet(
            ui,
            "A temporary store that opens afterwards. Its clock starts at the server's time and is \
             paused, and its TTL monitor is off until you turn it on",
        );
        return;
    }
    labelled(ui, "Store folder", None, |ui| {
        let path = ChoosePath {
            name: "Store folder",
            hint: "/home/you/store",
            choose: "Choose folder…",
            take: None,
            invalid: draft.target().is_err(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.error = None;
        }
        quiet(ui, "A new store is made if the folder has none. It must not be open elsewhere");
    });
    names_ui(ui, draft);
}

/// The server, and the name of the collection where others depend on it.
fn server_ui(ui: &mut Ui, draft: &mut CopyDraft) {
    string_ui(ui, &mut draft.server);
    names_ui(ui, draft);
    if draft.server.string().is_ok() && draft.needs_confirmation() {
        let words = "Others may depend on this server. Enter the collection name to confirm";
        labelled(ui, words, None, |ui| {
            Field { name: "Name to confirm", mono: true, ..Field::default() }
                .ui(ui, &mut draft.confirm);
        });
    }
}

/// The collection that the documents are inserted into.
fn names_ui(ui: &mut Ui, draft: &mut CopyDraft) {
    ui.horizontal_top(|ui| {
        let half = (ui.available_width() - sizes::GAP) / 2.0;
        ui.spacing_mut().item_spacing.x = sizes::GAP;
        for (name, typed) in [("Database", &mut draft.db), ("Collection", &mut draft.collection)] {
            ui.vertical(|ui| {
                ui.set_width(half);
                labelled(ui, name, None, |ui| {
                    Field { name, mono: true, ..Field::default() }.ui(ui, typed);
                });
            });
        }
    });
    quiet(ui, "Documents whose _id already exists there are left as they are");
}

fn indexes_ui(ui: &mut Ui, draft: &mut CopyDraft) {
    let Loadable::Here(look) = &draft.look else { return };
    let (ttl, others): (Vec<Document>, Vec<Document>) =
        look.indexes.iter().cloned().partition(is_ttl);
    if !others.is_empty() {
        let words = format!("Copy the other indexes ({})", others.len());
        let words =
            if ttl.is_empty() { format!("Copy the indexes ({})", others.len()) } else { words };
        ui.checkbox(&mut draft.others, words);
    }
    if ttl.is_empty() {
        return;
    }
    ui.label(text::rich("TTL indexes", text::medium()));
    quiet(ui, "Created last, and only if you choose them");
    for index in ttl {
        let name = index.get_str("name").unwrap_or_default().to_owned();
        let mut is_chosen = draft.ttl.contains(&name);
        let after = index.get("expireAfterSeconds").and_then(mayfly_engine::value::whole);
        let after = after.map(|secs| duration::span(secs.saturating_mul(1_000)));
        let words = format!("{} · after {}", with_marks(&name), after.unwrap_or_default());
        if ui.checkbox(&mut is_chosen, words).changed() {
            if is_chosen {
                draft.ttl.insert(name.clone());
            } else {
                draft.ttl.remove(&name);
            }
        }
        let Some(words) = draft.rehearsal(&name) else { continue };
        if is_chosen && !words.contains("none") {
            notice_ui(ui, Icon::Timer, "Overdue", colors(ui).overdue, &words);
        } else {
            quiet(ui, &words);
        }
    }
}
