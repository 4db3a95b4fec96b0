//! The program as it was built.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of `mayfly`, next to the folder of the test binary.
///
/// # Panics
/// When it was not built. To run one test alone, first run `cargo build --release --workspace
/// --bins`.
pub fn path() -> PathBuf {
    built("mayfly")
}

/// The program, which keeps its files between two starts in a folder.
///
/// # Panics
/// As [`path`].
pub fn keeping_in(folder: &Path) -> Command {
    let mut command = Command::new(path());
    command.env("XDG_DATA_HOME", folder);
    command
}

/// The path of the same program with a port to drive its window.
///
/// # Panics
/// As [`path`].
pub fn inspected() -> PathBuf {
    built("inspected_mayfly")
}

fn built(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let folder = test.parent().and_then(Path::parent).expect("a test lies in target/…/deps");
    let program = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} was not built; run tests/run", program.display());
    program
}

/// Starts the program with SIGHUP at its default: the tests may run under `nohup`, which ignores
/// it.
pub fn command(program: &Path) -> Command {
    if cfg!(target_os = "linux") {
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP").arg(program);
        return command;
    }
    Command::new(program)
}

/// Sends a signal such as `TERM` to a process.
///
/// # Panics
/// When there is no such process.
pub fn signal(process: u32, name: &str) {
    let kill = ["-c", "kill -\"$0\" \"$1\"", name, &process.to_string()];
    let sent = Command::new("sh").args(kill).status().expect("kill runs");
    assert!(sent.success(), "process {process} can't be sent {name}");
}
