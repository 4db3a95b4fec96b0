//! Connections over TLS, and what is said when there is none.
//!
//! The certificates in `tls_tests` are signed by `authority.pem` and have one key. They are valid until
//! 2120, but for `expired.pem`, and `future.pem`, which begins in 2110.

use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::doc;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::Remote;
use super::hostile_tests::{Replies, answer, bytes, hello, listen, with_deep, with_defaults};
use crate::job::{Cancel, ConnectFailure, ConnectionString, Step};
use crate::source::Source as _;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source/remote/tls_tests").join(name)
}

fn certificate(name: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(file(name)).expect(name)
}

/// A server that shows a certificate, and may ask for one.
fn serve(name: &str, asks: bool, replies: Replies) -> u16 {
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let config = if asks {
        let mut authorities = RootCertStore::empty();
        authorities.add(certificate("authority.pem")).expect("an authority");
        let authorities = Arc::new(authorities);
        let verifier = WebPkiClientVerifier::builder_with_provider(authorities, provider);
        config.with_client_cert_verifier(verifier.build().expect("a verifier"))
    } else {
        config.with_no_client_auth()
    };
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).expect("a key");
    let config = config.with_single_cert(vec![certificate(name)], key).expect("a certificate");
    let (config, replies) = (Arc::new(config), with_defaults(replies));
    listen(move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
        _ = answer(StreamOwned::new(connection, stream), &replies);
    })
}

fn connect(host: &str, port: u16, options: &str) -> Result<Remote, ConnectFailure> {
    let options = format!("serverSelectionTimeoutMS=700&{options}");
    let text = format!("mongodb://{host}:{port}/?{options}");
    let string = ConnectionString::read(&text).expect("a string");
    Remote::connect(&string, &Cancel::default(), &|_| ())
}

fn check_fails(host: &str, port: u16, options: &str, step: Step, words: &[&str]) {
    let failure = connect(host, port, options).err().expect("it fails");
    for word in words {
        assert!(failure.sentence.contains(word), "{word} is missing: {}", failure.sentence);
    }
    assert_eq!(failure.step, step, "{}", failure.sentence);
}

/// The options of an encrypted connection that believes the authority.
fn believing() -> String {
    format!("tls=true&tlsCAFile={}", file("authority.pem").display())
}

const ANY: &str = "tls=true&tlsAllowInvalidCertificates=true";

fn check_connects(host: &str, port: u16, options: &str) {
    let remote = connect(host, port, options).map_err(|failure| failure.sentence);
    let remote = remote.expect("it connects");
    assert_eq!(remote.run("shop", &doc! { "ping": 1 }), doc! { "ok": 1.0 });
}

#[test]
fn a_certificate_that_is_believed_connects() {
    let port = serve("server.pem", false, HashMap::new());
    check_connects("localhost", port, &believing());
    check_connects("127.0.0.1", port, &believing());
    for name in ["authority.pem", "elsewhere.pem", "nameless.pem", "expired.pem", "future.pem"] {
        check_connects("localhost", serve(name, false, HashMap::new()), ANY);
    }
}

#[test]
fn a_refused_certificate_is_explained_with_a_way_out() {
    let check = |name: &str, options: &str, words: &str| {
        let port = serve(name, false, HashMap::new());
        let words = [words, "The certificate of localhost", "tlsAllowInvalidCertificates=true"];
        check_fails("localhost", port, options, Step::Hello, &words);
    };
    check("server.pem", "tls=true", "tlsCAFile=");
    check("authority.pem", &believing(), "is that of an authority");
    check("elsewhere.pem", &believing(), "is for elsewhere.example;");
    check("nameless.pem", &believing(), "no subject alternative name");
    check("expired.pem", &believing(), "has expired");
    check("future.pem", &believing(), "is not valid yet");
}

#[test]
fn a_server_that_asks_for_a_certificate_is_named() {
    let port = serve("server.pem", true, HashMap::new());
    let words = ["asks for a certificate of yours", "tlsCertificateKeyFile="];
    check_fails("localhost", port, &believing(), Step::Hello, &words);
    let folder = tempfile::tempdir().expect("a folder");
    let mine = folder.path().join("mine.pem");
    let [certificate, key] =
        ["server.pem", "key.pem"].map(|name| fs::read(file(name)).expect(name));
    fs::write(&mine, [certificate, key].concat()).expect("a file");
    let options = format!("{}&tlsCertificateKeyFile={}", believing(), mine.display());
    check_connects("localhost", port, &options);
}

#[test]
fn a_server_without_tls_is_named() {
    let check = |said: &'static [u8], words: &str| {
        let port = listen(move |mut stream| {
            drop(stream.read(&mut [0; 1_000]));
            drop(stream.write_all(said));
        });
        check_fails("localhost", port, ANY, Step::Hello, &[words, "tls=false"]);
    };
    check(b"", "ends the connection before TLS begins");
    check(b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not use TLS");
    let silent = listen(|mut stream| while stream.read(&mut [0; 1_000]).is_ok_and(|it| it > 0) {});
    check_fails("localhost", silent, ANY, Step::Hello, &["does not answer over TLS"]);
    let encrypted = serve("server.pem", false, HashMap::new());
    check_fails("localhost", encrypted, "tls=false", Step::Hello, &["add tls=true"]);
}

#[test]
fn files_that_tls_needs_must_be_there() {
    let missing = file("missing.pem");
    for option in ["tlsCAFile", "tlsCertificateKeyFile"] {
        let options = format!("tls=true&{option}={}", missing.display());
        let words = ["TLS can't be set up", "missing.pem"];
        check_fails("localhost", 1, &options, Step::Options, &words);
        let options = format!("tls=true&{option}={}", file("../mod.rs").display());
        check_fails("localhost", 1, &options, Step::Options, &["TLS can't be set up", "mod.rs"]);
    }
}

#[test]
fn replies_over_tls_are_looked_at_too() {
    let deep = with_deep(&doc! { "ok": 1.0, "n": 1 }, 1_000_000);
    let port = serve("server.pem", false, HashMap::from([("count", deep)]));
    let remote = connect("localhost", port, &believing());
    let remote = remote.map_err(|failure| failure.sentence).expect("it connects");
    let count = remote.run("shop", &doc! { "count": "c" });
    assert!(count.get_str("errmsg").is_ok_and(|said| said.contains("200 levels")), "{count}");
}

#[test]
fn a_set_that_the_server_is_not_in_is_named() {
    let serve = |set: Option<&str>| {
        let mut greeting = hello();
        greeting.extend(set.map(|set| ("setName".to_owned(), set.into())));
        let replies = with_defaults(HashMap::from([("hello", bytes(&greeting))]));
        listen(move |stream| _ = answer(stream, &replies))
    };
    for more in ["", "&directConnection=true"] {
        let options = format!("replicaSet=rs0{more}");
        let words = ["answers, but is not a member of a replica set", "replicaSet=rs0"];
        check_fails("localhost", serve(None), &options, Step::Hello, &words);
        let words = ["is a member of the replica set other", "replicaSet=rs0"];
        check_fails("localhost", serve(Some("other")), &options, Step::Hello, &words);
    }
}
