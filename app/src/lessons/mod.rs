//! Lessons: their files, and the throwaway store on a simulated clock that each is played in.

pub mod file;
pub mod handout;
pub mod library;
pub mod progress;
pub mod shipped;
