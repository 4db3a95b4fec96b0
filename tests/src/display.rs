//! A private X display (Xvfb) for tests that need a real window.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running Xvfb with no window on it; it ends when this value is dropped.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Starts a display of the given size in pixels under a free number.
    ///
    /// # Errors
    /// When Xvfb is not installed or does not come up.
    pub fn start(width: u32, height: u32) -> io::Result<Self> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"])
            .arg(format!("{width}x{height}x24"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut number)?;
        }
        let number = number.trim();
        if number.is_empty() {
            let _ = server.kill();
            let _ = server.wait();
            return Err(io::Error::other("Xvfb ended before it named its display"));
        }
        Ok(Self { server, name: format!(":{number}") })
    }

    /// The variables of a program that opens its window here.
    pub fn variables(&self) -> [(&'static str, OsString); 1] {
        [("DISPLAY", self.name.clone().into())]
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
