//! The start page: the workspace while no collection is open, or when the user asks for it. Three
//! cards say where documents come from; below them are the stores that were open before.

use egui::{Align, Layout, ScrollArea, Ui, Vec2, vec2};

use super::recent;
use crate::action::{
    Action, Actions, Entry, StoreAction, ViewAction, audit, connect, help, lesson, sandbox, store,
    transfer, view,
};
use crate::job::OpenError;
use crate::state::{Phase, State};
use crate::theme::{Icon, sizes, text};
use crate::widgets::card::Offer;
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::marks::visible;
use crate::widgets::{Button, paint};

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if !state.tabs.open().is_empty() && state.is_open() {
        close_ui(ui, actions);
    }
    let (picture, sentence) = match &state.store.phase {
        Phase::Opening => {
            empty_state::ui(ui, Picture::Waiting, "Opening the store…", None);
            return;
        }
        Phase::Away(why) => {
            empty_state::ui(ui, Picture::Waiting, why, None);
            return;
        }
        Phase::Failed(error) => failure(error, state),
        Phase::Open if is_empty(state) => (Picture::Mayfly, "This store is empty".to_owned()),
        Phase::Open => {
            let sentence = "Select a collection to watch its documents expire";
            (Picture::Mayfly, sentence.to_owned())
        }
    };
    let again = matches!(state.store.phase, Phase::Failed(_)).then_some("Try again");
    ScrollArea::vertical().id_salt("start page").auto_shrink(false).show(ui, |ui| {
        let widest = ui.available_width() - 2.0 * sizes::GAP;
        let width = sizes::START_PAGE.min(widest);
        let (cards, more) = (cards(state), more(state));
        let recent = recent::height(recent::others(state).len());
        let height =
            cards_size(cards.len(), width).y + recent + sizes::CONTROL + 3.0 * sizes::GAP_LARGE;
        let pressed = empty_state::tall_ui(ui, picture, &sentence, again, height, |ui| {
            ui.add_space(sizes::GAP_LARGE);
            cards_ui(ui, &cards, width, state, actions);
            ui.add_space(sizes::GAP_LARGE);
            ui.scope(|ui| {
                ui.set_width(width);
                recent::ui(ui, state, actions);
            });
            ui.add_space(sizes::GAP_SMALL);
            more_ui(ui, &more, widest, state, actions);
            ui.add_space(sizes::GAP);
        });
        if pressed.is_some_and(|button| button.clicked()) {
            actions.push(Action::Store(StoreAction::Open(state.store.request.clone())));
        }
    });
}

fn is_empty(state: &State) -> bool {
    state.tree.loaded && state.tree.collections() == 0
}

/// The picture and the sentence for a store that could not be opened.
fn failure(error: &OpenError, state: &State) -> (Picture, String) {
    let picture = if error.is_in_use { Picture::Waiting } else { Picture::Failure };
    let sentence = match state.store.request.data_folder() {
        Ok(folder) if error.is_in_use => {
            let folder = visible(&folder.display().to_string());
            format!("{} Or open another folder, or quit.\n{folder}", error.message)
        }
        _ => error.message.clone(),
    };
    (picture, sentence)
}

/// The cards whose entries can be done now, in the order of the page.
fn cards(state: &State) -> Vec<(Offer<'static>, &'static Entry)> {
    let drop = Offer {
        icon: Icon::Import,
        title: "Drop a file here",
        words: "JSON, CSV, Excel, Parquet, BSON or an archive of mongodump",
        button: "Choose…",
        is_dashed: true,
    };
    let server = Offer {
        icon: Icon::Server,
        title: "Connect to a server",
        words: "MongoDB, Atlas, DocumentDB, Cosmos DB or FerretDB, read-only at first",
        button: "Connect…",
        is_dashed: false,
    };
    let demo = Offer {
        icon: Icon::Play,
        title: "Try the demo",
        words: "Sample data that keeps arriving and expiring",
        button: "Open",
        is_dashed: false,
    };
    let own = Offer {
        icon: Icon::Database,
        title: "Use your own store",
        words: "A store on this machine for your documents; it starts empty",
        button: "Open",
        is_dashed: false,
    };
    let third = if state.store.demo { (own, &store::OPEN_OWN) } else { (demo, &store::OPEN_DEMO) };
    let cards = [(drop, &transfer::IMPORT), (server, &connect::CONNECT), third];
    cards.into_iter().filter(|(_, entry)| entry.is_enabled(state)).collect()
}

/// The size of each card: side by side, or low ones in a column where there is no room.
fn card_size(width: f32) -> Vec2 {
    if width < sizes::START_CARDS {
        return vec2(width, sizes::START_CARD_LOW);
    }
    vec2((width - 2.0 * sizes::GAP) / 3.0, sizes::START_CARD)
}

/// The size of this number of cards together.
fn cards_size(cards: usize, width: f32) -> Vec2 {
    let (card, count) = (card_size(width), u16::try_from(cards).map_or(1.0, f32::from));
    if card.y < sizes::START_CARD {
        return vec2(card.x, count * (card.y + sizes::GAP) - sizes::GAP);
    }
    vec2(count * (card.x + sizes::GAP) - sizes::GAP, card.y)
}

fn cards_ui(
    ui: &mut Ui,
    cards: &[(Offer<'_>, &Entry)],
    width: f32,
    state: &State,
    actions: &mut Actions,
) {
    let card = card_size(width);
    let layout = if card.y < sizes::START_CARD {
        Layout::top_down(Align::Min)
    } else {
        Layout::left_to_right(Align::Min)
    };
    ui.allocate_ui_with_layout(cards_size(cards.len(), width), layout, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(sizes::GAP);
        for (offer, entry) in cards {
            if offer.ui(ui, card).clicked()
                && let Some(action) = entry.now(state)
            {
                actions.push(action);
            }
        }
    });
}

/// A line of the entries that lead elsewhere, in the middle.
fn more_ui(
    ui: &mut Ui,
    more: &[(&str, &Entry)],
    widest: f32,
    state: &State,
    actions: &mut Actions,
) {
    let width_of =
        |label: &str| paint::measured(ui, label, text::body()).x + 2.0 * sizes::CONTROL_PADDING;
    let width: f32 = more.iter().map(|(label, _)| width_of(label) + sizes::GAP_TINY).sum();
    let size = vec2((width - sizes::GAP_TINY).min(widest), sizes::CONTROL);
    let layout = Layout::left_to_right(Align::Center).with_main_wrap(true);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(sizes::GAP_TINY);
        for (label, entry) in more {
            if ui.add(Button::ghost(label).tooltip(entry.tooltip)).clicked()
                && let Some(action) = entry.now(state)
            {
                actions.push(action);
            }
        }
    });
}

/// Leads from the page back to the collection.
fn close_ui(ui: &mut Ui, actions: &mut Actions) {
    let size = vec2(ui.available_width(), sizes::TAB_STRIP);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(sizes::GAP);
        if ui.add(Button::icon_only(Icon::Close, "Close the start page")).clicked() {
            actions.push(Action::View(ViewAction::ShowStart(false)));
        }
    });
}

/// The ways on that are not a card, each with its short word: to make the first collection by hand,
/// to learn, to try, and out of a store that could not be opened.
fn more(state: &State) -> Vec<(&'static str, &'static Entry)> {
    let mut more = Vec::new();
    if state.is_open() && is_empty(state) {
        more.push((store::CREATE_DATABASE.label, &store::CREATE_DATABASE));
        more.push((transfer::IMPORT_FOLDER.label, &transfer::IMPORT_FOLDER));
    }
    if state.is_open() && !is_empty(state) {
        more.push((audit::SHOW.label, &audit::SHOW));
    }
    more.push((store::OPEN_FOLDER.label, &store::OPEN_FOLDER));
    if state.is_open() {
        // The bar above has the other one of this name.
        more.push(("All lessons", &lesson::PAGE));
        more.push((help::GUIDE.label, &help::GUIDE));
    }
    if !state.is_in_sandbox() {
        more.push(("Sandbox", &sandbox::OPEN));
    }
    if matches!(state.store.phase, Phase::Failed(_)) {
        more.push((view::QUIT.label, &view::QUIT));
    }
    more.retain(|(_, entry)| entry.is_enabled(state));
    more
}
