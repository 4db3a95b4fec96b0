//! The simplest shared commit over raw LMDB, with none of a command's work: what a shared commit can give on
//! this disk and these cores.

use std::{
    sync::{Condvar, Mutex},
    thread,
    time::Duration,
};

use bson::oid::ObjectId;
use tempfile::tempdir;

use super::{
    measure::{float, now},
    raw::Raw,
};

/// Threads that wait for each other's commits.
struct Shared {
    raw: Raw,
    line: Mutex<Line>,
    committed: Condvar,
}

#[derive(Default)]
struct Line {
    waiting: Vec<[u8; 12]>,
    has_leader: bool,
    /// The number of the commit that those in the line will be part of, from 1.
    next: u64,
    /// The last commit that has ended.
    last: u64,
}

impl Shared {
    fn insert(&self, id: [u8; 12]) {
        let mut line = self.line.lock().expect("no panic");
        line.waiting.push(id);
        let own = line.next + 1;
        while line.last < own {
            if line.has_leader {
                line = self.committed.wait(line).expect("no panic");
                continue;
            }
            line.has_leader = true;
            line.next += 1;
            let ids = std::mem::take(&mut line.waiting);
            drop(line);
            self.raw.put_ids(&ids);
            line = self.line.lock().expect("no panic");
            line.last += 1;
            line.has_leader = false;
            self.committed.notify_all();
        }
    }
}

/// Inserts a second from one thread that has this number ready for each commit. Many threads that
/// wait for their commits can't have more, even if all else cost nothing.
pub fn ready_rate(ready: usize, time: Duration) -> f64 {
    let folder = tempdir().expect("a folder");
    let raw = Raw::new(folder.path());
    let (begun, mut count) = (now(), 0_u64);
    while now().saturating_sub(begun) < time {
        let ids: Vec<_> = (0..ready).map(|_| ObjectId::new().bytes()).collect();
        raw.put_ids(&ids);
        count += ids.len() as u64;
    }
    float(count) / now().saturating_sub(begun).as_secs_f64()
}

/// Inserts a second from this number of threads.
pub fn rate(threads: usize, time: Duration) -> f64 {
    let folder = tempdir().expect("a folder");
    let raw = Raw::new(folder.path());
    let shared = Shared { raw, line: Mutex::default(), committed: Condvar::new() };
    let begun = now();
    let of_thread = || {
        let mut count = 0_u64;
        while now().saturating_sub(begun) < time {
            shared.insert(ObjectId::new().bytes());
            count += 1;
        }
        count
    };
    let count = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(of_thread)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    float(count) / now().saturating_sub(begun).as_secs_f64()
}
