//! The menu of stages: typed letters narrow it, and the stages that were chosen last come first.

use egui::{Id, Key, Popup, PopupCloseBehavior, Response, ScrollArea, Ui};

use crate::state::aggregate::stages::{KnownStage, STAGES};
use crate::theme::sizes;
use crate::widgets::{field, menu};

/// The width of the menu, and the height of its list.
const SIZE: [f32; 2] = [460.0, 380.0];

/// Stages that come first because they were chosen last.
const RECENT_MAX: usize = 4;

/// Draws the menu of a button while it is open. Returns the stage that was chosen.
pub(super) fn ui(button: &Response) -> Option<&'static str> {
    let popup = Popup::menu(button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .gap(sizes::GAP_TINY);
    let has_opened = button.clicked() && !popup.is_open();
    let shown = popup.show(|ui| {
        ui.set_width(SIZE[0]);
        ui.spacing_mut().item_spacing.y = 1.0;
        let chosen = list_ui(ui, has_opened);
        if chosen.is_some() {
            ui.close();
        }
        chosen
    });
    shown.and_then(|shown| shown.inner)
}

fn list_ui(ui: &mut Ui, has_opened: bool) -> Option<&'static str> {
    let id = Id::unique("stage search");
    let mut typed = if has_opened {
        String::new()
    } else {
        ui.data_mut(|data| data.get_temp(id)).unwrap_or_default()
    };
    let search = field::search(ui, "Find a stage", "Type to find a stage", &mut typed, id);
    if has_opened {
        search.request_focus();
    }
    let is_entered = search.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    ui.data_mut(|data| data.insert_temp(id, typed.clone()));
    menu::line(ui);
    let recent: Vec<&'static str> =
        ui.data_mut(|data| data.get_temp(recent_id())).unwrap_or_default();
    let listed = listed(&typed, &recent);
    let mut chosen = listed.iter().find(|stage| is_entered && stage.is_supported()).copied();
    ScrollArea::vertical().max_height(SIZE[1]).show(ui, |ui| {
        // The scroll bar covers the end of the help.
        ui.set_width(ui.available_width() - sizes::GAP);
        for stage in &listed {
            let help = if stage.is_supported() { stage.help } else { "Not supported by Mayfly" };
            if menu::explained(ui, stage.name, help, stage.is_supported()).clicked() {
                chosen = Some(stage);
            }
        }
    });
    let chosen = chosen?.name;
    ui.data_mut(|data| {
        let recent: &mut Vec<&'static str> = data.get_temp_mut_or_default(recent_id());
        recent.retain(|known| *known != chosen);
        recent.insert(0, chosen);
        recent.truncate(RECENT_MAX);
    });
    Some(chosen)
}

fn recent_id() -> Id {
    Id::unique("recent stages")
}

/// The stages that match what is typed: by name before by help, and the recent ones first.
fn listed(typed: &str, recent: &[&str]) -> Vec<&'static KnownStage> {
    let typed = typed.trim().to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&typed);
    let found = STAGES.iter().filter(|stage| matches(stage.name) || matches(stage.help));
    let mut listed: Vec<&KnownStage> = found.collect();
    listed.sort_by_key(|stage| {
        let at = recent.iter().position(|known| *known == stage.name);
        (!matches(stage.name), at.unwrap_or(usize::MAX))
    });
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_narrow_the_stages_and_recent_ones_come_first() {
        let names = |typed: &str, recent: &[&str]| -> Vec<&str> {
            listed(typed, recent).iter().map(|stage| stage.name).collect()
        };
        assert_eq!(names("", &[]).len(), STAGES.len());
        assert_eq!(names("", &["$skip", "$limit"])[..3], ["$skip", "$limit", "$match"]);
        assert_eq!(names("UNW", &[])[0], "$unwind");
        assert_eq!(names("sort", &["$limit"])[0], "$sort", "not one that only its help names");
        assert!(names("no such stage", &["$skip"]).is_empty());
    }
}
