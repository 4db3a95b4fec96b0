//! The blocks of a card: code with its button and its reply, play, solution, traffic.

use egui::{CollapsingHeader, CornerRadius, Frame, Label, Margin, Ui};

use super::actions::LessonActions;
use super::focus::Main;
use super::{goal, question};
use crate::action::{Action, LessonAction, ViewAction};
use crate::job::ConsoleOutput;
use crate::job::lesson::{
    Block, BlockKind, BlockState, BlockView, LessonRequest, LessonView, Traffic,
};
use crate::state::lesson::{Playing, steps};
use crate::state::{State, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::marks::{visible, visible_lines};
use crate::widgets::{Button, code_box, value_text};

/// A block with its place on the card and its state.
pub(super) type Placed<'a> = (&'a LessonView, usize, &'a Block, &'a BlockView);

pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    placed: Placed<'_>,
    actions: &mut LessonActions<'_>,
) {
    let (view, at, block, known) = placed;
    match &block.kind {
        BlockKind::Setup(script) => {
            if state.view.is_presented() {
                return;
            }
            let words = text::rich("How this was set up", text::small()).color(colors(ui).dim);
            CollapsingHeader::new(words).id_salt(("setup", at)).show(ui, |ui| {
                code_ui(ui, script, actions);
            });
        }
        // A room sees a block when its turn has come, and not while it thinks about the question.
        BlockKind::Run { .. } | BlockKind::Play { .. }
            if state.view.is_presented() && known.state == BlockState::Waiting => {}
        BlockKind::Run { label, script, .. } => {
            code_ui(ui, &typed(ui, state, playing, at, script, known.state), actions);
            let label = if label.is_empty() { "Run" } else { label };
            button_ui(ui, state, playing, (view, at, known), (label, ""), actions);
            output_ui(ui, state, at, &known.output);
        }
        BlockKind::Play { label, script } => {
            // The question may be about this time. A label of the file says where it plays to.
            let has_target = label.is_empty() && !steps::is_asking(view);
            let target = has_target.then(|| target(script, state, view)).flatten();
            let label = if label.is_empty() { "Play" } else { label };
            let target = target.unwrap_or_default();
            button_ui(ui, state, playing, (view, at, known), (label, &target), actions);
            output_ui(ui, state, at, &known.output);
        }
        BlockKind::Question(asked) => {
            question::ui(ui, state, playing, (view, at, asked, known), actions);
        }
        BlockKind::Goal(task) => goal::ui(ui, (view, at, task, known), actions),
        BlockKind::Solution(script) => {
            solution_ui(ui, state, playing, (view, at, known), script, actions);
            output_ui(ui, state, at, &known.output);
        }
        BlockKind::Traffic(traffic) => traffic_ui(ui, view, traffic, actions),
    }
}

fn code_ui(ui: &mut Ui, script: &str, actions: &mut LessonActions<'_>) {
    if code_box::ui(ui, "Code", script.trim()) {
        actions.queue.push(Action::View(ViewAction::CopyLines(script.trim().to_owned())));
    }
}

/// The code; in a presentation it is typed out at reading speed.
fn typed(
    ui: &Ui,
    state: &State,
    playing: &Playing,
    at: usize,
    script: &str,
    block: BlockState,
) -> String {
    let script = script.trim();
    if !state.view.is_presented() || block != BlockState::Ready {
        return script.to_owned();
    }
    let card = playing.view.as_ref().map_or(0, |view| view.card);
    let id = egui::Id::unique(("typed since", playing.number, card, at));
    let since = ui.data_mut(|data| *data.get_temp_mut_or_insert_with(id, || state.uptime));
    let shown = state.uptime.saturating_sub(since).as_secs_f32() * TYPED_PER_SECOND;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let shown = shown as usize;
    if shown < script.chars().count() {
        ui.ctx().request_repaint_after(crate::theme::durations::FRAME);
    }
    script.chars().take(shown).collect()
}

/// Characters that are typed out in a second.
const TYPED_PER_SECOND: f32 = 45.0;

/// The button of a block, or what came of it.
fn button_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    (view, part, known): (&LessonView, usize, &BlockView),
    (label, target): (&str, &str),
    actions: &mut LessonActions<'_>,
) {
    let ink = colors(ui);
    ui.horizontal_wrapped(|ui| match known.state {
        BlockState::Running => {
            let words = text::rich("Running…", text::body()).color(ink.busy);
            ui.label(words);
            if ui.add(Button::plain("Stop").icon(Icon::Stop).known_as("block")).clicked() {
                actions.push(LessonAction::Request(LessonRequest::Stop));
            }
        }
        BlockState::Done => done_ui(ui, label, true),
        BlockState::Failed => done_ui(ui, label, false),
        BlockState::Ready | BlockState::Waiting => {
            let words =
                if target.is_empty() { label.to_owned() } else { format!("{label} {target}") };
            let is_ready = known.state == BlockState::Ready;
            let tooltip = match (is_ready, steps::open_question(view)) {
                (true, _) => "Space",
                (false, Some(_)) => "Choose an answer first",
                (false, None) => "Do what comes before it first",
            };
            let button = if is_ready { Button::primary(&words) } else { Button::plain(&words) };
            let button = button.icon(Icon::Play).known_as("block").enabled(is_ready);
            let button = ui.add(button.tooltip(tooltip));
            Main::Block(part).follow(&button, state, playing);
            if button.clicked() {
                actions.push(LessonAction::Request(LessonRequest::Run { part }));
            }
        }
    });
}

fn done_ui(ui: &mut Ui, label: &str, is_well: bool) {
    let ink = colors(ui);
    let (icon, tint, words) = if is_well {
        (Icon::Check, ink.accent, label.to_owned())
    } else {
        (Icon::Error, ink.error, format!("{label}: not as expected"))
    };
    ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
    let spoken = if is_well { "Done" } else { "Failed" };
    ui.label(icon.text().color(tint)).accessible_name(spoken);
    ui.label(text::rich(words, text::body()).color(ink.dim));
}

/// The output of a block, as mongosh prints it. In a presentation, a reply that explains itself is folded
/// to its sentence, because the rest would fill the screen.
fn output_ui(ui: &mut Ui, state: &State, at: usize, output: &[ConsoleOutput]) {
    if output.is_empty() {
        return;
    }
    let sentences = output.iter().filter_map(ConsoleOutput::sentence).collect::<Vec<_>>();
    if state.view.is_presented() && !sentences.is_empty() {
        let tint = colors(ui).text;
        for sentence in sentences {
            let words = text::rich(visible_lines(&sentence), text::body()).color(tint);
            ui.add(Label::new(words).wrap());
        }
        let words = text::rich("Whole reply", text::body()).color(colors(ui).dim);
        CollapsingHeader::new(words).id_salt(("reply", at)).show(ui, |ui| lines_ui(ui, output));
        return;
    }
    lines_ui(ui, output);
}

fn lines_ui(ui: &mut Ui, output: &[ConsoleOutput]) {
    let ink = colors(ui);
    Frame::new()
        .fill(ink.well)
        .corner_radius(CornerRadius::same(7))
        .inner_margin(Margin::symmetric(12, 8))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            for output in output {
                let width = ui.available_width();
                let plain = |words: &str, tint| {
                    let mut job = egui::text::LayoutJob::default();
                    value_text::append(&mut job, words, &text::mono(), tint, ink);
                    value_text::wrap(ui, &mut job, width);
                    job
                };
                let job = match output {
                    ConsoleOutput::Value { text, .. } => code_box::highlighted(ui, text, width),
                    ConsoleOutput::Printed(words) => plain(words, ink.text),
                    ConsoleOutput::Failed(words) => plain(words, ink.error),
                    ConsoleOutput::Note(words) => plain(words, ink.dim),
                };
                ui.add(Label::new(job).selectable(true)).accessible_name("Reply");
            }
        });
}

fn solution_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    (view, at, known): (&LessonView, usize, &BlockView),
    script: &str,
    actions: &mut LessonActions<'_>,
) {
    let is_shown = playing.answers.solutions.contains(&at);
    if known.state == BlockState::Waiting {
        return;
    }
    if !is_shown && known.output.is_empty() {
        let button = Button::ghost("Show solution").tooltip("One way to reach the goal");
        if ui.add(button).clicked() {
            actions.push(LessonAction::ShowSolution(at));
        }
        return;
    }
    ui.label(text::rich("One solution", text::title()).color(colors(ui).text));
    code_ui(ui, script, actions);
    button_ui(ui, state, playing, (view, at, known), ("Run the solution", ""), actions);
}

fn traffic_ui(ui: &mut Ui, view: &LessonView, traffic: &Traffic, actions: &mut LessonActions<'_>) {
    let Some(is_on) = view.traffic else { return };
    let every = i64::try_from(traffic.every.as_millis()).unwrap_or(i64::MAX);
    let words = format!("Traffic {}, every {}", visible(&traffic.name), duration::span(every));
    ui.horizontal_wrapped(|ui| {
        ui.label(text::rich(&words, text::small()).color(colors(ui).dim));
        let label = if is_on { "On" } else { "Off" };
        let button = Button::plain(label).small().selected(is_on).known_as("traffic");
        let spoken = format!("{words}: {}", label.to_lowercase());
        if ui.add(button.name(&spoken)).clicked() {
            actions.push(LessonAction::Request(LessonRequest::Traffic(!is_on)));
        }
    });
}

/// When a play block stops, if that can be read from it, such as `to 12:01:00`.
fn target(script: &str, state: &State, view: &LessonView) -> Option<String> {
    let zone = state.clock.zone();
    let start = script.rfind("play(")? + "play(".len();
    let argument = script.get(start..)?.trim_start();
    let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let what = argument.get(1..)?.split(quote).next()?;
    let is_alone = script.matches("play(").count() == 1;
    match what {
        "next pass" if is_alone && state.reaper.enabled => {
            state.reaper.next_pass_ms.map(|at_ms| format!("to {}", zone.time_of_day(at_ms)))
        }
        "next event" if is_alone => {
            let at_ms = view.next_event.as_ref()?.1;
            Some(format!("to {}", zone.time_of_day(at_ms)))
        }
        _ if what.starts_with("until ") => {
            let time = what.trim_start_matches("until ");
            Some(format!("to {time}"))
        }
        _ if is_alone && what.starts_with(|c: char| c.is_ascii_digit()) => Some(what.to_owned()),
        _ => None,
    }
}
