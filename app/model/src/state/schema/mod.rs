//! The Schema view of a tab: what is known of the documents, and what is chosen of it.

mod dialog;
mod filter;
mod view;

pub use dialog::{Dialog, ValidatorDraft, json_text};
pub use filter::{
    both, hour_filter, number_filter, time_filter, type_filter, value_filter, weekday_filter,
};
pub use view::{SchemaView, Stage};
