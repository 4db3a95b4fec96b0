//! When a document expires and why, as a pure function of a rule and a document.
