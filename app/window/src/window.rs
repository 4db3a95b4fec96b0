//! Opening the window.

use std::path::PathBuf;

use crate::app::MayflyApp;
pub use crate::app::{WindowOptions, open_settings};
use crate::display::{self, Display, Missing};
use crate::state::Settings;
use crate::theme::sizes;

/// The name under which the desktop knows the program.
pub const APP_ID: &str = "mayfly";

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// There is no display to open it on.
    #[error("No display found")]
    NoDisplay,
    #[error("Can't open the window: {0}")]
    Refused(String),
}

/// Opens the window and returns when it is closed. `prepare` may add to its context before the
/// first frame.
///
/// # Errors
/// [`WindowError::NoDisplay`] without a display; the caller then uses the command line.
pub fn run_window(
    options: WindowOptions,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> Result<(), WindowError> {
    let display = display::find().map_err(|missing| match missing {
        Missing::Display => WindowError::NoDisplay,
        Missing::Library { .. } => WindowError::Refused(missing.to_string()),
    })?;
    let size = Settings::read(options.settings.found.fields.clone()).0.window;
    let viewport = egui::ViewportBuilder::default()
        .with_title("Mayfly")
        .with_app_id(APP_ID)
        .with_inner_size(size.map_or(sizes::WINDOW, |it| [it.width, it.height]))
        .with_maximized(size.is_some_and(|it| it.is_maximized))
        .with_min_inner_size(sizes::WINDOW_MIN)
        .with_drag_and_drop(true)
        .with_icon(icon());
    let native = eframe::NativeOptions {
        viewport,
        // eframe reads no file and writes none: Mayfly keeps its settings itself.
        persistence_path: Some(PathBuf::new()),
        persist_window: false,
        // Dithering smooths gradients, which the window has none of, and costs a third of the drawing
        // where the processor draws.
        dithering: false,
        event_loop_builder: event_loop(display),
        ..eframe::NativeOptions::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        prepare(&context.egui_ctx);
        Ok(Box::new(MayflyApp::new(context, options)))
    });
    eframe::run_native(APP_ID, native, create).map_err(|error| refused(&error))
}

/// Builds the event loop for X11 where winit, which reads the environment alone, would choose Wayland.
#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn event_loop(display: Display) -> Option<eframe::EventLoopBuilderHook> {
    use winit::platform::x11::EventLoopBuilderExtX11 as _;
    (display == Display::X11).then(|| -> eframe::EventLoopBuilderHook {
        Box::new(|builder| {
            builder.with_x11();
        })
    })
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
fn event_loop(_: Display) -> Option<eframe::EventLoopBuilderHook> {
    None
}

fn refused(error: &eframe::Error) -> WindowError {
    let text = error.to_string();
    // winit names the display only in words.
    if text.contains("WAYLAND_DISPLAY") || text.contains("DISPLAY") || text.contains("no display") {
        return WindowError::NoDisplay;
    }
    WindowError::Refused(without_source(&text).to_owned())
}

/// The sentence of an error without winit's name for it and the line of its source.
fn without_source(text: &str) -> &str {
    let text = text.strip_prefix("winit EventLoopError: ").unwrap_or(text);
    let after = text.strip_prefix("os error at ").and_then(|rest| rest.split_once(".rs:"));
    after.and_then(|(_, line)| line.split_once(": ")).map_or(text, |(_, sentence)| sentence)
}

fn icon() -> egui::IconData {
    let png = include_bytes!("../../../assets/icon/mayfly-256.png");
    eframe::icon_data::from_png_bytes(png).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_no_source() {
        let check = |text, expected| assert_eq!(without_source(text), expected);
        let lost = "winit EventLoopError: os error at /src/wayland/mod.rs:89: No compositor: gone";
        check(lost, "No compositor: gone");
        check("winit EventLoopError: Exit Failure: 1", "Exit Failure: 1");
        check("glutin error: no config", "glutin error: no config");
    }
}
