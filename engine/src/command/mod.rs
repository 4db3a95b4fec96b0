//! MongoDB command documents in, replies out.
