//! `mayfly serve` as a child process.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use tempfile::TempDir;

use crate::program;

/// A running server on a new data folder; it ends when dropped.
pub struct Server {
    /// `mongodb://…` with the credentials.
    pub uri: String,
    child: Child,
    stdout: BufReader<ChildStdout>,
    folder: Option<TempDir>,
}

impl Server {
    /// A server on a temporary folder, with these further arguments.
    ///
    /// # Panics
    /// When it does not begin to listen.
    pub fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the store");
        let mut server = Self::start_in(folder.path(), arguments);
        server.folder = Some(folder);
        server
    }

    /// A server on this folder.
    ///
    /// # Panics
    /// When it does not begin to listen.
    pub fn start_in(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    /// A server on this folder with these variables of its environment.
    ///
    /// # Panics
    /// When it does not begin to listen.
    pub fn start_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(program::path());
        Self::run(command.envs(variables.iter().copied()), folder, arguments)
    }

    /// A server on this folder that another program such as `nohup` becomes.
    ///
    /// # Panics
    /// When it does not begin to listen.
    pub fn start_by(starter: &str, folder: &Path) -> Self {
        Self::run(Command::new(starter).arg(program::path()), folder, &[])
    }

    /// A server on this folder with this standard error.
    ///
    /// # Panics
    /// When it does not begin to listen.
    pub fn start_telling(stderr: File, folder: &Path, arguments: &[&str]) -> Self {
        Self::run(Command::new(program::path()).stderr(stderr), folder, arguments)
    }

    fn run(command: &mut Command, folder: &Path, arguments: &[&str]) -> Self {
        // It listens on a socket or on a port.
        let port: &[&str] = if arguments.contains(&"--socket") { &[] } else { &["--port", "0"] };
        let mut child = command
            .args(["serve", "--data"])
            .arg(folder)
            .args(port)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its standard output is a pipe");
        let mut stdout = BufReader::new(stdout);
        stdout.read_line(&mut line).expect("its first line can be read");
        let uri = line.trim().strip_prefix("mayfly listening on ");
        let uri = uri.unwrap_or_else(|| panic!("the first line was {line:?}")).to_owned();
        Self { uri, child, stdout, folder: None }
    }

    /// Asks it to end, as a system does that shuts down, and waits; its exit code.
    ///
    /// # Panics
    /// When it can't be asked.
    pub fn terminate(&mut self) -> Option<i32> {
        program::signal(self.pid(), "TERM");
        self.child.wait().expect("the server is a child of this process").code()
    }

    /// The standard output after the first line, until it ends.
    ///
    /// # Panics
    /// When that can't be read.
    pub fn last_words(&mut self) -> String {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).expect("its standard output can be read");
        text
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing to save: the folder goes too, or the test looks at what a killed server left.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
