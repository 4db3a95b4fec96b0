//! The list in which a collection is chosen.

use super::view::WatchView;
use crate::{cli::limits::WATCH_TYPED_MAX, job::Namespace};

/// The first line of the list.
pub(super) const ALL: &str = "all collections";

/// The list of collections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chooser {
    pub typed: String,
    pub at: usize,
}

impl Chooser {
    /// The lines that match what is typed; `None` is every collection.
    pub(super) fn lines<'v>(&self, view: &'v WatchView) -> Vec<Option<&'v Namespace>> {
        let typed = self.typed.to_lowercase();
        let all = ALL.contains(&typed).then_some(None);
        let found = view.namespaces.iter();
        let found = found.filter(|it| it.to_string().to_lowercase().contains(&typed));
        all.into_iter().chain(found.map(Some)).collect()
    }

    /// Marks another line.
    pub(super) fn step(&mut self, by: isize, lines: usize) {
        self.at = self.at.saturating_add_signed(by).min(lines.saturating_sub(1));
    }

    /// Takes a typed character.
    pub(super) fn push(&mut self, c: char) {
        if self.typed.chars().count() < WATCH_TYPED_MAX {
            self.typed.push(c);
        }
        self.at = 0;
    }

    /// Removes the last character.
    pub(super) fn pop(&mut self) {
        self.typed.pop();
        self.at = 0;
    }
}
