//! The frame of a dialog: title, content, buttons at the bottom.

use egui::{
    Align, Align2, Context, CornerRadius, Event, Frame, Id, Key, Layout, Margin, Modal, Rect,
    ScrollArea, Shadow, Stroke, Ui, vec2,
};

use super::{Button, first_focus, learn, menu};
use crate::theme::{Colors, Icon, colors, sizes, text};

/// Passes over the window after which a dialog that was not drawn is known to have been closed.
const PASSES_APART_MAX: u64 = 2;

/// The top of a dialog, as a share of the window's height.
const TOP_SHARE: f32 = 0.11;

/// The lowest top of a dialog, in points.
const TOP_MAX: f32 = 140.0;

/// The assumed height of a dialog without its content, until that is measured: margins, title and
/// buttons.
const CHROME: f32 = 160.0;

/// The least space below a dialog.
const BELOW: f32 = 24.0;

/// Under what the place of the open dialog is kept.
const PLACE: &str = "the open dialog's place";

/// Under what the link is kept that the next dialog gets.
const LINK: &str = "the open dialog's link to the guide";

/// Whether to close the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a dialog that was closed must go"]
pub enum Closing {
    Stays,
    /// Escape, the cross, or a click outside while nothing was typed.
    Closes,
}

impl Closing {
    /// Whether to close the dialog.
    #[must_use]
    pub fn closes(self) -> bool {
        self == Self::Closes
    }
}

/// The identity of a dialog. A title that changes makes another dialog of it.
pub fn id(title: &str) -> Id {
    Id::unique(("dialog", title))
}

/// The memory of the open dialog, from frame to frame.
#[derive(Clone, Default)]
struct Seen {
    /// Whether text was typed: a click outside must not discard it.
    is_typed: bool,
    /// Whether the keyboard was sent to a control.
    has_keyboard: bool,
    /// The tallest content so far. It shrinks only when the dialog closes: the buttons must not
    /// move up while the user points at them.
    content: f32,
    /// The height of everything else.
    chrome: Option<f32>,
}

/// Draws a dialog of a width: title and subtitle, `content` (it scrolls when it is too tall), and
/// `footer`. The keyboard goes to the first field, or where the footer sends it.
pub fn ui(
    window: &Context,
    title: &str,
    subtitle: &str,
    width: f32,
    content: impl FnOnce(&mut Ui),
    footer: impl FnOnce(&mut Ui),
) -> Closing {
    let look = Colors::of_window(window);
    let frame = panel(look);
    let room = window.content_rect();
    let width = width.min(room.width() - 96.0);
    let top = top(room);
    let id = id(title);
    let mut seen: Seen = known(window, id).unwrap_or_default();
    let tallest = (room.height() - top - seen.chrome.unwrap_or(CHROME) - BELOW).max(120.0);
    seen.is_typed |= is_typing(window);
    let mut closed = false;
    let mut shown_height = 0.0;
    let reached = seen.content;
    // As tall as its content, up to the window; egui would stop at its default size. It grows
    // downward from a fixed top, so that nothing moves away from under the pointer.
    let area = Modal::default_area(id)
        .default_size(room.size())
        .anchor(Align2::CENTER_TOP, vec2(0.0, top));
    let modal =
        Modal::new(id).area(area).backdrop_color(look.backdrop).frame(frame).show(window, |ui| {
            ui.set_width(width + sizes::GAP);
            // Not only as tall as in the frame before, or it would grow with its content step by
            // step.
            ui.set_max_height(room.height());
            ui.scope(|ui| {
                ui.set_max_width(width);
                closed = title_ui(ui, title, subtitle);
            });
            ui.add_space(sizes::GAP_SMALL);
            let scroll = ScrollArea::vertical().max_height(tallest).auto_shrink([false, true]);
            if !seen.has_keyboard {
                first_focus::offer(window);
            }
            let shown = scroll.show(ui, |ui| {
                ui.set_max_width(width);
                ui.spacing_mut().item_spacing.y = sizes::GAP;
                ui.set_min_height(reached.min(tallest));
                content(ui);
                seen.content = ui.min_rect().height();
            });
            shown_height = shown.inner_rect.height();
            ui.add_space(sizes::GAP_SMALL);
            ui.scope(|ui| {
                ui.set_max_width(width);
                footer(ui);
            });
            seen.has_keyboard |= !first_focus::withdraw(window);
        });
    let rect = modal.response.rect;
    let chrome = rect.height() - shown_height;
    if seen.chrome.is_none_or(|known| (known - chrome).abs() > 0.5) {
        window.request_discard("a dialog knows how much room its content has");
    }
    seen.chrome = Some(chrome);
    let is_careless = modal.backdrop_response.clicked() && seen.is_typed;
    note(window, id, seen);
    let place = (window.cumulative_pass_nr(), rect);
    window.data_mut(|data| data.insert_temp(Id::unique(PLACE), place));
    if closed || modal.should_close() && !is_careless { Closing::Closes } else { Closing::Stays }
}

fn panel(look: &Colors) -> Frame {
    Frame::new()
        .fill(look.panel)
        .stroke(Stroke::new(sizes::LINE, look.hairline))
        .corner_radius(CornerRadius::same(12))
        .shadow(Shadow { offset: [0, 16], blur: 48, spread: 0, color: look.shadow })
        // The scroll bar is in the margin: content, title and buttons are equally wide.
        .inner_margin(Margin { left: 24, right: 12, top: 20, bottom: 20 })
}

/// Draws the buttons of a footer from right to left, and the link to the guide.
pub fn buttons_ui(ui: &mut Ui, buttons: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        buttons(ui);
        link_ui(ui);
    });
}

/// Whether text was typed since the dialog opened.
pub fn was_typed_into(window: &Context, title: &str) -> bool {
    known::<Seen>(window, id(title)).is_some_and(|seen| seen.is_typed)
}

/// Offers the keyboard to the first field of a dialog again.
pub fn begin_again(window: &Context, title: &str) {
    let seen: Option<Seen> = known(window, id(title));
    note(window, id(title), Seen { has_keyboard: false, ..seen.unwrap_or_default() });
}

/// A link to the guide, and whether it was pressed.
#[derive(Clone, Default)]
struct Link {
    title: String,
    /// The slug of the lesson about the draft.
    lesson: Option<&'static str>,
    is_pressed: bool,
}

/// The link that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkPressed {
    /// The slug of the lesson about the draft.
    pub lesson: Option<&'static str>,
}

/// Gives the next dialog that is drawn a link to the section of the guide with this title.
pub fn set_link(window: &Context, title: Option<&str>) {
    let link = title.map(|title| Link { title: title.to_owned(), ..Link::default() });
    window.data_mut(|data| match link {
        Some(link) => drop(data.insert_temp(Id::unique(LINK), link)),
        None => data.remove::<Link>(Id::unique(LINK)),
    });
}

/// Gives the page that the link opens a link to a lesson about the draft.
pub fn set_lesson(window: &Context, slug: &'static str) {
    window.data_mut(|data| {
        if let Some(link) = data.get_temp::<Link>(Id::unique(LINK)) {
            data.insert_temp(Id::unique(LINK), Link { lesson: Some(slug), ..link });
        }
    });
}

/// Takes the link back, if it was pressed.
pub fn take_link(window: &Context) -> Option<LinkPressed> {
    let link = window.data_mut(|data| data.remove_temp::<Link>(Id::unique(LINK)))?;
    link.is_pressed.then_some(LinkPressed { lesson: link.lesson })
}

/// Draws the link at the left of the buttons, where they leave room for it.
fn link_ui(ui: &mut Ui) {
    let Some(link) = ui.data(|data| data.get_temp::<Link>(Id::unique(LINK))) else { return };
    if ui.available_width() < learn::help_width(ui) {
        return;
    }
    let layout = Layout::left_to_right(Align::Center);
    if ui.with_layout(layout, |ui| learn::help_ui(ui, &link.title)).inner {
        let link = Link { is_pressed: true, ..link };
        ui.data_mut(|data| data.insert_temp(Id::unique(LINK), link));
    }
}

/// Where dialogs begin in a window: above its middle, with room below to grow.
fn top(room: Rect) -> f32 {
    if room.height() < sizes::DIALOG_LOW {
        sizes::GAP_LARGE
    } else {
        (room.height() * TOP_SHARE).min(TOP_MAX)
    }
}

/// The notes about a dialog while it is open. One of its name that was there before is another one.
pub fn known<T: Clone + Send + Sync + 'static>(window: &Context, id: Id) -> Option<T> {
    let known = window.data(|data| data.get_temp::<(u64, T)>(id));
    let pass = window.cumulative_pass_nr();
    let is_same = |(last, _): &(u64, T)| pass.saturating_sub(*last) <= PASSES_APART_MAX;
    known.filter(is_same).map(|(_, known)| known)
}

/// Takes notes about a dialog. They are kept while this is called in each pass.
pub fn note<T: Clone + Send + Sync + 'static>(window: &Context, id: Id, notes: T) {
    let pass = window.cumulative_pass_nr();
    window.data_mut(|data| data.insert_temp(id, (pass, notes)));
}

/// Where the open dialog stands.
pub fn place(window: &Context) -> Option<Rect> {
    let (pass, rect) = window.data(|data| data.get_temp::<(u64, Rect)>(Id::unique(PLACE)))?;
    let apart = window.cumulative_pass_nr().saturating_sub(pass);
    (apart <= PASSES_APART_MAX).then_some(rect)
}

fn is_typing(window: &Context) -> bool {
    let is_text = |event: &Event| matches!(event, Event::Text(_) | Event::Paste(_) | Event::Ime(_));
    window.input(|input| input.events.iter().any(is_text))
}

/// Whether Enter was pressed for the dialog as a whole: no control has the keyboard, or a line of
/// text had it. A key that is held down since before the dialog was there does not count.
pub fn is_entered(window: &Context) -> bool {
    let is_free = window.memory(|memory| memory.focused().is_none()) && !menu::was_open(window);
    let is_enter = |event: &Event| {
        matches!(event, Event::Key { key: Key::Enter, pressed: true, repeat: false, modifiers, .. }
            if modifiers.is_none())
    };
    is_free && window.input(|input| input.events.iter().any(is_enter))
}

/// Lets a button ignore a key that is held down.
pub fn ignore_held_keys(window: &Context) {
    if window.text_edit_focused() {
        return;
    }
    let is_held = |event: &Event| {
        matches!(event, Event::Key { key: Key::Enter | Key::Space, repeat: true, .. })
    };
    // The press that brought the keyboard to a button, or opened the dialog, must not press it too.
    window.input_mut(|input| input.events.retain(|event| !is_held(event)));
}

fn title_ui(ui: &mut Ui, title: &str, subtitle: &str) -> bool {
    let mut closed = false;
    ui.horizontal(|ui| {
        ui.label(text::rich(title, text::heading()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::icon_only(Icon::Close, "Close").name("Close the dialog");
            closed = ui.add(close).clicked();
        });
    });
    if !subtitle.is_empty() {
        ui.scope(|ui| {
            let ink = colors(ui).dim;
            ui.label(text::rich(subtitle, text::body()).color(ink));
        });
    }
    closed
}
