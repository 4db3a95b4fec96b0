//! The relay as other programs see it, and what the driver gets of messages.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bson::doc;
use mongodb::options::{ClientOptions, Socks5Proxy};

use super::hostile_tests::{Replies, answer, with_defaults};
use super::runtime::Runtime;
use super::{Remote, relay};
use crate::job::{Cancel, ConnectionString};
use crate::source::Source as _;

const LONG: Duration = Duration::from_mins(1);

fn start(runtime: &Runtime) -> Socks5Proxy {
    let started = relay::start(ClientOptions::default());
    let started = runtime.run(started, LONG, &Cancel::default(), true).expect("it ends");
    let (options, _) = started.expect("a relay");
    options.socks5_proxy.expect("a proxy")
}

fn port(proxy: &Socks5Proxy) -> u16 {
    proxy.port.expect("a port")
}

/// Everything that the relay says until it ends the connection.
fn said(proxy: &Socks5Proxy, sent: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port(proxy))).expect("it accepts");
    stream.write_all(sent).expect("it reads");
    let mut said = Vec::new();
    // Bytes that it does not read reset the connection.
    drop(stream.read_to_end(&mut said));
    said
}

/// A login, and a request for a connection.
fn request(user: &str, password: &str, port: u16) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).expect("short")], text.as_bytes()].concat();
    let login = [vec![5, 1, 2, 1], text(user), text(password)].concat();
    [login, vec![5, 1, 0, 1, 127, 0, 0, 1], port.to_be_bytes().to_vec()].concat()
}

#[test]
fn a_program_without_the_login_is_refused() {
    let runtime = Runtime::start().expect("threads");
    let proxy = start(&runtime);
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    server.set_nonblocking(true).expect("a listener");
    let to = server.local_addr().expect("an address").port();
    let (user, password) = proxy.authentication.clone().expect("a login");
    assert!(user.len() == 32 && password.len() == 32 && user != password);
    assert_eq!(said(&proxy, &[5, 1, 0]), [5, 0xff], "no login at all");
    assert!(said(&proxy, &[4, 1, 0]).is_empty(), "another protocol");
    let wrong = [(user.as_str(), "x"), ("x", password.as_str()), ("", ""), (&password, &user)];
    for (user, password) in wrong {
        assert_eq!(said(&proxy, &request(user, password, to)), [5, 2, 1, 1]);
    }
    assert!(server.accept().is_err(), "it connected for another program");
    let other = start(&runtime);
    assert_eq!(said(&other, &request(&user, &password, to)), [5, 2, 1, 1], "another relay's");
}

#[test]
fn other_addresses_are_reached_too() {
    let check = |text: &str, expected: Option<&str>| {
        let string = ConnectionString::read(text).expect("a string");
        let remote = Remote::connect(&string, &Cancel::default(), &|_| ());
        let said = remote.map(|remote| {
            assert_eq!(remote.run("shop", &doc! { "ping": 1 }), doc! { "ok": 1.0 });
        });
        let said = said.map_err(|failure| failure.sentence).err();
        assert_eq!(said.is_some(), expected.is_some(), "{said:?}");
        assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()));
    };
    let replies = Arc::new(with_defaults(Replies::default()));
    // A machine may be without IPv6.
    if let Ok(server) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) {
        let (port, replies) = (server.local_addr().expect("an address").port(), replies.clone());
        let work = move || {
            server.incoming().flatten().for_each(|stream| {
                let replies = replies.clone();
                drop(thread::Builder::new().spawn(move || answer(stream, &replies)));
            });
        };
        thread::Builder::new().spawn(work).expect("a thread");
        check(&format!("mongodb://[::1]:{port}/"), None);
    }
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mongodb-1.sock");
        let text = path.display().to_string().replace('/', "%2F");
        let text = format!("mongodb://{text}/?serverSelectionTimeoutMS=500");
        check(&text, Some("mongodb-1.sock does not accept connections"));
        let server = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        let work = move || {
            server.incoming().flatten().for_each(|stream| {
                let replies = replies.clone();
                drop(thread::Builder::new().spawn(move || answer(stream, &replies)));
            });
        };
        thread::Builder::new().spawn(work).expect("a thread");
        check(&text, None);
    }
}

#[test]
fn each_side_leaves_with_the_other() {
    let runtime = Runtime::start().expect("threads");
    let proxy = start(&runtime);
    let (user, password) = proxy.authentication.clone().expect("a login");
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let to = server.local_addr().expect("an address").port();
    for is_first in [true, false] {
        let mut driver = TcpStream::connect((Ipv4Addr::LOCALHOST, port(&proxy))).expect("a relay");
        driver.write_all(&request(&user, &password, to)).expect("it reads");
        let (mut accepted, _) = server.accept().expect("a connection");
        let mut confirmed = [0; 14];
        driver.read_exact(&mut confirmed).expect("it confirms");
        assert_eq!(confirmed[..6], [5, 2, 1, 0, 5, 0]);
        let (leaving, staying) =
            if is_first { (driver, &mut accepted) } else { (accepted, &mut driver) };
        drop(leaving);
        assert_eq!(staying.read(&mut [0]).expect("the end"), 0);
    }
}

#[test]
fn what_is_no_message_is_an_end_that_the_driver_knows() {
    let runtime = Runtime::start().expect("threads");
    let proxy = start(&runtime);
    let (user, password) = proxy.authentication.clone().expect("a login");
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let to = server.local_addr().expect("an address").port();
    let header = |length: i32, kind: i32| {
        [length, 1, 2, kind].into_iter().flat_map(i32::to_le_bytes).collect::<Vec<u8>>()
    };
    let small = [header(26, 2013), vec![0; 4], vec![0, 5, 0, 0, 0, 0]].concat();
    let passes = |sent: &[u8]| {
        let mut driver = TcpStream::connect((Ipv4Addr::LOCALHOST, port(&proxy))).expect("a relay");
        driver.write_all(&request(&user, &password, to)).expect("it reads");
        let (mut accepted, _) = server.accept().expect("a connection");
        accepted.write_all(sent).expect("it reads");
        driver.read_exact(&mut [0; 14]).expect("it confirms");
        let mut passed = vec![0; sent.len().max(16)];
        let count = driver.read(&mut passed).expect("something");
        passed.truncate(count);
        passed
    };
    assert_eq!(passes(&small), small);
    let refused = header(i32::MAX, 2013);
    for length in [i32::MIN, -1, 0, 15, 16, 19, (48 << 20) + 1, i32::MAX] {
        let sent = [header(length, 2013), vec![0; 10]].concat();
        assert_eq!(passes(&sent), refused, "{length}");
    }
    for kind in [0, 1, 2004, 2012, 2014] {
        assert_eq!(passes(&[header(26, kind), vec![0; 10]].concat()), refused, "{kind}");
    }
    let mut section = small.clone();
    section[20] = 2;
    assert_eq!(passes(&section), refused, "an unknown section");
    let mut long = small;
    long[21] = 6;
    assert_eq!(passes(&long), refused, "a document that is longer than its message");
}
