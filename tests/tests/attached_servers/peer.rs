//! A server as a child process, and what is asked of it.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bson::{Bson, Document};
use crossbeam_channel::{Receiver, unbounded};
use mayfly::source::{Source, remote};
use mayfly_tests::deadline::Deadline;
use tempfile::TempDir;

/// How long a test waits for a line of a server.
pub const WAIT: Duration = Duration::from_secs(30);

/// A running server; it ends when dropped, and with the test.
pub struct Peer {
    /// Its port on 127.0.0.1.
    pub port: u16,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    folder: TempDir,
}

impl Peer {
    /// nx-27017.
    pub fn nx_27017() -> Self {
        Self::python("servers", &["start_nx_27017.py"])
    }

    /// mongoeco, with the user `ada` whose password is `lovelace`.
    pub fn mongoeco() -> Self {
        Self::python("mongoeco", &["start_mongoeco.py"])
    }

    /// `CongoDB`.
    pub fn congodb() -> Self {
        let mut command = Command::new("node");
        command.arg(scripts().join("start_congodb.mjs"));
        command.arg(installed("congodb").join("dist_ts/congodb/index.js"));
        Self::start(command, tempfile::tempdir().expect("a folder"))
    }

    /// The server that plays this script.
    pub fn scripted(script: &str) -> Self {
        Self::python("servers", &["scripted.py", script])
    }

    fn python(environment: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(installed(environment).join("venv/bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(scripts().join(arguments[0]));
        command.args(&arguments[1..]);
        Self::start(command, tempfile::tempdir().expect("a folder"))
    }

    fn start(mut command: Command, folder: TempDir) -> Self {
        command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Their logs are long.
        let log = fs::File::create(folder.path().join("stderr")).expect("a file");
        let mut child = command.stderr(log).spawn().expect("the server starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = unbounded();
        let read =
            move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        thread::Builder::new().name("peer".to_owned()).spawn(read).expect("a thread");
        let mut peer = Self { port: 0, child, stdin, lines, folder };
        let first = peer.lines.recv_timeout(WAIT).unwrap_or_default();
        let port = first.strip_prefix("listening on ").and_then(|port| port.parse().ok());
        let log = || fs::read_to_string(peer.folder.path().join("stderr")).unwrap_or_default();
        peer.port = port.unwrap_or_else(|| panic!("it began with {first:?}: {}", log()));
        peer
    }

    /// A source on this server, as the window has it: locked.
    pub fn source(&self) -> Arc<dyn Source> {
        let opened = remote::open(&format!("mongodb://127.0.0.1:{}/", self.port));
        opened.map_or_else(|failure| panic!("{failure}"), |(source, _)| source)
    }

    /// The same without the lock.
    pub fn unlocked(&self) -> Arc<dyn Source> {
        let source = self.source();
        source.set_locked(false);
        source
    }

    /// Lets a script continue.
    pub fn go(&mut self) {
        self.stdin.write_all(b"go\n").expect("it reads");
    }

    /// Waits until a script has received this command.
    pub fn receives(&self, name: &str) -> Document {
        let deadline = Deadline::after(WAIT);
        loop {
            let received = self.received(deadline);
            if received.keys().next().is_some_and(|first| first == name) {
                return received;
            }
        }
    }

    /// The next command that a script received.
    pub fn received(&self, deadline: Deadline) -> Document {
        let line = self.lines.recv_timeout(deadline.left().unwrap_or_default());
        serde_json::from_str(&line.expect("it received a command")).expect("a line of JSON")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/servers")
}

/// The folder of `tests/clients/install`.
fn installed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients").join(name);
    assert!(path.exists(), "{} is missing; run tests/clients/install", path.display());
    path.canonicalize().expect("a path")
}

/// The reply to a command in the database `shop`; it must be one of success.
#[expect(clippy::needless_pass_by_value, reason = "tests write commands in place")]
pub fn ok(source: &dyn Source, command: Document) -> Document {
    let reply = source.run("shop", &command);
    let said = sentence(&reply);
    assert!(said.is_empty(), "{command}: {said}");
    reply
}

/// The sentence that the window shows of a command's failure.
#[expect(clippy::needless_pass_by_value, reason = "tests write commands in place")]
pub fn refused(source: &dyn Source, command: Document) -> String {
    let reply = source.run("shop", &command);
    let said = sentence(&reply);
    assert!(!said.is_empty(), "{command}: {reply}");
    said
}

/// The error message of a reply, or an empty string if it succeeded.
pub fn sentence(reply: &Document) -> String {
    reply.get_str("errmsg").unwrap_or_default().to_owned()
}

/// The documents of a reply's first batch.
pub fn batch(reply: &Document) -> Vec<Document> {
    let cursor = reply.get_document("cursor").expect("a cursor");
    let batch = cursor.get_array("firstBatch").expect("a batch");
    batch.iter().filter_map(Bson::as_document).cloned().collect()
}

/// The rows of a reply to `mayflyExpiring`.
pub fn rows(reply: &Document) -> Vec<Document> {
    let batch = reply.get_array("batch").expect("rows");
    batch.iter().filter_map(Bson::as_document).cloned().collect()
}
