//! The listener on the loopback interface that speaks MongoDB's wire protocol.

pub mod auth;
