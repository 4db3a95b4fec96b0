//! Numbers as the commands read them.
