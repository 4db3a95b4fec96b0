//! Numbers as filters read them.
