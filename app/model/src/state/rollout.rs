//! A TTL that is rolled out in steps: the plan as drafted, and the rollouts that run.

use std::sync::Arc;

use mayfly_engine::reply::DocCount;

use super::{duration, number};
use crate::commands::rollout;
use crate::job::rollout::{RolloutPlan, RolloutStep};
use crate::job::{Gauge, Namespace, OperationId};

/// Documents a second that a new plan begins with.
pub const PER_SECOND: u64 = 500;

/// Replication lag in seconds above which a new plan waits.
pub const LAG_MAX_SECS: u64 = 10;

/// The longest replication lag in seconds that can be entered: a day.
const LAG_SECS_MOST: u64 = 86_400;

/// A plan, as drafted.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutDraft {
    pub plan: RolloutPlan,
    /// Documents a second, as typed.
    pub per_second: String,
    /// Replication lag in seconds above which no step is made, as typed. A store without secondaries has
    /// none.
    pub lag_max: Option<String>,
    /// Documents that the TTL would remove at once.
    pub overdue: DocCount,
    /// The size of a document, in bytes, as far as it is known.
    pub bytes_each: Option<u64>,
}

impl RolloutDraft {
    /// The plan with the typed rate.
    ///
    /// # Errors
    /// Why the rate is refused, in one sentence.
    pub fn ready(&self) -> Result<RolloutPlan, String> {
        let typed = self.per_second.trim();
        let per_second = typed.parse::<u64>().ok().filter(|rate| (1..=1_000_000).contains(rate));
        let per_second = per_second.ok_or_else(|| {
            "Enter how many documents may go in a second, from 1 to 1000000".to_owned()
        })?;
        let lag_max_secs = self.lag_max.as_ref().map(|_| self.lag_max_secs()).transpose()?;
        Ok(RolloutPlan { per_second, lag_max_secs, ..self.plan.clone() })
    }

    /// The typed bound of the replication lag, in seconds.
    ///
    /// # Errors
    /// Why it is refused, in one sentence.
    pub fn lag_max_secs(&self) -> Result<u64, String> {
        let typed = self.lag_max.as_deref().unwrap_or_default().trim();
        let secs = typed.parse::<u64>().ok().filter(|secs| (1..=LAG_SECS_MOST).contains(secs));
        secs.ok_or_else(|| format!("Enter a replication lag in seconds, from 1 to {LAG_SECS_MOST}"))
    }

    /// The steps of the plan, one sentence a line.
    pub fn words(&self, plan: &RolloutPlan) -> Vec<(&'static str, String)> {
        let step = plan.per_step();
        let secs = plan.secs_for(self.overdue.least());
        let ms = i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000);
        let steps = self.overdue.map(|documents| documents.div_ceil(step));
        let (going, bounds) = number::documents_and_bounds(self.overdue);
        let mut words = vec![
            ("At once, without a rollout", format!("{going} documents{bounds}")),
            ("Each minute, at most", format!("{} documents", number::count(step))),
            ("Steps", number::documents(steps)),
            ("Time, at least", duration::span(ms)),
        ];
        if let Some(most) = plan.pass_max.filter(|most| step == *most) {
            words.push((
                "A pass of this server removes at most",
                number::counted(most, "document", "documents"),
            ));
        }
        if plan.replaces {
            let how = "dropped and created again first, because this server adds no TTL in place; until it \
                       is built, queries can't use it";
            words.push(("The index", how.to_owned()));
        }
        if let Some(bytes) = self.bytes_each {
            let about = if self.overdue.is_exact() { "" } else { "about " };
            let freed = number::bytes(bytes.saturating_mul(self.overdue.likely()));
            words.push(("Freed", format!("{about}{freed}")));
        }
        words
    }

    /// The same as a script for mongosh.
    pub fn script(&self, plan: &RolloutPlan) -> String {
        rollout::script(plan)
    }
}

#[derive(Debug, Clone)]
pub struct RolloutRun {
    pub operation: OperationId,
    /// The number of its store among the open ones.
    pub slot: u32,
    pub namespace: Namespace,
    pub gauge: Arc<Gauge<RolloutStep>>,
    /// Documents gone and changes of the index that the views have followed.
    pub followed: (u64, u64),
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_plan_says_what_it_does() {
        let plan = RolloutPlan {
            namespace: Namespace::new("shop", "carts"),
            create: None,
            name: "at_1".to_owned(),
            key: doc! { "at": 1 },
            partial: None,
            is_hidden: false,
            from_secs: Some(999),
            to_secs: 60,
            per_second: PER_SECOND,
            pass_max: None,
            replaces: false,
            lag_max_secs: None,
        };
        let mut draft = RolloutDraft {
            plan,
            per_second: "50".to_owned(),
            lag_max: None,
            overdue: 200_000.into(),
            bytes_each: Some(100),
        };
        let plan = draft.ready().expect("a plan");
        let words: Vec<String> = draft.words(&plan).into_iter().map(|(_, words)| words).collect();
        assert_eq!(words, ["200,000 documents", "3,000 documents", "67", "1 h 7 min", "20.0 MB"]);
        // A server's pass is the bound of a step.
        let bounded = RolloutPlan { pass_max: Some(2_000), ..plan.clone() };
        let words: Vec<String> =
            draft.words(&bounded).into_iter().map(|(_, words)| words).collect();
        let expected = [
            "200,000 documents",
            "2,000 documents",
            "100",
            "1 h 40 min",
            "2,000 documents",
            "20.0 MB",
        ];
        assert_eq!(words, expected);
        assert!(draft.script(&bounded).contains("perStep = 2000"));
        let script = draft.script(&plan);
        assert!(script.contains("target = 60, perStep = 3000"), "{script}");
        // Not every server knows an index by its key.
        assert!(script.contains("index: { name: index, expireAfterSeconds: secs }"), "{script}");
        draft.lag_max = Some(" 30 ".to_owned());
        let waiting = draft.ready().expect("a plan");
        assert_eq!(waiting.lag_max_secs, Some(30));
        assert!(draft.script(&waiting).contains("lag() > 30"), "{}", draft.script(&waiting));
        for wrong in ["", "0", "x", "-3", "86401"] {
            draft.lag_max = Some(wrong.to_owned());
            assert!(draft.ready().is_err(), "{wrong}");
        }
        draft.lag_max = None;
        for wrong in ["", "0", "x", "-3", "1000001"] {
            wrong.clone_into(&mut draft.per_second);
            assert!(draft.ready().is_err(), "{wrong}");
        }
    }
}
