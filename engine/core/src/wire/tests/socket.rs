//! Unix sockets: access, existing files at the path, and cleanup.

use std::{
    fs::{self, Permissions},
    io::Read as _,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        net::{UnixListener, UnixStream},
    },
    path::PathBuf,
    process::{Command, Stdio},
};

use super::*;
use crate::wire::default_socket;

/// Names the data folder to a process that a test starts of itself.
const CHILD_FOLDER: &str = "MAYFLY_TEST_SOCKET_FOLDER";

pub(super) fn lab(limits: WireLimits, with_password: bool) -> Lab {
    Lab::at(limits, with_password, |folder| ListenAt::Socket(default_socket(folder)))
}

fn open() -> Lab {
    lab(WireLimits::default(), false)
}

fn path(lab: &Lab) -> PathBuf {
    default_socket(lab.folder.path())
}

fn mode(path: &FsPath) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o777
}

/// A second listener, on this socket.
fn listen(lab: &Lab, path: &FsPath) -> Result<Listener, String> {
    let at = ListenAt::Socket(path.to_owned());
    let options = ListenOptions { at, with_password: false, ..ListenOptions::default() };
    lab.engine.listen(options).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(lab: &Lab, path: &FsPath, words: &str) {
    let sentence = listen(lab, path).err().unwrap_or_default();
    assert!(sentence.contains(words), "{}: {sentence}", path.display());
}

/// A folder that is closed to others.
fn private() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("changed");
    folder
}

/// The socket file of a listener that is dead: std does not remove it.
fn leave_dead(path: &FsPath) {
    drop(UnixListener::bind(path).expect("a socket"));
    assert!(path.exists() && UnixStream::connect(path).is_err());
}

#[test]
fn no_umask_opens_the_socket_to_others() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let folder = PathBuf::from(folder);
        let engine = Engine::open(&folder, options).expect("an engine");
        let at = ListenAt::Socket(default_socket(&folder));
        let _listener =
            engine.listen(ListenOptions { at, ..ListenOptions::default() }).expect("on");
        println!("listening");
        // Until the test has looked.
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    for mask in ["000", "022", "077"] {
        let parent = tempfile::tempdir().expect("a folder");
        // A folder that existed before, with the mode of `mkdir`.
        let folder = parent.path().join("store");
        fs::create_dir(&folder).expect("made");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("changed");
        let test = "wire::tests::socket::no_umask_opens_the_socket_to_others";
        let mut child = Command::new("sh")
            .args(["-c", &format!("umask {mask}; exec \"$0\" \"$@\"")])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", test, "--nocapture"])
            .env(CHILD_FOLDER, &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the child runs");
        let mut printed = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        while !printed.contains("listening") {
            let read = std::io::BufRead::read_line(&mut out, &mut printed).expect("text");
            assert_ne!(read, 0, "umask {mask}: {printed}");
        }
        let socket = default_socket(&folder);
        let modes = (mode(socket.parent().expect("a folder")), mode(&socket));
        assert_eq!(modes, (0o700, 0o600), "umask {mask}");
        drop(child.stdin.take());
        assert!(child.wait().expect("it ends").success());
        assert!(!socket.exists(), "umask {mask}");
    }
}

#[test]
fn the_connection_string_is_what_drivers_take() {
    let parent = private();
    let lab = open();
    let folder = parent.path().join("my data+100%/ä");
    let listener = listen(&lab, &folder.join("a-b_c.sock")).expect("on");
    let parent = parent.path().to_str().expect("text").replace('/', "%2F");
    let host = format!("{parent}%2Fmy%20data%2B100%25%2F%C3%A4%2Fa-b_c.sock");
    assert_eq!(listener.uri(), format!("mongodb://{host}/"));
    let locked = self::lab(WireLimits::default(), true);
    let uri = locked.listener.uri();
    assert!(uri.starts_with("mongodb://mayfly:") && uri.contains("@%2F"), "{uri}");
    assert!(uri.ends_with("mayfly.sock/?authSource=admin"), "{uri}");
}

#[test]
fn a_client_is_shown_as_what_it_is() {
    let lab = open();
    let stream = &mut lab.connect();
    let told = ask(stream, &msg(0, &doc! { "whatsmyuri": 1, "$db": "admin" }));
    assert_eq!(told.get_str("you").ok(), Some("anonymous unix socket"), "{told}");
    let status = lab.listener.status();
    assert_eq!(status.at, ListenAt::Socket(path(&lab)));
    assert_eq!(status.clients[0].address, "anonymous unix socket");
    let mine = doc! { "currentOp": 1, "client": "anonymous unix socket", "$db": "admin" };
    let mine = ask(stream, &msg(0, &mine));
    assert_eq!(mine.get_array("inprog").map(Vec::len).ok(), Some(1), "{mine}");
}

#[test]
fn what_a_dead_program_left_is_replaced_and_nothing_else() {
    let (lab, folder) = (open(), private());
    let path = |name: &str| folder.path().join(name);
    leave_dead(&path("dead.sock"));
    let listener = listen(&lab, &path("dead.sock")).expect("the dead one is replaced");
    lives(&mut connect(listener.at()).expect("on"));

    refused(&lab, &path("dead.sock"), "is in use by another program");
    lives(&mut connect(listener.at()).expect("the first one stays"));

    fs::write(path("file.sock"), "mine").expect("written");
    refused(&lab, &path("file.sock"), "exists and is not a socket; choose another path");
    assert_eq!(fs::read(path("file.sock")).expect("it stays"), b"mine");

    leave_dead(&path("aim.sock"));
    symlink(path("aim.sock"), path("link.sock")).expect("a link");
    refused(&lab, &path("link.sock"), "exists and is not a socket");
    assert!(path("aim.sock").exists() && path("link.sock").is_symlink());

    fs::create_dir(path("folder.sock")).expect("made");
    refused(&lab, &path("folder.sock"), "exists and is not a socket");

    let other = std::os::unix::net::UnixDatagram::bind(path("other.sock")).expect("bound");
    refused(&lab, &path("other.sock"), "is in use by another program");
    drop(other);
}

#[test]
fn two_programs_do_not_take_the_same_dead_socket() {
    let (lab, folder) = (open(), private());
    let path = folder.path().join("dead.sock");
    leave_dead(&path);
    let held = fs::File::open(folder.path()).expect("a folder");
    held.lock().expect("free");
    refused(&lab, &path, "try again");
    assert!(listen(&lab, &path.with_file_name("new.sock")).is_ok(), "a free place needs no turn");
    assert!(path.exists());
    drop(held);
    assert!(listen(&lab, &path).is_ok());
}

#[test]
fn the_file_goes_at_the_end_if_it_is_still_this_ones() {
    let mut lab = open();
    let socket = path(&lab);
    assert!(socket.exists());
    lab.listener.stop();
    assert!(!socket.exists(), "removed");
    let again = listen(&lab, &socket).expect("the place is free");
    // Another program replaces it.
    fs::remove_file(&socket).expect("removed");
    let other = UnixListener::bind(&socket).expect("bound");
    drop(again);
    assert!(UnixStream::connect(&socket).is_ok(), "the other's stays");
    drop(other);
    let again = listen(&lab, &socket).expect("a dead one again");
    fs::remove_file(&socket).expect("removed");
    fs::write(&socket, "mine").expect("written");
    drop(again);
    assert_eq!(fs::read(&socket).expect("it stays"), b"mine");
}

#[test]
fn only_a_folder_that_is_closed_to_others_will_do() {
    let (lab, folder) = (open(), private());
    for mode in [0o755, 0o710, 0o701, 0o777] {
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("changed");
        let sentence = "put the socket in a private folder (mode 0700)";
        refused(&lab, &folder.path().join("a.sock"), sentence);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    let deep = folder.path().join("new/newer/a.sock");
    let _listener = listen(&lab, &deep).expect("new folders are made");
    for made in deep.ancestors().skip(1).take(2) {
        assert_eq!(mode(made), 0o700, "{}", made.display());
    }
}

#[test]
fn a_folder_of_another_user_will_not_do() {
    let (lab, folder) = (open(), private());
    // Only root can change the owner; without it, `/usr` belongs to another user.
    let own = rustix::process::geteuid().as_raw();
    let given = std::os::unix::fs::chown(folder.path(), Some(own + 1), None).is_ok();
    let others = if given { folder.path() } else { FsPath::new("/usr") };
    refused(&lab, &others.join("a.sock"), "belongs to another user");
}

#[test]
fn a_path_that_no_driver_or_system_takes_is_told() {
    let (lab, folder) = (open(), private());
    refused(&lab, &folder.path().join("mayfly"), "use a path that ends in .sock");
    refused(&lab, &folder.path().join("a\0.sock"), "use a path that ends in .sock");
    let long = folder.path().join("x".repeat(100)).join("a.sock");
    refused(&lab, &long, "choose a shorter path");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing was made");
}

#[test]
fn stopping_does_not_need_the_file() {
    let mut lab = open();
    let mut idle = lab.connect();
    lives(&mut idle);
    fs::remove_file(path(&lab)).expect("removed");
    lab.listener.stop();
    assert!(is_closed(&mut idle));
}

#[test]
fn the_window_switches_it_with_a_command() {
    let folder = private();
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(folder.path(), options).expect("an engine");
    let socket = default_socket(folder.path());
    let shown = socket.to_str().expect("text");
    let on = doc! { "mayflyListen": 1, "on": true, "socket": shown };
    let both = doc! { "mayflyListen": 1, "on": true, "socket": shown, "port": 0 };
    let refused = engine.run("admin", &both);
    assert_eq!(refused.get_i32("code").ok(), Some(2), "{refused}");
    let reply = engine.run("admin", &on);
    assert_eq!(reply.get_str("socket").ok(), Some(shown), "{reply}");
    assert!(reply.get("port").is_none() && socket.exists(), "{reply}");
    engine.run("admin", &doc! { "mayflyListen": 1, "on": false });
    assert!(!socket.exists());
}

/// Clients of sockets have no address that tells them apart, and each listener counts from one.
#[test]
fn the_end_of_one_listener_ends_no_read_of_another() {
    let mut lab = open();
    let other = listen(&lab, &default_socket(lab.folder.path()).with_file_name("b.sock"));
    let other = other.expect("on");
    let create = doc! { "create": "c", "capped": true, "size": 4096 };
    lab.engine.run("test", &create);
    lab.engine.run("test", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    let mut streams = [lab.connect(), connect(other.at()).expect("on")];
    for stream in &mut streams {
        let find = doc! { "find": "c", "tailable": true, "awaitData": true, "$db": "test" };
        let found = ask(stream, &msg(0, &find));
        let id = found.get_document("cursor").and_then(|cursor| cursor.get_i64("id"));
        let id = id.expect("open");
        let next = doc! { "getMore": id, "collection": "c", "maxTimeMS": 60_000, "$db": "test" };
        stream.write_all(&msg(0, &next)).expect("sent");
    }
    let running = |filter: Document| {
        let mut command = doc! { "currentOp": 1, "op": "getmore" };
        command.extend(filter);
        let reply = lab.engine.run("admin", &command);
        reply.get_array("inprog").expect("a list").len()
    };
    while running(doc! {}) < 2 {
        thread::yield_now();
    }
    lab.listener.stop();
    assert_eq!(running(doc! { "killPending": { "$ne": true } }), 1);
}
