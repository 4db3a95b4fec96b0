//! The dialogs of the Aggregate view: a name for the pipeline, a view of it, writing its results.

use egui::{Context, Id, Ui};
use mayfly_engine::value::shell::write_command;

use super::create::{buttons_ui, refusal_ui};
use super::{COMMAND_TO_SEND, WAITING, close, leave};
use crate::action::{Action, Actions, AggregateAction, DialogAction, ViewAction};
use crate::commands::aggregate;
use crate::state::aggregate::dialogs::{CreateView, SavePipeline, WriteResults};
use crate::state::aggregate::{Dialog, StageCount};
use crate::state::names::collection_problem;
use crate::state::number::{count, counted};
use crate::state::{Namespace, State, TabId};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::marks::visible;
use crate::widgets::{Button, code_box, modal};

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

/// A field that has the keyboard while nothing is typed.
fn name_ui(ui: &mut Ui, label: &str, error: Option<&str>, name: &mut String) {
    let shown = error.filter(|_| !name.is_empty());
    labelled(ui, label, shown, |ui| {
        let id = Id::unique(label);
        let field =
            Field { name: label, invalid: shown.is_some(), id: Some(id), ..Field::default() };
        let response = field.ui(ui, name);
        if name.is_empty() && ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
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
    let mut save = false;
    let subtitle = "Saved pipelines are kept in this window, not in the store";
    let closing = modal::ui(
        context,
        "Save the pipeline",
        subtitle,
        sizes::DIALOG_NARROW,
        draft,
        |ui, draft| {
            name_ui(ui, "Pipeline name", problem.as_deref(), &mut draft.name);
            if replaces {
                let words = "A pipeline with this name is replaced";
                ui.label(text::rich(words, text::small()).color(colors(ui).dim));
            }
        },
        |ui, _| {
            let button = Button::primary(label).enabled(problem.is_none());
            save = modal::answer_ui(ui, button);
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if save {
        let action = Action::Aggregate(tab, AggregateAction::Save(draft.name.clone()));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(action))));
    } else if closing.closes() {
        close(actions);
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
    let before = draft.name.clone();
    let (mut copy, mut create) = (false, false);
    let subtitle =
        format!("A view runs the pipeline on {} whenever it is read", visible(&of.to_string()));
    let closing = modal::ui(
        context,
        "Create a view",
        &subtitle,
        sizes::DIALOG,
        draft,
        |ui, draft| {
            ui.add_enabled_ui(!draft.sent.is_waiting(), |ui| {
                name_ui(ui, "View name", problem, &mut draft.name);
            });
            refusal_ui(ui, &draft.sent);
            copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
        },
        |ui, draft| {
            create = buttons_ui(ui, "Create view", problem.is_none(), &draft.sent, actions);
        },
    );
    if draft.name != before {
        draft.sent.error = None;
    }
    let action = Action::Aggregate(tab, AggregateAction::CreateView);
    end(closing, copy, command, create.then_some(action), actions);
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
    let title = format!("{verb} {target}?");
    let label = match &draft.count {
        Some(StageCount::Exactly(count)) => {
            format!("Write {}", counted(*count, "document", "documents"))
        }
        _ => format!("Write to {target}"),
    };
    let (mut copy, mut write) = (false, false);
    let closing = modal::ui(
        context,
        &title,
        "This can't be undone",
        sizes::DIALOG,
        draft,
        |ui, draft| {
            ui.label(text::rich(&sentence, text::body()));
            refusal_ui(ui, &draft.sent);
            copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
        },
        |ui, draft| {
            let is_waiting = draft.sent.is_waiting();
            let label = if is_waiting { WAITING } else { &label };
            let button = if is_loss { Button::danger(label) } else { Button::primary(label) };
            write = ui.add(button.enabled(!is_waiting)).clicked();
            if ui.add(leave(is_waiting)).clicked() {
                close(actions);
            }
        },
    );
    let action = Action::Aggregate(tab, AggregateAction::Write);
    end(closing, copy, command, write.then_some(action), actions);
}

fn end(
    closing: modal::Closing,
    copy: bool,
    command: String,
    answer: Option<Action>,
    actions: &mut Actions,
) {
    if copy {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    if let Some(action) = answer {
        actions.push(action);
    } else if closing.closes() {
        close(actions);
    }
}
