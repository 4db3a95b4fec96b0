//! The screen of `mayfly watch`, in a real terminal without a window.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use super::{own_store, program};

/// The sequences by which a program enters its own screen, and leaves it.
const OPENED: &str = "\u{1b}[?1049h";
const LEFT: &str = "\u{1b}[?1049l";
const CURSOR_SHOWN: &str = "\u{1b}[?25h";

/// How long the program may write nothing while its words are waited for.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The program in a terminal.
struct Terminal {
    child: Child,
    /// Where the user types.
    user: File,
    /// The program's output.
    written: Receiver<Vec<u8>>,
    /// The program's side, kept open so that its settings can be compared.
    program: OwnedFd,
    before: Termios,
    seen: String,
}

impl Terminal {
    fn start(data: &Path, term: &str, arguments: &[&str]) -> Self {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&user).expect("it can be used");
        unlockpt(&user).expect("it can be opened");
        let name = ptsname(&user, Vec::new()).expect("it has a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let program_side = rustix::fs::open(&name, flags, Mode::empty()).expect("its other side");
        let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&user, size).expect("it has a size");
        let before = tcgetattr(&program_side).expect("it has settings");
        let side = || Stdio::from(program_side.try_clone().expect("it can be shared"));
        let mut command = program();
        command.args(arguments).env("XDG_DATA_HOME", data).env("TERM", term);
        command.env_remove("NO_COLOR").stdin(side()).stdout(side()).stderr(side());
        let child = command.spawn().expect("it starts");
        let user = File::from(user);
        let written = reader(user.try_clone().expect("it can be shared"));
        Self { child, user, written, program: program_side, before, seen: String::new() }
    }

    /// Reads until the program wrote these words.
    fn read_until(&mut self, words: &str) {
        while !self.seen.contains(words) {
            let Ok(bytes) = self.written.recv_timeout(SILENCE_MAX) else {
                let _ = self.child.kill();
                panic!("no {words} in {}", self.seen);
            };
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn press(&mut self, keys: &str) {
        self.user.write_all(keys.as_bytes()).expect("it can be written");
    }

    /// The program ends with this code and leaves the terminal as it was.
    fn ends(mut self, code: i32) {
        self.read_until(LEFT);
        let ended = self.child.wait().expect("it ends");
        assert_eq!(ended.code(), Some(code), "{}", self.seen);
        let after = tcgetattr(&self.program).expect("it has settings");
        assert_eq!(after.local_modes, self.before.local_modes);
        assert_eq!(after.input_modes, self.before.input_modes);
        assert_eq!(after.output_modes, self.before.output_modes);
        assert!(self.seen.contains(CURSOR_SHOWN), "{}", self.seen);
    }
}

/// Reads on another thread, because a read has no time limit. The thread ends with the terminal.
fn reader(mut user: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut buffer = [0; 4_096];
        while let Ok(count @ 1..) = user.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("terminal".to_owned()).spawn(read).expect("a thread");
    receiver
}

/// Sends a signal to the program.
fn signal(child: &Child, name: &str) {
    let kill = ["-c", "kill -\"$0\" \"$1\"", name, &child.id().to_string()];
    let sent = std::process::Command::new("sh").args(kill).status().expect("kill runs");
    assert!(sent.success(), "{name}");
}

#[test]
fn keys_and_signals_leave_the_terminal_as_it_was() {
    let data = own_store();
    for quit in ["q", "\u{3}", "\u{1b}", "TERM", "INT", "HUP"] {
        let mut terminal = Terminal::start(data.path(), "xterm-256color", &["watch"]);
        terminal.read_until(OPENED);
        terminal.read_until("mine");
        let settings = tcgetattr(&terminal.program).expect("it has settings");
        assert_ne!(settings.local_modes, terminal.before.local_modes, "keys arrive one by one");
        if quit.len() > 1 {
            signal(&terminal.child, quit);
        } else {
            terminal.press(quit);
        }
        terminal.ends(0);
    }
}

#[test]
fn a_sandbox_starts_at_a_time_and_its_clock_is_moved() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["watch", "--sandbox", "--at", "2026-01-01T00:00:00Z"];
    let mut terminal = Terminal::start(data.path(), "xterm-256color", &arguments);
    // Empty cells are not written, so that only words are in one piece.
    terminal.read_until("2026-01-01");
    terminal.read_until("SIMULATED");
    terminal.read_until("session-");
    // To the next pass, which removes what is overdue then.
    terminal.press("p");
    terminal.read_until("lag");
    terminal.press("q");
    terminal.ends(0);
}

#[test]
fn a_terminal_without_a_screen_gets_lines() {
    let data = own_store();
    let mut terminal = Terminal::start(data.path(), "dumb", &["watch"]);
    terminal.read_until("This terminal can't show a screen");
    terminal.read_until("next to expire: own.c 'mine' at");
    assert!(!terminal.seen.contains('\u{1b}'), "{}", terminal.seen);
    signal(&terminal.child, "TERM");
    assert_eq!(terminal.child.wait().expect("it ends").code(), Some(0));
}
