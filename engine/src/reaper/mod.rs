//! The background deletion of expired documents.
