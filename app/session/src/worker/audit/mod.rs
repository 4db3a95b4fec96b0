//! Gathers the facts of an audit with reads only. `inspect::audit` judges them.
//!
//! A server gets at most [`AUDIT_READS_A_SECOND`] commands a second, each with [`AUDIT_READ_MS`] (`ReadPace`
//! goes with the `Cancel`, down to where commands leave the program). Rules come first, then collections
//! that could carry one. Whatever the time limit leaves out is listed as not finished. `backlog` looks at a server
//! several times, to say whether its monitor keeps up.

mod ahead;
mod asker;
mod backlog;
mod collections;
mod listed;
mod monitor;
mod rule;
mod sample;
mod series;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bson::Document;
use mayfly_engine::clock::{Clock as _, SystemClock};

use self::asker::{Asker, Stop};
use crate::inspect::audit::facts::{AuditEnd, CollectionFacts, Effort, Facts};
use crate::inspect::audit::samples::{Sample, Samples};
use crate::inspect::audit::{Audit, AuditProgress};
use crate::job::{Attached, Cancel, Namespace, PassJob, ReadPace};
use crate::limits::{AUDIT_READ_MS, AUDIT_READS_A_SECOND, AUDIT_TIME};
use crate::source::Source;

/// The store or server of an audit, as it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditSubject {
    pub name: String,
    pub is_server: bool,
    /// Whether the store was opened only to be read, so that no pass runs.
    pub is_at_rest: bool,
    /// Seconds between the runs of a job that removes documents instead of a monitor like MongoDB's.
    pub job_secs: Option<i64>,
    /// Whether it is Azure Cosmos DB.
    pub is_cosmos: bool,
}

impl AuditSubject {
    /// An open store, or a server with what is known of it.
    pub fn of(name: String, attached: Option<&Attached>) -> Self {
        Self {
            name,
            is_server: attached.is_some(),
            is_at_rest: false,
            job_secs: attached.and_then(|it| it.pass_job).map(|_| PassJob::EVERY_SECS),
            is_cosmos: attached.is_some_and(|it| it.topology.starts_with("Azure Cosmos DB")),
        }
    }
}

/// One audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditWork {
    pub subject: AuditSubject,
    /// The databases; empty for all.
    pub databases: Vec<String>,
    /// The collections, by name; empty for all.
    pub collections: Vec<String>,
    pub time_limit: Duration,
    /// Commands that a server gets in a second, at most.
    pub reads_a_second: u32,
    /// Samples of the server that were taken before.
    pub samples: Samples,
    /// Samples that are taken at the end, at most, until they say whether the monitor keeps up.
    pub samples_max: usize,
    /// How long to wait between two of them.
    pub samples_apart: Duration,
}

impl AuditWork {
    /// An audit of everything.
    pub fn new(subject: AuditSubject) -> Self {
        let (databases, collections) = (Vec::new(), Vec::new());
        let (time_limit, reads_a_second) = (AUDIT_TIME, AUDIT_READS_A_SECOND);
        Self {
            subject,
            databases,
            collections,
            time_limit,
            reads_a_second,
            samples: Samples::default(),
            samples_max: 1,
            samples_apart: Duration::ZERO,
        }
    }

    /// Reads and judges until everything is read, the time is over or `cancel` is set.
    ///
    /// # Errors
    /// One sentence: the collections can't be listed, or there is none of a name.
    pub fn run(
        &self,
        source: &dyn Source,
        cancel: &Cancel,
        tell: &dyn Fn(AuditProgress),
    ) -> Result<Audit, String> {
        let began = SystemClock.monotonic();
        let pace = Arc::new(ReadPace::new(self.reads_a_second, AUDIT_READ_MS));
        let limited = cancel.within(self.time_limit).at_pace(Arc::clone(&pace));
        let asker = Asker::new(source, &limited, self.subject.is_server);
        let facts = Facts { samples: self.samples.clone(), ..Facts::default() };
        let mut gathering = Gathering { work: self, asker, facts };
        let ended = gathering.run(tell);
        let is_late = limited.is_late();
        let Gathering { asker, mut facts, .. } = gathering;
        facts.effort = Effort {
            took: SystemClock.monotonic().saturating_sub(began),
            time_limit: self.time_limit,
            reads: if self.subject.is_server { pace.sent() } else { asker.asked() },
            documents: asker.sampled(),
            end: match () {
                () if is_late => AuditEnd::TimeOver,
                () if cancel.is_cancelled() => AuditEnd::Canceled,
                () => AuditEnd::Complete,
            },
        };
        facts.unreadable = asker.into_unreadable();
        ended?;
        Ok(Audit::of(facts))
    }
}

struct Gathering<'w> {
    work: &'w AuditWork,
    asker: Asker<'w>,
    facts: Facts,
}

impl Gathering<'_> {
    fn run(&mut self, tell: &dyn Fn(AuditProgress)) -> Result<(), String> {
        let subject = &self.work.subject;
        (self.facts.name, self.facts.is_server) = (subject.name.clone(), subject.is_server);
        if subject.is_server {
            self.facts.clock = monitor::clock(&self.asker);
        }
        self.facts.now_ms = self.asker.now_ms();
        self.facts.monitor = self.monitor();
        let listed = self.list(tell)?;
        let count = listed.len();
        // Collections with a rule first.
        let (ruled, others): (Vec<_>, Vec<_>) =
            listed.into_iter().partition(listed::Listed::has_rule);
        let sampled = backlog::sampled(&ruled);
        self.sample(&sampled);
        self.read_history();
        for (read, listed) in ruled.iter().chain(&others).enumerate() {
            tell(AuditProgress::Read { read, of: count });
            let mut facts = CollectionFacts::new(listed.namespace.clone());
            match self.collection(listed, &mut facts) {
                Ok(()) => {}
                // Dropped since it was listed.
                Err(Stop::Gone) => continue,
                Err(Stop::Over) => {
                    facts.unfinished = Some(if self.asker.is_late() {
                        "the time was over".to_owned()
                    } else {
                        "the audit was canceled".to_owned()
                    });
                }
                Err(Stop::Refused(why) | Stop::Forbidden(why)) => {
                    self.asker.note_unreadable(listed.namespace.to_string(), &why);
                    facts.unfinished = Some(why);
                }
            }
            self.facts.collections.push(facts);
        }
        self.sample_until_known(&sampled);
        tell(AuditProgress::Read { read: count, of: count });
        Ok(())
    }
}

/// Takes a sample of these collections of a server, with reads only and at the pace of an audit. Also returns the reply
/// to `serverStatus`, empty if there is none.
pub fn take_sample(
    source: &dyn Source,
    cancel: &Cancel,
    namespaces: &[Namespace],
    has_counters: bool,
    before: Option<&Sample>,
) -> (Sample, Document) {
    let pace = Arc::new(ReadPace::new(AUDIT_READS_A_SECOND, AUDIT_READ_MS));
    let limited = cancel.at_pace(pace);
    backlog::sample(&Asker::new(source, &limited, true), namespaces, has_counters, before)
}
