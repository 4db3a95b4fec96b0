//! Sandboxes: opened, left, discarded or kept.
//!
//! `OpenRequest::sandbox` opens a store in a temporary folder on a simulated clock: empty, with the demo data
//! and its traffic, or with a copy of a collection that `Source::copy_to_sandbox` made
//! (`Engine::copy_collection`; the TTL monitor is off in it). It stays open next to other stores.
//! `stores::close`, *Back to my store*, *Quit* and a close of the window ask before it ends, *Keep* moves the
//! closed folder (`source/move_folder.rs`), and the store before it is shown. Every other store opens with
//! `ClockOption::Stored`, so one that ran on a simulated clock continues on it. `panels/time_bar.rs` is drawn
//! while `State::is_simulated`; the clock is known from `Opened`, before the first frame.

use std::path::{Path, PathBuf};

use super::lesson::close::close;
use super::question::{Answer, Question, Report, Run};
use super::{Apply, WindowEffect, passwords, store, stores};
use crate::action::SandboxAction;
use crate::job::OpenRequest;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::recent_stores::RecentStore;
use crate::state::sandbox::{AfterSandbox, LeaveSandbox};
use crate::state::toasts::Kind;
use crate::state::transfer::import::whole_path;
use crate::state::{Dialog, Namespace, Phase, State};
use crate::worker::{Desk, Lane, Manners, guarded};

/// Carries out one action.
pub fn apply(action: &SandboxAction, cx: &mut Apply<'_>) {
    match action {
        SandboxAction::Open => {
            let Some(Dialog::OpenSandbox(draft)) = cx.state.dialogs.open() else { return };
            let Ok(request) = draft.request() else { return };
            cx.state.dialogs.close();
            stores::open(request, cx);
        }
        SandboxAction::Back if !cx.state.is_in_sandbox() => stores::open(back(cx.state), cx),
        SandboxAction::Back => {
            let then = AfterSandbox::Open(Box::new(back(cx.state)));
            cx.state.dialogs.show_before(Dialog::LeaveSandbox(LeaveSandbox::before(then)));
        }
        SandboxAction::Copy(namespace) if cx.state.lessons.is_playing() => {
            cx.state.dialogs.show(Dialog::Confirm(Confirm {
                title: "Leave the lesson for a sandbox?".to_owned(),
                text: format!(
                    "The sandbox gets a copy of {namespace} as it is now. The lesson ends; it \
                     continues at this card when you open it again."
                ),
                command: None,
                button: "Open sandbox".to_owned(),
                tone: Tone::Normal,
                offer: Offer::CopyToSandbox(namespace.clone()),
                name: None,
            }));
        }
        SandboxAction::Copy(namespace) | SandboxAction::CopyNow(namespace) => {
            let sentence = format!("Copying {namespace} into a sandbox…");
            cx.toast(Kind::Info, sentence);
            cx.run(CopyToSandbox(namespace.clone()));
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

/// Asks what becomes of open sandboxes before the window closes. False if there is nothing to ask.
pub(super) fn ask_before_close(cx: &mut Apply<'_>) -> bool {
    let beside = cx.state.lessons.playing.as_ref();
    if beside.is_some_and(|playing| playing.own.store.request.sandbox.is_some()) {
        close(cx);
    }
    if cx.state.sandboxes() == 0 {
        return false;
    }
    let draft = LeaveSandbox::before(AfterSandbox::Close);
    cx.state.dialogs.show_before(Dialog::LeaveSandbox(draft));
    true
}

fn keep(cx: &mut Apply<'_>) {
    let Some(Dialog::LeaveSandbox(draft)) = cx.state.dialogs.open() else { return };
    let Some(folder) = whole_path(&draft.path).filter(|_| draft.sent.is_none()) else { return };
    let generation = cx.run(KeepSandbox(folder));
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

/// The open sandbox, moved into a folder that is empty or missing.
#[derive(Debug)]
struct KeepSandbox(PathBuf);

impl PartialEq for KeepSandbox {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for KeepSandbox {
    /// The sandbox is closed. The error: it is open where it was.
    type Answer = Result<(), String>;

    fn answered(&self, generation: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        match result {
            Ok(()) => kept(&self.0, cx),
            Err(sentence) => not_kept(generation, sentence, cx),
        }
    }
}

impl Run for KeepSandbox {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        Manners { is_alone: true, ..Manners::default() }
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let source = desk.open_source();
        let moved = source.and_then(|source| guarded(|| source.move_to(&self.0)).flatten());
        if moved.is_err()
            && let Some(threads) = desk.threads
        {
            // The event subscription ended with the closed store.
            threads.follow_again();
        }
        report.send(moved);
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

fn kept(folder: &Path, cx: &mut Apply<'_>) {
    let then = leaving(cx.state).map(|draft| draft.then.clone());
    let then = then.unwrap_or_else(|| AfterSandbox::Open(Box::new(back(cx.state))));
    cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::LeaveSandbox(_)));
    let opened_ms = cx.state.wall_ms;
    let kept = RecentStore::in_folder(folder, opened_ms);
    passwords::change_list(|stores| stores.note(kept), cx);
    let state = &mut *cx.state;
    state.settings.store_tabs.note(folder, &state.tabs, &state.tree.folded);
    cx.toast(Kind::Done, format!("The sandbox is kept in {}", folder.display()));
    follow(then, cx);
}

fn not_kept(generation: u64, sentence: String, cx: &mut Apply<'_>) {
    store::reopened(Vec::new(), cx);
    match leaving(cx.state) {
        Some(draft) if draft.sent == Some(generation) => {
            (draft.sent, draft.error) = (None, Some(sentence));
        }
        _ => cx.toast(Kind::Error, sentence),
    }
}

/// A collection, copied into a sandbox.
#[derive(Debug)]
struct CopyToSandbox(Namespace);

impl PartialEq for CopyToSandbox {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for CopyToSandbox {
    type Answer = Result<OpenRequest, String>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        match result {
            Ok(request) => stores::open(request, cx),
            Err(sentence) => cx.toast(Kind::Error, sentence),
        }
    }
}

impl Run for CopyToSandbox {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        Manners { is_alone: true, ..Manners::default() }
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(desk.open_source().and_then(|source| source.copy_to_sandbox(&self.0)));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// The store that was open before the sandbox.
fn back(state: &State) -> OpenRequest {
    state.store.left.clone().unwrap_or_default()
}

fn follow(then: AfterSandbox, cx: &mut Apply<'_>) {
    match then {
        AfterSandbox::Open(request) => stores::open_instead(*request, cx),
        AfterSandbox::Show(slot) => stores::show_instead(slot, cx),
        AfterSandbox::Close => cx.window(WindowEffect::Close),
    }
}
