//! The desktop program and its command line.
