//! The members as they are shown, and what is asked of them.

use crate::job::lesson::{LessonRequest, LessonView, MemberCommand, MemberView};
use crate::state::Clock;

#[derive(Clone, Copy)]
pub struct Members<'a> {
    /// The newest snapshot of the lesson.
    pub view: &'a LessonView,
    pub clock: &'a Clock,
    /// Whether it is presented: larger, and without controls.
    pub is_presented: bool,
}

/// Takes the user's requests to the members.
pub type Requests<'a> = dyn FnMut(LessonRequest) + 'a;

impl Members<'_> {
    /// A member's own time in this frame: as far from the common time as in the snapshot.
    pub(super) fn now_ms(&self, member: &MemberView, common_ms: i64) -> i64 {
        common_ms.saturating_add(member.now_ms.saturating_sub(self.view.time.now_ms))
    }
}

pub(super) fn command(member: &MemberView, command: MemberCommand) -> LessonRequest {
    LessonRequest::Member { name: member.name.clone(), command }
}
