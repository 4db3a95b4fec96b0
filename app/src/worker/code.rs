//! The error numbers of MongoDB that the window acts on.

/// `NamespaceNotFound`: there is no such collection.
pub const NAMESPACE_NOT_FOUND: i32 = 26;

/// `DataCorruptionDetected`: data that is not what was written.
pub const DATA_CORRUPTION_DETECTED: i32 = 301;
