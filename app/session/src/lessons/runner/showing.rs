//! The window's view of a lesson, and how often it is updated.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::states::hide_monitors;
use crate::job::lesson::LessonView;
use crate::lessons::audience::Audience;
use crate::lessons::source::StageSource;
use crate::lessons::stage::Progress;
use crate::limits::{EVENT_WAKE, LESSON_SHOW};

/// The newest snapshot, shared with the pacer, which moves its time.
pub(super) struct Showing {
    view: Mutex<LessonView>,
    audience: Arc<dyn Audience>,
    source: OnceLock<Weak<StageSource>>,
    /// When a snapshot was published last, and when the clock's state was sent last.
    last: Mutex<(Duration, Duration)>,
}

impl Showing {
    pub(super) fn new(view: LessonView, audience: Arc<dyn Audience>) -> Self {
        let (source, last) = (OnceLock::new(), Mutex::default());
        Self { view: Mutex::new(view), audience, source, last }
    }

    /// The store that the window sees, once it is there.
    pub(super) fn set_source(&self, source: &Arc<StageSource>) {
        // Set once, when the lesson begins.
        let _ = self.source.set(Arc::downgrade(source));
    }

    pub(super) fn view(&self) -> MutexGuard<'_, LessonView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the snapshot as it is.
    pub(super) fn publish(&self) {
        let view = self.view().clone();
        self.audience.publish(view);
    }

    /// Time passed while the user watches.
    pub(super) fn pass(&self, progress: Progress) {
        let Some(source) = self.source.get().and_then(Weak::upgrade) else { return };
        let now = SystemClock.monotonic();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_told = now.saturating_sub(last.1) >= 2 * EVENT_WAKE;
        let members = if is_told { source.members() } else { None };
        let changed = {
            let mut view = self.view();
            let was = (view.time.is_paused, view.time.until_ms);
            view.time.now_ms = source.clock_status().now_ms;
            view.time.is_paused = progress.is_paused;
            view.time.until_ms = progress.until_ms;
            if progress.until_ms.is_some() {
                view.time.rate = progress.rate;
            }
            if let Some(members) = members {
                (view.members, view.oplog, view.replication_delay_ms) = members;
                hide_monitors(&mut view);
            }
            let now_ms = view.time.now_ms;
            for member in &mut view.members {
                member.now_ms = now_ms.saturating_add(member.skew_ms);
            }
            was != (progress.is_paused, progress.until_ms)
        };
        if changed || now.saturating_sub(last.0) >= LESSON_SHOW {
            last.0 = now;
            self.publish();
        }
        if changed || is_told {
            last.1 = now;
            source.tell_clock();
        }
    }
}
