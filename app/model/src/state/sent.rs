//! The command that a dialog waits for.

/// A command of a dialog. The dialog stays open until it is answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    /// The generation of the unanswered command. The dialog sends nothing else until then.
    pub generation: Option<u64>,
    pub error: Option<String>,
}

impl Sent {
    /// Whether it has no answer yet.
    pub fn is_waiting(&self) -> bool {
        self.generation.is_some()
    }
}
