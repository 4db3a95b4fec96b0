//! The lessons about members, played in Rust, and random step-downs and stops.

use bson::doc;

use super::*;
use crate::job::lesson::MemberRole;

const START_MS: i64 = 1_767_268_800_000;

fn starts(skew_ms: i64) -> Vec<MemberStart> {
    let start = |name: &str, skew_ms| MemberStart { name: name.to_owned(), skew_ms };
    vec![start("A", 0), start("B", skew_ms), start("C", 0)]
}

struct Bench {
    set: ReplicaSet,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new(skew_ms: i64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let watch: EventWatch = Arc::new(|_, _| {});
        let set = ReplicaSet::open(folder.path(), &starts(skew_ms), START_MS, Vec::new(), watch);
        let mut set = set.expect("opens");
        set.show(vec![Namespace::new("lesson", "orders")]);
        Self { set, _folder: folder }
    }

    fn run(&mut self, command: &Document) {
        let reply = self.set.run(None, "lesson", command).expect("a primary");
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}");
    }

    fn order(&mut self, secs: i64) {
        self.run(&doc! { "createIndexes": "orders", "indexes": [
            { "key": { "expireAt": 1 }, "name": "expireAt", "expireAfterSeconds": 0 },
        ] });
        let at = bson::DateTime::from_millis(START_MS + secs * 1_000);
        self.run(&doc! { "insert": "orders", "documents": [{ "_id": "order-9", "expireAt": at }] });
    }

    /// Lets time pass to this second after the start, as the runner does.
    fn play(&mut self, secs: i64) {
        let end_ms = START_MS + secs * 1_000;
        loop {
            let next_ms = self.set.next_event_ms().min(end_ms);
            let now_ms = self.set.now_ms();
            self.set.clock().advance_ms((next_ms - now_ms).max(0));
            let step = self.set.step().expect("replicates");
            if next_ms >= end_ms && step == SetStep::default() {
                return;
            }
        }
    }

    fn stored(&self) -> Vec<&'static str> {
        let id = Bson::from("order-9");
        let has = |name: &&str| self.set.is_stored(name, "lesson", "orders", &id).unwrap_or(false);
        ["A", "B", "C"].into_iter().filter(has).collect()
    }

    fn removed(&self, name: &str) -> Option<i64> {
        let removals = self.set.removals(name, "lesson", "orders").expect("a member");
        removals.last().map(|removal| (removal.at_ms - START_MS) / 1_000)
    }

    fn passes(&mut self, name: &str) -> i64 {
        let status = doc! { "serverStatus": 1 };
        let reply = self.set.run(Some(name), "admin", &status).expect("running");
        let ttl = reply.get_document("metrics").and_then(|it| it.get_document("ttl"));
        let passes = ttl.expect("counters").get("passes").cloned().expect("a number");
        passes.as_i64().or(passes.as_i32().map(i64::from)).expect("a number")
    }
}

#[test]
fn secondaries_delete_nothing() {
    let mut bench = Bench::new(3_600_000);
    bench.order(1_790);
    bench.play(120);
    assert_eq!(bench.stored(), ["A", "B", "C"]);
    assert_eq!((bench.passes("A"), bench.passes("B"), bench.passes("C")), (2, 0, 0));
    let views = bench.set.views();
    let monitors: Vec<_> = views.iter().map(|view| view.monitor.as_str()).collect();
    assert_eq!(monitors[0], "TTL monitor: deletes");
    assert_eq!(monitors[1], "TTL monitor: idle on a secondary");
    assert_eq!(views[1].now_ms, START_MS + 3_720_000);
    assert_eq!((views[0].next_pass_ms, views[1].next_pass_ms), (Some(START_MS + 180_000), None));
    assert_eq!(views[1].lanes.len(), 1);
    assert_eq!((views[1].behind, views[1].lag_ms), (0, 0));
    bench.play(1_801);
    assert_eq!(bench.stored(), [""; 0]);
    assert_eq!((bench.removed("A"), bench.removed("B")), (Some(1_800), Some(1_801)));
    let kinds: Vec<_> = bench.set.oplog().into_iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, ["index", "insert", "ttl delete"]);
}

#[test]
fn after_a_step_down_the_clock_of_the_new_primary_counts() {
    let mut bench = Bench::new(3_600_000);
    bench.order(1_790);
    bench.set.set_delay(0).expect("set");
    bench.play(130);
    bench.set.step_down("A").expect("B takes over");
    assert_eq!(bench.set.primary(), Some("B"));
    assert!(bench.set.step_down("A").is_err());
    bench.play(180);
    assert_eq!(bench.stored(), [""; 0]);
    for name in ["A", "B", "C"] {
        assert_eq!(bench.removed(name), Some(180), "{name}");
    }
    assert_eq!((bench.passes("A"), bench.passes("B"), bench.passes("C")), (2, 1, 0));
}

#[test]
fn a_stopped_member_catches_up() {
    let mut bench = Bench::new(0);
    bench.order(30);
    bench.set.set_delay(0).expect("set");
    bench.play(10);
    bench.set.stop("C").expect("stops");
    bench.play(100);
    let views = bench.set.views();
    assert_eq!((views[2].role, views[2].behind, views[2].lag_ms), (MemberRole::Down, 1, 40_000));
    assert_eq!(views[2].lanes.first().map(|lane| lane.removed_ms), Some(None));
    assert!(bench.set.run(Some("C"), "lesson", &doc! { "ping": 1 }).is_err());
    bench.set.start("C").expect("starts");
    assert_eq!((bench.removed("A"), bench.removed("C")), (Some(60), Some(100)));
    bench.play(120);
    assert_eq!(bench.stored(), [""; 0]);
    assert_eq!(bench.passes("C"), 0);
}

#[test]
fn a_delay_holds_entries_back() {
    let mut bench = Bench::new(0);
    bench.order(30);
    bench.set.set_delay(20_000).expect("set");
    assert!(bench.set.set_delay(30_001).is_err());
    bench.play(5);
    bench.run(&doc! { "insert": "orders", "documents": [{ "_id": "late" }] });
    let behind = |bench: &Bench| bench.set.views().iter().map(|it| it.behind).collect::<Vec<_>>();
    assert_eq!(behind(&bench), [0, 3, 3]);
    bench.play(19);
    assert_eq!(behind(&bench), [0, 3, 3]);
    bench.play(20);
    assert_eq!(behind(&bench), [0, 1, 1]);
    assert_eq!(bench.set.views()[1].lag_ms, 15_000);
    bench.play(25);
    assert_eq!(behind(&bench), [0, 0, 0]);
    bench.run(&doc! { "insert": "orders", "documents": [{ "_id": "later" }] });
    bench.set.set_delay(0).expect("set");
    assert_eq!(behind(&bench), [0, 0, 0]);
}

#[test]
fn a_set_hands_over_stops_and_starts() {
    let mut bench = Bench::new(3_600_000);
    bench.order(1_790);
    bench.set.set_delay(0).expect("set");
    bench.set.stop("B").expect("stops");
    bench.set.step_down("A").expect("C takes over");
    bench.set.start("B").expect("starts");
    let role = |bench: &Bench, name: &str| bench.set.role_of(name).expect("a member");
    assert_eq!(role(&bench, "A"), MemberRole::Secondary);
    assert_eq!(role(&bench, "C"), MemberRole::Primary);
    bench.play(1_800);
    assert_eq!(bench.removed("C"), Some(1_800));
    assert_eq!(bench.stored(), [""; 0]);
    // The last one keeps the newest entries; only a member that has them becomes primary.
    bench.set.stop("A").expect("stops");
    bench.set.stop("B").expect("stops");
    assert!(bench.set.step_down("C").is_err());
    bench.run(&doc! { "insert": "orders", "documents": [{ "_id": "last" }] });
    bench.set.stop("C").expect("stops");
    assert!(bench.set.run(None, "lesson", &doc! { "ping": 1 }).is_err());
    bench.set.start("A").expect("starts");
    assert_eq!((role(&bench, "A"), bench.set.primary()), (MemberRole::Secondary, None));
    bench.set.start("C").expect("starts");
    assert_eq!(bench.set.primary(), Some("C"));
    bench.play(1_900);
    let hello = bench.set.run(Some("A"), "admin", &doc! { "hello": 1 }).expect("running");
    assert_eq!(hello.get_str("primary").ok(), Some("C:27017"), "{hello}");
    assert_eq!(hello.get_bool("secondary").ok(), Some(true));
    let counts = bench.set.run(Some("A"), "lesson", &doc! { "count": "orders" }).expect("running");
    assert_eq!(counts.get_i32("n").ok(), Some(1), "{counts}");
    let refused = bench.set.run(Some("A"), "lesson", &doc! { "drop": "orders" }).expect("running");
    assert_eq!(refused.get_i32("code").ok(), Some(10_107), "{refused}");
}

#[test]
fn a_long_absence_puts_no_removal_on_hold() {
    let mut bench = Bench::new(0);
    bench.order(30);
    bench.set.set_delay(0).expect("set");
    bench.set.stop("B").expect("stops");
    bench.set.stop("C").expect("stops");
    bench.set.stop("A").expect("stops");
    bench.set.clock().advance_ms(40 * 86_400_000);
    bench.set.start("A").expect("starts");
    assert_eq!(bench.set.primary(), Some("A"));
    bench.play(40 * 86_400 + 60);
    assert_eq!(bench.stored(), [""; 0]);
}
