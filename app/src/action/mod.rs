//! Everything the user can ask for.
//!
//! [`Action`] has one sub-enum for each region, in its own file, together with the region's
//! entries: label, tooltip, shortcut and enabled state of everything in menus, palette and
//! shortcuts. Panels push actions; only `apply` carries them out.

pub mod aggregate;
pub mod archive;
pub mod calendar;
pub mod clock;
pub mod connect;
pub mod console;
pub mod convert;
pub mod cut;
pub mod dialog;
pub mod documents;
pub mod entries;
pub mod entry;
pub mod expiry;
pub mod explain;
pub mod help;
pub mod indexes;
pub mod lesson;
pub mod listener;
pub mod lookup;
pub mod maintenance;
mod offer;
pub mod queue;
pub mod reaper;
pub mod sandbox;
pub mod schema;
pub mod store;
pub mod supported;
pub mod tabs;
pub mod transfer;
pub mod trash;
pub mod view;

pub use aggregate::AggregateAction;
pub use archive::ArchiveAction;
pub use calendar::CalendarAction;
pub use clock::ClockAction;
pub use connect::ConnectAction;
pub use console::ConsoleAction;
pub use convert::ConvertAction;
pub use cut::CutAction;
pub use dialog::DialogAction;
pub use documents::DocumentsAction;
pub use entries::{entries, entry_for_keys, entry_for_keys_over_dialog};
pub use entry::{Entry, Group};
pub use expiry::ExpiryAction;
pub use explain::ExplainAction;
pub use indexes::IndexesAction;
pub use lesson::LessonAction;
pub use listener::ListenerAction;
pub use maintenance::MaintenanceAction;
pub use queue::Actions;
pub use reaper::ReaperAction;
pub use sandbox::SandboxAction;
pub use schema::SchemaAction;
pub use store::StoreAction;
pub use tabs::TabsAction;
pub use transfer::TransferAction;
pub use trash::TrashAction;
pub use view::ViewAction;

use crate::state::TabId;

/// One request of the user.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Store(StoreAction),
    Connect(ConnectAction),
    Tabs(TabsAction),
    Documents(TabId, DocumentsAction),
    Aggregate(TabId, AggregateAction),
    Expiry(TabId, ExpiryAction),
    /// How the store answers the query or the pipeline of a tab.
    Explain(TabId, ExplainAction),
    Indexes(TabId, IndexesAction),
    Schema(TabId, SchemaAction),
    /// Text and numbers of a field to dates.
    Convert(ConvertAction),
    Cut(CutAction),
    Transfer(TransferAction),
    /// The store as a whole: backups and maintenance.
    Maintenance(MaintenanceAction),
    Reaper(ReaperAction),
    Listener(ListenerAction),
    Archive(ArchiveAction),
    /// Removed documents that can be restored.
    Trash(TrashAction),
    Calendar(CalendarAction),
    Sandbox(SandboxAction),
    Lesson(LessonAction),
    Clock(ClockAction),
    Console(ConsoleAction),
    /// The open parts of the window, and its look.
    View(ViewAction),
    Dialog(DialogAction),
    /// Closes the open dialog and does what its button says.
    Confirm(Box<Action>),
}
