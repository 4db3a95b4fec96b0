//! The order in which a job must make its calls.

use std::collections::BTreeMap;

use mayfly_tests::disk::Disk;
use mayfly_tests::shim::{self, Call};
use mayfly_tests::store::folder_in_memory;

use super::jobs::{Job, prepare};

/// Records a job and checks the order. Also checks that each omitted flush is noticed.
pub fn check(job: &Job) {
    let folder = folder_in_memory();
    let room = folder.path().join("room");
    prepare(&room);
    let start = Disk::of(&room);
    let library = shim::build(folder.path());
    let (output, calls) = shim::traced(&mut (job.command)(&room), &library, &room);
    follow(job, start.clone(), &calls).unwrap_or_else(|why| panic!("{why}"));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!((job.is_done)(&said), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for flushed in job.flushes {
        let is_named = |name: &str| match flushed.strip_prefix('*') {
            Some(part) => name.contains(part),
            None => name == *flushed,
        };
        let is_it = |call: &Call| matches!(call, Call::Flush(name) if is_named(name));
        assert!(calls.iter().any(is_it), "{flushed} is never flushed");
        let without: Vec<Call> = calls.iter().filter(|call| !is_it(call)).cloned().collect();
        let noticed = follow(job, start.clone(), &without);
        println!("without a flush of {flushed}: {noticed:?}");
        assert!(noticed.is_err(), "nobody notices that {flushed} is not flushed");
    }
}

/// The mistake in the order of the calls, if there is one.
fn follow(job: &Job, mut disk: Disk, calls: &[Call]) -> Result<(), String> {
    let mut lock_files: BTreeMap<&str, usize> = BTreeMap::new();
    let safe = |found: Vec<String>, when: &str| {
        if found.is_empty() { Ok(()) } else { Err(format!("{when}, not on the disk: {found:?}")) }
    };
    for (at, call) in calls.iter().enumerate() {
        let when = || format!("call {at}, {}", call.told());
        match call {
            // A file that gets its name is whole.
            Call::Rename(from, _) | Call::Exchange(from, _) => {
                safe(disk.unsafe_bytes(from), &when())?;
                safe(disk.unsafe_names(&format!("{from}/")), &when())?;
            }
            Call::Print(text) if (job.is_done)(text) => {
                for kept in job.kept {
                    safe(disk.unsafe_bytes(kept), &when())?;
                    safe(disk.unsafe_names(kept), &when())?;
                }
            }
            // A file is removed only after its replacement is on the disk.
            Call::Unlink(name) => {
                let new = job.replaced.iter().find(|(old, _)| old == name).map(|(_, new)| new);
                safe(new.map_or_else(Vec::new, |new| disk.unsafe_names(new)), &when())?;
            }
            // The header that ends a transaction.
            Call::Write { file, through: true, .. } if file.ends_with("data.mdb") => {
                for before in job.before_commits {
                    safe(disk.unsafe_bytes(before), &when())?;
                    safe(disk.unsafe_names(before), &when())?;
                }
            }
            // Closing a second descriptor releases LMDB's locks.
            Call::Opened(name) | Call::Made(name) if name.ends_with("lock.mdb") => {
                let open = lock_files.entry(name).or_default();
                *open += 1;
                if *open > 1 {
                    return Err(format!("call {at}: {name} is opened a second time"));
                }
            }
            Call::Closed(name) => {
                if let Some(open) = lock_files.get_mut(name.as_str()) {
                    *open -= 1;
                }
            }
            _ => {}
        }
        disk.apply(call, true);
    }
    Ok(())
}
