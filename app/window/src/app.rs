//! The window's program: `logic` takes the worker's messages and carries out actions, `ui` lays the
//! panels out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use eframe::CreationContext;
use egui::style::ScrollAnimation;
use egui::{Context, Ui};
use mayfly_engine::clock::{Clock, SystemClock};

use crate::action::{Action, Actions, LessonAction, TabsAction, TransferAction};
use crate::apply::settings::KeptState;
use crate::apply::{self, Apply, Effects, WindowEffect, Worker};
use crate::job::zone::set_date_style;
use crate::job::{Beginning, OpenError, OpenRequest};
use crate::keys::{entry_for_keys, entry_for_keys_over_dialog};
use crate::limits::{OUTCOMES_PER_FRAME_MAX, OUTCOMES_PER_FRAME_TIME_MAX};
use crate::pace::Pace;
use crate::shutdown::ShutdownSignal;
use crate::source::Opener;
use crate::source::embedded::first_request;
use crate::state::lesson::LessonStart;
use crate::state::number::set_grouping;
use crate::state::recent_stores::RecentStore;
use crate::state::settings::{ThemeChoice, WindowSize};
use crate::state::toasts::Kind;
use crate::state::{Phase, Settings, State, Zone};
use crate::theme::{Colors, Contrast, durations};
use crate::widgets::menu;
use crate::worker::{KeptSettings, LessonShelf, Secrets, Wake};
use crate::{dialogs, panels, renderer, theme};

/// Draws once more. egui draws twice if the time is zero.
const NEXT_FRAME: Duration = Duration::from_nanos(1);

/// How to open the window.
#[derive(Clone)]
pub struct WindowOptions {
    pub request: OpenRequest,
    /// Whether the store that was open last comes before it: the command line names none.
    pub open_last: bool,
    pub opener: Opener,
    pub lessons: Arc<dyn LessonShelf>,
    /// Where the passwords of servers are kept.
    pub secrets: Secrets,
    /// Sizes, tabs and choices of the starts before.
    pub settings: KeptSettings,
    /// The folder of the journals of operations on servers.
    pub journals: Option<PathBuf>,
    /// The zone that times are shown in unless the user chooses UTC.
    pub local_zone: Zone,
    /// Whether it begins as a presentation.
    pub present: bool,
    pub lesson: Option<LessonStart>,
    pub beginning: Option<Beginning>,
    pub shutdown: Option<ShutdownSignal>,
}

/// The window's program.
pub struct MayflyApp {
    state: State,
    actions: Actions,
    worker: Option<Worker>,
    started: Duration,
    pace: Pace,
    /// `None` once the window has acted on it.
    shutdown: Option<ShutdownSignal>,
    /// The lesson to begin with once the store is open.
    lesson: Option<LessonStart>,
    /// The window closes, and nothing is asked before that.
    is_closing: bool,
    /// Reports whether the progress in lessons is kept.
    shelf: Arc<dyn LessonShelf>,
    settings: KeptState,
}

impl MayflyApp {
    /// Sets up the look, restores what was kept, starts the worker and begins to open the store.
    pub fn new(context: &CreationContext<'_>, options: WindowOptions) -> Self {
        let egui = &context.egui_ctx;
        theme::install_fonts(egui);
        let pace = Pace::start(&renderer::name(context));
        theme::install_style(egui, Contrast::Normal);
        let mut state = State::default();
        state.view.draws_slowly = pace.is_software();
        let settings = KeptState::restore(&options.settings, &mut state);
        state.view.local_zone = options.local_zone;
        state.journals = options.journals;
        state.clock.set_zone(state.zone());
        // Without a place to keep that they were seen, they would come on every start.
        let has_seen = state.settings.callouts_seen || options.beginning.is_some();
        if options.settings.is_kept() && !has_seen {
            state.view.callout = Some(0);
        }
        let mut app = Self {
            state,
            actions: Actions::default(),
            worker: None,
            started: SystemClock.monotonic(),
            pace,
            shutdown: options.shutdown,
            lesson: options.lesson,
            is_closing: false,
            shelf: Arc::clone(&options.lessons),
            settings,
        };
        let is_sandbox = options.request.sandbox.is_some();
        let walker = options.request.walker.clone();
        app.state.beginning = options.beginning;
        let last = last_store(&app.state).filter(|_| options.open_last);
        let last = last.map(|last| OpenRequest { walker: walker.clone(), ..last });
        let request = last.unwrap_or(options.request);
        let mut effects = Effects::default();
        effects.window(WindowEffect::Theme(app.state.settings.theme));
        effects.window(WindowEffect::Zoom(app.state.settings.zoom));
        let mut cx = Apply::new(&mut app.state, &mut effects);
        apply::view::present(options.present, &mut cx);
        apply::stores::open(request, &mut cx);
        if is_sandbox {
            let request = first_request(OpenRequest { walker, ..OpenRequest::default() });
            app.state.store.left = Some(request);
        }
        let wake: Wake = Arc::new({
            let (egui, rest) = (egui.clone(), app.pace.rest());
            move |wait| {
                egui.request_repaint_after(rest.prolong(wait, SystemClock.monotonic()));
            }
        });
        if let Some(shutdown) = &app.shutdown {
            let egui = egui.clone();
            shutdown.wake_with(move || egui.request_repaint());
        }
        app.settings.start(options.settings, Arc::clone(&wake), &mut app.state);
        match Worker::start(options.opener, options.lessons, options.secrets, wake) {
            Ok(worker) => app.worker = Some(worker),
            Err(error) => {
                let sentence =
                    format!("Can't start a thread: {error}. Close other programs and try again");
                app.state.store.phase = Phase::Failed(OpenError::new(sentence));
            }
        }
        app.perform(egui, effects);
        app
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Carries out an action as if the user had asked for it.
    pub fn ask(&mut self, context: &Context, action: Action) {
        self.settings.has_acted = true;
        let mut effects = Effects::default();
        apply::apply(action, &mut Apply::new(&mut self.state, &mut effects));
        self.perform(context, effects);
    }

    /// Begins with the lesson of the command line.
    fn begin_lesson(&mut self, context: &Context) {
        if let Some(start) = self.lesson.take_if(|_| self.state.is_open()) {
            self.ask(context, Action::Lesson(LessonAction::OpenAt(start)));
        }
    }

    fn tick(&mut self) {
        self.state.uptime = SystemClock.monotonic().saturating_sub(self.started);
        self.state.operations.tick(self.state.uptime);
        let wall_ms = SystemClock.now_ms();
        self.state.wall_ms = wall_ms;
        // Per thread: a test has a window on each of several.
        set_grouping(self.state.settings.grouping);
        set_date_style(self.state.settings.date_style);
        self.state.clock.tick(self.state.real_ms(), self.state.uptime);
    }

    /// Whether the store has answered everything that it was asked.
    pub fn is_idle(&self) -> bool {
        self.worker.as_ref().is_none_or(Worker::is_idle)
    }

    /// Takes the worker's messages, as many as fit into a frame.
    fn take_outcomes(&mut self, context: &Context, effects: &mut Effects) {
        let Some(worker) = &self.worker else { return };
        let began = SystemClock.monotonic();
        for _ in 0..OUTCOMES_PER_FRAME_MAX {
            let Some(outcome) = worker.next_outcome() else { break };
            self.settings.has_acted = true;
            apply::outcome(outcome, &mut Apply::new(&mut self.state, effects));
            if SystemClock.monotonic().saturating_sub(began) > OUTCOMES_PER_FRAME_TIME_MAX {
                break;
            }
        }
        if worker.has_outcomes() {
            context.request_repaint_after(NEXT_FRAME);
        }
    }

    /// Notes the size of the window and of its panels.
    fn note_sizes(&mut self, context: &Context) {
        if self.state.view.is_presented() {
            return;
        }
        let settings = &mut self.state.settings;
        let before = (settings.window, settings.panels);
        panels::take_sizes(context, &mut settings.panels);
        let (size, is_maximized) = context.input(|input| {
            let viewport = input.viewport();
            let is_ordinary = viewport.fullscreen != Some(true) && viewport.minimized != Some(true);
            let rect = viewport.inner_rect.filter(|_| is_ordinary);
            (rect.map(|rect| rect.size()), viewport.maximized == Some(true))
        });
        if let Some(size) = size.map(|size| size * context.zoom_factor()) {
            // The size that the window has again when it is no longer maximized.
            let former = settings.window.filter(|_| is_maximized);
            let (width, height) = former.map_or((size.x, size.y), |it| (it.width, it.height));
            settings.window = Some(WindowSize { width, height, is_maximized });
        }
        self.settings.has_acted |= before != (settings.window, settings.panels);
    }

    /// Does what actions want done outside of the state.
    fn perform(&mut self, context: &Context, mut effects: Effects) {
        while !effects.actions.is_empty() {
            for action in std::mem::take(&mut effects.actions) {
                apply::apply(action, &mut Apply::new(&mut self.state, &mut effects));
            }
        }
        if let Some(worker) = &self.worker {
            // First: jobs after the end of a lesson are for the user's store.
            for order in effects.lessons {
                worker.order_lesson(order);
            }
            for (tab, kinds) in effects.abandoned {
                worker.abandon(tab, kinds);
            }
            for job in effects.jobs {
                worker.submit(job);
            }
            for work in effects.secrets {
                worker.ask_keyring(work);
            }
            for run in effects.console {
                worker.run_console(run);
            }
            if let Some(question) = effects.completion {
                worker.complete_console(question);
            }
        }
        for effect in effects.window {
            match effect {
                WindowEffect::Copy(text) => context.copy_text(text),
                WindowEffect::Paste => {
                    context.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
                }
                WindowEffect::Theme(choice) => context.set_theme(match choice {
                    ThemeChoice::System => egui::ThemePreference::System,
                    ThemeChoice::Dark => egui::ThemePreference::Dark,
                    ThemeChoice::Light => egui::ThemePreference::Light,
                }),
                WindowEffect::Zoom(zoom) => context.set_zoom_factor(zoom),
                WindowEffect::Present(is_on) => {
                    let contrast = if is_on { Contrast::Full } else { Contrast::Normal };
                    theme::install_style(context, contrast);
                    // Where the system refuses, the window is presented at its size.
                    context.send_viewport_cmd(egui::ViewportCommand::Fullscreen(is_on));
                }
                WindowEffect::Title(title) => {
                    context.send_viewport_cmd(egui::ViewportCommand::Title(title));
                }
                WindowEffect::Close => {
                    self.is_closing = true;
                    context.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }

    fn draw(&mut self, ui: &mut Ui) {
        let mut drafts = std::mem::take(&mut self.state.drafts);
        let workspace_end = panels::ui(ui, &self.state, &mut drafts, &mut self.actions);
        self.state.drafts = drafts;
        if let Some(mut guide) = self.state.view.guide.take() {
            // In the place of the dialog, which still gets its answers.
            dialogs::guide::ui(ui.ctx(), &mut guide, &mut self.actions);
            self.state.view.guide = Some(guide);
        } else if let Some(mut dialog) = self.state.dialogs.take() {
            dialogs::ui(ui.ctx(), &mut dialog, &self.state, &mut self.actions);
            self.state.dialogs.set_open(dialog);
        }
        let mut drafts = std::mem::take(&mut self.state.drafts);
        panels::over_ui(ui, workspace_end, &self.state, &mut drafts, &mut self.actions);
        self.state.drafts = drafts;
    }
}

impl eframe::App for MayflyApp {
    fn logic(&mut self, context: &Context, _frame: &mut eframe::Frame) {
        self.tick();
        follow_motion(context, self.state.is_still());
        let now = SystemClock.monotonic();
        let has_input = context.input(|input| !input.raw.events.is_empty());
        self.pace.note_frame(now, has_input);
        self.actions.set_frame_every(self.pace.frame_every(), self.pace.rest_now(now));
        // In a window that the user works in, a clock that skips seconds looks as if it hung.
        self.state.view.is_away = !context.input(|input| input.focused);
        let calm = self.state.view.is_away && self.state.nothing_due_soon();
        self.state.clock.set_calm(calm);
        let mut effects = Effects::default();
        if self.shutdown.take_if(|shutdown| shutdown.is_requested()).is_some() {
            effects.window(WindowEffect::Close);
        }
        let closes = context.input(|input| input.viewport().close_requested());
        if closes && self.state.view.is_presented() {
            // egui keeps the size of the window for the next start, and that is not this one.
            apply::view::present(false, &mut Apply::new(&mut self.state, &mut effects));
            context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            context.send_viewport_cmd(egui::ViewportCommand::Close);
        } else if closes
            && !self.is_closing
            && apply::closing::ask_before_close(&mut Apply::new(&mut self.state, &mut effects))
        {
            context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
        }
        self.take_outcomes(context, &mut effects);
        self.begin_lesson(context);
        self.note_sizes(context);
        apply::beginning::follow(&mut Apply::new(&mut self.state, &mut effects));
        if let Some(first) = self.state.first_tab.take() {
            let show = Action::Tabs(TabsAction::Show(first));
            apply::apply(show, &mut Apply::new(&mut self.state, &mut effects));
        }
        let settle = apply::event::settle(&mut Apply::new(&mut self.state, &mut effects));
        let saved = apply::lesson::saved::settle(&mut Apply::new(&mut self.state, &mut effects));
        let transfers = apply::transfer::run::follow(&mut self.state);
        let bulk = apply::documents::bulk::follow(&mut self.state);
        let rollouts = apply::rollout::follow(&mut self.state);
        let listener = apply::listener::follow(&mut Apply::new(&mut self.state, &mut effects));
        let maintenance =
            apply::maintenance::follow(&mut Apply::new(&mut self.state, &mut effects));
        let chooser = apply::transfer::give_up_chooser(&mut self.state);
        let settings = self.settings.follow(self.shelf.take_notes(), &mut self.state);
        let toasts = self.state.toasts.expire(self.state.uptime, |kind| match kind {
            Kind::Error | Kind::Warning => durations::TOAST_ERROR,
            Kind::Info | Kind::Done => durations::TOAST,
        });
        for wait in [
            settle,
            saved,
            transfers,
            bulk,
            rollouts,
            listener,
            maintenance,
            chooser,
            settings,
            toasts,
        ]
        .into_iter()
        .flatten()
        {
            self.actions.redraw_after(wait);
        }
        self.perform(context, effects);
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        Colors::of_style(visuals).panel.to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        menu::note_open(&context);
        panels::lesson::keys(&context, &self.state, &mut self.actions);
        let asked = if self.state.is_covered() {
            entry_for_keys_over_dialog(&context, &self.state)
        } else {
            entry_for_keys(&context, &self.state, menu::was_open(&context))
        };
        if let Some(action) = asked {
            self.actions.push(action);
        }
        if let Some(action) = dropped_files(&context, &self.state) {
            self.actions.push(action);
        }
        self.draw(ui);
        let mut effects = Effects::default();
        let asked = self.actions.take();
        // The change of an action shows in the next frame, so there must be one. Many actions are
        // requests of the window itself, which may wait as long as any other movement.
        if !asked.is_empty() {
            let rest = self.pace.rest_now(SystemClock.monotonic());
            context.request_repaint_after(NEXT_FRAME.max(rest));
        }
        self.settings.has_acted |= !asked.is_empty();
        for action in asked {
            apply::apply(action, &mut Apply::new(&mut self.state, &mut effects));
        }
        self.perform(&context, effects);
        if let Some(wait) = self.actions.take_next_change() {
            context.request_repaint_after(wait);
        }
    }

    /// Nothing is kept in the file of eframe, which a full disk empties and odd numbers turn into a panic.
    fn persist_egui_memory(&self) -> bool {
        false
    }
}

impl Drop for MayflyApp {
    fn drop(&mut self) {
        // Before the worker ends, which closes stores and may take its time.
        self.settings.end(&mut self.state);
    }
}

/// Reads the settings of a file, which may be missing.
pub fn open_settings(path: Option<PathBuf>) -> KeptSettings {
    KeptSettings::open(path, Settings::LISTS)
}

/// The store of this machine that was open last. Nothing of the user's goes into the demo store.
fn last_store(state: &State) -> Option<OpenRequest> {
    let writes = state.beginning.as_ref().is_some_and(Beginning::writes);
    let last = state.settings.stores.last().filter(|last| !(writes && last.demo));
    last.map(RecentStore::request)
}

/// Lets hovers, panels and scrolling move, or not.
fn follow_motion(context: &Context, is_still: bool) {
    let (secs, scroll) = if is_still {
        (0.0, ScrollAnimation::none())
    } else {
        (durations::MOTION_SECS, ScrollAnimation::default())
    };
    if context.global_style().animation_time.to_bits() != secs.to_bits() {
        context.all_styles_mut(|style| {
            (style.animation_time, style.scroll_animation) = (secs, scroll);
        });
    }
}

/// Files dropped on the window.
fn dropped_files(context: &Context, state: &State) -> Option<Action> {
    let files: Vec<_> = context.input(|input| {
        input.raw.dropped_files.iter().map(|file| file.path().to_path_buf()).collect()
    });
    let files: Vec<_> = files.into_iter().filter(|path| !path.as_os_str().is_empty()).collect();
    if files.is_empty() {
        return None;
    }
    // Whether one is a folder is known on the disk alone.
    let may_be_lesson = |path: &PathBuf| {
        path.extension().is_none_or(|extension| extension.eq_ignore_ascii_case("md"))
    };
    if files.iter().any(may_be_lesson) {
        return Some(Action::Lesson(LessonAction::AddDropped(files)));
    }
    let into = state.tabs.active().map(|tab| tab.namespace.clone());
    Some(Action::Transfer(TransferAction::Import { files, into }))
}
