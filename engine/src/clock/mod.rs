//! Time, passed in: the system's clock and a simulated one.
