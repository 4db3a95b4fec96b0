//! Arguments, then the window or the command line.

use std::process::ExitCode;

use mayfly::source::OpenRequest;
use mayfly::source::embedded::opener;
use mayfly::{WindowOptions, run_window};

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let request = OpenRequest { folder, ..OpenRequest::default() };
    let options = WindowOptions { request, opener: opener(None), settings_file: None };
    match run_window(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
