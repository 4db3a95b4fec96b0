//! Finding damage, describing it, and repairing what can be repaired.

pub(super) mod damage_text;
pub(super) mod damaged_documents;
mod recount;
pub(super) mod scrub;
pub(super) mod scrub_state;
pub(super) mod verify;
