//! Whether a change of many documents can be undone, said before it starts.

use crate::job::Write;
use crate::limits::UNDO_BYTES_MAX;
use crate::state::connect::Connection;
use crate::state::store::StoreTree;
use crate::state::{Namespace, number};

/// Why the undo of a change in a collection can't work, or is not known to work, in one sentence. `write` is how
/// its undo writes; that of a copy deletes what is as the copy inserted it.
pub fn obstacle(
    tree: &StoreTree,
    connection: Option<&Connection>,
    at: &Namespace,
    write: Write,
) -> Option<String> {
    let known = tree.collection(at);
    let kind = known.map_or("collection", |found| found.kind.as_str());
    match kind {
        "view" => return Some("Undo can't work in a view".to_owned()),
        "timeseries" if write == Write::Insert => {
            return Some("Undo is not known to work in a time-series collection".to_owned());
        }
        "timeseries" => {
            return Some(
                "Undo can't work: a time-series collection does not replace documents".to_owned(),
            );
        }
        _ => {}
    }
    if known.is_some_and(|found| found.is_capped) {
        let words = "Undo is not known to work in a capped collection: it may refuse documents, or \
                     remove its oldest ones to make room";
        return Some(words.to_owned());
    }
    match connection?.attached.stored.is_as_sent(write) {
        Some(true) => None,
        Some(false) => Some(
            "Undo is not known to work: this server stored a document otherwise than it was sent"
                .to_owned(),
        ),
        None => Some(
            "Undo is not known to work on this server yet: Mayfly checks the first documents after \
             writing them, and stops if the server stored something else"
                .to_owned(),
        ),
    }
}

/// Whether a change can be undone that keeps this many bytes for it, in words. `None` until the number is known.
pub fn words(kept: Option<u64>, obstacle: Option<String>) -> String {
    let max = UNDO_BYTES_MAX as u64;
    match (kept, obstacle) {
        (Some(kept), _) if kept > max => format!(
            "Too large to undo: undo keeps {}, and this needs about {}",
            number::bytes(max),
            number::bytes(kept)
        ),
        (_, Some(obstacle)) => obstacle,
        (Some(_), None) => "Press Ctrl+Z to undo while this tab is open".to_owned(),
        (None, None) => {
            let max = number::bytes(max);
            format!("Ctrl+Z undoes changes of up to {max} while this tab is open")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use crate::state::connect::Connection;
    use crate::state::store::StoreTree;

    const PROMISE: &str = "Press Ctrl+Z to undo while this tab is open";

    fn said(state: &State, name: &str, write: Write) -> String {
        words(
            Some(9),
            obstacle(
                &state.tree,
                state.store.connection.as_ref(),
                &Namespace::new("d", name),
                write,
            ),
        )
    }

    fn state() -> State {
        let mut tree = StoreTree::default();
        tree.learn_databases(vec![("d".to_owned(), 0)]);
        let kinds = ["collection", "view", "timeseries", "capped"];
        let kind = |name: &str| if name == "capped" { "collection" } else { name }.to_owned();
        tree.learn_collections("d", kinds.map(|name| (name.to_owned(), kind(name))).to_vec());
        if let Some(capped) = tree.collection_mut(&Namespace::new("d", "capped")) {
            capped.is_capped = true;
        }
        State { tree, ..State::default() }
    }

    #[test]
    fn undo_is_promised_only_where_it_is_known_to_work() {
        let mut state = state();
        for write in [Write::Insert, Write::Replace, Write::Merge] {
            assert_eq!(said(&state, "collection", write), PROMISE);
            assert!(said(&state, "view", write).contains("in a view"));
            assert!(said(&state, "timeseries", write).contains("time-series collection"));
            assert!(said(&state, "capped", write).contains("capped collection"));
        }
        state.store.connection = Some(Connection::new(Box::default()));
        let stored = |state: &State| {
            state.store.connection.as_ref().expect("a server").attached.stored.clone()
        };
        assert!(said(&state, "collection", Write::Replace).contains("on this server yet"));
        stored(&state).note(Write::Replace, true);
        assert_eq!(said(&state, "collection", Write::Replace), PROMISE);
        assert!(said(&state, "capped", Write::Replace).contains("capped collection"));
        assert!(said(&state, "collection", Write::Insert).contains("on this server yet"));
        stored(&state).note(Write::Merge, false);
        for write in [Write::Insert, Write::Replace, Write::Merge] {
            assert!(said(&state, "collection", write).contains("stored a document otherwise"));
        }
    }

    #[test]
    fn undo_is_promised_as_far_as_it_has_room() {
        assert!(words(None, None).contains("up to 67.1 MB"), "{}", words(None, None));
        let max = UNDO_BYTES_MAX as u64;
        assert_eq!(words(Some(max), None), PROMISE);
        for obstacle in [None, Some("a view".to_owned())] {
            assert!(words(Some(max + 1), obstacle).starts_with("Too large to undo"));
        }
        assert_eq!(words(None, Some("a view".to_owned())), "a view");
    }
}
