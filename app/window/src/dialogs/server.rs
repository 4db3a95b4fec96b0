//! The attached server: its kind, who removes its documents, and its limits.

use egui::{Context, Ui};

use super::frame::DialogFrame;
use super::words::{LOADING, close};
use crate::action::{Actions, supported};
use crate::panels::top_bar::clock_apart;
use crate::state::State;
use crate::state::connect::Connection;
use crate::state::server::{ServerFacts, delivery};
use crate::theme::{colors, sizes, text};
use crate::widgets::key_value;
use crate::widgets::value_text::with_marks;

/// The height of the facts of a replica set, in points.
const FACTS_HEIGHT: f32 = 300.0;

pub fn ui(context: &Context, facts: &mut ServerFacts, state: &State, actions: &mut Actions) {
    let Some(connection) = &state.store.connection else { return close(actions) };
    let title = with_marks(&connection.attached.name);
    let address = with_marks(&connection.attached.address);
    let frame = DialogFrame::<()>::new(title).subtitle(address).height(FACTS_HEIGHT).done("Done");
    let outcome = frame.ui(context, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        server_ui(ui, connection);
        members_ui(ui, facts);
        removals_ui(ui, connection, state);
        absent_ui(ui, state);
    });
    _ = outcome.end(actions);
}

fn server_ui(ui: &mut Ui, connection: &Connection) {
    let attached = &connection.attached;
    let version = if attached.version.is_empty() { "not told" } else { &attached.version };
    key_value::ui(ui, "Version", &with_marks(version));
    key_value::ui(ui, "Topology", &with_marks(&attached.topology));
    if let Some(words) = clock_apart(attached.ahead_ms) {
        key_value::ui(ui, "Clock", &words);
    }
}

fn heading_ui(ui: &mut Ui, words: &str) {
    ui.add_space(sizes::GAP_SMALL);
    ui.label(text::rich(words, text::title()).color(colors(ui).text));
}

fn line_ui(ui: &mut Ui, words: &str) {
    let words = text::rich(words, text::body()).color(colors(ui).dim);
    ui.add(egui::Label::new(words).wrap());
}

fn members_ui(ui: &mut Ui, facts: &ServerFacts) {
    if facts.hello.is_none() && facts.status.is_none() {
        return line_ui(ui, LOADING);
    }
    let members = facts.members();
    if !members.is_empty() {
        heading_ui(ui, "Members");
    }
    for member in members {
        let ink = if member.is_primary { colors(ui).accent } else { colors(ui).text };
        key_value::colored(ui, &with_marks(&member.host), &with_marks(&member.state), ink);
    }
    if let Some(words) = facts.who_removes() {
        line_ui(ui, words);
    }
    if facts.is_set()
        && let Some(Err(why)) = &facts.status
    {
        line_ui(ui, &format!("States are not known: {}", with_marks(why)));
    }
}

fn removals_ui(ui: &mut Ui, connection: &Connection, state: &State) {
    heading_ui(ui, "TTL monitor");
    let (now_ms, zone) = (state.now_ms(), state.clock.zone());
    line_ui(ui, &connection.monitor.next_pass(now_ms).sentence(now_ms, zone));
    line_ui(ui, &delivery(&connection.streams.delivery));
    line_ui(ui, "No server says why a document went: that it expired follows from its threshold");
}

fn absent_ui(ui: &mut Ui, state: &State) {
    heading_ui(ui, "Not on this server");
    for sentence in supported::sentences(state) {
        line_ui(ui, sentence);
    }
}
