//! The banner under the top bar while removals are on hold.

use egui::{Align, Frame, Label, Layout, Margin, Panel, ScrollArea, Ui, vec2};

use super::lesson::why;
use crate::action::{Action, Actions, ReaperAction};
use crate::state::lesson::why::Topic;
use crate::state::reaper::{Held, HeldRule};
use crate::state::{State, Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, menu};

/// Rules that the banner names; the others are counted.
const RULES_SHOWN: usize = 3;

/// Characters of a collection or an index that the banner shows.
const NAME_CHARS_MAX: usize = 40;

/// Draws the banner if anything is held.
pub fn panel_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let Some(held) = state.reaper.held.as_ref().filter(|_| state.is_open()) else {
        // The widgets below keep their ids, or a press on one would be lost when the banner
        // appears.
        ui.skip_ahead_auto_ids(1);
        return;
    };
    let colors = colors(ui);
    let margin = Margin::symmetric(16, 10);
    Panel::top("held banner")
        .frame(Frame::new().fill(colors.overdue_background).inner_margin(margin))
        .show(ui, |ui| {
            // As high as what is in it, also after a window in which it was higher.
            let size = vec2(ui.available_width(), sizes::CONTROL);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
                buttons_ui(ui, state, held, actions);
                ui.with_layout(Layout::top_down(Align::Min), |ui| {
                    words_ui(ui, held, state.clock.zone());
                });
            });
        });
}

fn words_ui(ui: &mut Ui, held: &Held, zone: Zone) {
    let colors = colors(ui);
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    let sentence = if held.kept && is_about_time(held) {
        format!("Removals are on hold. {}", held.sentence)
    } else {
        held.sentence.clone()
    };
    let line = |ui: &mut Ui, words: String, strong: bool| {
        let (font, ink) =
            if strong { (text::strong(), colors.overdue) } else { (text::body(), colors.text) };
        ui.add(Label::new(text::rich(words, font).color(ink)).wrap());
    };
    line(ui, sentence, true);
    if let Some(words) = clocks(held, zone).filter(|_| is_about_time(held)) {
        line(ui, words, false);
    }
    line(ui, counts(&held.rules), false);
}

/// Whether clocks have to do with it; the other reasons say by themselves until when removals wait.
fn is_about_time(held: &Held) -> bool {
    !matches!(held.reason.as_str(), "restored" | "restoredDocuments" | "stateLost")
}

/// Both clocks, as far as they are known.
fn clocks(held: &Held, zone: Zone) -> Option<String> {
    let clock_ms = held.clock_ms?;
    let (clock, name) = (zone.date_time(clock_ms), zone.name(clock_ms));
    let other = match (held.expected_ms, held.last_pass_ms) {
        (Some(expected_ms), _) => {
            format!(", but by elapsed time it should be {}", zone.date_time(expected_ms))
        }
        (None, Some(last_ms)) => {
            format!("; the last pass ran at {}", zone.date_time(last_ms))
        }
        (None, None) => String::new(),
    };
    Some(format!("The system clock says {clock}{other} ({name})."))
}

/// The documents that each rule would remove.
fn counts(rules: &[HeldRule]) -> String {
    if rules.is_empty() {
        return "No documents are overdue.".to_owned();
    }
    let named = rules.iter().take(RULES_SHOWN).map(|HeldRule { namespace, index, due }| {
        let documents = number::counted(*due, "document", "documents");
        let short = |name: &str| cut(&visible(name), NAME_CHARS_MAX);
        format!("{} · {}: {documents}", short(&namespace.to_string()), short(index))
    });
    let mut words = named.collect::<Vec<_>>().join("   ");
    let more = rules.len().saturating_sub(RULES_SHOWN);
    if more > 0 {
        let indexes = number::counted(more as u64, "more index", "more indexes");
        words = format!("{words}   and {indexes}");
    }
    words
}

/// From right to left.
fn buttons_ui(ui: &mut Ui, state: &State, held: &Held, actions: &mut Actions) {
    let due = number::counted(held.due(), "document", "documents");
    // Where nothing is due, a release removes nothing.
    let (label, delete) = if held.due() == 0 {
        ("Release", "Resume removals".to_owned())
    } else {
        let words = format!("Resume removals and remove {due} now");
        ("Remove now…", words)
    };
    let keep = "Stay on hold until you release it, even if the clock corrects itself";
    let show = match state.next_held() {
        Some(_) => Button::plain("Show").tooltip(
            "Show the held documents on the timeline; click again for the next collection",
        ),
        None => {
            Button::plain("Show").enabled(false).tooltip("All held documents are already shown")
        }
    };
    if ui.add(show).clicked() {
        actions.push(Action::Reaper(ReaperAction::ShowHeld));
    }
    if !held.kept && ui.add(Button::plain("Keep on hold").tooltip(keep)).clicked() {
        actions.push(Action::Reaper(ReaperAction::KeepHeld));
    }
    // The button that removes documents is never the loudest one here.
    let release = if held.due() == 0 { Button::primary(label) } else { Button::plain(label) };
    if ui.add(release.tooltip(&delete)).clicked() {
        actions.push(Action::Reaper(ReaperAction::ReleaseHeld));
    }
    change_ttl_ui(ui, held, actions);
    if is_about_time(held) {
        why::link_ui(ui, state, Topic::OnHold, actions);
    }
}

/// The way out that removes nothing: another TTL for an index on hold.
fn change_ttl_ui(ui: &mut Ui, held: &Held, actions: &mut Actions) {
    let mut change = |rule: &HeldRule| {
        let HeldRule { namespace, index, .. } = rule;
        let action = ReaperAction::ChangeHeldTtl(namespace.clone(), index.clone());
        actions.push(Action::Reaper(action));
    };
    let hint = "Keep the documents longer, so that nothing is overdue when you release the hold";
    let (label, is_first) = ("Change TTL…", !is_about_time(held));
    let button = if is_first { Button::primary(label) } else { Button::plain(label) };
    let button = button.name("Change the TTL on hold").tooltip(hint);
    match held.rules.as_slice() {
        [] => {}
        [rule] => {
            if ui.add(button).clicked() {
                change(rule);
            }
        }
        rules => {
            let response = ui.add(button.menu());
            menu::below(&response, |ui| {
                ScrollArea::vertical().max_height(sizes::PALETTE_LIST).show(ui, |ui| {
                    for rule in rules {
                        let name = format!("{} · {}", rule.namespace, rule.index);
                        if ui.button(cut(&visible(&name), NAME_CHARS_MAX * 2)).clicked() {
                            change(rule);
                        }
                    }
                });
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Namespace;

    fn rule(index: &str, due: u64) -> HeldRule {
        HeldRule { namespace: Namespace::new("shop", "carts"), index: index.to_owned(), due }
    }

    #[test]
    fn counts_name_three_rules() {
        let check = |rules: &[HeldRule], expected: &str| assert_eq!(counts(rules), expected);
        check(&[], "No documents are overdue.");
        check(&[rule("a", 1)], "shop.carts · a: 1 document");
        let all = ["a", "b", "c", "d", "e"].map(|index| rule(index, 2_000));
        assert!(counts(&all).ends_with("c: 2,000 documents   and 2 more indexes"));
    }

    #[test]
    fn both_clocks_are_told() {
        let held = Held { clock_ms: Some(4_070_908_800_000), ..Held::default() };
        let words = |expected_ms, last_pass_ms| {
            let held = Held { expected_ms, last_pass_ms, ..held.clone() };
            clocks(&held, Zone::Utc).expect("a clock")
        };
        assert!(
            words(Some(0), Some(0)).contains("should be 1970-01-01"),
            "{}",
            words(Some(0), None)
        );
        assert!(words(None, Some(0)).contains("last pass ran at 1970-01-01"));
        assert!(words(None, None).starts_with("The system clock says 2099-01-01"));
        assert_eq!(clocks(&Held::default(), Zone::Utc), None);
        let east = clocks(&held, Zone::Fixed(3_600)).expect("a clock");
        assert_eq!(east, "The system clock says 2099-01-01 01:00:00 (UTC+01:00).");
    }
}
