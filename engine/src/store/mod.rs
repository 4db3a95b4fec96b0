//! Bytes on disk. The only module that names heed.
