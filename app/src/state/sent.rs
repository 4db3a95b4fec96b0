//! What a dialog waits for.

/// What a dialog has sent, which stays until it is answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    /// Its generation while it has no answer. Meanwhile nothing else is sent.
    pub generation: Option<u64>,
    /// Why it was refused.
    pub error: Option<String>,
}

impl Sent {
    /// Whether it has no answer yet.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.generation.is_some()
    }
}
