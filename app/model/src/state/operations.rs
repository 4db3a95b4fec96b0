//! Work with progress: imports, exports, index builds, backups.

use std::collections::VecDeque;
use std::time::Duration;

pub use crate::job::OperationId;
use crate::job::{Cancel, End};
use crate::limits::OPERATIONS_MAX;
use crate::state::Namespace;

/// How far an operation is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// Units done, documents or bytes.
    pub done: u64,
    /// Units in all; 0 while unknown.
    pub total: u64,
    /// In words, such as `12,408 documents · 3 rejected`.
    pub text: String,
}

/// How an operation ended, or that it has not.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    Running,
    Done(String),
    /// Canceled by the user, with the work done until then.
    Cancelled(String),
    /// Failed, with one sentence that says what to do.
    Failed(String),
}

impl Progress {
    /// The done part of the whole, from 0 to 1; 0 while the whole is not known.
    pub fn share(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred points")]
        let share = self.done as f32 / self.total.max(1) as f32;
        if self.total == 0 { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

impl Stage {
    pub fn of(end: &End, words: String) -> Self {
        match end {
            End::Complete => Self::Done(words),
            End::Cancelled => Self::Cancelled(words),
            End::Failed(_) => Self::Failed(words),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub id: OperationId,
    /// Such as `Import events.json into demo.events`.
    pub title: String,
    /// When it began, in milliseconds since 1970 by the store's clock.
    pub started_ms: i64,
    /// When it began, in window time.
    pub started_at: Duration,
    /// When it ended, in window time.
    pub ended_at: Option<Duration>,
    pub file: Option<String>,
    pub progress: Progress,
    pub stage: Stage,
    /// `None` if it can't be stopped.
    pub cancel: Option<Cancel>,
}

impl Operation {
    /// How long it has taken by `now`, in window time.
    pub fn took(&self, now: Duration) -> Duration {
        self.ended_at.unwrap_or(now).saturating_sub(self.started_at)
    }
}

/// The title of the build of an index.
pub fn build_title(index: &str, namespace: &Namespace) -> String {
    format!("Build index {index} on {namespace}")
}

/// The operations, the newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Operations {
    list: VecDeque<Operation>,
    last_id: u64,
    /// Window time, as of the last frame.
    now: Duration,
}

impl Operations {
    /// The title of the build of an index.
    pub fn build_title(index: &str, namespace: &Namespace) -> String {
        format!("Build index {index} on {namespace}")
    }

    /// The operations, the newest first.
    pub fn list(&self) -> &VecDeque<Operation> {
        &self.list
    }

    /// How many are under way.
    pub fn running(&self) -> usize {
        self.list.iter().filter(|operation| operation.stage == Stage::Running).count()
    }

    pub fn begin(
        &mut self,
        title: String,
        started_ms: i64,
        started_at: Duration,
        cancel: Option<Cancel>,
    ) -> OperationId {
        self.last_id += 1;
        let id = OperationId(self.last_id);
        let (progress, stage) = (Progress::default(), Stage::Running);
        self.list.push_front(Operation {
            id,
            title,
            started_ms,
            started_at,
            ended_at: None,
            file: None,
            progress,
            stage,
            cancel,
        });
        if self.list.len() > OPERATIONS_MAX {
            let last_ended = self.list.iter().rposition(|old| old.stage != Stage::Running);
            if let Some(at) = last_ended {
                self.list.remove(at);
            }
        }
        id
    }

    /// An operation by its name, to change it.
    pub fn get_mut(&mut self, id: OperationId) -> Option<&mut Operation> {
        self.list.iter_mut().find(|operation| operation.id == id)
    }

    pub fn end(&mut self, id: OperationId, stage: Stage) {
        let now = self.now;
        if let Some(operation) = self.get_mut(id) {
            operation.stage = stage;
            operation.ended_at = Some(now);
        }
    }

    /// Notes window time.
    pub fn tick(&mut self, now: Duration) {
        self.now = now;
    }

    /// Lists an operation of an earlier start, older than all others. Returns its name.
    pub fn restore(
        &mut self,
        title: String,
        started_ms: i64,
        took: Duration,
        stage: Stage,
        file: Option<String>,
    ) -> OperationId {
        self.last_id += 1;
        let id = OperationId(self.last_id);
        self.list.push_back(Operation {
            id,
            title,
            started_ms,
            started_at: Duration::ZERO,
            ended_at: Some(took),
            file,
            progress: Progress::default(),
            stage,
            cancel: None,
        });
        id
    }

    /// The build of an index under way.
    pub fn index_build(&self, index: &str, namespace: &Namespace) -> Option<&Operation> {
        let title = build_title(index, namespace);
        self.list.iter().find(|known| known.title == title && known.stage == Stage::Running)
    }

    /// The operation under way with this title.
    pub fn running_titled(&self, title: &str) -> Option<OperationId> {
        let same = |old: &&Operation| old.title == title && old.stage == Stage::Running;
        self.list.iter().find(same).map(|operation| operation.id)
    }

    /// Forgets the ones that ended.
    pub fn clear_ended(&mut self) {
        self.list.retain(|operation| operation.stage == Stage::Running);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_never_forgotten() {
        let mut operations = Operations::default();
        let running = operations.begin("first".to_owned(), 0, Duration::ZERO, None);
        for _ in 0..OPERATIONS_MAX + 2 {
            let id = operations.begin("later".to_owned(), 0, Duration::ZERO, None);
            operations.end(id, Stage::Done("done".to_owned()));
        }
        assert!(operations.get_mut(running).is_some());
        operations.clear_ended();
        assert_eq!((operations.list().len(), operations.running()), (1, 1));
    }
}
