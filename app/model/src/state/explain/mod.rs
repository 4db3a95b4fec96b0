//! How the store answers the query or the pipeline of a tab.
//!
//! `state/explain/` reads the reply of `explain`: the winning plan from what is read first to the result, one
//! sentence about its cost, and the index that would help: fields compared for equality, then those of the
//! sort, then one range. `panels/explain.rs` draws it in the place of the documents or of the results.

mod advice;
#[cfg(test)]
mod messy_tests;
mod plan;

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};

pub use advice::{Advice, SuggestedIndex};
pub use plan::{Plan, PlanStage};

/// An explained query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explain {
    /// Whether it is the pipeline of the Aggregate view; else the query of the documents.
    pub is_pipeline: bool,
    /// The generation of the question that has no answer yet, and since when, on the window's clock.
    pub asked: Option<(u64, Duration)>,
    /// Whether the reply is shown in place of the picture, where there is no room for both.
    pub shows_reply: bool,
    pub answer: Option<Result<Answer, String>>,
}

/// The store's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub plan: Plan,
    /// The meaning of the plan, and the index that would help.
    pub advice: Advice,
    /// The reply as indented text.
    pub text: String,
}

impl Answer {
    /// Reads the reply to a command. `None` if it isn't a plan.
    pub fn read(reply: &Document, command: &Document) -> Option<Self> {
        let plan = Plan::read(reply, command)?;
        let advice = Advice::of(&plan);
        let text = shell::write_value(&Bson::Document(reply.clone()), Layout::Indented);
        Some(Self { plan, advice, text })
    }
}
