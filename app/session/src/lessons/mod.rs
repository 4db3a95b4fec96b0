//! Lessons: their files, and the throwaway store on a simulated clock that each is played in.
//!
//! A lesson is one Markdown file (`assets/lessons/`, read by `lessons/file/`) and one throwaway store.
//! `lessons/stage/` is that store with its clock, TTL monitor and ledger; nothing happens on it by itself. It
//! has no monitor thread: `engine::reaper::Monitor` says when a pass is due, and the stage runs it. The loop
//! over traffic, writes and passes is JavaScript (`timeline` in `shell/js/mayfly.js`, shared with the
//! console); `shell/js/lesson.js` has what only lessons call. So the same file gives the same milliseconds on
//! every machine. `stage/pacer.rs` lets the time pass at once, or as fast as the user can watch.
//!
//! `lessons/runner/` keeps a journal of steps. A restart or a step back plays the journal, or the file with
//! its solutions, on another stage, and `StageSource` (`lessons/source.rs`) swaps the store under the window.
//! Reads of the window go straight to the engine; its writes and changes of the clock wait for the lesson's
//! thread, so that they are in the journal. `lessons/check/` plays files without a window, and compares. A
//! file may come from a stranger: `stage/permit.rs` refuses what reaches out of the store, and `limits.rs`
//! bounds the rest. A file with `[vary]` draws its numbers (`lessons/file/vary.rs`); `lessons/exam.rs` makes
//! the exam of such files. *Save as lesson* writes an open sandbox: `lessons/sandbox.rs` reads its documents within
//! the bounds of a file, `lessons/write.rs` makes them the setup. The commands that led to them are a card to
//! read, because the documents already show what they did.

pub mod audience;
pub mod check;
pub mod class;
pub mod equality;
pub mod exam;
pub mod file;
pub mod handout;
pub mod library;
pub mod members;
pub mod paper;
pub mod progress;
pub mod runner;
pub mod sandbox;
pub mod script;
pub mod shipped;
pub mod source;
pub mod stage;
pub mod template;
#[cfg(test)]
mod tests;
pub mod write;
