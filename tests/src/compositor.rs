//! A private Wayland compositor (sway without a screen) for tests that need a real window.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::deadline::Deadline;

/// How long the compositor may take to open its sockets.
const START: Duration = Duration::from_secs(30);

/// How long a program of the desktop may take, and the pause between two looks.
const ANSWER: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(50);

/// The number of a user without rights: sway refuses to run as root.
const NOBODY: u32 = 65_534;

/// A running compositor with one output and no window; it ends when this value is dropped.
pub struct Compositor {
    server: Child,
    folder: TempDir,
    display: OsString,
    control: PathBuf,
}

impl Compositor {
    /// Starts a compositor whose only output has this size in pixels.
    ///
    /// # Errors
    /// When sway is not installed or does not come up.
    pub fn start(width: u32, height: u32) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("config");
        let output = format!("output HEADLESS-1 resolution {width}x{height} scale 1\n");
        fs::write(&config, output + "default_border none\nxwayland disable\n")?;
        let mut command = Command::new("sway");
        if fs::metadata(folder.path())?.uid() == 0 {
            chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
            fs::set_permissions(&config, Permissions::from_mode(0o644))?;
            command = Command::new("setpriv");
            command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
            command.args(["--clear-groups", "sway"]);
        }
        let server = command
            .arg("-c")
            .arg(&config)
            .env("XDG_RUNTIME_DIR", folder.path())
            .env("WLR_BACKENDS", "headless")
            .env("WLR_LIBINPUT_NO_DEVICES", "1")
            .env("WLR_RENDERER", "pixman")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut started =
            Self { server, folder, display: OsString::new(), control: PathBuf::new() };
        let deadline = Deadline::after(START);
        while started.display.is_empty() || started.control.as_os_str().is_empty() {
            if deadline.is_over() || started.server.try_wait()?.is_some() {
                return Err(io::Error::other("sway ended before it opened its sockets"));
            }
            thread::sleep(LOOK);
            started.find_sockets()?;
        }
        Ok(started)
    }

    fn find_sockets(&mut self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            let name = entry.file_name();
            let text = name.to_string_lossy();
            if text.starts_with("sway-ipc.") {
                self.control = entry.path();
            } else if text.starts_with("wayland-") && !text.ends_with(".lock") {
                self.display = name;
            }
        }
        Ok(())
    }

    /// The variables of a program that opens its window here.
    pub fn variables(&self) -> [(&'static str, OsString); 2] {
        [("WAYLAND_DISPLAY", self.display.clone()), ("XDG_RUNTIME_DIR", self.folder.path().into())]
    }

    /// Gives the output another size in pixels, and another number of hundredths of a pixel to a point.
    ///
    /// # Errors
    /// When the compositor refuses.
    pub fn set_output(&self, width: u16, height: u16, scale: u16) -> io::Result<()> {
        let (size, scale) = (format!("{width}x{height}"), (f32::from(scale) / 100.0).to_string());
        let output = ["output", "HEADLESS-1", "resolution", &size, "scale", &scale];
        self.run(self.program("swaymsg").args(output), "").map(|_| ())
    }

    /// The windows that are open, as the compositor describes them.
    ///
    /// # Errors
    /// When the compositor does not answer.
    pub fn windows(&self) -> io::Result<String> {
        self.run(self.program("swaymsg").args(["-t", "get_tree"]), "")
    }

    /// Presses keys together with Ctrl, one after the other, as the keyboard would. The keyboard exists
    /// for these alone: it stays for a moment before and after, so that the window has seen it come.
    ///
    /// # Errors
    /// When the key can't be sent.
    pub fn press_with_ctrl(&self, keys: &[&str]) -> io::Result<()> {
        let mut press = vec!["-s", "1000", "-M", "ctrl"];
        press.extend(keys.iter().flat_map(|key| ["-k", key]));
        press.extend(["-m", "ctrl", "-s", "500"]);
        self.run(self.program("wtype").args(press), "").map(|_| ())
    }

    /// Puts a text into the clipboard, as another program would.
    ///
    /// # Errors
    /// When it can't be put there.
    pub fn copy(&self, text: &str) -> io::Result<()> {
        self.run(&mut self.program("wl-copy"), text).map(|_| ())
    }

    /// The text in the clipboard, as another program would get it.
    ///
    /// # Errors
    /// When there is none.
    pub fn paste(&self) -> io::Result<String> {
        self.run(self.program("wl-paste").arg("--no-newline"), "")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.envs(self.variables()).env("SWAYSOCK", &self.control);
        command
    }

    /// Runs a program of the desktop to its end. The owner of the clipboard outlives the program that
    /// started it and keeps standard output open, so the output goes through a file.
    fn run(&self, command: &mut Command, input: &str) -> io::Result<String> {
        let file = self.folder.path().join("output");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(fs::File::create(&file)?)
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes())?;
        }
        let deadline = Deadline::after(ANSWER);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if deadline.is_over() {
                child.kill()?;
                break child.wait()?;
            }
            thread::sleep(LOOK);
        };
        if status.success() {
            fs::read_to_string(&file)
        } else {
            Err(io::Error::other(format!("{command:?}: {status}")))
        }
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
