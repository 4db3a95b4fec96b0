//! Open cursors and the batches that they reply with.

pub mod batch_reply;
pub mod cursors;
pub mod reply_shape;
