//! Lessons: what a file says, and what the window shows while one is played.

pub mod among;
pub mod exam;
pub mod file;
pub mod list;
pub mod player;
pub mod save;

pub use among::DocumentAmong;
pub use exam::{ExamChoice, ExamQuestion, ExamSheet};
pub use file::{
    Answer, Block, BlockKind, Card, Choice, ClockKind, Goal, Handle, Lesson, LessonKind, Level,
    MemberStart, Part, Problem, Question, QuestionKind, ReaperStart, Rules, Traffic,
};
pub use list::{
    LessonEntry, LessonList, LessonProgress, MissedQuestion, RepeatedQuestion, Stop, Tour,
};
pub use player::{
    BlockState, BlockView, CardView, Guess, LessonRequest, LessonSource, LessonView, MemberCommand,
    MemberLane, MemberRole, MemberView, OplogEntryView, QuestionView, TimeView, Verdict,
};
pub use save::{LessonToSave, NotSaved};
