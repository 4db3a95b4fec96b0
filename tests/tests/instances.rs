//! Of many programs that open a store at once exactly one succeeds. After it is killed, the next
//! one succeeds without further help.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use mayfly_tests::deadline::Deadline;
use mayfly_tests::program;
use mayfly_tests::server::Server;

/// Programs that are started at once.
const PROGRAMS: usize = 20;

/// How long they may take to report the store's owner.
const DECIDED_MAX: Duration = Duration::from_mins(1);

fn start(store: &Path) -> Child {
    Command::new(program::path())
        .args(["serve", "--port", "0", "--data"])
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits until all but one have ended; returns that one, and the others.
fn decided(mut all: Vec<Child>) -> (Child, Vec<Child>) {
    let deadline = Deadline::after(DECIDED_MAX);
    let mut ended = Vec::new();
    while all.len() > 1 {
        assert!(deadline.left().is_some(), "{} programs have the store", all.len());
        thread::park_timeout(Duration::from_millis(10));
        let is_ended = |child: &mut Child| child.try_wait().expect("it can be asked").is_some();
        ended.extend(all.extract_if(.., is_ended));
    }
    (all.pop().expect("one has the store"), ended)
}

#[test]
fn one_of_twenty_gets_the_store() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let (mut winner, others) = decided((0..PROGRAMS).map(|_| start(&store)).collect());
    for other in others {
        let output = other.wait_with_output().expect("it has ended");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("in use by another program"), "{said}");
    }
    assert!(winner.try_wait().expect("it can be asked").is_none(), "nobody has the store");
    winner.kill().expect("the program can be killed");
    winner.wait().expect("it ends");
    let mut next = Server::start_in(&store, &[]);
    assert_eq!(next.terminate(), Some(0));
}
