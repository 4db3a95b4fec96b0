//! The last changes, to take them back and to make them again. Bounded in steps and in bytes.

use std::sync::Arc;

use super::change::{Origin, Step};
use super::pages::estimated_bytes;
use crate::job::bulk::Made;
use crate::limits::{UNDO_BYTES_MAX, UNDO_STEPS_MAX};

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Of a document, or of a few that were added together.
    One(Step),
    /// Of many, in steps.
    Many(Arc<Made>),
}

impl Change {
    /// The change that takes this one back. One of many is the same in both directions.
    #[must_use]
    fn inverse(self) -> Self {
        match self {
            Self::One(step) => Self::One(step.inverse()),
            Self::Many(made) => Self::Many(made),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::One(step) => step.documents().map(estimated_bytes).sum(),
            Self::Many(made) => made.bytes(),
        }
    }
}

impl From<Step> for Change {
    fn from(step: Step) -> Self {
        Self::One(step)
    }
}

/// The last changes of one tab.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Undo {
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl Undo {
    /// Notes a change that was made. It is what the store did.
    pub fn note(&mut self, change: impl Into<Change>, origin: Origin) {
        let change = change.into();
        match origin {
            Origin::Person => {
                self.undone.clear();
                self.done.push(change);
            }
            Origin::Undo => self.undone.push(change.inverse()),
            Origin::Redo => self.done.push(change),
        }
        while self.done.len() > UNDO_STEPS_MAX || self.bytes() > UNDO_BYTES_MAX {
            if self.done.is_empty() {
                self.undone.clear();
                return;
            }
            self.done.remove(0);
        }
    }

    /// Forgets every change: the last one can't be taken back, and so can't those before it.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes a change back that was handed out and not made, so that it can be tried again.
    pub fn give_back(&mut self, change: impl Into<Change>, origin: Origin) {
        let change = change.into();
        match origin {
            Origin::Person => {}
            // The change is what the store should have done.
            Origin::Undo => self.done.push(change.inverse()),
            Origin::Redo => self.undone.push(change),
        }
    }

    /// The change that takes the last one back.
    pub fn undo(&mut self) -> Option<Change> {
        self.done.pop().map(Change::inverse)
    }

    /// The change that was taken back last.
    pub fn redo(&mut self) -> Option<Change> {
        self.undone.pop()
    }

    /// Whether there is a change to take back.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// Whether there is a change to make again.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    fn bytes(&self) -> usize {
        self.done.iter().chain(&self.undone).map(Change::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn insert(id: i32) -> Step {
        Step::Insert(vec![doc! {"_id": id}])
    }

    #[test]
    fn back_and_forth() {
        let mut undo = Undo::default();
        undo.note(insert(1), Origin::Person);
        undo.note(insert(2), Origin::Person);
        let back = undo.undo();
        assert_eq!(back, Some(insert(2).inverse().into()));
        undo.note(insert(2).inverse(), Origin::Undo);
        let again = undo.redo();
        assert_eq!(again, Some(insert(2).into()));
        undo.note(insert(2), Origin::Redo);
        assert_eq!(undo.undo(), Some(insert(2).inverse().into()));
    }

    #[test]
    fn what_was_not_made_can_be_tried_again() {
        let mut undo = Undo::default();
        undo.note(insert(1), Origin::Person);
        let back = undo.undo().expect("a change");
        assert!(!undo.can_undo());
        undo.give_back(back.clone(), Origin::Undo);
        assert_eq!(undo.undo(), Some(back.clone()));
        undo.note(back, Origin::Undo);
        let again = undo.redo().expect("a change");
        undo.give_back(again.clone(), Origin::Redo);
        assert_eq!(undo.redo(), Some(again));
        undo.give_back(insert(2), Origin::Person);
        assert!(!undo.can_undo() && !undo.can_redo());
    }

    #[test]
    fn a_new_change_ends_the_way_forth() {
        let mut undo = Undo::default();
        undo.note(insert(1), Origin::Person);
        undo.undo();
        undo.note(insert(1).inverse(), Origin::Undo);
        undo.note(insert(3), Origin::Person);
        assert!(!undo.can_redo());
    }

    #[test]
    fn more_than_fits_is_not_kept() {
        let mut undo = Undo::default();
        undo.note(insert(1), Origin::Person);
        let text = "x".repeat(UNDO_BYTES_MAX / 4);
        let many = (0..5).map(|id| doc! {"_id": id, "text": &text}).collect();
        undo.note(Step::Delete(many), Origin::Person);
        assert!(!undo.can_undo());
    }

    #[test]
    fn the_oldest_goes_first() {
        let mut undo = Undo::default();
        for id in 0..200 {
            undo.note(insert(id), Origin::Person);
        }
        let mut count = 0;
        while undo.undo().is_some() {
            count += 1;
        }
        assert_eq!(count, UNDO_STEPS_MAX);
    }
}
