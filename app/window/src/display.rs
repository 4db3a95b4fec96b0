//! The display server that the window opens on.

use std::env;

/// A kind of display server that is there, with the libraries that a window on it loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    Wayland,
    X11,
    /// The only one of its system.
    Native,
}

/// Why no window can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("No display found")]
    Display,
    #[error("{file} is missing. On Debian, install the package {package}")]
    Library { file: &'static str, package: &'static str },
}

/// Display servers that the environment names on Linux, and whether their libraries load.
#[derive(Debug, Clone, Copy)]
struct Found {
    wayland: Option<Library>,
    x11: Option<Library>,
}

/// Whether a library without which a window ends at its start can be loaded.
#[derive(Debug, Clone, Copy)]
enum Library {
    Loads,
    Missing { file: &'static str, package: &'static str },
}

/// The display server for the window. Wayland comes first; without one of its libraries the window
/// opens on X11.
///
/// # Errors
/// Without a display, or without a library that a window on it loads.
pub fn find() -> Result<Display, Missing> {
    if cfg!(any(target_os = "macos", target_os = "windows")) {
        return Ok(Display::Native);
    }
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_wayland = is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET");
    choose(Found {
        wayland: is_wayland.then(wayland_library),
        x11: is_set("DISPLAY").then(x11_library),
    })
}

fn choose(found: Found) -> Result<Display, Missing> {
    match (found.wayland, found.x11) {
        (None, None) => Err(Missing::Display),
        (Some(Library::Loads), _) => Ok(Display::Wayland),
        (_, Some(Library::Loads)) => Ok(Display::X11),
        (Some(Library::Missing { file, package }), _)
        | (None, Some(Library::Missing { file, package })) => {
            Err(Missing::Library { file, package })
        }
    }
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn wayland_library() -> Library {
    if cfg!(feature = "glow") && !wayland_sys::egl::is_lib_available() {
        return Library::Missing { file: "libwayland-egl.so.1", package: "libwayland-egl1" };
    }
    keyboard_library()
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn x11_library() -> Library {
    if xkbcommon_dl::x11::xkbcommon_x11_option().is_none() {
        return Library::Missing { file: "libxkbcommon-x11.so.0", package: "libxkbcommon-x11-0" };
    }
    keyboard_library()
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn keyboard_library() -> Library {
    match xkbcommon_dl::xkbcommon_option() {
        Some(_) => Library::Loads,
        None => Library::Missing { file: "libxkbcommon.so.0", package: "libxkbcommon0" },
    }
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
fn wayland_library() -> Library {
    Library::Loads
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
fn x11_library() -> Library {
    Library::Loads
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSING: Library = Library::Missing { file: "libone.so.1", package: "libone1" };

    fn check(wayland: Option<Library>, x11: Option<Library>, expected: &str) {
        let found = match choose(Found { wayland, x11 }) {
            Ok(display) => format!("{display:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{wayland:?} {x11:?}");
    }

    #[test]
    fn the_first_display_whose_library_loads_is_used() {
        let refused = "libone.so.1 is missing. On Debian, install the package libone1";
        check(None, None, "No display found");
        check(Some(Library::Loads), None, "Wayland");
        check(Some(Library::Loads), Some(Library::Loads), "Wayland");
        check(Some(MISSING), Some(Library::Loads), "X11");
        check(Some(MISSING), Some(MISSING), refused);
        check(Some(MISSING), None, refused);
        check(None, Some(Library::Loads), "X11");
        check(None, Some(MISSING), refused);
    }
}
