//! A drawer.
