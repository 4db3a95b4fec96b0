//! The victim of the tests of cut operations: works on a store as the window does, until it is
//! killed.
//!
//! `cut_victim FOLDER update` updates every document of `d.c` and prints the number of each step.
//! `cut_victim FOLDER rollout` rolls out a TTL on `at` of `d.r`, and prints a number after each change
//! of the index.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, doc};
use mayfly::job::bulk::{BulkChange, BulkWork, Target};
use mayfly::job::rollout::{RolloutPlan, RolloutWork};
use mayfly::job::{Cancel, Gauge};
use mayfly::source::OpenRequest;
use mayfly::source::embedded::opener;
use mayfly::state::Namespace;
use mayfly::worker::{bulk, rollout};

const USAGE: &str = "usage: cut_victim FOLDER update|rollout";

/// The pause between two looks at a rollout.
const LOOK: Duration = Duration::from_millis(5);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map(PathBuf::from).ok_or(USAGE)?;
    let request = OpenRequest { folder: Some(folder), must_exist: true, ..OpenRequest::default() };
    match arguments.next().ok_or(USAGE)?.as_str() {
        "update" => update(&request),
        "rollout" => roll_out(&request),
        _ => Err(USAGE.into()),
    }
}

fn update(request: &OpenRequest) -> Result<(), Box<dyn Error>> {
    let source = opener()(request).map_err(|error| error.message)?.source;
    let update = Bson::Document(doc! { "$inc": { "n": 1 } });
    let work = BulkWork {
        namespace: Namespace::new("d", "c"),
        change: BulkChange::Update { target: Target::Matching(Document::new()), update },
        journal: None,
        gauge: Arc::new(Gauge::default()),
    };
    let (mut out, mut steps) = (std::io::stdout(), 0);
    bulk::run(source.as_ref(), &work, &Cancel::default(), &mut |_| {
        steps += 1;
        let _ = writeln!(out, "{steps}").and_then(|()| out.flush());
    });
    Ok(())
}

fn roll_out(request: &OpenRequest) -> Result<(), Box<dyn Error>> {
    let source = opener()(request).map_err(|error| error.message)?.source;
    let gauge = Arc::new(Gauge::default());
    let plan = RolloutPlan {
        namespace: Namespace::new("d", "r"),
        create: None,
        name: "at_1".to_owned(),
        key: doc! { "at": 1 },
        partial: None,
        is_hidden: false,
        from_secs: Some(1_000_000),
        to_secs: 60,
        per_second: 1,
        pass_max: None,
        replaces: false,
        lag_max_secs: None,
    };
    let work = RolloutWork { plan, journal: None, gauge: Arc::clone(&gauge) };
    let _thread = rollout::start(work, source, Cancel::default(), Arc::new(|_| ()), |_| ())?;
    let mut told = 0;
    loop {
        if gauge.step().changes > told {
            told = gauge.step().changes;
            println!("{told}");
            std::io::stdout().flush()?;
        }
        std::thread::park_timeout(LOOK);
    }
}
