//! Arguments, then the window or the command line.

fn main() {}
