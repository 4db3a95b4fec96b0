//! Arguments, then the window or the command line.

use std::{ffi::OsString, process::ExitCode};

use crate::{
    WindowError, WindowOptions,
    cli::{self, Failure, Shown},
    demo, run_window,
    shutdown::ShutdownSignal,
    source::{
        OpenRequest,
        embedded::{check_free, opener},
    },
};

/// The whole program. `prepare` may add to the window's context, if there is to be a window.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> ExitCode {
    cli::run(arguments, |request, shutdown| window(request, shutdown, prepare))
}

fn window(
    request: OpenRequest,
    shutdown: ShutdownSignal,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> Result<Shown, Failure> {
    // A second window on the same store says so and ends, instead of opening with nothing to show.
    // Started from a desktop there is nobody to read that but in the window.
    if !is_started_by_desktop() {
        check_free(&request).map_err(|failure| Failure(failure.sentence))?;
    }
    let opener = opener(Some(demo::fill));
    let options = WindowOptions { request, opener, settings_file: None, shutdown: Some(shutdown) };
    match run_window(options, prepare) {
        Ok(()) => Ok(Shown::Closed),
        Err(WindowError::NoDisplay) => Ok(Shown::NoDisplay),
        Err(error) => Err(Failure(format!("{error}."))),
    }
}

/// Whether an icon or a menu was used, by what desktops tell a program that they start.
fn is_started_by_desktop() -> bool {
    ["GIO_LAUNCHED_DESKTOP_FILE", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"]
        .into_iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
