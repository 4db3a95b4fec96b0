//! Lessons that are played as the window plays them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bson::{Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::event::Event;

use super::*;
use crate::job::lesson::{
    BlockKind, BlockState, Guess, LessonRequest, Question, QuestionKind, QuestionView,
};
use crate::job::{ConsoleOutput, ConsoleRun};
use crate::lessons::tests::{START_MS, text};
use crate::lessons::{file, shipped};
use crate::source::Source as _;

/// A runner without a window.
fn open(lesson: &Arc<Lesson>) -> Runner {
    let from = LessonSource::Shipped(lesson.slug.clone());
    Runner::open(Arc::clone(lesson), from, Arc::new(NoAudience), Pace::AtOnce).expect("it opens")
}

fn any_guess(question: &Question) -> Guess {
    match question.kind {
        QuestionKind::Choose => Guess::Choice(0),
        QuestionKind::Count { min, .. } => Guess::Count(min),
        QuestionKind::Which { .. } => Guess::Which(Vec::new()),
        QuestionKind::Pin => Guess::Pin(0),
    }
}

/// Plays the present card as its author means it. Returns what does not hold.
fn play_card(runner: &mut Runner) -> Vec<String> {
    let lesson = Arc::clone(&runner.lesson);
    let at = runner.view().card;
    let card = &lesson.cards[at];
    let mut wrong = Vec::new();
    wrong.extend(runner.view().failure.map(|failure| format!("card {at}: {failure}")));
    for (part, kind, line) in blocks(card) {
        match kind {
            BlockKind::Question(question) => {
                runner.perform(LessonRequest::Guess { part, guess: any_guess(question) });
            }
            BlockKind::Run { .. } | BlockKind::Play { .. } | BlockKind::Solution(_) => {
                runner.perform(LessonRequest::Run { part });
                let view = runner.view().cards[at].parts[part].clone().expect("a block");
                if view.state != BlockState::Done {
                    wrong.push(format!("{line}: {:?} {:?}", view.state, view.output));
                }
            }
            BlockKind::Goal(_) if runner.goal_value(part) != Ok(false) => {
                wrong.push(format!("{line}: the goal is {:?}", runner.goal_value(part)));
            }
            _ => {}
        }
    }
    for (part, kind, line) in blocks(card) {
        let view = runner.view().cards[at].parts[part].clone().expect("a block");
        match kind {
            BlockKind::Question(question) => {
                let answer = runner.answer(part);
                let is_sound = answer.clone().is_some_and(|answer| {
                    answer.is_ok_and(|answer| {
                        answer.unread.is_empty()
                            && (answer.true_choices.len() == 1
                                || question.kind != QuestionKind::Choose)
                            && misfit(question, &answer.value).is_none()
                    })
                });
                if !is_sound {
                    wrong.push(format!("{line}: {answer:?}"));
                }
            }
            BlockKind::Goal(_) if !view.is_reached => {
                wrong.push(format!("{line}: not reached; {:?}", view.lost));
            }
            _ => {}
        }
    }
    if !runner.view().cards[at].is_done {
        wrong.push(format!("card {at} is not done"));
    }
    wrong
}

#[test]
fn every_shipped_lesson_can_be_played_to_its_end() {
    let (mut wrong, mut played) = (Vec::new(), 0);
    for (slug, text) in shipped::FILES {
        let lesson = match file::parse(slug, text) {
            Ok(lesson) => Arc::new(lesson),
            Err(problems) => {
                wrong.push(format!("{slug}: {problems:?}"));
                continue;
            }
        };
        played += 1;
        let mut runner = open(&lesson);
        for card in 0..lesson.cards.len() {
            if card > 0 {
                runner.perform(LessonRequest::OpenCard(card));
            }
            wrong.extend(play_card(&mut runner).into_iter().map(|line| format!("{slug}:{line}")));
        }
    }
    assert!(played > 60, "{played}");
    assert!(wrong.is_empty(), "{} problems\n{}", wrong.len(), wrong.join("\n"));
}

/// A lesson with a question, a play, traffic and a goal.
fn sample() -> Arc<Lesson> {
    const BODY: &str = r#"
## One

```js setup
db.c.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
db.c.insertMany([{ _id: "a", at: T("+5s") }, { _id: "b", at: T("+65s") }])
```
```js traffic every=25s
db.c.insertOne({ _id: i, at: T("+1h") })
```
```toml predict
question = "When?"
ask = 'removedAfter("c", "a")'
[[choice]]
text = "At five"
is = 5
because = "Too early."
[[choice]]
text = "At sixty"
is = 60
because = "The pass removes it."
```
```js play
play("90s")
```

## Two

```toml goal
task = "Remove b by a pass."
when = 'removedAfter("c", "b") !== null'
fail_when = 'db.c.countDocuments() === 0'
hints = ["Wait.", "Wait longer."]
allow = ["play", "insertOne"]
deadline = "5m"
```
```js solution
play("next pass")
```
"#;
    Arc::new(file::parse("sample", &text("", BODY)).expect("a lesson"))
}

fn run(runner: &mut Runner, part: usize) -> BlockState {
    runner.perform(LessonRequest::Run { part });
    state(runner, part)
}

fn state(runner: &Runner, part: usize) -> BlockState {
    let view = runner.view();
    view.cards[view.card].parts[part].as_ref().expect("a block").state
}

fn seconds(runner: &Runner) -> i64 {
    (runner.view().time.now_ms - START_MS) / 1_000
}

fn input(runner: &mut Runner, text: &str) {
    runner.perform(LessonRequest::Console(ConsoleRun {
        number: 1,
        text: text.to_owned(),
        database: String::new(),
        cancel: Cancel::default(),
    }));
}

#[test]
fn a_play_waits_for_the_guess_and_the_engine_answers() {
    let mut runner = open(&sample());
    assert_eq!((state(&runner, 0), state(&runner, 2)), (BlockState::Done, BlockState::Ready));
    assert_eq!(run(&mut runner, 3), BlockState::Waiting, "there is no guess");
    let guess = |index| LessonRequest::Guess { part: 2, guess: Guess::Choice(index) };
    runner.perform(LessonRequest::Vote { part: 2, hands: vec![3, 4] });
    runner.perform(guess(0));
    runner.perform(guess(1));
    assert_eq!(run(&mut runner, 3), BlockState::Done);
    let view = runner.view();
    let question = view.cards[0].parts[2].clone().and_then(|block| block.question);
    let question = question.expect("a question");
    assert_eq!(question.guess, Some(Guess::Choice(0)), "the first guess is locked");
    assert_eq!(question.true_choice, Some(1));
    let verdict = question.verdict.expect("reasons");
    assert_eq!((verdict.yours.as_deref(), verdict.is_changed), (Some("Too early."), false));
    assert!(!verdict.truth.is_empty() && !verdict.truth.contains("Too early."), "{verdict:?}");
    assert_eq!(question.votes, [[3, 4]]);
    assert!(view.cards[0].is_done);
    assert_eq!((view.removed, view.traffic), (1, Some(true)));
    assert_eq!(view.next_event, Some(("traffic".to_owned(), START_MS + 100_000)));
}

/// A shipped lesson, at its first card.
fn shipped_runner(slug: &str) -> Runner {
    let lesson = file::parse(slug, shipped::text(slug).expect("shipped")).expect("sound");
    open(&Arc::new(lesson))
}

/// The question in this part of the open card.
fn question(runner: &Runner, part: usize) -> QuestionView {
    let view = runner.view();
    let block = view.cards[view.card].parts[part].clone().expect("a block");
    block.question.expect("a question")
}

/// The parts of the open card that ask, and those that run.
fn asks_and_runs(runner: &Runner) -> (usize, Vec<usize>) {
    let card = &runner.lesson.cards[runner.view().card];
    let asked = blocks(card).find(|(_, kind, _)| matches!(kind, BlockKind::Question(_)));
    (asked.expect("a question").0, played(card).collect())
}

#[test]
fn the_verdict_comes_after_the_last_block_of_its_question() {
    let mut runner = shipped_runner("11-plain-index-to-ttl");
    runner.perform(LessonRequest::OpenCard(1));
    let (asked, runs) = asks_and_runs(&runner);
    assert_eq!(runs.len(), 2, "a command, then a play");
    runner.perform(LessonRequest::Guess { part: asked, guess: Guess::Choice(3) });
    run(&mut runner, runs[0]);
    assert_eq!((question(&runner, asked).verdict, question(&runner, asked).answer), (None, None));
    run(&mut runner, runs[1]);
    let verdict = question(&runner, asked).verdict.expect("a verdict");
    assert!(verdict.yours.is_some_and(|yours| yours.contains("keep no rule")), "the guess");
    assert!(verdict.truth.contains("60, 110 and 210"), "the answer: {}", verdict.truth);
}

#[test]
fn a_question_that_is_passed_has_no_guess() {
    let mut runner = open(&sample());
    runner.perform(LessonRequest::Pass { part: 2 });
    assert_eq!(run(&mut runner, 3), BlockState::Done);
    let found = question(&runner, 2);
    assert_eq!((found.guess, found.true_choice), (None, Some(1)));
    assert_eq!(found.verdict.expect("a verdict").yours, None);
}

#[test]
fn changed_data_are_named_in_place_of_an_answer_that_teaches_them() {
    let play = |has_input: bool| {
        let mut runner = shipped_runner("03-overdue-is-still-found");
        runner.perform(LessonRequest::OpenCard(1));
        if has_input {
            input(&mut runner, "db.dropDatabase()");
        }
        let (asked, runs) = asks_and_runs(&runner);
        runner.perform(LessonRequest::Guess { part: asked, guess: Guess::Choice(0) });
        run(&mut runner, runs[0]);
        let found = question(&runner, asked);
        (found.verdict.expect("a verdict").is_changed, found.true_choice)
    };
    assert_eq!(play(false), (false, Some(1)));
    assert_eq!(play(true), (true, None), "the engine says 0 now, which is not the lesson");
}

#[test]
fn documents_that_were_misjudged_have_their_reasons() {
    let text = text(
        "",
        "## One\n\n```js setup\ndb.c.insertMany([{ _id: \"a\" }, { _id: \"b\" }])\n```\n\
        ```toml predict\nkind = \"which\"\namong = \"c\"\nquestion = \"Which?\"\nask = 'db.c.distinct(\"_id\")'\n\
        because = \"Both.\"\n[[choice]]\nis = \"a\"\nbecause = \"A stays.\"\n[[choice]]\nis = \"b\"\nbecause = \"B stays.\"\n```\n\
        ```js play\nplay(\"1s\")\n```\n",
    );
    let mut runner = open(&Arc::new(file::parse("which", &text).expect("a lesson")));
    let (asked, runs) = asks_and_runs(&runner);
    let guess = Guess::Which(vec!["a".into()]);
    runner.perform(LessonRequest::Guess { part: asked, guess });
    run(&mut runner, runs[0]);
    let verdict = question(&runner, asked).verdict.expect("a verdict");
    assert_eq!((verdict.yours.as_deref(), verdict.truth.as_str()), (Some("B stays."), "Both."));
}

#[test]
fn members_say_nothing_of_their_monitors_while_a_question_is_to_come() {
    let mut runner = shipped_runner("40-secondaries-delete-nothing");
    let says = |runner: &Runner| runner.view().members.iter().any(|it| !it.monitor.is_empty());
    let (asked, runs) = asks_and_runs(&runner);
    assert!(!says(&runner), "the question is open");
    runner.perform(LessonRequest::Guess { part: asked, guess: Guess::Choice(0) });
    assert!(!says(&runner), "nothing was played yet");
    run(&mut runner, runs[0]);
    assert!(says(&runner), "the evidence for the verdict");
}

#[test]
fn a_goal_is_reached_lost_or_late() {
    let mut runner = open(&sample());
    runner.perform(LessonRequest::OpenCard(1));
    assert_eq!((seconds(&runner), runner.view().card), (90, 1), "card one was played");
    let goal = |runner: &Runner| runner.view().cards[1].parts[0].clone().expect("a goal");
    for hints in [1, 2, 2] {
        runner.perform(LessonRequest::Hint { part: 0 });
        assert_eq!(goal(&runner).hints, hints);
    }
    // A refused command changes nothing.
    input(&mut runner, "db.c.deleteMany({})");
    assert_eq!((goal(&runner).is_reached, goal(&runner).lost), (false, None));
    input(&mut runner, "play('until 12:03:00')");
    assert!(goal(&runner).is_reached && runner.view().cards[1].is_done);
    runner.perform(LessonRequest::RestartCard);
    assert!(!goal(&runner).is_reached);
    // Directly, as no rule binds the test.
    runner.performance.script().set_rules(false);
    input(&mut runner, "db.c.deleteMany({})");
    assert!(goal(&runner).lost.expect("lost").contains("out of reach"));
    runner.perform(LessonRequest::RestartCard);
    input(&mut runner, "db.c.insertOne({_id: 'c'}); reaper.off()");
    runner.performance.script().set_rules(false);
    input(&mut runner, "reaper.off(); play('6m')");
    assert!(goal(&runner).lost.expect("late").contains("time is up"));
}

#[test]
fn a_restart_gives_the_documents_and_the_ledger_of_the_way_there() {
    for (slug, text) in shipped::FILES.iter().step_by(7) {
        let lesson = Arc::new(file::parse(slug, text).expect("a lesson"));
        let mut straight = open(&lesson);
        for card in 0..lesson.cards.len() {
            if card > 0 {
                play_card(&mut straight);
                straight.perform(LessonRequest::OpenCard(card));
            }
            let mut jumped = open(&lesson);
            jumped.perform(LessonRequest::OpenCard(card));
            assert_eq!(straight.ledger(), jumped.ledger(), "{slug} {card}");
            assert_eq!(straight.contents(), jumped.contents(), "{slug} {card}");
            assert_eq!(straight.events(), jumped.events(), "{slug} {card}");
        }
    }
}

#[test]
fn steps_back_and_forward_go_from_event_to_event() {
    let mut runner = open(&sample());
    runner.perform(LessonRequest::Guess { part: 2, guess: Guess::Choice(1) });
    run(&mut runner, 3);
    let end = (runner.contents(), runner.ledger());
    // Traffic at 25, 50 and 75 seconds, a pass at 60.
    for expected in [75, 60, 50, 25, 0, 0] {
        runner.perform(LessonRequest::StepBack);
        assert_eq!(seconds(&runner), expected);
        assert_eq!(runner.view().removed, u64::from(expected >= 60));
        assert_eq!(state(&runner, 3), BlockState::Ready);
        let view = runner.view().cards[0].parts[2].clone().and_then(|block| block.question);
        assert_eq!(view.expect("a question").guess, Some(Guess::Choice(1)));
    }
    runner.perform(LessonRequest::StepForward);
    assert_eq!(seconds(&runner), 5, "a threshold is an event");
    runner.perform(LessonRequest::StepForward);
    assert_eq!(seconds(&runner), 25);
    // A block that was cut continues to where it would have ended.
    let mut runner = open(&sample());
    runner.perform(LessonRequest::Guess { part: 2, guess: Guess::Choice(1) });
    run(&mut runner, 3);
    runner.perform(LessonRequest::StepBack);
    runner.perform(LessonRequest::StepBack);
    assert_eq!(run(&mut runner, 3), BlockState::Done);
    assert_eq!((runner.contents(), runner.ledger()), end);
}

#[test]
fn traffic_can_be_switched() {
    let mut runner = open(&sample());
    runner.perform(LessonRequest::Traffic(false));
    input(&mut runner, "play('60s')");
    assert_eq!(runner.view().traffic, Some(false));
    let texts = |runner: &Runner| runner.contents().len();
    assert_eq!(texts(&runner), 1, "only b is left");
    runner.perform(LessonRequest::Traffic(true));
    input(&mut runner, "play('60s')");
    assert!(texts(&runner) >= 2);
    runner.perform(LessonRequest::OpenCard(1));
    assert_eq!(runner.view().traffic, None, "it ended with its card");
}

/// The window's commands wait for the thread of the lesson, and are part of a replay.
#[test]
fn the_window_moves_the_clock_and_writes() {
    let mut runner = open(&sample());
    let source = runner.source();
    let mut events = source.subscribe();
    let mut ask = |db: &'static str, command: Document| {
        let source = Arc::clone(&source);
        let asking =
            std::thread::Builder::new().spawn(move || source.run(db, &command)).expect("a thread");
        let mut rest = None;
        while !asking.is_finished() {
            rest = runner.run_due();
            std::thread::yield_now();
        }
        (asking.join().expect("an answer"), rest)
    };
    let (reply, _) = ask("admin", doc! {"mayflyClock": 1, "advanceTo": "pass"});
    assert_eq!(reply.get_datetime("now").expect("now").timestamp_millis(), START_MS + 60_000);
    let (reply, _) = ask("admin", doc! {"mayflyClock": 1});
    assert_eq!(reply.get_str("mode").expect("a mode"), "simulated");
    assert!(reply.get_bool("paused").expect("a flag"));
    let (reply, _) = ask("lesson", doc! {"insert": "c", "documents": [{"_id": "mine"}]});
    assert!(!reply.contains_key("errmsg"), "{reply}");
    let (reply, _) = ask("admin", doc! {"mayflyClock": 1, "advanceMS": -1_i64});
    assert!(reply.contains_key("errmsg"));
    let run = doc! {"mayflyClock": 1, "rate": 3_600.0, "paused": false};
    let (_, rest) = ask("admin", run.clone());
    assert_eq!(rest, None, "a question is open");
    runner.perform(LessonRequest::Guess { part: 2, guess: Guess::Choice(1) });
    let asking = std::thread::Builder::new();
    let asking = asking.spawn({
        let source = Arc::clone(&source);
        move || source.run("admin", &run)
    });
    let asking = asking.expect("a thread");
    while !asking.is_finished() {
        runner.run_due();
        std::thread::yield_now();
    }
    let before = source.now_ms();
    let end = SystemClock.monotonic() + Duration::from_secs(20);
    while source.now_ms() < before + 60_000 {
        assert!(runner.run_due().is_some(), "the clock runs");
        assert!(SystemClock.monotonic() < end, "it never moves");
    }
    runner.perform(LessonRequest::Stop);
    assert_eq!(runner.run_due(), None);
    assert!(!runner.view().time.rate.is_nan() && runner.view().time.is_paused);
    let removed = events.find(|event| matches!(event, Event::Removed { .. }));
    assert!(removed.is_some());
    // A restart swaps the store: everything must be read again.
    runner.perform(LessonRequest::RestartCard);
    assert!(events.any(|event| event == Event::Missed(1)));
    assert_eq!(source.now_ms(), START_MS);
    source.close();
    let reply = source.run("lesson", &doc! {"insert": "c", "documents": [{"_id": 1}]});
    assert!(reply.contains_key("errmsg"));
}

#[test]
fn the_store_goes_with_the_lesson() {
    let mut runner = open(&sample());
    let source = runner.source();
    let folder = runner.performance.stage().store().folder().to_owned();
    runner.perform(LessonRequest::RestartCard);
    assert!(!folder.exists(), "a restart has another store");
    let folder = runner.performance.stage().store().folder().to_owned();
    assert!(folder.exists());
    drop(runner);
    let reply = source.run("lesson", &doc! {"insert": "c", "documents": [{"_id": 1}]});
    assert!(reply.contains_key("errmsg"), "nothing waits for a thread that has ended");
    drop(source);
    assert!(!folder.exists());
}

/// A pass by hand is an event: the goal is watched after each, and a step back finds it.
#[test]
fn each_pass_by_hand_is_watched() {
    const BODY: &str = r#"
## Small passes

```js setup
db.c.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
db.c.insertMany([{ at: T("-1s") }, { at: T("-1s") }])
```
```toml goal
task = "Remove both, but not in one pass."
when = 'db.c.countDocuments() === 0'
fail_when = 'ledger("c").length === 2'
hints = ["One by one."]
```
```js solution
db.c.deleteOne({})
pass()
```
"#;
    let lesson = Arc::new(file::parse("by-hand", &text("", BODY)).expect("a lesson"));
    let mut runner = open(&lesson);
    input(&mut runner, "play('10s'); pass(); db.c.insertOne({}); play('10s'); pass()");
    let goal = runner.view().cards[0].parts[1].clone().expect("a goal");
    assert!(goal.is_reached, "the first pass left nothing");
    assert_eq!(runner.events(), [START_MS + 10_000, START_MS + 20_000]);
    runner.perform(LessonRequest::StepBack);
    assert_eq!((seconds(&runner), runner.view().removed), (10, 2));
}

#[test]
fn many_runs_give_one_ledger() {
    let mut first = None;
    for _ in 0..50 {
        let mut runner = open(&sample());
        runner.perform(LessonRequest::OpenCard(1));
        let found = (runner.ledger(), runner.contents(), runner.events());
        assert_eq!(*first.get_or_insert_with(|| found.clone()), found);
    }
}

/// Interrupts once time has passed, as the user does who presses a key.
#[derive(Default)]
struct Impatient {
    shown: Mutex<Vec<LessonView>>,
    is_interrupted: AtomicBool,
}

impl Audience for Impatient {
    fn publish(&self, view: LessonView) {
        let is_moving = view.time.until_ms.is_some() && view.time.now_ms > START_MS + 10_000;
        self.is_interrupted.fetch_or(is_moving, Ordering::Relaxed);
        self.shown.lock().expect("not poisoned").push(view);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.swap(false, Ordering::Relaxed)
    }

    fn console(&self, _: u64, _: ConsoleOutput) {}

    fn console_ended(&self, _: u64, _: String) {}

    fn wake(&self) {}
}

#[test]
fn a_play_on_the_screen_takes_its_time_and_can_be_stopped() {
    let audience = Arc::new(Impatient::default());
    let from = LessonSource::Shipped("sample".to_owned());
    let shared = Arc::clone(&audience) as Arc<dyn Audience>;
    let mut runner = Runner::open(sample(), from, shared, Pace::Screen).expect("it opens");
    runner.perform(LessonRequest::Guess { part: 2, guess: Guess::Choice(1) });
    assert_eq!(run(&mut runner, 3), BlockState::Ready, "it was stopped");
    let stopped = seconds(&runner);
    assert!((10..90).contains(&stopped), "{stopped}");
    let rates: Vec<f64> = {
        let shown = audience.shown.lock().expect("not poisoned");
        let playing = shown.iter().filter(|view| view.time.until_ms == Some(START_MS + 90_000));
        playing.map(|view| view.time.rate).collect()
    };
    // 90 seconds at rate 1 would take too long: it takes eight seconds.
    assert!(rates.len() > 1 && rates.iter().all(|rate| (rate - 11.25).abs() < 0.01), "{rates:?}");
}
