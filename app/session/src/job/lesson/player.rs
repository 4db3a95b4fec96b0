//! Requests to the player, and its view.
//!
//! The thread of the lesson publishes a whole [`LessonView`] after each change; the window draws the
//! newest one. Indexes of cards and parts are those of [`Lesson::cards`] and `Card::parts`.

use std::path::PathBuf;
use std::sync::Arc;

use bson::Bson;

use super::{Block, BlockKind, Lesson, LessonKind, Part};
use crate::job::{ConsoleOutput, ConsoleRun};

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LessonSource {
    /// One that comes with the program, by its slug.
    Shipped(String),
    File(PathBuf),
}

/// A request of the window to the thread.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonRequest {
    /// Opens a card; cards before it that were not played run with their solutions.
    OpenCard(usize),
    /// Leaves a question without a guess, so that what follows it can run.
    Pass {
        part: usize,
    },
    /// Commits a guess. Later guesses of the same question are ignored until a restart.
    Guess {
        part: usize,
        guess: Guess,
    },
    /// The hands of the room for each choice of a question.
    Vote {
        part: usize,
        hands: Vec<u32>,
    },
    /// Runs a `run`, `play` or `solution` block.
    Run {
        part: usize,
    },
    /// Shows the next hint of a goal.
    Hint {
        part: usize,
    },
    /// Replays the file up to the beginning of the present card.
    RestartCard,
    /// Replays to the event before this instant.
    StepBack,
    /// Lets time pass until the next event.
    StepForward,
    Stop,
    Traffic(bool),
    /// Runs an input of the console in the lesson's own shell.
    Console(ConsoleRun),
    /// Acts on a member of the replica set.
    Member {
        name: String,
        command: MemberCommand,
    },
    /// Sets how long secondaries wait before they apply an entry, in simulated milliseconds.
    ReplicationDelay(u32),
}

/// A change of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberCommand {
    StepDown,
    Stop,
    Start,
    /// The window reads from it.
    ReadFrom,
}

/// An answer that was committed.
#[derive(Debug, Clone, PartialEq)]
pub enum Guess {
    /// The choice with this index.
    Choice(usize),
    Count(i64),
    /// The `_id`s of the lanes.
    Which(Vec<Bson>),
    Pin(i64),
}

/// Everything the window shows of a lesson that is played.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonView {
    pub lesson: Arc<Lesson>,
    pub source: LessonSource,
    pub card: usize,
    pub cards: Vec<CardView>,
    pub time: TimeView,
    /// The next event, `threshold`, `pass`, `traffic` or `write`, and when, in milliseconds since
    /// 1970.
    pub next_event: Option<(String, i64)>,
    /// Documents that were removed since the start.
    pub removed: u64,
    /// Whether the lesson's traffic runs. `None` if it has none.
    pub traffic: Option<bool>,
    /// The members of the replica set. Empty for a standalone store.
    pub members: Vec<MemberView>,
    /// The newest entries of the oplog, oldest first.
    pub oplog: Vec<OplogEntryView>,
    /// How long secondaries wait, in simulated milliseconds.
    pub replication_delay_ms: u32,
    /// Why the lesson can't continue: one sentence.
    pub failure: Option<String>,
}

impl LessonView {
    /// Whether a goal is next on the open card. It may be left open.
    pub fn is_at_goal(&self) -> bool {
        let parts = self.lesson.cards.get(self.card).map(|card| card.parts.as_slice());
        let states = self.cards.get(self.card).map(|card| card.parts.as_slice());
        let mut both = parts.unwrap_or_default().iter().zip(states.unwrap_or_default());
        both.any(|(part, state)| {
            let is_goal = matches!(part, Part::Block(Block { kind: BlockKind::Goal(_), .. }));
            is_goal && state.as_ref().is_some_and(|state| state.state == BlockState::Ready)
        })
    }

    /// Whether the user may leave the open card for the next one.
    pub fn can_leave_card(&self) -> bool {
        self.is_at_goal() || self.cards.get(self.card).is_some_and(|card| card.is_done)
    }

    pub fn is_last_card(&self) -> bool {
        self.card + 1 == self.cards.len()
    }

    /// Whether the lesson counts as done. The goals of a challenge must be reached, those of a lesson
    /// are an offer.
    pub fn is_finished(&self) -> bool {
        let is_done = match self.lesson.kind {
            LessonKind::Challenge => self.cards.iter().all(|card| card.is_done),
            LessonKind::Lesson | LessonKind::Scene => self.can_leave_card(),
        };
        self.is_last_card() && is_done
    }
}

/// The lesson's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeView {
    /// Now, in milliseconds since 1970.
    pub now_ms: i64,
    pub start_ms: i64,
    /// Simulated seconds for each real second while it runs.
    pub rate: f64,
    pub is_paused: bool,
    /// While it runs, it stops here at the latest.
    pub until_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CardView {
    /// The state of each part; prose has none.
    pub parts: Vec<Option<BlockView>>,
    /// Everything on it was done, so that the next card may open.
    pub is_done: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BlockView {
    pub state: BlockState,
    pub output: Vec<ConsoleOutput>,
    pub question: Option<QuestionView>,
    /// For a goal: it is reached.
    pub is_reached: bool,
    /// For a goal: it can't be reached any more, and why.
    pub lost: Option<String>,
    /// For a goal: how far it is, as its file says it.
    pub near: Option<String>,
    /// For a goal: how many hints are shown.
    pub hints: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockState {
    /// Something before it is to be done first.
    #[default]
    Waiting,
    /// It can be run or answered.
    Ready,
    Running,
    /// It was run or answered.
    Done,
    /// It failed, against what the file says.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuestionView {
    pub guess: Option<Guess>,
    /// Hands of the room for each choice. Empty without a vote. A second vote comes after the
    /// first.
    pub votes: Vec<Vec<u32>>,
    pub answer: Option<Bson>,
    /// The index of the true choice, once known.
    pub true_choice: Option<usize>,
    /// Whether it was left without a guess.
    pub is_passed: bool,
    /// The reasons, once the last block that follows the question was played.
    pub verdict: Option<Verdict>,
}

/// The reasons for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// The reason for a guess that is not the answer.
    pub yours: Option<String>,
    /// Why the answer is the true one. Empty if the file gives no reason.
    pub truth: String,
    /// Whether the engine's answer is not the recorded one, because the user changed the data.
    pub is_changed: bool,
}

/// A member of a replica set.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberView {
    pub name: String,
    pub role: MemberRole,
    /// Its clock, in milliseconds since 1970.
    pub now_ms: i64,
    /// How far its clock is ahead of the common time, in milliseconds.
    pub skew_ms: i64,
    pub monitor: String,
    /// Its next pass by its own clock, in milliseconds since 1970. `None` if its monitor is idle.
    pub next_pass_ms: Option<i64>,
    /// Its lag, the time since the last entry it applied, in milliseconds.
    pub lag_ms: i64,
    /// Entries that it has not applied.
    pub behind: u64,
    /// The position of the last entry that it applied.
    pub applied: u64,
    /// Whether the window reads from it.
    pub is_read: bool,
    /// The documents of the shown collections, soonest first, and those that were removed here.
    pub lanes: Vec<MemberLane>,
}

/// A document of a member.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberLane {
    /// Its `_id`.
    pub id: Bson,
    /// The date that the seconds are added to; equal to the threshold: it is not known.
    pub base_ms: i64,
    /// When it becomes eligible, in milliseconds since 1970. `None` if it never does.
    pub threshold_ms: Option<i64>,
    pub removed_ms: Option<i64>,
}

/// The part of a member in a replica set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberRole {
    /// It takes writes and deletes what is due.
    Primary,
    Secondary,
    Down,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OplogEntryView {
    /// Its position, ascending.
    pub position: u64,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: i64,
    /// `insert`, `update`, `delete`, `ttl delete` or `index`.
    pub kind: String,
    pub documents: u64,
    pub namespace: String,
}
