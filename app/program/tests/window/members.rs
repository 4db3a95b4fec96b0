//! The members of a replica set, drawn from a snapshot alone.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bson::Bson;
use egui::Shape;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mayfly::job::lesson::{
    Card, CardView, ClockKind, Lesson, LessonKind, LessonRequest, LessonSource, LessonView, Level,
    MemberCommand, MemberLane, MemberRole, MemberView, OplogEntryView, ReaperStart, Rules,
    TimeView,
};
use mayfly::panels::lesson::members::Members;
use mayfly::state::Clock;
use mayfly::state::clock::Mode;
use mayfly::theme::{self, Contrast};
use mayfly_engine::catalog::Dialect;

/// 2026-01-01T12:00:00Z.
const START_MS: i64 = 1_767_268_800_000;

type Asked = Arc<Mutex<Vec<LessonRequest>>>;

fn lesson() -> Lesson {
    Lesson {
        slug: "40-secondaries-delete-nothing".to_owned(),
        title: "Secondaries delete nothing".to_owned(),
        minutes: 5,
        level: Level::Operate,
        kind: LessonKind::Lesson,
        dialect: Dialect::Mongodb,
        rules: Rules::One,
        show: vec!["orders".to_owned()],
        after: Vec::new(),
        start_ms: Some(START_MS),
        rate: 1.0,
        clock: ClockKind::Simulated,
        reaper: ReaperStart {
            period: Duration::from_mins(1),
            load: Duration::ZERO,
            parameters: Vec::new(),
        },
        members: Vec::new(),
        cards: vec![Card { title: "Three members".to_owned(), line: 1, parts: Vec::new() }],
    }
}

/// A at `secs` after the start, B an hour ahead, C stopped with operations to apply.
fn snapshot(secs: i64) -> LessonView {
    let now_ms = START_MS + secs * 1_000;
    let lane = |id: &str, threshold: Option<i64>, removed: Option<i64>| MemberLane {
        id: Bson::from(id),
        base_ms: START_MS,
        threshold_ms: threshold.map(|secs| START_MS + secs * 1_000),
        removed_ms: removed.map(|secs| START_MS + secs * 1_000),
    };
    let member = |name: &str, role, skew_ms, applied| MemberView {
        name: name.to_owned(),
        role,
        now_ms: now_ms + skew_ms,
        skew_ms,
        monitor: match role {
            MemberRole::Primary => "TTL monitor: deletes".to_owned(),
            MemberRole::Secondary => "TTL monitor: idle, secondary".to_owned(),
            MemberRole::Down => "Stopped".to_owned(),
        },
        next_pass_ms: (role == MemberRole::Primary).then_some(START_MS + 180_000),
        lag_ms: 30_000,
        behind: 12 - applied,
        applied,
        is_read: role == MemberRole::Primary,
        lanes: vec![
            lane("order-8", Some(30), (role != MemberRole::Down).then_some(60)),
            lane("order-9", Some(1_790), None),
            lane("order-10", None, None),
        ],
    };
    let kinds = ["index", "insert", "insert", "update", "insert", "delete"];
    let entry = |position: u64, kind: &str| OplogEntryView {
        position,
        at_ms: START_MS + i64::try_from(position).unwrap_or_default() * 1_000,
        kind: kind.to_owned(),
        documents: 1,
        namespace: "lesson.orders".to_owned(),
    };
    let mut oplog: Vec<_> =
        (1..12).zip(kinds.into_iter().cycle()).map(|(at, kind)| entry(at, kind)).collect();
    oplog.push(entry(12, "ttl delete"));
    LessonView {
        lesson: Arc::new(lesson()),
        source: LessonSource::Shipped("40-secondaries-delete-nothing".to_owned()),
        card: 0,
        cards: vec![CardView::default()],
        time: TimeView { now_ms, start_ms: START_MS, rate: 1.0, is_paused: true, until_ms: None },
        next_event: None,
        removed: 1,
        traffic: None,
        members: vec![
            member("A", MemberRole::Primary, 0, 12),
            member("B", MemberRole::Secondary, 3_600_000, 12),
            member("C", MemberRole::Down, 0, 3),
        ],
        oplog,
        replication_delay_ms: 0,
        failure: None,
    }
}

/// The columns alone, in a window of this size in points. Time was read 10 s before this frame.
fn window(width: f32, height: f32, is_presented: bool) -> (Harness<'static>, Asked) {
    let asked = Asked::default();
    let requests = Arc::clone(&asked);
    let view = snapshot(130);
    let mut clock = Clock::default();
    let mode = Mode::Simulated { rate: 1.0, paused: false };
    clock.learn(mode, view.time.now_ms, Duration::ZERO);
    clock.tick(0, Duration::from_secs(10));
    let mut is_set_up = false;
    let harness =
        Harness::builder().with_size([width, height]).with_max_steps(16).build_ui(move |ui| {
            if !std::mem::replace(&mut is_set_up, true) {
                theme::install_fonts(ui.ctx());
                theme::install_style(ui.ctx(), Contrast::Normal);
                ui.ctx().request_discard("fonts come with the next pass");
                return;
            }
            Members { view: &view, clock: &clock, is_presented }.ui(ui, &mut |request| {
                requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
            });
        });
    (harness, asked)
}

/// Every name that a screen reader hears.
fn names(harness: &Harness<'_>) -> Vec<String> {
    let nodes = harness.query_all_by(|_| true);
    let name = |node: egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        node.label().or_else(|| node.value().filter(|_| node.role() == Role::Label))
    };
    nodes.filter_map(name).collect()
}

#[test]
fn each_member_says_who_it_is_and_what_it_does() {
    let (harness, _) = window(1_000.0, 500.0, false);
    let found = names(&harness);
    for name in [
        "PRIMARY",
        "SECONDARY",
        "DOWN",
        "12:02:20",
        "13:02:20",
        "TTL monitor: deletes",
        "TTL monitor: idle, secondary",
        "operation 12",
        "up to date · clock 1 h fast",
        "30 s, 9 operations to apply",
        "order-9 on A: expires at 2026-01-01 12:29:50 UTC",
        "order-9 on B: overdue since 2026-01-01 12:29:50 UTC",
        "order-8 on B: removed at 2026-01-01 12:01:00 UTC",
        "order-8 on C: overdue since 2026-01-01 12:00:30 UTC",
        "order-10 on C: never expires",
        "Operation 12: ttl delete of 1 document in lesson.orders at 12:00:12",
        "Applied up to 12: A B",
        "Applied up to 3: C",
        "The window reads from A",
    ] {
        assert!(found.iter().any(|found| found == name), "no {name}: {found:#?}");
    }
}

#[test]
fn members_are_asked_with_buttons() {
    let (mut harness, asked) = window(1_000.0, 500.0, false);
    let member = |name: &str, command| LessonRequest::Member { name: name.to_owned(), command };
    for (name, expected) in [
        ("Step down: A", member("A", MemberCommand::StepDown)),
        ("Stop: B", member("B", MemberCommand::Stop)),
        ("Start: C", member("C", MemberCommand::Start)),
        ("Read from: B", member("B", MemberCommand::ReadFrom)),
    ] {
        harness.get_by_label(name).click();
        harness.run();
        let last = asked.lock().expect("requests").pop();
        assert_eq!(last, Some(expected), "{name}");
    }
    assert!(harness.query_by_label("Start: A").is_none());
    assert!(harness.query_by_label("Step down: B").is_none());
    assert!(harness.query_by_label("Read from: C").is_none(), "it is down");
    harness.get_by_label("Replication delay").click();
    harness.run();
    harness.get_by_label("10 s").click();
    harness.run();
    let last = asked.lock().expect("requests").pop();
    assert_eq!(last, Some(LessonRequest::ReplicationDelay(10_000)));
}

#[test]
fn the_keyboard_reaches_every_button() {
    let (mut harness, asked) = window(1_000.0, 500.0, false);
    harness.get_by_label("Stop: B").focus();
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert_eq!(asked.lock().expect("requests").len(), 1);
}

#[test]
fn the_model_says_what_it_leaves_out() {
    let (mut harness, _) = window(1_000.0, 500.0, false);
    harness.get_by_label("What this model leaves out").click();
    harness.run();
    let found = names(&harness);
    for part in ["no election protocol", "rolled back", "never truncated", "No driver can connect"]
    {
        assert!(found.iter().any(|name| name.contains(part)), "no {part}: {found:#?}");
    }
}

#[test]
fn everything_fits_a_small_window_and_a_presentation() {
    for (width, height, is_presented) in
        [(620.0, 380.0, false), (420.0, 260.0, true), (1_500.0, 900.0, false)]
    {
        let (mut harness, _) = window(width, height, is_presented);
        harness.run();
        let screen = harness.ctx.content_rect();
        let shapes = &harness.output().shapes;
        let mut texts = 0;
        for clipped in shapes {
            let Shape::Text(text) = &clipped.shape else { continue };
            texts += 1;
            let least = text.galley.job.sections.iter().map(|part| part.format.font_id.size);
            let least = least.fold(f32::INFINITY, f32::min);
            assert!(least >= 12.0, "{:?} is {least} points high", text.galley.text());
        }
        assert!(texts > 30, "{width}: {texts} texts");
        for role in ["PRIMARY", "SECONDARY", "DOWN"] {
            let rect = harness.get_by_label(role).rect();
            assert!(screen.contains_rect(rect), "{role} at {rect:?} in {width} × {height}");
        }
        let lane = harness.get_by_label_contains("order-9 on C").rect();
        assert!(screen.contains_rect(lane), "{lane:?} in {width} × {height}");
        assert!(harness.query_by_label("Stop: A").is_some() != is_presented);
    }
}
