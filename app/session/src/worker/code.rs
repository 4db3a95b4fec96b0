//! The error numbers of MongoDB that the window acts on.

/// `Unauthorized`: the user lacks the right, or a connection is locked.
pub const UNAUTHORIZED: i32 = 13;

/// `NamespaceNotFound`: there is no such collection.
pub const NAMESPACE_NOT_FOUND: i32 = 26;

/// `IndexNotFound`: there is no such index.
pub const INDEX_NOT_FOUND: i32 = 27;

/// `MaxTimeMSExpired`: the command took longer than it was allowed to.
pub const MAX_TIME_MS_EXPIRED: i32 = 50;

/// `HostUnreachable`: a server can't be reached.
pub const HOST_UNREACHABLE: i32 = 6;

/// `NetworkTimeout`: a server did not answer in time.
pub const NETWORK_TIMEOUT: i32 = 89;

/// `DataCorruptionDetected`: data that is not what was written.
pub const DATA_CORRUPTION_DETECTED: i32 = 301;

/// Failures of the store, the time limit or the user's patience: the same read may succeed later.
const NOT_OF_THE_QUERY: [i32; 13] = [
    1,  // InternalError
    8,  // UnknownError
    43, // CursorNotFound
    MAX_TIME_MS_EXPIRED,
    NETWORK_TIMEOUT,
    96,    // OperationFailed
    175,   // QueryPlanKilled
    237,   // CursorKilled
    276,   // IndexBuildAborted
    365,   // TemporarilyUnavailable
    11601, // Interrupted
    14031, // OutOfDiskSpace
    DATA_CORRUPTION_DETECTED,
];

/// `InvalidOptions`.
pub const INVALID_OPTIONS: i32 = 72;

/// The codes of a server that does not have a command, or not this use of it: `CommandNotFound`,
/// `CommandNotSupported`, `NotImplemented`.
pub const NOT_THERE: [i32; 3] = [59, 115, 238];

/// Whether a read failed because of what it asked for: the same read always fails.
pub fn is_of_the_query(number: i32) -> bool {
    !NOT_OF_THE_QUERY.contains(&number)
}

#[cfg(test)]
mod tests {
    use mayfly_engine::query::Code;

    use super::*;

    #[test]
    fn a_refused_query_is_no_failed_store() {
        for code in [Code::BAD_VALUE, Code::FAILED_TO_PARSE, Code::TYPE_MISMATCH] {
            assert!(is_of_the_query(code.0), "{}", code.name());
        }
        for code in [Code::DATA_CORRUPTION_DETECTED, Code::INTERRUPTED, Code::OUT_OF_DISK_SPACE] {
            assert!(!is_of_the_query(code.0), "{}", code.name());
        }
    }
}
