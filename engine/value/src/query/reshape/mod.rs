//! Stages that make one document of another: `$project`, `$addFields`, `$set`, `$unset`,
//! `$replaceRoot`, `$replaceWith`. Pipelines and updates use them.

mod fields;
mod root;
mod stage;

pub use fields::Fields;
pub(super) use fields::{check_path, compute};
pub use stage::Reshape;
