//! Helpers of the tests of lessons.

use std::sync::Arc;

use super::file::parse;
use crate::job::lesson::Lesson;

/// 2026-01-01T12:00:00Z.
pub(super) const START_MS: i64 = 1_767_268_800_000;

/// The text of a lesson with these lines in its front matter.
pub(super) fn text(front: &str, body: &str) -> String {
    format!(
        "+++\ntitle = \"A test\"\nminutes = 1\nlevel = \"start\"\nshow = [\"c\"]\n\
         [clock]\nstart = 2026-01-01T12:00:00Z\n{front}+++\n\n{body}"
    )
}

/// The lesson. Its collection `c` is made by nothing but what the test does.
pub(super) fn lesson(front: &str, body: &str) -> Arc<Lesson> {
    let body = format!("{body}\n```js setup\ndb.createCollection(\"c\")\n```\n");
    Arc::new(parse("a-test", &text(front, &body)).unwrap_or_else(|problems| panic!("{problems:?}")))
}
