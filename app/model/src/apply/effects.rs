//! Side effects that an action requests.

use bson::Document;

use super::question::{self, Answer, Question, Run};
use crate::action::Action;
use crate::job::TabId;
use crate::job::slow_read::SlowRead;
use crate::job::{ConsoleQuestion, ConsoleRun};
use crate::state::State;
use crate::state::settings::ThemeChoice;
use crate::state::toasts::Kind;
use crate::worker::{Lane, LessonOrder, Order, Reply, SecretWork};

/// Why something was not done that was asked of the worker.
pub(super) const TOO_MUCH: &str = "Too many requests; try again in a moment";

/// Why a file job or a maintenance job did not start.
pub(super) const QUEUE_FULL: &str = "Too many operations queued; try again when they finish";

/// Work for the threads of the window.
pub type Job = crate::worker::Job<Answer>;

/// Side effects that an action requests.
#[derive(Debug, Default)]
pub struct Effects {
    /// Reads of tabs to cancel, before the jobs are handed over.
    pub abandoned: Vec<(TabId, &'static [SlowRead])>,
    /// Jobs for the worker.
    pub jobs: Vec<Job>,
    /// Inputs for the console.
    pub console: Vec<ConsoleRun>,
    pub completion: Option<ConsoleQuestion>,
    /// Questions for the system's keyring.
    pub secrets: Vec<SecretWork>,
    /// Orders for the thread of the lesson.
    pub lessons: Vec<LessonOrder>,
    /// Things that only the window can do.
    pub window: Vec<WindowEffect>,
    /// Actions that follow from this one.
    pub actions: Vec<Action>,
}

/// Something that only the window can do.
#[derive(Debug, Clone, PartialEq)]
pub enum WindowEffect {
    /// Puts text on the clipboard.
    Copy(String),
    /// Asks the system for the text of the clipboard; it comes as input of a later frame.
    Paste,
    /// Changes the theme.
    Theme(ThemeChoice),
    /// Changes the size of everything.
    Zoom(f32),
    /// Fills the screen in full contrast, or stops that.
    Present(bool),
    /// Changes the title of the window.
    Title(String),
    Close,
}

/// The state, and what an action wants done outside of it.
pub struct Apply<'a> {
    /// Everything the window shows.
    pub state: &'a mut State,
    /// Side effects outside of the state.
    pub effects: &'a mut Effects,
}

impl<'a> Apply<'a> {
    /// Changes `state` and collects `effects`.
    pub fn new(state: &'a mut State, effects: &'a mut Effects) -> Self {
        Self { state, effects }
    }

    /// Asks with a command that reads. Returns its generation.
    pub fn ask<Q: Question<Answer = Reply>>(
        &mut self,
        question: Q,
        db: &str,
        command: Document,
    ) -> u64 {
        let generation = self.state.next_generation();
        let job = question::command(question, Lane::Read, generation, db, command);
        self.effects.jobs.push(job);
        generation
    }

    /// Asks with a command that writes. Every one is done, in order. Returns its generation.
    pub fn change<Q: Question<Answer = Reply>>(
        &mut self,
        question: Q,
        db: &str,
        command: Document,
    ) -> u64 {
        if let Some(connection) = &mut self.state.store.connection {
            connection.use_now(self.state.uptime);
        }
        let generation = self.state.next_generation();
        let job = question::command(question, Lane::Write, generation, db, command);
        self.effects.jobs.push(job);
        generation
    }

    /// Runs a question that is more than one command. Returns its generation.
    pub fn run<Q: Run>(&mut self, question: Q) -> u64 {
        let generation = self.state.next_generation();
        self.effects.jobs.push(question::run(question, generation));
        generation
    }

    /// Carries out an action after this one. A feature leads to another so without knowing it.
    pub fn then(&mut self, action: Action) {
        self.effects.actions.push(action);
    }

    /// Cancels reads of a tab that are of no use any more.
    pub fn abandon(&mut self, tab: TabId, kinds: &'static [SlowRead]) {
        self.effects.abandoned.push((tab, kinds));
    }

    /// Shows a message.
    pub fn toast(&mut self, kind: Kind, text: impl Into<String>) {
        self.state.toast(kind, text);
    }

    /// Shows a warning.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.toast(Kind::Warning, text);
    }

    /// Gives the worker an order.
    pub fn order(&mut self, order: Order) {
        let generation = self.state.next_generation();
        self.effects.jobs.push(Job::of_order(order, generation));
    }

    /// Queues an effect of the window.
    pub fn window(&mut self, effect: WindowEffect) {
        self.effects.window(effect);
    }
}

impl Effects {
    /// Queues an effect of the window.
    pub fn window(&mut self, effect: WindowEffect) {
        self.window.push(effect);
    }
}
