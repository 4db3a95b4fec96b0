//! Messages in the corner.

use std::collections::VecDeque;
use std::time::Duration;

use super::offer::Offer;
use crate::job::End;
use crate::limits::{MESSAGES_MAX, TOASTS_MAX};

/// The kind of a message, which decides its color and how long it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Info,
    Done,
    Warning,
    Error,
}

impl Kind {
    /// The kind of the message that says how work ended.
    pub fn of(end: &End) -> Self {
        match end {
            End::Complete => Self::Done,
            End::Cancelled => Self::Warning,
            End::Failed(_) => Self::Error,
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub id: u64,
    pub kind: Kind,
    pub text: String,
    pub button: Option<(String, Offer)>,
    /// When it came, in window time.
    pub since: Duration,
}

/// A message as it is kept after it left the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub kind: Kind,
    pub text: String,
    /// When it came, in window time.
    pub since: Duration,
}

/// The messages on the screen, the newest last, and those that were on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Toasts {
    list: Vec<Toast>,
    last_id: u64,
    log: VecDeque<Message>,
    /// Warnings and errors that came since the list of messages was last open.
    unseen: usize,
    is_log_shown: bool,
}

impl Toasts {
    /// The messages, the newest last.
    pub fn list(&self) -> &[Toast] {
        &self.list
    }

    /// The past messages, the latest last: at most [`MESSAGES_MAX`].
    pub fn log(&self) -> &VecDeque<Message> {
        &self.log
    }

    /// Warnings and errors that came since the list of messages was last open.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Notes whether the list of messages is open.
    pub fn note_seen(&mut self, is_log_shown: bool) {
        self.is_log_shown = is_log_shown;
        if is_log_shown {
            self.unseen = 0;
        }
    }

    /// Empties the list of messages; those on the screen stay.
    pub fn clear_log(&mut self) {
        self.log.clear();
        self.unseen = 0;
    }

    /// Notes a message in the list alone.
    pub fn note(&mut self, kind: Kind, text: &str, since: Duration) {
        if self.log.len() >= MESSAGES_MAX {
            self.log.pop_front();
        }
        self.log.push_back(Message { kind, text: text.to_owned(), since });
        if matches!(kind, Kind::Warning | Kind::Error) && !self.is_log_shown {
            self.unseen += 1;
        }
    }

    /// Shows a message in place of the one before. One that came at the same time stays, and an error stays
    /// until its time is over or another error comes.
    pub fn push(
        &mut self,
        kind: Kind,
        text: impl Into<String>,
        button: Option<(String, Offer)>,
        now: Duration,
    ) {
        let text = text.into();
        self.note(kind, &text, now);
        self.list.retain(|toast| {
            let is_error = toast.kind == Kind::Error && kind != Kind::Error;
            toast.text != text && (is_error || toast.since == now)
        });
        if self.list.len() >= TOASTS_MAX {
            self.list.remove(0);
        }
        self.last_id += 1;
        self.list.push(Toast { id: self.last_id, kind, text, button, since: now });
    }

    /// Takes the buttons away that do this; what was said stays.
    pub fn take_buttons(&mut self, offer: &Offer) {
        for toast in &mut self.list {
            toast.button.take_if(|(_, does)| *does == *offer);
        }
    }

    /// Takes one away.
    pub fn dismiss(&mut self, id: u64) {
        self.list.retain(|toast| toast.id != id);
    }

    /// Removes those whose time is over. Returns the time until the next one expires.
    pub fn expire(&mut self, now: Duration, life: impl Fn(Kind) -> Duration) -> Option<Duration> {
        self.list.retain(|toast| now < toast.since + life(toast.kind));
        self.list.iter().map(|toast| (toast.since + life(toast.kind)).saturating_sub(now)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_when_their_time_is_over() {
        let mut toasts = Toasts::default();
        let second = Duration::from_secs(1);
        toasts.push(Kind::Error, "a", None, Duration::ZERO);
        toasts.push(Kind::Info, "b", None, second);
        assert_eq!(toasts.expire(second, |_| 2 * second), Some(second));
        assert_eq!(toasts.expire(2 * second, |_| 2 * second), Some(second));
        assert_eq!(toasts.list().len(), 1);
        assert_eq!(toasts.expire(3 * second, |_| 2 * second), None);
    }

    #[test]
    fn messages_are_kept_within_a_bound_after_they_left_the_screen() {
        let mut toasts = Toasts::default();
        for number in 0..MESSAGES_MAX + 3 {
            toasts.push(Kind::Info, number.to_string(), None, Duration::ZERO);
        }
        let texts: Vec<&str> = toasts.log().iter().map(|message| message.text.as_str()).collect();
        assert_eq!((texts.len(), texts.first()), (MESSAGES_MAX, Some(&"3")));
        assert_eq!(toasts.unseen(), 0, "only what went wrong is counted");
        toasts.push(Kind::Error, "disk full", None, Duration::ZERO);
        assert_eq!(toasts.unseen(), 1);
        toasts.note_seen(true);
        toasts.push(Kind::Error, "disk full", None, Duration::ZERO);
        assert_eq!(toasts.unseen(), 0, "the list is open");
        toasts.clear_log();
        assert!(toasts.log().is_empty() && !toasts.list().is_empty());
    }

    #[test]
    fn a_message_takes_the_place_of_the_one_before_unless_that_is_an_error() {
        let mut toasts = Toasts::default();
        let mut shown = |kind, text: &str, secs| -> Vec<String> {
            toasts.push(kind, text, None, Duration::from_secs(secs));
            assert!(toasts.list().len() <= TOASTS_MAX);
            toasts.list().iter().map(|toast| toast.text.clone()).collect()
        };
        assert_eq!(shown(Kind::Done, "saved", 0), ["saved"]);
        assert_eq!(shown(Kind::Done, "exported", 1), ["exported"]);
        assert_eq!(shown(Kind::Warning, "not all", 1), ["exported", "not all"]);
        assert_eq!(shown(Kind::Error, "disk full", 2), ["disk full"]);
        assert_eq!(shown(Kind::Info, "a", 3), ["disk full", "a"]);
        assert_eq!(shown(Kind::Info, "b", 4), ["disk full", "b"]);
        assert_eq!(shown(Kind::Error, "no answer", 5), ["no answer"]);
    }

    #[test]
    fn the_same_message_is_shown_once() {
        let mut toasts = Toasts::default();
        for _ in 0..3 {
            toasts.push(Kind::Error, "disk full", None, Duration::ZERO);
        }
        assert_eq!(toasts.list().len(), 1);
    }
}
