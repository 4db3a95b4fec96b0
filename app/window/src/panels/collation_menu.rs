//! How text compares: a language and which differences count, as a button with a menu.

use bson::Document;
use egui::{Id, Key, Label, Popup, PopupCloseBehavior, ScrollArea, Ui};

use crate::commands::collation::{CollationChoice, EXACT, LANGUAGES, Letters};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu};

/// The width of the menu, in points.
const MENU: f32 = 260.0;

/// The height of the list of languages, in points.
const LIST: f32 = 150.0;

/// Characters of the choice on the button.
const LABEL_CHARS: usize = 14;

/// Draws the button of this name, and the menu while it is open. `note` says which indexes can be
/// used. Returns whether the collation was changed.
pub fn ui(ui: &mut Ui, name: &str, collation: &mut Document, note: &str) -> bool {
    let chosen = CollationChoice::of(collation);
    let words = chosen.as_ref().map_or_else(|| "Default".to_owned(), CollationChoice::in_words);
    let label = crate::widgets::value::cut(&words, LABEL_CHARS);
    let spoken = format!("{name}: {words}");
    let hint = format!("How text compares in the filter and the sort: {words}");
    let button = Button::plain(&label)
        .menu()
        .selected(chosen.is_some())
        .name(&spoken)
        .known_as(name)
        .tooltip(&hint);
    let response = ui.add(button);
    let mut changed = false;
    let popup = Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .gap(sizes::GAP_TINY);
    popup.show(|ui| {
        ui.set_width(MENU);
        ui.spacing_mut().item_spacing.y = 1.0;
        changed |= languages_ui(ui, collation);
        menu::line(ui);
        changed |= letters_ui(ui, collation);
        menu::line(ui);
        changed |= other_ui(ui, collation);
        ui.add_space(sizes::GAP_TINY);
        let note = Label::new(text::rich(note, text::small()).color(colors(ui).dim));
        ui.add(note.wrap().halign(egui::Align::LEFT));
    });
    changed
}

fn languages_ui(ui: &mut Ui, collation: &mut Document) -> bool {
    let chosen = CollationChoice::of(collation);
    let is_chosen = |locale| chosen.as_ref().is_some_and(|chosen| chosen.locale == locale);
    let mut changed = None;
    if menu::choice(ui, "Default", chosen.is_none())
        .hint("Exact bytes, unless the collection has a collation")
        .clicked()
    {
        changed = Some(Document::new());
    }
    if menu::choice(ui, "Exact bytes", is_chosen(EXACT)).clicked() {
        changed = Some(CollationChoice::of_locale(EXACT).document());
    }
    ScrollArea::vertical().max_height(LIST).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for (locale, name) in LANGUAGES {
            if menu::choice(ui, name, is_chosen(locale)).clicked() {
                changed = Some(with_locale(chosen.as_ref(), locale));
            }
        }
    });
    set(collation, changed)
}

/// Another language with the same rules for letters and digits.
fn with_locale(chosen: Option<&CollationChoice>, locale: &str) -> Document {
    let usual = CollationChoice::of_locale(locale);
    match chosen.filter(|chosen| chosen.locale != EXACT) {
        Some(chosen) => CollationChoice { locale: usual.locale, ..chosen.clone() }.document(),
        None => usual.document(),
    }
}

fn letters_ui(ui: &mut Ui, collation: &mut Document) -> bool {
    let chosen = CollationChoice::of(collation).filter(|chosen| chosen.locale != EXACT);
    let mut changed = None;
    ui.add_enabled_ui(chosen.is_some(), |ui| {
        for letters in Letters::ALL {
            let is_chosen = chosen.as_ref().is_some_and(|chosen| chosen.letters == letters);
            if menu::choice(ui, letters.label(), is_chosen).clicked() {
                let with = |chosen: CollationChoice| CollationChoice { letters, ..chosen };
                changed = chosen.clone().map(with).map(|chosen| chosen.document());
            }
        }
        let mut is_numeric = chosen.as_ref().is_some_and(|chosen| chosen.is_numeric);
        if ui.checkbox(&mut is_numeric, "Numbers by value: 2 before 10").clicked() {
            let with = |chosen: CollationChoice| CollationChoice { is_numeric, ..chosen };
            changed = chosen.clone().map(with).map(|chosen| chosen.document());
        }
    });
    set(collation, changed)
}

/// A locale that is not in the list.
fn other_ui(ui: &mut Ui, collation: &mut Document) -> bool {
    let chosen = CollationChoice::of(collation);
    let is_listed =
        |locale: &str| locale == EXACT || LANGUAGES.iter().any(|(listed, _)| *listed == locale);
    let id = Id::unique("another locale").with(ui.scope_id());
    let other = chosen.as_ref().map(|chosen| chosen.locale.clone());
    let other = other.filter(|locale| !is_listed(locale)).unwrap_or_default();
    let mut typed = ui.data(|data| data.get_temp::<String>(id)).unwrap_or(other);
    let field = Field {
        name: "Other locale",
        hint: "Other locale, such as fr_CA",
        mono: true,
        width: Some(MENU),
        ..Field::default()
    };
    let response = field.ui(ui, &mut typed);
    let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let locale = typed.trim().to_owned();
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, typed));
    } else {
        ui.data_mut(|data| data.remove::<String>(id));
    }
    let changed = entered && !locale.is_empty();
    set(collation, changed.then(|| with_locale(chosen.as_ref(), &locale)))
}

fn set(collation: &mut Document, changed: Option<Document>) -> bool {
    match changed.filter(|changed| changed != collation) {
        Some(changed) => {
            *collation = changed;
            true
        }
        None => false,
    }
}
