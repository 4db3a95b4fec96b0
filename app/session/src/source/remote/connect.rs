//! Connecting, step by step, so that a failure says which step failed.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use bson::{Document, doc};
use mongodb::Client;
use mongodb::options::{AuthMechanism, ClientOptions};

use super::relay::{self, Faults};
use super::runtime::{Ended, Runtime};
use super::{failure, said};
use crate::job::connection_string::{ConnectionString, Secret};
use crate::job::reply::is_ok;
use crate::job::{Cancel, ConnectFailure, Step};

/// How long a server may take until it is found; the driver's default is 30 s.
const FIND: Duration = Duration::from_secs(5);

/// How long one address may take to accept a connection.
const ACCEPT: Duration = Duration::from_secs(3);

/// How long a step may take in all.
const STEP: Duration = Duration::from_secs(12);

/// Connections that are open at once; a change stream has one of them.
const POOL: u32 = 5;

/// A client that has logged in, and the server's greeting.
pub struct Connected {
    pub client: Client,
    /// The reply to `hello`.
    pub hello: Document,
}

/// Connects to a server. Tells each step as it begins.
///
/// # Errors
/// Which step failed, and one sentence.
pub fn connect(
    string: &ConnectionString,
    runtime: &Runtime,
    cancel: &Cancel,
    begin: &dyn Fn(Step),
) -> Result<Connected, ConnectFailure> {
    begin(Step::Options);
    if string.needs_password() {
        let user = string.user.as_deref().unwrap_or_default();
        return Err(ConnectFailure::new(Step::Options, format!("Enter the password of {user}")));
    }
    let (options, faults) = options(string, runtime, cancel)?;
    // The hosts of `mongodb+srv` come from DNS, and only the driver resolves them.
    if string.scheme == "mongodb" {
        reach(&string.addresses(), runtime, cancel, begin)?;
    }
    begin(Step::Hello);
    // Without the login first: a server greets everybody, so a failure here is not the password's.
    let mut anonymous = options.clone();
    anonymous.credential = None;
    let greeter = client(anonymous, runtime, cancel)?;
    let hello = ask(&greeter, doc! { "hello": 1 }, runtime, cancel).map_err(|refusal| {
        let found = faults.furthest().filter(|_| refusal.is_silent);
        found.or_else(|| other_set(&options, runtime, cancel)).unwrap_or_else(|| refusal.of_hello())
    })?;
    let client = if options.credential.is_some() {
        begin(Step::Login);
        log_in(options, &greeter, runtime, cancel)?
    } else {
        greeter
    };
    Ok(Connected { client, hello })
}

fn log_in(
    mut options: ClientOptions,
    greeter: &Client,
    runtime: &Runtime,
    cancel: &Cancel,
) -> Result<Client, ConnectFailure> {
    let log_in = |options: ClientOptions| {
        let client = client(options, runtime, cancel)?;
        let pinged = ask(&client, doc! { "ping": 1 }, runtime, cancel);
        pinged.map_err(Refusal::of_login).map(|_| client)
    };
    let failed = match log_in(options.clone()) {
        Ok(client) => return Ok(client),
        Err(failed) => failed,
    };
    // Without a list of mechanisms the driver takes SCRAM-SHA-1, which newer servers may not have.
    let credential = options.credential.as_mut().filter(|found| found.mechanism.is_none());
    let Some(credential) = credential else { return Err(failed) };
    let source = credential.source.as_deref().unwrap_or("admin");
    let user = format!("{source}.{}", credential.username.as_deref().unwrap_or_default());
    let ask_for = doc! { "hello": 1, "saslSupportedMechs": user };
    match ask(greeter, ask_for, runtime, cancel) {
        Ok(hello) if !hello.contains_key("saslSupportedMechs") => {
            credential.mechanism = Some(AuthMechanism::ScramSha256);
            log_in(options).map_err(|_| failed)
        }
        _ => Err(failed),
    }
}

fn options(
    string: &ConnectionString,
    runtime: &Runtime,
    cancel: &Cancel,
) -> Result<(ClientOptions, Arc<Faults>), ConnectFailure> {
    let text: Secret = string.for_driver();
    let parsed = async move { ClientOptions::parse(text.reveal()).await };
    let parsed = runtime.run(parsed, STEP, cancel, true);
    let mut options = match parsed {
        Ok(Ok(options)) => options,
        Ok(Err(error)) => {
            return Err(ConnectFailure::new(Step::Options, failure::sentence(&error)));
        }
        Err(ended) => return Err(ConnectFailure::new(Step::Name, without_result(ended))),
    };
    // The name is in the server's list of connections, where an administrator finds this program.
    options.app_name.get_or_insert_with(|| "mayfly".to_owned());
    options.server_selection_timeout.get_or_insert(FIND);
    options.max_pool_size = Some(POOL);
    match runtime.run(relay::start(options), STEP, cancel, true) {
        Ok(started) => started.map_err(|why| ConnectFailure::new(Step::Options, why)),
        Err(ended) => Err(ConnectFailure::new(Step::Options, without_result(ended))),
    }
}

/// Looks whether a host of the string accepts connections. One is enough: a replica set may have
/// members that are down.
fn reach(
    addresses: &[(String, Option<u16>)],
    runtime: &Runtime,
    cancel: &Cancel,
    begin: &dyn Fn(Step),
) -> Result<(), ConnectFailure> {
    let mut first = None;
    for (host, port) in addresses {
        let Some(port) = *port else { return Ok(()) };
        begin(Step::Name);
        let name = host.clone();
        let resolve = move || (name.as_str(), port).to_socket_addrs().ok().map(Vec::from_iter);
        let found = runtime.run_blocking(resolve, STEP, cancel);
        let found =
            found.map_err(|ended| ConnectFailure::new(Step::Name, without_result(ended)))?;
        let Some(found) = found else {
            first.get_or_insert(ConnectFailure::new(Step::Name, relay::unresolved(host)));
            continue;
        };
        begin(Step::Port);
        let call = move || {
            let mut failure = None;
            for at in found {
                match TcpStream::connect_timeout(&at, ACCEPT) {
                    Ok(_) => return Ok(()),
                    Err(error) => _ = failure.get_or_insert(error.to_string()),
                }
            }
            Err(failure.unwrap_or_else(|| "no address".to_owned()))
        };
        match runtime.run_blocking(call, STEP, cancel) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => {
                let sentence = format!("{host} does not accept connections on port {port}: {why}");
                first.get_or_insert(ConnectFailure::new(Step::Port, sentence));
            }
            Err(ended) => return Err(ConnectFailure::new(Step::Port, without_result(ended))),
        }
    }
    first.map_or(Ok(()), Err)
}

fn client(
    options: ClientOptions,
    runtime: &Runtime,
    cancel: &Cancel,
) -> Result<Client, ConnectFailure> {
    // A client starts its monitors on the runtime that it is made on.
    let made = runtime.run(async { Client::with_options(options) }, STEP, cancel, true);
    match made {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(ConnectFailure::new(Step::Options, failure::sentence(&error))),
        Err(ended) => Err(ConnectFailure::new(Step::Options, without_result(ended))),
    }
}

/// Why a command has no reply.
struct Refusal {
    sentence: String,
    /// Whether the server does not accept the login.
    is_of_login: bool,
    /// Whether nothing came from a server.
    is_silent: bool,
}

impl Refusal {
    /// The end of a greeting.
    fn of_hello(self) -> ConnectFailure {
        let advice = "It accepts connections but does not answer as MongoDB does. It may expect TLS: \
                      add tls=true";
        let sentence = if self.is_silent { advice.to_owned() } else { self.sentence };
        ConnectFailure::new(Step::Hello, sentence)
    }

    /// The end of a login.
    fn of_login(self) -> ConnectFailure {
        if self.is_of_login {
            ConnectFailure::refused(self.sentence)
        } else {
            ConnectFailure::new(Step::Login, self.sentence)
        }
    }
}

fn ask(
    client: &Client,
    command: Document,
    runtime: &Runtime,
    cancel: &Cancel,
) -> Result<Document, Refusal> {
    let admin = client.database("admin");
    let asked = async move { said::showable(admin.run_command(command).await) };
    match runtime.run(asked, STEP, cancel, true) {
        Ok(Ok(reply)) if !is_ok(&reply) => {
            let sentence = reply.get_str("errmsg").unwrap_or("The server refused").to_owned();
            Err(Refusal { sentence, is_of_login: false, is_silent: false })
        }
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(error)) => {
            let reply = failure::reply(&error, false);
            let sentence = reply.get_str("errmsg").unwrap_or("The server refused").to_owned();
            Err(Refusal {
                sentence,
                is_of_login: failure::is_login_refused(&error),
                is_silent: failure::is_silence(&error),
            })
        }
        Err(ended) => Err(Refusal {
            sentence: without_result(ended),
            is_of_login: false,
            is_silent: ended == Ended::Late,
        }),
    }
}

/// Why a server that answers is not found: it isn't a member of the set that the string names.
fn other_set(
    options: &ClientOptions,
    runtime: &Runtime,
    cancel: &Cancel,
) -> Option<ConnectFailure> {
    // The driver passes over each server that isn't in the set, and then reports that none can be
    // reached.
    let wanted = options.repl_set_name.clone()?;
    let mut alone = options.clone();
    alone.credential = None;
    alone.repl_set_name = None;
    alone.direct_connection = Some(true);
    alone.hosts.truncate(1);
    let greeter = client(alone, runtime, cancel).ok()?;
    let hello = ask(&greeter, doc! { "hello": 1 }, runtime, cancel).ok()?;
    let sentence = match hello.get_str("setName") {
        Err(_) => format!(
            "The server answers, but is not a member of a replica set; leave out replicaSet={wanted}"
        ),
        Ok(set) if set != wanted => format!(
            "The server is a member of the replica set {}; correct replicaSet={wanted}",
            said::text(set)
        ),
        Ok(_) => return None,
    };
    Some(ConnectFailure::new(Step::Hello, sentence))
}

fn without_result(ended: Ended) -> String {
    let reply = failure::ended(ended, false);
    reply.get_str("errmsg").unwrap_or_default().to_owned()
}
