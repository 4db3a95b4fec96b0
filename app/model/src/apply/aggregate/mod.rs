//! The Aggregate view of a tab.

mod answers;
mod running;
mod tab;
#[cfg(test)]
mod tests;

use mayfly_engine::value::shell::write_command;

pub use running::{abandon, refresh};

use self::tab::{namespace, save, with};
use super::changed::ChangeStore;
use super::transfer::show_export;
use super::{Apply, clipboard, dialog};
use crate::action::AggregateAction;
use crate::commands;
use crate::limits::PIPELINE_CARDS_MAX;
use crate::state::aggregate::dialogs::{CreateView, SavePipeline, WriteResults};
use crate::state::aggregate::{
    AggregateDraft, AggregateView, Dialog, KeptPipeline, PipelineText, StageError, WritesTo,
};
use crate::state::dialogs::Sent;
use crate::state::toasts::Kind;
use crate::state::transfer::ExportDraft;
use crate::state::transfer::export::Content;
use crate::state::{Dialog as AnyDialog, Namespace, State, TabId, number};

/// Carries out one action.
pub fn apply(tab: TabId, action: AggregateAction, cx: &mut Apply<'_>) {
    match action {
        AggregateAction::Run => running::run(tab, cx),
        AggregateAction::Changed => running::changed(tab, cx),
        AggregateAction::Stop => running::stop(tab, cx),
        AggregateAction::Show(shown) => running::show(tab, shown, cx),
        AggregateAction::More => running::more(tab, cx),
        AggregateAction::Add(stage) => add(tab, stage, None, cx),
        AggregateAction::AddBefore(card) => add(tab, "$match", Some(card), cx),
        AggregateAction::Duplicate(card) => edit(tab, cx, |draft| draft.duplicate(card)),
        AggregateAction::Remove(card) => edit(tab, cx, |draft| draft.remove(card)),
        AggregateAction::Move { card, gap } => edit(tab, cx, |draft| draft.move_to(card, gap)),
        AggregateAction::Choose { card, stage } => edit(tab, cx, |draft| draft.choose(card, stage)),
        AggregateAction::SetOff { card, is_off } => {
            edit(tab, cx, |draft| draft.set_off(card, is_off));
        }
        AggregateAction::Clear => {
            edit(tab, cx, |draft| draft.replace(&PipelineText::default()));
        }
        AggregateAction::SetText(is_text) => set_text(tab, is_text, cx),
        AggregateAction::SetWaits(waits) => {
            with(cx.state, tab, |view| view.waits = waits);
            running::changed(tab, cx);
            save(tab, cx.state);
        }
        AggregateAction::SetMode(mode) => {
            with(cx.state, tab, |view| view.mode = mode);
            save(tab, cx.state);
        }
        AggregateAction::SetChart(fields) => {
            with(cx.state, tab, |view| view.chart = Some(fields));
        }
        AggregateAction::Copy => copy(tab, cx),
        AggregateAction::OpenSave => {
            let dialog = Dialog::Save(SavePipeline::default());
            cx.state.dialogs.show(AnyDialog::Aggregate(tab, dialog));
        }
        AggregateAction::Save(name) => keep(tab, &name, cx.state),
        AggregateAction::OpenKept { namespace, name } => {
            let kept = cx.state.settings.pipelines.get(&namespace, &name);
            if let Some(pipeline) = kept.map(|kept| kept.pipeline.clone()) {
                edit(tab, cx, |draft| draft.replace(&pipeline));
            }
        }
        AggregateAction::DeleteKept { namespace, name } => {
            cx.state.settings.pipelines.delete(&namespace, &name);
        }
        AggregateAction::Export => export(tab, cx),
        AggregateAction::OpenCreateView => open_create_view(tab, cx),
        AggregateAction::CreateView => create_view(tab, cx),
        AggregateAction::OpenWrite => open_write(tab, cx),
        AggregateAction::Write => write(tab, cx),
    }
}

/// Changes the draft, then runs it unless it waits.
fn edit(tab: TabId, cx: &mut Apply<'_>, change: impl FnOnce(&mut AggregateDraft)) {
    change(&mut cx.state.drafts.tab(tab).aggregate);
    running::changed(tab, cx);
}

fn add(tab: TabId, stage: &str, before: Option<u64>, cx: &mut Apply<'_>) {
    let draft = &mut cx.state.drafts.tab(tab).aggregate;
    if draft.add(stage, before).is_none() {
        let text = format!("A pipeline has up to {PIPELINE_CARDS_MAX} stages");
        cx.warn(text);
    }
    running::changed(tab, cx);
}

fn set_text(tab: TabId, is_text: bool, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let draft = &mut cx.state.drafts.tab(tab).aggregate;
    let shown = if is_text {
        draft.show_text();
        Ok(())
    } else {
        draft.show_cards(now_ms)
    };
    if let Err(error) = shown {
        with(cx.state, tab, |view| view.error = Some(error));
        return;
    }
    // The places of errors and counts are of the cards, or of the text.
    running::run(tab, cx);
}

fn keep(tab: TabId, name: &str, state: &mut State) {
    let Some(namespace) = namespace(tab, state) else { return };
    let pipeline = state.drafts.tab(tab).aggregate.pipeline.clone();
    let name = name.trim().to_owned();
    let text = format!("Saved the pipeline {name}");
    state.settings.pipelines.keep(KeptPipeline { name, namespace, pipeline });
    state.toast(Kind::Done, text);
}

/// Reads the pipeline as it is typed. What can't be read is shown at its card.
fn read(tab: TabId, cx: &mut Apply<'_>) -> Option<AggregateView> {
    let now_ms = cx.state.now_ms();
    match cx.state.drafts.tab(tab).aggregate.pipeline.read(now_ms) {
        Ok(stages) => {
            let mut view = AggregateView::default();
            view.begin(stages);
            Some(view)
        }
        Err(error) => {
            say(&error, cx.state);
            with(cx.state, tab, |view| view.error = Some(error));
            None
        }
    }
}

fn say(error: &StageError, state: &mut State) {
    let text = format!("The pipeline can't be read: {}", error.message);
    state.toast(Kind::Warning, text);
}

fn copy(tab: TabId, cx: &mut Apply<'_>) {
    let (Some(view), Some(of)) = (read(tab, cx), namespace(tab, cx.state)) else { return };
    let command = commands::aggregate::write(&of.collection, view.whole());
    clipboard::copy(write_command(&of.db, &command), cx);
}

/// The results of the stages as they are typed, without one that writes.
fn export(tab: TabId, cx: &mut Apply<'_>) {
    let (Some(view), Some(of)) = (read(tab, cx), namespace(tab, cx.state)) else { return };
    let command = commands::aggregate::write(&of.collection, view.pipeline());
    let results = ExportDraft::of(of, Content::Results(command), cx.state.now_ms());
    show_export(results, cx);
}

fn open_create_view(tab: TabId, cx: &mut Apply<'_>) {
    let Some(view) = read(tab, cx) else { return };
    if view.writer.is_some() {
        let text = "A view writes nothing; turn the last stage off first";
        cx.warn(text);
        return;
    }
    let dialog = CreateView { pipeline: view.pipeline(), ..CreateView::default() };
    cx.state.dialogs.show(AnyDialog::Aggregate(tab, Dialog::View(dialog)));
}

fn create_view(tab: TabId, cx: &mut Apply<'_>) {
    let Some(of) = namespace(tab, cx.state) else { return };
    let Some(AnyDialog::Aggregate(_, Dialog::View(view))) = cx.state.dialogs.open() else { return };
    let name = view.name.trim();
    let command = commands::aggregate::create_view(name, &of.collection, view.pipeline.clone());
    let made = Namespace::new(&of.db, name);
    let done = format!("Created the view {made}");
    dialog::send(ChangeStore { done, open: Some(made) }, &of.db, command, cx);
}

fn open_write(tab: TabId, cx: &mut Apply<'_>) {
    let (Some(view), Some(of)) = (read(tab, cx), namespace(tab, cx.state)) else { return };
    let to = view.writer.as_ref().and_then(|writer| WritesTo::of(writer, &of.db));
    let Some(to) = to else {
        let text = "The last stage names no collection to write to";
        cx.warn(text);
        return;
    };
    // The count is that of the last run, if it was of the same stages.
    let ran = cx.state.tabs.get(tab).map(|open| &open.aggregate);
    let ran = ran.filter(|ran| ran.pipeline() == view.pipeline());
    let count = ran.and_then(|ran| ran.total().cloned());
    let write = WriteResults { pipeline: view.whole(), to, count, sent: Sent::default() };
    cx.state.dialogs.show(AnyDialog::Aggregate(tab, Dialog::Write(write)));
}

fn write(tab: TabId, cx: &mut Apply<'_>) {
    let Some(of) = namespace(tab, cx.state) else { return };
    let Some(AnyDialog::Aggregate(_, Dialog::Write(write))) = cx.state.dialogs.open() else {
        return;
    };
    let command = commands::aggregate::write(&of.collection, write.pipeline.clone());
    let to = &write.to.namespace;
    let what = match write.count {
        Some(crate::state::aggregate::StageCount::Exactly(count)) => {
            number::counted(count, "document", "documents")
        }
        _ => "the results".to_owned(),
    };
    let done = format!("Wrote {what} to {to}");
    dialog::send(ChangeStore { done, open: None }, &of.db, command, cx);
}
