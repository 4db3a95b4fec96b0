//! Tables for TTL.md section 2.
