//! Archives in a bucket of an object store that speaks S3.
//!
//! An object can't be appended to, so each batch is a segment of its own, and what is to be known of it
//! stands in its name. Who asks is told by the environment or by the AWS profile each time that a
//! connection is made; none of it is stored, shown or logged.

mod access;
mod bucket;
#[cfg(test)]
mod tests;

pub(super) use bucket::Bucket;
