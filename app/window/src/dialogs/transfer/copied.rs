//! How a copy ended.

use egui::{Context, Ui};

use super::parts::{ask, notice_ui};
use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::job::{CopyReport, End};
use crate::state::transfer::CopyResult;
use crate::state::{duration, number};
use crate::theme::{Icon, colors, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

pub fn ui(context: &Context, result: &CopyResult, actions: &mut Actions) {
    let report = &result.ended.report;
    let took_ms = i64::try_from(result.took.as_millis()).unwrap_or(i64::MAX);
    let subtitle = format!("{} · {}", with_marks(&result.title), duration::span(took_ms));
    let title = match &report.end {
        End::Complete => "Copy finished",
        End::Cancelled => "Copy canceled",
        End::Failed(_) => "Copy stopped",
    };
    let label = match (&result.folder, &result.ended.opens) {
        (Some(_), _) => Some("Open the store"),
        (None, Some(_)) => Some("Open the sandbox"),
        (None, None) => None,
    };
    let roll_back = Button::plain("Roll back")
        .tooltip("Remove the documents that this copy inserted, also those changed since");
    let open = Button::primary(label.unwrap_or_default());
    let frame = DialogFrame::new(title)
        .subtitle(subtitle)
        .leave(if result.ended.opens.is_some() { "Discard" } else { "Done" })
        .button_if(label.is_some(), open, TransferAction::ShowCopy)
        .button_if(result.ended.undo.is_some(), roll_back, TransferAction::RollBackCopy);
    let outcome = frame.ui(context, |ui| {
        figures_ui(ui, report);
        end_ui(ui, result);
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

fn figures_ui(ui: &mut Ui, report: &CopyReport) {
    let refused = (report.refused > 0).then_some(colors(ui).error);
    let figures = [
        (report.copied, "copied", None),
        (report.skipped, "already there", None),
        (report.refused, "refused", refused),
    ];
    ui.columns(figures.len(), |columns| {
        for (ui, (count, words, ink)) in columns.iter_mut().zip(figures) {
            card::figure(ui, &number::count(count), words, ink);
        }
    });
}

fn end_ui(ui: &mut Ui, result: &CopyResult) {
    let report = &result.ended.report;
    let (dim, error) = (colors(ui).dim, colors(ui).error);
    let line = |ui: &mut Ui, words: &str| {
        ui.label(text::rich(with_marks(words), text::small()).color(dim));
    };
    if let End::Failed(why) = &report.end {
        notice_ui(ui, Icon::Error, "Error", error, why);
    }
    if report.end != End::Complete {
        line(ui, "The documents copied so far are kept. No index was created");
    } else if report.indexes > 0 {
        line(ui, &number::counted(report.indexes, "index created", "indexes created"));
    }
    if report.unknown > 0 {
        let documents = number::counted(report.unknown, "document", "documents");
        line(ui, &format!("It is not known whether {documents} more were stored"));
    }
    for words in report.notes.iter().chain(&report.refusals) {
        line(ui, words);
    }
    let listed = report.refusals.len() as u64;
    if report.refused > listed && listed > 0 {
        line(ui, &format!("and {} more refused", number::count(report.refused - listed)));
    }
    if result.ended.opens.is_none() && result.ended.undo.is_none() && report.copied > 0 {
        line(ui, "Too many documents were copied to remember them; they can't be rolled back");
    }
}
