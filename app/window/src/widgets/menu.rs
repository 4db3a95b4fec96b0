//! Menus.

use egui::{Context, Id, InnerResponse, Popup, PopupCloseBehavior, Rect, RectAlign, Response, Ui};

use crate::theme::{Icon, colors, sizes, text};

/// A menu below `button`, open while the button was pressed.
pub fn below(button: &Response, content: impl FnOnce(&mut Ui)) {
    let popup = Popup::menu(button).close_behavior(PopupCloseBehavior::CloseOnClick);
    keep_on_top(popup.gap(sizes::GAP_TINY).show(|ui| {
        set_up(ui);
        content(ui);
    }));
}

/// Whether the menu below the button with this id is open.
pub fn is_open_below(context: &Context, button: Id) -> bool {
    Popup::is_id_open(context, button.with("popup"))
}

/// Keeps an open menu above a dialog.
fn keep_on_top(shown: Option<InnerResponse<()>>) {
    if let Some(InnerResponse { response, .. }) = shown {
        // A tap presses and releases within one frame. The press moves the dialog to the top in the
        // frame in which the menu opens, and the menu could stay below.
        response.ctx.move_to_top(response.layer_id);
    }
}

/// A menu where the secondary button was pressed on `response`.
pub fn context(response: &Response, content: impl FnOnce(&mut Ui)) {
    keep_on_top(Popup::context_menu(response).show(|ui| {
        set_up(ui);
        content(ui);
    }));
}

/// The same for a row of a list: the menu names it, and leaves it in sight. It is at the right of a narrow
/// row, and else below the pointer.
pub fn of_row(row: &Response, name: &str, content: impl FnOnce(&mut Ui)) {
    let id = row.id.with("where its menu is");
    if let Some(pointer) = row.interact_pointer_pos().filter(|_| row.secondary_clicked()) {
        row.ctx.data_mut(|data| data.insert_temp(id, pointer.x));
    }
    let x = row.ctx.data(|data| data.get_temp(id)).unwrap_or(row.rect.left());
    let is_narrow = row.rect.right() < row.ctx.content_rect().center().x;
    let (align, place) = if is_narrow {
        (RectAlign::RIGHT_START, row.rect)
    } else {
        (RectAlign::BOTTOM_START, Rect::from_x_y_ranges(x..=x, row.rect.y_range()))
    };
    let popup = Popup::context_menu(row).anchor(place).align(align).gap(sizes::GAP_TINY);
    keep_on_top(popup.show(|ui| {
        set_up(ui);
        let words = text::rich(name, text::small()).color(colors(ui).dim);
        ui.add(egui::Label::new(words).truncate());
        line(ui);
        content(ui);
    }));
}

/// Closes the open menu.
pub fn close(context: &Context) {
    Popup::close_all(context);
}

/// Notes whether a menu is open as a frame begins. Escape closes it while it is drawn, and must do
/// nothing else.
pub fn note_open(context: &Context) {
    let is_open = Popup::is_any_open(context);
    context.data_mut(|data| data.insert_temp(Id::unique("a menu is open"), is_open));
}

/// Whether a menu was open as this frame began: Escape and Enter are its keys.
pub fn was_open(context: &Context) -> bool {
    context.data(|data| data.get_temp(Id::unique("a menu is open"))).unwrap_or(false)
}

/// An entry with its keys at the right.
pub fn entry(ui: &mut Ui, label: &str, keys: &str, enabled: bool) -> Response {
    let button = egui::Button::new(label)
        .shortcut_text(text::rich(keys, text::mono_small()).color(colors(ui).dim));
    let response = ui.add_enabled(enabled, button);
    response.accessible_name(label)
}

/// An entry with words that explain it at the right.
pub fn explained(ui: &mut Ui, label: &str, words: &str, enabled: bool) -> Response {
    let words = text::rich(words, text::small()).color(colors(ui).dim);
    let button = egui::Button::new(label).shortcut_text(words);
    ui.add_enabled(enabled, button).accessible_name(label)
}

/// An entry that opens a menu next to it.
pub fn below_entry(ui: &mut Ui, label: &str, content: impl FnOnce(&mut Ui)) {
    ui.menu_button(label, |ui| {
        set_up(ui);
        content(ui);
    });
}

/// An entry that is one of several.
pub fn choice(ui: &mut Ui, label: &str, chosen: bool) -> Response {
    let mark = if chosen { Icon::Check } else { Icon::More };
    let ink = if chosen { colors(ui).accent } else { egui::Color32::TRANSPARENT };
    let mark = mark.text().color(ink);
    ui.add(egui::Button::new((mark, label))).accessible_name(label)
}

/// The name of the group of entries below it.
pub fn caption(ui: &mut Ui, words: &str) {
    ui.add_space(sizes::GAP_TINY);
    let words = text::rich(words, text::small()).color(colors(ui).dim);
    ui.horizontal(|ui| {
        ui.add_space(ui.spacing().button_padding.x);
        ui.label(words);
    });
}

/// A line between groups.
pub fn line(ui: &mut Ui) {
    ui.add(egui::Separator::default().spacing(sizes::GAP_SMALL));
}

fn set_up(ui: &mut Ui) {
    ui.set_min_width(180.0);
    ui.spacing_mut().button_padding = egui::vec2(sizes::GAP_SMALL, 5.0);
    ui.spacing_mut().item_spacing.y = 1.0;
}
