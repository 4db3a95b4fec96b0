//! Every dialog keeps the same promises: where the keyboard begins, what Enter and Escape do, and that
//! nothing moves. A dialog without a row here does not compile.

use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, doc};
use egui::{Key, Modifiers, Rect};
use mayfly::action::store_actions::Page;
use mayfly::action::{
    Action, AuditAction, CalendarAction, ConvertAction, DialogAction, DocumentsAction,
    IndexesAction, MaintenanceAction, SchemaAction, StoreAction, TransferAction, TrashAction,
};
use mayfly::job::rollout::RolloutPlan;
use mayfly::job::{CopyEnded, CopyReport, End};
use mayfly::source::{Capabilities, Events, Maintenance, Source, Transfers};
use mayfly::state::aggregate::dialogs::{CreateView, SavePipeline, WriteResults};
use mayfly::state::dialogs::{
    CreateCollection, CreateDatabase, DropDialog, DropTarget, Handout, HelpPage, OpenFolder,
    OpenLesson, RenameCollection, SettingsDraft,
};
use mayfly::state::lesson::save::SaveLesson;
use mayfly::state::listener::ListenerDraft;
use mayfly::state::maintenance::{self, Ended};
use mayfly::state::operations::OperationId;
use mayfly::state::rollout::RolloutDraft;
use mayfly::state::sandbox::{AfterSandbox, LeaveSandbox, OpenSandbox};
use mayfly::state::sent::Sent;
use mayfly::state::{Dialog, Namespace, aggregate, documents, indexes, schema, transfer};
use mayfly_engine::reply::DocCount;
use mayfly_engine::transfer::Dump;

use super::pictures::in_every_size;
use super::support::{Window, at};

/// The effect of Enter in a dialog that just opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enter {
    /// The primary button is pressed: the dialog closes, gives way to another one or sends.
    Presses,
    /// The primary button loses something: the keyboard moves to it.
    Arms,
    /// The keyboard is on the button that loses nothing, which closes the dialog.
    Leaves,
    /// The primary button can't be pressed before something is typed.
    Waits,
}

pub struct Row {
    pub dialog: &'static str,
    open: fn(&Window) -> Action,
    /// The control that has the keyboard.
    first: &'static str,
    primary: &'static str,
    leave: &'static str,
    enter: Enter,
}

macro_rules! rows {
    (rows: {$($pattern:pat => $name:ident, $open:expr, $first:literal, $primary:literal, $leave:literal, $enter:ident;)*
    } elsewhere: {$($other:pat => $where:ident;)*}) => {
        pub const ROWS: &[Row] = &[$(Row {
            dialog: stringify!($name), open: $open, first: $first, primary: $primary, leave: $leave,
            enter: Enter::$enter,
        },)*];

        fn name_of(dialog: &Dialog) -> &'static str {
            match dialog {
                $($pattern => stringify!($name),)*
                $($other => stringify!($where),)*
            }
        }
    };
}

fn show(dialog: Dialog) -> Action {
    Action::Dialog(DialogAction::Show(dialog))
}

fn carts() -> Namespace {
    Namespace::new("test", "carts")
}

fn documents(window: &Window, action: DocumentsAction) -> Action {
    Action::Documents(window.tab().id, action)
}

fn indexes(window: &Window, action: IndexesAction) -> Action {
    Action::Indexes(window.tab().id, action)
}

rows! {
    rows: {
    Dialog::Settings(_) => Settings, |_| show(Dialog::Settings(SettingsDraft::default())), "Done", "Done", "Done", Presses;
    Dialog::Shortcuts => Shortcuts, |_| show(Dialog::Shortcuts), "Done", "Done", "Done", Presses;
    Dialog::Help(_) => Help, |_| show(Dialog::Help(HelpPage::Ttl)), "Done", "Done", "Done", Presses;
    Dialog::CreateDatabase(_) => CreateDatabase, |_| show(Dialog::CreateDatabase(CreateDatabase { name: "a".into(), collection: "b".into(), ..Default::default() })),
        "Database name", "Create database", "Cancel", Presses;
    Dialog::CreateCollection(_) => CreateCollection, |_| show(Dialog::CreateCollection(CreateCollection { db: "test".into(), name: "b".into(), ..Default::default() })),
        "Collection name", "Create collection", "Cancel", Presses;
    Dialog::RenameCollection(_) => RenameCollection, |_| show(Dialog::RenameCollection(RenameCollection { from: carts(), name: "bags".into(), sent: Sent::default() })),
        "New name", "Rename", "Cancel", Presses;
    Dialog::DuplicateCollection(_) => DuplicateCollection, |_| Action::Store(StoreAction::OpenDuplicate(carts())),
        "Name of the copy", "Duplicate", "Cancel", Presses;
    Dialog::Statistics(_) => Statistics, |_| Action::Store(StoreAction::OpenStatistics(carts())), "Done", "Done", "Done", Presses;
    Dialog::Drop(_) => Drop, |_| show(Dialog::Drop(DropDialog { target: DropTarget::Collection(carts()), typed: "carts".into(), sent: Sent::default() })),
        "Name to confirm", "Drop collection", "Cancel", Presses;
    Dialog::Confirm(_) => Confirm, |_| mayfly::action::trash::ask_archive_off(&carts(), "test.carts"), "Cancel", "Turn off", "Cancel", Leaves;
    Dialog::OpenFolder(_) => OpenFolder, |_| show(Dialog::OpenFolder(OpenFolder { path: "/nowhere/at/all".into(), ..Default::default() })),
        "Folder path", "Open", "Cancel", Presses;
    Dialog::Connect(_) => Connect, |_| show(Dialog::Connect(Box::default())), "Connection string", "Connect", "Cancel", Waits;
    Dialog::OpenLesson(_) => OpenLesson, |_| show(Dialog::OpenLesson(OpenLesson { path: "/nowhere/a.md".into() })), "Lesson or course path", "Open", "Cancel", Presses;
    Dialog::Handout(_) => Handout, |_| show(Dialog::Handout(Handout { path: "/nowhere/a.md".into(), name: "a".into() })), "Handout path", "Export", "Cancel", Presses;
    Dialog::SaveLesson(_) => SaveLesson, |_| show(Dialog::SaveLesson(SaveLesson::default())), "Lesson title", "Save", "Cancel", Waits;
    Dialog::OpenSandbox(_) => OpenSandbox, |_| show(Dialog::OpenSandbox(OpenSandbox::default())), "Start time", "Open sandbox", "Cancel", Presses;
    Dialog::LeaveSandbox(_) => LeaveSandbox, |_| show(Dialog::LeaveSandbox(LeaveSandbox::before(AfterSandbox::Close))), "Cancel", "Discard", "Cancel", Leaves;
    Dialog::Listener(_) => Listener, |_| show(Dialog::Listener(ListenerDraft::default())), "Port", "Start listening", "Cancel", Presses;
    Dialog::Trash(_) => Trash, |_| Action::Trash(TrashAction::Open(None)), "Done", "Done", "Done", Presses;
    Dialog::Audit(_) => Audit, |_| Action::Audit(AuditAction::Open), "Done", "Done", "Done", Presses;
    Dialog::Calendar(_) => Calendar, |_| Action::Calendar(CalendarAction::Open), "Done", "Done", "Done", Presses;
    Dialog::Documents(_, documents::Dialog::Editor(_)) => Editor, |window| documents(window, DocumentsAction::Add), "Document", "Insert 1 document", "Cancel", Waits;
    Dialog::Documents(_, documents::Dialog::Delete(_)) => Delete, |window| documents(window, DocumentsAction::AskDeleteSelected), "Cancel", "Delete 3 documents", "Cancel", Leaves;
    Dialog::Documents(_, documents::Dialog::Update(_)) => Update, |window| documents(window, DocumentsAction::AskUpdateSelected), "Update", "Update 3 documents", "Cancel", Waits;
    Dialog::Documents(_, documents::Dialog::Copy(_)) => Copy, |window| documents(window, DocumentsAction::AskCopySelected), "Collection", "Copy 3 documents", "Cancel", Waits;
    Dialog::Documents(_, documents::Dialog::Damaged(_)) => Damaged, |window| documents(window, DocumentsAction::ShowDamaged), "Done", "Done", "Done", Presses;
    Dialog::Documents(_, documents::Dialog::Compare(_)) => Compare, |window| documents(window, DocumentsAction::Compare(Box::new([Bson::Int32(1), Bson::Int32(2)]))),
        "Close", "Close", "Close", Presses;
    Dialog::Documents(_, documents::Dialog::Value(_)) => Value, |window| {
        let pane = documents::value_pane::ValuePane::new("text".into(), Bson::String("words".into()));
        show(Dialog::Documents(window.tab().id, documents::Dialog::Value(Box::new(pane))))
    }, "Find in this text", "Close", "Close", Presses;
    Dialog::Aggregate(_, aggregate::Dialog::Save(_)) => SavePipeline, |window| show(Dialog::Aggregate(window.tab().id, aggregate::Dialog::Save(SavePipeline { name: "mine".into() }))),
        "Pipeline name", "Save", "Cancel", Presses;
    Dialog::Aggregate(_, aggregate::Dialog::View(_)) => CreateView, |window| show(Dialog::Aggregate(window.tab().id, aggregate::Dialog::View(CreateView { name: "mine".into(), ..Default::default() }))),
        "View name", "Create view", "Cancel", Presses;
    Dialog::Aggregate(_, aggregate::Dialog::Write(_)) => WriteResults, |window| {
        let to = aggregate::WritesTo { namespace: Namespace::new("test", "made"), replaces: true };
        let write = WriteResults { pipeline: vec![doc! {"$out": "made"}], to, count: None, sent: Sent::default() };
        show(Dialog::Aggregate(window.tab().id, aggregate::Dialog::Write(write)))
    }, "Write to test.made", "Write to test.made", "Cancel", Presses;
    Dialog::Indexes(_, indexes::Dialog::Create(_)) => CreateIndex, |window| indexes(window, IndexesAction::OpenCreateTtl("at".into())), "Field 1", "Create index", "Cancel", Waits;
    Dialog::Indexes(_, indexes::Dialog::ChangeTtl(_)) => ChangeTtl, |window| indexes(window, IndexesAction::OpenChangeTtl("at_1".into())), "TTL", "No change", "Cancel", Waits;
    Dialog::Indexes(_, indexes::Dialog::Drop(_)) => DropIndex, |window| indexes(window, IndexesAction::OpenDrop("at_1".into())), "Cancel", "Drop index", "Cancel", Leaves;
    Dialog::Schema(_, schema::Dialog::Json(_)) => JsonSchema, |window| show(Dialog::Schema(window.tab().id, schema::Dialog::Json("{}".into()))), "Save to a file…", "Save to a file…", "Close", Presses;
    Dialog::Schema(_, schema::Dialog::Validator(_)) => Validator, |window| Action::Schema(window.tab().id, SchemaAction::OpenValidator), "Set validator", "Set validator", "Cancel", Presses;
    Dialog::Convert(_) => Convert, |_| Action::Convert(ConvertAction::Open { namespace: carts(), path: "text".into() }), "Field to convert", "Convert 3 values", "Cancel", Presses;
    Dialog::Transfer(transfer::Dialog::Import(_)) => Import, |_| Action::Transfer(TransferAction::Import { files: Vec::new(), into: Some(carts()) }), "File path", "Import", "Cancel", Waits;
    Dialog::Transfer(transfer::Dialog::Export(_)) => Export, |_| Action::Transfer(TransferAction::Export { namespace: carts(), shown: Box::default() }), "File path", "Export", "Cancel", Presses;
    Dialog::Transfer(transfer::Dialog::ExportDatabase(_)) => ExportDatabase, |_| Action::Transfer(TransferAction::ExportDatabase("test".into())), "Folder path", "Export", "Cancel", Presses;
    Dialog::Transfer(transfer::Dialog::Copied(_)) => Copied, |_| {
        let report = CopyReport { copied: 1, skipped: 0, refused: 0, unknown: 0, refusals: Vec::new(), indexes: 0, notes: Vec::new(), end: End::Complete };
        let ended = CopyEnded { report, opens: None, undo: None };
        let title = "Copy test.carts".into();
        show(Dialog::Transfer(transfer::Dialog::Copied(Box::new(transfer::CopyResult { operation: OperationId(1), title, ended, took: Duration::ZERO, folder: None }))))
    }, "Done", "Done", "Done", Presses;
    Dialog::Transfer(transfer::Dialog::Unfinished { .. }) => Unfinished, |_| show(Dialog::Transfer(transfer::Dialog::Unfinished { error: None })), "Decide later", "Decide later", "Decide later", Presses;
    Dialog::Transfer(transfer::Dialog::DumpImported(_)) => DumpImported, |_| show(Dialog::Transfer(transfer::Dialog::DumpImported(Box::new(transfer::DumpResult { outcomes: Vec::new(), chosen: 0, took: Duration::ZERO })))),
        "Done", "Done", "Done", Presses;
    Dialog::Maintenance(maintenance::Dialog::Home) => Maintenance, |_| Action::Maintenance(MaintenanceAction::Show(Page::Home)), "Done", "Done", "Done", Presses;
    Dialog::Maintenance(maintenance::Dialog::Backup(_)) => Backup, |_| Action::Maintenance(MaintenanceAction::Show(Page::Backup)), "Backup path", "Back up", "Back", Presses;
    Dialog::Maintenance(maintenance::Dialog::Restore(_)) => Restore, |_| Action::Maintenance(MaintenanceAction::Show(Page::Restore)), "Backup path", "Check backup", "Back", Waits;
    Dialog::Maintenance(maintenance::Dialog::Compact { .. }) => Compact, |_| Action::Maintenance(MaintenanceAction::Show(Page::Compact)), "Compact", "Compact", "Back", Presses;
    Dialog::Maintenance(maintenance::Dialog::Verify { .. }) => Verify, |_| Action::Maintenance(MaintenanceAction::Show(Page::Verify)), "Verify", "Verify", "Back", Presses;
    Dialog::Maintenance(maintenance::Dialog::Ended(_)) => Ended, |_| {
        let ended = Ended { title: "Store verified".into(), sentence: "No damage".into(), tone: maintenance::Tone::Good, figures: Vec::new(), findings: Vec::new(), note: None, path: None };
        show(Dialog::Maintenance(maintenance::Dialog::Ended(Box::new(ended))))
    }, "Done", "Done", "Back", Presses;
    Dialog::Transfer(transfer::Dialog::Copy(_)) => CopyToStore, |_| {
        let draft = transfer::CopyDraft::new(carts(), transfer::copying::CopyTo::Sandbox, "", 0);
        show(Dialog::Transfer(transfer::Dialog::Copy(Box::new(draft))))
    }, "Copy", "Copy", "Cancel", Presses;
    Dialog::Transfer(transfer::Dialog::Dump(_)) => Dump, |_| {
        let dump = Dump { collections: Vec::new(), notes: Vec::new() };
        show(Dialog::Transfer(transfer::Dialog::Dump(Box::new(transfer::DumpDraft::new("/dump".into(), dump, "test")))))
    }, "Database", "Import", "Cancel", Waits;
    Dialog::Indexes(_, indexes::Dialog::Rollout(_)) => Rollout, |window| {
        let plan = RolloutPlan {
            namespace: carts(), create: None, name: "at_1".into(), key: doc! {"at": 1}, partial: None, is_hidden: false, from_secs: Some(600), to_secs: 60, per_second: 10,
            pass_max: None, replaces: false, lag_max_secs: None,
        };
        let draft = RolloutDraft { plan, per_second: "10".into(), lag_max: None, overdue: DocCount::Exact(3), bytes_each: None };
        show(Dialog::Indexes(window.tab().id, indexes::Dialog::Rollout(Box::new(draft))))
    }, "Documents a second", "Start, 3 documents go", "Cancel", Arms;
    }
    elsewhere: {
    // A server has to be attached: `server.rs`.
    Dialog::Server(_) => Server;
    // Work has to be under way or done: `enter.rs`, `transfer.rs`, `maintenance.rs`.
    Dialog::Transfer(transfer::Dialog::Running(_) | transfer::Dialog::Imported(_)) => Running;
    Dialog::Maintenance(maintenance::Dialog::Running(_)) => Closed;
    }
}

/// Answers late: a dialog's first frame comes before its first answer.
pub struct Late(pub Arc<dyn Source>);

impl Source for Late {
    fn run(&self, db: &str, command: &Document) -> Document {
        std::thread::park_timeout(Duration::from_millis(40));
        self.0.run(db, command)
    }

    fn subscribe(&self) -> Events {
        self.0.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        self.0.transfers()
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.0.maintenance()
    }

    fn close(&self) {
        self.0.close();
    }
}

pub fn window() -> Window {
    window_on(|source| source)
}

/// A window on a collection of three selected documents with a TTL index.
fn window_on(seen: fn(Arc<dyn Source>) -> Arc<dyn Source>) -> Window {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(
        folder,
        &[
            doc! {"createIndexes": "carts", "indexes": [
                {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 600},
            ]},
            doc! {"insert": "carts", "documents": [
                {"_id": 1, "at": at(60), "text": "2026-01-01"},
                {"_id": 2, "at": at(70), "text": "2026-01-02"},
                {"_id": 3, "at": at(80), "text": "2026-01-03"},
            ]},
        ],
        seen,
    );
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Documents");
    window.until_named("Document 3");
    window.click("Schema");
    window.until_named("All 3 documents read");
    window.click("Indexes");
    window.until_named("at_1");
    window.click("Documents");
    window.until_named("Document 1");
    let tab = window.tab().id;
    window.ask(Action::Documents(tab, DocumentsAction::SelectAll));
    window
}

pub fn open(window: &mut Window, row: &Row) {
    let action = (row.open)(window);
    window.ask_only(action);
    let is_open = |window: &Window| window.state().dialogs.open().map(name_of) == Some(row.dialog);
    window.until_frame(row.dialog, |window| is_open(window) && window.has(row.leave));
}

fn focused(window: &Window) -> String {
    window.focused().unwrap_or_default()
}

/// The places that must stay: the button that closes, the right edge of the primary one, the command.
fn places(window: &Window, row: &Row) -> Vec<(&'static str, Rect)> {
    let commands = [
        "Command to send",
        "Command",
        "Script",
        "Command line equivalent",
        "Command to list them",
        "The command is shown here once the fields are complete",
    ];
    let command = commands.iter().find(|name| window.has(name));
    let command = command.map(|name| {
        let place = window.place(name);
        ("command", Rect::from_min_size(place.min, egui::Vec2::ZERO))
    });
    [("the button that closes", window.place(row.leave))].into_iter().chain(command).collect()
}

fn is_near(one: Rect, other: Rect) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() < 6.0;
    near(one.top(), other.top())
        && near(one.left(), other.left())
        && near(one.right(), other.right())
}

#[test]
fn nothing_moves_between_the_first_frame_and_the_last() {
    let mut window = window_on(|source| Arc::new(Late(source)));
    let mut wrong = Vec::new();
    for row in ROWS {
        open(&mut window, row);
        let first = places(&window, row);
        window.settle_and_draw(10);
        if !window.has(row.leave) {
            let open = window.state().dialogs.open().map(name_of);
            wrong.push(format!("{}: {} went, and {open:?} is open", row.dialog, row.leave));
            close(&mut window, row, &mut wrong);
            continue;
        }
        let last = places(&window, row);
        for (before, after) in first.iter().zip(&last) {
            if before.0 != after.0 || !is_near(before.1, after.1) {
                wrong.push(format!("{}: {before:?} became {after:?}", row.dialog));
            }
        }
        if first.len() != last.len() {
            wrong.push(format!("{}: {first:?} became {last:?}", row.dialog));
        }
        if !window.has(row.primary) {
            wrong.push(format!("{}: no button {}", row.dialog, row.primary));
        }
        close(&mut window, row, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Closes a dialog by Escape.
fn close(window: &mut Window, row: &Row, wrong: &mut Vec<String>) {
    window.key(Key::Escape);
    if let Some(open) = window.state().dialogs.open() {
        wrong.push(format!("{}: Escape left {}", row.dialog, name_of(open)));
        while window.state().dialogs.open().is_some() {
            window.ask(Action::Dialog(DialogAction::Close));
        }
    }
}

#[test]
fn the_keyboard_begins_in_the_first_field_or_on_the_safe_button() {
    let mut window = window();
    let mut wrong = Vec::new();
    for row in ROWS {
        open(&mut window, row);
        window.settle_and_draw(3);
        let found = focused(&window);
        if found != row.first {
            wrong.push(format!(
                "{}: the keyboard is on {found:?}, not on {:?}",
                row.dialog, row.first
            ));
        }
        close(&mut window, row, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dialog_fits_into_windows_of_every_size() {
    let mut window = window();
    let mut wrong = Vec::new();
    for row in ROWS {
        open(&mut window, row);
        let name = format!("dialog-{}", row.dialog.to_lowercase());
        in_every_size(&mut window, &name, |window, at| {
            let room = window.harness.ctx.content_rect();
            for name in [row.primary, row.leave] {
                if window.has(name) && !room.contains_rect(window.place(name)) {
                    wrong.push(format!("{at}: {name} is outside"));
                }
            }
        });
        close(&mut window, row, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Presses Enter, with keys that are held, in dialogs that just opened, each in a new window.
fn enter(modifiers: Modifiers, rows: impl Iterator<Item = &'static Row>) {
    let mut wrong = Vec::new();
    for row in rows {
        let mut window = window();
        open(&mut window, row);
        window.settle_and_draw(3);
        let before = window.state().dialogs.open().cloned();
        let sent = window.sent().len();
        window.keys(modifiers, Key::Enter);
        let after = window.state().dialogs.open();
        let is_same = after.map(name_of) == Some(row.dialog);
        let is_sent = window.sent().len() > sent;
        let is_right = match row.enter {
            Enter::Presses => !is_same || after != before.as_ref() || is_sent,
            Enter::Leaves => after.is_none() && !is_sent,
            Enter::Arms => is_same && focused(&window) == row.primary,
            Enter::Waits => is_same && !is_sent,
        };
        if !is_right {
            wrong.push(format!("{}: {:?} was expected; now {after:?}", row.dialog, row.enter));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn enter_presses_the_primary_button() {
    enter(Modifiers::NONE, ROWS.iter().step_by(2));
}

#[test]
fn enter_presses_the_primary_button_of_the_others() {
    enter(Modifiers::NONE, ROWS.iter().skip(1).step_by(2));
}

#[test]
fn ctrl_and_enter_press_the_primary_button_too() {
    let presses = |row: &&Row| row.enter == Enter::Presses && row.primary != row.leave;
    enter(Modifiers::COMMAND, ROWS.iter().filter(presses));
}
