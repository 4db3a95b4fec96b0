//! Parses the arguments, then opens the window or runs a command.

use std::{ffi::OsString, io::IsTerminal as _, process::ExitCode};

use crate::{
    WindowError, WindowOptions,
    cli::{self, Failure, WindowOutcome, WindowRequest},
    job::Zone,
    lessons::progress,
    run_window,
    shutdown::ShutdownSignal,
    source::embedded::{check_free, opener},
    worker::lesson_shelf,
};

/// The whole program. `prepare` may add to the window's context, if there is a window.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> ExitCode {
    cli::run(arguments, |request, shutdown| window(request, shutdown, prepare))
}

fn window(
    request: WindowRequest,
    shutdown: ShutdownSignal,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> Result<WindowOutcome, Failure> {
    // Only a terminal shows standard error. Without one, for example from a desktop's menu, the window
    // opens and shows the error. Which store was open last is known to the window alone.
    if std::io::stderr().is_terminal() && !request.open_last {
        check_free(&request.store).map_err(|failure| Failure(failure.message))?;
    }
    let opener = opener();
    let options = WindowOptions {
        request: request.store,
        open_last: request.open_last,
        opener,
        lessons: lesson_shelf::shelf(progress::default_file()),
        settings_file: None,
        local_zone: Zone::Local,
        present: request.present,
        lesson: request.lesson,
        shutdown: Some(shutdown),
    };
    match run_window(options, prepare) {
        Ok(()) => Ok(WindowOutcome::Closed),
        Err(WindowError::NoDisplay) => Ok(WindowOutcome::NoDisplay),
        Err(error) => Err(Failure(format!("{error}."))),
    }
}
