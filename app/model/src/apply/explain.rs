//! How the store answers the query or the pipeline of a tab.

use super::question::Question;
use super::{Apply, indexes};
use crate::action::ExplainAction;
use crate::commands::explain;
use crate::job::slow_read::SlowRead;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::explain::{Answer, Explain};
use crate::state::indexes::Dialog;
use crate::state::tabs::ViewKind;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(tab: TabId, action: ExplainAction, cx: &mut Apply<'_>) {
    match action {
        ExplainAction::Explain => ask(tab, cx),
        ExplainAction::Close => forget(tab, cx),
        ExplainAction::ShowReply(shows) => {
            if let Some(shown) = explain_of(tab, cx.state) {
                shown.shows_reply = shows;
            }
        }
        ExplainAction::CreateIndex => create_index(tab, cx),
    }
}

fn explain_of(tab: TabId, state: &mut State) -> Option<&mut Explain> {
    state.tabs.get_mut(tab)?.explain.as_mut()
}

/// Shows the documents, or the results of the pipeline, again.
pub fn close(tab: TabId, is_pipeline: bool, cx: &mut Apply<'_>) {
    let is_shown = |shown: &mut Explain| shown.is_pipeline == is_pipeline;
    if explain_of(tab, cx.state).is_some_and(is_shown) {
        forget(tab, cx);
    }
}

/// Ends the question, and forgets the answer.
pub fn forget(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, &[SlowRead::Explain]);
    if let Some(open) = cx.state.tabs.get_mut(tab) {
        open.explain = None;
    }
}

/// Explains the typed query, as it would run now.
fn ask(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let (of, view) = (open.namespace.clone(), open.view);
    let draft = cx.state.drafts.tab(tab);
    let command = match view {
        ViewKind::Documents => draft
            .documents
            .query
            .read(now_ms)
            .map(|query| explain::find(&of.collection, &query))
            .map_err(|error| error.message),
        ViewKind::Aggregate => draft
            .aggregate
            .pipeline
            .read(now_ms)
            .map(|stages| {
                let stages = stages.into_iter().map(|stage| stage.document).collect();
                explain::pipeline(&of.collection, stages)
            })
            .map_err(|error| error.message),
        _ => return,
    };
    let command = match command {
        Ok(command) => command,
        Err(message) => {
            cx.warn(message);
            return;
        }
    };
    cx.abandon(tab, &[SlowRead::Explain]);
    let generation = cx.ask(Plan(tab), &of.db, command);
    let since = cx.state.uptime;
    if let Some(open) = cx.state.tabs.get_mut(tab) {
        let shows_reply = open.explain.as_ref().is_some_and(|shown| shown.shows_reply);
        let asked = Some((generation, since));
        let is_pipeline = view == ViewKind::Aggregate;
        open.explain = Some(Explain { is_pipeline, asked, shows_reply, answer: None });
    }
}

/// Opens the dialog of a new index with the fields that would help.
fn create_index(tab: TabId, cx: &mut Apply<'_>) {
    let answer = explain_of(tab, cx.state).and_then(|shown| shown.answer.clone());
    let Some(Ok(Answer { plan, advice, .. })) = answer else { return };
    let Some(fields) = advice.index else { return };
    indexes::open_create(tab, false, String::new(), cx);
    if let Some(AnyDialog::Indexes(_, Dialog::Create(create))) = cx.state.dialogs.open_mut() {
        create.fields = fields;
        *create.collation = plan.collation;
    }
}

/// The plan of the query or the pipeline of a tab.
#[derive(Debug, PartialEq)]
struct Plan(TabId);

impl Question for Plan {
    type Answer = Reply;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Explain))
    }

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let read = reply.result.and_then(|found| {
            Answer::read(&found, &reply.command)
                .ok_or_else(|| "The store gave no plan for this query".to_owned())
        });
        set(self.0, generation, read, cx.state);
    }
}

fn set(tab: TabId, generation: u64, answer: Result<Answer, String>, state: &mut State) {
    let asked = |shown: &&mut Explain| shown.asked.is_some_and(|(of, _)| of == generation);
    if let Some(shown) = explain_of(tab, state).filter(asked) {
        shown.asked = None;
        shown.answer = Some(answer);
    }
}
