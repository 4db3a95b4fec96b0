//! The change stream that is open: of one collection, of whichever store.

use super::watch::{Delivery, OpenStream};
use super::{Namespace, State};
use crate::job::Cancel;

/// Closes the stream that is open unless it is of the wanted collection of the store that is shown.
/// Returns whether one can be opened.
pub fn turn_to(state: &mut State, wanted: Option<&Namespace>) -> bool {
    let store = state.store.number;
    let is_other = |open: &mut OpenStream| open.store != store || wanted != Some(&open.namespace);
    let closed = state.stream.take_if(is_other);
    if let Some(open) = &closed {
        open.cancel.cancel();
    }
    let Some(connection) = &mut state.store.connection else { return false };
    if closed.is_some_and(|open| open.store == store) {
        connection.streams.delivery = Delivery::Unasked;
    }
    wanted.is_some() && state.stream.is_none() && connection.streams.can_open(state.uptime)
}

/// Notes a stream of a collection of the shown store that is being opened.
pub fn begin(state: &mut State, namespace: Namespace, generation: u64, cancel: Cancel) {
    state.stream = Some(OpenStream { store: state.store.number, namespace, generation, cancel });
}

/// The collection of the stream that this generation opened, while it is wanted.
pub fn namespace_of(state: &State, generation: u64) -> Option<Namespace> {
    let open = state.stream.as_ref().filter(|open| open.generation == generation)?;
    (open.store == state.store.number).then(|| open.namespace.clone())
}
