//! The stages, one a file.

mod bucket;
mod bucket_auto;
mod count;
mod documents;
mod facet;
mod granularity;
mod graph_lookup;
mod group;
mod lookup;
mod matching;
mod redact;
mod reshaping;
mod sample;
mod server;
mod slice;
mod sort;
mod union_with;
mod unwind;

pub(super) use bucket::{bucket, sort_by_count};
pub(super) use bucket_auto::BucketAuto;
pub(super) use count::Count;
pub(super) use documents::Documents;
pub(super) use facet::Facet;
pub(super) use graph_lookup::GraphLookup;
pub(super) use group::Group;
pub(super) use lookup::Lookup;
pub(super) use matching::Match;
pub(super) use redact::Redact;
pub(super) use reshaping::ReshapeStage;
pub(super) use sample::Sample;
pub(super) use server::Server;
pub(super) use slice::{Limit, Skip};
pub(super) use sort::SortStage;
pub(super) use union_with::UnionWith;
pub(super) use unwind::Unwind;
