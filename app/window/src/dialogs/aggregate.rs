//! The dialogs of the Aggregate view: a name for the pipeline, a view of it, writing its results.

use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use super::words::{close, quiet};
use crate::action::{Action, Actions, AggregateAction};
use crate::commands::aggregate;
use crate::state::aggregate::dialogs::{CreateView, SavePipeline, WriteResults};
use crate::state::aggregate::{Dialog, StageCount};
use crate::state::names::collection_problem;
use crate::state::number::{count, counted};
use crate::state::{Namespace, State, TabId};
use crate::theme::{sizes, text};
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};
use crate::widgets::marks::visible;

pub fn ui(
    context: &Context,
    tab: TabId,
    dialog: &mut Dialog,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let of = &open.namespace;
    match dialog {
        Dialog::Save(draft) => save_ui(context, tab, of, draft, state, actions),
        Dialog::View(draft) => view_ui(context, tab, of, draft, state, actions),
        Dialog::Write(draft) => write_ui(context, tab, of, draft, state, actions),
    }
}

fn name_ui(ui: &mut Ui, label: &str, error: Option<&str>, name: &mut String) {
    let shown = error.filter(|_| !name.is_empty());
    labelled(ui, label, shown, |ui| {
        Field { name: label, invalid: shown.is_some(), ..Field::default() }.ui(ui, name);
    });
}

fn save_ui(
    context: &Context,
    tab: TabId,
    of: &Namespace,
    draft: &mut SavePipeline,
    state: &State,
    actions: &mut Actions,
) {
    let pipelines = &state.settings.pipelines;
    let problem = pipelines.problem(of, &draft.name);
    let replaces = pipelines.get(of, draft.name.trim()).is_some();
    let label = if replaces { "Replace" } else { "Save" };
    let frame = DialogFrame::new("Save the pipeline")
        .subtitle("Saved pipelines are kept in this window, not in the store")
        .width(sizes::DIALOG_NARROW)
        .button(Button::primary(label).enabled(problem.is_none()).room_for("Replace"), ());
    let pressed = frame.ui(context, |ui| {
        name_ui(ui, "Pipeline name", problem.as_deref(), &mut draft.name);
        quiet(ui, if replaces { "A pipeline with this name is replaced" } else { "" });
    });
    if pressed.end(actions).is_some() {
        let action = Action::Aggregate(tab, AggregateAction::Save(draft.name.clone()));
        actions.push(Action::Confirm(Box::new(action)));
    }
}

fn view_ui(
    context: &Context,
    tab: TabId,
    of: &Namespace,
    draft: &mut CreateView,
    state: &State,
    actions: &mut Actions,
) {
    let name = draft.name.trim();
    let made = Namespace::new(&of.db, name);
    let problem = if state.tree.collection(&made).is_some() {
        Some("A collection with this name already exists")
    } else {
        collection_problem(&of.db, name)
    };
    let command = aggregate::create_view(name, &of.collection, draft.pipeline.clone());
    let command = write_command(&of.db, &command);
    let of = visible(&of.to_string());
    let frame = DialogFrame::new("Create a view")
        .subtitle(format!("A view runs the pipeline on {of} whenever it is read"))
        .command(Some(command))
        .sent(&draft.sent)
        .button(Button::primary("Create view").enabled(problem.is_none()), ());
    let pressed = frame.ui(context, |ui| name_ui(ui, "View name", problem, &mut draft.name));
    if pressed.end(actions).is_some() {
        actions.push(Action::Aggregate(tab, AggregateAction::CreateView));
    }
}

fn write_ui(
    context: &Context,
    tab: TabId,
    of: &Namespace,
    draft: &mut WriteResults,
    state: &State,
    actions: &mut Actions,
) {
    let to = &draft.to;
    let target = visible(&to.namespace.to_string());
    let verb = if to.replaces { "Replace" } else { "Merge into" };
    let known = state.tree.collection(&to.namespace);
    let there = known.map(|known| known.documents);
    let results = match &draft.count {
        Some(StageCount::Exactly(count)) => counted(*count, "result", "results"),
        Some(StageCount::MoreThan(most)) => format!("more than {} results", count(*most)),
        _ => "the results; they are not counted".to_owned(),
    };
    let sentence = match (to.replaces, there) {
        (true, Some(Some(documents))) => {
            let documents = counted(documents, "document", "documents");
            format!("All {documents} of {target} are replaced by {results}. Indexes stay")
        }
        (true, Some(None)) => {
            format!("All documents of {target} are replaced by {results}. Indexes stay")
        }
        (false, Some(_)) => format!("{target} exists. It is merged with {results}"),
        (_, None) => format!("{target} doesn't exist yet. It is created with {results}"),
    };
    let is_loss = to.replaces && there.is_some();
    let command = aggregate::write(&of.collection, draft.pipeline.clone());
    let command = write_command(&of.db, &command);
    let label = match &draft.count {
        Some(StageCount::Exactly(count)) => {
            format!("Write {}", counted(*count, "document", "documents"))
        }
        _ => format!("Write to {target}"),
    };
    let button = match there {
        _ if is_loss => Button::danger(&label),
        Some(_) => Button::amber(&label),
        None => Button::primary(&label),
    };
    let frame = DialogFrame::new(format!("{verb} {target}?"))
        .subtitle("This can't be undone")
        .command(Some(command))
        .sent(&draft.sent)
        .button(button, ());
    let pressed = frame.ui(context, |ui| _ = ui.label(text::rich(&sentence, text::body())));
    if pressed.end(actions).is_some() {
        actions.push(Action::Aggregate(tab, AggregateAction::Write));
    }
}
