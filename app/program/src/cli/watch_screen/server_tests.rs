//! The screen on servers of both kinds. Their clock moves only when a test moves it, and so does the
//! screen's.

use std::time::Duration;

use bson::{DateTime, Document, doc};
use mayfly_tests::documentdb::{DocumentDb, Habits, START_MS};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{asker, draw::samples::lines, keys, layout::Size, update, view::WatchView};
use crate::{
    cli::watched_store::{Reader, WatchedStore, samples::of_server},
    limits::SERVER_POLL,
};

/// The time of this machine when the screen opens: a day apart from the server's.
const WALL_MS: i64 = START_MS + 86_400_000;

/// A server, and the screen that watches it.
struct Watch {
    server: DocumentDb,
    reader: Reader,
    view: WatchView,
    uptime: Duration,
}

impl Watch {
    /// Documents of `d.c` that expire this many seconds after the start.
    fn start(habits: Habits, secs: &[i64]) -> Self {
        let server = DocumentDb::start(habits);
        let document = |secs: &i64| -> Document {
            doc! { "_id": format!("d-{secs}"), "at": DateTime::from_millis(START_MS + secs * 1_000) }
        };
        let documents: Vec<Document> = secs.iter().map(document).collect();
        server.prepare("d", &doc! { "insert": "c", "documents": documents });
        let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
        server.prepare("d", &doc! { "createIndexes": "c", "indexes": [index] });
        let WatchedStore { reader, watched, name, clock, .. } = of_server(&server);
        let view = WatchView::new(name, &clock, watched, Size { width: 80, height: 24 }, false);
        let mut watch = Self { server, reader, view, uptime: Duration::ZERO };
        watch.pass(Duration::ZERO);
        watch
    }

    /// Time passes here and on the server, and the screen asks for what is due.
    fn pass(&mut self, time: Duration) {
        self.server.advance_ms(i64::try_from(time.as_millis()).expect("a short time"));
        self.pass_here(time);
    }

    /// Time passes here. On the server it passed already.
    fn pass_here(&mut self, time: Duration) {
        self.uptime += time;
        let ms = i64::try_from(self.uptime.as_millis()).expect("a short time");
        self.view.tick(WALL_MS + ms, self.uptime);
        loop {
            let questions = self.view.questions();
            if questions.is_empty() {
                return;
            }
            for question in questions {
                let answer = asker::answer(&self.reader, &mut None, question);
                update::answer(&mut self.view, answer);
            }
        }
    }

    fn press(&mut self, code: KeyCode) {
        keys::press(&mut self.view, KeyEvent::new(code, KeyModifiers::NONE));
        self.pass_here(Duration::ZERO);
    }

    fn text(&self) -> String {
        lines(&self.view).join("\n")
    }

    fn has(&self, words: &str) {
        let text = self.text();
        assert!(text.contains(words), "{words}:\n{text}");
    }

    fn lacks(&self, words: &str) {
        let text = self.text();
        assert!(!text.contains(words), "{words}:\n{text}");
    }
}

fn both() -> [Habits; 2] {
    [Habits::mongodb(), Habits::documentdb()]
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[test]
fn documents_count_down_by_the_servers_clock_and_are_seen_to_go() {
    for habits in both() {
        let mut watch = Watch::start(habits, &[5, 90]);
        watch.has("2026-06-01 12:00:00 UTC  server, read-only");
        watch.has("*            00:05");
        watch.has("01:30");
        watch.pass(secs(6));
        watch.has("!   overdue +00:01");
        watch.has("Ledger · 0 gone");
        // The pass at the next minute.
        assert_eq!(watch.server.next_pass(), 1);
        watch.pass_here(secs(54));
        watch.has("gone ≤55");
        watch.has("Ledger · 1 gone");
        watch.has("≤ 55");
        watch.has(" s lag  at_1");
        watch.has("00:30");
        assert_eq!(watch.server.writes(), [""; 0]);
    }
}

#[test]
fn a_silent_server_is_said_to_be_and_asked_again() {
    for habits in both() {
        let mut watch = Watch::start(habits, &[5, 90]);
        watch.server.stop();
        watch.pass(SERVER_POLL);
        watch.has("No answer since 12:00:00: documents may have been removed");
        watch.has("d-5");
        watch.pass(secs(2));
        watch.has("No answer since 12:00:00");
        watch.server.restart();
        watch.server.next_pass();
        watch.pass_here(secs(48));
        watch.lacks("No answer since");
        watch.has("Ledger · 1 gone");
    }
}

#[test]
fn counts_of_a_servers_statistics_are_marked_as_such() {
    for habits in both() {
        let mut watch = Watch::start(habits, &[5, 90]);
        watch.press(KeyCode::Char('c'));
        watch.has("about 2 all collections");
        watch.has("about 2 d.c");
    }
}

#[test]
fn no_key_changes_a_server() {
    let mut watch = Watch::start(Habits::mongodb(), &[-5, 90]);
    watch.server.forget_commands();
    for key in "rtnpsm <>".chars() {
        watch.press(KeyCode::Char(key));
        assert!(watch.view.note.take().is_some(), "{key}");
    }
    watch.press(KeyCode::Char('r'));
    watch.press(KeyCode::Char('y'));
    watch.press(KeyCode::Char('p'));
    watch.has(keys::SERVER);
    assert_eq!(watch.server.commands().len(), 0);
}

#[test]
fn an_idle_screen_asks_a_server_little() {
    for habits in both() {
        let mut watch = Watch::start(habits, &[5_000, 9_000]);
        watch.server.forget_commands();
        for _ in 0..600 {
            watch.pass(secs(1));
        }
        let minutes = 10;
        let sent = watch.server.commands().len().div_ceil(minutes);
        assert!((6..=14).contains(&sent), "{sent} commands a minute");
    }
}
