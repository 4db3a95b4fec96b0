//! Open cursors and the batches that they reply with.

pub(crate) mod batch_reply;
pub(crate) mod cursors;
pub(crate) mod reply_shape;
