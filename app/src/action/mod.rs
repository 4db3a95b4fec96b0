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
    /// Databases and collections.
    Store(StoreAction),
    /// Servers.
    Connect(ConnectAction),
    /// Tabs and views.
    Tabs(TabsAction),
    /// The documents of a tab.
    Documents(TabId, DocumentsAction),
    /// The pipeline of a tab.
    Aggregate(TabId, AggregateAction),
    /// The expiry view of a tab.
    Expiry(TabId, ExpiryAction),
    /// How the store answers the query or the pipeline of a tab.
    Explain(TabId, ExplainAction),
    /// The indexes of a tab.
    Indexes(TabId, IndexesAction),
    /// The schema of a tab.
    Schema(TabId, SchemaAction),
    /// Text and numbers of a field to dates.
    Convert(ConvertAction),
    /// Operations that were cut short.
    Cut(CutAction),
    /// Files in and out.
    Transfer(TransferAction),
    /// The store as a whole: backups and maintenance.
    Maintenance(MaintenanceAction),
    /// The reaper.
    Reaper(ReaperAction),
    /// The listener.
    Listener(ListenerAction),
    /// Archives of expired documents.
    Archive(ArchiveAction),
    /// Removed documents that can be restored.
    Trash(TrashAction),
    /// Thresholds over all collections.
    Calendar(CalendarAction),
    /// Temporary stores on a simulated clock.
    Sandbox(SandboxAction),
    /// Lessons.
    Lesson(LessonAction),
    /// A simulated clock.
    Clock(ClockAction),
    /// The console.
    Console(ConsoleAction),
    /// The open parts of the window, and its look.
    View(ViewAction),
    /// Dialogs.
    Dialog(DialogAction),
}
