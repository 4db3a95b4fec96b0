//! The guide: chapters and a search at the left, the text at the right. It is over everything else, so that an open
//! dialog stays as it is.

use egui::{Align, Context, Id, Key, Modifiers, ScrollArea, Ui, vec2};

use super::frame::DialogFrame;
use crate::action::{Action, Actions, LessonAction, ViewAction};
use crate::guide::{self, Chapter, Part, Place, Section};
use crate::job::lesson::LessonSource;
use crate::limits::GUIDE_HITS_MAX;
use crate::state::guide::Guide;
use crate::state::lesson::why;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::markdown::Clicked;
use crate::widgets::{Button, empty_state, field, learn, markdown, picture};

/// The parts around a dialog's content: a share of the window above it, and title, buttons and
/// margins in points. The list and the text scroll by themselves, so the dialog must not.
const ABOVE_SHARE: f32 = 0.12;
const AROUND: f32 = 190.0;

/// The least and the largest height of the content.
const HEIGHT: std::ops::RangeInclusive<f32> = 180.0..=620.0;

/// The tallest picture.
const PICTURE: f32 = 440.0;

pub fn ui(context: &Context, guide: &mut Guide, actions: &mut Actions) {
    if context.input_mut(|input| input.consume_key(Modifiers::ALT, Key::ArrowLeft)) {
        guide.go_back();
    }
    let back = Button::plain("Back").tooltip("Go to the section before (Alt+←)");
    let frame = DialogFrame::new("Guide")
        .width(sizes::DIALOG_COLUMNS)
        .no_leave()
        .button(Button::primary("Done"), Pressed::Done)
        .button(back.enabled(guide.can_go_back()), Pressed::Back);
    let outcome = frame.ui(context, |ui| content_ui(ui, guide, actions));
    match outcome.closed(Pressed::Done) {
        Some(Pressed::Done) => actions.push(Action::View(ViewAction::ShowGuide(None))),
        Some(Pressed::Back) => guide.go_back(),
        None => {}
    }
}

enum Pressed {
    Done,
    Back,
}

fn content_ui(ui: &mut Ui, guide: &mut Guide, actions: &mut Actions) {
    let window = ui.ctx().content_rect().height();
    let height = (window * (1.0 - ABOVE_SHARE) - AROUND).clamp(*HEIGHT.start(), *HEIGHT.end());
    let list = sizes::GUIDE_LIST.min(ui.available_width() / 3.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.allocate_ui(vec2(list, height), |ui| {
            ui.set_max_width(list);
            ui.vertical(|ui| list_ui(ui, guide));
        });
        let size = vec2(ui.available_width(), height);
        ui.allocate_ui(size, |ui| ui.vertical(|ui| chapter_ui(ui, guide, actions)));
    });
}

/// The search, and what it found or all chapters.
fn list_ui(ui: &mut Ui, guide: &mut Guide) {
    ui.spacing_mut().item_spacing.y = 2.0;
    let id = Id::unique("guide search");
    let name = "Search the guide";
    let search = field::search(ui, name, name, &mut guide.search, id);
    let hits = guide::search(&guide.search);
    // Taken if it has a use here, because Enter is also the key of the dialog's first button.
    let is_entered = search.lost_focus()
        && !hits.is_empty()
        && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    if let Some(first) = hits.first().filter(|_| is_entered) {
        guide.go(*first);
    }
    ui.add_space(sizes::GAP_TINY);
    ScrollArea::vertical().id_salt("guide list").auto_shrink(false).show(ui, |ui| {
        if guide.search.trim().is_empty() {
            for (at, chapter) in guide::chapters().iter().enumerate() {
                if row_ui(ui, chapter.title(), at == guide.at.chapter) {
                    guide.go(Place { chapter: at, section: 0 });
                }
            }
            return;
        }
        if hits.is_empty() {
            empty_state::hint(ui, "No section has these words");
        }
        for at in hits.into_iter().take(GUIDE_HITS_MAX) {
            let title = guide::section(at).map_or("", |section| section.title.as_str());
            if row_ui(ui, title, at == guide.at) {
                guide.go(at);
            }
        }
    });
}

/// A line of the list. Returns whether it was pressed.
fn row_ui(ui: &mut Ui, title: &str, is_chosen: bool) -> bool {
    let ink = if is_chosen { colors(ui).text } else { colors(ui).dim };
    let button = egui::Button::selectable(is_chosen, text::rich(title, text::body()).color(ink));
    let size = vec2(ui.available_width(), sizes::CONTROL);
    ui.add(button.wrap().min_size(size)).accessible_name(title).clicked()
}

fn chapter_ui(ui: &mut Ui, guide: &mut Guide, actions: &mut Actions) {
    let Some(chapter) = guide::chapters().get(guide.at.chapter) else { return };
    if let Some(slug) = guide.lesson {
        lesson_ui(ui, slug, actions);
    }
    let moved_to = std::mem::take(&mut guide.is_moved).then_some(guide.at.section);
    let mut clicked = None;
    let id = ("guide chapter", guide.at.chapter);
    ScrollArea::vertical().id_salt(id).auto_shrink(false).show(ui, |ui| {
        // The scroll bar has its own place.
        ui.set_max_width(ui.available_width() - sizes::GAP);
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        for (at, section) in chapter.sections.iter().enumerate() {
            let found = section_ui(ui, section, at == 0, moved_to == Some(at));
            clicked = found.or(clicked.take());
        }
        ui.add_space(sizes::GAP_LARGE);
        next_ui(ui, chapter, guide);
    });
    match clicked {
        Some(Clicked::Link(link)) => {
            if let Some(at) = guide::resolve(&link, guide.at.chapter) {
                guide.go(at);
            }
        }
        Some(Clicked::Copy(code)) => actions.push(Action::View(ViewAction::CopyLines(code))),
        None => {}
    }
}

/// The lesson about what the dialog below the guide would do. The dialog gives way to it.
fn lesson_ui(ui: &mut Ui, slug: &'static str, actions: &mut Actions) {
    if learn::ui(ui, &why::words(slug)) {
        actions.push(Action::View(ViewAction::ShowGuide(None)));
        let source = LessonSource::Shipped(slug.to_owned());
        actions.push(Action::Lesson(LessonAction::Open(source)));
    }
}

fn section_ui(ui: &mut Ui, section: &Section, is_first: bool, is_sought: bool) -> Option<Clicked> {
    if !is_first {
        ui.add_space(sizes::GAP_SMALL);
    }
    let font = if is_first { text::heading() } else { text::title() };
    let heading = ui.label(text::rich(section.title.as_str(), font).color(colors(ui).text));
    if is_sought {
        heading.scroll_to_me(Some(Align::TOP));
    }
    let mut clicked = None;
    for part in &section.parts {
        match part {
            Part::Text(words) => clicked = markdown::ui(ui, words).or(clicked.take()),
            Part::Picture { words, file } => picture_ui(ui, words, file),
        }
    }
    clicked
}

fn picture_ui(ui: &mut Ui, words: &str, file: &str) {
    let id = Id::unique(("picture of the guide", file));
    let bytes = guide::picture(file);
    if let Some(texture) = bytes.and_then(|bytes| picture::texture(ui, id, bytes)) {
        picture::ui(ui, &texture, PICTURE, words);
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
}

/// Leads to the next chapter.
fn next_ui(ui: &mut Ui, chapter: &Chapter, guide: &mut Guide) {
    let chapters = guide::chapters();
    let at = chapters.iter().position(|other| other.file == chapter.file);
    let next = at.and_then(|at| Some((at + 1, chapters.get(at + 1)?)));
    if let Some((at, next)) = next {
        let label = format!("Next: {}", next.title());
        if ui.add(Button::plain(&label).icon(Icon::NextPass)).clicked() {
            guide.go(Place { chapter: at, section: 0 });
        }
    }
}
