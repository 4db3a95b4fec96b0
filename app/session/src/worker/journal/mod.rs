//! Journals: what is needed to continue, stop or undo an operation that is cut short. Each
//! operation in steps has one file, which is written before its first step, before and after each
//! step, and removed at its end.
//!
//! Each such change, each undo of one and each rollout has a journal (`worker/journal/`): a file that is
//! written before the first step and removed at the end. It is in `journals` in the data folder; for a
//! server, in `journals` in the program's own data folder. Before a step sends its command, its documents are
//! on the disk; after it, what became of each is appended. A journal without a window that holds its lock is
//! an operation that was cut short. `journal/cut.rs` reads the documents of the step that was under way, as
//! soon as the store is open, and decides for each whether the step reached it. So a change continues with
//! the other documents, and nothing is done twice. A torn last record is ignored; a journal with a gap can
//! only be dismissed. Beyond `UNDO_BYTES_MAX`, a digest takes the place of each document, and the change can
//! be continued but not undone. An operation that ended leaves no journal, so its undo ends with the tab.

pub mod cut;
pub mod file;
pub mod header;
