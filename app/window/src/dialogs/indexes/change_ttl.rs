//! Changes the TTL of an index in place, or gives one to a plain index.

use egui::{Context, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::tab_actions::{PLAN, PLAN_HINT, TabActions, offer_lesson};
use super::what_if;
use super::what_if::going;
use crate::action::IndexesAction;
use crate::dialogs::frame::DialogFrame;
use crate::job::number_draft::NumberDraft;
use crate::panels::ttl_slider;
use crate::state::indexes::{AGE_SLICES, ChangeTtl, slider_fraction, ttl_words};
use crate::state::lesson::why::Topic;
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, number_field};

/// The longest usual label of the button.
const LONGEST: &str = "Change and expire 100,000 documents";

/// The height of the fields with the ages of documents, in points.
const FIELDS_HEIGHT: f32 = 296.0;

/// Draws the dialog.
pub(super) fn ui(
    context: &Context,
    change: &mut ChangeTtl,
    state: &State,
    actions: &mut TabActions<'_>,
) {
    let name = with_marks(&change.index.name);
    let title = match change.index.secs {
        Some(_) => format!("Change TTL of {name}"),
        None => format!("Add TTL to {name}"),
    };
    let field = change.index.field().unwrap_or_default().to_owned();
    let subtitle = if change.is_on_modification() {
        "Expire documents this long after their last modification; -1 expires only documents with \
         their own ttl"
            .to_owned()
    } else {
        format!("Expire documents this long after the date in {}", with_marks(&field))
    };
    let mut changed = false;
    let cliff = what_if::cliff(change.known(), state);
    let topic = topic(change, cliff.is_some());
    let command = change.command(&actions.names.1);
    let label = label(change);
    if let Some(topic) = topic {
        offer_lesson(context, state, topic);
    }
    let frame = DialogFrame::new(title)
        .subtitle(subtitle)
        .height(FIELDS_HEIGHT)
        .warning(cliff)
        .command_named("Command", "", command.map(|command| actions.written(&command)))
        .waiting(change.sent.is_some())
        .error(change.error.as_deref());
    let outcome = with_buttons(frame, change, &label).ui(context, |ui| {
        changed = content_ui(ui, change, state);
    });
    if changed {
        change.error = None;
        actions.push(IndexesAction::AskWhatIf);
    }
    if let Some(action) = outcome.end(actions.queue) {
        actions.push(action);
    }
}

/// The lesson's topic for the change as it is drafted.
fn topic(change: &ChangeTtl, is_cliff: bool) -> Option<Topic> {
    match () {
        () if change.ttl_problem().is_some() => Some(Topic::BadSeconds),
        () if is_cliff => Some(Topic::Cliff),
        () if !going(change.known()).is_zero() => Some(Topic::WhatIf),
        () => change.index.secs.is_none().then_some(Topic::PlainToTtl),
    }
}

/// The confirm button names the number of documents that are removed at once.
fn label(change: &ChangeTtl) -> String {
    let is_new = change.index.secs.is_none();
    match going(change.known()) {
        _ if is_same(change) => "No change".to_owned(),
        going if going.is_zero() => if is_new { "Add TTL" } else { "Change TTL" }.to_owned(),
        going => {
            let verb = if is_new { "Add TTL" } else { "Change" };
            format!("{verb} and expire {}", number::documents(going))
        }
    }
}

fn is_same(change: &ChangeTtl) -> bool {
    change.secs().is_ok_and(|secs| Some(secs) == change.index.secs)
}

fn with_buttons<'a>(
    frame: DialogFrame<'a, IndexesAction>,
    change: &ChangeTtl,
    label: &'a str,
) -> DialogFrame<'a, IndexesAction> {
    let (going, same) = (going(change.known()), is_same(change));
    let button = match going {
        _ if same => Button::plain(label),
        going if going.is_zero() => Button::primary(label),
        _ => Button::amber(label),
    };
    let is_free = change.known().is_some() && !same;
    let is_planned = !going.is_zero() && !same && change.sent.is_none();
    let button = button.enabled(is_free && !change.needs_new_index).room_for(LONGEST);
    // Always there, so that Cancel stays where it is.
    let plan = Button::plain(PLAN).tooltip(PLAN_HINT).enabled(is_planned);
    let again = Button::amber("Drop and create again…").enabled(is_free);
    frame
        .button_if(change.needs_new_index, again, IndexesAction::AskRecreate)
        .button(button, IndexesAction::Send)
        .button(plan, IndexesAction::PlanRollout)
}

/// Returns whether the TTL was changed.
fn content_ui(ui: &mut Ui, change: &mut ChangeTtl, state: &State) -> bool {
    let mut changed = false;
    let problem = change.ttl_problem();
    ui.horizontal(|ui| {
        changed = number_field::ui(ui, "TTL", &mut change.ttl, problem.is_some());
        let words = match change.index.secs {
            Some(secs) => format!("was {}", ttl_words(secs)),
            None => "has no TTL yet".to_owned(),
        };
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
    });
    let (secs, ink) = (change.secs(), colors(ui));
    // One line whatever it says: the buttons stay where they are.
    let (words, ink) = match (problem, &secs) {
        (Some(error), _) => (error, ink.error),
        (None, Err(missing)) => (missing.clone(), ink.dim),
        (None, Ok(-1)) => {
            ("No default: only documents with their own ttl expire".to_owned(), ink.dim)
        }
        // With another unit than seconds, a number that was meant as seconds shows here.
        (None, Ok(secs)) => (number::counted(secs.unsigned_abs(), "second", "seconds"), ink.dim),
    };
    ui.label(text::rich(words, text::body()).color(ink));
    let secs = secs.ok();
    if let Some(secs) = ttl_slider::ui(ui, secs, change.index.secs).secs {
        change.ttl = NumberDraft::from_secs(secs);
        changed = true;
    }
    if let Some(ages) = &change.ages {
        ages_ui(ui, &ages.slices(state.now_ms()), secs);
    }
    let figures = change.figures(state.now_ms());
    what_if::ui(ui, figures.as_deref());
    changed
}

#[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
fn as_f32(number: f64) -> f32 {
    number as f32
}

/// Documents by age over the slider's scale: right of the mark they expire, left of it they stay.
fn ages_ui(ui: &mut Ui, ages: &[u64], secs: Option<i64>) {
    let size = vec2(ui.available_width(), sizes::DENSITY);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let hint = "Documents by age. The next pass removes those older than the TTL";
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, hint));
    let ink = colors(ui);
    let painter = ui.painter();
    let track = rect.shrink2(vec2(sizes::GAP_SMALL, 0.0));
    let most = ages.iter().max().copied().unwrap_or(0).max(1);
    let limit = secs.filter(|secs| *secs >= 0).map_or(1.0, slider_fraction);
    #[expect(clippy::cast_precision_loss, reason = "bars on screen")]
    for (slice, count) in ages.iter().enumerate() {
        if *count == 0 {
            continue;
        }
        let width = track.width() / AGE_SLICES as f32;
        let left = track.left() + slice as f32 * width;
        let height = track.height() * (*count as f32 / most as f32).sqrt().max(0.06);
        let bar = Rect::from_min_max(
            pos2(left, track.bottom() - height),
            pos2(left + width - sizes::STRIP_GAP, track.bottom()),
        );
        let goes = (slice as f64 + 0.5) / AGE_SLICES as f64 >= limit;
        painter.rect_filled(bar, 2.0, if goes { ink.overdue } else { ink.accent });
    }
    painter.hline(rect.x_range(), rect.bottom(), Stroke::new(sizes::LINE, ink.hairline));
    let x = track.left() + as_f32(limit) * track.width();
    painter.vline(x, rect.y_range(), Stroke::new(sizes::LINE_STRONG, ink.now));
    response.hint(hint);
}
