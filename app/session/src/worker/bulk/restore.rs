//! Removed documents are restored in steps, the newest first.

use bson::{Bson, Document};
use mayfly_engine::reply::TrashPage;

use super::{Run, Stop, number};
use crate::commands::trash;
use crate::job::TrashScope;

impl Run<'_> {
    /// Restores every document of a scope. Nothing of a step is noted: what is restored is no longer in
    /// the trash, or exists, so one that is continued begins again.
    pub(super) fn restore(&mut self, scope: &TrashScope) -> Result<(), Stop> {
        if self.is_continued && !scope.outlives_session() {
            let text = "The pass is not known any more; restore its documents in Recently removed";
            return Err(text.into());
        }
        let (db, _) = scope.home();
        let counted = self.read_from(&db, &trash::count(scope))?;
        let total = TrashPage::from_document(&counted).and_then(|page| page.matching);
        let total = total.unwrap_or(0);
        self.note_total(total)?;
        self.report.remaining = total;
        let mut after = None;
        loop {
            self.check()?;
            let reply = self.write((self.source, &db), trash::restore_step(scope, after))?;
            let (existing, refused) = (number(&reply, "existing"), number(&reply, "refused"));
            let step = number(&reply, "restored") + existing + refused;
            self.report.changed += number(&reply, "restored");
            self.report.unchanged += existing;
            self.report.refused += refused;
            if self.report.refusal.is_none() {
                self.report.refusal = refusal(&reply);
            }
            self.report.is_held |= reply.get_array("held").is_ok_and(|held| !held.is_empty());
            self.report.remaining = self.report.remaining.saturating_sub(step);
            self.work.gauge.add(step);
            after = reply.get("next").filter(|next| **next != Bson::Null).cloned();
            if after.is_none() {
                break;
            }
        }
        // Others may have restored some of them.
        self.report.remaining = 0;
        Ok(())
    }
}

fn refusal(reply: &Document) -> Option<String> {
    let first = reply.get_array("refusals").ok()?.first().and_then(Bson::as_document)?;
    first.get_str("errmsg").ok().map(ToOwned::to_owned)
}
