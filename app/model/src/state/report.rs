//! The facts that a report of a problem needs: nothing that names the user's data.

use super::{Phase, State, number};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version, system and the shape of the store, one fact a line. Neither names nor documents.
pub fn facts(state: &State) -> String {
    let system = std::env::consts::OS;
    let machine = std::env::consts::ARCH;
    let mut lines = vec![format!("Mayfly {VERSION}"), format!("System: {system}, {machine}")];
    lines.push(format!("Store: {}", store(state)));
    if state.is_open() {
        let databases = state.tree.databases.len();
        let collections: usize =
            state.tree.databases.iter().map(|database| database.collections.len()).sum();
        lines.push(format!(
            "Contents: {} in {}",
            number::counted(collections as u64, "collection", "collections"),
            number::counted(databases as u64, "database", "databases"),
        ));
        let clock = if state.clock.is_simulated() { "simulated" } else { "system" };
        lines.push(format!("Clock: {clock}"));
        lines.push(format!("TTL monitor: {}", monitor(state)));
    }
    lines.join("\n")
}

fn store(state: &State) -> &'static str {
    match &state.store.phase {
        Phase::Opening => "opening",
        Phase::Away(_) => "temporarily closed",
        Phase::Failed(_) => "could not be opened",
        Phase::Open if state.store.demo => "open, sample data",
        Phase::Open => "open",
    }
}

fn monitor(state: &State) -> String {
    let reaper = &state.reaper;
    let runs = match () {
        () if reaper.died.is_some() => "failed",
        () if reaper.stall.is_some() => "stalled",
        () if reaper.held.is_some() => "on hold",
        () if !reaper.enabled => "off",
        () => "on",
    };
    format!("{runs}, {}", reaper.schedule().label().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_name_nothing_of_the_user() {
        let mut state = State::default();
        assert!(facts(&state).ends_with("Store: opening"));
        state.store.phase = Phase::Open;
        state.store.name = "secret".to_owned();
        state.store.folder = Some("/home/secret".into());
        let facts = facts(&state);
        assert!(facts.starts_with(&format!("Mayfly {VERSION}\nSystem: ")), "{facts}");
        assert!(facts.contains("Contents: 0 collections in 0 databases\nClock: system"), "{facts}");
        assert!(!facts.contains("secret"), "{facts}");
    }
}
