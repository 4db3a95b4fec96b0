//! Exports to a file: drafted, begun, ended.

use std::path::PathBuf;

use mayfly_engine::transfer::{ExportReport, ExportRequest, Progress};

use super::dump_export;
use super::job::{self, FileWork};
use super::open_draft::can_transfer;
use super::open_draft::export_draft;
use super::run::{failed, is_shown};
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::reply::number;
use crate::limits::SERVER_EXPORT_MS;
use crate::source::Source;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::export::{Content, ShownDocuments, number_among};
use crate::state::transfer::import::file_name;
use crate::state::transfer::{Dialog, ExportDraft, Kind as RunKind, Loadable};
use crate::state::{Namespace, State, number as numbers};
use crate::worker::result_file::{self, ResultFile};
use crate::worker::transfer::{self, Failure, transfers};
use crate::worker::{Desk, Lane, Reply};

pub(super) fn open(namespace: Namespace, shown: ShownDocuments, cx: &mut Apply<'_>) {
    if !cx.state.can_export() && !can_transfer(cx.state) {
        return;
    }
    let now_ms = cx.state.now_ms();
    let draft = ExportDraft::new(namespace, shown, now_ms);
    let namespace = &draft.namespace;
    let found = cx.state.tree.collection(namespace);
    let is_server = cx.state.store.connection.is_some();
    if is_server || found.is_some_and(|found| found.kind == "view") {
        // Only a command reads a view, or a server.
        let mut command = draft.query().unwrap_or_default().find_all(&namespace.collection);
        if is_server {
            command.insert("maxTimeMS", SERVER_EXPORT_MS);
        }
        let results = ExportDraft::of(namespace.clone(), Content::Results(command), now_ms);
        show(ExportDraft { shown: draft.shown, ..results }, cx);
        return;
    }
    let all = cx.state.tree.databases.iter().flat_map(|db| {
        db.collections.iter().map(|collection| Namespace::new(&db.name, &collection.name))
    });
    let number = number_among(namespace, all);
    let count = draft.query().ok().filter(|_| draft.has_choice());
    let count = count.map(|query| query.count(&namespace.collection));
    let db = namespace.db.clone();
    show(ExportDraft { number, ..draft }, cx);
    let Some(count) = count else { return };
    let generation = cx.ask(CountExport, &db, count);
    if let Some(draft) = export_draft(cx.state) {
        draft.count = Loadable::Waiting(generation);
    }
}

pub(in crate::apply) fn show(mut draft: ExportDraft, cx: &mut Apply<'_>) {
    draft.name_file(cx.state.transfer.folder.as_deref());
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show_before(AnyDialog::Transfer(Dialog::Export(Box::new(draft))));
    if cx.state.transfer.folder.is_none() {
        cx.run(DownloadFolder);
    }
}

/// How many documents the export of the open dialog writes.
#[derive(Debug, PartialEq)]
pub(super) struct CountExport;

impl Question for CountExport {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(draft) = export_draft(cx.state) {
            draft.count.answer(generation, reply.result.map(|found| number(&found, "n")));
        }
    }
}

/// The folder for downloads.
#[derive(Debug, PartialEq)]
pub(super) struct DownloadFolder;

impl Question for DownloadFolder {
    type Answer = Option<PathBuf>;

    fn answered(&self, _: u64, folder: Option<PathBuf>, cx: &mut Apply<'_>) {
        if cx.state.transfer.folder.is_none() {
            cx.state.transfer.folder = folder;
        }
        let folder = cx.state.transfer.folder.clone();
        if let Some(draft) = export_draft(cx.state) {
            draft.name_file(folder.as_deref());
        }
        let draft = dump_export::draft(cx.state).filter(|draft| draft.path.is_empty());
        if let (Some(draft), Some(folder)) = (draft, folder) {
            draft.suggest(&folder);
        }
    }
}

impl Run for DownloadFolder {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(transfer::downloads());
    }

    fn failed(&self, _: String) -> Self::Answer {
        None
    }
}

/// Exports as drafted in the open dialog.
pub(super) fn start(overwrite: bool, cx: &mut Apply<'_>) {
    let Some(draft) = export_draft(cx.state) else { return };
    draft.exists.clear();
    draft.counting = None;
    if draft.content != Content::Documents {
        start_other(overwrite, cx);
        return;
    }
    let request = match draft.request() {
        Ok(request) => request,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    let path = request.path.clone();
    cx.state.transfer.folder = path.parent().map(PathBuf::from);
    let all = cx.state.tree.collection(&draft.namespace).and_then(|found| found.documents);
    let total = match &draft.count {
        Loadable::Here(count) if draft.as_shown => *count,
        _ if draft.as_shown && draft.has_choice() => 0,
        _ => all.unwrap_or(0),
    };
    let title = format!("Export {} to {}", draft.namespace, file_name(&path));
    let kind = RunKind::Export { path };
    let export = Export { what: Exported::Documents(Box::new(request)), overwrite };
    job::start(title, total, Dialog::Export(Box::new(draft)), kind, export, cx);
}

/// Exports the results of a command, or a JSON Schema, as drafted in the open dialog.
fn start_other(overwrite: bool, cx: &mut Apply<'_>) {
    let Some(draft) = export_draft(cx.state) else { return };
    let file = match draft.target() {
        Ok(file) => file,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    let path = file.path.clone();
    cx.state.transfer.folder = path.parent().map(PathBuf::from);
    let namespace = draft.namespace.clone();
    let content = draft.content.clone();
    let name = file_name(&path);
    let title = match &content {
        Content::Audit(_) => format!("Export TTL audit to {name}"),
        Content::JsonSchema(_) => format!("Export JSON Schema of {namespace} to {name}"),
        _ => format!("Export results of {namespace} to {name}"),
    };
    let kind = RunKind::Export { path: path.clone() };
    let what = match content {
        Content::JsonSchema(text) | Content::Audit(text) => Exported::Text { path, text },
        Content::Results(command) | Content::Removals(command) => {
            Exported::Results(ResultFile { db: namespace.db, command, file })
        }
        Content::Documents => return,
    };
    let dialog = Dialog::Export(Box::new(draft));
    job::start(title, 0, dialog, kind, Export { what, overwrite }, cx);
}

/// An export to a file.
#[derive(Debug)]
struct Export {
    what: Exported,
    /// Whether a file of that name may be written over.
    overwrite: bool,
}

#[derive(Debug)]
enum Exported {
    Documents(Box<ExportRequest>),
    /// The documents that a command returns.
    Results(ResultFile),
    Text {
        path: PathBuf,
        text: String,
    },
}

impl FileWork for Export {
    type Done = ExportReport;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<ExportReport, Failure> {
        match &self.what {
            Exported::Documents(request) => {
                transfer::export(transfers(source)?, request, self.overwrite, progress)
            }
            Exported::Results(file) => file.write(source, self.overwrite, progress, &mut |_| {}),
            Exported::Text { path, text } => result_file::write_text(path, text, self.overwrite),
        }
    }

    fn ended(operation: OperationId, result: Result<ExportReport, Failure>, cx: &mut Apply<'_>) {
        exported(operation, result, cx.state);
    }
}

/// An export ended.
pub(super) fn exported(
    operation: OperationId,
    result: Result<ExportReport, Failure>,
    state: &mut State,
) {
    let report = match result {
        Ok(report) => report,
        Err(failure) => return failed(operation, failure, state),
    };
    let Some(running) = state.transfer.take(operation) else { return };
    let RunKind::Export { path } = running.kind else { return };
    let path = path.display().to_string();
    let words = match &running.draft {
        Dialog::Export(draft) if matches!(draft.content, Content::JsonSchema(_)) => {
            "the JSON Schema".to_owned()
        }
        Dialog::Export(draft) if matches!(draft.content, Content::Audit(_)) => {
            "the TTL audit".to_owned()
        }
        _ => numbers::counted(report.exported, "document", "documents"),
    };
    let mut text = format!("Exported {words} to {path}");
    if let Some(indexes) = &report.indexes_file {
        text.push_str(", indexes to ");
        text.push_str(&file_name(indexes));
    }
    state.operations.end(operation, Stage::Done(text.clone()));
    if let Some(ended) = state.operations.get_mut(operation) {
        ended.file = Some(path.clone());
    }
    if is_shown(operation, state) {
        state.dialogs.close();
    }
    let copy = Offer::Copy(path);
    state.toasts.push(Kind::Done, text, Some(("Copy path".to_owned(), copy)), state.uptime);
    // The dialog said it of the documents of a collection.
    let was_said = matches!(&running.draft, Dialog::Export(draft) if draft.losses.here().is_some());
    if !was_said && !report.losses.is_empty() {
        let losses = report.losses.sentences().join("; ");
        state.toast(Kind::Warning, format!("When the file is imported, {losses}."));
    }
    if let Some(left_out) = report.left_out {
        state.toast(Kind::Warning, format!("{left_out}."));
    }
    if let Some(lookalikes) = report.lookalikes {
        state.toast(Kind::Warning, lookalikes.to_string());
    }
}
