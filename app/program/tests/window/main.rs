//! The whole window without a display: what is on it, found by accessible name.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a test may fail where it stands"
)]

mod accessible;
mod aggregate;
mod archive;
mod audit;
mod bulk;
mod calendar;
mod cells;
mod closing;
mod connect;
mod console;
mod convert;
mod copying;
mod cut;
mod cut_numbers;
mod demo;
mod document_dialogs;
mod documentdb;
mod documents;
mod drawers;
mod enter;
mod every_dialog;
mod every_function;
mod expiry;
mod expiry_counts;
mod expiry_range;
mod explain;
mod fake;
mod few_controls;
mod filter;
mod first_minute;
mod frame;
mod guide;
mod held;
mod import_apart;
mod import_types;
mod index_dialogs;
mod indexes;
mod keyboard;
mod keyring;
mod lanes;
mod learn;
mod lecture;
mod ledger;
mod lesson;
mod lesson_keep;
mod lessons_page;
mod listener;
mod maintenance;
mod members;
mod messy_files;
mod monkey;
mod named_files;
mod names;
mod numbers;
mod open_stores;
mod pictures;
mod presentation;
mod repeat;
mod rollout;
mod room;
mod sandbox;
mod schema;
mod scripted;
mod server;
mod settings;
mod sidebar;
mod slow;
mod slow_queries;
mod store_banner;
mod store_dialogs;
mod stores;
mod support;
mod tab_order;
#[cfg(target_os = "linux")]
mod terminal;
mod time;
mod transfer;
mod trash;
mod typed_dialogs;
mod undo;
mod unfinished;
