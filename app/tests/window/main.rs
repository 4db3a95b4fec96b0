//! The whole window without a display: what is on it, found by accessible name.

mod archive;
mod console;
mod demo;
mod document_dialogs;
mod documents;
mod drawers;
mod expiry;
mod fake;
mod first_minute;
mod frame;
mod held;
mod index_dialogs;
mod indexes;
mod keyboard;
mod lanes;
mod lesson;
mod lessons_page;
mod listener;
mod maintenance;
mod members;
mod names;
mod presentation;
mod sandbox;
mod sidebar;
mod slow;
mod slow_queries;
mod store_banner;
mod store_dialogs;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod time;
mod transfer;
mod trash;
mod undo;
mod unfinished;
