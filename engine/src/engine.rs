//! `Engine`: opens the parts and owns environment, clock and threads.
