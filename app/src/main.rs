//! Arguments, then the window or the command line.

use std::process::ExitCode;

use mayfly::{
    WindowError, WindowOptions,
    cli::{self, Failure, Shown},
    demo, run_window,
    source::{
        OpenRequest,
        embedded::{check_free, opener},
    },
};

fn main() -> ExitCode {
    cli::run(std::env::args_os(), window)
}

fn window(request: OpenRequest) -> Result<Shown, Failure> {
    // A second window on the same store says so and ends, instead of opening with nothing to show.
    check_free(&request).map_err(|failure| Failure(failure.0))?;
    let options = WindowOptions { request, opener: opener(Some(demo::fill)), settings_file: None };
    match run_window(options) {
        Ok(()) => Ok(Shown::Closed),
        Err(WindowError::NoDisplay) => Ok(Shown::NoDisplay),
        Err(error) => Err(Failure(format!("{error}."))),
    }
}
