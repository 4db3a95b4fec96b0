//! The effect of each key.

use bson::Document;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{
    asker::{Question, Subject},
    chooser::Chooser,
    view::{Page, SCALES, WatchView},
};
use crate::{
    commands::{clock, reaper},
    state::clock::{Mode, RATES},
};

/// How the loop continues after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    /// Draw every cell again.
    Repaint,
    Quit,
}

/// Why a key of the clock does nothing.
pub(super) const REAL_CLOCK: &str =
    "This store runs on the real clock; only a simulated clock can be moved";

/// Why the keys of the clock and of the passes do nothing on a server.
pub(super) const SERVER: &str =
    "This is a server: its clock and its passes are its own; watch only reads";

/// The keys, for the page that lists them.
pub(super) const KEYS: [(&str, &str); 18] = [
    ("c", "choose a collection"),
    ("+ -", "a shorter or a longer time for a full bar"),
    ("↑ ↓", "scroll the ledger"),
    ("PgUp PgDn", "scroll the ledger by a page"),
    ("Home End", "the oldest and the newest removal"),
    ("f", "follow the newest removal"),
    ("r", "run a pass now"),
    ("t", "traffic of the demo store on or off"),
    ("Space", "pause or start a simulated clock"),
    ("s", "advance it by one second"),
    ("m", "advance it by one minute"),
    ("n →", "advance it to the next event"),
    ("p", "advance it to the next pass"),
    ("< >", "make it slower or faster"),
    ("Ctrl+L", "draw the screen again"),
    ("?", "these keys"),
    ("Esc", "back; at the top, quit"),
    ("q Ctrl+C", "quit"),
];

/// Handles a key.
pub(super) fn press(view: &mut WatchView, key: KeyEvent) -> Flow {
    if key.kind == KeyEventKind::Release {
        return Flow::Continue;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Flow::Quit,
            KeyCode::Char('l') => Flow::Repaint,
            _ => Flow::Continue,
        };
    }
    view.note = None;
    if std::mem::take(&mut view.asks_pass) {
        if key.code == KeyCode::Char('y') {
            send(view, Subject::RunPass, reaper::run_pass());
        }
        return Flow::Continue;
    }
    match std::mem::replace(&mut view.page, Page::Watch) {
        Page::Watch => watch_key(view, key.code),
        Page::Choose(chooser) => {
            choose_key(view, chooser, key.code);
            Flow::Continue
        }
        Page::Keys(top) => {
            view.page = match key.code {
                KeyCode::Up => Page::Keys(top.saturating_sub(1)),
                KeyCode::Down => Page::Keys((top + 1).min(KEYS.len() - 1)),
                _ => Page::Watch,
            };
            Flow::Continue
        }
    }
}

fn watch_key(view: &mut WatchView, code: KeyCode) -> Flow {
    match code {
        KeyCode::Char('q') | KeyCode::Esc => return Flow::Quit,
        KeyCode::Char('?') | KeyCode::F(1) => view.page = Page::Keys(0),
        KeyCode::Char('c') => open_chooser(view),
        KeyCode::Char('+' | '=') => set_scale(view, view.scale.saturating_sub(1)),
        KeyCode::Char('-' | '_') => set_scale(view, view.scale + 1),
        KeyCode::Char('r') => run_pass(view),
        KeyCode::Char('t') => toggle_traffic(view),
        KeyCode::Up => scroll(view, -1),
        KeyCode::Down => scroll(view, 1),
        KeyCode::PageUp => scroll_page(view, -1),
        KeyCode::PageDown => scroll_page(view, 1),
        KeyCode::Home => scroll(view, isize::MIN),
        KeyCode::End | KeyCode::Char('f') => view.ledger.follow(),
        other => clock_key(view, other),
    }
    Flow::Continue
}

fn set_scale(view: &mut WatchView, scale: usize) {
    view.scale = scale.min(SCALES.len() - 1);
    view.has_scale = true;
}

fn scroll(view: &mut WatchView, by: isize) {
    let rows = view.places().ledger_rows();
    view.ledger.scroll(by, rows, view.chosen.as_ref());
}

fn scroll_page(view: &mut WatchView, direction: isize) {
    let rows = isize::try_from(view.places().ledger_rows()).unwrap_or(isize::MAX);
    scroll(view, direction.saturating_mul((rows - 1).max(1)));
}

fn open_chooser(view: &mut WatchView) {
    let mut chooser = Chooser::default();
    let lines = chooser.lines(view);
    chooser.at = lines.iter().position(|line| *line == view.chosen.as_ref()).unwrap_or(0);
    view.outbox.push(Question::Count(view.namespaces.clone()));
    view.page = Page::Choose(chooser);
}

fn choose_key(view: &mut WatchView, mut chooser: Chooser, code: KeyCode) {
    let lines = chooser.lines(view);
    let count = lines.len();
    let page = isize::try_from(view.places().body.height).unwrap_or(1).saturating_sub(2).max(1);
    match code {
        KeyCode::Esc => return,
        KeyCode::Enter => {
            if let Some(line) = lines.get(chooser.at) {
                let chosen = line.cloned();
                choose(view, chosen);
                return;
            }
        }
        KeyCode::Up => chooser.step(-1, count),
        KeyCode::Down => chooser.step(1, count),
        KeyCode::PageUp => chooser.step(-page, count),
        KeyCode::PageDown => chooser.step(page, count),
        KeyCode::Home => chooser.step(isize::MIN, count),
        KeyCode::End => chooser.step(isize::MAX, count),
        KeyCode::Backspace => chooser.pop(),
        KeyCode::Char(c) => chooser.push(c),
        _ => {}
    }
    view.page = Page::Choose(chooser);
}

fn choose(view: &mut WatchView, chosen: Option<crate::job::Namespace>) {
    if view.chosen == chosen {
        return;
    }
    view.chosen = chosen;
    view.tombstones.clear();
    view.waiting.clear();
    view.has_read = false;
    view.ledger.follow();
    view.next_read = view.uptime;
    view.expire(&[Subject::Next]);
}

fn run_pass(view: &mut WatchView) {
    if view.watched.connection.is_some() {
        view.say(SERVER);
    } else if view.clock.is_simulated() || view.overdue() == 0 {
        send(view, Subject::RunPass, reaper::run_pass());
    } else {
        // A pass on the system clock removes documents, and one key is pressed easily.
        view.asks_pass = true;
    }
}

fn toggle_traffic(view: &mut WatchView) {
    match &mut view.traffic {
        None => view.say("Only the demo store has traffic"),
        Some(on) => {
            *on = !*on;
            let words = if *on { "Traffic is on" } else { "Traffic is off" };
            view.next_traffic = view.uptime;
            view.say(words);
        }
    }
}

fn clock_key(view: &mut WatchView, code: KeyCode) {
    let (rate, paused) = match view.clock.mode() {
        Mode::Simulated { rate, paused } => (rate, paused),
        Mode::Real => (1.0, false),
    };
    let command = match code {
        KeyCode::Char(' ') => clock::set_paused(!paused),
        KeyCode::Char('s') => clock::advance(1_000),
        KeyCode::Char('m') => clock::advance(60_000),
        KeyCode::Char('n') | KeyCode::Right => clock::advance_to("event"),
        KeyCode::Char('p') => clock::advance_to("pass"),
        KeyCode::Char('<' | ',') => clock::set_rate(slower(rate)),
        KeyCode::Char('>' | '.') => clock::set_rate(faster(rate)),
        _ => return,
    };
    if view.watched.connection.is_some() {
        view.say(SERVER);
    } else if !view.clock.is_simulated() {
        view.say(REAL_CLOCK);
    } else if code == KeyCode::Char('p') && !has_pass(view) {
        view.say("No pass is planned: the TTL monitor is off");
    } else {
        send(view, Subject::Clock, command);
    }
}

fn has_pass(view: &WatchView) -> bool {
    view.reaper.enabled && view.reaper.next_pass_ms.is_some()
}

fn slower(rate: f64) -> f64 {
    RATES.into_iter().rev().find(|offered| *offered < rate).unwrap_or(RATES[0])
}

fn faster(rate: f64) -> f64 {
    RATES.into_iter().find(|offered| *offered > rate).unwrap_or(RATES[RATES.len() - 1])
}

fn send(view: &mut WatchView, subject: Subject, command: Document) {
    view.outbox.push(Question::Command(subject, command));
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::{
        cli::watch_screen::{
            draw::samples::{lane, removed, view},
            label::label,
        },
        job::Namespace,
    };

    fn type_key(view: &mut WatchView, code: KeyCode) -> Flow {
        press(view, KeyEvent::new(code, KeyModifiers::NONE))
    }

    /// A view on a simulated clock.
    fn simulated(rate: f64, paused: bool) -> WatchView {
        let mut view = view(80, 24);
        view.clock.learn(Mode::Simulated { rate, paused }, 0, view.uptime);
        view.questions();
        view
    }

    #[test]
    fn keys_of_the_clock_send_the_commands_of_the_window() {
        let check = |code, rate, paused, expected: Document| {
            let mut view = simulated(rate, paused);
            assert_eq!(type_key(&mut view, code), Flow::Continue);
            let topic = if code == KeyCode::Char('r') { Subject::RunPass } else { Subject::Clock };
            assert_eq!(view.questions(), [Question::Command(topic, expected)], "{code:?}");
        };
        let char = KeyCode::Char;
        check(char(' '), 1.0, true, doc! {"mayflyClock": 1, "paused": false});
        check(char(' '), 1.0, false, doc! {"mayflyClock": 1, "paused": true});
        check(char('s'), 1.0, true, doc! {"mayflyClock": 1, "advanceMS": 1_000_i64});
        check(char('m'), 1.0, true, doc! {"mayflyClock": 1, "advanceMS": 60_000_i64});
        check(char('n'), 1.0, true, doc! {"mayflyClock": 1, "advanceTo": "event"});
        check(KeyCode::Right, 1.0, true, doc! {"mayflyClock": 1, "advanceTo": "event"});
        check(char('p'), 1.0, true, doc! {"mayflyClock": 1, "advanceTo": "pass"});
        let rate = |rate| doc! {"mayflyClock": 1, "rate": rate, "paused": false};
        check(char('>'), 1.0, true, rate(10.0));
        check(char('>'), 3_600.0, false, rate(3_600.0));
        check(char('<'), 60.0, false, rate(10.0));
        check(char('<'), 0.5, false, rate(1.0));
        check(char('r'), 1.0, true, doc! {"mayflyReap": 1});
    }

    #[test]
    fn on_a_real_clock_keys_of_the_clock_say_so() {
        for code in [' ', 's', 'm', 'n', 'p', '<', '>'] {
            let mut view = view(80, 24);
            view.questions();
            type_key(&mut view, KeyCode::Char(code));
            assert_eq!(view.questions(), [], "{code}");
            let note = view.note.expect("a sentence");
            assert_eq!((note.sentence.as_str(), note.is_error), (REAL_CLOCK, false), "{code}");
        }
    }

    #[test]
    fn without_a_planned_pass_the_clock_has_none_to_go_to() {
        let mut view = simulated(1.0, true);
        view.reaper.enabled = false;
        type_key(&mut view, KeyCode::Char('p'));
        assert_eq!(view.questions(), []);
        assert!(view.note.is_some_and(|note| note.sentence.starts_with("No pass is planned")));
    }

    #[test]
    fn on_a_real_clock_a_pass_that_removes_documents_is_asked_about() {
        let pass = [Question::Command(Subject::RunPass, reaper::run_pass())];
        let mut view = view(80, 24);
        view.questions();
        view.waiting.retain(|lane| lane.document.threshold_ms > view.clock.now_ms());
        type_key(&mut view, KeyCode::Char('r'));
        assert_eq!(view.questions(), pass, "nothing is overdue");
        let overdue = lane("late", view.clock.now_ms());
        view.waiting.insert(0, overdue);
        for (key, expected) in [('n', &[] as &[Question]), ('q', &[]), ('y', &pass)] {
            type_key(&mut view, KeyCode::Char('r'));
            assert!(view.asks_pass);
            assert_eq!(type_key(&mut view, KeyCode::Char(key)), Flow::Continue);
            assert_eq!((view.questions().as_slice(), view.asks_pass), (expected, false), "{key}");
        }
    }

    #[test]
    fn what_quits() {
        let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        for (page, key, expected) in [
            (Page::Watch, plain(KeyCode::Char('q')), Flow::Quit),
            (Page::Watch, plain(KeyCode::Esc), Flow::Quit),
            (Page::Watch, control('c'), Flow::Quit),
            (Page::Watch, control('q'), Flow::Continue),
            (Page::Watch, control('l'), Flow::Repaint),
            (Page::Keys(0), plain(KeyCode::Esc), Flow::Continue),
            (Page::Keys(0), plain(KeyCode::Char('q')), Flow::Continue),
            (Page::Choose(Chooser::default()), plain(KeyCode::Esc), Flow::Continue),
            (Page::Choose(Chooser::default()), plain(KeyCode::Char('q')), Flow::Continue),
            (Page::Choose(Chooser::default()), control('c'), Flow::Quit),
        ] {
            let mut view = view(80, 24);
            view.page = page.clone();
            assert_eq!(press(&mut view, key), expected, "{page:?} {key:?}");
        }
        let mut view = view(80, 24);
        let release =
            KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(press(&mut view, release), Flow::Continue, "Windows reports releases");
    }

    #[test]
    fn the_scale_changes_within_its_bounds() {
        let mut view = view(80, 24);
        let mut names = Vec::new();
        for key in "++++-------".chars() {
            type_key(&mut view, KeyCode::Char(key));
            names.push(SCALES[view.scale].0);
        }
        let expected = [
            "10 s", "10 s", "10 s", "10 s", "60 s", "10 min", "1 h", "1 d", "30 d", "30 d", "30 d",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_collection_is_chosen_by_its_name() {
        let mut view = view(80, 24);
        view.tombstones.push_back(lane("gone", 0));
        view.questions();
        type_key(&mut view, KeyCode::Char('c'));
        assert!(matches!(view.questions().as_slice(), [Question::Count(all)] if all.len() == 3));
        for c in "CART".chars() {
            type_key(&mut view, KeyCode::Char(c));
        }
        type_key(&mut view, KeyCode::Enter);
        let carts = Namespace::new("shop", "carts");
        assert_eq!((view.chosen.as_ref(), &view.page), (Some(&carts), &Page::Watch));
        assert!(view.tombstones.is_empty() && view.waiting.is_empty());
        assert_eq!(view.questions(), [Question::Next(vec![carts.clone()])]);
        // The list opens at what is chosen, and Escape leaves it so.
        type_key(&mut view, KeyCode::Char('c'));
        assert!(matches!(&view.page, Page::Choose(chooser) if chooser.at == 3));
        type_key(&mut view, KeyCode::Esc);
        assert_eq!(view.chosen, Some(carts));
        // The first line is every collection.
        for key in [KeyCode::Char('c'), KeyCode::Home, KeyCode::Enter] {
            type_key(&mut view, key);
        }
        assert_eq!(view.chosen, None);
    }

    #[test]
    fn a_name_that_is_in_no_collection_chooses_none() {
        let mut view = view(80, 24);
        for c in "cnone".chars() {
            type_key(&mut view, KeyCode::Char(c));
        }
        type_key(&mut view, KeyCode::Enter);
        assert!(matches!(view.page, Page::Choose(_)));
        for _ in 0.."none".len() {
            type_key(&mut view, KeyCode::Backspace);
        }
        type_key(&mut view, KeyCode::Down);
        type_key(&mut view, KeyCode::Enter);
        assert_eq!(view.chosen, Some(Namespace::new("demo", "events")));
    }

    #[test]
    fn the_ledger_is_scrolled_by_lines_and_pages() {
        let mut view = view(80, 24);
        view.ledger.removed((0..100).map(|id: i32| removed(&id.to_string(), 0, 0)), 0);
        let rows = view.places().ledger_rows();
        let mut first = |key| {
            type_key(&mut view, key);
            match view.ledger.visible(rows, None).first() {
                Some(super::super::ledger::Entry::Removed(lane)) => lane.label.clone(),
                other => panic!("{other:?}"),
            }
        };
        let name = |id: usize| label(&bson::Bson::Int32(i32::try_from(id).unwrap()));
        assert_eq!(first(KeyCode::Up), name(99 - rows));
        assert_eq!(first(KeyCode::PageUp), name(100 - rows * 2));
        assert_eq!(first(KeyCode::PageDown), name(99 - rows));
        // Two documents were removed before.
        assert_eq!(first(KeyCode::Home), "c-1");
        assert_eq!(first(KeyCode::Down), "c-2");
        assert_eq!(first(KeyCode::Down), name(0));
        assert_eq!(first(KeyCode::Char('f')), name(100 - rows));
        assert!(view.ledger.follows());
    }

    #[test]
    fn only_the_demo_store_has_traffic() {
        let mut view = view(80, 24);
        type_key(&mut view, KeyCode::Char('t'));
        assert!(view.note.take().is_some_and(|note| note.sentence.contains("demo store")));
        view.traffic = Some(true);
        view.questions();
        type_key(&mut view, KeyCode::Char('t'));
        assert_eq!(view.traffic, Some(false));
        view.asked.clear();
        assert!(!view.questions().contains(&Question::Traffic));
    }
}
