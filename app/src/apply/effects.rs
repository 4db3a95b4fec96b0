//! What an action wants done outside of the state.

use bson::Document;

use crate::job::{ConsoleQuestion, ConsoleRun};
use crate::state::settings::ThemeChoice;
use crate::state::transfer::Purpose as TransferPurpose;
use crate::state::{Purpose, State};
use crate::worker::{Abandoned, Job, Lane, LessonOrder, SecretWork, TransferWork, Work};

/// What an action wants done outside of the state.
#[derive(Debug, Default)]
pub struct Effects {
    /// Queries to cancel, before the jobs are handed over.
    pub abandoned: Vec<Abandoned>,
    /// Jobs for the worker.
    pub jobs: Vec<Job>,
    /// Inputs for the console.
    pub console: Vec<ConsoleRun>,
    /// A question for the console.
    pub completion: Option<ConsoleQuestion>,
    /// Questions for the system's keyring.
    pub secrets: Vec<SecretWork>,
    /// Orders for the thread of the lesson.
    pub lessons: Vec<LessonOrder>,
    /// Things that only the window can do.
    pub window: Vec<WindowEffect>,
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
    /// Closes the window.
    Close,
}

/// The state, and what an action wants done outside of it.
pub struct Apply<'a> {
    /// Everything the window shows.
    pub state: &'a mut State,
    /// What is done outside of it.
    pub effects: &'a mut Effects,
}

impl<'a> Apply<'a> {
    /// Changes `state` and collects `effects`.
    pub fn new(state: &'a mut State, effects: &'a mut Effects) -> Self {
        Self { state, effects }
    }

    /// Sends a command that reads. Returns its generation; a newer one with the same purpose
    /// replaces it while it waits.
    pub fn read(&mut self, purpose: Purpose, db: &str, command: Document) -> u64 {
        self.job(purpose, Lane::Read, Work::Command { db: db.to_owned(), command })
    }

    /// Sends a command that writes. Every one is done, in order. Returns its generation.
    pub fn write(&mut self, purpose: Purpose, db: &str, command: Document) -> u64 {
        if let Some(connection) = &mut self.state.store.connection {
            connection.use_now(self.state.uptime);
        }
        self.job(purpose, Lane::Write, Work::Command { db: db.to_owned(), command })
    }

    /// Sends a job of any kind. Returns its generation.
    pub fn job(&mut self, purpose: Purpose, lane: Lane, work: Work) -> u64 {
        let generation = self.state.next_generation();
        self.effects.jobs.push(Job { purpose, lane, generation, store: 0, work });
        generation
    }

    /// Sends a file job. Returns its generation.
    pub fn transfer(&mut self, purpose: TransferPurpose, lane: Lane, work: TransferWork) -> u64 {
        self.job(Purpose::Transfer(purpose), lane, Work::Transfer(work))
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
