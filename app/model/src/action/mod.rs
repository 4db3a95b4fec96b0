//! Everything the user can ask for.
//!
//! [`Action`] has one sub-enum for each region. A region's file holds its entries: label, tooltip,
//! shortcut and enabled state of everything in menus, palette and shortcuts. Panels push actions;
//! only `apply` carries them out.

pub mod aggregate;
pub mod audit;
pub mod calendar;
pub mod clock;
pub mod connect;
pub mod console;
pub mod convert;
pub mod dialog;
pub mod documents;
pub mod entries;
pub mod entry;
pub mod expiry;
pub mod explain;
pub mod help;
pub mod indexes;
pub mod keys;
pub mod lesson;
pub mod listener;
pub mod lookup;
pub mod maintenance;
mod offer;
pub mod queue;
pub mod reaper;
mod root;
pub mod sandbox;
pub mod schema;
pub mod store;
pub mod store_actions;
pub mod supported;
pub mod tabs;
pub mod transfer;
pub mod trash;
pub mod view;
pub mod view_actions;

pub use entries::entries;
pub use entry::{Entry, Group};
pub use queue::Actions;
pub use root::{Action, ConsoleAction, DialogAction, LessonAction, TabsAction, ViewAction};
pub use store_actions::{
    AuditAction, CalendarAction, ClockAction, ConnectAction, ListenerAction, MaintenanceAction,
    ReaperAction, SandboxAction, StoreAction, TransferAction, TrashAction,
};
pub use view_actions::{
    AggregateAction, ConvertAction, CutAction, DocumentsAction, ExpiryAction, ExplainAction,
    IndexesAction, SchemaAction,
};
