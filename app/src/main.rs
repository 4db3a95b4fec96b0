//! Mayfly, as people start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    mayfly::program::run(std::env::args_os(), |_| ())
}
