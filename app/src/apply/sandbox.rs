//! Sandboxes: opened, left, discarded or kept.
//!
//! `OpenRequest::sandbox` opens a store in a temporary folder on a simulated clock: empty, with the demo data
//! and its traffic, or with a copy of a collection that `Source::copy_to_sandbox` made
//! (`Engine::copy_collection`; the TTL monitor is off in it). `apply/sandbox.rs` leaves one:
//! `stores::open_or_ask`, *Quit* and a close of the window ask first, *Keep* moves the closed folder
//! (`source/move_folder.rs`), and the store before it opens again. Every other store opens with
//! `ClockOption::Stored`, so one that ran on a simulated clock continues on it. `panels/time_bar.rs` is drawn
//! while `State::is_simulated`; the clock is known from `Opened`, before the first frame.

use super::lesson::close::close;
use super::lesson::keep;
use super::{Apply, QUEUE_FULL, WindowEffect, passwords, store, stores};
use crate::action::SandboxAction;
use crate::job::OpenRequest;
use crate::job::purpose::SandboxPurpose;
use crate::state::recent_stores::RecentStore;
use crate::state::sandbox::{AfterSandbox, LeaveSandbox};
use crate::state::toasts::Kind;
use crate::state::transfer::import::whole_path;
use crate::state::{Dialog, Phase, Purpose, State};
use crate::worker::{Lane, SandboxDone, SandboxWork, Work};

/// Carries out one action.
pub fn apply(action: &SandboxAction, cx: &mut Apply<'_>) {
    match action {
        SandboxAction::Open => {
            let Some(Dialog::OpenSandbox(draft)) = cx.state.dialogs.open() else { return };
            let Ok(request) = draft.request() else { return };
            cx.state.dialogs.close();
            stores::open_or_ask(request, cx);
        }
        SandboxAction::Back => {
            stores::open_or_ask(back(cx.state), cx);
        }
        SandboxAction::Copy(namespace) => {
            let sentence = format!("Copying {namespace} into a sandbox…");
            cx.state.toasts.push(Kind::Info, sentence, None, cx.state.uptime);
            let work = Work::Sandbox(SandboxWork::Copy(namespace.clone()));
            cx.job(Purpose::Sandbox(SandboxPurpose::Copy), Lane::Transfer, work);
        }
        SandboxAction::Discard => {
            let Some(Dialog::LeaveSandbox(draft)) = cx.state.dialogs.open() else { return };
            let then = draft.then.clone();
            cx.state.dialogs.close();
            follow(then, cx);
        }
        SandboxAction::Keep => keep(cx),
    }
}

/// Asks what becomes of an open sandbox before the window closes. False if there is nothing to ask.
pub fn ask_before_close(cx: &mut Apply<'_>) -> bool {
    let beside = cx.state.lessons.playing.as_ref();
    if beside.is_some_and(|playing| playing.own.store.request.sandbox.is_some()) {
        close(cx);
    }
    let state = &mut *cx.state;
    if !state.is_in_sandbox() {
        return false;
    }
    if !matches!(state.dialogs.open(), Some(Dialog::LeaveSandbox(_))) {
        let draft = LeaveSandbox::before(AfterSandbox::Close);
        state.dialogs.show_before(Dialog::LeaveSandbox(draft));
    }
    true
}

fn keep(cx: &mut Apply<'_>) {
    let Some(Dialog::LeaveSandbox(draft)) = cx.state.dialogs.open() else { return };
    let Some(folder) = whole_path(&draft.path).filter(|_| draft.sent.is_none()) else { return };
    let work = Work::Sandbox(SandboxWork::Keep { folder });
    let generation = cx.job(Purpose::Sandbox(SandboxPurpose::Keep), Lane::Transfer, work);
    if let Some(draft) = leaving(cx.state) {
        (draft.sent, draft.error) = (Some(generation), None);
    }
    cx.state.store.phase = Phase::Away("The sandbox is closed while it is moved");
}

fn leaving(state: &mut State) -> Option<&mut LeaveSandbox> {
    match state.dialogs.open_mut() {
        Some(Dialog::LeaveSandbox(draft)) => Some(draft),
        _ => None,
    }
}

/// Takes over a result.
pub fn done(generation: u64, done: SandboxDone, cx: &mut Apply<'_>) {
    let (folder, result) = match done {
        SandboxDone::Kept { folder, result } => (folder, result),
        SandboxDone::LessonSaved { file, result } => {
            return keep::saved(generation, file, result, cx);
        }
        SandboxDone::Copied(Ok(request)) => return stores::open_or_ask(*request, cx),
        SandboxDone::Copied(Err(sentence)) => {
            return cx.state.toasts.push(Kind::Error, sentence, None, cx.state.uptime);
        }
    };
    match result {
        Ok(()) => {
            let then = leaving(cx.state).map(|draft| draft.then.clone());
            let then = then.unwrap_or_else(|| AfterSandbox::Open(Box::new(back(cx.state))));
            cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::LeaveSandbox(_)));
            let opened_ms = cx.state.wall_ms;
            let kept = RecentStore::in_folder(&folder, opened_ms);
            passwords::change_list(|stores| stores.note(kept), cx);
            let state = &mut *cx.state;
            state.settings.store_tabs.note(&folder, &state.tabs, &state.tree.folded);
            let sentence = format!("The sandbox is kept in {}", folder.display());
            cx.state.toasts.push(Kind::Done, sentence, None, cx.state.uptime);
            follow(then, cx);
        }
        Err(sentence) => not_kept(generation, sentence, cx),
    }
}

/// The job was not begun.
pub fn dropped(purpose: &SandboxPurpose, generation: u64, cx: &mut Apply<'_>) {
    match purpose {
        SandboxPurpose::Keep => not_kept(generation, QUEUE_FULL.to_owned(), cx),
        SandboxPurpose::SaveLesson => keep::not_saved(generation, QUEUE_FULL.to_owned(), cx),
        SandboxPurpose::Copy => {}
    }
}

fn not_kept(generation: u64, sentence: String, cx: &mut Apply<'_>) {
    store::reopened(Vec::new(), cx);
    match leaving(cx.state) {
        Some(draft) if draft.sent == Some(generation) => {
            (draft.sent, draft.error) = (None, Some(sentence));
        }
        _ => cx.state.toasts.push(Kind::Error, sentence, None, cx.state.uptime),
    }
}

/// The store that was open before the sandbox.
fn back(state: &State) -> OpenRequest {
    state.store.left.clone().unwrap_or_default()
}

fn follow(then: AfterSandbox, cx: &mut Apply<'_>) {
    match then {
        AfterSandbox::Open(request) => stores::open(*request, cx),
        AfterSandbox::Close => cx.window(WindowEffect::Close),
    }
}
