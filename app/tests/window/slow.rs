//! A store whose upkeep does not begin before somebody cancels it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bson::Document;
use mayfly::source::upkeep::{Backup, Offline, OfflineWork, UpkeepError};
use mayfly::source::{Capabilities, Events, Source, Transfers, Upkeep};
use mayfly_engine::store::{JobProgress, JobStep, Watch};

/// The store behind it does everything, upkeep with the wish to stop already there.
pub struct Slow(pub Arc<dyn Source>);

impl Source for Slow {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.0.run(db, command)
    }

    fn subscribe(&self) -> Box<dyn Events> {
        self.0.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        self.0.transfers()
    }

    fn close(&self) {
        self.0.close();
    }

    fn upkeep(&self) -> Option<&dyn Upkeep> {
        Some(self)
    }
}

impl Upkeep for Slow {
    fn backup(&self, file: &Path, watch: &mut Watch<'_>) -> Result<Backup, UpkeepError> {
        wait(watch);
        self.0.upkeep().expect("it has one").backup(file, watch)
    }

    fn offline(&self, work: &OfflineWork, watch: &mut Watch<'_>) -> Offline {
        wait(watch);
        self.0.upkeep().expect("it has one").offline(work, watch)
    }
}

fn wait(watch: &mut Watch<'_>) {
    let at = JobProgress { step: JobStep::Copying, done: 4_000, total: 8_000 };
    while watch(at) == ControlFlow::Continue(()) {
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
