//! The contents of the screen, as plain data.

use std::{collections::VecDeque, time::Duration};

use mayfly_engine::clock::ClockStatus;

use super::{
    asker::{Question, Subject},
    chooser::Chooser,
    label::label,
    layout::{Columns, Places, Size},
    ledger::Ledger,
};
use crate::{
    cli::{
        limits::{MOVE_MIN, NOTE_TIME, TOMBSTONE_FADES, TOMBSTONE_TIME},
        watched_store::Watched,
    },
    commands,
    job::Namespace,
    limits::{TRAFFIC_PERIOD, TRAFFIC_PERIOD_MIN, TRAFFIC_RATE_CALM},
    state::{
        clock::{Clock, Mode},
        expiry,
        reaper::Reaper,
    },
};

/// A document that expires within this time expires soon, in milliseconds of the store's time.
pub(super) const SOON_MS: i64 = 10_000;

/// The time that a full bar means: its name and milliseconds.
pub(super) const SCALES: [(&str, i64); 6] = [
    ("10 s", 10_000),
    ("60 s", 60_000),
    ("10 min", 600_000),
    ("1 h", 3_600_000),
    ("1 d", 86_400_000),
    ("30 d", 2_592_000_000),
];

/// A document in the lanes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lane {
    pub namespace: Namespace,
    /// Its `_id` in a few characters.
    pub label: String,
    pub document: expiry::Lane,
    /// The uptime at which its removal was noticed, if it was removed.
    pub noticed: Duration,
}

/// How close a document is to its removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Soon,
    Overdue,
    Removed { is_fading: bool },
}

/// A pass under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunningPass {
    pub number: u64,
    pub started_ms: i64,
}

/// A message in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub sentence: String,
    pub is_error: bool,
    /// The uptime until which it is shown.
    pub until: Duration,
}

/// The part of the screen between the head and the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Page {
    /// Lanes, passes and the ledger.
    Watch,
    /// The list of collections.
    Choose(Chooser),
    /// The keys, from this line on.
    Keys(usize),
}

pub(super) struct WatchView {
    pub name: String,
    pub clock: Clock,
    /// Time since the start, as of the last tick.
    pub uptime: Duration,
    /// The documents that were read last, and the server that they are from.
    pub watched: Watched,
    pub reaper: Reaper,
    pub running: Option<RunningPass>,
    pub namespaces: Vec<Namespace>,
    pub chosen: Option<Namespace>,
    /// How many documents the collections had when the list was opened.
    pub counts: Vec<(Namespace, Option<u64>)>,
    pub waiting: Vec<Lane>,
    pub tombstones: VecDeque<Lane>,
    pub ledger: Ledger,
    /// Which of [`SCALES`] the bars have.
    pub scale: usize,
    /// Whether the scale was chosen: by the first documents, or by a key.
    pub has_scale: bool,
    pub page: Page,
    pub note: Option<Note>,
    /// Whether the last line asks whether to run a pass.
    pub asks_pass: bool,
    pub size: Size,
    /// Whether the store has traffic, and whether it is on.
    pub traffic: Option<bool>,
    /// Whether the documents were read once.
    pub has_read: bool,
    pub(super) stale: Vec<Subject>,
    pub(super) asked: Vec<Subject>,
    pub(super) outbox: Vec<Question>,
    /// The time of this machine, in milliseconds since 1970.
    wall_ms: i64,
    /// The uptime at which the collections were listed.
    pub(super) listed: Duration,
    /// The uptime before which the documents are not read again.
    pub(super) next_read: Duration,
    /// The uptime at which traffic is due.
    pub(super) next_traffic: Duration,
}

impl Lane {
    pub(super) fn new(namespace: Namespace, document: expiry::Lane, noticed: Duration) -> Self {
        Self { label: label(&document.id), namespace, document, noticed }
    }

    /// Milliseconds until its threshold.
    pub(super) fn left_ms(&self, now_ms: i64) -> i64 {
        self.document.threshold_ms.saturating_sub(now_ms)
    }
}

impl WatchView {
    /// A view of a store that was just opened.
    pub(super) fn new(
        name: String,
        status: &ClockStatus,
        watched: Watched,
        size: Size,
        has_traffic: bool,
    ) -> Self {
        let mut stale = vec![Subject::List, Subject::Clock];
        if watched.connection.is_none() {
            stale.extend([Subject::Status, Subject::Held]);
        }
        let mut clock = Clock::default();
        clock.learn(Mode::of(status), status.now_ms, Duration::ZERO);
        Self {
            name,
            clock,
            uptime: Duration::ZERO,
            watched,
            reaper: Reaper::default(),
            running: None,
            namespaces: Vec::new(),
            chosen: None,
            counts: Vec::new(),
            waiting: Vec::new(),
            tombstones: VecDeque::new(),
            ledger: Ledger::default(),
            scale: 1,
            has_scale: false,
            page: Page::Watch,
            note: None,
            asks_pass: false,
            size,
            traffic: has_traffic.then_some(true),
            has_read: false,
            stale,
            asked: Vec::new(),
            outbox: Vec::new(),
            wall_ms: status.now_ms,
            listed: Duration::ZERO,
            next_read: Duration::ZERO,
            next_traffic: Duration::ZERO,
        }
    }

    /// Sets the time. `wall_ms` is the time of this machine in milliseconds since 1970.
    pub(super) fn tick(&mut self, wall_ms: i64, uptime: Duration) {
        (self.uptime, self.wall_ms) = (uptime, wall_ms);
        let server = self.watched.connection.as_ref();
        let ahead_ms = server.map_or(0, |connection| connection.attached.ahead_ms);
        self.clock.tick(wall_ms.saturating_add(ahead_ms), uptime);
        if self.note.as_ref().is_some_and(|note| note.until <= uptime) {
            self.note = None;
        }
        let is_over = |lane: &Lane| lane.noticed + TOMBSTONE_TIME <= uptime;
        while self.tombstones.front().is_some_and(is_over) {
            self.tombstones.pop_front();
        }
    }

    /// Takes the time of the store. A server's clock may be far from this machine's.
    pub(super) fn learn_clock(&mut self, mode: Mode, now_ms: i64) {
        self.clock.learn(mode, now_ms, self.uptime);
        if let Some(connection) = &mut self.watched.connection {
            connection.attached.ahead_ms = now_ms.saturating_sub(self.wall_ms);
        }
    }

    /// Whether it is a server that does not answer.
    fn is_silent(&self) -> bool {
        self.watched.connection.as_ref().is_some_and(|connection| connection.is_silent)
    }

    /// Shows a message for a moment.
    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        let until = self.uptime + NOTE_TIME;
        self.note = Some(Note { sentence: sentence.into(), is_error: false, until });
    }

    /// Shows an error for a moment.
    pub(super) fn complain(&mut self, sentence: impl Into<String>) {
        let until = self.uptime + NOTE_TIME;
        self.note = Some(Note { sentence: sentence.into(), is_error: true, until });
    }

    /// Whether documents of this collection are shown.
    pub(super) fn shows(&self, namespace: &Namespace) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen == namespace)
            && self.namespaces.contains(namespace)
    }

    pub(super) fn phase(&self, lane: &Lane) -> Phase {
        match (lane.document.removed_ms, lane.left_ms(self.clock.now_ms())) {
            (Some(_), _) => {
                Phase::Removed { is_fading: lane.noticed + TOMBSTONE_FADES <= self.uptime }
            }
            (None, ..=0) => Phase::Overdue,
            (None, 1..=SOON_MS) => Phase::Soon,
            (None, _) => Phase::Waiting,
        }
    }

    /// How many of the listed documents are overdue.
    pub(super) fn overdue(&self) -> usize {
        self.waiting.iter().take_while(|lane| lane.left_ms(self.clock.now_ms()) <= 0).count()
    }

    /// The documents for `rows` lines: those that were just removed, then those that expire next.
    pub(super) fn lanes(&self, rows: usize) -> Vec<&Lane> {
        let waiting = self.waiting.len().min(rows - rows / 2);
        let removed = self.tombstones.len().min(rows.saturating_sub(waiting));
        let skipped = self.tombstones.len() - removed;
        self.tombstones.iter().skip(skipped).chain(&self.waiting).take(rows).collect()
    }

    /// Chooses the scale in which half of the documents on the screen have a bar that moves.
    pub(super) fn choose_scale(&mut self) {
        let rows = usize::from(self.places().lanes.height.saturating_sub(1));
        let lanes = self.lanes(rows);
        let Some(middle) = lanes.get(lanes.len() / 2) else { return };
        let left_ms = middle.left_ms(self.clock.now_ms());
        let found = SCALES.iter().skip(1).position(|(_, ms)| left_ms <= *ms);
        self.scale = found.map_or(SCALES.len() - 1, |at| at + 1);
        self.has_scale = true;
    }

    /// Where everything is on the screen.
    pub(super) fn places(&self) -> Places {
        Places::new(self.size, self.reaper.held.is_some())
    }

    /// The columns of the lanes.
    pub(super) fn columns(&self) -> Columns {
        let is_one = self.chosen.is_some() || self.namespaces.len() == 1;
        Columns::new(self.size.width, is_one)
    }

    /// Whether documents arrive: not while time stands still.
    fn has_traffic(&self) -> bool {
        self.traffic == Some(true) && self.clock.rate() > 0.0
    }

    /// How long traffic waits on this clock.
    pub(super) fn traffic_period(&self) -> Duration {
        let faster = self.clock.rate().max(1.0) / TRAFFIC_RATE_CALM;
        TRAFFIC_PERIOD.div_f64(faster.max(1.0)).max(TRAFFIC_PERIOD_MIN)
    }

    /// Notes that something has to be read again.
    pub(super) fn expire(&mut self, subjects: &[Subject]) {
        for subject in subjects {
            if !self.stale.contains(subject) {
                self.stale.push(*subject);
            }
        }
    }

    /// The questions to ask now. A subject is asked once at a time.
    pub(super) fn questions(&mut self) -> Vec<Question> {
        if self.has_traffic() && self.next_traffic <= self.uptime {
            self.expire(&[Subject::Traffic]);
            self.next_traffic = self.uptime + self.traffic_period();
        }
        self.ask_server();
        let mut questions = std::mem::take(&mut self.outbox);
        for subject in std::mem::take(&mut self.stale) {
            let rests = subject == Subject::Next && self.uptime < self.next_read;
            let waits = rests || self.is_silent() && subject != Subject::Clock;
            if waits || self.asked.contains(&subject) {
                self.stale.push(subject);
                continue;
            }
            self.asked.push(subject);
            questions.push(self.question(subject));
        }
        questions
    }

    /// Greets a server that does not answer, and asks one that does for its passes.
    fn ask_server(&mut self) {
        let uptime = self.uptime;
        let Some(connection) = &mut self.watched.connection else { return };
        if let Some(rest) = connection.greets_in(uptime) {
            if rest.is_zero() {
                self.expire(&[Subject::Clock]);
            }
            return;
        }
        let monitor = &mut connection.monitor;
        let parameters = monitor.ask_parameters(uptime).then_some(Subject::Parameters);
        let status = monitor.ask_status(uptime).then_some(Subject::Status);
        for subject in parameters.into_iter().chain(status) {
            self.outbox.push(self.question(subject));
        }
    }

    fn question(&self, subject: Subject) -> Question {
        let command = match subject {
            Subject::List => return Question::List,
            Subject::Next => {
                let shown = self.namespaces.iter().filter(|it| self.shows(it));
                return Question::Next(shown.cloned().collect());
            }
            Subject::Count => return Question::Count(self.namespaces.clone()),
            Subject::Traffic => return Question::Traffic,
            Subject::Clock => commands::clock::read(),
            Subject::Status if self.watched.connection.is_some() => {
                commands::reaper::server_passes()
            }
            Subject::Status => commands::reaper::status(),
            Subject::Held => commands::reaper::held(),
            Subject::Parameters => commands::reaper::server_parameters(),
            Subject::RunPass => commands::reaper::run_pass(),
        };
        Question::Command(subject, command)
    }

    /// The time until the screen changes without an input, if it does.
    pub(super) fn next_change(&self) -> Option<Duration> {
        let until = |at: Duration| at.saturating_sub(self.uptime);
        let note = self.note.as_ref().map(|note| until(note.until));
        let fades = self
            .tombstones
            .iter()
            .flat_map(|it| [it.noticed + TOMBSTONE_FADES, it.noticed + TOMBSTONE_TIME])
            .filter(|at| *at > self.uptime)
            .map(until)
            .min();
        let is_read_due = self.stale.contains(&Subject::Next) && !self.is_asked(Subject::Next);
        let read = is_read_due.then(|| until(self.next_read));
        let traffic = self.has_traffic().then(|| until(self.next_traffic));
        let digits = self.clock.real_time_until(self.clock.next_step_ms());
        // A real clock's digits change with its seconds; a fast one's are not drawn one by one.
        let digits =
            digits.map(|wait| if self.clock.is_simulated() { wait.max(MOVE_MIN) } else { wait });
        [note, fades, read, traffic, digits, self.next_move()].into_iter().flatten().min()
    }

    /// A question could not be asked and is asked again later.
    pub(super) fn refused(&mut self, question: &Question) {
        let subject = question.subject();
        let is_kept = match subject {
            Subject::Parameters | Subject::RunPass | Subject::Count => false,
            Subject::Status => self.watched.connection.is_none(),
            _ => true,
        };
        if is_kept {
            self.asked.retain(|asked| *asked != subject);
            self.expire(&[subject]);
        }
    }

    fn is_asked(&self, subject: Subject) -> bool {
        self.asked.contains(&subject)
    }

    /// The time until a bar is an eighth of a cell shorter.
    fn next_move(&self) -> Option<Duration> {
        let (_, scale_ms) = SCALES[self.scale];
        let now_ms = self.clock.now_ms();
        let moves =
            |lane: &Lane| lane.document.threshold_ms.abs_diff(now_ms) < scale_ms.unsigned_abs();
        let rate = self.clock.rate();
        if self.page != Page::Watch || rate <= 0.0 || !self.waiting.iter().any(moves) {
            return None;
        }
        let eighths = f64::from(self.columns().bar) * 8.0;
        #[expect(clippy::cast_precision_loss, reason = "a scale has few digits")]
        let wait = scale_ms as f64 / 1_000.0 / eighths / rate;
        Duration::try_from_secs_f64(wait).ok().map(|wait| wait.max(MOVE_MIN))
    }
}
