//! The `mayfly` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    mayfly::program::run(std::env::args_os(), |_| ())
}
