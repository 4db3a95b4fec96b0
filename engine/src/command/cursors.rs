//! Open cursors.

/// Open cursors of all clients.
#[derive(Default)]
pub struct Cursors {}
