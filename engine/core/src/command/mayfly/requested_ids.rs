//! The `_id`s that a restore names.

use std::collections::HashSet;

use bson::raw::RawBsonRef;

use super::restore_report::id_key;
use crate::command::core::{CommandError, Request};

/// The requested `_id`s that were not found yet; `None` requests all.
pub struct RequestedIds(Option<HashSet<Vec<u8>>>);

impl RequestedIds {
    /// Reads `ids`.
    pub fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let ids = match request.get("ids")? {
            None => return Ok(Self(None)),
            Some(RawBsonRef::Array(ids)) => ids,
            Some(other) => return Err(request.wrong_type("ids", other, "array")),
        };
        let ids = ids.into_iter().map(|id| Ok(id_key(Some(id?))));
        Ok(Self(Some(ids.collect::<Result<_, CommandError>>()?)))
    }

    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    pub fn has(&self, id: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// Returns whether it was requested. The next document with this `_id` is an older one, and isn't.
    pub fn take(&mut self, id: &[u8]) -> bool {
        self.0.as_mut().is_none_or(|ids| ids.remove(id))
    }

    pub fn is_done(&self) -> bool {
        self.0.as_ref().is_some_and(HashSet::is_empty)
    }

    pub fn left(&self) -> u64 {
        self.0.as_ref().map_or(0, HashSet::len) as u64
    }
}
