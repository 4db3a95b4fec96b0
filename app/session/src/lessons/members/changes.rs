//! Changes of the set: a step-down, stopping and starting a member, the delay.

use mayfly_engine::replication::Role;

use super::ReplicaSet;
use super::place::Place;
use crate::limits::LESSON_DELAY_MS_MAX;

impl ReplicaSet {
    /// The primary becomes a secondary. The most up-to-date running secondary catches up and becomes
    /// primary; of equal ones the first by name.
    ///
    /// # Errors
    /// One sentence: the member is not the primary, or no other one runs.
    pub fn step_down(&mut self, name: &str) -> Result<(), String> {
        self.sync_clocks();
        let at = self.index(name)?;
        if !self.places[at].is_primary() {
            return Err(format!("{name} is not the primary, so it can't step down"));
        }
        let Some(next) = self.successor() else {
            return Err(format!("No other member runs, so {name} stays primary"));
        };
        self.hand_over(at, next)
    }

    /// Stops a member; its folder stays. A primary hands over first if another member runs.
    ///
    /// # Errors
    /// One sentence: there is no such member, or it is stopped already.
    pub fn stop(&mut self, name: &str) -> Result<(), String> {
        self.sync_clocks();
        let at = self.index(name)?;
        if !self.places[at].is_running() {
            return Err(format!("{name} is stopped already"));
        }
        if self.places[at].is_primary() {
            match self.successor() {
                Some(next) => self.hand_over(at, next)?,
                None => self.retire(at)?,
            }
        }
        let lanes = self.lanes(at);
        self.places[at].last_lanes = lanes;
        self.places[at].stop()?;
        self.read = self.read.filter(|read| *read != at);
        self.tell();
        Ok(())
    }

    /// Starts a stopped member as a secondary, which applies what it missed. Without a primary it
    /// becomes primary if it has the newest entry.
    ///
    /// # Errors
    /// One sentence: there is no such member, it runs already, or its store can't be opened.
    pub fn start(&mut self, name: &str) -> Result<(), String> {
        self.sync_clocks();
        let at = self.index(name)?;
        if self.places[at].is_running() {
            return Err(format!("{name} runs already"));
        }
        self.open_place(at, Role::Secondary)?;
        if self.primary().is_none() && self.places[at].applied == self.log.len() {
            self.places[at].set_role(Role::Primary)?;
        }
        self.replicate()?;
        self.tell();
        Ok(())
    }

    /// The window reads from this member from now on.
    ///
    /// # Errors
    /// One sentence: there is no such member, or it is stopped.
    pub fn read_from(&mut self, name: &str) -> Result<(), String> {
        let at = self.index(name)?;
        self.places[at].engine()?;
        self.read = Some(at);
        Ok(())
    }

    /// The member that the window reads from: the chosen one, or the primary.
    pub fn read_member(&self) -> Option<&str> {
        let chosen = self.read.and_then(|at| self.places.get(at));
        let chosen = chosen.filter(|place| place.is_running());
        chosen.or_else(|| self.primary_place()).map(|place| place.name.as_str())
    }

    /// Sets how long secondaries wait before they apply an entry, in simulated milliseconds, and
    /// applies what is due then.
    ///
    /// # Errors
    /// One sentence: the delay is not between 0 and 30 s, or an entry can't be applied.
    pub fn set_delay(&mut self, delay_ms: i64) -> Result<(), String> {
        if !(0..=LESSON_DELAY_MS_MAX).contains(&delay_ms) {
            return Err("A delay is between 0 and 30 seconds".to_owned());
        }
        self.delay_ms = delay_ms;
        self.sync_clocks();
        self.replicate().map(drop)
    }

    /// How long secondaries wait, in simulated milliseconds.
    pub fn delay_ms(&self) -> i64 {
        self.delay_ms
    }

    /// The running secondary that takes over.
    fn successor(&self) -> Option<usize> {
        let rank = |at: &usize| {
            let place: &Place = &self.places[*at];
            (std::cmp::Reverse(place.applied), place.name.clone())
        };
        self.running_secondaries().min_by_key(rank)
    }

    /// The primary takes no more writes, and the log has all that it took.
    fn retire(&mut self, at: usize) -> Result<(), String> {
        let set = self.places[at].set_role(Role::Secondary);
        self.note_written_by(at);
        set
    }

    /// The old primary takes no more writes, the new one catches up with it, and then takes them.
    fn hand_over(&mut self, from: usize, to: usize) -> Result<(), String> {
        self.retire(from)?;
        self.catch_up(to, self.log.len())?;
        self.places[to].set_role(Role::Primary)?;
        self.replicate()?;
        self.note_behind();
        self.tell();
        Ok(())
    }
}
