//! Buckets: the stored form of a time-series collection.
//!
//! Measurements with the same metadata that lie close in time are one stored document:
//!
//! ```text
//! { _id: ObjectId(its first four bytes: the earliest time, in seconds),
//!   control: { version: 1, min: { time: Date }, max: { time: Date }, count: 2 },
//!   meta: { host: 'a' },
//!   data: { '0': { time: Date, _id: 1, value: 7 }, '1': { … } } }
//! ```
//!
//! `control.min` is rounded down, see [`Span`]; `meta` is missing when the measurements have no
//! metadata. A measurement keeps its number in `data` for as long as it lives, so a cursor can
//! remember one by [`place`].

mod layout;
mod meta;
mod span;

pub use layout::{Bucket, at, has_meta, measurements, meta_of, place, split, start_ms};
pub use meta::normalized;
pub use span::{Span, TimeSeries};
