//! Databases, collections, index definitions, and the rules for creating and changing them.
//!
//! Everything here is a value or a pure function over values. A [`CatalogSnapshot`] holds the
//! definitions of one moment, and [`rules`] decide what a request may change. Only `collection`
//! writes the records.

mod closed;
mod collection_meta;
mod dialect;
mod error;
pub(crate) mod index_key;
mod index_meta;
mod name;
mod options;
pub(crate) mod record;
pub mod rules;
pub(crate) mod snapshot;
mod ttl_since;
mod validator;

pub use closed::ClosedReason;
pub use collection_meta::CollectionMeta;
pub(crate) use dialect::SERVER_DATABASES;
pub use dialect::{Dialect, has_own_ts};
pub use error::{CatalogError, CatalogErrorKind};
pub use index_key::{IndexKey, KeyKind, KeyPart};
pub use index_meta::{EntryForm, IndexMeta, IndexState};
pub use name::{Namespace, check_db};
pub use options::{Capped, Clustered, CollectionOptions, View};
pub use snapshot::{Catalog, CatalogSnapshot, DatabaseMeta, TtlTarget};
pub(crate) use ttl_since::note_since;
pub use validator::{Validation, ValidationAction, ValidationLevel};
