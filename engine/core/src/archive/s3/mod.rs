//! Archives in a bucket of an object store that speaks S3.
//!
//! An object can't be appended to, so each batch becomes its own segment, whose name holds its
//! summary. Each connection reads the credentials from the environment or the AWS profile; they are
//! never stored, shown or logged.

mod access;
mod bucket;
#[cfg(test)]
mod tests;

pub(super) use bucket::Bucket;
