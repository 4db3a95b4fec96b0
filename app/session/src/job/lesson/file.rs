//! A lesson as its file says it.

use std::time::Duration;

use bson::Bson;
use mayfly_engine::catalog::Dialect;
use mayfly_engine::value::named;

/// A lesson file that was read without a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// The name of its file without `.md`, such as `02-the-pass`.
    pub slug: String,
    pub title: String,
    /// How long it takes, in minutes.
    pub minutes: u32,
    pub level: Level,
    pub kind: LessonKind,
    /// The rules of database `lesson`.
    pub dialect: Dialect,
    /// Whether a second database with Cosmos DB's rules is shown too.
    pub rules: Rules,
    /// The collections whose lanes are shown, in order. `cosmos.name` is one of the second database.
    pub show: Vec<String>,
    pub after: Vec<String>,
    /// The start of the simulated clock, in milliseconds since 1970. `None` for the program's build
    /// date.
    pub start_ms: Option<i64>,
    /// Simulated seconds for each real second of a play block.
    pub rate: f64,
    pub clock: ClockKind,
    pub reaper: ReaperStart,
    /// Members of the replica set, primary first. Empty for a standalone store.
    pub members: Vec<MemberStart>,
    /// The cards, at least one.
    pub cards: Vec<Card>,
}

named! {
    /// The series of a lesson.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Level {
        Start => "start",
        Core => "core",
        Cosmos => "cosmos",
        /// Running it: load, archive, clocks, replica sets.
        Operate => "operate",
        Challenge => "challenge",
    }
    /// Its name in the file.
    pub fn name;
}

named! {
    /// How a lesson is played.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum LessonKind {
        #[default]
        Lesson => "lesson",
        /// No question: for a lecturer.
        Scene => "scene",
        Challenge => "challenge",
    }
    /// Its name in the file.
    pub fn name;
}

/// Which databases a lesson has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rules {
    /// Database `lesson` alone.
    #[default]
    One,
    /// Also a database `cosmos`.
    Both,
}

named! {
    /// Which clock a lesson's store runs on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum ClockKind {
        #[default]
        Simulated => "simulated",
        /// A clock that the store takes for the computer's, for lessons about the clock guard.
        Computer => "computer",
    }
    /// Its name in the file.
    pub fn name;
}

/// The TTL monitor at the start of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaperStart {
    pub period: Duration,
    /// Simulated time that removing one document takes.
    pub load: Duration,
    /// Parameters of `setParameter`.
    pub parameters: Vec<(String, Bson)>,
}

/// A member of a replica set at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStart {
    /// Its name, such as `A`.
    pub name: String,
    /// How far its clock is ahead, in milliseconds.
    pub skew_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub title: String,
    /// The line of its heading, from 1.
    pub line: usize,
    pub parts: Vec<Part>,
}

impl Card {
    /// The part whose end answers a question: the last one to run before the next question.
    pub fn answered_by(&self, question: usize) -> Option<usize> {
        let mut last = None;
        for (at, part) in self.parts.iter().enumerate().skip(question + 1) {
            match part {
                Part::Block(Block { kind: BlockKind::Question(_), .. }) if last.is_some() => break,
                Part::Block(Block {
                    kind: BlockKind::Run { .. } | BlockKind::Play { .. }, ..
                }) => last = Some(at),
                _ => {}
            }
        }
        last
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Prose(String),
    Notes(String),
    Handle(Handle),
    Block(Block),
}

/// A number of seconds to drag, bound to the first TTL index of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle {
    /// The collection; one of `show`.
    pub collection: String,
    /// The smallest value, in seconds.
    pub min_secs: i64,
    /// The largest value, in seconds.
    pub max_secs: i64,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// The line of its first fence, from 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BlockKind {
    /// JavaScript that runs when the card opens.
    Setup(String),
    Run {
        /// The words on the button. Empty for `Run`.
        label: String,
        /// The code of the error that it must end with.
        fails: Option<i32>,
        /// Texts that the reply must have.
        shows: Vec<String>,
        script: String,
    },
    Play {
        /// The words on the button. Empty for `Play`.
        label: String,
        script: String,
    },
    /// A question, answered before the block that follows it.
    Question(Question),
    Goal(Goal),
    /// One way to reach the goal of its card.
    Solution(String),
    Traffic(Traffic),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its stable name, unique in the lesson.
    pub id: String,
    pub text: String,
    pub kind: QuestionKind,
    /// The expression that computes the answer; empty if each choice has a `when`.
    pub ask: String,
    /// The explanation after the answer, in addition to the words of the choice.
    pub because: String,
    /// Whether a room may vote.
    pub vote: bool,
    /// For a pin: how far ahead the axis shows at first. `None` for as far as it shows by itself.
    pub axis: Option<Duration>,
    /// The choices; for a count, typical guesses; for documents, those that are often misjudged.
    pub choices: Vec<Choice>,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    Choose,
    Count {
        min: i64,
        max: i64,
    },
    Which {
        /// The collection, one of `show`.
        among: String,
    },
    /// An instant on the time axis, as seconds from the start.
    Pin,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub text: String,
    pub answer: Answer,
    /// Why it is true or not.
    pub because: String,
}

/// When a choice is the true one.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Is(Bson),
    When(String),
}

/// A state to reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    pub task: String,
    /// The expression that is true when it is reached.
    pub when: String,
    pub hints: Vec<String>,
    /// The expression of a sentence on how far it is; null while there is nothing to say.
    pub near: Option<String>,
    /// The expression that is true when it can't be reached any more.
    pub fail_when: Option<String>,
    /// The sentence for that. `None` for the usual one.
    pub lost: Option<String>,
    /// Methods and commands that are allowed in addition to reads. Empty for all that `deny`
    /// doesn't name.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// How long it may take on the simulated clock, from the opening of the card.
    pub deadline: Option<Duration>,
}

/// JavaScript that runs again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// Its name, unique in the lesson.
    pub name: String,
    /// How often it runs, on the simulated clock.
    pub every: Duration,
    /// Whether it continues after its card.
    pub stays: bool,
    /// The body of a function of `i`, the number of calls before.
    pub script: String,
}

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The mistake, then what to write instead.
    pub sentence: String,
}
