//! A pass while a copy of the store is being written.

use std::{ops::ControlFlow, time::Duration};

use bson::doc;

use crate::reaper::{
    tests::{date, simulated},
    *,
};
use crate::store::JobStep;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn a_pass_rests_between_its_transactions_while_a_backup_is_written() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..30).map(|id| doc! { "_id": id, "f": date(-1) }));
    world.reaper.set_parameter(TtlParameter::BatchDocs, 10).expect("valid");
    let place = tempfile::tempdir().expect("a folder");
    let (begun, begins) = crossbeam_channel::bounded(1);
    let (ended, ends) = crossbeam_channel::bounded(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            begins.recv_timeout(PATIENCE).expect("a backup begins");
            ended.send(world.reaper.run_pass().deleted).expect("somebody waits");
        });
        let mut begun = Some(begun);
        let file = place.path().join("backup");
        let backup = world.collections.store().backup_to(&file, &mut |at| {
            if let Some(begun) = begun.take_if(|_| at.step == JobStep::Copying) {
                begun.send(()).expect("somebody waits");
                assert_eq!(ends.recv_timeout(PATIENCE), Ok(30), "of the pass");
            }
            ControlFlow::Continue(())
        });
        backup.expect("written");
    });
    let pauses = || world.reaper.counters().copy_pauses.get();
    assert_eq!(pauses(), 3);
    world.insert((0..30).map(|id| doc! { "_id": id, "f": date(-1) }));
    assert_eq!((world.reaper.run_pass().deleted, pauses()), (30, 3));
}
