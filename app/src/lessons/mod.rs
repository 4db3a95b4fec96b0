//! Lessons: their files, and the throwaway store on a simulated clock that each is played in.

pub mod audience;
pub mod check;
pub mod equality;
pub mod file;
pub mod handout;
pub mod library;
pub mod members;
pub mod progress;
pub mod runner;
pub mod sandbox;
pub mod script;
pub mod shipped;
pub mod source;
pub mod stage;
#[cfg(test)]
mod tests;
pub mod write;
