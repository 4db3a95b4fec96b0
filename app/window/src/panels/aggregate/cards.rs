//! The stages as cards: drag to reorder, turn off, and how many documents are after each.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::{TextEditOutput, TextEditState};
use egui::{
    CornerRadius, CursorIcon, EventFilter, Frame, Id, Key, Margin, Rect, Response, Role, Sense,
    Stroke, Ui, Vec2, WidgetInfo, vec2,
};

use super::stage_menu;
use crate::action::AggregateAction;
use crate::limits::PIPELINE_CHARS_MAX;
use crate::panels::completion::{Drawn, Typed};
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::stages::known;
use crate::state::aggregate::{AggregateDraft, Card, Shown, StageCount, StageError};
use crate::state::completion::{Completing, of_stage};
use crate::state::{Tab, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, marks, menu, paint};

/// How visible a stage is that is off.
const OFF_OPACITY: f32 = 0.5;

pub fn ui(ui: &mut Ui, tab: &Tab, draft: &mut AggregateDraft, actions: &mut AggregateActions<'_>) {
    if draft.pipeline.cards.is_empty() {
        empty_ui(ui, actions);
        return;
    }
    let count = draft.pipeline.cards.len();
    let dragged = draft.dragged;
    let mut drag = None;
    let mut places: Vec<Rect> = Vec::with_capacity(count);
    for (at, card) in draft.pipeline.cards.iter_mut().enumerate() {
        let completing = &mut draft.completing;
        let is_dragged = dragged == Some(card.id);
        let is_added = draft.added.take_if(|added| *added == card.id).is_some();
        let mut shown = CardView { at, count, tab, is_dragged, is_added, completing };
        ui.push_id(("stage", card.id), |ui| {
            let (place, begun) = shown.ui(ui, card, actions);
            places.push(place);
            if begun {
                drag = Some(card.id);
            }
        });
    }
    draft.dragged = draft.dragged.or(drag);
    drag_ui(ui, draft, &places, actions);
}

fn empty_ui(ui: &mut Ui, actions: &mut AggregateActions<'_>) {
    let sentence = "No stages yet, so the results are all documents of the collection";
    let pressed = empty_state::ui(ui, Picture::Documents, sentence, Some("Add $match"));
    if pressed.is_some_and(|button| button.clicked()) {
        actions.push(AggregateAction::Add("$match"));
    }
}

/// The line at which a dragged card would go, and letting go of it.
fn drag_ui(
    ui: &Ui,
    draft: &mut AggregateDraft,
    places: &[Rect],
    actions: &mut AggregateActions<'_>,
) {
    let Some(card) = draft.dragged else { return };
    let (pointer, is_down, is_left) = ui.input(|input| {
        (input.pointer.latest_pos(), input.pointer.any_down(), input.key_pressed(Key::Escape))
    });
    let (Some(pointer), Some(first)) = (pointer, places.first()) else { return };
    let gap = places.iter().filter(|place| place.center().y < pointer.y).count();
    let edge = gap.checked_sub(1).and_then(|before| places.get(before));
    let y = edge.map_or(first.top(), Rect::bottom) + sizes::GAP_SMALL / 2.0;
    let y = if edge.is_none() { y - sizes::GAP_SMALL } else { y };
    let stroke = Stroke::new(sizes::LINE_STRONG, colors(ui).accent);
    ui.painter().hline(first.x_range(), y, stroke);
    ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
    if is_left {
        draft.dragged = None;
    } else if !is_down {
        draft.dragged = None;
        actions.push(AggregateAction::Move { card, gap });
    }
}

/// One card among the others.
struct CardView<'a> {
    at: usize,
    count: usize,
    tab: &'a Tab,
    is_dragged: bool,
    is_added: bool,
    /// The words that are offered for what is typed.
    completing: &'a mut Option<Completing>,
}

impl CardView<'_> {
    /// Draws the card. Returns its place, and whether it begins to be dragged.
    fn ui(
        &mut self,
        ui: &mut Ui,
        card: &mut Card,
        actions: &mut AggregateActions<'_>,
    ) -> (Rect, bool) {
        let colors = colors(ui);
        let view = &self.tab.aggregate;
        let error = view.error.as_ref().filter(|error| error.card == Some(card.id));
        let is_shown = view.shown == Shown::After(card.id);
        let border = match (error.is_some(), is_shown) {
            (true, _) => colors.error,
            (_, true) => colors.accent,
            _ => colors.hairline,
        };
        let mut begun = false;
        let frame = Frame::new()
            .fill(colors.raised)
            .stroke(Stroke::new(sizes::LINE, border))
            .corner_radius(CornerRadius::same(9))
            .inner_margin(Margin { left: 6, right: 8, top: 6, bottom: 8 })
            .show(ui, |ui| {
                ui.set_width(ui.available_width());
                if card.is_off || self.is_dragged {
                    ui.set_opacity(OFF_OPACITY);
                }
                ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
                begun = self.head_ui(ui, card, actions);
                self.body_ui(ui, card, error, actions);
                if let Some(error) = error {
                    error_ui(ui, error);
                }
            });
        (frame.response.rect, begun)
    }

    /// The first line of a card. Returns whether the card begins to be dragged.
    fn head_ui(&self, ui: &mut Ui, card: &Card, actions: &mut AggregateActions<'_>) -> bool {
        let number = self.at + 1;
        let mut begun = false;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
            begun = self.handle_ui(ui, card, actions);
            let ink = colors(ui).dim;
            ui.label(text::rich(number.to_string(), text::mono_small()).color(ink));
            let name = marks::visible(&card.stage);
            let spoken = format!("Stage {number}: {name}");
            let help = known(&card.stage).map_or("", |stage| stage.help);
            let button = Button::ghost(&name).small().menu().name(&spoken);
            let button = if help.is_empty() { button } else { button.tooltip(help) };
            let response = ui.add(button);
            if let Some(stage) = stage_menu::ui(&response) {
                actions.push(AggregateAction::Choose { card: card.id, stage });
            }
            let right = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(right, |ui| {
                self.menu_ui(ui, card, actions);
                let (icon, word) =
                    if card.is_off { (Icon::Hidden, "on") } else { (Icon::Visible, "off") };
                let name = format!("Turn stage {number} {word}");
                if ui.add(Button::icon_only(icon, &name).small()).clicked() {
                    let is_off = !card.is_off;
                    actions.push(AggregateAction::SetOff { card: card.id, is_off });
                }
                self.count_ui(ui, card, actions);
            });
        });
        begun
    }

    /// The handle that a card is dragged by. The arrow keys move it too.
    fn handle_ui(&self, ui: &mut Ui, card: &Card, actions: &mut AggregateActions<'_>) -> bool {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(sizes::CONTROL_SMALL), Sense::hover());
        let id = Id::unique(("stage handle", self.tab.id.0, card.id));
        let response = ui.interact(rect, id, Sense::click_and_drag());
        let name = format!("Move stage {}", self.at + 1);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
        let colors = colors(ui);
        let ink = if response.hovered() { colors.text } else { colors.dim };
        paint::icon_at(ui.painter(), rect.center(), Icon::Drag, text::ICON, ink);
        if response.has_focus() {
            paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
            let vertical_arrows = true;
            let filter = EventFilter { vertical_arrows, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
            let pressed = |key| ui.input(|input| input.key_pressed(key));
            let gap = match () {
                () if pressed(Key::ArrowUp) => self.at.checked_sub(1),
                () if pressed(Key::ArrowDown) => Some(self.at + 2),
                () => None,
            };
            if let Some(gap) = gap {
                actions.push(AggregateAction::Move { card: card.id, gap });
            }
        }
        let begun = response.drag_started();
        response.on_hover_cursor(CursorIcon::Grab).hint("Drag, or press ↑ and ↓");
        begun
    }

    fn menu_ui(&self, ui: &mut Ui, card: &Card, actions: &mut AggregateActions<'_>) {
        let name = format!("More for stage {}", self.at + 1);
        let response = ui.add(Button::icon_only(Icon::More, &name).small());
        let (id, at) = (card.id, self.at);
        menu::below(&response, |ui| {
            let up = AggregateAction::Move { card: id, gap: at.saturating_sub(1) };
            let down = AggregateAction::Move { card: id, gap: at + 2 };
            for (label, action, enabled) in [
                ("Add a stage before", AggregateAction::AddBefore(id), true),
                ("Duplicate", AggregateAction::Duplicate(id), true),
                ("Move up", up, at > 0),
                ("Move down", down, at + 1 < self.count),
                ("Remove", AggregateAction::Remove(id), true),
            ] {
                if menu::entry(ui, label, "", enabled).clicked() {
                    actions.push(action);
                }
            }
        });
    }

    /// How many documents are after the stage; a press shows some of them.
    fn count_ui(&self, ui: &mut Ui, card: &Card, actions: &mut AggregateActions<'_>) {
        let view = &self.tab.aggregate;
        if card.is_off {
            ui.label(text::rich("off", text::small()).color(colors(ui).dim));
            return;
        }
        let Some(count) = view.counts.get(&card.id) else { return };
        let (words, hint) = words(count);
        let number = self.at + 1;
        if matches!(count, StageCount::Failed(_)) {
            let ink = colors(ui).dim;
            ui.label(text::rich(words, text::small()).color(ink)).hint(hint);
            return;
        }
        let is_shown = view.shown == Shown::After(card.id);
        let name = format!("After stage {number}: {words}");
        let button = Button::ghost(&words).small().selected(is_shown).name(&name);
        if ui.add(button.tooltip(&hint)).clicked() {
            let shown = if is_shown { Shown::Results } else { Shown::After(card.id) };
            actions.push(AggregateAction::Show(shown));
        }
    }

    fn body_ui(
        &mut self,
        ui: &mut Ui,
        card: &mut Card,
        error: Option<&StageError>,
        actions: &mut AggregateActions<'_>,
    ) {
        let name = format!("Stage {} value", self.at + 1);
        let id = Id::unique(("stage body", self.tab.id.0, card.id));
        let whole = of_stage(card.stage.trim());
        let typed = Typed { id, card: Some(card.id), tab: self.tab, whole };
        let asks = typed.before(ui, self.completing, &mut card.body);
        let edit = CodeEdit {
            name: &name,
            hint: known(&card.stage).map_or("{ }", |stage| stage.template),
            error_at: error.and_then(|error| error.offset),
            id: Some(id),
            chars_max: Some(PIPELINE_CHARS_MAX),
            ..CodeEdit::default()
        };
        let colors = colors(ui);
        let frame = Frame::new()
            .fill(colors.background)
            .stroke(Stroke::new(sizes::LINE, colors.hairline))
            .corner_radius(CornerRadius::same(7))
            .inner_margin(Margin::symmetric(8, 5));
        let response = frame.show(ui, |ui| {
            ui.set_min_size(vec2(ui.available_width(), 0.0));
            // A field of one line is as high as the line.
            ui.spacing_mut().interact_size.y = 0.0;
            edit.lines_ui(ui, &mut card.body)
        });
        let output = response.inner;
        if self.is_added {
            begin(ui, &output.response.response, &card.body);
        }
        offer_words(ui, &typed, self.completing, &mut card.body, &output, asks);
        if output.response.response.lost_focus() {
            actions.push(AggregateAction::Changed);
        }
    }
}

/// Puts the keyboard into a new card: within the braces of its value, or on the whole of another value.
fn begin(ui: &Ui, field: &Response, value: &str) {
    field.request_focus();
    let at = |chars: usize| CCursor::new(chars);
    let range = if value.starts_with("{ ") {
        CCursorRange::one(at(2))
    } else {
        CCursorRange::two(at(0), at(value.chars().count()))
    };
    let mut edit = TextEditState::load(ui.ctx(), field.id).unwrap_or_default();
    edit.cursor.set_char_range(Some(range));
    edit.store(ui.ctx(), field.id);
}

/// A count in words, and what they mean.
fn words(count: &StageCount) -> (String, String) {
    let shows = "Show the first documents after this stage".to_owned();
    match count {
        StageCount::Waiting => ("counting…".to_owned(), shows),
        StageCount::Exactly(count) => (number::counted(*count, "document", "documents"), shows),
        StageCount::MoreThan(count) => {
            let words = format!("more than {}", number::counted(*count, "document", "documents"));
            (words, shows)
        }
        StageCount::TookTooLong => {
            let hint = "Counting took longer than 2 seconds. Show the first documents after it";
            ("not counted in 2 s".to_owned(), hint.to_owned())
        }
        StageCount::Stopped => ("not counted".to_owned(), shows),
        StageCount::Failed(error) => ("no documents".to_owned(), error.clone()),
    }
}

const _: () = assert!(crate::limits::STAGE_TIME.as_secs() == 2, "the words name the time");

/// A mistake in the text, or the store's error.
pub(super) fn error_ui(ui: &mut Ui, error: &StageError) {
    let ink = colors(ui).error;
    ui.label(text::rich(&error.message, text::small()).color(ink));
}

/// Offers words below the cursor of a field that takes Enter for itself.
pub(super) fn offer_words(
    ui: &Ui,
    typed: &Typed<'_>,
    open: &mut Option<Completing>,
    text: &mut String,
    output: &TextEditOutput,
    asks: bool,
) {
    let at = output.cursor_range.map(|range| range.primary).unwrap_or_default();
    let byte = text.char_indices().nth(at.index.0).map(|(byte, _)| byte);
    let place = output.galley.pos_from_cursor(at);
    let drawn = Drawn {
        response: &output.response.response,
        is_changed: output.response.response.changed(),
        cursor: byte.unwrap_or(text.len()),
        corner: output.galley_pos + place.left_bottom().to_vec2(),
    };
    typed.after(ui, open, text, &drawn, asks);
    if open.is_some() && typed.has_focus(ui) {
        typed.keep_keys(ui, open.as_ref(), false);
    }
}
