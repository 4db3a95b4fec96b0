//! BSON semantics, pure: order, dotted paths, key bytes, text forms, the scan of untrusted bytes.
