//! Files in and out, streamed.
