//! The banners under the top bar while the store takes less than everything, when something in it
//! was found damaged or it has recovered, and the quiet line about an unwise place of the data
//! folder.

use egui::{Align, Color32, Frame, Label, Layout, Margin, Panel, Ui, vec2};

use crate::action::store_actions::Page;
use crate::action::{Action, Actions, MaintenanceAction, StoreAction, ViewAction};
use crate::job::OpenError;
use crate::state::maintenance::{Status, Takes};
use crate::state::{Phase, State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

/// The advice for a full disk, when the store doesn't give any.
const ROOM: &str =
    "Free space on the data folder's disk, or delete documents or collections (deletes still work)";

struct Banner {
    /// The problem, in one sentence.
    strong: String,
    plain: String,
    tone: Tone,
    buttons: Vec<Named>,
}

/// A button: its words, what it does, and the action.
type Named = (&'static str, &'static str, Action);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tone {
    /// Nothing is lost, but the user should act.
    Warning,
    Error,
    Quiet,
}

/// Draws the banner if there is something to say, then the line about the place.
pub fn panel_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    match banner(state) {
        Some(banner) => banner_ui(ui, &banner, actions),
        // The widgets below keep their ids, or a press on one would be lost when the banner
        // appears.
        None => ui.skip_ahead_auto_ids(1),
    }
    if state.maintenance.advice.is_empty() || !state.is_open() {
        ui.skip_ahead_auto_ids(1);
    } else {
        advice_ui(ui, state, actions);
    }
}

fn banner(state: &State) -> Option<Banner> {
    match state.store.phase {
        Phase::Open => {}
        Phase::Failed(ref failure) if failure.is_in_use => return in_use(failure, state),
        Phase::Failed(ref failure) if !state.store.request.is_temporary() => {
            return Some(not_open(failure, state));
        }
        _ => return None,
    }
    let again = Action::Store(StoreAction::Open(state.store.request.clone()));
    let status = state.maintenance.status.as_ref();
    let damage = state.maintenance.damage.as_deref().map(damaged);
    let takes = status.and_then(|status| takes_less(status, again));
    let recovered = state.maintenance.recovered.then(recovered);
    damage.or(takes).or(recovered)
}

fn show(page: Page) -> Action {
    Action::Maintenance(MaintenanceAction::Show(page))
}

/// Why the store is not open, and a way to try again, where the middle of the window shows tabs and
/// so can't say it.
fn beside_tabs(failure: &OpenError, state: &State) -> Option<(String, Named)> {
    state.tabs.active()?;
    let again = Action::Store(StoreAction::Open(state.store.request.clone()));
    Some((with_marks(&failure.message), ("Reopen", "Retry opening the store", again)))
}

/// Another program has the store open: there is nothing to verify or to restore.
fn in_use(failure: &OpenError, state: &State) -> Option<Banner> {
    let (strong, again) = beside_tabs(failure, state)?;
    let plain = "The store is intact.".to_owned();
    Some(Banner { strong, plain, tone: Tone::Warning, buttons: vec![again] })
}

/// The store could not be opened.
fn not_open(failure: &OpenError, state: &State) -> Banner {
    let mut buttons = vec![
        ("Restore…", "Replace it with a backup", show(Page::Restore)),
        ("Verify…", "Check the whole store", show(Page::Verify)),
    ];
    let strong = match beside_tabs(failure, state) {
        Some((why, again)) => {
            buttons.insert(0, again);
            why
        }
        None => "The store is not open.".to_owned(),
    };
    Banner {
        strong,
        plain: "Run Verify to see what's wrong, or restore a backup. The current files are kept."
            .to_owned(),
        tone: Tone::Warning,
        buttons,
    }
}

fn damaged(sentence: &str) -> Banner {
    let dismiss = Action::Maintenance(MaintenanceAction::DismissDamage);
    Banner {
        strong: with_marks(sentence),
        plain: "You can still export everything else. Run Verify for a full report, or restore a \
             backup made before the damage."
            .to_owned(),
        tone: Tone::Error,
        buttons: vec![
            ("Verify…", "Check the whole store", show(Page::Verify)),
            ("Restore…", "Replace this store with a backup", show(Page::Restore)),
            ("Dismiss", "Dismiss; still listed in the Activity drawer", dismiss),
        ],
    }
}

fn takes_less(status: &Status, again: Action) -> Option<Banner> {
    let backup = ("Back up…", "Copy the store to a file", show(Page::Backup));
    let reason = status.reason.as_deref().unwrap_or_default().trim_end_matches('.');
    Some(match status.takes {
        Takes::Everything => return None,
        Takes::Deletions => {
            let free = status.free_bytes.map(|free| format!(" {} free now.", number::bytes(free)));
            // The store says in its second sentence how much has to be free.
            let (_, what_to_do) = reason.split_once(". ").unwrap_or(("", ROOM));
            Banner {
                strong: "The disk is full. Inserts and updates are disabled.".to_owned(),
                plain: format!(
                    "{what_to_do}.{} The store resumes on its own.",
                    free.unwrap_or_default()
                ),
                tone: Tone::Warning,
                buttons: vec![("Show sizes…", "Store size and free disk space", show(Page::Home))],
            }
        }
        Takes::Reads => Banner {
            strong: format!("The store is read-only: {reason}."),
            plain: "Writes are disabled and nothing is removed. Give your user write access to \
                    the folder and its files, then reopen the store."
                .to_owned(),
            tone: Tone::Warning,
            buttons: vec![("Reopen", "Close and reopen the store", again), backup],
        },
        Takes::ReadsUntilChecked => Banner {
            strong: format!("Writes are disabled: {reason}."),
            plain: "All acknowledged writes are on disk. Reopening the store checks the whole \
                    file first."
                .to_owned(),
            tone: Tone::Error,
            buttons: vec![
                ("Check and reopen", "Close the store, check its file and reopen it", again),
                backup,
            ],
        },
        Takes::ReadsDetached => Banner {
            strong: format!("Writes are disabled: {reason}."),
            plain: "You still see every acknowledged write, unless the file was cut. If its name \
                    leads to it again, the store resumes on its own."
                .to_owned(),
            tone: Tone::Error,
            buttons: vec![(
                "Save a copy…",
                "Write the store as it is now to a new file",
                show(Page::Backup),
            )],
        },
    })
}

fn recovered() -> Banner {
    let dismiss = Action::Maintenance(MaintenanceAction::DismissRecovered);
    Banner {
        strong: "A disk write failed. The store checked its file and recovered.".to_owned(),
        plain: "No acknowledged writes were lost. The disk may be failing; back up to another \
                disk now."
            .to_owned(),
        tone: Tone::Quiet,
        buttons: vec![
            ("Back up…", "Copy the store to a file", show(Page::Backup)),
            ("Dismiss", "Hide this banner", dismiss),
        ],
    }
}

fn banner_ui(ui: &mut Ui, banner: &Banner, actions: &mut Actions) {
    let colors = colors(ui);
    let (background, ink) = match banner.tone {
        Tone::Warning => (colors.raised, colors.text),
        Tone::Error => (colors.error_background, colors.error),
        Tone::Quiet => (colors.accent_background, colors.accent),
    };
    let lines = [(banner.strong.as_str(), ink, true), (banner.plain.as_str(), colors.text, false)];
    strip_ui(ui, "store banner", background, &lines, |ui| {
        for (label, tooltip, action) in &banner.buttons {
            if ui.add(Button::plain(label).tooltip(tooltip)).clicked() {
                actions.push(action.clone());
            }
        }
    });
}

fn advice_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let advice = &state.maintenance.advice;
    let lines: Vec<_> =
        advice.iter().map(|advice| (advice.sentence.as_str(), colors.dim, false)).collect();
    let command = advice.iter().find_map(|advice| advice.command.as_ref());
    strip_ui(ui, "advice about the place", colors.raised, &lines, |ui| {
        let close = Button::icon_only(Icon::Close, "Don't show this again").small();
        if ui.add(close).clicked() {
            actions.push(Action::Maintenance(MaintenanceAction::DismissAdvice));
        }
        if let Some(command) = command {
            let button = Button::plain("Copy chmod command").small().tooltip(command);
            if ui.add(button).clicked() {
                actions.push(Action::View(ViewAction::Copy(command.clone())));
            }
        }
    });
}

/// Lines at the left, buttons at the right.
fn strip_ui(
    ui: &mut Ui,
    id: &str,
    background: Color32,
    lines: &[(&str, Color32, bool)],
    buttons: impl FnOnce(&mut Ui),
) {
    let margin = Margin::symmetric(16, 8);
    let frame = Frame::new().fill(background).inner_margin(margin);
    Panel::top(egui::Id::unique(id)).frame(frame).show(ui, |ui| {
        let size = vec2(ui.available_width(), sizes::CONTROL_SMALL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            buttons(ui);
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
                for (words, ink, strong) in lines {
                    let font = if *strong { text::strong() } else { text::body() };
                    ui.add(Label::new(text::rich(*words, font).color(*ink)).wrap());
                }
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_banner_and_its_buttons() {
        let check = |change: fn(&mut State), expected: Option<(Tone, &[&str])>| {
            let mut state = State::default();
            state.store.phase = Phase::Open;
            state.maintenance.status = Some(Status::default());
            change(&mut state);
            let found = banner(&state).map(|banner| {
                let labels = banner.buttons.iter().map(|(label, ..)| *label);
                (banner.tone, labels.collect::<Vec<_>>())
            });
            let expected = expected.map(|(tone, labels)| (tone, labels.to_vec()));
            assert_eq!(found, expected);
        };
        check(|_| (), None);
        check(|state| state.maintenance.status = None, None);
        check(|state| set(state, Takes::Deletions), Some((Tone::Warning, &["Show sizes…"])));
        check(|state| set(state, Takes::Reads), Some((Tone::Warning, &["Reopen", "Back up…"])));
        check(
            |state| set(state, Takes::ReadsUntilChecked),
            Some((Tone::Error, &["Check and reopen", "Back up…"])),
        );
        check(|state| set(state, Takes::ReadsDetached), Some((Tone::Error, &["Save a copy…"])));
        check(
            |state| state.maintenance.recovered = true,
            Some((Tone::Quiet, &["Back up…", "Dismiss"])),
        );
        let labels: &[&str] = &["Verify…", "Restore…", "Dismiss"];
        check(|state| state.maintenance.damage = Some("x".to_owned()), Some((Tone::Error, labels)));
        let labels: &[&str] = &["Restore…", "Verify…"];
        let failed =
            |state: &mut State| state.store.phase = Phase::Failed(OpenError::new("x".to_owned()));
        check(failed, Some((Tone::Warning, labels)));
        let labels: &[&str] = &["Reopen", "Restore…", "Verify…"];
        let beside_tabs = |state: &mut State| {
            state.store.phase = Phase::Failed(OpenError::new("x".to_owned()));
            state.tabs.show(&crate::state::Namespace::new("demo", "notes"));
        };
        check(beside_tabs, Some((Tone::Warning, labels)));
    }

    fn set(state: &mut State, takes: Takes) {
        state.maintenance.status = Some(Status { takes, ..Status::default() });
    }
}
