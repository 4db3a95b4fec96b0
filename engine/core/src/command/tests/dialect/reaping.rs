//! The reaper removes exactly what reads hide, and where nothing hides, what is past its date.

use bson::{Bson, Document, doc};

use super::{HIDING, advance, lab, lab_with_ttl, stored};
use crate::command::testing::{Lab, at};

/// Numbers that look like chance and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u32) -> i32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i32::try_from((self.0 >> 33) % u64::from(bound)).unwrap_or(0)
    }

    fn item_ttl(&mut self) -> Option<Bson> {
        let secs = self.below(12) + 1;
        Some(match self.below(8) {
            0 => Bson::Int32(secs),
            1 => Bson::Int64(secs.into()),
            2 => Bson::Double(secs.into()),
            3 => Bson::Double(f64::from(secs) + 0.5),
            4 => Bson::Int32(-1),
            5 => Bson::Int32(0),
            _ => return None,
        })
    }

    fn document(&mut self, id: i32) -> Document {
        let mut document = doc! { "_id": id, "p": self.below(2) };
        document.extend(self.item_ttl().map(|ttl| ("ttl".to_owned(), ttl)));
        document
    }
}

fn shown(lab: &Lab) -> Vec<Bson> {
    match at(&lab.ok("{distinct: 'c', key: '_id'}"), "values") {
        Some(Bson::Array(ids)) => ids,
        other => panic!("{other:?}"),
    }
}

/// Inserts, replacements and the passing of time; now and then a pass.
fn work(lab: &Lab, seed: u64, about: &str) {
    let mut numbers = Numbers(seed);
    for step in 0..24 {
        for _ in 0..3 {
            let id = numbers.below(40);
            let document = numbers.document(id);
            lab.run_document(&doc! { "update": "c", "updates": [
                { "q": { "_id": id }, "u": document, "upsert": true },
            ] });
        }
        advance(lab, i64::from(numbers.below(2_500)));
        if step % 4 == 0 {
            let before = shown(lab);
            lab.ok("{mayflyReap: 1}");
            assert_eq!(shown(lab), before, "{about}, step {step}: nothing shown is removed");
            let left = stored(lab).and_then(|count| count.as_i32());
            assert_eq!(
                left,
                i32::try_from(before.len()).ok(),
                "{about}, step {step}: nothing hidden stays"
            );
        }
    }
    lab.check("{validate: 'c'}", "{valid: true}");
}

#[test]
fn the_reaper_removes_exactly_what_is_hidden() {
    let partial = "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: '_ts_1', expireAfterSeconds: 6, \
                    partialFilterExpression: {p: 1}}]}";
    for dialect in HIDING {
        for seed in 1..=2 {
            work(&lab_with_ttl(dialect, 6), seed, &format!("{dialect}, default, seed {seed}"));
            work(&lab_with_ttl(dialect, -1), seed, &format!("{dialect}, no default, seed {seed}"));
            let lab = lab(dialect);
            lab.ok(partial);
            work(&lab, seed, &format!("{dialect}, partial, seed {seed}"));
        }
    }
}

#[test]
fn what_if_follows_the_dialect() {
    let ask = |key: &str, secs: i64| {
        format!("{{mayflyWhatIf: 'c', index: {{keyPattern: {key}, expireAfterSeconds: {secs}}}}}")
    };
    for (dialect, date, on_ts, off) in [
        ("open", "{ok: 1}", "{overdueNow: 1}", "{ok: 1}"),
        ("mongodb", "{ok: 1}", "{overdueNow: 0}", "{code: 67}"),
        ("cosmos", "{code: 2}", "{overdueNow: 1}", "{ok: 1}"),
    ] {
        let lab = lab(dialect);
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        advance(&lab, 10_000);
        lab.check(&ask("{t: 1}", 10), date);
        lab.check(&ask("{_ts: 1}", 10), on_ts);
        lab.check(&ask("{_ts: 1}", -1), off);
    }
}
