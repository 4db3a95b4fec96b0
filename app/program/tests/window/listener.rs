//! Other programs connect, are listed, and are disconnected.

use std::net::TcpStream;

use egui::Key;

use super::support::Window;

fn dialog() -> Window {
    let mut window = Window::open();
    window.choose("Menu", "Connect other programs…");
    window.until_named("Start listening");
    window
}

#[test]
fn a_port_is_asked_for() {
    let mut window = dialog();
    assert_eq!(window.value("Port"), "27017");
    window.type_into("Port", "70000");
    window.until_named("70000 is not a valid port");
    assert!(!window.is_enabled("Start listening"));
    window.type_into("Port", "");
    assert!(window.is_enabled("Start listening"));
    let shown = window.value("Command to send");
    assert!(shown.contains("mayflyListen") && shown.contains("port: 0"), "{shown}");
    assert!(!window.has("Listener"));
}

#[test]
fn programs_are_let_in_and_shut_out() {
    let mut window = dialog();
    window.type_into("Port", "0");
    window.key(Key::Enter);
    window.until("it listens", |state| state.listener.status().on);
    window.until_named("Listener");
    let uri = window.state().listener.status().uri.clone();
    assert!(uri.starts_with("mongodb://mayfly:"), "{uri}");
    assert_eq!(window.value("Address"), uri);
    assert!(window.value("mongosh command").starts_with("mongosh "));
    window.until_named("No connections");
    let port = window.state().listener.status().at.port().expect("a port");
    let client = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    window.until("the client is seen", |state| state.listener.status().clients.len() == 1);
    let address = client.local_addr().expect("an address").to_string();
    window.until_named(&address);
    window.key(Key::Enter);
    window.until_gone("Stop listening");
    window.click("Listener");
    window.click("Stop listening");
    window.until("nobody is let in", |state| !state.listener.status().on);
    window.until_gone("Listener");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(window.sent().iter().all(|command| !command.contains("mongodb://")));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let mut window = dialog();
    window.type_into("Port", &port.to_string());
    window.click("Start listening");
    window.until_named(&format!("Port {port} is in use"));
    assert!(window.is_enabled("Start listening"));
}

#[cfg(unix)]
#[test]
fn a_socket_lets_in_who_may_open_the_file() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::{fs::PermissionsExt as _, net::UnixStream};

    let open = tempfile::tempdir().expect("a folder");
    set_permissions(open.path(), Permissions::from_mode(0o755)).expect("changed");
    let mut window = dialog();
    window.click("Listen on: Unix socket");
    window.until_named("Socket");
    let socket = window.value("Socket");
    assert!(socket.ends_with("/socket/mayfly.sock"), "{socket}");
    let shown = window.value("Command to send");
    assert!(shown.contains("mayflyListen") && shown.contains(&socket), "{shown}");

    window.type_into("Socket", "");
    window.until_named("Enter a socket path");
    assert!(!window.is_enabled("Start listening"));
    window.type_into("Socket", &open.path().join("mayfly.sock").to_string_lossy());
    window.click("Start listening");
    window.until_named("put the socket in a private folder (mode 0700)");
    window.click("Listen on: TCP port");
    window.until_gone("put the socket in a private folder (mode 0700)");

    window.click("Listen on: Unix socket");
    window.type_into("Socket", &socket);
    window.click("Start listening");
    window.until_named("Stop listening");
    let uri = window.value("Address");
    assert!(uri.starts_with("mongodb://mayfly:") && uri.contains("mayfly.sock/"), "{uri}");
    let client = UnixStream::connect(&socket).expect("a connection");
    window.until("the client is seen", |state| state.listener.status().clients.len() == 1);
    window.until_named("anonymous unix socket");
    drop(client);
    window.click("Stop listening");
    window.until("nobody is let in", |state| !state.listener.status().on);
    assert!(UnixStream::connect(&socket).is_err());
}
