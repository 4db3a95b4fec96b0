//! Parses the arguments, then opens the window or runs a command.

use std::{ffi::OsString, process::ExitCode};

use crate::{
    WindowError, WindowOptions,
    cli::{self, Failure, WindowOutcome, WindowRequest},
    job::Zone,
    run_window,
    shutdown::ShutdownSignal,
    source::embedded::{check_free, opener},
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
    // A second window on the same store prints an error and exits, instead of opening empty. A
    // desktop shows no standard error, so there the window opens and shows the error.
    if !is_started_by_desktop() {
        check_free(&request.store).map_err(|failure| Failure(failure.message))?;
    }
    let opener = opener();
    let options = WindowOptions {
        request: request.store,
        opener,
        settings_file: None,
        local_zone: Zone::Local,
        present: request.present,
        shutdown: Some(shutdown),
    };
    match run_window(options, prepare) {
        Ok(()) => Ok(WindowOutcome::Closed),
        Err(WindowError::NoDisplay) => Ok(WindowOutcome::NoDisplay),
        Err(error) => Err(Failure(format!("{error}."))),
    }
}

/// Whether a desktop's icon or menu started the program, by the variables that desktops set.
fn is_started_by_desktop() -> bool {
    ["GIO_LAUNCHED_DESKTOP_FILE", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"]
        .into_iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
