//! The rules for creating and changing collections and indexes: pure functions from a request and
//! the current definitions to the new definitions.

/// A [`CatalogError`](super::CatalogError) of a kind, with the message as `format!` takes it.
macro_rules! refused {
    ($kind:ident, $($message:tt)+) => {{
        use $crate::catalog::{CatalogError, CatalogErrorKind};
        CatalogError::new(CatalogErrorKind::$kind, format!($($message)+))
    }};
}

pub(crate) mod coll_mod;
mod coll_mod_options;
mod collation;
mod conflict;
pub(crate) mod create;
pub(crate) mod create_indexes;
pub(crate) mod drop_indexes;
mod index_spec;
mod numbers;
mod special;
#[cfg(test)]
mod tests;
mod time_series;
pub(crate) mod validation;

pub use coll_mod::{CollModOutcome, CollModRequest};
pub use create::CreateRequest;
pub use create_indexes::{CreateIndexesOutcome, CreateIndexesRequest};
pub use drop_indexes::{DropIndexesOutcome, IndexSelector};
pub use index_spec::partial_filter;
pub(crate) use index_spec::{id_index, read_index};
pub(crate) use time_series::bucket_indexes;
