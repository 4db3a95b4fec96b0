//! Why a host can't be reached, for the window: the driver hears only that its connection ended.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::{AlertDescription, CertificateError, Error};

use crate::job::{ConnectFailure, Step};
use crate::limits::FAULTS_MAX;
use crate::source::remote::said;

/// The way out of every refused certificate.
const SKIP: &str = "accept any with tlsAllowInvalidCertificates=true";

/// The way to show a certificate to a server.
const YOURS: &str = "add tlsCertificateKeyFile=… with a file of the certificate and its key";

/// The way out of a certificate for other hosts.
const REACH: &str = "connect by a name that it has";

/// Names of a certificate that a sentence lists.
const NAMES_MAX: usize = 3;

/// The last failure of each host.
#[derive(Default)]
pub struct Faults(Mutex<BTreeMap<String, ConnectFailure>>);

impl Faults {
    /// Notes why a host failed.
    pub fn note(&self, host: &str, step: Step, sentence: &str) {
        let mut faults = self.lock();
        // A server may name many hosts as members of its set.
        if faults.len() < FAULTS_MAX || faults.contains_key(host) {
            faults.insert(host.to_owned(), ConnectFailure::new(step, said::text(sentence)));
        }
    }

    /// Notes it unless something is known of the host.
    pub fn note_first(&self, host: &str, step: Step, sentence: &str) {
        if !self.lock().contains_key(host) {
            self.note(host, step, sentence);
        }
    }

    /// Forgets it: the host answers.
    pub fn clear(&self, host: &str) {
        self.lock().remove(host);
    }

    /// The failure that got furthest.
    pub fn furthest(&self) -> Option<ConnectFailure> {
        self.lock().values().max_by_key(|failure| failure.step).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, ConnectFailure>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Said of a name without an address.
pub fn of_name(host: &str) -> String {
    format!("The name {host} can't be resolved; check its spelling and the network")
}

/// Said until a host has answered the TLS handshake.
pub fn of_no_answer(host: &str) -> String {
    format!("{host} accepts connections but does not answer over TLS; it may expect tls=false")
}

/// Why TLS with a host failed, and what to do.
pub fn of_tls(host: &str, error: &io::Error) -> String {
    let found = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
    match found {
        Some(Error::InvalidCertificate(error)) => of_certificate(host, error),
        Some(Error::InvalidMessage(_)) => format!("{host} does not use TLS; set tls=false"),
        Some(Error::AlertReceived(AlertDescription::CertificateRequired)) => {
            format!("{host} asks for a certificate of yours; {YOURS}")
        }
        Some(Error::AlertReceived(
            AlertDescription::HandshakeFailure
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA,
        )) => format!("{host} refuses TLS; it may ask for a certificate that it knows: {YOURS}"),
        Some(error) => format!("TLS with {host} fails: {error}"),
        None => format!("{host} ends the connection before TLS begins; it may expect tls=false"),
    }
}

/// Why a host left after the TLS handshake, before it said anything.
pub fn of_silence(host: &str, error: Option<&io::Error>) -> String {
    match error {
        Some(error)
            if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Error>) =>
        {
            of_tls(host, error)
        }
        _ => format!(
            "{host} ends the connection once TLS is set up; it may ask for a certificate of yours: \
             {YOURS}"
        ),
    }
}

fn of_certificate(host: &str, error: &CertificateError) -> String {
    let certificate = format!("The certificate of {host}");
    match error {
        CertificateError::UnknownIssuer => format!(
            "{certificate} is signed by an authority that isn't known here; add tlsCAFile=… with the \
             authority's certificate, or {SKIP}"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("{certificate} has expired; renew it on the server, or {SKIP}")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => format!(
            "{certificate} is not valid yet; check the clocks of the server and of this computer, \
             or {SKIP}"
        ),
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            format!(
                "{certificate} names no host (it has no subject alternative name); make one that \
                 names {host}, or {SKIP}"
            )
        }
        CertificateError::NotValidForName => {
            format!("{certificate} is for another host; {REACH}, or {SKIP}")
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented.iter().take(NAMES_MAX).map(|it| plain(it)).collect();
            format!("{certificate} is for {}; {REACH}, or {SKIP}", names.join(", "))
        }
        CertificateError::Other(other) if other.to_string() == "CaUsedAsEndEntity" => format!(
            "{certificate} is that of an authority; give the server one that the authority signs, \
             or {SKIP}"
        ),
        other => format!("{certificate} is refused ({other}); {SKIP}"),
    }
}

/// A name in a certificate. The library writes it as `DnsName("localhost")` or `IpAddress(127.0.0.1)`.
fn plain(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(name).trim_matches('"')
}
