//! An index can never change an answer.
