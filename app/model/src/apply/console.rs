//! The console.

use std::path::Path;

use super::{Apply, clock, reaper};
use crate::action::ConsoleAction;
use crate::job::{ConsoleQuestion, ConsoleReport};
use crate::state::console::Console;
use crate::state::view::{Drawer, Focus};

/// Carries out one action.
pub fn apply(action: ConsoleAction, cx: &mut Apply<'_>) {
    match action {
        ConsoleAction::Open => open(cx),
        ConsoleAction::Insert(text) => {
            cx.state.drafts.console.replace(&text);
            open(cx);
        }
        ConsoleAction::Run(text) => run(&text, cx),
        ConsoleAction::Complete(before) => {
            let is_free = cx.state.is_open() && cx.state.console.running.is_none();
            let database = cx.state.console_database().to_owned();
            cx.effects.completion = is_free.then_some(ConsoleQuestion { before, database });
        }
        ConsoleAction::Stop => {
            if let Some(running) = &cx.state.console.running {
                running.cancel.cancel();
            }
        }
        ConsoleAction::Clear => cx.state.console.transcript.clear(),
        ConsoleAction::Unfold(id) => cx.state.console.transcript.unfold(id),
    }
}

fn open(cx: &mut Apply<'_>) {
    cx.state.settings.drawer = Some(Drawer::Console);
    cx.state.view.focus = Some(Focus::Console);
}

fn run(text: &str, cx: &mut Apply<'_>) {
    if !cx.state.is_open() {
        return;
    }
    let (number, now) = (cx.state.next_generation(), cx.state.uptime);
    let database = cx.state.console_database().to_owned();
    cx.effects.console.extend(cx.state.console.begin(text, &database, number, now));
}

/// The thread reports.
pub(super) fn report(report: ConsoleReport, cx: &mut Apply<'_>) {
    if report.is_more_than_data && cx.state.is_open() {
        // As after the window's own commands.
        clock::ask(cx);
        reaper::ask(cx);
        cx.state.tree.stale = true;
    }
    let at_ms = cx.state.now_ms();
    for sent in cx.state.console.learn(report) {
        cx.state.commands.push(at_ms, &sent.text, sent.micros, sent.error, false);
    }
}

/// Another store is open: nothing of the old one stays, but what was typed for this one before.
pub(super) fn opened(folder: Option<&Path>, cx: &mut Apply<'_>) {
    let known = folder.map(|folder| cx.state.settings.console_history.of(folder));
    cx.state.console = Console::with_history(known.unwrap_or_default());
    cx.state.drafts.console = crate::state::console::ConsoleDraft::default();
}
